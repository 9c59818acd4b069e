"""Other measures than rates and curves, as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference.estimates.evaluation import probes_called
from proband.report.grids import Grid
from proband.study.findings import Measured
from proband.words import Note, Sentence, fixed, interval

_VARYING = Sentence(
    "measures.varying",
    "note",
    "{measure}: {design}, varying {varying}; fixed: {fixed}; assuming {assuming}",
)


def measures_grid(measured: Sequence[Measured]) -> Grid:
    """A row for each measure, set of probes and algorithm."""
    several = any(one.category is not None for one in measured)
    rows = tuple(
        (
            str(estimate.answers.of),
            *((probes_called(one.category),) if several else ()),
            estimate.facts.algorithm,
            f"{fixed(estimate.value)}\n{interval(estimate.low, estimate.high)}",
        )
        for one in measured
        for estimate in one.estimates
    )
    header = ("measure", *(("probes of",) if several else ()), "algorithm", "value")
    return Grid("", header, rows, names=len(header) - 1)


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
    return list(dict.fromkeys((*varying, *(note for one in estimates for note in one.notes))))
