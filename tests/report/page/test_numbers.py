"""Every number of every table is one of the results', to the digits shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.report.page import finding
from tests.report.page.test_build import blocks_of, tables_of

import proband as pb
from proband.analyses.comparison.run import ComparedAlgorithms
from proband.analyses.identification.run import Identified
from proband.analyses.verification.run import Verified
from proband.analyses.verification.view import hard_subjects_blocks
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.report.page.build import build_page
from proband.report.page.model import Block, ChartBlock, Folded, Page, Panels, Paragraph
from proband.report.page.render import render_page
from proband.report.page.sections import diagnostics
from proband.report.scene import Scene
from proband.report.tables import cells
from proband.report.tables.table import Cell, Table
from proband.study.findings import Findings
from proband.words import Sentence, Target

NUMBER = re.compile(r"[+−-]?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
# What the page works out itself: halves of replicates, design effects, ratios of variances and p-values over choices of images.
DERIVED = {
    ("shared-people", "design effect"),
    ("replicates", "s.e., first half"),
    ("replicates", "s.e., second half"),
    ("choice-differences", "p over people"),
    ("gallery-effect", "gallery"),
    ("strat-units", "over 3 units"),
    ("strat-units-2", "over 3 units"),
}


def numbers(plain: Any) -> Iterator[float]:
    if isinstance(plain, dict):
        for one in plain.values():
            yield from numbers(one)
    elif isinstance(plain, list | tuple):
        for one in plain:
            yield from numbers(one)
    elif isinstance(plain, int | float) and not isinstance(plain, bool):
        yield float(plain)


def shown_numbers(cell: Cell) -> list[tuple[float, int | None]]:
    """The numbers of a text, and to how many places they are given (None for scientific notation)."""
    found = []
    for text in NUMBER.findall(" ".join(line.text for line in cell.lines)):
        plain = text.replace(",", "").replace("−", "-")
        places = None if "e" in plain else len(plain.partition(".")[2])
        found.append((float(plain), places))
    return found


def values_of(cell: Cell) -> list[float]:
    """The finite numbers a cell stands for, and those below it."""
    if cell.value is None or isinstance(cell.value, str):
        return []
    lines = (line.value for line in cell.lines)
    numbers = [one for value in lines for one in (value if isinstance(value, tuple) else (value,))]
    return [float(one) for one in numbers if isinstance(one, int | float) and math.isfinite(one)]


def every_table(page: Page) -> Iterator[Table]:
    """Tables and the numbers of charts, in the order of the page."""
    for block in blocks_of(page):
        if isinstance(block, Table):
            yield block
        elif isinstance(block, ChartBlock):
            yield block.data


def stands_for(shown: float, places: int | None, known: np.ndarray) -> bool:
    """Whether a known number, or a hundred times one (points), or its negative, is rounded to this."""
    allowed = abs(shown) * 5e-3 if places is None else 0.5000001 * 10.0**-places
    return bool((np.abs(known - shown) <= allowed).any() or (np.abs(100 * known - shown) <= allowed).any())


@pytest.mark.parametrize("made", [finding.whole, finding.feret, finding.one])
def test_tables_show_the_results(made):
    found = made()
    values = sorted(set(numbers(found.to_dict())))
    known = np.array([*values, *(-one for one in values)])
    exact = {*known.tolist(), *(100 * known).tolist()}
    checked = 0
    for table in tables_of(build_page(Scene(found))).values():
        if table.id == "dependence" and "comparison" not in found and "feret" not in found:
            continue  # worked out from the outcomes, since no estimate carries it
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                if not column.numeric or cell.value is None or (table.id, column.title) in DERIVED:
                    continue
                where = f"{table.id}, {column.title}: {cell}"
                assert all(value in exact for value in values_of(cell)), where
                for shown, places in shown_numbers(cell):
                    assert stands_for(shown, places, known), where
                checked += 1
    assert checked > 5


@pytest.mark.parametrize("made", [finding.whole, finding.feret, finding.one])
def test_texts_are_their_values_rounded(made):
    """The numbers of a cell are its values to the digits shown, in the same unit: what is copied is what is read."""
    for table in every_table(finding.page(made)):
        for row in table.rows:
            for cell in row:
                shown = shown_numbers(cell)
                values = values_of(cell)
                if len(shown) == 1 < len(values):
                    assert len(set(values)) == 1, cell  # one place is shown once
                for (number, places), value in zip(shown if values else (), values, strict=False):
                    allowed = abs(number) * 5e-3 if places is None else 0.5000001 * 10.0**-places
                    assert abs(number - value) <= max(allowed, 1e-15), f"{table.id}: {cell}"
                assert not values or shown, cell


@pytest.mark.parametrize("made", [finding.whole, finding.feret, finding.one])
def test_columns_hold_numbers_or_names(made):
    """What is sorted as numbers and what as text is never mixed, and headings tell which."""
    for table in every_table(finding.page(made)):
        for place, column in enumerate(table.columns):
            held = [row[place].value for row in table.rows if row[place].value is not None]
            assert {isinstance(value, str) for value in held} <= {not column.numeric}, column
            assert len({type(value) for value in held if isinstance(value, tuple)}) < 2, column
            assert len({isinstance(value, tuple) for value in held}) < 2, column


def with_other_words(block: Block) -> Block:
    """A block whose cells show other words for the same values."""
    match block:
        case Table():
            rows = ([replace(cell, text=f"3 of {len(cell.text)}") for cell in row] for row in block.rows)
            return replace(block, rows=tuple(map(tuple, rows)))
        case ChartBlock():
            return replace(block, data=with_other_words(block.data))
        case Folded() | Panels():
            return replace(block, blocks=tuple(map(with_other_words, block.blocks)))
    return block


@pytest.mark.parametrize("made", [finding.whole, finding.feret])
def test_the_page_holds_every_value_whatever_is_shown(made):
    page = finding.page(made)
    held = re.findall(r' data-v="([^"]*)"', render_page(page))
    given = [
        cell
        for table in every_table(page)
        for row in table.rows
        for cell in row
        if not isinstance(cell.value, str)
    ]
    assert len(held) == len(given) > 100
    for text, cell in zip(held, given, strict=True):
        numbers = [float(one) for one in text.split(";") if one and one != cell.raised]
        assert numbers == values_of(cell)
    sections = tuple(replace(one, blocks=tuple(map(with_other_words, one.blocks))) for one in page.sections)
    assert re.findall(r' data-v="([^"]*)"', render_page(replace(page, sections=sections))) == held


def test_what_the_page_works_out_itself():
    found = finding.whole()
    tables = tables_of(build_page(Scene(found)))
    point = found["verification"].verification[0].points[0].fmr.rests_on
    row = tables["shared-people"].rows[0]
    assert row[4].value == pytest.approx(point.n / point.n_effective)
    draws = found["comparison"].comparisons["median-rank-10"].estimates[0].replicates
    assert draws is not None
    halves = [float(np.std(part, ddof=1)) for part in np.split(draws, 2)]
    assert [cell.value for cell in tables["replicates"].rows[0][3:5]] == pytest.approx(halves)


def test_diagnostics_show_the_clusters_of_the_estimates():
    found = finding.whole()
    first = next(iter(found["comparison"].comparisons.values())).estimates[0]
    assert first.clusters is not None
    row = tables_of(build_page(Scene(found)))["dependence"].rows[0]
    assert [cell.value for cell in row[1:6]] == [
        first.clusters.n,
        first.clusters.n_clusters,
        first.clusters.icc,
        first.clusters.design_effect,
        first.clusters.effective_n,
    ]


@pytest.mark.parametrize("wins", [True, False])
def test_without_failures_or_successes_a_correlation_is_supposed(wins):
    people, probes = 12, 4
    ids = [f"g{k}" for k in range(people)] + [f"p{k}-{n}" for k in range(people) for n in range(probes)]
    samples = pb.Samples({"id": ids, "subject": [name[1:].partition("-")[0] for name in ids]})
    own = np.repeat(np.eye(people), probes, axis=0)
    values = own if wins else np.ones_like(own)
    made = [
        pb.Scores.from_array(values, ids[people:], ids[:people], orientation="similarity", name=n)
        for n in "ab"
    ]
    experiment = pb.Experiment(samples, gallery=ids[:people])
    evaluation = pb.evaluate(made, experiment, check_orientation=False)
    outcomes = [one.outcomes for one in evaluation.entries]
    compared = ComparedAlgorithms({"rank 1": pb.compare(outcomes, measure=pb.measures.RecognitionRate(1))})
    found = Findings(
        "t", finding.PROVENANCE, {"identification": Identified(evaluation), "comparison": compared}
    )
    table = tables_of(build_page(Scene(found)))["dependence"]
    assert [cell.text for cell in table.rows[0][1:6]] == ["48", "12", "0.50, assumed", "–", "19"]
    assert "or 0.5" in table.notes[-1]
    estimate = found["comparison"].comparisons["rank 1"].estimates[0]
    assert estimate.clusters is not None
    assert estimate.clusters.effective_n == pytest.approx(48 / 2.5)
    assert f"fewer than two of 48 probes from 12 people {'fail' if wins else 'succeed'}" in str(
        estimate.notes[-1]
    )
    noted = " ".join(note for _, note in diagnostics.noted(Scene(found)))
    assert "about right" not in noted


def test_a_borrowed_correlation_is_shown_as_the_interval_used_it():
    people, probes = 12, 4
    ids = [f"g{k}" for k in range(people)] + [f"p{k}-{n}" for k in range(people) for n in range(probes)]
    samples = pb.Samples({"id": ids, "subject": [name[1:].partition("-")[0] for name in ids]})
    own = np.repeat(np.eye(people), probes, axis=0)
    own_values = {"perfect": own, "poor": np.where(np.arange(48)[:, None] % 7 < 2, 1 - own, own)}
    made = [
        pb.Scores.from_array(values, ids[people:], ids[:people], orientation="similarity", name=name)
        for name, values in own_values.items()
    ]
    evaluation = pb.evaluate(made, pb.Experiment(samples, gallery=ids[:people]), check_orientation=False)
    compared = pb.compare(
        [one.outcomes for one in evaluation.entries], measure=pb.measures.RecognitionRate(1)
    )
    for key, part in (
        ("identification", Identified(evaluation)),
        ("comparison", ComparedAlgorithms({"rank 1": compared})),
    ):
        table = tables_of(build_page(Scene(Findings("t", finding.PROVENANCE, {key: part}))))["dependence"]
        (said,) = [note for note in compared.estimates[0].notes if note.code == "supposed.correlation"]
        assert table.rows[0][3].text == f"{said['alike']:.2f}, borrowed"
        assert (table.rows[0][3].value, table.rows[0][5].value) == (said["alike"], said["worth"])


def test_notes_stand_once_with_where_they_hold():
    lost = Sentence("example.lost-probes", "note", "{n:count probe} lost")
    verified = tuple(
        replace(one, notes=(lost(n=1), lost(n=2))[: 1 + place])
        for place, one in enumerate(finding.whole()["verification"].verification[:2])
    )
    noted = diagnostics.noted(Scene(Findings("t", finding.PROVENANCE, {"verification": Verified(verified)})))
    assert ("verification, sharp and 1 more", "1 probe lost.") in noted
    assert ("verification, plain", "2 probes lost.") in noted


def test_places_that_read_alike_are_counted_apart():
    lost = Sentence("example.lost-probes", "note", "{n:count probe} lost")
    first = next(iter(finding.whole()["comparison"].comparisons.values()))
    quiet = replace(first, notes=(), estimates=tuple(replace(one, notes=()) for one in first.estimates))
    title = str(quiet.estimates[0].answers.of)
    own = replace(
        quiet.estimates[0],
        notes=(lost(n=1),),
        facts=replace(quiet.estimates[0].facts, algorithm=title),
        answers=replace(quiet.estimates[0].answers, of=Target("other", "comparison")),
    )
    # Both places are shown as "comparison, " and the title of the first.
    compared = {
        "rank-1": replace(quiet, notes=(lost(n=1),)),
        "other": replace(quiet, estimates=(own, *quiet.estimates[1:])),
    }
    noted = diagnostics.noted(
        Scene(Findings("t", finding.PROVENANCE, {"comparison": ComparedAlgorithms(compared)}))
    )
    assert noted == [(f"comparison, {title} and 1 more", "1 probe lost.")]


def test_methods_that_read_alike_are_told_apart():
    """Each method of each rate is told once, whatever it is called."""
    (first, *_) = finding.whole()["verification"].verification
    point = first.points[0]
    method = point.fmr.method
    alike = [method, replace(method, key="another"), method]
    points = tuple(replace(point, fmr=replace(point.fmr, method=one)) for one in alike)
    found = Findings("t", finding.PROVENANCE, {"verification": Verified((replace(first, points=points),))})
    notes = tables_of(build_page(Scene(found)))["shared-people"].notes
    assert [note.partition(":")[0] for note in notes] == ["FMR", "FNMR", "FMR"]


def hard(rejected: list[int], genuine: int, p: float) -> HardSubjects:
    n = len(rejected)
    people = {"subject": [f"P{k}" for k in range(n)], "genuine": [genuine] * n, "false_non_matches": rejected}
    return HardSubjects(pl.DataFrame({**people, "impostor": [100] * n, "false_matches": [0] * n}), p, 1.0)


@pytest.mark.parametrize(
    ("rejected", "p", "shown"),
    [
        ([10, 10, 10] + [1] * 17, 0.001, "some people are rejected more often than expected by chance (p"),
        ([10] * 19 + [5], 0.001, "the difference shows in people with few errors"),
        (
            [4] * 10 + [3] * 10,
            0.04,
            "although half of the errors fall on no fewer people than expected by chance",
        ),
        ([4] * 10 + [3] * 10, 0.4, "no evidence of concentration on people"),
    ],
)
def test_hard_subjects_do_not_contradict_their_chart(rejected, p, shown):
    verified = Verified(hard_subjects={"sharp": hard(rejected, 10, p)})
    found = Findings(
        "t",
        finding.PROVENANCE,
        {"identification": finding.one()["identification"], "verification": verified},
    )
    first = next(iter(hard_subjects_blocks(verified, Scene(found))))
    assert isinstance(first, Paragraph)
    assert shown in first.text


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (cells.rate(0.96555), "0.9656"),
        (cells.rate(math.inf), "none"),
        (cells.interval(0.1, 0.25), "[0.1000, 0.2500]"),
        (cells.effect(-0.0123), "−1.23"),
        (cells.effect(2.5, in_points=False), "+2.50"),
        (cells.size_of(0.01), "1 point"),
        (cells.size_of(0.005), "0.5 points"),
        (cells.size_of(2.0, in_points=False), "2"),
        (cells.percent(0.995), "99.5%"),
        (cells.count(1234.0), "1,234"),
        (cells.count(12.5), "12.5"),
        (cells.threshold(None), "none"),
    ],
)
def test_formats(made, shown):
    assert made == shown
