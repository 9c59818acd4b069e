"""Populations whose false match rate is known at every threshold, and how often thresholds keep it on new people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import beta, gamma, norm

from proband.inference.verification.bound_path import BoundPath
from proband.inference.verification.meetings import Comparisons

Floats = npt.NDArray[np.float64]
_GRID = np.linspace(0, 40, 8001)


@dataclass(frozen=True)
class Population:
    """People drawn towards others by an amount each: a score is the two amounts and normal noise."""

    drawn: Callable[[np.random.Generator, int], Floats]
    fmr: Callable[[float], float]


def _normal(deviation: float) -> Population:
    scale = np.sqrt(1 + 2 * deviation**2)
    return Population(lambda rng, n: deviation * rng.normal(size=n), lambda t: float(norm.sf(t / scale)))


def _lambs(most: float) -> Population:
    """Most are hardly drawn towards others, and some by up to `most`: a beta distribution with a long tail that ends."""
    places = (np.arange(300) + 0.5) / 300
    amounts = most * beta.ppf(places, 1, 3)
    both = np.add.outer(amounts, amounts).ravel()
    return Population(lambda rng, n: most * rng.beta(1, 3, size=n), lambda t: float(norm.sf(t - both).mean()))


def _heavy_lambs(scale: float) -> Population:
    """Amounts without an end: the few largest carry the variance, and more so the more people there are."""
    weights = gamma.pdf(_GRID, 2, scale=scale) * (_GRID[1] - _GRID[0])
    return Population(
        lambda rng, n: scale * rng.exponential(size=n), lambda t: float(weights @ norm.sf(t - _GRID))
    )


def _classes(share: float, apart: float) -> Population:
    def fmr(t: float) -> float:
        chances = (1 - share) ** 2, 2 * share * (1 - share), share**2
        return float(sum(chance * norm.sf(t - k * apart) for k, chance in enumerate(chances)))

    return Population(lambda rng, n: apart * (rng.random(n) < share), fmr)


POPULATIONS = {"normal": _normal(0.3), "lambs": _lambs(1.2), "two classes": _classes(0.1, 1.5)}
HEAVY = _heavy_lambs(0.2)


def kept(
    population: Population, people: int, fmr: float, sets: int, seed: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """How often the plain threshold and the sure one keep the rate on new people, and how often there is none."""
    rng = np.random.default_rng(seed)
    true = brentq(lambda t: population.fmr(t) - fmr, -5, 40)
    met = Comparisons([1] * people, [1] * people, symmetric=True)
    i, j = np.triu_indices(people, 1)
    most = int(fmr * met.n_impostor)
    plain = sure = refused = 0
    for _ in range(sets):
        drawn = population.drawn(rng, people)
        scores = rng.normal(size=len(i)) + drawn[i] + drawn[j]
        tail = np.argpartition(-scores, most)[:most]
        path = BoundPath.of(i[tail], j[tail], scores[tail], met, confidence)
        plain += path.closeness[-1] >= true
        allowed = path.allowed(fmr)
        refused += allowed == 0
        sure += allowed > 0 and path.closeness[path.errors <= allowed][-1] >= true
    return plain / sets, sure / max(sets - refused, 1), refused / sets
