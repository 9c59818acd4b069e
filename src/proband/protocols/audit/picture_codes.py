"""Codes of images in a few bits, to find candidates for copies: whole, mirrored or cropped."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.pictures import Grey

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

WORDS = 4
"""The number of 64-bit words in a code."""

_GRID = 11  # squares a side: 2 × 11² = 242 bits
_FLAT = 1.0  # grey levels of standard deviation below which a picture shows nothing
Span = tuple[float, float]


class PictureView(NamedTuple):
    """A part of an image, possibly mirrored; `cut` is the share cropped from the top, bottom, left and right."""

    mirrored: bool = False
    cut: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


_CUTS = (
    *((share,) * 4 for share in (0.0, 0.03, 0.06, 0.1)),
    *(tuple(0.05 * (side == cut) for side in range(4)) for cut in range(4)),
)
VIEWS = tuple(PictureView(mirrored, cut) for mirrored in (False, True) for cut in _CUTS)  # type: ignore[arg-type]
"""The views of an image that are compared with other images; the first is the whole image."""


def content(picture: Grey) -> bytes:
    """Return a digest of the pixels, independent of the file format."""
    shape = np.array(picture.shape, dtype=np.int64).tobytes()
    return hashlib.blake2b(shape + np.ascontiguousarray(picture).tobytes(), digest_size=16).digest()


def code(picture: Grey, view: PictureView = VIEWS[0]) -> Words | None:
    """Encode a view of an image in 242 bits: whether each square of a 12 × 12 grid is brighter than its left and upper neighbours.

    Brightness, contrast and compression hardly change these signs (a difference hash). An image with a
    single grey value has no code.
    """
    if picture.std() < _FLAT:
        return None
    height, width = picture.shape
    top, bottom, left, right = view.cut
    window = ((top * height, height - bottom * height), (left * width, width - right * width))
    squares = averaged(picture, _GRID + 1, _GRID + 1, window)
    if view.mirrored:
        squares = squares[:, ::-1]
    beside = squares[:-1, 1:] > squares[:-1, :-1]
    below = squares[1:, :-1] > squares[:-1, :-1]
    bits = np.zeros(64 * WORDS, np.bool_)
    bits[: 2 * _GRID**2] = np.concatenate([beside.ravel(), below.ravel()])
    return np.packbits(bits).view(np.uint64)


def averaged(
    picture: npt.NDArray[np.generic], height: int, width: int, window: tuple[Span, Span] | None = None
) -> Floats:
    """Resize an image, or a window of it, by averaging over the area of each new pixel."""
    values = np.asarray(picture, np.float64)
    rows, columns = window or ((0.0, values.shape[0]), (0.0, values.shape[1]))
    down, across = _weights(values.shape[0], height, *rows), _weights(values.shape[1], width, *columns)
    return np.asarray(down @ values @ across.T)


@lru_cache(maxsize=256)
def _weights(old: int, new: int, start: float, stop: float) -> Floats:
    """How much each old pixel of a line is part of each new one between two places; rows add to 1."""
    edges = np.linspace(start, stop, new + 1)
    pixels = np.arange(old)
    shared = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    overlap = np.clip(shared, 0, None)
    return np.asarray(overlap / overlap.sum(axis=1, keepdims=True))
