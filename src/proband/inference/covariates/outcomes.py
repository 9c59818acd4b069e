"""``explain_outcomes``: which trials of a table succeed?"""

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
    """Explain outcomes by covariates, from a table with a row for each trial: what `covariates` does for probes.

    Outcomes of 0 and 1 have a logistic regression, other numbers a linear one. Estimated are standardised rates (or means) and their differences,
    tests of terms and coefficients. New clusters vary, such as people with all their trials; or, for ``survey``, which clusters were drawn within
    strata.

    Parameters
    ----------
    table
        A pandas or polars frame, or a mapping of columns.
    success
        Column of the outcome: 1 for a success, 0 for a failure; or a number.
    on
        The model, of columns of the table: ``"age + sex * glasses"``, ``"cut(age, 4)"``.
    cluster
        Column of what rows share, such as a person; default: every row is independent of the others.
    weights
        Column of sampling weights: how many of the population a row stands for.
    strata
        Column of what clusters were drawn within.
    covariance
        ``CR2``, which few clusters need, ``CR1`` or ``CR0``; or ``survey``, linearised as R's svyglm does, with as many degrees of freedom as clusters
        less strata, less the coefficients beside the intercept. Default: ``survey`` with weights or strata, and otherwise ``CR2``.
    incomplete
        What becomes of rows that lack a covariate: ``error`` refuses, ``drop`` leaves them out and tells how they differ.
    confidence_level
        Of all intervals.

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
    glasses yes against no: −25.00 points [−84.12, +34.12], p = 0.35
    """
    model = Formula.parse(on, of_table=True)
    trials = TableTrials(filled_frame(table), success, cluster, weights, strata)
    usual: Covariance = "CR2" if weights is None and strata is None else "survey"
    return explain(trials, model, covariance or usual, incomplete, confidence_level)
