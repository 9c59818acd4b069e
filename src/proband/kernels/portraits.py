"""Face crops: warped by their eyes, equalised, standardised."""

from __future__ import annotations

from math import sqrt

import numpy as np

from proband.kernels.compiling import njit

LEVELS = 256


@njit(nogil=True, cache=True, error_model="numpy")
def warp_by_eyes(image, eyes, aims, out):
    """Fill `out` so that the eyes are at the aims: bilinear interpolation, with the border repeated outside the image.

    `eyes` and `aims` are left x, left y, right x, right y.
    """
    height, width = image.shape
    left_x, left_y = eyes[0], eyes[1]
    # A similarity transform is one complex multiplication: source = left + turn * (place - crop left).
    dx, dy = aims[2] - aims[0], aims[3] - aims[1]
    sx, sy = eyes[2] - left_x, eyes[3] - left_y
    length = dx * dx + dy * dy
    turn_x, turn_y = (sx * dx + sy * dy) / length, (sy * dx - sx * dy) / length
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            px, py = column - aims[0], row - aims[1]
            x = min(max(left_x + turn_x * px - turn_y * py, 0.0), width - 1.0)
            y = min(max(left_y + turn_y * px + turn_x * py, 0.0), height - 1.0)
            x0, y0 = int(x), int(y)
            x1, y1 = min(x0 + 1, width - 1), min(y0 + 1, height - 1)
            fx, fy = x - x0, y - y0
            top = image[y0, x0] * (1.0 - fx) + image[y0, x1] * fx
            bottom = image[y1, x0] * (1.0 - fx) + image[y1, x1] * fx
            out[row, column] = np.uint8(top * (1.0 - fy) + bottom * fy + 0.5)


@njit(allocates=True, nogil=True, cache=True, error_model="numpy")
def prepare_pixels(crops, inside, equalize, standardize, out, spread):
    """Fill row i of `out` with the pixels of crop i at the positions `inside`, optionally equalised and standardised.

    Equalisation replaces a grey level by the share of inside pixels at or below it. ``spread[i]`` is the standard
    deviation before standardising: zero for a crop of one grey value.
    """
    n_pixels = inside.shape[0]
    share = np.empty(LEVELS, dtype=np.float64)
    for i in range(crops.shape[0]):
        flat = crops[i].ravel()
        if equalize:
            share[:] = 0.0
            for k in range(n_pixels):
                share[flat[inside[k]]] += 1.0
            running = 0.0
            for level in range(LEVELS):
                running += share[level]
                share[level] = running / n_pixels
            for k in range(n_pixels):
                out[i, k] = share[flat[inside[k]]]
        else:
            for k in range(n_pixels):
                out[i, k] = flat[inside[k]]
        total = 0.0
        for k in range(n_pixels):
            total += out[i, k]
        mean = total / n_pixels
        squares = 0.0
        for k in range(n_pixels):
            deviation = out[i, k] - mean
            squares += deviation * deviation
        spread[i] = sqrt(squares / n_pixels)
        if standardize and spread[i] > 0.0:
            for k in range(n_pixels):
                out[i, k] = (out[i, k] - mean) / spread[i]
