"""Verification on the page: curves, operating points, scores, error rates by group, and the people whom errors fall on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from proband.analyses.verification.run import Verified
from proband.analyses.verification.tables import verification_statements
from proband.inference.verification.groups import BY_GROUP, Differential, GroupRates
from proband.inference.verification.intervals.dyadic_auc import AucInterval
from proband.inference.verification.intervals.equal_error import EqualErrorInterval
from proband.inference.verification.people.hard_subjects import SIGNIFICANCE, HardSubjects
from proband.inference.verification.results import PEOPLE_SHARED, Verification, VerificationPoint
from proband.report import cells
from proband.report.charts.makers.concentration import concentration, shared_errors
from proband.report.charts.makers.errors import det, error_curve
from proband.report.charts.makers.histograms import score_counts, scores
from proband.report.charts.makers.rows import groups
from proband.report.charts.spec import Chart, Concentration
from proband.report.page.charts import shown
from proband.report.page.lengths import drawn, left_out, of_length
from proband.report.page.model import Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.table import Cell, Column, Table
from proband.results.base import Answers
from proband.results.targets import derived
from proband.words import Note, Target, as_sentence, count, counted, digits

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


def _of_column(found: Verified, column: str, place: int, scene: Scene) -> tuple[list[Block], list[Block]]:
    """The charts of one column, and its table and what belongs to it."""
    own = [one for one in found.groups if one.column == column]
    names = [one.algorithm for one in own]
    leading = drawn(names, scene.order)
    charted = [one for one in own if one.algorithm in leading]
    kinds: tuple[Literal["fnmr", "fmr"], ...] = ("fnmr", "fmr")
    charts: list[Block] = [
        shown(groups(charted, which, _answers(which), f"groups-{place}-{which}"), places=scene.looks)
        for which in kinds
        if any(getattr(group, which) is not None for one in charted for group in one.groups)
    ]
    table = _groups_table(own, f"groups-{place}", scene.confidence_level)
    return charts, [
        *said([*_at(found), *left_out(names, leading)]),
        Folded(table.caption, (table,)),
        Folded(f"What the groups by {column} mean", tuple(said(_about(own)))),
    ]


def _at(found: Verified) -> list[str]:
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


_MOST_PEOPLE = 10


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


def _det(results: Sequence[Verification]) -> Chart:
    first = results[0]
    chart = det(list(map(error_curve, results)), confidence_level=first.confidence_level)
    return replace(chart, answers=first.answers)


def verification_section(results: Sequence[Verification], scene: Scene) -> Section:
    """Error rates at every threshold, and at chosen ones with intervals."""
    names = [one.algorithm for one in results]
    first = drawn(names, scene.order, _HISTOGRAMS)
    histograms = [one for one in results if one.algorithm in first]
    blocks: list[Block] = [
        shown(_det(results), places=scene.looks),
        of_length(_summary(results)),
        Folded("Operating points: thresholds, rates and errors", (points_table(results), _sizes(results))),
        Folded(
            "Scores of genuine and impostor comparisons"
            + ("" if len(first) == len(names) else f", the leading {counted(len(first), 'algorithm')}"),
            tuple(
                shown(scores(score_counts(one), f"scores-{place}")) for place, one in enumerate(histograms, 1)
            ),
        ),
        Folded("What the error rates mean", tuple(said(verification_statements(results)))),
    ]
    return Section("verification", "Verification", tuple(blocks))


def groups_section(found: Verified, scene: Scene) -> Section:
    """Error rates by group at one threshold for all: charts of the first column that makes groups, and all else folded."""
    blocks: list[Block] = []
    for place, column in enumerate(dict.fromkeys(one.column for one in found.groups), 1):
        charts, rest = _of_column(found, column, place, scene)
        blocks += [*charts, *rest] if place == 1 else [Folded(f"Groups by {column}", (*charts, *rest))]
    return Section("groups", "Groups", tuple(blocks))


def hard_subjects_section(found: Verified, scene: Scene) -> Section:
    """Whether errors are those of a few people, and of whom, under the names the study chose to show."""
    names = list(found.hard_subjects)
    leading = drawn(names, scene.order)
    blocks: list[Block] = []
    for place, name in enumerate(leading, 1):
        one = found.hard_subjects[name]
        own: list[Block] = [
            *said(_concentration(name, one)),
            shown(concentration(one, f"hard-{place}", name)),
            _people_table(one, f"hard-{place}-people", name),
        ]
        blocks += own if place == 1 else [Folded(name, tuple(own))]
    if len(leading) < len(names):
        blocks += said(
            [f"The leading {len(leading)} of {count(len(names))} algorithms are shown; the results have all."]
        )
    return Section("hard-subjects", "Hard subjects", tuple(blocks))


def folds_section(found: Verified) -> Section:
    """Accuracy over the folds of listed pairs, one row for each algorithm."""
    rows = [
        [
            cells.text_cell(one.name),
            cells.rate_cell(one.mean),
            cells.rate_cell(one.standard_error),
            cells.count_cell(len(one.accuracies)),
            cells.count_cell(one.n_pairs),
        ]
        for one in found.folds
    ]
    heads = cells.columns("algorithm", "accuracy", "standard error", "folds", "pairs")
    notes = [
        "Each fold's threshold is chosen on the other folds. The standard error is the protocol's own, over folds; it says nothing of "
        "people who are in several pairs.",
        *(as_sentence(note) for one in found.folds for note in one.notes),
    ]
    return Section(
        "folds", "Accuracy over folds", (cells.table("folds", "Accuracy over folds", heads, rows, notes),)
    )
