"""Tables of error rates: operating points, groups of people, concentration of errors, and folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace

import polars as pl

from proband.analyses.verification.words import few_errors_marks, group_marks
from proband.engine.frames import frame_of_rows
from proband.inference.verification.groups import Differential, GroupRates
from proband.inference.verification.intervals.answers import PEOPLE_SHARED
from proband.inference.verification.people.hard_subjects import HardSubjects
from proband.inference.verification.results import Verification, VerificationPoint
from proband.measures.folds import FoldAccuracy
from proband.report import columns as col
from proband.report.tables.cells import blank_cell, interval_cell, over, rate_cell, unsupported
from proband.report.tables.table import Cell, Table
from proband.results.base import Answers
from proband.results.compared import metric_label
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence, Target, as_sentence, digits, level, threshold

_SAME_THRESHOLD = Target(
    "same-threshold", "the algorithm and the threshold, which is the same for all groups"
)
_OF_GROUPS = {
    "fnmr": Target("fnmr-within-group", "false non-match rate within the group"),
    "fmr": Target("fmr-within-group", "false match rate within the group"),
}
_OTHERS_OF_GROUP = Target(
    "people-of-group", "new people of the group, with the same number of images per person"
)
_RE_ESTIMATED = "Intervals at the target FMR re-estimate the threshold in every resample of people; where there is none, the threshold is fixed."
_MIDPOINT = "Rate at which FMR equals FNMR, or their mean where they are closest; its interval re-estimates the threshold over people."
_INTERVALS = Sentence("diagnostics.intervals", "note", "{rate}: {method}")

Row = tuple[Verification, VerificationPoint]
"""An operating point of an algorithm."""


def _of_points(results: Sequence[Verification]) -> list[Row]:
    return [(result, point) for result in results for point in result.points]


def _point(row: Row) -> VerificationPoint:
    return row[1]


def verification_tables(results: Sequence[Verification]) -> list[Table]:
    """EER, AUC and FNMR at each target FMR; fixed thresholds get a separate table if both were requested."""
    at_targets = [row for row in _of_points(results) if row[1].target_fmr is not None]
    at_thresholds = [row for row in _of_points(results) if row[1].target_fmr is None]
    if not at_targets:
        return [_summary_table("", at_thresholds, whole_curve=True)]
    tables = [_summary_table("", at_targets, whole_curve=True)]
    return [*tables, _summary_table("At the thresholds given", at_thresholds)] if at_thresholds else tables


def _summary_table(caption: str, rows: Sequence[Row], *, whole_curve: bool = False) -> Table:
    """A row for each algorithm and operating point, with one interval of FNMR: re-estimated at the target FMR, or at the threshold."""
    part = col.at_level(rows[0][0].confidence_level)
    firsts = [
        next(row for row in rows if row[0] is result) for result in dict.fromkeys(row[0] for row in rows)
    ]
    at_thresholds = all(point.target_fmr is None for _, point in rows)

    def of_curve(value: Callable[[Verification], float]) -> Callable[[Row], Cell]:
        return lambda row: rate_cell(value(row[0])) if row in firsts else blank_cell()

    return col.table_of(
        caption,
        rows,
        col.name("algorithm", lambda row: row[0].algorithm),
        col.cell("EER", of_curve(lambda result: result.eer.value), _MIDPOINT, when=whole_curve),
        col.cell(
            "AUC", of_curve(lambda result: result.auc.value), "Area under the ROC curve.", when=whole_curve
        ),
        *col.inside(
            _point,
            col.given("target FMR", lambda at: at.target_fmr, leads=True, when=not at_thresholds),
            col.threshold("threshold", lambda at: at.threshold, leads=True, when=at_thresholds),
            col.small(
                "FMR",
                lambda at: at.fmr.value,
                supported=lambda at: at.fmr.supported,
                when=at_thresholds,
            ),
            col.rate("FNMR", lambda at: at.fnmr.value, supported=lambda at: at.fnmr.supported),
            col.interval(
                part,
                lambda at: at.re_estimated,
                "FNMR at the target FMR, with the threshold re-estimated in every resample of people.",
                answers=lambda at: at.fnmr.answers,
                when=any(point.re_estimated is not None for _, point in rows),
            ),
            col.interval(
                f"{part},\nfixed threshold",
                lambda at: col.ends(at.fnmr_at_threshold) if at.re_estimated is None else None,
                "FNMR at the fixed threshold.",
                answers=lambda at: at.fnmr_at_threshold.answers,
                when=any(point.re_estimated is None for _, point in rows),
            ),
            _by_person(map(_point, rows)),
        ),
    )


def _by_person(points: Iterable[VerificationPoint]) -> col.ColumnOf[VerificationPoint]:
    """FNMR with every person weighted equally, if people have different numbers of genuine comparisons."""
    return col.rate(
        "FNMR\nby person",
        lambda at: None if at.by_person is None else at.by_person.value,
        "With every person weighted equally.",
        supported=lambda at: at.fnmr.supported,
        when=any(point.by_person is not None for point in points),
    )


def operating_points_table(results: Sequence[Verification]) -> Table:
    """Every operating point: its threshold, both error rates with intervals, and numbers of errors."""
    part = col.at_level(results[0].confidence_level)
    points = [point for _, point in _of_points(results)]
    return col.table_of(
        "Operating points",
        _of_points(results),
        col.name("algorithm", lambda row: row[0].algorithm),
        *col.inside(
            _point,
            col.given("target FMR", lambda at: at.target_fmr, leads=True),
            col.threshold("threshold", lambda at: at.threshold, leads=True),
            col.small("FMR", lambda at: at.fmr.value, supported=lambda at: at.fmr.supported),
            col.small_interval(
                part,
                lambda at: (at.fmr.low, at.fmr.high),
                answers=lambda at: at.fmr.answers,
            ),
            col.share("false matches", lambda at: (at.counts.false_matches, at.counts.n_impostor)),
            col.rate("FNMR", lambda at: at.fnmr.value, supported=lambda at: at.fnmr.supported),
            col.interval(
                part,
                lambda at: col.ends(at.fnmr_at_threshold),
                "At the fixed threshold.",
                answers=lambda at: at.fnmr_at_threshold.answers,
            ),
            col.interval(
                "at target FMR",
                lambda at: at.re_estimated,
                "The threshold is re-estimated in every resample of people.",
                answers=lambda at: at.fnmr.answers,
            ),
            col.share("false non-matches", lambda at: (at.counts.false_non_matches, at.counts.n_genuine)),
            _by_person(points),
            col.interval(
                part,
                lambda at: None if at.by_person is None else col.ends(at.by_person),
                "With every person weighted equally, at the fixed threshold.",
                answers=lambda at: None if at.by_person is None else at.by_person.answers,
                when=any(at.by_person is not None for at in points),
            ),
        ),
        id="operating-points",
        notes=few_errors_marks(points),
    )


def _naive_answers(rate: Estimate) -> Answers | None:
    return None if rate.naive is None else rate.naive.answers


def naive_table(results: Sequence[Verification]) -> Table:
    """Intervals that assume independent comparisons, next to intervals that account for shared people."""
    part = col.at_level(results[0].confidence_level)
    rows = [(result, point) for result, point in _of_points(results) if point.fmr.naive is not None]
    return col.table_of(
        "Naive intervals, assuming independent comparisons",
        rows,
        col.name("algorithm", lambda row: row[0].algorithm),
        *col.inside(
            lambda row: row[1],
            col.given("target FMR", lambda at: at.target_fmr, leads=True),
            col.threshold("threshold", lambda at: at.threshold, leads=True),
        ),
        *col.inside(
            lambda row: row[1].fmr,
            col.small_interval(f"FMR, {part}", col.ends, answers=lambda rate: rate.answers),
            col.small_interval("naive", lambda rate: col.ends(rate.naive), answers=_naive_answers),
        ),
        *col.inside(
            lambda row: row[1].fnmr_at_threshold,
            col.interval(f"FNMR, {part}", col.ends, answers=lambda rate: rate.answers),
            col.interval("naive", lambda rate: col.ends(rate.naive), answers=_naive_answers),
        ),
        id="naive",
    )


def hard_subjects_table(found: Mapping[str, HardSubjects]) -> Table:
    """Tests of whether errors are concentrated on a few people, one row per algorithm."""
    return col.table_of(
        "Concentration of errors on people",
        list(found.items()),
        col.name("algorithm", lambda row: row[0]),
        col.p("false non-matches, p", lambda row: _tested_for(row[1].goats_p, row[1].goats_test)),
        col.p("false matches, p", lambda row: _tested_for(row[1].lambs_p, row[1].lambs_test)),
        id="hard-subjects",
    )


def _tested_for(p: float | None, test: Method) -> tuple[float | None, float | None] | None:
    return None if p is None else (p, test.floor)


def folds_table(found: Sequence[FoldAccuracy], notes: Sequence[Note] = ()) -> Table:
    """Accuracy over the folds of listed pairs, one row for each algorithm."""
    return col.table_of(
        "Accuracy over folds",
        found,
        col.name("algorithm", lambda one: one.name),
        col.rate("accuracy", lambda one: one.mean),
        col.rate("standard error", lambda one: one.standard_error),
        col.count("folds", lambda one: len(one.accuracies)),
        col.count("pairs", lambda one: one.n_pairs),
        id="folds",
        notes=notes,
    )


def folds_frame(found: FoldAccuracy) -> pl.DataFrame:
    """A row for each fold."""
    return pl.DataFrame(
        {
            "algorithm": found.name,
            "fold": range(1, len(found.accuracies) + 1),
            "accuracy": found.accuracies,
            "threshold": found.thresholds,
        }
    )


def rates_table(results: Sequence[Verification]) -> Table:
    """Algorithms with FNMR at each target FMR, and summaries of whole curves."""
    points = [point for _, point in _of_points(results) if point.target_fmr is not None]

    def at_target(fmr: float | None) -> col.ColumnOf[Verification]:
        return col.cell(
            f"FNMR at\nFMR {digits(fmr or 0, 6)}", lambda one: _at_target(one, fmr), _RE_ESTIMATED
        )

    return col.table_of(
        f"Error rates, with {level(results[0].confidence_level)} intervals",
        results,
        col.name("algorithm", lambda one: one.algorithm),
        *map(at_target, dict.fromkeys(point.target_fmr for point in points)),
        col.estimate(
            "EER",
            lambda one: (one.eer.value, col.ends(one.eer)),
            _MIDPOINT,
            answers=lambda one: one.eer.answers,
        ),
        col.estimate(
            "AUC",
            lambda one: (one.auc.value, col.ends(one.auc)),
            "Area under the ROC curve.",
            answers=lambda one: one.auc.answers,
        ),
        id="verification-summary",
        notes=few_errors_marks(points),
    )


def _at_target(result: Verification, fmr: float | None) -> Cell | None:
    """FNMR at a false match rate, with its interval there, or at the threshold."""
    at = next((point for point in result.points if point.target_fmr == fmr), None)
    if at is None:
        return None
    rate = rate_cell(at.fnmr.value, unsupported(at.fnmr.supported))
    return over(rate, interval_cell((at.fnmr.low, at.fnmr.high), at.fnmr.answers))


def sizes_table(results: Sequence[Verification]) -> Table:
    """Number of comparisons behind the error rates."""
    return col.table_of(
        "Numbers of comparisons",
        results,
        col.name("algorithm", lambda one: one.algorithm),
        col.count("people", lambda one: one.n_subjects),
        col.count("genuine", lambda one: one.rates.counts.n_genuine),
        col.count("impostor", lambda one: one.rates.counts.n_impostor),
        col.count("failed genuine", lambda one: one.rates.counts.n_failed_genuine),
        col.count("failed impostor", lambda one: one.rates.counts.n_failed_impostor),
        id="verification-sizes",
    )


def shared_people(results: Sequence[Verification]) -> Table:
    """Effective number of independent comparisons."""

    def worth(rate: Estimate) -> float | None:
        effective = rate.rests_on.n_effective
        return rate.rests_on.n / effective if effective else None

    rates = [
        (name, one)
        for _, point in _of_points(results)
        for name, one in (("FMR", point.fmr), ("FNMR", point.fnmr_at_threshold))
    ]
    return col.table_of(
        "Comparisons that share a person are not independent",
        _of_points(results),
        col.name("algorithm", lambda row: row[0].algorithm),
        col.threshold("threshold", lambda row: row[1].threshold),
        col.count("impostor comparisons", lambda row: row[1].fmr.rests_on.n),
        col.fixed("effective", lambda row: row[1].fmr.rests_on.n_effective, places=0),
        col.fixed("design effect", lambda row: worth(row[1].fmr), places=1),
        col.count("genuine comparisons", lambda row: row[1].fnmr.rests_on.n),
        col.fixed("effective", lambda row: row[1].fnmr_at_threshold.rests_on.n_effective, places=0),
        col.fixed("design effect", lambda row: worth(row[1].fnmr_at_threshold), places=1),
        id="shared-people",
        notes=dict.fromkeys(_INTERVALS(rate=name, method=one.method) for name, one in rates),
    )


def points_frame(results: Sequence[Verification]) -> pl.DataFrame:
    """Every operating point of every algorithm."""
    rows = []
    for one in results:
        for point in one.points:
            at, held, anew = point.counts, point.fnmr_at_threshold, point.re_estimated or (None, None)
            rows.append(
                {
                    "algorithm": one.algorithm,
                    **asdict(at),
                    "fmr": at.fmr,
                    "fnmr": at.fnmr,
                    "far": at.far,
                    "frr": at.frr,
                    "fmr_supported": at.fmr_supported,
                    "fnmr_supported": at.fnmr_supported,
                    "fmr_low": point.fmr.low,
                    "fmr_high": point.fmr.high,
                    "fnmr_low": held.low,
                    "fnmr_high": held.high,
                    "fnmr_at_fmr_low": anew[0],
                    "fnmr_at_fmr_high": anew[1],
                    "metric": metric_label(one.compared.metric),
                    "comparisons": one.compared.pairs,
                    "gallery": one.compared.gallery,
                    "probes": one.compared.probes,
                    "not_compared": one.compared.n_not_compared,
                }
            )
    return frame_of_rows(rows)


def groups_frame(one: Differential) -> pl.DataFrame:
    """One row for each group and error rate; a rate without comparisons is empty."""
    return frame_of_rows(
        [
            {
                "algorithm": one.algorithm,
                "column": one.column,
                "threshold": one.threshold,
                "group": group.group,
                "subjects": group.n_subjects,
                "measure": name,
                "rate": None if rate is None else rate.value,
                "low": None if rate is None else rate.low,
                "high": None if rate is None else rate.high,
                "errors": None if rate is None else rate.rests_on.n_events,
                "comparisons": None if rate is None else rate.rests_on.n,
                "supported": None if rate is None else rate.supported,
            }
            for group in one.groups
            for name, rate in (("fnmr", group.fnmr), ("fmr", group.fmr))
        ]
    )


def groups_table(found: Differential) -> Table:
    """Error rates of one algorithm by group."""
    at = "" if found.threshold is None else f", at the threshold {threshold(found.threshold)}"
    return _by_group([found], f"{found.algorithm} by {found.column}{at}")


def every_groups_table(found: Sequence[Differential], id: str) -> Table:
    """Error rates of every algorithm by group."""
    table = _by_group(found, f"Error rates by {found[0].column}", with_algorithm=True)
    return replace(table, id=id, notes=tuple(map(as_sentence, group_marks(found))))


def _by_group(found: Sequence[Differential], title: str, *, with_algorithm: bool = False) -> Table:
    def fnmr(row: tuple[str, GroupRates]) -> Estimate | None:
        return row[1].fnmr

    def fmr(row: tuple[str, GroupRates]) -> Estimate | None:
        return row[1].fmr

    def rate(which: str) -> col.ColumnOf[Estimate]:
        return col.small_estimate(
            which.upper(),
            lambda rate: (rate.value, (rate.low, rate.high)),
            supported=lambda one: one.supported,
            answers=group_answers(which),
        )

    return col.table_of(
        title,
        [(each.algorithm, one) for each in found for one in each.groups],
        col.name(found[0].column, lambda row: row[1].group),
        col.name("algorithm", lambda row: row[0], when=with_algorithm),
        col.count("people", lambda row: row[1].n_subjects),
        *col.inside(
            fnmr,
            rate("fnmr"),
            col.share("false non-matches", lambda rate: (rate.rests_on.n_events, rate.rests_on.n)),
        ),
        *col.inside(
            fmr,
            rate("fmr"),
            col.share("false matches", lambda rate: (rate.rests_on.n_events, rate.rests_on.n)),
        ),
    )


def group_answers(which: str) -> Answers:
    """What the intervals of groups answer."""
    return Answers(_OF_GROUPS[which], _OTHERS_OF_GROUP, _SAME_THRESHOLD, PEOPLE_SHARED)
