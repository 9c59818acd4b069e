"""Tables 2, 3, 5 and 6 of Beveridge et al. 2001: their numbers by other means, and claims that fail for scrambled layouts."""

from __future__ import annotations

import html
import json
import shlex
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.cli import main
from proband.engine import Silent
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes
from proband.papers.beveridge2001 import FIRST, SECOND, Beveridge2001, study_scores
from proband.papers.beveridge2001_design_claims import (
    BALANCED,
    PAIRS,
    UNBALANCED,
    DesignEvidence,
    chance_of_copies,
    design_claims,
)
from proband.papers.beveridge2001_study import CONTENTS, GALLERY, Measurements, measured, reproduction
from proband.papers.beveridge2001_tables import in_cycles
from proband.report.tables.table import Table

PEOPLE, TRAINING, TRIALS, SEED = 16, 10, 40, 5


def evidence(**other: Any) -> DesignEvidence:
    """Sets, images and trials as the paper has them."""
    names = [f"p{k}" for k in range(100)]
    given = {
        "probe_sets": {
            "fb": frozenset(names[:40]),
            "dup1": frozenset(names[40:70]),
            "dup2": frozenset(names[40:50]),
            "fc": frozenset(names[70:]),
        },
        "layout": [[(1, "neutral"), (1, "smile"), (2, "neutral"), (2, "frown")]] * 160,
        "unbalanced": tuple((k, PAIRS[k * k % 8]) for k in range(160)),
        "balanced": tuple((k, PAIRS[k % 8]) for k in range(160)),
    }
    return DesignEvidence(**(given | other))  # type: ignore[arg-type]


def verdicts(given: DesignEvidence) -> dict[str, str]:
    return {
        claim.key.partition(".")[2]: claim.verdict
        for claims in design_claims(given).values()
        for claim in claims
    }


def test_what_the_paper_prints_fulfils_every_rule_but_the_number_of_pairs() -> None:
    judged = verdicts(evidence())
    assert len(judged) == 7
    assert {key for key, verdict in judged.items() if verdict != "agrees"} == {"pairs-of-algorithms"}


@pytest.mark.parametrize(
    ("claim", "scrambled"),
    [
        ("dup2-within-dup1", {"probe_sets": {"fb": {"a"}, "dup1": {"b"}, "dup2": {"b", "c"}, "fc": {"d"}}}),
        ("dup2-within-dup1", {"probe_sets": {"fb": {"a"}, "dup1": {"a"}, "dup2": {"a"}, "fc": {"d"}}}),
        ("table-3-adds-up", {"printed": PairedOutcomes(73, 27, 2, 23)}),
        ("two-days-two-expressions", {"layout": [[(1, "a"), (1, "a"), (2, "a"), (2, "b")]] * 160}),
        ("two-days-two-expressions", {"layout": [[(1, "a"), (2, "b"), (2, "a"), (2, "b")]] * 160}),
        ("somebody-drawn-four-times", {"n_resampled": 160}),
        ("balanced-uses-columns-equally", {"balanced": tuple((k, PAIRS[k % 7]) for k in range(160))}),
        ("balanced-uses-columns-equally", {"unbalanced": tuple((k, PAIRS[k % 8]) for k in range(160))}),
        ("balanced-uses-columns-equally", {"unbalanced": tuple((k, (0, 1)) for k in range(160))}),
        ("table-6-pattern", {"printed_balanced": BALANCED[:-1] + UNBALANCED[-1:]}),
        ("table-6-pattern", {"printed_unbalanced": ((0, (0, 1)), *UNBALANCED[1:])}),
        ("pairs-of-algorithms", {"n_algorithms": 8}),
    ],
)
def test_scrambled_layouts_fail(claim: str, scrambled: dict[str, Any]) -> None:
    assert verdicts(evidence(**scrambled))[claim] == "disagrees"


def test_no_number_of_algorithms_makes_42_pairs() -> None:
    assert 42 not in {comb(n, 2) for n in range(100)}


def test_trials_of_people_that_are_no_multiple_of_eight_may_be_off_by_two() -> None:
    balanced = tuple((k, PAIRS[k % 8]) for k in range(157))
    assert verdicts(evidence(balanced=balanced))["balanced-uses-columns-equally"] == "agrees"


