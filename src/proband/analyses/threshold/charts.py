"""Charts of false match rates and their upper bounds by threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.inference.verification.thresholds.deployed import thinned
from proband.inference.verification.thresholds.results import DeployedThreshold
from proband.report.charts.spec import Axis, Chart, Curves, Series, listed, some
from proband.words import digits, given, level, threshold

_DOTS = 30  # on a curve


def bounds(
    found: Sequence[DeployedThreshold],
    id: str = "threshold-bounds",
    title: str = "False match rate and its upper bound by threshold",
) -> Chart:
    """Chart the rate of every algorithm by threshold, with a band up to its bound for new people."""
    first = some(found)[0]
    longest: dict[str, DeployedThreshold] = {}
    for one in found:
        kept = longest.get(one.algorithm)
        if kept is None or len(one.rates) > len(kept.rates):
            longest[one.algorithm] = one
    series = tuple(_series(one, place) for place, one in enumerate(longest.values()) if len(one.rates) > 1)
    some(series, "false matches")
    xs = np.concatenate([one.xs for one in series])
    ys = np.concatenate([np.concatenate([one.ys, one.high]) for one in series])
    part = level(first.confidence_level)
    told = [
        f"{one.algorithm} {threshold(one.sure.point.threshold)} for {given(one.asked)} (FMR {digits(one.sure.point.fmr)} here)"
        for one in found
        if one.sure is not None
    ]
    return Chart(
        id,
        title,
        f"False match rates by threshold, with bands up to the one-sided {part} bound for new people. Thresholds to deploy: "
        f"{listed(told) if told else 'none'}.",
        (
            (
                Axis("threshold", "linear", float(xs.min()), float(xs.max()), "number"),
                Axis("false match rate", "log", float(ys.min()), float(ys.max()), "rate"),
            ),
        ),
        Curves(series, True, step=False),
        tuple(one.name for one in series),
        (f"Bands: from the rate here to its one-sided {part} upper bound for new people.",),
        first.answers,
        f"shaded: up to the {part} bound for new people",
        see="A threshold to deploy is where the upper edge of the band, and not the line, meets the rate asked for.",
    )


def _series(one: DeployedThreshold, place: int) -> Series:
    """The curve from low thresholds to high ones, thinned."""
    kept = thinned(len(one.rates), _DOTS)
    ordered = kept[np.argsort(one.thresholds[kept], kind="stable")]
    rates = one.rates[ordered]
    return Series(one.algorithm, place, one.thresholds[ordered], rates, rates, one.bounds[ordered])
