"""Single estimates and curves."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference import Band, Estimate
from proband.measures import Curve
from proband.report.cells import columns, count_cell, interval_cell, over, rate_cell, share_cell, text_cell
from proband.report.figures.identification import cmc_figure, estimate_figure
from proband.report.notes import answered
from proband.report.plotting import drawn_by
from proband.report.table import Cell, Table
from proband.report.view import View, shows
from proband.words import Note, level

_RANKS = (1, 5, 10, 20, 50, 100)


@shows(Estimate)
class EstimateView(View[Estimate]):
    """A number with its interval."""

    plot = staticmethod(estimate_figure)

    def tables(self, found: Estimate) -> Sequence[Table]:
        """One row."""
        return [_estimate_table(found)]

    def notes(self, found: Estimate) -> Sequence[Note]:
        """What varies, and what is to be known."""
        return [answered(found.answers), *found.notes]


@shows(Band, Curve)
class CurveView(View[Band | Curve]):
    """A cumulative match curve, with or without a band."""

    plot = staticmethod(drawn_by(cmc_figure, lambda curve: {curve.facts.algorithm: [curve]}))

    def tables(self, found: Band | Curve) -> Sequence[Table]:
        """The rate at some ranks."""
        return [_curve_table(found)]

    def notes(self, found: Band | Curve) -> Sequence[Note]:
        """What varies."""
        return [answered(found.answers)]


def _estimate_table(one: Estimate) -> Table:
    n = one.facts.n_probes
    heads = columns(
        "algorithm",
        str(one.answers.of),
        f"{level(one.confidence_level)} interval",
        "standard error",
        "events",
    )
    cells = (
        text_cell(one.facts.algorithm),
        rate_cell(one.value),
        interval_cell((one.low, one.high), one.answers),
        rate_cell(one.standard_error),
        count_cell(n) if one.events is None else share_cell(one.events, n),
    )
    return Table("", heads, (cells,))


def _curve_table(curve: Curve | Band) -> Table:
    shown = [rank for rank in _RANKS if rank <= len(curve.values)]
    facts = curve.facts
    cells = (
        text_cell(facts.algorithm),
        *(_rate_at(curve, rank) for rank in shown),
        count_cell(facts.n_probes),
        count_cell(facts.n_gallery_subjects),
    )
    return Table("", columns("algorithm", *(f"rank {rank}" for rank in shown), "probes", "gallery"), (cells,))


def _rate_at(curve: Curve | Band, rank: int) -> Cell:
    rate = rate_cell(curve.at(rank))
    if not isinstance(curve, Band):
        return rate
    ends = (float(curve.low[rank - 1]), float(curve.high[rank - 1]))
    return over(rate, interval_cell(ends, curve.answers))