def test_the_example_of_table_3_is_the_papers() -> None:
    (claim,) = design_claims(evidence())["table3"]
    here = claim.here
    assert (here["a"], here["b"], here["n"], here["rate_a"], here["rate_b"]) == (75, 100, 125, 0.6, 0.8)
    # McNemar: at most 2 of 29 discordant probes favour A, under one half.
    exact = Fraction(sum(comb(29, k) for k in range(3)), 2**29)
    assert here["p"] == pytest.approx(float(exact), rel=1e-12)


def test_the_chance_of_four_copies_is_that_of_counting_and_of_drawing() -> None:
    # All 4^4 samples of four people: one of them is drawn four times in four samples.
    assert chance_of_copies(4, 4) == pytest.approx(4 / 4**4)
    every = np.array(np.meshgrid(*[range(5)] * 5)).reshape(5, -1).T
    twice = np.mean([max(Counter(row.tolist()).values()) >= 3 for row in every])
    assert chance_of_copies(5, 3) == pytest.approx(twice)
    assert chance_of_copies(3, 4) == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(1)
    drawn = [np.bincount(rng.integers(256, size=256)).max() >= 4 for _ in range(20_000)]
    assert chance_of_copies(256, 4) == pytest.approx(np.mean(drawn), abs=0.002)


def test_a_balanced_trial_is_listed_in_cycles_of_the_eight_pairs() -> None:
    order = np.random.default_rng(2).permutation(24)
    dealt = sorted((int(person), PAIRS[k % 8]) for k, person in enumerate(order))
    listed = in_cycles(tuple(dealt))
    assert [choice for _, choice in listed] == [*PAIRS] * 3
    assert sorted(listed) == dealt
    assert tuple(choice for _, choice in BALANCED[:8]) == PAIRS


Ran = tuple[Beveridge2001, Measurements]


@pytest.fixture(scope="module")
def ran() -> Ran:
    data = study_scores(SEED, n_test=PEOPLE, n_train=TRAINING, threads=1)
    return data, measured(data, TRIALS, SEED, 1, Silent())


def tables(ran: Ran) -> dict[str, Table]:
    data, found = ran
    blocks = [block for item in reproduction(data, found, SEED).items for block in item.blocks]
    return {block.id: block for block in blocks if isinstance(block, Table)}


def test_the_page_has_every_table_and_figure(ran: Ran) -> None:
    made = tables(ran)
    assert {"table2-beside", "table3-beside", "table4-beside", "table5-here"} < set(made)
    assert {"table6a", "table6b", "table7-beside"} < set(made)
    assert [row[0] for row in CONTENTS] == [
        *(f"Table {k}" for k in range(1, 8)),
        *(f"Figure {k}" for k in range(1, 5)),
    ]
    assert [row[0].text for row in made["contents-table"].rows] == [row[0] for row in CONTENTS]


def test_table_2_counts_the_images_of_the_sets(ran: Ran) -> None:
    data, _ = ran
    rows = {row[0].text: row for row in tables(ran)["table2-beside"].rows}
    published = [rows[name][1].value for name in ("G fa", "P fb", "P dup I", "P dup II", "P fc", "T")]
    assert published == [1196, 1195, 722, 234, 194, 501]
    frame = data.probe_sets.frame
    first = frame.filter((pl.col("kind") == "fa") & (pl.col("session") == 1))
    later = frame.join(first.select("subject", enrolled="date"), on="subject").filter(pl.col("session") > 1)
    long_after = later.filter((pl.col("date") - pl.col("enrolled")).dt.total_days() >= 500)
    same = frame.filter(pl.col("session") == 1)
    counts = [
        len(first),
        len(same.filter(pl.col("kind") == "fb")),
        len(later.filter(pl.col("kind") != "fc")),
        len(long_after.filter(pl.col("kind") != "fc")),
        len(same.filter(pl.col("kind") == "fc")),
        3 * TRAINING,
    ]
    assert [rows[name][2].value for name in ("G fa", "P fb", "P dup I", "P dup II", "P fc", "T")] == counts


