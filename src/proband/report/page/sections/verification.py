"""Verification: curves, operating points, scores, and error rates by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from proband.inference.verification.dyadic_auc import AucInterval
from proband.inference.verification.equal_error import EqualErrorInterval
from proband.inference.verification.groups import BY_GROUP, Differential, GroupRates
from proband.inference.verification.verification import PEOPLE_SHARED, Verification, VerificationPoint
from proband.report import cells
from proband.report.analyses.verification import verification_statements
from proband.report.leading import leading, looks
from proband.report.page.charts.distributions import scores_chart
from proband.report.page.charts.errors import det_chart
from proband.report.page.charts.points import groups_chart
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.identification import drawn, left_out, of_length
from proband.report.table import Cell, Column, Table
from proband.results.base import Answers
from proband.results.targets import derived
from proband.words import Note, Target, counted, digits

if TYPE_CHECKING:
    from proband.study.findings import Findings

_THRESHOLD = Target("threshold", "the algorithm and the threshold")
_ALGORITHM = Target("algorithm", "the algorithm")
_SAME_THRESHOLD = Target("same-threshold", "the algorithm and the threshold, the same for all groups")
_FMR_THERE = Target("fmr-at-threshold", "false match rate at this threshold")
_FNMR_THERE = Target("fnmr-at-threshold", "false non-match rate at this threshold")
_FNMR_AT_FMR = Target("fnmr-at-fmr", "false non-match rate at this false match rate")
_EER = Target("eer", "equal error rate")
_AREA = Target("auc", "area under the ROC")
_OF_GROUPS = {
    "fnmr": Target("fnmr-within-group", "false non-match rate within the group"),
    "fmr": Target("fmr-within-group", "false match rate within the group"),
}
_OTHERS_OF_GROUP = Target("people-of-group", "new people of the group, with as many images each")
_HISTOGRAMS = 2  # algorithms whose scores are drawn
_RE_ESTIMATED = "With intervals at the target FMR, the threshold re-estimated in every resample of people, where there are such; else at the threshold."
_MIDPOINT = "Where FMR and FNMR meet, or midway between them where they are closest; the threshold of the crossing varies with people."
_FEW = "* rests on fewer than 30 errors (the rule of 30)."


@section("verification", 30)
def verification_section(found: Findings) -> Section | None:
    """Error rates at every threshold, and at chosen ones with intervals."""
    results = found.verification
    if not results:
        return None
    names = [one.algorithm for one in results]
    first = drawn(names, leading(found), _HISTOGRAMS)
    histograms = [one for one in results if one.algorithm in first]
    blocks: list[Block] = [
        det_chart(results, places=looks(found)),
        of_length(_summary(results)),
        Folded("Operating points: thresholds, rates and errors", (points_table(results), _sizes(results))),
        Folded(
            "Scores of genuine and impostor comparisons"
            + ("" if len(first) == len(names) else f", the leading {counted(len(first), 'algorithm')}"),
            tuple(scores_chart(one, f"scores-{place}") for place, one in enumerate(histograms, 1)),
        ),
    ]
    blocks.append(Folded("What the error rates mean", tuple(said(verification_statements(results)))))
    return Section("verification", "Verification", tuple(blocks))


def points_table(results: Sequence[Verification]) -> Table:
    """A row for each algorithm and operating point."""
    level = cells.percent(results[0].confidence_level)
    heads = (
        Column("algorithm", "name"),
        Column("target FMR", "number"),
        Column("FNMR", "number"),
        Column(f"{level} interval", "interval", "At the threshold, held fixed."),
        Column("at target FMR", "interval", "The threshold is re-estimated in every resample of people."),
        Column("FMR", "number"),
        Column(f"{level} interval", "interval"),
        Column("threshold", "number"),
        Column("false non-matches", "number"),
        Column("false matches", "number"),
    )
    rows = [_point_row(one, point) for one in results for point in one.points]
    few = any(not (p.point.fmr_supported and p.point.fnmr_supported) for one in results for p in one.points)
    return cells.table("operating-points", "Operating points", heads, rows, [_FEW] if few else [])


def _point_row(result: Verification, point: VerificationPoint) -> list[Cell]:
    p, answers = point.point, result.answers
    fixed = replace(answers, of=_FNMR_THERE, fixed=_THRESHOLD)
    matched = replace(answers, of=_FMR_THERE, fixed=_THRESHOLD)
    return [
        cells.text_cell(result.algorithm),
        cells.empty_cell() if p.asked is None else Cell(digits(p.asked, 6), p.asked),
        cells.rate_cell(p.fnmr, cells.unsupported(p.fnmr_supported)),
        cells.interval_cell((point.fnmr.low, point.fnmr.high), fixed),
        cells.interval_cell(point.fnmr_at_fmr, _anew(answers)),
        cells.small_cell(p.fmr, p.fmr_supported),
        cells.small_interval_cell(point.fmr.low, point.fmr.high, matched),
        cells.threshold_cell(p.threshold),
        cells.share_cell(p.false_non_matches, p.n_genuine),
        cells.share_cell(p.false_matches, p.n_impostor),
    ]


def _anew(answers: Answers) -> Answers:
    """What an interval answers whose threshold is set on the people that vary."""
    varying = derived("threshold", "{}, and the threshold set on them", answers.varying)
    return Answers(_FNMR_AT_FMR, varying, _ALGORITHM, answers.assuming)


def _summary_interval(
    result: Verification, found: EqualErrorInterval | AucInterval | None, of: Target
) -> Cell:
    answers = replace(result.answers, of=of, fixed=_ALGORITHM)
    return cells.interval_cell(None if found is None else (found.low, found.high), answers)


def _summary(results: Sequence[Verification]) -> Table:
    """Algorithms by what was asked for: FNMR at each target FMR or threshold, and summaries of whole curves."""
    level = cells.percent(results[0].confidence_level)
    asked = list(dict.fromkeys(point.point.asked for one in results for point in one.points))
    targets = [one for one in asked if one is not None]
    heads = [Column("algorithm", "name")]
    heads += [Column(f"FNMR at\nFMR {digits(one, 6)}", "number", _RE_ESTIMATED) for one in targets]
    heads += [Column("EER", "number", _MIDPOINT), Column("AUC", "number", "The area under the ROC.")]
    rows = []
    for one in results:
        row = [cells.text_cell(one.algorithm)]
        for target in targets:
            point = next((point for point in one.points if point.point.asked == target), None)
            row.append(cells.empty_cell() if point is None else _at_target(one, point))
        eer, auc = cells.rate_cell(one.rates.eer().value), cells.rate_cell(one.rates.auc())
        row.append(cells.over(eer, _summary_interval(one, one.eer_interval, _EER)))
        row.append(cells.over(auc, _summary_interval(one, one.auc_interval, _AREA)))
        rows.append(row)
    few = any(
        not point.point.fnmr_supported
        for one in results
        for point in one.points
        if point.point.asked is not None
    )
    caption = f"Error rates, with {level} intervals"
    return cells.table("verification-summary", caption, tuple(heads), rows, [_FEW] if few else [])


def _at_target(result: Verification, point: VerificationPoint) -> Cell:
    rate = cells.rate_cell(point.point.fnmr, cells.unsupported(point.point.fnmr_supported))
    if point.fnmr_at_fmr is not None:
        return cells.over(rate, cells.interval_cell(point.fnmr_at_fmr, _anew(result.answers)))
    answers = replace(result.answers, of=_FNMR_THERE, fixed=_THRESHOLD)
    return cells.over(rate, cells.interval_cell((point.fnmr.low, point.fnmr.high), answers))


def _sizes(results: Sequence[Verification]) -> Table:
    rows = []
    for one in results:
        counts = one.rates.counts
        numbers = (one.n_subjects, counts.n_genuine, counts.n_impostor, counts.n_failed_genuine, counts.n_failed_impostor)  # fmt: skip
        rows.append([cells.text_cell(one.algorithm), *map(cells.count_cell, numbers)])
    heads = cells.columns("algorithm", "people", "genuine", "impostor", "failed genuine", "failed impostor")
    return cells.table("verification-sizes", "What the error rates rest on", heads, rows)


@section("groups", 65)
def groups_section(found: Findings) -> Section | None:
    """Error rates by group at one threshold for all: charts of the first column that makes groups, and all else folded."""
    blocks: list[Block] = []
    for place, column in enumerate(dict.fromkeys(one.column for one in found.groups), 1):
        charts, rest = _of_column(found, column, place)
        blocks += [*charts, *rest] if place == 1 else [Folded(f"Groups by {column}", (*charts, *rest))]
    return Section("groups", "Groups", tuple(blocks)) if blocks else None


def _of_column(found: Findings, column: str, place: int) -> tuple[list[Block], list[Block]]:
    """The charts of one column, and its table and what belongs to it."""
    own = [one for one in found.groups if one.column == column]
    names = [one.algorithm for one in own]
    shown = drawn(names, leading(found))
    charted = [one for one in own if one.algorithm in shown]
    kinds: tuple[Literal["fnmr", "fmr"], ...] = ("fnmr", "fmr")
    charts: list[Block] = [
        groups_chart(charted, which, _answers(which), f"groups-{place}-{which}", looks(found))
        for which in kinds
        if any(getattr(group, which) is not None for one in charted for group in one.groups)
    ]
    table = _groups_table(own, f"groups-{place}", found.confidence_level)
    return charts, [
        *said([*_at(found), *left_out(names, shown)]),
        Folded(table.caption, (table,)),
        Folded(f"What the groups by {column} mean", tuple(said(_about(own)))),
    ]


def _at(found: Findings) -> list[str]:
    """The false match rate that the thresholds of groups are for, where one was asked for."""
    asked = {one.points[0].point.asked for one in found.verification}
    target = asked.pop() if len(asked) == 1 else None
    return (
        []
        if target is None
        else [f"Thresholds: those of each algorithm for a target FMR of {digits(target, 6)} over all groups."]
    )


def _groups_table(found: Sequence[Differential], id: str, level: float) -> Table:
    heads = (
        Column(found[0].column, "name"),
        Column("algorithm", "name"),
        Column("people", "number"),
        Column("FNMR", "number"),
        Column(f"{cells.percent(level)} interval", "interval"),
        Column("false non-matches", "number"),
        Column("FMR", "number"),
        Column(f"{cells.percent(level)} interval", "interval"),
        Column("false matches", "number"),
    )
    rows = [_group_row(one, each.algorithm) for each in found for one in each.groups]
    rates = [rate for each in found for one in each.groups for rate in (one.fnmr, one.fmr)]
    few = any(rate is not None and not rate.supported for rate in rates)
    return cells.table(id, f"Error rates by {found[0].column}", heads, rows, [_FEW] if few else [])


def _group_row(one: GroupRates, algorithm: str) -> list[Cell]:
    row = [cells.text_cell(one.group), cells.text_cell(algorithm), cells.count_cell(one.n_subjects)]
    for which, found in (("fnmr", one.fnmr), ("fmr", one.fmr)):
        if found is None:
            row += [cells.empty_cell()] * 3
            continue
        row += [
            cells.small_cell(found.rate, found.supported),
            cells.small_interval_cell(found.low, found.high, _answers(which)),
            cells.share_cell(found.errors, found.n),
        ]
    return row


def _answers(which: str) -> Answers:
    """What the intervals of groups answer; the results carry no answers of their own."""
    return Answers(_OF_GROUPS[which], _OTHERS_OF_GROUP, _SAME_THRESHOLD, PEOPLE_SHARED)


def _about(found: Sequence[Differential]) -> list[Note]:
    """What is compared, and the ratios; the lines of the groups are in the table."""
    told = (said for one in found for said in one.sentences() if said.code not in BY_GROUP)
    return list(dict.fromkeys(told))
