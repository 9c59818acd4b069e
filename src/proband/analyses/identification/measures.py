"""Other measures than rates and curves, as people read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.analyses.identification.run import Measured
from proband.inference import Estimate
from proband.inference.estimates.evaluation import probes_called
from proband.report.cells import columns, interval_cell, rate_cell, table, text_cell
from proband.report.notes import bounds_mark
from proband.report.table import Table
from proband.words import Note, Sentence, percent

_VARYING = Sentence(
    "measures.varying",
    "note",
    "{measure}: {design}, varying {varying}; fixed: {fixed}; assuming {assuming}",
)


def measures_table(measured: Sequence[Measured], level: float) -> Table:
    """A row for each measure, set of probes and algorithm."""
    several = any(one.category is not None for one in measured)
    rows = [
        [
            text_cell(str(estimate.answers.of)),
            *([text_cell(probes_called(one.category))] if several else []),
            text_cell(estimate.facts.algorithm),
            rate_cell(estimate.value),
            interval_cell((estimate.low, estimate.high), estimate.answers),
        ]
        for one in measured
        for estimate in one.estimates
    ]
    names = ("measure", "probes of", "algorithm") if several else ("measure", "algorithm")
    heads = columns(*names, "value", f"{percent(level)} interval", text=len(names))
    return table("measures", "Other measures", heads, rows)


def with_replicates(measured: Sequence[Measured]) -> list[tuple[Estimate, ...]]:
    """The estimates of each measure and set of probes that has replicates to draw."""
    return [
        one.estimates
        for one in measured
        if all(own.replicates is not None and np.isfinite(own.replicates).any() for own in one.estimates)
    ]


def measures_statements(measured: Sequence[Measured]) -> list[Note]:
    """What each measure's interval varies, holds fixed and assumes, and what else is to be known."""
    estimates = [estimate for one in measured for estimate in one.estimates]
    varying = (
        _VARYING(
            measure=one.answers.of,
            design=one.design,
            varying=one.answers.varying,
            fixed=one.answers.fixed,
            assuming=one.answers.assuming,
        )
        for one in estimates
    )
    marks = bounds_mark(estimates[0].side) if estimates else []
    return list(dict.fromkeys((*varying, *marks, *(note for one in estimates for note in one.notes))))
