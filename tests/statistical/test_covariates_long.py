"""Do intervals of standardised differences and tests of terms keep their word with few, unequal people?"""

from __future__ import annotations

import numpy as np
import pytest

from proband.engine.threads import one_blas_thread
from proband.inference.covariates.regression import Floats, mean_of, regress
from proband.inference.covariates.sandwich import Covariance, Sandwich

pytestmark = pytest.mark.long
TRIALS = 1_000


def world(rng: np.random.Generator, people: int, between: bool) -> tuple[Floats, Floats, np.ndarray, Floats]:
    """People with 1 to 12 probes, skewed, those with many being harder; a covariate of the person or of the probe, and a number."""
    sizes = np.minimum(1 + rng.geometric(0.35, people), 12)
    person = np.repeat(np.arange(people), sizes)
    own = rng.gamma(2.0, 0.7, people) - 1.4 - 0.1 * (sizes - sizes.mean())
    if between:
        chosen = np.zeros(people)
        chosen[rng.permutation(people)[: max(people // 4, 4)]] = 1
        worn = chosen[person]
    else:
        worn = (rng.random(len(person)) < 0.4).astype(float)
    number = rng.normal(size=len(person)) + 0.5 * own[person]
    x = np.column_stack([np.ones(len(person)), worn, number])
    chances = mean_of("logistic", 1.2 + 0.5 * number + own[person])
    return x, chances, person, own


@one_blas_thread()
def covered(people: int, between: bool, kind: Covariance = "CR2") -> tuple[float, float]:
    """Shares of intervals that hold a true difference of nothing, and of tests at 5 % that reject; people drawn anew."""
    held = rejected = made = 0
    rng = np.random.default_rng(people + 1000 * between)
    for _ in range(TRIALS):
        x, chances, person, _ = world(rng, people, between)
        y = (rng.random(len(person)) < chances).astype(float)
        fit = regress(x, y)
        if fit.at_the_edge or not fit.converged:
            continue
        with_it, without = x.copy(), x.copy()
        with_it[:, 1], without[:, 1] = 1, 0
        sides = [(one, fit.expected(one)) for one in (with_it, without)]
        slope = fit.gradient(*sides[0]) - fit.gradient(*sides[1])
        difference = float(sides[0][1].mean() - sides[1][1].mean())
        sandwich = Sandwich(fit, person, kind)
        found = sandwich.contrast(slope, 0.95, difference)
        held += found.low <= 0 <= found.high
        rejected += sandwich.joint(np.eye(3)[[1]]).p_value < 0.05
        made += 1
    assert made > 0.9 * TRIALS
    return held / made, rejected / made


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("people", [20, 40, 100])
def test_intervals_hold_and_tests_keep_their_level(people: int, between: bool) -> None:
    held, rejected = covered(people, between)
    # Three standard errors of 1,000 trials are 2.1 points.
    assert 0.925 <= held <= 0.985
    assert rejected <= 0.075


def test_the_plain_sandwich_would_not() -> None:
    held, _ = covered(20, True, "CR0")
    better, _ = covered(20, True)
    assert held < better
