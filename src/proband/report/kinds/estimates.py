"""Single estimates and curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proband.inference import Band, Estimate
from proband.measures import Curve
from proband.report import columns as col
from proband.report.figures.identification import cmc_figure, estimate_figure
from proband.report.model_card import CardMetric
from proband.report.notes import answered
from proband.report.plotting import drawn_by
from proband.report.tables.cells import count_cell, share_cell
from proband.report.tables.table import Cell, Table
from proband.report.view import View, shows
from proband.words import Note

_RANKS = (1, 5, 10, 20, 50, 100)


@shows(Estimate)
class EstimateView(View[Estimate]):
    """An estimate with its interval, as one row."""

    plot = staticmethod(estimate_figure)

    def tables(self, found: Estimate) -> Sequence[Table]:
        return [
            col.table_of(
                "",
                [found],
                col.name("algorithm", lambda one: one.algorithm),
                col.rate(str(found.answers.of)),
                col.interval(col.at_level(found.confidence_level), answers=found.answers, kind="number"),
                col.rate("standard error", lambda one: one.standard_error),
                col.cell("events", events_cell),
            )
        ]

    def notes(self, found: Estimate) -> Sequence[Note]:
        return [answered(found.answers), *found.notes]


@shows(Band, Curve)
class CurveView(View[Band | Curve]):
    """A cumulative match curve, with or without a band: the rate at some ranks."""

    plot = staticmethod(drawn_by(cmc_figure, lambda curve: {curve.algorithm: [curve]}))

    def tables(self, found: Band | Curve) -> Sequence[Table]:
        return [
            col.table_of(
                "",
                [found],
                col.name("algorithm", lambda one: one.algorithm),
                *col.each(
                    (rank for rank in _RANKS if rank <= len(found.values)),
                    lambda rank: col.estimate(
                        f"rank {rank}", lambda one: (one.at(rank), _ends(one, rank)), answers=found.answers
                    ),
                ),
                col.count("probes", lambda one: one.facts.n_probes),
                col.count("gallery", lambda one: one.facts.n_gallery_subjects),
            )
        ]

    def notes(self, found: Band | Curve) -> Sequence[Note]:
        return [answered(found.answers)]


def _ends(curve: Curve | Band, rank: int) -> tuple[float, float] | None:
    return (float(curve.low[rank - 1]), float(curve.high[rank - 1])) if isinstance(curve, Band) else None


def events_cell(one: Estimate) -> Cell:
    """Data behind an estimate: successes out of trials, or the number of observations."""
    n, events = one.rests_on.n or 0, one.rests_on.events
    return count_cell(n) if events is None else share_cell(events, n)


def events_called(one: Estimate, larger_is_better: bool) -> str:
    """What is counted: successes of a rate to be large, errors of one to be small; of other numbers what they rest on."""
    if one.rests_on.events is None:
        of_pairs = one.facts is not None and one.facts.of_pairs
        return "mated pairs" if of_pairs else f"{one.rests_on.of or 'event'}s"
    return "successes" if larger_is_better else "errors"


def metric_of(one: Estimate, task: str, key: str, **about: Any) -> CardMetric:
    """An estimate as a model card states it."""
    return CardMetric(
        one.algorithm,
        task,
        key,
        str(one.answers.of),
        one.value,
        one.low,
        one.high,
        one.confidence_level,
        str(one.answers.varying),
        None,
        about,
    )
