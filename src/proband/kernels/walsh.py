"""The Walsh–Hadamard transform, three steps at a time."""

from __future__ import annotations

from proband.kernels.compiling import njit


@njit(nogil=True, cache=True)
def walsh(cells, width):
    """Transform a table of 2^m rows and ``width`` columns, flat and in place, along its rows.

    Eight rows are combined at once, so the table is read a third as often.
    """
    rows = len(cells) // width
    while rows >= 8:
        step = rows // 8 * width
        for start in range(0, len(cells), 8 * step):
            _eight(
                cells[start : start + step],
                cells[start + step : start + 2 * step],
                cells[start + 2 * step : start + 3 * step],
                cells[start + 3 * step : start + 4 * step],
                cells[start + 4 * step : start + 5 * step],
                cells[start + 5 * step : start + 6 * step],
                cells[start + 6 * step : start + 7 * step],
                cells[start + 7 * step : start + 8 * step],
            )
        rows //= 8
    if rows == 4:
        for start in range(0, len(cells), 4 * width):
            _four(
                cells[start : start + width],
                cells[start + width : start + 2 * width],
                cells[start + 2 * width : start + 3 * width],
                cells[start + 3 * width : start + 4 * width],
            )
    elif rows == 2:
        for start in range(0, len(cells), 2 * width):
            _two(cells[start : start + width], cells[start + width : start + 2 * width])


@njit(nogil=True, cache=True)
def spread_pairs(values, spectrum):
    """Store half the sum of all pairs of values in row 0, half the difference of pair h in row h + 1, and zeros below."""
    pairs, width = values.shape[0], values.shape[2]
    spectrum[0] = 0.0
    total = spectrum[0]
    for h in range(pairs):
        first, second, row = values[h, 0], values[h, 1], spectrum[h + 1]
        for i in range(width):
            row[i] = (first[i] - second[i]) / 2
            total[i] += (first[i] + second[i]) / 2
    spectrum[pairs + 1 :] = 0.0


@njit(nogil=True, cache=True)
def _two(a, b):
    for i in range(len(a)):
        a[i], b[i] = a[i] + b[i], a[i] - b[i]


@njit(nogil=True, cache=True)
def _four(a, b, c, d):
    for i in range(len(a)):
        s, t, u, v = a[i] + c[i], b[i] + d[i], a[i] - c[i], b[i] - d[i]
        a[i], b[i], c[i], d[i] = s + t, s - t, u + v, u - v


@njit(nogil=True, cache=True)
def _eight(a, b, c, d, e, f, g, h):
    for i in range(len(a)):
        ae, bf, cg, dh = a[i] + e[i], b[i] + f[i], c[i] + g[i], d[i] + h[i]
        a_e, b_f, c_g, d_h = a[i] - e[i], b[i] - f[i], c[i] - g[i], d[i] - h[i]
        s, t, u, v = ae + cg, bf + dh, ae - cg, bf - dh
        w, x, y, z = a_e + c_g, b_f + d_h, a_e - c_g, b_f - d_h
        a[i], b[i], c[i], d[i] = s + t, s - t, u + v, u - v
        e[i], f[i], g[i], h[i] = w + x, w - x, y + z, y - z
