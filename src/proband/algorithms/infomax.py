"""Independent components by InfoMax (Bell and Sejnowski 1995): the maximum-likelihood unmixing for logistic sources."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MOST_ROUNDS = 300
SETTLED = 1e-2
_HALVINGS = 20
_REMEMBERED = 7
_FACTORS = 1_000  # of a product: each is below two, and 2**1000 is a number
_LEAST_CURVATURE = 1e-2


@dataclass(frozen=True, eq=False)
class Unmixing:
    """The result of InfoMax.

    Attributes
    ----------
    matrix
        Maps an observation, minus the mean, to its sources; one source per row.
    rotation
        Its part after the whitening; unlike a rotation, it is not an orthogonal matrix.
    log_likelihood
        The mean over observations, for comparing rounds.
    gradient
        The largest entry of the natural gradient at the end of the search.
    rounds, settled
        The number of rounds, and whether the gradient became small enough.
    """

    matrix: Floats
    rotation: Floats
    log_likelihood: float
    gradient: float
    rounds: int
    settled: bool


def infomax(observations: Floats, rounds: int = MOST_ROUNDS, tolerance: float = SETTLED) -> Unmixing:
    """Unmix observations, one per row, into sources that are as independent as a linear map can make them.

    The search climbs L(W) = log |det W| + mean Σ log g'(u), u = Wx of whitened x and g the logistic function, by the natural
    gradient (Amari 1998) I + mean (1 − 2g(u))uᵀ. Steps are scaled by the curvature of each pair of sources
    and by an L-BFGS approximation of the rest (Ablin, Cardoso and Gramfort 2018), and halved until L grows.
    The search starts at the whitening and is deterministic. Unlike FastICA it does not keep sources
    uncorrelated. Sources must have longer tails than a normal distribution, as the logistic distribution has.
    """
    centred = observations - observations.mean(axis=0)
    whitening = _whitening(centred)
    here = _Place.at(np.eye(len(whitening)), whitening @ centred.T)
    remembered: deque[tuple[Floats, Floats]] = deque(maxlen=_REMEMBERED)
    taken = 0
    while taken < rounds and np.abs(here.gradient).max() > tolerance:
        ahead = _direction(here, remembered)
        if np.vdot(ahead, here.gradient) <= 0:
            remembered.clear()
            ahead = _direction(here, remembered)
        step, there = _climb(here, ahead)
        if there is None:
            if not remembered:
                break
            remembered.clear()
            continue
        taken += 1
        remembered.append((step * ahead, here.gradient - there.gradient))
        here = there
    largest = float(np.abs(here.gradient).max())
    return Unmixing(here.turned @ whitening, here.turned, here.level, largest, taken, largest <= tolerance)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where the search stands: the unmixing of white data, its sources, and how likely it is; `fallen` is exp −|u|."""

    turned: Floats
    sources: Floats
    fallen: Floats
    level: float

    @classmethod
    def at(cls, turned: Floats, sources: Floats) -> _Place:
        fallen = np.exp(-np.abs(sources))
        return cls(turned, sources, fallen, _level(turned, sources, fallen))

    @cached_property
    def slopes(self) -> Floats:
        """2g(u) − 1, which is tanh(u/2)."""
        return np.copysign((1 - self.fallen) / (1 + self.fallen), self.sources)

    @cached_property
    def gradient(self) -> Floats:
        """The slope of the likelihood along (I + E)W: I + mean (1 − 2g(u))uᵀ."""
        slope: Floats = np.eye(len(self.turned)) - self.slopes @ self.sources.T / self.sources.shape[1]
        return slope


def _level(turned: Floats, sources: Floats, fallen: Floats) -> float:
    """The log-likelihood: log g'(u) = −|u| − 2 log(1 + exp −|u|), where logarithms are of products, which are few."""
    n = sources.shape[1]
    starts = np.arange(0, n, _FACTORS)
    products = np.multiply.reduceat(1 + fallen, starts, axis=1)
    logistic = -np.abs(sources).sum() - 2 * np.log(products).sum()
    return float(np.linalg.slogdet(turned)[1] + logistic / n)


def log_likelihood(unmixing: Floats, white: Floats) -> float:
    """Return the mean log-likelihood of the observations, one per column, for logistic sources."""
    return _Place.at(unmixing, unmixing @ white).level


def natural_gradient(unmixing: Floats, white: Floats) -> Floats:
    """Return the gradient of the likelihood along (I + E)W."""
    return _Place.at(unmixing, unmixing @ white).gradient


def _climb(here: _Place, ahead: Floats) -> tuple[float, _Place | None]:
    """Go ahead as far as the likelihood grows: a whole step, or a half, or a quarter, …"""
    step = 1.0
    for _ in range(_HALVINGS):
        moved = np.eye(len(ahead)) + step * ahead
        there = _Place.at(moved @ here.turned, moved @ here.sources)
        if there.level > here.level:
            return step, there
        step /= 2
    return 0.0, None


def _direction(here: _Place, remembered: Iterable[tuple[Floats, Floats]]) -> Floats:
    """The gradient over the curvature: that of the last steps (the two loops of L-BFGS), and between them that of pairs."""
    toward = here.gradient
    shares: list[tuple[float, float]] = []
    steps = [(moved, bent) for moved, bent in remembered if np.vdot(moved, bent) > 0]
    for moved, bent in reversed(steps):
        scale = 1 / float(np.vdot(moved, bent))
        share = scale * float(np.vdot(moved, toward))
        shares.append((scale, share))
        toward = toward - share * bent
    toward = _over_pairs(toward, here)
    for (moved, bent), (scale, share) in zip(steps, reversed(shares), strict=True):
        toward = toward + (share - scale * float(np.vdot(bent, toward))) * moved
    return toward


def _over_pairs(gradient: Floats, here: _Place) -> Floats:
    """The gradient over the curvature of nearly independent sources, which joins only E_ij and E_ji."""
    n = here.sources.shape[1]
    bent = (1 - np.einsum("ij,ij->i", here.slopes, here.slopes) / n) / 2
    curved = np.outer(bent, np.einsum("ij,ij->i", here.sources, here.sources) / n)
    least = (curved + curved.T - np.sqrt((curved - curved.T) ** 2 + 4)) / 2
    lifted = curved + np.where(least < _LEAST_CURVATURE, _LEAST_CURVATURE - least, 0)
    ahead: Floats = (lifted.T * gradient - gradient.T) / (lifted * lifted.T - 1)
    np.fill_diagonal(ahead, np.diag(gradient) / (np.diag(curved) + 1))
    return ahead


def _whitening(centred: Floats) -> Floats:
    """The symmetric map after which observations are uncorrelated with variance one."""
    values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
    made: Floats = (vectors / np.sqrt(values)) @ vectors.T
    return made
