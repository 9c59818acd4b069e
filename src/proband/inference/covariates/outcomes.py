"""``explain_outcomes``: regression of the outcomes in a table."""

from __future__ import annotations

from typing import Any

from proband.engine.arguments import published
from proband.engine.limits import Level
from proband.inference.covariates.formula import Formula
from proband.inference.covariates.results import CovariateStudy
from proband.inference.covariates.sandwich import Covariance
from proband.inference.covariates.study import Incomplete, explain
from proband.inference.covariates.trials import TableTrials
from proband.samples.reading import filled_frame


@published
def explain_outcomes(
    table: Any,
    *,
    success: str,
    on: str,
    cluster: str | None = None,
    weights: str | None = None,
    strata: str | None = None,
    covariance: Covariance | None = None,
    incomplete: Incomplete = "error",
    confidence_level: Level = 0.95,
) -> CovariateStudy:
    """Explain outcomes by covariates, from a table with one row per trial; `covariates` does the same for probes.

    Outcomes of 0 and 1 are modelled by logistic regression, other numbers by linear regression. Results are standardised rates
    (or means) and their differences, tests of terms, and coefficients. They are for new clusters, such as people with all their
    trials; or, for ``survey``, for other samples of clusters within strata.

    Parameters
    ----------
    table
        A pandas or polars frame, or a mapping of columns.
    success
        Column of the outcome: 1 for a success, 0 for a failure; or a number.
    on
        The model, in terms of columns of the table: ``"age + sex * glasses"``, ``"cut(age, 4)"``.
    cluster
        Column of clusters, such as people; default: all rows are independent.
    weights
        Column of sampling weights: the number of population members that a row represents.
    strata
        Column of strata, within which clusters were sampled.
    covariance
        ``CR2`` (for few clusters), ``CR1`` or ``CR0``; or ``survey``, linearised as in R's svyglm, with degrees of freedom
        equal to clusters minus strata minus coefficients other than the intercept. Default: ``survey`` with weights or strata,
        and otherwise ``CR2``.
    incomplete
        How to handle rows with missing covariates: ``error`` raises an error, ``drop`` leaves them out with a note on how they
        differ.
    confidence_level
        The level of all intervals.

    Returns
    -------
    CovariateStudy
        Standardised rates and differences, tests of every term, and how well the model fits.

    Examples
    --------
    Eight people with two trials each; three of eight fail with glasses, one of eight without:

    >>> table = {"who": [k // 2 for k in range(16)], "glasses": ["no", "yes"] * 8, "ok": [1, 0] * 3 + [0, 1] + [1] * 8}
    >>> found = explain_outcomes(table, success="ok", on="glasses", cluster="who")
    >>> [(rate.who.group, rate.value.__round__(4)) for rate in found.rates]
    [('no', 0.875), ('yes', 0.625)]
    >>> found.differences[0]
    glasses yes minus no: −25.00 points [−84.12, +34.12], p = 0.35
    """
    model = Formula.parse(on, of_table=True)
    trials = TableTrials(filled_frame(table), success, cluster, weights, strata)
    usual: Covariance = "CR2" if weights is None and strata is None else "survey"
    return explain(trials, model, covariance or usual, incomplete, confidence_level)
