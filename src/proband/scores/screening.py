"""A float32 screen of embedding scores whose error is bounded, so that only doubtful pairs need exact scores.

For every probe, the screen value is an increasing function of closeness, up to an error of at most `band`:

- cosine: the product of unit vectors;
- inner product: the product of the unit probe with the gallery scaled by its longest vector;
- Euclidean distance: x·y − |y|²/2, which orders the gallery like the distance to x, after moving the origin to the
  gallery's centre and scaling the longest vector to one.

All factors have length at most one, so the error of a float32 product of d terms is at most about d·2⁻²⁴ in any
order of addition (Higham's bound); rounding of the factors adds a few units: at most two for each factor of a cosine and
one for the others, of the sixteen that the band allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.engine import slices
from proband.samples.ids import Positions
from proband.scores.base import Values
from proband.scores.embeddings import Embeddings

_UNIT = 2.0**-24  # float32's unit roundoff
SHORTEST = 1e-140  # squares of shorter lengths lose digits
_SHORT, _LONG = 1e-30, 1e30  # between these, lengths and their inverses are well within the range of float32
_BLOCK = 1 << 14

Singles = npt.NDArray[np.float32]
Rows = Callable[[Positions], Values]


@dataclass(frozen=True)
class Screen:
    """Probes prepared for screening, and the preparation of gallery blocks."""

    embeddings: Embeddings
    probes: Singles
    band: float
    centre: Values
    scale: float
    probe_norms: Values
    centred_norms: Values

    def gallery(self, vectors: Values, norms: Values) -> Singles:
        """Prepare a block of gallery vectors, to be screened by ``probes @ gallery(...).T``."""
        metric = self.embeddings.metric
        if metric == "cosine":
            return _unit(vectors, norms)
        if metric == "inner":
            return (vectors / np.float64(self.scale)).astype(
                np.float32
            )  # a bare float would divide in float32
        centred = (vectors - self.centre) / self.scale
        half = 0.5 * np.einsum("ij,ij->i", centred, centred)
        return np.concatenate([centred, -half[:, None]], axis=1).astype(np.float32)

    def limits(self, best: Values) -> tuple[Singles, Singles]:
        """The limits of screen values between which a pair is too near the best mate's score to be decided."""
        metric = self.embeddings.metric
        if metric == "cosine":
            centre = best
        elif metric == "inner":
            centre = best / (self.scale * np.where(self.probe_norms > 0, self.probe_norms, 1.0))
        else:
            centre = 0.5 * ((self.centred_norms / self.scale) ** 2 - (best / self.scale) ** 2)
        low, high = (centre - self.band).astype(np.float32), (centre + self.band).astype(np.float32)
        infinity = np.float32(np.inf)
        return np.nextafter(low, -infinity), np.nextafter(high, infinity)


def make_screen(embeddings: Embeddings, rows: Positions, columns: Positions) -> Screen:
    """Prepare the probes at `rows` for screening against the gallery at `columns`."""
    vectors = embeddings.query_rows(rows)
    norms = embeddings.query_norms(vectors, rows)
    centre, scale = np.zeros(embeddings.dimension), 1.0
    if embeddings.metric == "l2":
        centre = mean_vector(embeddings.target_rows, columns)
        longest = max(float(_lengths(vectors - centre).max()), SHORTEST)
        # Below the shortest, squares are subnormal and lose digits; all differences are then inside the band.
        scale = max(longest_vector(embeddings.target_rows, columns, centre), longest)
    elif embeddings.metric == "inner":
        scale = longest_vector(embeddings.target_rows, columns, centre) or 1.0
    return screen_of(embeddings, vectors, norms, centre, scale)


def screen_of(embeddings: Embeddings, vectors: Values, norms: Values, centre: Values, scale: float) -> Screen:
    """Prepare probes, given the centre and scale of the gallery."""
    is_l2 = embeddings.metric == "l2"
    centred_norms = np.empty(len(norms)) if is_l2 else norms
    probes = np.ones((len(vectors), embeddings.dimension + is_l2), dtype=np.float32)
    for block in slices(len(vectors), _BLOCK >> 2):  # intermediate results take twice the memory
        some, lengths = vectors[block], norms[block, None]
        if is_l2:
            shifted = some - centre
            centred_norms[block] = _lengths(shifted)
            probes[block, :-1] = shifted / scale
        elif embeddings.metric == "inner":
            probes[block] = some / np.where(lengths > 0, lengths, 1.0)
        else:
            probes[block] = _unit(some, norms[block])
    factor = 2.0 if is_l2 else 1.0  # |x||y| + |y|²/2 is at most 3/2
    band = 1.01 * factor * (embeddings.dimension + 16) * _UNIT
    return Screen(embeddings, probes, band, centre, scale, norms, centred_norms)


def _unit(vectors: Values, norms: Values) -> Singles:
    """Return vectors rounded to unit length: in float32 only, with two more units of error, if its range suffices."""
    if vectors.dtype == np.float32 and norms.min() > _SHORT and norms.max() < _LONG:
        return vectors * (1.0 / norms).astype(np.float32)[:, None]
    return (vectors / norms[:, None]).astype(np.float32)


def _lengths(vectors: Values) -> Values:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))


def mean_vector(vectors: Rows, positions: Positions) -> Values:
    """The mean of some vectors, read block by block."""
    total = sum(
        vectors(positions[block]).sum(axis=0, dtype=np.float64) for block in slices(len(positions), _BLOCK)
    )
    return np.asarray(total) / len(positions)


def longest_vector(vectors: Rows, positions: Positions, centre: Values) -> float:
    """The largest distance of some vectors from a centre, read block by block."""
    longest = 0.0
    for block in slices(len(positions), _BLOCK):
        shifted = vectors(positions[block]) - centre
        longest = max(longest, float(np.einsum("ij,ij->i", shifted, shifted).max()))
    return float(np.sqrt(longest))
