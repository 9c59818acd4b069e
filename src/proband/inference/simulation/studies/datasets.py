"""Algorithms over several data sets."""

from __future__ import annotations

import numpy as np

from proband.inference.datasets.comparison import compare_datasets
from proband.inference.simulation.asking import Answered, Asking, of_a_test
from proband.inference.simulation.studies.trials import Bars, CoverageStudy, Trial
from proband.inference.simulation.table_worlds import DatasetsWorld
from proband.inference.simulation.worlds import DataSet
from proband.words import Method, Target, given

OTHER_DATA_SETS = Target("other-data-sets", "other data sets like these")


def _ranked(one: DataSet, level: float, seed: int) -> Answered:
    """One difference with its interval; of several the adjusted tests, since every interval stands for itself."""
    found = compare_datasets(one.data, confidence_level=level)
    if len(found.pairs) == 1:
        median = found.pairs[0].difference
        low, high = (median.low, median.high) if median.has_interval else (-np.inf, np.inf)
        value, low, high = _as_drawn(median.first, median.value, low, high)
        return Answered(value, low, high, found.method, found.notes, median.p_value)
    p = np.array([pair.difference.p_adjusted for pair in found.pairs])
    return Answered(np.zeros(len(p)), -np.inf, np.inf, found.method, found.notes, p)


def _pooled(one: DataSet, level: float, seed: int) -> Answered:
    """The mean difference, with the standard errors of measurement known."""
    names = one.data["dataset"]
    n = len(names)
    errors = {"dataset": names, "first": ["a"] * n, "second": ["b"] * n, "standard_error": [one.within] * n}
    found = compare_datasets(one.data, errors=errors, confidence_level=level)
    pooled = found.pairs[0].pooled
    assert pooled is not None  # with errors
    mean = pooled.difference
    ends = _as_drawn(mean.first, mean.value, mean.low, mean.high)
    return Answered(*ends, mean.method, found.notes, mean.p_value)


def _as_drawn(first: str, value: float, low: float, high: float) -> tuple[float, float, float]:
    """The first algorithm minus the second, as they were drawn; the comparison puts the better one first."""
    return (value, low, high) if first == "a" else (-value, -high, -low)


def _friedman(one: DataSet, level: float, seed: int) -> Answered:
    found = compare_datasets(one.data, confidence_level=level)
    p = None if found.iman_davenport is None else found.iman_davenport.p_value
    return of_a_test(1.0 if p is None else p, Method("iman-davenport", "Iman–Davenport"))


def _several(datasets: int, margins: tuple[float, ...], ask: Asking) -> Trial:
    said = f"{datasets} data sets, {len(margins)} algorithms"
    said += f", the last {given(margins[-1])} worse" if any(margins) else ", no difference"
    return Trial(said, DatasetsWorld(datasets, margins), ask, Bars(coverage=0.92, power=0.6))


_RANKS, _MEANS = Asking("signed-ranks", _ranked), Asking("mean-difference", _pooled)

STUDIES = (
    CoverageStudy(
        "data-sets",
        OTHER_DATA_SETS,
        (
            _several(10, (0.0, 0.0), _RANKS),
            _several(20, (0.0, 0.02), _RANKS),
            _several(12, (0.0,) * 5, _RANKS),
        ),
        ("compare_datasets", "SignedRanks"),
    ),
    CoverageStudy(
        "mean-over-data-sets",
        OTHER_DATA_SETS,
        (_several(8, (0.0, 0.0), _MEANS), _several(15, (0.0, 0.02), _MEANS)),
        ("compare_datasets",),
    ),
    CoverageStudy(
        "any-difference-over-data-sets",
        OTHER_DATA_SETS,
        (_several(12, (0.0,) * 5, Asking("friedman", _friedman)),),
        ("compare_datasets", "DatasetComparison"),
    ),
)
