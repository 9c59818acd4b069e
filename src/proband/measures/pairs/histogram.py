"""Histograms of genuine and impostor scores: exact counts in equal bins, fixed before most scores are read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.measures.pairs.pair_set import Counts, Floats
from proband.samples.table import frozen

_BINS = 200
_SPARE_BINS = 100  # spare bins on either side, for scores beyond those known at first


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of genuine and impostor scores in half-open bins; the last bin includes its end.

    The bins have equal width and cover all scores, but the outermost ones may be wider to include outlying scores.

    Attributes
    ----------
    edges
        The edges of the bins, one more than bins.
    genuine, impostor
        The counts in each bin.
    """

    edges: Floats
    genuine: Counts
    impostor: Counts


def bin_edges(genuine: Floats, impostors: Floats) -> Floats:
    """Divide the range of the scores known so far into 200 equal bins, with 100 spare bins on either side."""
    low, high = _range(genuine, impostors)
    if not low < high:
        return np.array([low]) if low == high else np.empty(0)
    share = np.arange(-_SPARE_BINS, _BINS + _SPARE_BINS + 1) / _BINS
    with np.errstate(over="ignore", invalid="ignore"):
        edges = (1 - share) * low + share * high
    return np.unique(edges[np.isfinite(edges)])  # a narrow range may not contain enough distinct numbers


def histogram_of(
    bins: Floats, genuine: Floats, extremes: Floats, at_least: Counts, n_impostor: int
) -> Histogram:
    """Make a histogram from the number of impostors at or above every bin edge, without empty outer bins.

    Genuine scores are ascending; `extremes` are the lowest and highest impostor scores, if any.
    """
    low, high = _range(genuine[[0, -1]] if len(genuine) else genuine, extremes)
    if np.isnan(low):
        return Histogram(np.empty(0), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    inside = (bins > low) & (bins < high)
    begin = bins[bins <= low].max(initial=-np.inf)
    end = bins[bins >= high].min(initial=np.inf)
    begin, end = begin if np.isfinite(begin) else low, end if np.isfinite(end) else high
    if begin == end:  # all scores are equal
        begin, end = begin - max(0.5, 1e-3 * abs(begin)), end + max(0.5, 1e-3 * abs(end))
    genuine_at_least = len(genuine) - np.searchsorted(genuine, bins[inside])
    return Histogram(
        edges=frozen(np.concatenate([[begin], bins[inside], [end]])),
        genuine=frozen(-np.diff(np.concatenate([[len(genuine)], genuine_at_least, [0]]))),
        impostor=frozen(-np.diff(np.concatenate([[n_impostor], at_least[inside], [0]]))),
    )


def _range(genuine: Floats, impostors: Floats) -> tuple[float, float]:
    """The lowest and highest score of all; NaN if there are none."""
    known = [values for values in (genuine, impostors) if values.size]
    if not known:
        return np.nan, np.nan
    return min(float(values.min()) for values in known), max(float(values.max()) for values in known)
