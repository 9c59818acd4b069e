"""Each pair kernel, compiled and as plain Python, against a twin written with numpy's own sorting and comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proband.kernels import pairs as kernels
from proband.kernels.codes import COSINE, DONT_CARE, FAILED, INNER, L2, OK, empty_cells
from proband.kernels.vectors import norms, score_tile

SEEDS = range(2)
N_CELLS = 16


def both(kernel):
    """The compiled kernel and the Python function it was compiled from."""
    return pytest.mark.parametrize("kernel", [kernel, kernel.py_func], ids=["compiled", "python"])


def grid_over(keys: np.ndarray, band: float, slope: float, offset: float):
    """Start and stop of the edges that may be near the scores of each cell, counted by hand."""
    cells = np.arange(N_CELLS)
    low, high = (
        np.clip(np.floor((keys + side) * slope + offset), 0, N_CELLS - 1)
        for side in (-band - 1e-9, band + 1e-9)
    )
    starts = np.array([np.count_nonzero(high < c) for c in cells])
    stops = np.array([np.count_nonzero(low <= c) for c in cells])
    return starts, stops


def slots_of(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    at_or_below, below = (np.searchsorted(edges, values, side) for side in ("right", "left"))
    return np.bincount(at_or_below + below, minlength=2 * len(edges) + 1)


def ended(edges: np.ndarray) -> np.ndarray:
    return np.append(edges, np.inf)


def counters(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.zeros((2, len(edges) + 1), dtype=np.uint32))


def scratch(n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    return np.empty(n_columns, dtype=np.uint32), np.empty(n_columns, dtype=np.uint32)


def put_aside(room: int, n_parts: int = 4) -> tuple[np.ndarray, ...]:
    """Room for so many scores of each part of the grid."""
    return np.empty((n_parts, room)), np.zeros(n_parts, dtype=np.uint32), np.empty(room, dtype=np.uint32)


def depths_of(starts: np.ndarray, stops: np.ndarray, n_parts: int = 4) -> np.ndarray:
    depths = np.array([max(0, int(n)).bit_length() for n in stops - starts], dtype=np.uint8)
    return depths.reshape(n_parts, -1).max(axis=1)


@both(kernels.first_at_least)
def test_first_at_least(kernel):
    values = np.sort(np.random.default_rng(0).integers(0, 30, 40)).astype(float)
    for low, high in ((0, 40), (3, 3), (5, 9), (2, 31)):
        for x in np.arange(-1, 32, 0.5):
            assert kernel(values, low, high, x) == low + np.searchsorted(values[low:high], x)


@pytest.mark.parametrize("margin", [0.0, 0.3, 2.6])
@pytest.mark.parametrize("slope", [3.0, 0.5, 0.0])
@both(kernels.lay_cells)
def test_lay_cells(kernel, slope, margin):
    keys = np.unique(np.random.default_rng(0).integers(-12, 13, 15)) / 4.0 + 0.1
    starts, stops = np.empty((2, N_CELLS), dtype=np.int32)
    kernel(ended(keys), slope, 8.0 if slope else 0.0, margin if slope else 0.0, starts, stops)
    places = keys * slope + (8.0 if slope else 0.0)
    low, high = (np.clip(np.floor(places + side * bool(slope)), 0, N_CELLS - 1) for side in (-margin, margin))
    cells = np.arange(N_CELLS)
    assert starts.tolist() == [np.count_nonzero(high < c) for c in cells]
    assert stops.tolist() == [np.count_nonzero(low <= c) for c in cells]


@pytest.mark.parametrize("room", [5, 64])
@pytest.mark.parametrize("with_codes", [False, True])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", SEEDS)
@both(kernels.count_values)
def test_count_values(kernel, seed, dtype, sign, with_codes, room):
    rng = np.random.default_rng(seed)
    tile = rng.integers(-9, 10, (7, 23)).astype(dtype) / 4
    edges = np.unique(rng.integers(-12, 13, 9)) / 4.0
    codes = (
        rng.choice([OK, OK, DONT_CARE, FAILED], tile.shape).astype(np.uint8) if with_codes else empty_cells(7)
    )
    firsts = rng.integers(0, 25, 7)
    rows, columns = rng.integers(0, 3, 7).astype(np.int32), rng.integers(0, 3, 23).astype(np.int32)
    slope, offset = 3.0, 8.0
    starts, stops = grid_over(edges, 0.0, slope, offset)
    cells = np.append(starts < stops, False).astype(np.uint32)
    slots, excluded = np.zeros(2 * len(edges) + 1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    extremes = np.array([np.inf, -np.inf])
    of_grid = slope, offset, float(N_CELLS - 1), starts, depths_of(starts, stops), ended(edges)
    aside = put_aside(room)
    kernel(
        tile, codes, firsts, sign, rows, columns, *of_grid, 3, N_CELLS - 4, cells, slots, extremes, excluded,
        *scratch(3 * room), *aside,
    )  # fmt: skip
    kernels.count_aside(*of_grid, slots, *aside)
    kernels.pour_cells(cells, starts, *np.empty((2, 0), dtype=np.uint32), slots)

    counted = np.arange(23) >= firsts[:, None]
    usable = counted & (codes == OK) if with_codes else counted
    assert slots.tolist() == slots_of(sign * tile[usable], edges).tolist()
    if with_codes:
        assert excluded.tolist() == [
            np.count_nonzero(counted & (codes == code)) for code in (DONT_CARE, FAILED)
        ]


@pytest.mark.parametrize("seed", SEEDS)
@both(kernels.find_slots)
def test_find_slots(kernel, seed):
    rng = np.random.default_rng(seed)
    values, edges = rng.integers(-40, 41, 60) / 8.0, np.unique(rng.integers(-12, 13, 30)) / 4.0
    slope, offset = 3.0, 8.0
    starts, stops = grid_over(edges, 0.0, slope, offset)
    slots = np.empty(60, dtype=np.int64)
    kernel(values, slope, offset, float(N_CELLS - 1), starts, stops, ended(edges), slots)
    assert np.bincount(slots, minlength=2 * len(edges) + 1).tolist() == slots_of(values, edges).tolist()
    assert slots.tolist() == [np.count_nonzero(edges < x) + np.count_nonzero(edges <= x) for x in values]


def test_cells_up_to_one_and_from_another_tell_the_extremes():
    rng = np.random.default_rng(1)
    tile = rng.standard_normal((5, 11))
    rows, columns = np.array([0, 1, 2, 0, 1], dtype=np.int32), rng.integers(0, 3, 11).astype(np.int32)
    starts, stops = np.zeros(N_CELLS, dtype=np.int64), np.zeros(N_CELLS, dtype=np.int64)
    others = -tile[rows[:, None] != columns]
    for subjects, found in ((columns, [others.min(), others.max()]), (columns[:0], [np.inf, -np.inf])):
        extremes = np.array([np.inf, -np.inf])
        kernels.count_values(
            tile, empty_cells(5), np.zeros(5, dtype=np.int64), -1.0, rows, subjects, 2.0, 8.0, float(N_CELLS - 1),
            starts, depths_of(starts, stops), ended(np.empty(0)), 8, 8, np.ones(N_CELLS + 1, dtype=np.uint32),
            np.zeros(1, dtype=np.int64), extremes, np.zeros(2, dtype=np.int64), *scratch(11), *put_aside(11),
        )  # fmt: skip
        assert extremes.tolist() == found


@pytest.mark.parametrize("metric", [COSINE, INNER, L2])
@pytest.mark.parametrize("seed", SEEDS)
@both(kernels.count_products)
def test_count_products(kernel, seed, metric):
    """Products that are wrong by up to the band give the counts of the exact scores."""
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(-2, 3, (n, 5)).astype(np.float32) for n in (8, 15))
    x[:, 0] = y[:, 0] = 1
    sign = -1.0 if metric == L2 else 1.0
    exact = sign * score_tile(x, y, norms(x), norms(y), metric)
    edges = np.unique(rng.choice(exact.ravel(), 12))
    band = 0.05
    tile = exact + rng.uniform(-0.99 * band, 0.99 * band, exact.shape)
    rows, columns = rng.integers(0, 3, 8).astype(np.int32), rng.integers(0, 3, 15).astype(np.int32)
    firsts = rng.integers(0, 4, 8)
    slope, offset = (
        N_CELLS / (exact.max() - exact.min()),
        -exact.min() * N_CELLS / (exact.max() - exact.min()),
    )
    starts, stops = grid_over(edges, band, slope, offset)
    # Half of the cells may hold extremes; which ones are known to do so is the caller's affair.
    low_cell, high_cell = 3, N_CELLS - 4
    cell = np.arange(N_CELLS)
    marked = (starts < stops) | (cell <= low_cell) | (cell >= high_cell)
    cells = np.append(marked, False).astype(np.uint32)
    slots, counts = np.zeros(2 * len(edges) + 1, dtype=np.int64), counters(edges)
    extremes = np.array([np.inf, -np.inf] * 2)
    # Factors whose products are wrong by up to a tenth of the band.
    factors = exact + rng.uniform(-0.099 * band, 0.099 * band, exact.shape), np.eye(15)
    kernel(
        tile, firsts, rows, columns, slope, offset, float(N_CELLS - 1), starts, stops, ended(edges), ended(edges), band,
        low_cell, high_cell, *factors, 0.1 * band, x, y, norms(x), norms(y), metric, sign, cells, *counts, extremes,
        *scratch(15),
    )  # fmt: skip
    kernels.pour_cells(cells, starts, *counts, slots)
    counted = np.arange(15) >= firsts[:, None]
    assert slots.tolist() == slots_of(exact[counted], edges).tolist()
    impostors = exact[counted & (rows[:, None] != columns)]
    if impostors.min() < exact.min() + 2 / slope and impostors.max() > exact.max() - 2 / slope:
        assert extremes[:2].tolist() == [impostors.min(), impostors.max()]


@both(kernels.pour_cells)
def test_pour_cells(kernel):
    cells = np.array([2 * 5, 2 * 7 + 1, 2 * 3, 2 * 9], dtype=np.uint32)
    starts = np.array([0, 0, 2])
    slots = np.zeros(5, dtype=np.int64)
    between, upon = np.array([1, 2, 4], dtype=np.uint32), np.array([8, 16, 0], dtype=np.uint32)
    kernel(cells, starts, between, upon, slots)
    assert slots.tolist() == [5 + 1, 8, 2, 16, 3 + 4]
    assert cells.tolist() == [0, 1, 0, 0]
    assert not between.any()
    assert not upon.any()


@both(kernels.sum_costs)
def test_sum_costs(kernel):
    tile = np.array([[0.0, 1.0, -2.0], [800.0, -800.0, 5.0]])
    rows, columns = np.array([0, 1], dtype=np.int32), np.array([1, 2, 0], dtype=np.int32)
    codes = np.array([[OK, OK, OK], [OK, OK, FAILED]], dtype=np.uint8)
    found = kernel(tile, codes, np.array([0, 1]), 1.0, rows, columns)
    assert found == pytest.approx(math.log(2) + math.log1p(math.e))
    assert kernel(tile, codes, np.zeros(2, dtype=np.int64), 1.0, rows + 5, columns) == pytest.approx(
        math.log(2) + math.log1p(math.e) + math.log1p(math.exp(-2)) + 800
    )
