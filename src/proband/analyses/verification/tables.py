"""Verification and open-set searches as people read them: tables, sentences, figures, a directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.inference.verification.groups import Differential
from proband.inference.verification.intervals.rate_interval import RateInterval
from proband.inference.verification.results import Verification, VerificationPoint
from proband.measures.verification import SUPPORTED
from proband.report.cells import (
    columns,
    count_cell,
    empty_cell,
    given_cell,
    interval_cell,
    over,
    rate_cell,
    share_cell,
    small_cell,
    small_interval_cell,
    text_cell,
    threshold_cell,
    unsupported,
)
from proband.report.charts.makers.errors import error_curve
from proband.report.charts.makers.histograms import score_counts
from proband.report.figures.verification import (
    det_figure,
    differential_figure,
    roc_figure,
    score_histograms_figure,
)
from proband.report.notes_of_rates import UNSUPPORTED
from proband.report.table import Cell, Column, Table
from proband.results.compared import metric_label, metrics_statement
from proband.words import Note, Sentence, threshold

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEADS = (
    Column("algorithm", "name"),
    Column("target FMR", "number", leads=True),
    Column("threshold", "number", leads=True),
    *columns("FMR", "false matches", "FNMR", text=0),
    Column("interval", "interval"),
    Column("at target FMR", "interval"),
)
_COMPARISONS = Sentence(
    "verification.comparisons",
    "note",
    "{genuine:count} genuine and {impostor:count impostor comparison} of {people:count person/people}; accepted when the score "
    "reaches the threshold",
)
_PAIRS = Sentence(
    "verification.pairs-of-nobody",
    "note",
    "{genuine:count} genuine and {impostor:count impostor comparison}, nobody says of whom; accepted when the score reaches the threshold",
)
_EER = Sentence(
    "verification.eer",
    "note",
    "{algorithm}: EER {eer:rate} (where FMR and FNMR meet, or midway between them where they are closest), AUC {auc:rate}",
)
_EER_AND_AREA = Sentence(
    "verification.eer-and-area",
    "note",
    "{algorithm}: EER {eer:rate} (where FMR and FNMR meet, or midway between them where they are closest), AUC {auc:rate} [{auc_low:rate}, {auc_high:rate}], "
    "pairs being assumed independent",
)
_EER_INTERVAL = Sentence(
    "verification.eer-interval",
    "note",
    "{algorithm}: EER {eer:rate} [{eer_low:rate}, {eer_high:rate}] (where FMR and FNMR meet, or midway between them where they are closest), AUC {auc:rate} "
    "[{auc_low:rate}, {auc_high:rate}], over people",
)
_OF_SUMMARY = Sentence("verification.of-summary", "caution", "{algorithm}, {which}: {note}")
_BY_PERSON = Sentence(
    "verification.by-person",
    "note",
    "{algorithm}, at the threshold {threshold:threshold}: people have different numbers of genuine comparisons. With "
    "equal weights for people, FNMR is {rate:rate} [{low:rate}, {high:rate}]",
)
_FAILED = Sentence(
    "verification.failures-to-acquire",
    "caution",
    "Failures to acquire: {genuine:count} genuine and {impostor:count impostor comparison} were not made. FMR and FNMR leave "
    "them out; with them the false reject rate at the first point is {frr:rates}",
)
_NO_FALSE_MATCH = Sentence(
    "verification.no-false-match", "note", "{algorithm}: no false match was observed; {notes:parts}"
)
_NO_FALSE_MATCH_BELOW = Sentence(
    "verification.no-false-match-below",
    "note",
    "{algorithm}: no false match was observed; the rate is below {high:small}",
)
_INTERVALS = Sentence(
    "verification.intervals",
    "note",
    "Intervals: {level:level}; the first at a fixed threshold, the last with the threshold re-estimated in resamples of "
    "people. Varying: {varying}. Fixed: {fixed}. Assuming: {assuming}",
)
_INTERVALS_OF_PAIRS = Sentence(
    "verification.intervals-of-pairs",
    "note",
    "Intervals: {level:level}, at the threshold held fixed. Varying: {varying}. Fixed: {fixed}. Assuming: {assuming}",
)


_FOLDS = Sentence("verification.folds", "note", "Each fold's threshold is chosen on the other folds")
_FOLDS_ERROR = Sentence(
    "verification.folds-error",
    "note",
    "The standard error is the protocol's own, over folds; it does not account for people who are in several pairs",
)


def folds_statements() -> list[Note]:
    """What accuracies over folds of pairs are, a note each."""
    return [_FOLDS(), _FOLDS_ERROR()]


def verification_table(results: Sequence[Verification]) -> Table:
    """Make a table: a row for each algorithm and operating point."""
    rows = (_row(result.algorithm, point) for result in results for point in result.points)
    return Table("", _HEADS, tuple(rows))


def _row(algorithm: str, point: VerificationPoint) -> tuple[Cell, ...]:
    p = point.point
    return (
        text_cell(algorithm),
        given_cell(p.asked),
        threshold_cell(p.threshold),
        small_cell(p.fmr, p.fmr_supported),
        share_cell(p.false_matches, p.n_impostor),
        rate_cell(p.fnmr, unsupported(p.fnmr_supported)),
        interval_cell((point.fnmr.low, point.fnmr.high)),
        interval_cell(point.fnmr_at_fmr),
    )


def verification_statements(results: Sequence[Verification]) -> list[Note]:
    """Say what the numbers mean, a note each."""
    first = results[0]
    counts, answers = first.rates.counts, first.answers
    sizes = {"genuine": counts.n_genuine, "impostor": counts.n_impostor}
    said: list[Note] = [
        _COMPARISONS(**sizes, people=first.n_subjects) if first.n_subjects else _PAIRS(**sizes),
        *dict.fromkeys(one.compared.statement() for one in results),
        metrics_statement((one.algorithm, one.compared.metric) for one in results),
        *map(_summary, results),
        *(said for one in results for said in _by_person(one)),
        *(note for one in results for note in _of_summaries(one)),
    ]
    if counts.n_failed_genuine or counts.n_failed_impostor:
        frr = tuple((one.algorithm, one.points[0].point.frr) for one in results)
        said.append(_FAILED(genuine=counts.n_failed_genuine, impostor=counts.n_failed_impostor, frr=frr))
    if any(not (p.point.fmr_supported and p.point.fnmr_supported) for one in results for p in one.points):
        said.append(UNSUPPORTED(least=SUPPORTED))
    for one in results:
        unmatched = next((point.fmr for point in one.points if point.point.false_matches == 0), None)
        if unmatched is not None:
            said.append(_nothing(one.algorithm, unmatched))
    intervals = _INTERVALS if first.n_subjects else _INTERVALS_OF_PAIRS
    said.append(
        intervals(
            level=first.confidence_level,
            varying=answers.varying,
            fixed=answers.fixed,
            assuming=answers.assuming,
        )
    )
    return said + list(dict.fromkeys(note for one in results for note in one.notes))


def _summary(one: Verification) -> Note:
    eer, auc = one.eer_interval, one.auc_interval
    values = {"algorithm": one.algorithm, "eer": one.rates.eer().value, "auc": one.rates.auc()}
    if eer is None and auc is not None and auc.n_subjects is None:
        return _EER_AND_AREA(**values, auc_low=auc.low, auc_high=auc.high)
    if eer is None or auc is None:
        return _EER(**values)
    return _EER_INTERVAL(**values, eer_low=eer.low, eer_high=eer.high, auc_low=auc.low, auc_high=auc.high)


def _by_person(one: Verification) -> list[Note]:
    """What the false non-match rates are where every person weighs the same."""
    return [
        _BY_PERSON(
            algorithm=one.algorithm, threshold=at.point.threshold, rate=own.rate, low=own.low, high=own.high
        )
        for at in one.points
        if (own := at.fnmr.by_person) is not None and at.point.threshold is not None
    ]


def _of_summaries(one: Verification) -> list[Note]:
    """Cautions beside the intervals of whole curves."""
    return [
        _OF_SUMMARY(algorithm=one.algorithm, which=which, note=note)
        for which, made in (("EER", one.eer_interval), ("AUC", one.auc_interval))
        if made is not None
        for note in made.notes
    ]


def _nothing(algorithm: str, rate: RateInterval) -> Note:
    if rate.notes:
        return _NO_FALSE_MATCH(algorithm=algorithm, notes=tuple(rate.notes))
    return _NO_FALSE_MATCH_BELOW(algorithm=algorithm, high=rate.high)


def verification_figures(
    results: Sequence[Verification],
    groups: Sequence[Differential] = (),
    places: Mapping[str, int] | None = None,
) -> dict[str, Callable[[], Figure]]:
    """What draws DET, ROC and score histograms, and for each column of groups the first algorithm's error rates."""
    curves = [error_curve(one) for one in results]
    made: dict[str, Callable[[], Figure]] = {
        "det": lambda: det_figure(curves, places=places),
        "roc": lambda: roc_figure(curves, places=places),
        "scores": lambda: score_histograms_figure([score_counts(one) for one in results]),
    }
    columns = {
        one.column: one
        for one in reversed(groups)
        if any(group.fmr is not None and group.fnmr is not None for group in one.groups)
    }
    for place, one in enumerate(reversed(columns.values()), 1):
        name = "groups" if place == 1 else f"groups_{place}"
        made[name] = lambda one=one: differential_figure(one, len(results))  # type: ignore[misc]
    return made


