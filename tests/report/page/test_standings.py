"""The first screen of a page, and what stands on it with few algorithms and with many."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from tests.report.page import finding
from tests.report.page.test_build import blocks_of, tables_of

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.analyses.verification.run import Verified
from proband.report.charts.palette import is_grey
from proband.report.kinds.verdicts import leading_group
from proband.report.page.build import build_page
from proband.report.page.model import Badges, ChartBlock, Page, Paragraph
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.report.tables.table import Around, Bar, Ends, Table
from proband.results.base import Result
from proband.study.findings import Findings

N = 60
SIZES = [2, 5, 16, pytest.param(50, marks=pytest.mark.long)]


@cache
def compared(n: int) -> Findings:
    """So many algorithms on 60 people, each missing some more than the last."""
    ids = [f"{side}{k}" for side in "gp" for k in range(N)]
    samples = pb.Samples(
        {"id": ids, "subject": [name[1:] for name in ids], "even": [int(name[1:]) % 2 for name in ids]}
    )
    made = []
    for place in range(n):
        values = np.eye(N)
        values[: 2 + place * 50 // n] = 0.5
        made.append(
            pb.Scores.from_array(values, ids[N:], ids[:N], orientation="similarity", name=f"net {place:02d}")
        )
    experiment = pb.Experiment(samples, gallery=ids[:N])
    evaluation = pb.evaluate(made, experiment, categories=[pb.Category.parse("even: probe.even == 0")])
    first = evaluation.of(evaluation.categories[0])
    tested = pb.compare([one.outcomes for one in first], measure=pb.measures.RecognitionRate(1))
    parts = {"identification": Identified(evaluation), "comparison": ComparedAlgorithms({"rank-1": tested})}
    return Findings("Standings", finding.PROVENANCE, parts)


@cache
def made(n: int) -> Page:
    return build_page(Scene(compared(n)))


@pytest.mark.parametrize("n", SIZES)
def test_the_first_section_is_the_answer(n: int) -> None:
    verdict = made(n).sections[0]
    headline, table, badges, varies = verdict.blocks[:4]
    comparison = compared(n)["comparison"].comparisons["rank-1"]
    group = leading_group(comparison)
    assert isinstance(headline, Paragraph)
    assert headline.strong
    assert group[0] in headline.text or len(group) == n
    assert isinstance(table, Table)
    assert [column.heading for column in table.columns] == [
        "place", "algorithm", "recognition rate at rank 1", "95% interval", "difference from net 00",
    ]  # fmt: skip
    assert len(table.rows) == (n if n <= 12 else 10)
    assert isinstance(badges, Badges)
    assert len(badges.badges) == 3
    assert isinstance(varies, Paragraph)
    every = table if n <= 12 else tables_of(made(n))["standings-all"]
    assert [row[1].text for row in every.rows] == [one.facts.algorithm for one in comparison.ordered]
    assert [every.rows[row][1].text for row in every.shaded] == ([] if len(group) == n else group)


@pytest.mark.parametrize("n", SIZES)
def test_standings_draw_what_they_say(n: int) -> None:
    found = compared(n)
    comparison = found["comparison"].comparisons["rank-1"]
    tables = tables_of(made(n))
    table = tables.get("standings-all", tables["standings"])
    axis, places, ranks = table.columns[3].axis, Scene(found).looks, comparison.places()
    assert axis is not None
    for row, one in zip(table.rows, comparison.ordered, strict=True):
        name = one.facts.algorithm
        assert row[0].value == ranks[name]
        assert row[3].value == Ends(one.low, one.high)
        assert row[3].bar == Bar(one.value, one.low, one.high, places[name])
        assert axis.low <= one.low <= one.high <= axis.high
    for row in table.rows[1:]:
        pair = next(one for one in comparison.pairs if {one.first, one.second} == {"net 00", row[1].text})
        sign = 1 if pair.second == "net 00" else -1
        assert isinstance(row[4].value, Around)
        assert row[4].value.value == pytest.approx(100 * sign * pair.value)
        assert sorted(row[4].value[1:]) == pytest.approx(
            sorted(100 * sign * end for end in (pair.low, pair.high))
        )


@pytest.mark.parametrize("n", SIZES)
def test_one_look_for_each_algorithm_on_the_whole_page(n: int) -> None:
    text = render_page(made(n))
    drawn: dict[str, set[str]] = {}
    for look, name in re.findall(
        r'class="series (series-\w+ dash-\d)" data-series="\d+" data-name="(net \d\d)"', text
    ):
        drawn.setdefault(name, set()).add(look)
    assert len(drawn) == n
    assert all(len(own) == 1 for own in drawn.values())
    colours = [look.split()[0] for own in drawn.values() for look in own]
    coloured = [one for one in colours if one != "series-grey"]
    assert len(set(coloured)) == len(coloured) == min(n, 8)
    charts = [block for block in blocks_of(made(n)) if isinstance(block, ChartBlock)]
    several = [chart for chart in charts if len(chart.looks) > 1]
    assert several
    for chart in several:  # nobody is left out, and grey is explained
        assert len(chart.looks) == n
        assert any(note.startswith("Grey:") for note in chart.notes) == any(
            is_grey(place) for _, place in chart.looks
        )


@pytest.mark.parametrize("n", [2, 16])
def test_categories_are_columns_and_every_table_can_be_copied(n: int) -> None:
    page = made(n)
    rates = tables_of(page)["rates"]
    assert [column.heading.partition("\n")[0] for column in rates.columns] == [
        "algorithm",
        "all probes",
        "even",
    ]
    assert len(rates.rows) == n
    text = render_page(page)
    n_tables = text.count("<table")
    assert text.count('data-do="copy-csv"') == text.count('data-do="copy-latex"') == n_tables
    assert text.count('class="latex"') == n_tables


def test_what_is_not_evidence_is_folded() -> None:
    opened = [section.id for section in finding.page(finding.whole).sections if not section.folded]
    assert opened == ["verdict", "gate", "identification", "verification"]


@pytest.mark.long
def test_fifty_algorithms_make_a_small_page() -> None:
    assert len(render_page(made(50)).encode()) < 1_500_000


def _of_whole(part: str) -> Result:
    """What was found, without groups and people."""
    found = finding.whole()[part]
    return Verified(found.verification) if part == "verification" else found


@pytest.mark.parametrize("part", ["identification", "verification"])
def test_what_was_not_tested_has_no_ranks(part: str) -> None:
    page = build_page(Scene(Findings("t", finding.PROVENANCE, {part: _of_whole(part)})))
    headline, table = page.sections[0].blocks[:2]
    assert isinstance(headline, Paragraph)
    assert headline.text.endswith("differences were not tested.")
    assert isinstance(table, Table)
    assert len(table.columns) == 3
    assert table.columns[2].axis is not None
    assert table.shaded == ()
