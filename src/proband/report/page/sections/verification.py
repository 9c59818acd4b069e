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
from proband.report.page.charts.distributions import scores_chart
from proband.report.page.charts.errors import det_chart
from proband.report.page.charts.points import groups_chart
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.identification import drawn, left_out
from proband.report.page.sections.verdict import leading
from proband.report.table import Cell, Column, Table
from proband.results.base import Answers
from proband.results.targets import derived
from proband.words import Note, Target, digits

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
_OTHERS_OF_GROUP = Target("people-of-group", "other people of the group, with as many images each")
_HISTOGRAMS = 2  # algorithms whose scores are drawn
_FEW = "* rests on fewer than 30 errors (the rule of 30)."


@section("verification", 30)
def verification_section(found: Findings) -> Section | None:
    """Error rates at every threshold, and at chosen ones with intervals."""
    results = found.verification
    if not results:
        return None
    names = [one.algorithm for one in results]
    shown = drawn(names, leading(found))
    charted = [one for one in results if one.algorithm in shown]
    first = drawn(names, leading(found), _HISTOGRAMS)
    histograms = [one for one in results if one.algorithm in first]
    blocks: list[Block] = [
        det_chart(charted),
        *said(left_out(names, shown)),
        points_table(results),
        _summary(results),
        Folded(
            "Scores of genuine and impostor comparisons"
            + ("" if len(first) == len(names) else f", the leading {len(first)} algorithms"),
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
        Column("asked FMR", "number"),
        Column("threshold", "number"),
        Column("FMR", "number"),
        Column(f"{level} interval", "interval"),
        Column("false matches", "number"),
        Column("FNMR", "number"),
        Column(f"{level} interval", "interval", "At the threshold, held fixed."),
        Column("at that FMR", "number", "The threshold is found anew in every replicate of people."),
        Column("false non-matches", "number"),
    )
    rows = [_point_row(one, point) for one in results for point in one.points]
    few = any(not (p.point.fmr_supported and p.point.fnmr_supported) for one in results for p in one.points)
    return cells.table("operating-points", "Operating points", heads, rows, [_FEW] if few else [])


def _point_row(result: Verification, point: VerificationPoint) -> list[Cell]:
    p, answers = point.point, result.answers
    fixed = replace(answers, of=_FNMR_THERE, fixed=_THRESHOLD)
    matched = replace(answers, of=_FMR_THERE, fixed=_THRESHOLD)
    varying = derived("threshold", "{}, and the threshold set on them", answers.varying)
    anew = Answers(_FNMR_AT_FMR, varying, _ALGORITHM, answers.assuming)
    return [
        cells.text_cell(result.algorithm),
        cells.empty_cell() if p.asked is None else Cell(digits(p.asked, 6), p.asked),
        cells.threshold_cell(p.threshold),
        cells.small_cell(p.fmr, p.fmr_supported),
        cells.small_interval_cell(point.fmr.low, point.fmr.high, matched),
        cells.share_cell(p.false_matches, p.n_impostor),
        cells.rate_cell(p.fnmr, cells.unsupported(p.fnmr_supported)),
        cells.interval_cell((point.fnmr.low, point.fnmr.high), fixed),
        cells.interval_cell(point.fnmr_at_fmr, anew),
        cells.share_cell(p.false_non_matches, p.n_genuine),
    ]


def _summary_interval(
    result: Verification, found: EqualErrorInterval | AucInterval | None, of: Target
) -> Cell:
    answers = replace(result.answers, of=of, fixed=_ALGORITHM)
    return cells.interval_cell(None if found is None else (found.low, found.high), answers)


def _summary(results: Sequence[Verification]) -> Table:
    rows = []
    for one in results:
        counts = one.rates.counts
        numbers = (one.n_subjects, counts.n_genuine, counts.n_impostor, counts.n_failed_genuine, counts.n_failed_impostor)  # fmt: skip
        rows.append(
            [
                cells.text_cell(one.algorithm),
                cells.rate_cell(one.rates.eer().value),
                _summary_interval(one, one.eer_interval, _EER),
                cells.rate_cell(one.rates.auc()),
                _summary_interval(one, one.auc_interval, _AREA),
                *map(cells.count_cell, numbers),
            ]
        )
    level = cells.percent(results[0].confidence_level)
    heads = (
        Column("algorithm", "name"),
        Column("EER", "number"),
        Column(f"{level} interval", "interval", "The threshold of the crossing varies with people."),
        Column("AUC", "number"),
        Column(f"{level} interval", "interval"),
        *cells.columns("people", "genuine", "impostor", "failed genuine", "failed impostor", text=0),
    )
    notes = ["EER: the midpoint of FMR and FNMR where they are closest."]
    return cells.table(
        "verification-summary", "Comparisons and summaries of whole curves", heads, rows, notes
    )


@section("groups", 65)
def groups_section(found: Findings) -> Section | None:
    """Error rates by group at one threshold for all: charts and a table for each column that makes groups."""
    blocks: list[Block] = []
    order = leading(found)
    for place, column in enumerate(dict.fromkeys(one.column for one in found.groups), 1):
        own = [one for one in found.groups if one.column == column]
        names = [one.algorithm for one in own]
        shown = drawn(names, order)
        charted = [one for one in own if one.algorithm in shown]
        kinds: tuple[Literal["fnmr", "fmr"], ...] = ("fnmr", "fmr")
        blocks += [
            groups_chart(charted, which, _answers(which), f"groups-{place}-{which}")
            for which in kinds
            if any(getattr(group, which) is not None for one in charted for group in one.groups)
        ]
        blocks += [
            *said(left_out(names, shown)),
            _groups_table(own, f"groups-{place}", found.confidence_level),
        ]
        blocks.append(Folded(f"What the groups by {column} mean", tuple(said(_about(own)))))
    return Section("groups", "Groups", tuple(blocks)) if blocks else None


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
