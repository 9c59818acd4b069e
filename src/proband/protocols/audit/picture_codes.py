"""Pictures in a few bits, to find those that show the same, and the sharper look that tells copies from lookalikes."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.pictures import Grey

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

WORDS = 4
"""Words of 64 bits that a code takes."""

_GRID = 11  # squares a side: 2 × 11² = 242 bits
_FLAT = 1.0  # grey levels of standard deviation below which a picture shows nothing
_REACH = 3  # pixels by which a copy may be shifted
_LARGEST = 192  # pixels a side that are compared; larger pictures are averaged down


def content(picture: Grey) -> bytes:
    """A digest of the pixels, whatever file they came from."""
    shape = np.array(picture.shape, dtype=np.int64).tobytes()
    return hashlib.blake2b(shape + np.ascontiguousarray(picture).tobytes(), digest_size=16).digest()


def code(picture: Grey) -> Words | None:
    """Put a picture into 242 bits: is a square brighter than its left and its upper neighbour, on a grid of 12 × 12?

    Brightness, contrast and compression hardly change these signs, which go back to the difference hash. A picture that
    is all of one grey has no code.
    """
    if picture.std() < _FLAT:
        return None
    squares = averaged(picture, _GRID + 1, _GRID + 1)
    right = squares[:-1, 1:] > squares[:-1, :-1]
    below = squares[1:, :-1] > squares[:-1, :-1]
    bits = np.zeros(64 * WORDS, np.bool_)
    bits[: 2 * _GRID**2] = np.concatenate([right.ravel(), below.ravel()])
    return np.packbits(bits).view(np.uint64)


def averaged(picture: npt.NDArray[np.generic], height: int, width: int) -> Floats:
    """Shrink (or stretch) a picture by the averages over the area of each new pixel."""
    values = np.asarray(picture, np.float64)
    if values.shape == (height, width):
        return values
    return np.asarray(_weights(values.shape[0], height) @ values @ _weights(values.shape[1], width).T)


@lru_cache(maxsize=64)
def _weights(old: int, new: int) -> Floats:
    """How much each old pixel of a line is part of each new one; rows add to 1."""
    edges = np.linspace(0, old, new + 1)
    pixels = np.arange(old)
    shared = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    overlap = np.clip(shared, 0, None)
    return np.asarray(overlap / overlap.sum(axis=1, keepdims=True))


def likeness(one: Grey, other: Grey) -> float:
    """The largest correlation of two pictures' pixels over shifts of up to three pixels.

    Sizes that differ by no more than such shifts are a cut edge; pictures of other sizes are brought to the smaller one first.
    """
    shapes = np.array([one.shape, other.shape])
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    if np.ptp(shapes, axis=0).max() > 2 * _REACH or shapes.max() > _LARGEST:
        least = shapes.min(axis=0)
        scale = min(1.0, _LARGEST / least.max())
        height, width = (max(1, round(float(scale * side))) for side in least)
        first, second = averaged(one, height, width), averaged(other, height, width)
    shifts = range(-_REACH, _REACH + 1)
    return max(_correlation(first, second, down, across) for down in shifts for across in shifts)


def _correlation(one: Floats, other: Floats, down: int, across: int) -> float:
    a, b = one[max(down, 0) :, max(across, 0) :], other[max(-down, 0) :, max(-across, 0) :]
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    if height < 1 or width < 1:
        return -1.0
    a, b = a[:height, :width], b[:height, :width]
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt(np.vdot(a, a) * np.vdot(b, b)))
    return float(np.vdot(a, b)) / size if size > 0 else 0.0
