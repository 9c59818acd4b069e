"""Searches for people who may not be enrolled, and the people whom errors fall on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proband.inference.verification.hard_subjects import SIGNIFICANCE, HardSubjects
from proband.inference.verification.open_set import SearchEstimates, SearchInterval
from proband.report import cells
from proband.report.analyses.verification import search_statements
from proband.report.charts.makers.concentration import shared_errors
from proband.report.charts.spec import Concentration
from proband.report.leading import leading, looks
from proband.report.page.charts.distributions import hard_subjects_chart
from proband.report.page.charts.errors import search_chart
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.identification import drawn, of_length
from proband.report.page.sections.short_sections import sizes_table
from proband.report.table import Cell, Column, Table
from proband.results.targets import GALLERY, derived
from proband.words import as_sentence, count, counted, given

if TYPE_CHECKING:
    from proband.study.findings import Findings

_MOST_PEOPLE = 10


@section("open-set", 35)
def open_set_section(found: Findings) -> Section | None:
    """False positive and false negative identification rates; a FERET study's rejection test if there is one."""
    results = found.searches
    rejection = None if found.feret is None else found.feret.rejection
    blocks: list[Block] = []
    if results:
        blocks += _search_blocks(results, looks(found), "search")
        sizes = sizes_table(found)
        blocks += [] if sizes is None else [sizes]
    if rejection is not None:
        people = counted(rejection.n_held_out, "person was", "people were")
        held = f"Rejection: {people} taken out of the gallery at random (seed {rejection.seed})."
        blocks += [*said([held]), *_search_blocks(rejection.results, looks(found), "rejection")]
    return Section("open-set", "Open-set search", tuple(blocks)) if blocks else None


def _search_blocks(results: Sequence[SearchEstimates], places: Mapping[str, int], id: str) -> list[Block]:
    return [
        search_chart(results, id, rank=results[0].points[0].point.rank, places=places),
        of_length(search_table(results, f"{id}-points")),
        Folded("What searches mean", tuple(said(search_statements(results)))),
    ]


def search_table(results: Sequence[SearchEstimates], id: str) -> Table:
    """A row for each algorithm and operating point."""
    level = cells.percent(results[0].confidence_level)
    heads = (
        Column("algorithm", "name"),
        Column("target FPIR", "number"),
        Column("FNIR", "number", "Searches for enrolled people that do not return them."),
        Column(f"{level} interval", "interval", "At the threshold, held fixed."),
        Column("at target FPIR", "interval", "The threshold is re-estimated in every resample of people."),
        Column("FPIR", "number", "Searches for people not enrolled that return anybody."),
        Column(f"{level} interval", "interval"),
        Column("candidates", "number"),
        Column("threshold", "number"),
        Column("misses", "number"),
        Column("false positives", "number"),
    )
    rows = [_search_row(result, one) for result in results for one in result.points]
    few = any(not (one.fpir_supported and one.fnir_supported) for result in results for one in result.points)
    notes = ["* rests on fewer than 30 errors (the rule of 30)."] if few else []
    return cells.table(id, "Searches at chosen false positive rates", heads, rows, notes)


def _search_row(result: SearchEstimates, one: SearchInterval) -> list[Cell]:
    p = one.point
    varying = derived("threshold", "{}, and the threshold set on them", result.answers.varying)
    anew = replace(result.answers, varying=varying, fixed=GALLERY)
    return [
        cells.text_cell(result.algorithm),
        cells.empty_cell() if p.asked is None else Cell(f"{given(p.asked)}", p.asked),
        cells.rate_cell(p.fnir, cells.unsupported(one.fnir_supported)),
        cells.interval_cell(one.fnir, result.answers),
        cells.interval_cell(one.fnir_at_fpir, anew),
        cells.small_cell(p.fpir, one.fpir_supported),
        cells.small_interval_cell(one.fpir.low, one.fpir.high, result.answers),
        cells.count_cell(p.rank),
        cells.threshold_cell(p.threshold),
        cells.share_cell(p.misses, p.n_mated),
        cells.share_cell(p.false_positives, p.n_nonmated),
    ]


@section("hard-subjects", 70)
def hard_subjects_section(found: Findings) -> Section | None:
    """Whether errors are those of a few people, and of whom, under the names the study chose to show."""
    names = list(found.hard_subjects)
    shown = drawn(names, leading(found))
    blocks: list[Block] = []
    for place, name in enumerate(shown, 1):
        one = found.hard_subjects[name]
        own: list[Block] = [
            *said(_concentration(name, one)),
            hard_subjects_chart(one, f"hard-{place}", name),
        ]
        own.append(_people_table(one, f"hard-{place}-people", name))
        blocks += own if place == 1 else [Folded(name, tuple(own))]
    if blocks and len(shown) < len(names):
        blocks += said(
            [f"The leading {len(shown)} of {count(len(names))} algorithms are shown; the results have all."]
        )
    return Section("hard-subjects", "Hard subjects", tuple(blocks)) if blocks else None


def _concentration(name: str, one: HardSubjects) -> list[str]:
    told = []
    for what, p, test, found, errors, comparisons in (
        ("false non-matches", one.goats_p, one.goats_test, "some people are rejected more often than chance makes them", "false_non_matches", "genuine"),
        ("false matches", one.lambs_p, one.lambs_test, "some people take part in more of them than chance makes them", "false_matches", "impostor"),
    ):  # fmt: skip
        if p is None:
            continue
        shown = cells.p_value(p, test.floor)
        if p > SIGNIFICANCE:
            found = "no concentration on people can be seen"
        elif one.people[errors].sum() > one.people[comparisons].sum() / 2:
            found = "people differ more than chance makes them; most comparisons are errors, so it shows in who is spared, not in whom they fall on"
        elif not _gathered(one, errors, comparisons):
            found += ", though half of these errors fall on no fewer people than by chance"
        told.append(f"{name}, {what}: {found} (p {shown}).")
    return told + [f"{name}: {as_sentence(note)}" for note in one.sentences() if note.level == "caution"]


def _gathered(one: HardSubjects, errors: str, comparisons: str) -> bool:
    """Whether half of the errors falls on fewer people than by chance, to the digits that the chart's summary gives."""
    shared = shared_errors(one, errors, comparisons)
    if shared is None:
        return False
    half, expected = Concentration("", *shared).halves()
    return round(half, 3) < round(expected, 3)


def _people_table(one: HardSubjects, id: str, name: str) -> Table:
    rows = [
        [
            cells.text_cell(row["subject"]),
            cells.share_cell(row["false_non_matches"], row["genuine"]),
            cells.share_cell(row["false_matches"], row["impostor"]),
        ]
        for row in one.people.head(_MOST_PEOPLE).iter_rows(named=True)
    ]
    notes = []
    if one.people.height > _MOST_PEOPLE:
        notes.append(
            f"The first {_MOST_PEOPLE} of {counted(one.people.height, 'person', 'people')}, by false non-matches, then false matches."
        )
    heads = cells.columns("person", "false non-matches", "false matches")
    return cells.table(id, f"{name}: errors by person", heads, rows, notes)
