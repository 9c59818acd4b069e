"""Do tests of a difference hold their level and its intervals cover, with equal, unequal and informative numbers of probes?"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from proband.inference.comparisons.paired_rates import person_curve
from proband.inference.comparisons.testing.adjustment import SingleStep
from proband.inference.comparisons.testing.curves import Score, Skewed
from proband.inference.comparisons.testing.sign_flip import Flips, sign_flip
from proband.inference.estimates.clusters import design_effect

QUICK, LONG = 100, 4_000
SIZES = ("equal", "unequal", "informative")
ABILITIES = ("normal", "skewed", "two-class")


def latent(rng: np.random.Generator, kind: str, people: int) -> np.ndarray:
    if kind == "normal":
        return rng.normal(1.2, 0.8, people)
    if kind == "skewed":
        return 2.0 - rng.exponential(0.9, people)
    return np.where(rng.random(people) < 0.15, -0.6, 1.6)


def drawn(rng: np.random.Generator, people: int, sizes: str, ability: str, shift: float):
    """Successes of two algorithms for each person, the probes, and the rates of either in that person."""
    from scipy.special import ndtr

    able = latent(rng, ability, people)
    m = np.full(people, 4)
    if sizes == "unequal":
        m = 1 + rng.geometric(0.25, people)
    if sizes == "informative":  # hard people have more
        m = np.where(able < 0.8, 10, 3)
    own = able[:, None] + rng.normal(0, 0.5, (people, 2)) + np.array([shift, 0.0])
    rates = ndtr(own)
    return rng.binomial(m[:, None], rates).astype(float), m.astype(float), rates


def curve_of(sums: np.ndarray, sizes: np.ndarray) -> Score:
    """As `sign_flipped_pair` does it, from sums: who succeeds on which probe within a person does not matter for the test."""
    apart = sums[:, 0] - sums[:, 1]
    people = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    place = np.concatenate([np.arange(int(m)) for m in sizes])
    difference = np.sign(apart)[people] * (place < np.abs(apart)[people])
    effect = design_effect(difference, people)
    at = None
    if sizes.min() == sizes.max() or not apart.any():
        p = sign_flip(apart).p_mid
    else:
        flips = Flips.of(sums, sizes)
        at = lambda delta: flips.p_value(0, 1, delta)  # noqa: E731
        p = at(0.0)
    gained, lost = (difference > 0).sum(), (difference < 0).sum()
    skewed = Skewed.of(apart, sizes)
    return Score(gained / effect, lost / effect, len(people) / effect, len(sizes) - 1.0, p, at, skewed)


def true_difference(sizes: str, ability: str, shift: float) -> tuple[float, float]:
    """Of the shares of probes, and of the means over people."""
    _, m, rates = drawn(np.random.default_rng(0), 400_000, sizes, ability, shift)
    apart = rates[:, 0] - rates[:, 1]
    return float((m * apart).sum() / m.sum()), float(apart.mean())


def measured(people: int, sizes: str, ability: str, shift: float, n_sets: int) -> dict[str, float]:
    rng = np.random.default_rng([people, SIZES.index(sizes), ABILITIES.index(ability), round(100 * shift)])
    by_probe, by_person = true_difference(sizes, ability, shift) if shift else (0.0, 0.0)
    rejected = held = person_held = person_rejected = 0
    for _ in range(n_sets):
        sums, m, _ = drawn(rng, people, sizes, ability, shift)
        curve, (person, _) = curve_of(sums, m), person_curve((sums[:, 0] - sums[:, 1]) / m, 0)
        rejected += curve.p_value <= 0.05
        person_rejected += person.p_value <= 0.05
        if shift:  # without a difference the interval holds zero where the test does not reject it
            low, high = curve.interval(0.05)
            held += low <= by_probe <= high
            low, high = person.interval(0.05)
            person_held += low <= by_person <= high
    counts = {
        "rejected": rejected,
        "held": held,
        "person held": person_held,
        "person rejected": person_rejected,
    }
    return {name: count / n_sets for name, count in counts.items()}


@pytest.mark.parametrize("sizes", ["informative"])
def test_differences_hold_quickly(sizes):
    found = measured(30, sizes, "two-class", 0.0, QUICK)
    assert found["rejected"] <= 0.09
    assert found["person rejected"] <= 0.09


@pytest.mark.long
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("people", [20, 60])
def test_differences_hold(people, sizes, ability):
    null = measured(people, sizes, ability, 0.0, LONG)
    assert null["rejected"] <= 0.075
    assert null["person rejected"] <= 0.075
    found = measured(people, sizes, ability, 0.5, LONG)
    assert found["held"] >= 0.92
    assert found["person held"] >= 0.92


def asymmetric(rng: np.random.Generator, people: int, m: np.ndarray, few: float, much: float) -> np.ndarray:
    """Successes of two algorithms: the second much better on a few people, the first a little on the others, and none on average."""
    apart = np.where(rng.random(people) < few, -much, few * much / (1 - few))
    return np.column_stack([rng.binomial(m, 0.8 + apart), rng.binomial(m, 0.8, people)]).astype(float)


@pytest.mark.long
@pytest.mark.parametrize(
    ("people", "probes", "few", "much", "most"),
    [(50, 20, 0.06, 0.8, 0.065), (50, 20, 0.1, 0.6, 0.065), (30, 20, 0.12, 0.8, 0.065), (100, 20, 0.04, 0.8, 0.065),
     (150, 0, 0.06, 0.8, 0.065), (50, 20, 0.04, 0.8, 0.1), (60, 0, 0.1, 0.8, 0.105)],
)  # fmt: skip
def test_few_who_differ_much_the_other_way(people, probes, few, much, most):
    """The last two have 4 people who carry the difference, and many samples hold none of them."""
    rng, rejected = np.random.default_rng(people), 0
    for _ in range(2_000):
        m = np.full(people, probes) if probes else rng.choice([1, 2, 12], people)
        rejected += curve_of(asymmetric(rng, people, m, few, much), m.astype(float)).p_value <= 0.05
    assert rejected / 2_000 <= most


@pytest.mark.long
@pytest.mark.parametrize(("algorithms", "n_sets"), [(3, 800), (6, 600), (15, 200), (30, 60)])
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("sizes", SIZES)
def test_families_of_equal_algorithms(algorithms, n_sets, ability, sizes):
    from scipy.special import ndtr

    rng, wrong = np.random.default_rng([algorithms, SIZES.index(sizes), ABILITIES.index(ability)]), 0
    for _ in range(n_sets):
        able = latent(rng, ability, 60)
        m = {"equal": np.full(60, 4), "unequal": 1 + rng.geometric(0.25, 60)}.get(
            sizes, np.where(able < 0.8, 10, 3)
        )
        rates = ndtr(able[:, None] + rng.normal(0, 0.5, (60, algorithms)))
        sums, of = rng.binomial(m[:, None], rates).astype(float), m.astype(float)
        flips = Flips.of(sums, of)
        among = SingleStep.of([flips.sizes_of(a, b) for a, b in combinations(range(algorithms), 2)])
        level = among.level(0.05)
        wrong += any(
            curve_of(sums[:, [a, b]], of).p_value <= level for a, b in combinations(range(algorithms), 2)
        )
    assert wrong / n_sets <= 0.05 + 3 * (0.05 * 0.95 / n_sets) ** 0.5
