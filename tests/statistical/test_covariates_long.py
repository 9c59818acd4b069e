"""Do intervals of standardised differences keep their word with few, unequal people, and would the plain sandwich?"""

from __future__ import annotations

import pytest

from proband.inference.covariates.outcomes import explain_outcomes
from proband.inference.covariates.sandwich import Covariance
from proband.inference.simulation.asking import Answered, Asking
from proband.inference.simulation.covered import simulate
from proband.inference.simulation.table_worlds import CovariatesWorld
from proband.inference.simulation.worlds import DataSet

pytestmark = pytest.mark.long
SETS = 1_000


def covered(people: int, between: bool, kind: Covariance = "CR2") -> tuple[float, float]:
    """Shares of intervals that hold a true difference of nothing, and of tests at 5 % that reject."""

    def answer(one: DataSet, level: float, seed: int) -> Answered:
        found = explain_outcomes(
            one.data, success="success", on="worn + number", cluster="person", covariance=kind
        )
        pair = found.differences[0]
        return Answered(pair.value, pair.low, pair.high, found.design, (), pair.p_value)

    tally, _ = simulate(CovariatesWorld(people, between), Asking("difference", answer), SETS)
    assert tally.answered > 0.9 * SETS
    return tally.covered / tally.answered, tally.rejected / tally.answered


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