def points_frame(results: Sequence[Verification]) -> pl.DataFrame:
    """Every operating point of every algorithm."""
    rows = []
    for one in results:
        for point in one.points:
            anew = point.fnmr_at_fmr or (None, None)
            rows.append(
                {
                    "algorithm": one.algorithm,
                    **point.point.to_dict(),
                    "fmr_low": point.fmr.low,
                    "fmr_high": point.fmr.high,
                    "fnmr_low": point.fnmr.low,
                    "fnmr_high": point.fnmr.high,
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


def groups_table(found: Differential) -> Table:
    """Make a table of error rates by group."""
    heads = columns(found.column, "people", "FNMR", "false non-matches", "FMR", "false matches")
    rows = (
        (text_cell(one.group), count_cell(one.n_subjects), *_group_rate(one.fnmr), *_group_rate(one.fmr))
        for one in found.groups
    )
    at = "" if found.threshold is None else f", at the threshold {threshold(found.threshold)}"
    return Table(f"{found.algorithm} by {found.column}{at}", heads, tuple(rows))


def group_marks(found: Sequence[Differential]) -> list[Note]:
    """What the asterisk of a table of groups means, where it has one."""
    rates = [rate for one in found for group in one.groups for rate in (group.fnmr, group.fmr)]
    few = any(rate is not None and not rate.supported for rate in rates)
    return [UNSUPPORTED(least=SUPPORTED)] if few else []


def _group_rate(rate: RateInterval | None) -> tuple[Cell, Cell]:
    if rate is None:
        return empty_cell(), empty_cell()
    value = over(small_cell(rate.rate, rate.supported), small_interval_cell(rate.low, rate.high))
    return value, share_cell(rate.errors, rate.n)
