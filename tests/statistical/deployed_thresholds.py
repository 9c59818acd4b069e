"""Populations whose false match rate is known at every threshold, and how often thresholds keep it on new people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import beta, gamma, norm

from proband.inference.verification.people.meetings import Comparisons
from proband.inference.verification.thresholds.bound_path import BoundPath

Floats = npt.NDArray[np.float64]
Drawn = Callable[[np.random.Generator, int], Floats]
_GRID = np.linspace(0, 40, 8001)
_MANY = 24_000  # people of whom the rate of embeddings is found


@dataclass(frozen=True)
class Population:
    """What images of some people score with each other, and the threshold at which new people have a false match rate."""

    scores: Callable[[np.random.Generator, npt.NDArray[np.intp]], Floats]
    threshold: Callable[[float], float]


def _latent(drawn: Drawn, fmr: Callable[[float], float]) -> Population:
    """People drawn towards others by an amount each: a score is the two amounts and normal noise."""

    def scores(rng: np.random.Generator, people: npt.NDArray[np.intp]) -> Floats:
        amounts = drawn(rng, people.max() + 1)[people]
        noise = np.triu(rng.normal(size=(len(people), len(people))), 1)
        made: Floats = noise + noise.T + amounts[:, None] + amounts
        return made

    return Population(scores, lambda rate: float(brentq(lambda t: fmr(t) - rate, -5, 40)))


def _normal(deviation: float) -> Population:
    scale = np.sqrt(1 + 2 * deviation**2)
    return _latent(lambda rng, n: deviation * rng.normal(size=n), lambda t: float(norm.sf(t / scale)))


def _lambs(most: float) -> Population:
    """Most are hardly drawn towards others, and some by up to `most`: a beta distribution with a long tail that ends."""
    amounts = most * beta.ppf((np.arange(300) + 0.5) / 300, 1, 3)
    both = np.add.outer(amounts, amounts).ravel()
    return _latent(lambda rng, n: most * rng.beta(1, 3, size=n), lambda t: float(norm.sf(t - both).mean()))


def _heavy_lambs(scale: float) -> Population:
    """Amounts without an end: the few largest carry the variance, and more so the more people there are."""
    weights = gamma.pdf(_GRID, 2, scale=scale) * (_GRID[1] - _GRID[0])
    return _latent(
        lambda rng, n: scale * rng.exponential(size=n), lambda t: float(weights @ norm.sf(t - _GRID))
    )


def _classes(share: float, apart: float) -> Population:
    def fmr(t: float) -> float:
        chances = (1 - share) ** 2, 2 * share * (1 - share), share**2
        return float(sum(chance * norm.sf(t - k * apart) for k, chance in enumerate(chances)))

    return _latent(lambda rng, n: apart * (rng.random(n) < share), fmr)


def centred(drawn: Drawn, dimensions: int = 32, noise: float = 0.5) -> Population:
    """Embeddings of people who are drawn towards one centre by an amount each, and so are taken for each other."""

    def embedded(rng: np.random.Generator, people: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        n = people.max() + 1
        centres = rng.normal(size=(n, dimensions)) / np.sqrt(dimensions)
        centres[:, 0] += drawn(rng, n)
        made = centres[people] + noise * rng.normal(size=(len(people), dimensions)) / np.sqrt(dimensions)
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)

    def scores(rng: np.random.Generator, people: npt.NDArray[np.intp]) -> Floats:
        one = embedded(rng, people)
        return (one @ one.T).astype(np.float64)

    def threshold(rate: float) -> float:
        one, block = embedded(np.random.default_rng(99), np.arange(_MANY)), 2_000
        most, closest = int(rate * _MANY * (_MANY - 1) / 2), np.empty(0, dtype=np.float32)
        for start in range(0, _MANY, block):
            values = one[start : start + block] @ one[start:].T
            values[np.tril_indices(block, 0, values.shape[1])] = -2
            least = closest.min() if len(closest) == most else -1.5
            closest = np.concatenate([closest, values[values > least]])
            if len(closest) > most:
                closest = np.partition(closest, -most)[-most:]
        return float(closest.min())

    return Population(scores, threshold)


POPULATIONS = {"normal": _normal(0.3), "lambs": _lambs(1.2), "two classes": _classes(0.1, 1.5)}
CENTRED = {
    "exponential": centred(lambda rng, n: 0.5 * rng.exponential(size=n)),
    "mild": centred(lambda rng, n: 0.3 * rng.exponential(size=n)),
    "two classes": centred(lambda rng, n: 0.9 * (rng.random(n) < 0.15)),
}
HEAVY = _heavy_lambs(0.2)


def zipf(people: int) -> list[int]:
    """From twenty images of a person to one, most of them of a few."""
    return [max(1, round(20 / place**0.8)) for place in range(1, people + 1)]


def kept(
    population: Population, images: list[int], fmr: float, sets: int, seed: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """How often the plain threshold and the sure one keep the rate on new people, and how often there is none."""
    rng, true = np.random.default_rng(seed), population.threshold(fmr)
    plain = sure = refused = 0
    for _ in range(sets):
        each = rng.permutation(images)
        people = np.repeat(np.arange(len(each)), each)
        met = Comparisons(each, each, symmetric=True)
        i, j = np.triu_indices(len(people), 1)
        values = np.where(people[i] == people[j], -np.inf, population.scores(rng, people)[i, j])
        most = int(fmr * met.n_impostor)
        tail = np.argpartition(-values, most)[:most]
        path = BoundPath.of(people[i[tail]], people[j[tail]], values[tail], met, confidence)
        plain += path.closeness[-1] >= true
        allowed = path.allowed(fmr)
        refused += allowed == 0
        sure += allowed > 0 and path.closeness[path.errors <= allowed][-1] >= true
    return plain / sets, sure / max(sets - refused, 1), refused / sets
