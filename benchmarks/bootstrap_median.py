"""Bootstrap the median censored rank of 1,195 probes with 10,000 replicates, against SciPy and a loop."""

from __future__ import annotations

import numpy as np
from scipy import stats

from benchmarks.job import Row, best_of
from proband.designs import Bootstrap
from proband.inference import Estimate, estimate
from proband.measures import MedianCensoredRank, Outcomes
from proband.samples import Experiment, Samples

PEOPLE, EACH, CENSORED, REPLICATES = 239, 5, 10, 10_000
# How many probes have each rank, such that the middle one of 1,195 hardly knows whether it is 3, 4 or 5.
AT_RANK = {1: 300, 2: 170, 3: 120, 4: 12, 5: 100, 6: 80, 7: 60, 8: 50, 9: 40, 10: 33, 11: 90, 30: 140}


def run() -> list[Row]:
    outcomes = _outcomes()
    values = np.minimum(outcomes.ranks, CENSORED)
    return [_over_probes(outcomes, values), _over_people(outcomes, values)]


def _over_probes(outcomes: Outcomes, values: np.ndarray) -> Row:
    ours, found = best_of(15, lambda: _estimate(outcomes, "probe"))
    naive, looped = best_of(1, lambda: _loop_over_probes(values))
    peer, theirs = best_of(3, lambda: _scipy(values))
    distinct, chances = _exact(values)
    equal = all(_drawn_from(distinct, chances, made) for made in (found.replicates, looped, theirs))
    job = f"bootstrap of a median rank, {len(values):,} probes, {REPLICATES:,} replicates"
    return Row(job, ours, naive, peer, "scipy.stats.bootstrap", "≥ 10× scipy", peer >= 10 * ours, equal)


def _over_people(outcomes: Outcomes, values: np.ndarray) -> Row:
    table = values[np.argsort(outcomes.subjects, kind="stable")].reshape(PEOPLE, EACH)
    ours, found = best_of(3, lambda: _estimate(outcomes, "subject"))
    naive, looped = best_of(1, lambda: _loop_over_people(table))
    peer, gathered = best_of(2, lambda: _gather_people(table))
    weights = next(Bootstrap("subject", n_resamples=REPLICATES).weights(PEOPLE, 0))
    repeated = [np.median(np.repeat(table, row, axis=0)) for row in weights]
    equal = (
        found.replicates is not None
        and np.array_equal(found.replicates[: len(repeated)], repeated)
        and _apart(found.replicates, looped) < 0.03
        and _apart(found.replicates, gathered) < 0.03
    )
    job = f"bootstrap of a median rank over {PEOPLE} people"
    return Row(job, ours, naive, peer, "numpy gather and median", "–", None, equal)


def _estimate(outcomes: Outcomes, unit: str) -> Estimate:
    return estimate(
        outcomes, measure=MedianCensoredRank(CENSORED), design=Bootstrap(unit, n_resamples=REPLICATES)
    )


def _outcomes() -> Outcomes:
    subjects = np.repeat(np.arange(PEOPLE), EACH).astype(str)
    ids = [f"g{k}" for k in range(PEOPLE)] + [f"p{k}" for k in range(PEOPLE * EACH)]
    samples = Samples({"id": ids, "subject": [*(str(k) for k in range(PEOPLE)), *subjects]})
    experiment = Experiment(samples, gallery=ids[:PEOPLE])
    ranks = np.random.default_rng(3).permutation(np.repeat(list(AT_RANK), list(AT_RANK.values())))
    n = len(ranks)
    return Outcomes(
        algorithm="made up",
        experiment=experiment,
        probes=experiment.probes.copy(),
        closer=ranks.astype(np.int64) - 1,
        tied=np.zeros(n, dtype=np.int64),
        best_mates=np.ones(n, dtype=np.int64),
        failed=np.zeros(n, dtype=bool),
        ties="pessimistic",
        counting="images",
        on_failure="miss",
        n_ranks=PEOPLE,
        n_unmated=0,
        n_gallery_failed=0,
    )


def _loop_over_probes(values: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(4)
    return np.array([np.median(rng.choice(values, len(values))) for _ in range(REPLICATES)])


def _scipy(values: np.ndarray) -> np.ndarray:
    return stats.bootstrap(
        (values,), np.median, method="percentile", n_resamples=REPLICATES, vectorized=True, rng=5
    ).bootstrap_distribution


def _loop_over_people(table: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(6)
    return np.array([np.median(table[rng.integers(0, PEOPLE, PEOPLE)]) for _ in range(REPLICATES)])


def _gather_people(table: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(7)
    drawn = (rng.integers(0, PEOPLE, (1000, PEOPLE)) for _ in range(REPLICATES // 1000))
    return np.concatenate([np.median(table[people].reshape(1000, -1), axis=1) for people in drawn])


def _exact(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The chance of each value: the middle draw is at most v if more than half of all draws are, a binomial count."""
    distinct, counts = np.unique(values, return_counts=True)
    at_most = stats.binom.sf(len(values) // 2, len(values), counts.cumsum() / len(values))
    return distinct, np.diff(at_most, prepend=0.0)


def _drawn_from(distinct: np.ndarray, chances: np.ndarray, replicates: np.ndarray | None) -> bool:
    if replicates is None or not np.isin(replicates, distinct).all():
        return False
    shares = (replicates[:, None] == distinct).mean(axis=0)
    error = np.sqrt(chances * (1 - chances) / len(replicates))
    return bool((np.abs(shares - chances) <= 4 * error + 1 / len(replicates)).all())


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The total variation between two sets of replicates."""
    distinct = np.union1d(one, other)
    shares = [(made[:, None] == distinct).mean(axis=0) for made in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
