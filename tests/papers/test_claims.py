"""Rules that do not depend on the numbers: three verdicts, and what each says of its own power."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from proband.papers.claims import (
    Claim,
    ShownDifference,
    Statement,
    by_sign,
    counts_of,
    exactly,
    summary_of,
    within,
)
from proband.papers.page import Item, Reproduction, claims_table, write_reproduction
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.report.tables.terminal import as_terminal
from proband.words import Sentence, plain as as_plain

FOUND = Sentence("test-claims.found", "note", "found {x:small}")
STATED = Statement(
    "test-claims.larger", "Table 1", paper="a beats b", rule="a − b > 0", otherwise="b is better"
)


def claim(value: float) -> Claim:
    return STATED.judged(FOUND(x=value), by_sign([ShownDifference(value, value - 0.1, value + 0.1)]))


@given(st.floats(-1, 1), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_turned_round_agreement_is_disagreement(value: float, half: float, margin: float) -> None:
    ahead, behind = (ShownDifference(x, x - half, x + half) for x in (value, -value))
    turned = {"agrees": "disagrees", "disagrees": "agrees", "cannot be judged": "cannot be judged"}
    if abs(abs(value) - half) > 1e-9:
        assert by_sign([behind]).verdict == turned[by_sign([ahead]).verdict]
    assert within([ahead], margin).verdict == within([behind], margin).verdict


def test_one_difference_the_other_way_is_enough_and_one_open_one_leaves_it_open() -> None:
    yes, no, unclear = ShownDifference(2, 1, 3), ShownDifference(-2, -3, -1), ShownDifference(0.5, -0.5, 1.5)
    assert by_sign([yes, yes]).verdict == "agrees"
    assert by_sign([yes, unclear]).verdict == "cannot be judged"
    assert by_sign([yes, unclear, no]).verdict == "disagrees"
    assert by_sign([yes, unclear]).why is not None
    assert within([ShownDifference(0, -1, 1), ShownDifference(5, 4, 6)], 2).verdict == "disagrees"


def test_the_power_is_that_of_a_normal_estimate() -> None:
    """An effect of (1.96 + 0.84) standard errors is shown by a 95 % interval in 80 % of studies."""
    error = 0.02
    found = by_sign([ShownDifference(0.1, 0.1 - 1.959964 * error, 0.1 + 1.959964 * error)])
    assert found.power["least"] == pytest.approx((1.959964 + 0.841621) * error, rel=1e-3)


def test_a_claim_tells_why_it_does_not_agree_and_what_chance_would_do() -> None:
    assert claim(1).why is None
    assert str(claim(-1).why) == "b is better"
    assert claim(0).why is not None
    assert "0.25" in str(exactly(True, 0.25).power)
    assert "no chance" in str(exactly(True, None).power)
    plain = json.loads(json.dumps(as_plain(claim(-1))))
    assert (plain["key"], plain["verdict"], plain["rule"]["text"]) == (
        "test-claims.larger",
        "disagrees",
        "a − b > 0",
    )


def test_the_page_the_file_and_the_terminal_tell_the_same(tmp_path) -> None:
    made = Reproduction(
        "test", "A study", "Somebody (2001)", "proband …", 0, (FOUND(x=3.0),), (Item("one", "Table 1", (), (claim(1), claim(-1), claim(0))),)
    )  # fmt: skip
    assert counts_of(made.claims) == {"agrees": 1, "disagrees": 1, "cannot be judged": 1}
    assert (
        str(summary_of(made.claims))
        == "3 claims of the paper: 1 agrees on synthetic people, 1 disagrees, 1 cannot be judged"
    )
    written = write_reproduction(made, tmp_path / "out")
    text = written.read_text(encoding="utf-8")
    assert text == render_page(build_page(Scene(made.findings())))
    for said in (
        "1 disagrees, 1 cannot be judged",
        "B is better.",
        ">rule<",
        "A − b &gt; 0",
    ):
        assert said in text
    stored = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["reproduction"]
    assert stored["summary"] == counts_of(made.claims)
    assert [one["verdict"] for one in stored["claims"]] == ["agrees", "disagrees", "cannot be judged"]
    assert max(map(len, str(as_terminal(claims_table(made.claims, brief=True), 80)).splitlines())) <= 80
