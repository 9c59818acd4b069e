"""Charts of replicates: the distribution of a measure over resamples (Beveridge et al. 2001, §6), in bins that cover whole numbers of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proband.errors import DesignError
from proband.report.charts.scales import Floats, Unit
from proband.report.charts.spec import Axis, Chart, Histograms, Outline, listed, some
from proband.results.estimate import Estimate
from proband.words import count, counted, fixed, interval, level

_MOST_BINS = 60
_CLOSE = 1e-7  # of a step: nearer than that, two values are one
IN_A_PANEL = 4
"""Number of overlaid distributions that remain distinguishable."""


@dataclass(frozen=True)
class Bins:
    """Bins of replicates.

    Attributes
    ----------
    edges
        Bin edges.
    step
        Distance between neighbouring values of a replicate; None if values are continuous.
    values
        Number of these values per bin; 1 if values are continuous.
    """

    edges: Floats
    step: float | None
    values: int = 1

    def shares(self, replicates: Floats) -> Floats:
        """The share of replicates in each bin."""
        found, _ = np.histogram(replicates, self.edges)
        return np.asarray(found / len(replicates), dtype=np.float64)


def step_of(replicates: Floats, n: int) -> float | None:
    """Return the distance between neighbouring values of replicates; None if there is no common distance.

    A rate over n probes is a whole number of nths; a median of ranks a whole number of halves.

    Examples
    --------
    >>> step_of(np.array([0.25, 0.5, 1.0]), 4), step_of(np.array([1.0, 1.5, 3.0]), 7)
    (0.25, 0.5)
    >>> step_of(np.array([1.0, 1.5, 3.0]), 40)
    0.5
    >>> step_of(np.random.default_rng(0).random(500), 100) is None
    True
    """
    found = np.unique(np.round(replicates, 12))
    if len(found) > 1 and _whole(
        2 * found
    ):  # halves are nths too where n is even, and would leave bins empty
        return 0.5
    if len(found) < 2 or _whole(replicates * n):
        return 1.0 / n
    least = float(np.diff(found).min())
    return least if _whole((found - found[0]) / least) and len(found) <= 2 * _MOST_BINS else None


def _whole(values: Floats) -> bool:
    return bool(np.abs(values - np.rint(values)).max() < _CLOSE)


def bins_of(replicates: Sequence[Floats], n: int) -> Bins:
    """Make bins for several sets of replicates, each covering the same number of possible values.

    Examples
    --------
    Rates of 10 probes: every bin covers one value, with edges halfway to the next.

    >>> made = bins_of([np.array([0.3, 0.4, 0.6])], 10)
    >>> [round(float(edge), 2) for edge in made.edges], made.values
    ([0.25, 0.35, 0.45, 0.55, 0.65], 1)
    """
    every = np.concatenate(list(replicates))
    step = step_of(every, n)
    if step is None:
        anywhere: Floats = np.linspace(float(every.min()), float(every.max()), _MOST_BINS + 1)
        return Bins(anywhere, None)
    base = 0.0 if _whole(every / step) else float(every.min())
    places = np.rint((every - base) / step).astype(np.int64)
    first, last = int(places.min()), int(places.max())
    width = -(-(last - first + 1) // _MOST_BINS)
    n_bins = -(-(last - first + 1) // width)
    edges = base + step * (first - 0.5 + width * np.arange(n_bins + 1, dtype=np.float64))
    return Bins(edges, step, width)


def replicates_chart(
    estimates: Sequence[Estimate], id: str = "replicates", title: str | None = None, names: Sequence[str] = ()
) -> Chart:
    """Chart the distribution of a measure over its replicates, with the value and its interval above.

    Parameters
    ----------
    estimates
        Estimates of one measure under one design that makes replicates.
    names
        Names of the outlines. Default: the algorithms.
    """
    some(estimates, "estimates")
    drawn = [one.replicates for one in estimates]
    if any(one is None for one in drawn):
        raise DesignError(
            "This estimate has no replicates to plot.",
            "estimate it with a design that makes replicates: bootstrap.",
        )
    finite = [one[np.isfinite(one)] for one in drawn if one is not None]
    if not all(len(one) for one in finite):
        raise DesignError("No replicate is finite, so there is nothing to plot.", "censor the ranks.")
    first = estimates[0]
    n = first.rests_on.n
    made = bins_of(finite, n)
    shown = tuple(names or (one.algorithm for one in estimates))
    outlines = tuple(
        Outline(name, made.edges, made.shares(values), (one.value, _end(one.low, made), _end(one.high, made)))
        for name, one, values in zip(shown, estimates, finite, strict=True)
    )
    told = [
        f"{name}: {fixed(one.value)} {interval(one.low, one.high)}"
        for name, one in zip(shown, estimates, strict=True)
    ]
    left = sum(len(one) for one in drawn if one is not None) - sum(map(len, finite))
    unit: Unit = "rate" if all(one.rests_on.events is not None for one in estimates) else "number"
    highest = max(float(one.heights.max()) for one in outlines) * (1.05 + 0.08 * len(outlines))
    margin = 0.02 * float(made.edges[-1] - made.edges[0])
    ends = (float(made.edges[0]) - margin, float(made.edges[-1]) + margin)
    part = level(first.confidence_level)
    notes = [
        f"{counted(len(finite[0]), 'replicate')} of {first.method}; {_said(made, n)}.",
        f"Dots and bars: the value and its {part} interval.",
    ]
    notes += [f"{counted(left, 'replicate')} without a finite value not shown."] if left else []
    of = str(first.answers.of)
    return Chart(
        id,
        title or f"Replicates of the {of}",
        f"{counted(len(finite[0]), 'replicate')}. {listed(told)}.",
        ((Axis(of, "linear", *ends, unit), Axis("share of the replicates", "linear", 0.0, highest, "rate")),),
        Histograms(outlines),
        shown,
        tuple(notes),
        first.answers,
        above=f"{counted(len(finite[0]), 'replicate')}; {_said(made, n)}",
        see="The wider the distribution, the less certain the value.",
    )


def replicates_charts(measured: Sequence[Sequence[Estimate]]) -> list[Chart]:
    """Chart the distributions of measures over replicates, a few algorithms per chart."""
    few = [
        estimates[start : start + IN_A_PANEL]
        for estimates in measured
        for start in range(0, len(estimates), IN_A_PANEL)
    ]
    return [replicates_chart(estimates, f"replicates-{place}") for place, estimates in enumerate(few, 1)]


def _end(value: float, made: Bins) -> float:
    """An end of an interval; one that is open ends with the bins."""
    return float(np.clip(value, made.edges[0], made.edges[-1]))


def _said(made: Bins, n: int) -> str:
    """What a bin holds."""
    if made.step is None:
        return "continuous values; bins are equally wide"
    if abs(made.step * n - 1) < _CLOSE:
        return f"each bin covers {counted(made.values, 'value')} in steps of 1/{count(n)}"
    return f"each bin covers {counted(made.values, 'value')}, {fixed(made.step, 2)} apart"