def test_table_3_has_the_papers_counts_beside_those_of_a_probe_set(ran: Ran) -> None:
    data, _ = ran
    shown = tables(ran)["table3-beside"]
    assert [[cell.value for cell in row[1:3]] for row in shown.rows] == [[73, 27], [2, 23]]
    experiment = pb.Experiment(data.probe_sets, gallery=GALLERY)
    dup1 = next(category for category in pb.feret.feret_categories() if category.name == "dup1").of(
        experiment
    )
    scores = {one.name: one for one in data.probe_scores}
    right = {}
    for name in (FIRST, SECOND):
        rows, columns = (
            scores[name].queries.positions([data.probe_sets.ids[int(k)] for k in places])
            for places in (dup1.probes, dup1.gallery)
        )
        best = np.asarray(scores[name].values)[np.ix_(rows, columns)].argmax(axis=1)
        people = data.probe_sets.codes
        right[name] = people[dup1.gallery][best] == people[dup1.probes]
    a, b = right[FIRST], right[SECOND]
    expected = [[(a & b).sum(), (~a & b).sum()], [(a & ~b).sum(), (~a & ~b).sum()]]
    assert [[cell.value for cell in row[3:]] for row in shown.rows] == [[*map(int, row)] for row in expected]
    assert "75 of 125 (0.60)" in " ".join(shown.notes)
    assert "100 of 125 (0.80)" in " ".join(shown.notes)


def test_table_5_lays_the_images_out_by_day_and_expression(ran: Ran) -> None:
    data, _ = ran
    shown = tables(ran)["table5-here"]
    assert [row[0].text for row in shown.rows] == ["0", "1", "⋮", str(PEOPLE - 1)]
    frame = data.samples.frame
    for person, row in ((0, shown.rows[0]), (PEOPLE - 1, shown.rows[-1])):
        subject = list(dict.fromkeys(frame["subject"]))[person]
        own = frame.filter(pl.col("subject") == subject)
        for column, cell in enumerate(row[1:]):
            symbol, name, expression = (line.text for line in cell.lines)
            assert symbol == f"u\xa0{person},{column}"
            image = own.filter(pl.col("id") == name).row(0, named=True)
            assert (image["day"], image["expression"]) == (1 + column // 2, expression)
            assert (expression == "neutral") == (column % 2 == 0)


def test_table_6_lists_the_trials_that_were_run(ran: Ran) -> None:
    data, found = ran
    pool = pb.Pool(data.samples, "day")
    names = data.samples.frame.group_by("subject", maintain_order=True).agg("id")["id"].to_list()
    for key, balanced in (("table6a", False), ("table6b", True)):
        design = pb.designs.ImageChoice(TRIALS, balanced)
        frame = pb.choices.trial_choices(pool, design=design, seed=SEED)
        chosen = {(gallery, probe) for gallery, probe in frame.select("gallery", "probe").iter_rows()}
        rows = [row for row in tables(ran)[key].rows if row[0].text != "⋮"]
        assert [row[0].value for row in rows] == [
            person for person, _ in (BALANCED if balanced else UNBALANCED)
        ]
        assert len(rows) == 9
        for row in rows:
            ids = []
            for cell in row[4:]:
                symbol, name = (line.text for line in cell.lines)
                person, image = map(int, symbol.removeprefix("u\xa0").split(","))
                assert (row[3].value, names[person][image]) == (person, name)
                ids.append(name)
            assert tuple(ids) in chosen
    evidence = found.design(data.samples)
    used = Counter(choice for _, choice in evidence.balanced)
    assert used == dict.fromkeys(PAIRS, PEOPLE // 8)


def test_the_commands_of_the_page_go_on_from_its_files(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, found = ran
    monkeypatch.setattr("proband.papers.beveridge2001_study.study_scores", lambda *_: data)
    monkeypatch.setattr("proband.papers.beveridge2001_study.measured", lambda *_: found)
    made, page = pb.papers.reproduce_beveridge2001(
        tmp_path / "b", TRIALS, SEED, 1, Silent(), PEOPLE, TRAINING
    )
    monkeypatch.chdir(page.parent)
    answers = {}
    for command in made.further:
        assert command in html.unescape(page.read_text(encoding="utf-8"))
        program, name, *words = shlex.split(command)
        assert program == "proband"
        with pytest.raises(SystemExit) as stop:
            main([name, *words, "--json", "-q"])
        assert not stop.value.code
        answers[name] = json.loads(capsys.readouterr().out)
    tests = {
        (row["category"], row["second"]): tuple(row[key] for key in ("ss", "sf", "fs", "ff"))
        for row in answers["mcnemar"]["mcnemar"]["rows"]
    }
    for name, row in found.tests().items():
        assert tests[name, SECOND] == (row.counts.ss, row.counts.sf, row.counts.fs, row.counts.ff)
    listed = pl.read_csv("trial.csv")
    assert len(listed) == PEOPLE
    assert found.choices.trial_choices is not None
    assert listed["gallery"].to_list() == found.choices.trial_choices["gallery"].to_list()
