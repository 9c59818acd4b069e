"""Exact counts of scores between and equal to given edges, in one pass over tiles.

``between[k]`` counts the scores strictly between edge k and the edge before, ``upon[k]`` those equal to it; the last of
`between` counts those above all edges. ``slots[2 * k]`` and ``slots[2 * k + 1]`` count the same. Edges end with infinity. The
cell of a score in a grid of equal cells determines which edges can be near it: edges ``starts[c]:stops[c]`` for cell c. Most
cells have none, so only the cell is counted; such counts are kept in steps of two in `cells`, whose lowest bit marks the cells
that need exact placement.
"""

from __future__ import annotations

from math import exp, log1p

import numpy as np

from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.kernels.compiling import njit
from proband.kernels.vectors import quick_dot, score

_MARKED, _ONE = np.uint32(1), np.uint32(2)  # cells count in steps of two
_ONE_MORE = np.uint32(1)


@njit(nogil=True, cache=True)
def first_at_least(values, low, high, x):
    """The first position in ascending ``values[low:high]`` with a value of at least x; `high` if there is none."""
    while high - low > 8:
        middle = (low + high) // 2
        if values[middle] < x:
            low = middle + 1
        else:
            high = middle
    while low < high and values[low] < x:
        low += 1
    return low


@njit(nogil=True, cache=True)
def _nearby(values, start, stop, x):
    """The same for values that end with infinity; the first four, which are most likely, are tested without branches."""
    k = np.int64(start)
    k += values[k] < x
    k += values[k] < x
    k += values[k] < x
    return first_at_least(values, k, np.int64(stop), x) if values[k] < x else k


@njit(nogil=True, cache=True)
def lay_cells(keys, slope, offset, margin, starts, stops):
    """Find the keys that may be near the scores of each cell: ``keys[starts[c]:stops[c]]``; keys ascend and end with infinity.

    A key is near the cells that contain its position within the margin; keys beyond the outermost cells are near these.
    """
    n, last = keys.shape[0] - 1, starts.shape[0] - 1
    starts[:] = n
    stops[:] = n
    for k in range(n - 1, -1, -1):
        place = keys[k] * slope + offset
        starts[np.int64(min(np.float64(last), max(0.0, place + margin)))] = k
        if place - margin >= 1.0:
            stops[np.int64(min(np.float64(last), place - margin - 1.0))] = k
    starts[0] = 0
    stops[last] = n
    for c in range(last - 1, -1, -1):
        starts[c] = min(starts[c], starts[c + 1])
        stops[c] = min(stops[c], stops[c + 1])


@njit(nogil=True, cache=True)
def _place(row, slope, offset, last, places):
    """The grid cell of every score: a nondecreasing function of closeness, regardless of rounding."""
    zero = last - last  # in the precision of the other computations
    for j in range(row.shape[0]):
        places[j] = np.int32(min(last, max(zero, row[j] * slope + offset)))


@njit(nogil=True, cache=True)
def _tally(places, n, cells, marked):
    """Count the cells of n scores; list those that need exact placement, and return their number."""
    n_marked = np.uint32(0)
    for j in range(n):
        cell = places[j]
        held = cells[cell]
        cells[cell] = held + _ONE
        marked[n_marked] = np.uint32(j)
        n_marked += held & _MARKED
    return n_marked


@njit(nogil=True, cache=True)
def _put_aside(
    row, sign, subject, subjects, places, marked, n_marked, low_cell, high_cell, slope, offset, last, starts, depths, edges,
    slots, extremes, aside, fills, lows,
):  # fmt: skip
    """Buffer scores by part of the grid, and count a part when its buffer is full.

    Scores in cells up to `low_cell` or from `high_cell` on may be extreme; extremes are known if no subjects are given.
    """
    known = subjects.shape[0] == 0
    shift = np.uint32(0)  # from cell index to part index; both numbers are powers of two
    while aside.shape[0] << shift < starts.shape[0]:
        shift += _ONE_MORE
    room = np.uint32(aside.shape[1])
    for m in range(n_marked):
        j = marked[m]
        cell = places[j]
        value = sign * np.float64(row[j])
        if not known and (cell <= low_cell or cell >= high_cell) and subject != subjects[j]:
            extremes[0], extremes[1] = min(extremes[0], value), max(extremes[1], value)
        part = cell >> shift
        filled = fills[part]
        aside[part, filled] = value
        filled += _ONE_MORE
        if filled == room:
            _count_part(aside[part], filled, slope, offset, last, starts, depths[part], edges, slots, lows)
            filled = np.uint32(0)
        fills[part] = filled


