"""Coordinates and soft shapes: what every painter of a part of the face draws with.

Lengths are in *face units*: one unit is the mean distance between two eyes. The origin is the point midway
between the eyes of a head that looks straight ahead, ``u`` grows to the image's right and ``v`` downwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Everything is drawn in float32; numbers from Python do not widen it, though the stubs of NumPy think so.
Array = NDArray[np.floating[Any]]
Slices = tuple[slice, slice]
Bump = tuple[float, float, float, float, float]

STEEPEST = 7.0  # beyond this slope an outline is as good as level


@dataclass(frozen=True)
class PixelGrid:
    """A raster of face coordinates, kept as one row and one column so that shapes stay separable.

    Parameters
    ----------
    u
        Horizontal coordinates of the columns, shape (1, width).
    v
        Vertical coordinates of the rows, shape (height, 1).
    px
        Pixels per face unit.
    """

    u: Array
    v: Array
    px: float

    @classmethod
    def of_size(cls, height: int, width: int, centre: tuple[float, float], px: float) -> PixelGrid:
        """Lay a raster whose pixel ``centre`` = (column, row) is the origin of the face."""
        u = (np.arange(width) - centre[0]) / px
        v = (np.arange(height) - centre[1]) / px
        return cls(u.astype(np.float32)[None, :], v.astype(np.float32)[:, None], px)

    @property
    def shape(self) -> tuple[int, int]:
        """Give (height, width)."""
        return self.v.shape[0], self.u.shape[1]

    def window(self, left: float, right: float, top: float, bottom: float) -> tuple[PixelGrid, Slices]:
        """Cut out the pixels inside a box of face coordinates, and say where they lie in this raster."""
        height, width = self.shape
        u0, v0 = float(self.u[0, 0]), float(self.v[0, 0])
        first_col = min(max(math.floor((left - u0) * self.px), 0), width)
        last_col = min(max(math.ceil((right - u0) * self.px) + 1, first_col), width)
        first_row = min(max(math.floor((top - v0) * self.px), 0), height)
        last_row = min(max(math.ceil((bottom - v0) * self.px) + 1, first_row), height)
        rows, cols = slice(first_row, last_row), slice(first_col, last_col)
        return PixelGrid(self.u[:, cols], self.v[rows], self.px), (rows, cols)

    def cover(self, distance: Array, softness: float = 0.0) -> Array:
        """Turn a signed distance to an edge (inside positive) into an anti-aliased opacity.

        ``softness`` widens the transition beyond the one pixel that anti-aliasing needs, in face units.
        """
        opacity: Array = distance * (self.px / (1.0 + softness * self.px))
        opacity += 0.5
        np.maximum(opacity, 0.0, out=opacity)
        return np.minimum(opacity, 1.0, out=opacity)

    def blob(self, at: tuple[float, float], spread: tuple[float, float], height: float = 1.0) -> Array:
        """Evaluate a Gaussian bump, as an outer product of two short vectors."""
        return line(self.u - at[0], spread[0]) * (line(self.v - at[1], spread[1]) * height)

    def hills(self, bumps: Sequence[Bump]) -> Array:
        """Add up many Gaussian bumps at once, each given as (u, v, spread in u, spread in v, height)."""
        u, v, spread_u, spread_v, height = np.array(bumps, dtype=np.float32).T[:, :, None]
        across = np.exp(-np.square((self.u - u) / spread_u))
        down = height * np.exp(-np.square((self.v[:, 0] - v) / spread_v))
        total: Array = np.einsum("kr,kc->rc", down, across)
        return total


def line(distance: Array, width: float) -> Array:
    """Give the soft cross-section of a drawn line at a distance from its middle."""
    profile: Array = np.exp(-np.square(distance * (1.0 / width)))
    return profile


def ramp(x: Array, low: float, high: float) -> Array:
    """Rise smoothly from 0 at ``low`` to 1 at ``high`` (or fall, if ``high`` < ``low``)."""
    t = clamp((x - low) * (1.0 / (high - low)))
    return t * t * (3.0 - 2.0 * t)


def clamp(x: Array, low: float = 0.0, high: float = 1.0) -> Array:
    """Bound every value; on small arrays this costs a fraction of ``np.clip``."""
    return np.minimum(np.maximum(x, low), high)


def within(x: float, low: float, high: float) -> float:
    """Bound a number."""
    return min(max(float(x), low), high)


def mix(under: Array, over: Array | float, opacity: Array) -> None:
    """Lay ``over`` on ``under`` in place."""
    under += (over - under) * opacity


def outline_distance(grid: PixelGrid, half_width: Array) -> Array:
    """Measure, roughly, how far inside an outline each pixel lies.

    ``half_width`` gives the outline as a half-width per row, (height, 1). It must go on smoothly to negative
    values beyond the ends of the shape: see :func:`signed_power`.
    """
    return (half_width - np.abs(grid.u)) * cosine(half_width[:, 0], grid.px)[:, None]


def cosine(curve: Array, px: float) -> Array:
    """Give the cosine of a curve's slope: it turns an offset along an axis into a distance to the curve."""
    lean = np.zeros_like(curve)
    lean[1:-1] = (curve[2:] - curve[:-2]) * (0.5 * px)
    return 1.0 / np.sqrt(1.0 + np.square(clamp(lean, -STEEPEST, STEEPEST)))


def signed_power(x: Array, power: float) -> Array:
    """Raise to a power and keep the sign: closes an outline, and mirrors it beyond its end."""
    return np.sign(x) * np.abs(x) ** power


def stretch(noise: Array, grid: PixelGrid, box: tuple[float, float, float, float]) -> Array:
    """Spread a coarse random field over the face box (left, top, right, bottom) and sample it on ``grid``.

    The field is tied to the face, not to the pixels, so that it moves with the head. It is defined inside the
    box only, and its edge is repeated beyond by less than a pixel.
    """
    from PIL import Image

    rows, cols = noise.shape
    left, top, right, bottom = box
    across, down = cols / (right - left), rows / (bottom - top)
    half = 0.5 / grid.px
    height, width = grid.shape
    source = (
        max((float(grid.u[0, 0]) - half - left) * across, 0.0),
        max((float(grid.v[0, 0]) - half - top) * down, 0.0),
        min((float(grid.u[0, -1]) + half - left) * across, float(cols)),
        min((float(grid.v[-1, 0]) + half - top) * down, float(rows)),
    )
    picture = Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC, box=source)
    return np.asarray(picture, dtype=np.float32)
