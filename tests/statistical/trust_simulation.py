"""Which interval can be trusted for which question? Simulated people whose own rates are known.

Thousands of data sets at once: with equally many probes of each person, every interval of a rate follows from how many people
have 0, 1, … successes. ``python -m tests.statistical.trust_tables`` prints the tables of docs/understand/trust.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import fft, special, stats

from proband.inference.proportions import normal_quantile, t_quantile, wilson_ends

LEVEL = 0.95
RATES, CORRELATIONS = (0.6, 0.8, 0.95), (0.0, 0.1, 0.2, 0.3, 0.5)
PEOPLE, PROBES = (20, 50, 200, 481), (2, 3, 5)
RAO_WU = 2_000  # replicates, as by default

Ends = tuple[np.ndarray, np.ndarray]


class Population(NamedTuple):
    """People with as many probes each; `icc` says how much their own rates differ (beta-distributed)."""

    people: int
    probes: int
    rate: float
    icc: float


class Drawn(NamedTuple):
    """Data sets of one population: how many people have 0, 1, … successes, and the mean of the people's own rates."""

    people: np.ndarray
    own: np.ndarray


class Trust(NamedTuple):
    """How often an interval holds the truth of either question, and how wide it is on average."""

    images: float
    others: float
    width: float


def draw(population: Population, n_sets: int, seed: int = 0) -> Drawn:
    """Draw people, and then their probes."""
    people, probes, rate, icc = population
    rng = np.random.default_rng([seed, people, probes, round(1000 * rate), round(1000 * icc)])
    own = np.full((n_sets, people), rate)
    if icc > 0:
        own = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, (n_sets, people))
    successes = rng.binomial(probes, own)
    counts = np.stack([(successes == y).sum(axis=1) for y in range(probes + 1)], axis=1)
    return Drawn(counts, own.mean(axis=1))


def trust(population: Population, n_sets: int, seed: int = 0, rao_wu: int = RAO_WU) -> dict[str, Trust]:
    """The coverage of every interval for both questions."""
    drawn = draw(population, n_sets, seed)
    rng = np.random.default_rng([seed, 1])
    found = {}
    for name, (low, high) in intervals(drawn.people, rng, rao_wu).items():
        held = [float(((low <= truth) & (truth <= high)).mean()) for truth in (drawn.own, population.rate)]
        found[name] = Trust(*held, float((high - low).mean()))
    return found


def varying(population: Population, n_sets: int = 2_000) -> float:
    """The mean number of people whose probes do not all come out alike."""
    return float(draw(population, n_sets).people[:, 1:-1].sum(axis=1).mean())


def intervals(counts: np.ndarray, rng: np.random.Generator, rao_wu: int = RAO_WU) -> dict[str, Ends]:
    """All intervals of all data sets (data sets × successes of a person)."""
    n, people = counts.shape[1] - 1, int(counts[0].sum())
    total = people * n
    rate = counts @ np.arange(n + 1) / total
    error = np.sqrt(textbook_variance(counts))
    freedom = float(people * (n - 1))
    usual = t_quantile(LEVEL, freedom)
    made = {
        "binomial": wilson_ends(rate, np.full(len(rate), float(total)), normal_quantile(LEVEL)),
        "bootstrap over probes": _bootstrap_probes(rate, total),
        "delete-one jackknife": _around(
            rate, np.sqrt(rate * (1 - rate) / (total - 1)), t_quantile(LEVEL, total - 1)
        ),
        "clustered": _clustered(counts, rate),
        "bootstrap over people": _bootstrap_people(counts),
        "BRR": _around(rate, error, usual),
        "BRR, Cochran": _around(rate, error, _quantiles(effective_freedom(counts))),
        "BRR, logit": _logit(rate, error, usual),
        "BRR, Wilson": _wilson(rate, error, usual),
    }
    if rao_wu:
        made["Rao–Wu"] = _around(rate, _rao_wu_error(counts, rate, rng, rao_wu), usual)
    return made


def textbook_variance(counts: np.ndarray) -> np.ndarray:
    """The stratified variance of the rate, which BRR and JKn both equal."""
    n, people = counts.shape[1] - 1, counts[0].sum()
    return counts @ _within(n) / (n * people**2)


def effective_freedom(counts: np.ndarray) -> np.ndarray:
    """Cochran's degrees of freedom; all there are where nobody varies."""
    n, people = counts.shape[1] - 1, counts[0].sum()
    below = counts @ _within(n) ** 2 / (n - 1)
    above = (counts @ _within(n)) ** 2
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), people * (n - 1))


def _within(n: int) -> np.ndarray:
    """The variance s² of the outcomes of a person with 0, 1, … n successes."""
    y = np.arange(n + 1)
    return y * (n - y) / (n * (n - 1))


def _quantiles(freedom: np.ndarray) -> np.ndarray:
    return special.stdtrit(np.maximum(freedom, 1.0), 0.5 + LEVEL / 2)


