"""The same question for a statistic without a closed form: the median censored rank.

People have median ranks of their own, log-normally spread about a common one, and the ranks of their probes are geometric.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special
from tests.statistical.trust_simulation import LEVEL, Ends, Trust

from proband.designs import BRR, Bootstrap, Fay, RaoWu, StratifiedDesign
from proband.designs.strata import Strata
from proband.inference.proportions import t_quantile

CENSORED = 100
SPREADS = {0.0: 0.0, 0.1: 0.5, 0.3: 1.05, 0.5: 1.85}  # by the correlation they make at the median
_RANKS = np.arange(1, CENSORED + 1)
_BATCH = 20  # data sets that go through a matrix product together


class RankPopulation(NamedTuple):
    """People with as many probes each, about a median rank; `spread` is of the logarithms of their own."""

    people: int
    probes: int
    centre: float
    spread: float


class Ranks(NamedTuple):
    """Data sets of one population (data sets × people × probes), and the median of further images of the same people."""

    ranks: np.ndarray
    own: np.ndarray


def draw_ranks(population: RankPopulation, n_sets: int, seed: int = 0) -> Ranks:
    """Draw people, and then the ranks of their probes."""
    people, probes, centre, spread = population
    rng = np.random.default_rng([seed, people, probes, round(10 * centre), round(100 * spread)])
    own = centre * np.exp(spread * rng.standard_normal((n_sets, people)))
    ranks = np.floor(own[:, :, None] * -np.log2(1 - rng.random((n_sets, people, probes)))) + 1
    truths = np.array([_median_of(one) for one in own])
    return Ranks(np.minimum(ranks, CENSORED).astype(np.int64), truths)


def population_median(population: RankPopulation) -> tuple[int, float]:
    """The median of other people, and the intraclass correlation of whether a probe is at or below it."""
    normal = special.ndtri((np.arange(20_000) + 0.5) / 20_000)
    own = population.centre * np.exp(population.spread * normal)
    median = _median_of(own)
    reached = 1 - 2 ** (-median / own)
    return median, float(reached.var() / (reached.mean() * (1 - reached.mean())))


def _median_of(own: np.ndarray) -> int:
    """The least rank that half of the images reach, of people in equal shares with these medians."""
    return int((1 - 2 ** (-_RANKS[:, None] / own)).mean(axis=1).searchsorted(0.5)) + 1


def median_trust(
    population: RankPopulation, n_sets: int, seed: int = 0, replicates: int = 1_000
) -> dict[str, Trust]:
    """The coverage of every interval of the median for both questions."""
    drawn = draw_ranks(population, n_sets, seed)
    truth = population_median(population)[0]
    found = {}
    for name, (low, high) in median_intervals(drawn.ranks, replicates).items():
        held = [float(((low <= true) & (true <= high)).mean()) for true in (drawn.own, truth)]
        found[name] = Trust(*held, float((high - low).mean()))
    return found


def median_intervals(ranks: np.ndarray, replicates: int) -> dict[str, Ends]:
    """All intervals of all data sets (data sets × people × probes)."""
    _, people, probes = ranks.shape
    units = ranks.reshape(len(ranks), -1)
    made = {}
    for unit in ("probe", "subject"):
        bootstrap = Bootstrap(unit, n_resamples=replicates)
        n_units = units.shape[1] if unit == "probe" else people
        weights = np.concatenate(list(bootstrap.weights(n_units, 0)))
        found = _medians(units, np.repeat(weights, units.shape[1] // n_units, axis=1))
        low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
        made[f"bootstrap over {'probes' if unit == 'probe' else 'people'}"] = (low, high)
    for name, design in {"BRR": BRR(), "Fay": Fay(), "Rao–Wu": RaoWu(n_resamples=replicates)}.items():
        made[name] = _replicated(units, people, probes, design)
    return made


def _replicated(units: np.ndarray, people: int, probes: int, design: StratifiedDesign) -> Ends:
    """Student's interval with the variance of a design's replicates."""
    plan = design.replicates(Strata.of(np.repeat(np.arange(people), probes)))
    (part,) = plan.parts
    factors = np.concatenate(list(part.blocks(units.shape[1])))
    value = _medians(units, np.ones((1, units.shape[1])))[:, 0]
    error = np.sqrt((_medians(units, factors) - value[:, None]) ** 2 @ part.scale)
    freedom = float(people * (probes - 1))
    if isinstance(design, RaoWu):  # replicates that are drawn by chance add to the noise of the variance
        freedom = 1 / (1 / freedom + 1 / (design.n_resamples - 1))
    reach = t_quantile(LEVEL, freedom) * error
    return value - reach, value + reach


def _medians(units: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted medians: data sets × replicates. The weights are few binary digits long, so single precision is exact."""
    single = weights.astype(np.float32)
    half = single.sum(axis=1)[:, None, None] / 2
    found = []
    for start in range(0, len(units), _BATCH):
        batch = units[start : start + _BATCH]
        reached = (batch.T[:, :, None] <= _RANKS).astype(np.float32)
        running = (single @ reached.reshape(len(reached), -1)).reshape(len(single), len(batch), CENSORED)
        lower, upper = (running < half).sum(axis=2), (running <= half).sum(axis=2)
        found.append((lower + np.minimum(upper, CENSORED - 1)).T / 2 + 1)
    return np.concatenate(found)
