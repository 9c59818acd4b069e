"""The three bears: judged on the two leaders, with a power statement, whatever weaker algorithms there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import proband as pb
from proband.errors import UsageError
from proband.inference.galleries.difficulty import difficulty, smallest_difference


def judged(outcomes: list[Any], **asked: Any) -> Any:
    return difficulty(
        "set", outcomes, 1, pb.compare(outcomes, measure=pb.measures.RecognitionRate(1)), **asked
    )


def spread(missed: int, n: int, shift: int = 0) -> list[int]:
    """Non-mates before the mate: one for so many probes, from a place on."""
    return [int((k - shift) % n < missed) for k in range(n)]


@pytest.mark.parametrize(
    ("closer", "verdict"),
    [
        (([0] * 60, [0] * 59 + [1]), "too easy"),
        ((spread(2, 60), spread(30, 60)), "too easy"),  # the best leaves nothing to be better at
        (([3] * 60, [3] * 59 + [0]), "too hard"),
        ((spread(60, 200), spread(80, 200)), "apt"),
        (([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0]), "too few people"),
        (([0, 1, 0], [1, 0, 1]), "too few people"),
    ],
)
def test_three_bears(outcomes_of: Any, closer: tuple[list[int], list[int]], verdict: str) -> None:
    outcomes = [outcomes_of(own, name=name) for own, name in zip(closer, "ab", strict=True)]
    made = judged(outcomes)
    assert made.verdict == verdict
    right = np.mean([(np.array(pair) == 0).all() for pair in zip(*closer, strict=True)])
    missed = np.mean([(np.array(pair) > 0).all() for pair in zip(*closer, strict=True)])
    assert (made.both_right, made.both_missed) == (right, missed)
    assert str(made.sentence()).startswith("set: ")
    if made.smallest_difference is not None:  # the rule, by hand
        easy = 1 - made.rate < made.smallest_difference
        hard = made.rate - 1 / outcomes[0].n_ranks < made.smallest_difference
        assert (easy, hard) == (
            verdict in ("too easy", "too few people"),
            verdict in ("too hard", "too few people"),
        )


def test_weak_algorithms_change_nothing(outcomes_of: Any) -> None:
    n = 120
    leaders = [outcomes_of(spread(6, n), name="a"), outcomes_of(spread(9, n, 3), name="b")]
    weak = [outcomes_of(spread(60 + 5 * k, n, 7 * k), name=f"w{k}") for k in range(6)]
    alone, among = judged(leaders), judged([*weak[:3], *leaders, *weak[3:]])
    assert str(among.sentence()) == str(alone.sentence())
    kept = {"separated", "n_pairs", "leaders"}  # which are of all algorithms, and say so
    assert {k: v for k, v in among.to_dict().items() if k not in kept} == {
        k: v for k, v in alone.to_dict().items() if k not in kept
    }
    assert among.n_pairs == 28


def mid_p_power(n: int, discordant: float, delta: float, level: float) -> float:
    """The power of McNemar's mid-p test, summed over all outcomes of the trinomial distribution."""
    share = (discordant + delta) / 2 / discordant
    power = 0.0
    for m in range(1, n + 1):
        k = np.arange(m + 1)
        point = stats.binom.pmf(k, m, 0.5)
        tail = np.minimum(np.cumsum(point), np.cumsum(point[::-1])[::-1])
        mid = 2 * (tail - point / 2)
        power += stats.binom.pmf(m, n, discordant) * float(
            stats.binom.pmf(k, m, share)[mid <= 1 - level].sum()
        )
    return power


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize(("n", "half"), [(12, 0), (12, 1), (30, 2), (100, 5), (200, 10), (400, 12), (150, 0)])
def test_a_test_finds_the_smallest_difference_with_that_power(
    n: int, half: int, power: float, level: float
) -> None:
    """Independent: Connor's equation by another solver, and the test's own power by enumeration."""
    apart = np.repeat([1.0, -1.0, 0.0], [half, half, n - 2 * half])
    delta = smallest_difference(apart, np.arange(n), power, level)
    assert delta is not None
    z_alpha, z_beta = stats.norm.ppf((1 + level) / 2), stats.norm.ppf(power)

    def short(d: float) -> float:
        psi = max(d, 2 * half / n)
        return float(z_alpha * np.sqrt(psi) + z_beta * np.sqrt(psi - d * d) - d * np.sqrt(n))

    assert delta == pytest.approx(optimize.brentq(short, 1e-9, 1.0, xtol=1e-14), rel=1e-9)
    attained = mid_p_power(n, max(delta, 2 * half / n), delta, level)
    assert power - 0.02 < attained < power + 0.1  # with few events on the safe side
    if 2 * half / n > 1.5 * delta and n >= 200:
        assert attained == pytest.approx(power, abs=0.04)


@pytest.mark.long
def test_a_comparison_of_people_with_several_probes_has_that_power(outcomes_of: Any) -> None:
    """Simulated: half of the people have one outcome for all three probes, so that probes are worth fewer."""
    people, probes, psi, n = 90, 3, 0.12, 400
    rng = np.random.default_rng(8)
    subjects = np.repeat(np.arange(people), probes)

    def drawn(delta: float) -> np.ndarray:
        """Only the first right (1), only the second (−1), or both (0)."""
        shares = [(psi + delta) / 2, (psi - delta) / 2, 1 - psi]
        each = rng.choice([1, -1, 0], p=shares, size=(people, probes))
        alike = rng.random(people) < 0.5
        each[alike] = each[alike, :1]
        return each.ravel()

    pilots = [smallest_difference(drawn(0.0).astype(float), subjects, 0.8, 0.95) for _ in range(200)]
    delta = float(np.median([least for least in pilots if least is not None]))
    alone = smallest_difference(np.repeat([1.0, -1.0, 0.0], [16, 16, 238]), np.arange(270), 0.8, 0.95)
    assert alone is not None
    assert delta > 1.1 * alone  # what 270 people would show
    told_apart = 0
    for _ in range(n):
        apart = drawn(delta)
        outcomes = [
            outcomes_of((apart == side).astype(int), subjects, name) for side, name in ((-1, "a"), (1, "b"))
        ]
        (pair,) = pb.compare(outcomes, measure=pb.measures.RecognitionRate(1)).pairs
        assert pair.value == pytest.approx(float(apart.mean()))
        told_apart += pair.p_value <= 0.05
    assert told_apart / n == pytest.approx(0.8, abs=0.07)


def test_probes_of_one_person_count_for_less() -> None:
    apart = np.repeat([1.0, -1.0, 0.0], [10, 10, 180])
    alone = smallest_difference(apart, np.arange(200), 0.8, 0.95)
    copies = smallest_difference(np.repeat(apart, 3), np.repeat(np.arange(200), 3), 0.8, 0.95)
    assert copies == pytest.approx(alone, rel=0.005)  # three copies of a probe tell as much as one
    assert smallest_difference(np.zeros(30), np.arange(30) // 3, 0.8, 0.95) == smallest_difference(
        np.zeros(10), np.arange(10), 0.8, 0.95
    )
    assert smallest_difference(np.zeros(4), np.arange(4), 0.8, 0.95) is None


def test_more_power_needs_a_larger_difference(outcomes_of: Any) -> None:
    outcomes = [outcomes_of(spread(60, 200), name="a"), outcomes_of(spread(80, 200), name="b")]
    usual, more = judged(outcomes), judged(outcomes, power=0.95)
    assert more.smallest_difference > usual.smallest_difference
    with pytest.raises(UsageError, match="power"):
        judged(outcomes, power=0.3)