def _around(rate: np.ndarray, error: np.ndarray, quantile: float | np.ndarray) -> Ends:
    return rate - quantile * error, rate + quantile * error


def _logit(rate: np.ndarray, error: np.ndarray, quantile: float) -> Ends:
    fit = (error > 0) & (rate > 0) & (rate < 1)
    inner = np.where(fit, rate, 0.5)
    middle, reach = special.logit(inner), quantile * error / (inner * (1 - inner))
    return np.where(fit, special.expit(middle - reach), rate), np.where(
        fit, special.expit(middle + reach), rate
    )


def _wilson(rate: np.ndarray, error: np.ndarray, quantile: float) -> Ends:
    fit = error > 0
    size = np.where(fit, rate * (1 - rate) / np.where(fit, error, 1.0) ** 2, 1.0)
    low, high = wilson_ends(rate, size, quantile)
    return np.where(fit, low, rate), np.where(fit, high, rate)


def _clustered(counts: np.ndarray, rate: np.ndarray) -> Ends:
    n, people = counts.shape[1] - 1, int(counts[0].sum())
    total = people * n
    residuals = (counts * (np.arange(n + 1) - n * rate[:, None]) ** 2).sum(axis=1)
    binomial = rate * (1 - rate) / total
    mixed = binomial > 0
    effect = people / (people - 1) * residuals / total**2 / np.where(mixed, binomial, 1.0)
    alike = total / (
        1 + (n - 1) / 2
    )  # where nothing varies two probes of a person are supposed to correlate by one half
    size = np.where(mixed, total / np.maximum(1.0, effect), alike)
    return wilson_ends(rate, size, np.where(mixed, t_quantile(LEVEL, people - 1), normal_quantile(LEVEL)))


def _bootstrap_probes(rate: np.ndarray, total: int) -> Ends:
    """Percentiles; the number of successes drawn is binomial."""
    tail = (1 - LEVEL) / 2
    low, high = (stats.binom.ppf(q, total, rate) / total for q in (tail, 1 - tail))
    return low, high


def _bootstrap_people(counts: np.ndarray, cells: int = 1 << 22) -> Ends:
    """Percentiles of endlessly many replicates: the distribution of a sum of independent people, by Fourier transform."""
    n, people = counts.shape[1] - 1, int(counts[0].sum())
    total = people * n
    size = fft.next_fast_len(total + 1, real=True)
    tail = (1 - LEVEL) / 2
    lows, highs = [], []
    for part in np.array_split(counts, -(-len(counts) * total // cells)):
        waves = fft.rfft(part / people, size, axis=1) ** people
        running = fft.irfft(waves, size, axis=1).cumsum(axis=1)
        lows.append((running < tail - 1e-12).sum(axis=1) / total)
        highs.append((running < 1 - tail - 1e-12).sum(axis=1) / total)
    return np.concatenate(lows), np.concatenate(highs)


def _rao_wu_error(
    counts: np.ndarray, rate: np.ndarray, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """The error from replicates that draw n − 1 of n units of each person, as counts of successes."""
    n, people = counts.shape[1] - 1, int(counts[0].sum())
    squares = np.empty(len(counts))
    for place, count in enumerate(counts):
        drawn = np.full(replicates, float(count[n] * (n - 1)))
        for y in range(1, n):
            drawn += rng.binomial(count[y] * (n - 1), y / n, replicates)
        squares[place] = ((drawn / (people * (n - 1)) - rate[place]) ** 2).mean()
    return np.sqrt(squares)


def expected(icc: float, probes: int, variance: str, question: str) -> float:
    """The coverage of an interval with one variance (``images``, ``binomial``, ``people``) for a question about another.

    As shares of the binomial variance, the rate varies by 1 − icc over new images of the same people and by
    1 + icc × (probes − 1) over new people.
    """
    parts = {"images": 1 - icc, "binomial": 1.0, "people": 1 + icc * (probes - 1)}
    return float(2 * special.ndtr(normal_quantile(LEVEL) * np.sqrt(parts[variance] / parts[question])) - 1)


def held_by_varying(n_sets: int) -> dict[str, np.ndarray]:
    """For each data set at a rate of .95: how many people vary, and which intervals hold the rate of new images."""
    parts: dict[str, list[np.ndarray]] = {}
    for population in [Population(p, n, 0.95, c) for p in (50, 200) for n in PROBES for c in CORRELATIONS]:
        drawn = draw(population, n_sets, seed=2)
        parts.setdefault("vary", []).append(drawn.people[:, 1:-1].sum(axis=1))
        for name, (low, high) in intervals(drawn.people, np.random.default_rng(0), 0).items():
            parts.setdefault(name, []).append((low <= drawn.own) & (drawn.own <= high))
    return {name: np.concatenate(each) for name, each in parts.items()}
