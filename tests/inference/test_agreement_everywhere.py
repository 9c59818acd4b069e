"""A hundred thousand random comparisons of every measure, through the front door: verdict, interval and p-value never disagree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inference.test_agreement import agrees

from proband import Samples, Scores
from proband.designs import Binomial, Bootstrap, ClusteredMcNemar, SignFlip
from proband.errors import DesignError
from proband.inference import compare
from proband.inference.comparisons import swapped
from proband.inference.comparisons.testing import cochran, sign_flip
from proband.measures import AUC, EER, FNMR, MedianCensoredRank, RankStatistic, RecognitionRate

QUICK, LONG = 40, 100_000
QUICK_OF_PAIRS = 8
DRAWN = Bootstrap("subject", n_resamples=100)
NAMES = "abcdef"


def mean_rank(ranks: np.ndarray) -> float:
    return float(np.minimum(ranks, 50).mean())


OF_RANKS = {
    "rate": (RecognitionRate(1), ("auto", SignFlip(), ClusteredMcNemar(), Binomial(), DRAWN), None),
    "rate of people": (RecognitionRate(2, weights="person"), ("auto", SignFlip(), DRAWN), 0.05),
    "median": (MedianCensoredRank(9), ("auto", DRAWN), 1.0),
    "statistic": (RankStatistic(mean_rank), (DRAWN,), 0.5),
}

OF_PAIRS = {
    "auc": lambda rng, weights: AUC(weights=weights),
    "eer": lambda rng, weights: EER(weights=weights),
    "fnmr": lambda rng, weights: FNMR(float(rng.choice([0.05, 0.3])), weights=weights),
}


def designs_of_probes() -> list[np.ndarray]:
    """Few people or some, one probe each or many."""
    rng = np.random.default_rng(0)
    found = []
    for people in (2, 3, 4, 5, 6, 14):
        found += [np.repeat(np.arange(people), one) for one in (1, 3)]
        found += [np.repeat(np.arange(people), rng.choice([1, 1, 2, 3, 9], people)) for _ in range(4)]
    return found


PROBES = designs_of_probes()


def pairs_of_ranks(rng: np.random.Generator, kind: str, outcomes_of):
    """Ties and failures, algorithms that are equal, perfect or hopeless."""
    measure, designs, margin = OF_RANKS[kind]
    subjects = PROBES[rng.integers(len(PROBES))]
    n, made = len(subjects), []
    ties = str(rng.choice(["pessimistic", "optimistic", "mean"], p=[0.6, 0.2, 0.2]))
    for name in NAMES[: rng.choice([2, 3, 6])]:
        chance = float(rng.choice([0.0, 0.1, 0.5, 0.9, 1.0]))
        closer = np.where(rng.random(n) < chance, 0, rng.integers(1, 9, n))
        if made and rng.random() < 0.15:
            closer = made[-1].closer.copy()
        made.append(
            outcomes_of(
                closer,
                subjects,
                name,
                ties,
                np.where(rng.random(n) < 0.1, 2, 0),
                rng.random(n) < rng.choice([0.0, 0.2]),
            )
        )
    design = designs[rng.integers(len(designs))]
    level = float(rng.choice([0.95, 0.9, 0.99, 0.5]))
    try:
        return compare(
            made,
            measure=measure,
            design=design,
            margin=float(rng.choice([0.01, 0.3])) if margin is None else margin,
            confidence_level=level,
            adjust=str(rng.choice(["single-step", "none"])),
            seed=int(rng.integers(9)),
        ).pairs
    except DesignError:
        assert ties == "mean" or kind != "rate"  # fractions have no counts
        return ()


def pairs_of_pairs(rng: np.random.Generator, kind: str, _):
    """A few people with two or three images, scores from worthless to perfect, algorithms that are the same."""
    people = int(rng.integers(3, 8))
    ids = [f"{who}{image}" for who in range(people) for image in range(rng.integers(2, 4))]
    owner = np.array([name[0] for name in ids])
    samples = Samples({"id": ids, "subject": list(owner)})
    same = owner[:, None] == owner[None]
    scores = []
    for name in NAMES[: rng.choice([2, 3])]:
        noise = rng.normal(0, 1, same.shape)
        if not scores or rng.random() < 0.8:  # otherwise the same once more
            values = same * rng.choice([0.0, 1.0, 30.0]) + (noise + noise.T) / 2
        scores.append(Scores.from_array(np.round(values, 1), ids, orientation="similarity", name=name))
    weights = str(rng.choice(["probe", "person"], p=[0.98, 0.02]))
    measure = OF_PAIRS[kind](rng, weights)
    return compare(
        scores, samples, measure=measure, margin=0.05, confidence_level=float(rng.choice([0.95, 0.8]))
    ).pairs


def all_agree(kind: str, n: int, outcomes_of, monkeypatch) -> None:
    for module, name in ((swapped, "_SWAPS"), (sign_flip, "_FLIPS"), (cochran, "_PERMUTATIONS")):
        monkeypatch.setattr(module, name, 99)  # what agrees does so by any number of draws
    rng, made = np.random.default_rng(n), 0
    find = pairs_of_ranks if kind in OF_RANKS else pairs_of_pairs
    while made < n:
        for pair in find(rng, kind, outcomes_of):
            agrees(pair)
            made += 1


@pytest.mark.parametrize("kind", [*OF_RANKS, *OF_PAIRS])
def test_comparisons_agree(outcomes_of, monkeypatch, kind):
    all_agree(kind, QUICK if kind in OF_RANKS else QUICK_OF_PAIRS, outcomes_of, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("kind", [*OF_RANKS, *OF_PAIRS])
def test_a_hundred_thousand_comparisons_of_each_measure_agree(outcomes_of, monkeypatch, kind):
    all_agree(kind, LONG, outcomes_of, monkeypatch)
