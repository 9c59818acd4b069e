"""The three bears: judged on the two leaders, with a power statement, whatever weaker algorithms there are."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

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


@pytest.mark.parametrize(("n", "psi"), [(200, 0.10), (400, 0.06), (150, 0.0)])
def test_a_test_finds_the_smallest_difference_with_that_power(n: int, psi: float) -> None:
    """Independent: the power of McNemar's mid-p test, summed over all outcomes of the trinomial distribution."""
    half = round(n * psi / 2)
    apart = np.repeat([1.0, -1.0, 0.0], [half, half, n - 2 * half])
    delta = smallest_difference(apart, np.arange(n), 0.8, 0.95)
    assert delta is not None
    discordant = max(delta, 2 * half / n)
    share = (discordant + delta) / 2 / discordant
    power = 0.0
    for m in range(n + 1):
        weight = stats.binom.pmf(m, n, discordant)
        if weight < 1e-9 or m == 0:
            continue
        k = np.arange(m + 1)
        point = np.array([comb(m, one) for one in k]) / 2.0**m
        tail = np.minimum(np.cumsum(point), np.cumsum(point[::-1])[::-1])
        mid = 2 * (tail - point / 2)
        power += weight * float(stats.binom.pmf(k, m, share)[mid <= 0.05].sum())
    assert (
        power == pytest.approx(0.8, abs=0.06) if psi else 0.8 <= power < 0.9
    )  # on the safe side with few events


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
