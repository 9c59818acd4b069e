"""Whether a model fits: outcomes beside what it expects, and a test over people of what it leaves out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from proband.distributions import f_tail, t_inverse
from proband.inference.covariates.coding import Coding
from proband.inference.covariates.regression import Fit, Floats
from proband.inference.covariates.results import FitCheck
from proband.results.band import Band
from proband.results.base import Answers
from proband.results.targets import derived
from proband.results.test import Test
from proband.words import Method

_SCORE_TEST = Method("score-test", "score test over people", cites=("horton1999",))
_OVER_PEOPLE = Method("clustered-mean", "mean with people as clusters, Student's t")
_DIGITS = 9  # of expected outcomes, which rounding must not tell apart
_DECILES = 10
_FIFTHS = 5
_FEWEST = 3  # groups, and people beyond them for a test


def checks_of(
    coding: Coding, fit: Fit, people: npt.NDArray[np.intp], confidence_level: float, answers: Answers
) -> tuple[FitCheck, ...]:
    """Check the model by deciles of the expected outcome, then along every number."""
    numbers = [(str(one.covariate), one.numbers) for one in coding.rows.values if one.is_number]
    return (
        _check(None, fit.fitted, _DECILES, fit, people, confidence_level, answers),
        *(_check(name, values, _FIFTHS, fit, people, confidence_level, answers) for name, values in numbers),
    )


def _check(
    by: str | None,
    along: Floats,
    n_groups: int,
    fit: Fit,
    people: npt.NDArray[np.intp],
    confidence_level: float,
    answers: Answers,
) -> FitCheck:
    placed = np.round(along, _DIGITS) if by is None else along
    edges = np.unique(np.quantile(placed, np.arange(1, n_groups) / n_groups))
    group = np.searchsorted(edges, placed, side="left")
    _, group = np.unique(group, return_inverse=True)
    n = np.bincount(group)
    observed, low, high = [], [], []
    for place in range(len(n)):
        value, reach = _mean_over_people(fit, group == place, people, confidence_level)
        observed.append(value)
        low.append(value - reach)
        high.append(value + reach)
    ends = np.array([low, high])
    if fit.family == "logistic":
        ends = ends.clip(0, 1)
    indicators = (group[:, None] == np.arange(1, len(n))).astype(np.float64)
    band = Band(
        values=np.array(observed),
        low=ends[0],
        high=ends[1],
        confidence_level=confidence_level,
        simultaneous=False,
        method=_OVER_PEOPLE,
        seed=None,
        answers=replace(answers, of=derived("observed", "observed mean compared with the {}", answers.of)),
        along=by or "expected",
        x=np.array([fit.mean(along, group == place) for place in range(len(n))]),
    )
    expected = np.array([fit.mean(fit.fitted, group == place) for place in range(len(n))])
    return FitCheck(by, band, expected, tuple(map(int, n)), score_test(fit, people, indicators))


def score_test(fit: Fit, people: npt.NDArray[np.intp], columns: Floats) -> Test | None:
    """Test whether columns that the model does not have would add anything to it; None where that cannot be told.

    Each person's score for the columns, less what the model's own columns explain of it, has mean zero if they add nothing. Their sum against
    its covariance over J people is Hotelling's T²: F = (J − q)/q · T/(J − T) on q and J − q (the score test of Boos 1992; of groups of expected
    outcomes, Horton et al. 1999).
    """
    weighted = fit.x * (fit.variance * fit.weights)[:, None]
    rest = columns - fit.x @ (fit.bread @ (weighted.T @ columns))
    scores = np.zeros((int(people.max()) + 1, rest.shape[1]))
    np.add.at(scores, people, rest * (fit.residuals * fit.weights)[:, None])
    values, vectors = np.linalg.eigh(scores.T @ scores)
    kept = values > 1e-9 * max(float((columns**2).sum()), 1e-300) / len(columns)
    q, people_there = int(kept.sum()), len(scores)
    if q < 1 or people_there - q < _FEWEST:
        return None
    total = vectors[:, kept].T @ scores.sum(axis=0)
    statistic = float((total**2 / values[kept]).sum())
    f = np.inf  # where T reaches the number of people, F has no limit
    if statistic < people_there:
        f = (people_there - q) / q * statistic / (people_there - statistic)
    return Test(
        statistic=f,
        degrees_of_freedom=q,
        denominator_degrees_of_freedom=people_there - q,
        p_value=float(f_tail(q, people_there - q, f)),
        method=_SCORE_TEST,
    )


def _mean_over_people(
    fit: Fit, rows: npt.NDArray[np.bool_], people: npt.NDArray[np.intp], confidence_level: float
) -> tuple[float, float]:
    """The mean outcome of rows, and how far its interval reaches: people as clusters."""
    mean, weights = fit.mean(fit.y, rows), fit.weights[rows]
    codes = np.unique(people[rows], return_inverse=True)[1]
    sums = np.bincount(codes, (fit.y[rows] - mean) * weights)
    n = len(sums)
    if n < 2:
        return mean, float("nan")
    error = float(np.sqrt(n / (n - 1) * (sums**2).sum()) / weights.sum())
    return mean, float(t_inverse(n - 1, (1 + confidence_level) / 2)) * error