@njit(nogil=True, cache=True)
def _bisect(values, lows, n, edges, depth):
    """Advance each of n positions to the first edge not below its value, which is fewer than 2**depth further on.

    All values take a step before any takes the next, without branches, since these would be unpredictable.
    """
    last = np.uint64(edges.shape[0] - 1)
    for shift in range(depth - 1, -1, -1):
        ahead = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
        for m in range(n):
            low = np.uint64(lows[m])
            above = np.uint32(edges[min(low + ahead, last)] < values[m])
            lows[m] = np.uint32(low) + (above << np.uint32(shift))


@njit(nogil=True, cache=True)
def _count_part(values, n, slope, offset, last, starts, depth, edges, slots, lows):
    """Count n scores of one part of the grid, with fewer than 2**depth edges near any of them.

    Together they use edges and counts that fit into the nearest caches.
    """
    _place(values[:n], slope, offset, last, lows.view(np.int32))
    for m in range(n):
        lows[m] = starts[lows[m]]
    _bisect(values, lows, n, edges, depth)
    for m in range(n):
        k = np.uint64(lows[m])
        slots[np.uint64(2) * k + np.uint64(edges[k] == values[m])] += 1


@njit(nogil=True, cache=True)
def count_aside(slope, offset, last, starts, depths, edges, slots, aside, fills, lows):
    """Count the buffered scores."""
    for part in range(fills.shape[0]):
        if fills[part]:
            _count_part(
                aside[part], fills[part], slope, offset, last, starts, depths[part], edges, slots, lows
            )
    fills[:] = 0


@njit(nogil=True, cache=True)
def count_values(
    tile, codes, firsts, sign, row_subjects, column_subjects,
    slope, offset, last, starts, depths, edges, low_cell, high_cell, cells, slots, extremes, excluded,
    places, marked, aside, fills, lows,
):  # fmt: skip
    """Count a tile of exact scores.

    Row i counts from column ``firsts[i]`` on. `codes` has no columns when every cell is fine; the numbers of
    don't-care and of failed cells are added to `excluded`. `extremes` keeps the lowest and highest closeness of different subjects, unless
    `column_subjects` is empty. Scores in cells up to `low_cell` or from `high_cell` on may be the extreme ones. Scores that need exact placement are buffered
    in ``aside``, ``fills[p]`` of them for part p of the grid, for `count_aside`; fewer than ``2**depths[p]`` edges can be
    near any of them. Scores are processed in runs that fit into `places` and stay in the nearest cache.
    """
    n_columns, room = tile.shape[1], places.shape[0]
    nowhere = np.uint32(starts.shape[0])
    signed = places.view(np.int32)
    for i in range(tile.shape[0]):
        for first in range(firsts[i], n_columns, room):
            n = min(room, n_columns - first)
            row = tile[i, first : first + n]
            _place(row, sign * slope, offset, last, signed)
            if codes.shape[1]:
                for j in range(n):
                    code = codes[i, first + j]
                    if code != OK:
                        places[j] = nowhere
                        excluded[0] += code == DONT_CARE
                        excluded[1] += code == FAILED
            n_marked = _tally(places, n, cells, marked)
            _put_aside(
                row, sign, row_subjects[i], column_subjects[first : first + n], places, marked, n_marked,
                low_cell, high_cell, slope, offset, last, starts, depths, edges, slots, extremes, aside, fills, lows,
            )  # fmt: skip


@njit(nogil=True, cache=True)
def find_slots(values, slope, offset, last, starts, stops, edges, slots):
    """Fill in the slot of each value: 2k if below edge k and above the one before, 2k + 1 if equal to edge k."""
    for j in range(values.shape[0]):
        value = values[j]
        cell = np.int64(min(last, max(0.0, value * slope + offset)))
        k = first_at_least(edges, np.int64(starts[cell]), np.int64(stops[cell]), value)
        slots[j] = 2 * k + (edges[k] == value)


@njit(nogil=True, cache=True)
def _count_exactly(edges, k, stop, value, between, upon):
    """Count an exact score that belongs between edge k and edge `stop`."""
    k = first_at_least(edges, k, stop, value)
    if edges[k] == value:
        upon[k] += _ONE_MORE
    else:
        between[k] += _ONE_MORE


