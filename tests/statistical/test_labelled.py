"""Do intervals of macro averages cover, and comparisons of classifiers hold their level? Equal, long-tailed and grouped classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from proband.inference.outcomes.pairs import paired_tests
from proband.inference.outcomes.rates import Items, class_average

CLASSES = 10
SIZES = {
    "equal": np.full(CLASSES, 30),
    "tail": np.maximum(3, 100 // np.arange(1, CLASSES + 1)),
    "rare": np.where(np.arange(CLASSES) % 2, 4, 80),
}
RECALLS = {
    "alike": np.full(CLASSES, 0.88),
    "apart": np.linspace(0.7, 0.99, CLASSES),
    "two-class": np.where(np.arange(CLASSES) % 5, 0.96, 0.5),
    "near 1": np.full(CLASSES, 0.98),
}


def drawn(rng, recalls, classes, units, spread, n):
    """Successes of n models: what is hard for one is hard for another, and groups differ."""
    common, groups = rng.normal(size=len(classes)), rng.normal(size=(n, units.max() + 1))
    rows = []
    for own, recall in zip(groups, recalls, strict=True):
        noise = np.sqrt(0.5) * (common + rng.normal(size=len(classes))) + spread * own[units]
        rows.append((noise / np.sqrt(1 + spread**2) < ndtri(recall)[classes]).astype(float))
    return rows


def covered(sizes: str, recall: str, n_groups: int | None, sets: int) -> tuple[float, float]:
    """How often the interval of a macro average holds the truth, and its width by that which knows the variance."""
    rng = np.random.default_rng(1)
    n, truth = SIZES[sizes], RECALLS[recall]
    classes = np.repeat(np.arange(CLASSES), n)
    hits, widths, values = 0, 0.0, []
    for _ in range(sets):
        units = np.arange(len(classes)) if n_groups is None else rng.integers(0, n_groups, len(classes))
        units = np.unique(units, return_inverse=True)[1]
        (row,) = drawn(rng, [truth], classes, units, 0.0 if n_groups is None else 0.6, 1)
        found = class_average(row, Items(units, "sample" if n_groups is None else "group", classes))
        low, high = found.ends(0.95)
        hits += bool(low <= truth.mean() <= high)
        widths += float(high - low)
        values.append(float(found.rate))
    return hits / sets, widths / sets / (2 * 1.96 * float(np.std(values)))


@pytest.mark.parametrize(("sizes", "recall"), [("tail", "apart"), ("equal", "near 1")])
def test_macro_averages_cover(sizes, recall):
    cover, _ = covered(sizes, recall, None, 400)
    assert cover > 0.91


@pytest.mark.long
@pytest.mark.parametrize("n_groups", [None, 40])
@pytest.mark.parametrize("recall", RECALLS)
@pytest.mark.parametrize("sizes", SIZES)
def test_macro_averages_cover_everywhere(sizes, recall, n_groups):
    cover, width = covered(sizes, recall, n_groups, 3_000)
    few = sizes == "rare" and recall == "two-class"  # four samples of one class carry most of the variance
    assert cover > (0.89 if few else 0.925)
    assert cover < 0.97 or width < 1.3 or recall == "near 1"  # six errors in all


def rejected(sizes, first, second, n_groups, sets):
    """How often two models of equal macro averages are said to differ, and intervals hold the true difference."""
    rng = np.random.default_rng(2)
    classes = np.repeat(np.arange(CLASSES), SIZES[sizes])
    apart = float((first - second).mean())
    wrong = hits = 0
    for _ in range(sets):
        units = np.arange(len(classes)) if n_groups is None else rng.integers(0, n_groups, len(classes))
        units = np.unique(units, return_inverse=True)[1]
        a, b = drawn(rng, [first, second], classes, units, 0.0 if n_groups is None else 0.6, 2)
        items = Items(units, "sample" if n_groups is None else "group", classes)
        ((*_, tested),) = paired_tests({"a": a, "b": b}, items, 0.95, 0)
        low, high = tested.curve.interval(0.05)
        wrong += tested.p_value <= 0.05
        hits += bool(low <= apart <= high)
    return wrong / sets, hits / sets


def test_models_alike_are_not_told_apart():
    wrong, cover = rejected("tail", RECALLS["apart"], RECALLS["apart"][::-1], 12, 30)
    assert wrong <= 0.17
    assert cover >= 0.83


@pytest.mark.long
@pytest.mark.parametrize("n_groups", [None, 30])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", ["alike", "crossed", "lower"])
def test_models_alike_are_not_told_apart_anywhere(sizes, kind, n_groups):
    first = RECALLS["alike" if kind == "alike" else "apart"]
    second = first[::-1] if kind == "crossed" else first - (0.05 if kind == "lower" else 0.0)
    wrong, cover = rejected(sizes, first, second, n_groups, 400)
    if kind != "lower":
        assert wrong <= 0.075
    assert cover >= 0.92