@njit(nogil=True, cache=True, error_model="numpy")
def count_products(
    tile, firsts, row_subjects, column_subjects,
    slope, offset, last, starts, stops, edges, keys, band, low_cell, high_cell,
    x_factors, y_factors, quick_band, x, y, x_norms, y_norms, metric, sign, cells, between, upon, extremes, places, marked,
):  # fmt: skip
    """Count a tile of products, each known within `band`, and decide doubtful pairs by the exact score.

    `keys` are the edges on the scale of products. Summed in lanes, the product of two factors is known within `quick_band`,
    which leaves few for the exact score. Different subjects in cells up to `low_cell` or from `high_cell` on may
    be the extreme ones; ``extremes[2:]`` keeps their lowest and highest product, and products within two bands of these are
    scored exactly.
    """
    n_columns, n_edges = tile.shape[1], edges.shape[0] - 1
    signed = places.view(np.int32)
    for i in range(tile.shape[0]):
        first = firsts[i]
        n = n_columns - first
        if n <= 0:
            continue
        row = tile[i, first:]
        _place(row, slope, offset, last, signed)
        n_marked = _tally(places, n, cells, marked)
        n_doubtful = 0
        for m in range(n_marked):
            j = marked[m]
            cell = places[j]
            product = np.float64(row[j])
            k = _nearby(keys, starts[cell], stops[cell], product - band)
            doubtful = keys[k] <= product + band
            if (cell <= low_cell or cell >= high_cell) and row_subjects[i] != column_subjects[first + j]:
                extremes[2] = min(extremes[2], product)
                extremes[3] = max(extremes[3], product)
                if product <= extremes[2] + 2 * band or product >= extremes[3] - 2 * band:
                    value = sign * score(x[i], y[first + j], x_norms[i], y_norms[first + j], metric)
                    _count_exactly(edges, k, np.int64(stops[cell]), value, between, upon)
                    extremes[0] = min(extremes[0], value)
                    extremes[1] = max(extremes[1], value)
                    continue
            # Which pairs are doubtful is unpredictable, so they are collected without branches.
            between[k] += np.uint32(not doubtful)
            places[j] = k
            marked[n_doubtful] = j
            n_doubtful += doubtful
        for m in range(n_doubtful):
            j = marked[m]
            product = np.float64(quick_dot(x_factors[i], y_factors[first + j]))
            k = places[j]
            while keys[k] < product - quick_band:  # it is near, as the first product shows
                k += 1
            if keys[k] <= product + quick_band:
                value = sign * score(x[i], y[first + j], x_norms[i], y_norms[first + j], metric)
                _count_exactly(edges, k, n_edges, value, between, upon)
            else:
                between[k] += _ONE_MORE


@njit(nogil=True, cache=True)
def pour_cells(cells, starts, between, upon, slots):
    """Move counts into `slots`, those between and equal to edge k into 2k and 2k + 1, and reset them.

    Unmarked cells are counted between their edges; `between` and `upon` may be empty.
    """
    for c in range(starts.shape[0]):
        if not cells[c] & _MARKED:
            slots[2 * starts[c]] += cells[c] >> _MARKED
        cells[c] &= _MARKED
    cells[starts.shape[0]] = 0
    for k in range(between.shape[0]):
        slots[2 * k] += between[k]
    for k in range(upon.shape[0] - 1):
        slots[2 * k + 1] += upon[k]
    between[:] = 0
    upon[:] = 0


@njit(nogil=True, cache=True)
def sum_costs(tile, codes, firsts, sign, row_subjects, column_subjects):
    """Sum ln(1 + e^s) over the closeness s of different subjects, row by row."""
    total = 0.0
    for i in range(tile.shape[0]):
        of_row = 0.0
        for j in range(firsts[i], tile.shape[1]):
            if row_subjects[i] != column_subjects[j] and not (codes.shape[1] and codes[i, j] != OK):
                value = sign * np.float64(tile[i, j])
                of_row += max(value, 0.0) + log1p(exp(-abs(value)))
        total += of_row
    return total


@njit(nogil=True, cache=True)
def add_placements(
    values, firsts, sign, rows, columns, row_codes, column_codes, edges, below, guide, scale, sums, counts
):
    """Add the share of genuine scores above each impostor score (ties half) to the sums of its two people.

    Parameters
    ----------
    values, firsts, sign
        A tile of scores, the first counted column of each row, and the sign that converts scores to closeness.
    rows, columns
        The row and column of `sums` and `counts` for each row and column of the tile.
    row_codes, column_codes
        The subjects: comparisons of one person are genuine, and left out.
    edges, below
        Distinct genuine closeness in ascending order, and the number of genuine scores below each, and in total.
    guide, scale
        The positions of equal steps among the edges, and the number of steps per unit of closeness.
    """
    n, last = len(edges), len(guide) - 1
    twice = 2.0 * below[n]
    for r in range(values.shape[0]):
        for c in range(firsts[r], values.shape[1]):
            if row_codes[r] == column_codes[c]:
                continue
            x = sign * values[r, c]
            place = n
            if x <= edges[0]:
                place = 0
            elif x <= edges[n - 1]:
                step = np.int64((x - edges[0]) * scale)
                place = first_at_least(edges, guide[max(step - 1, 0)], guide[min(step + 2, last)], x)
            tied = place < n and edges[place] == x
            sums[rows[r], columns[c]] += 1.0 - (below[place] + below[place + tied]) / twice
            counts[rows[r], columns[c]] += 1
