"""``covariates``: what makes a probe fail?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, isfinite
from typing import Literal

import numpy as np

from proband.engine.arguments import published
from proband.engine.limits import FalseMatchRate, Level, Rank
from proband.engine.threads import one_blas_thread
from proband.errors import UsageError
from proband.inference.comparisons.chosen_pairs import Names, chosen_pairs
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.covariates.coding import Coding
from proband.inference.covariates.explained import Explained
from proband.inference.covariates.fit import checks_of
from proband.inference.covariates.formula import Formula, term_name
from proband.inference.covariates.regression import regress
from proband.inference.covariates.results import (
    ALL,
    FEW,
    WITH_INTERACTIONS,
    CovariateStudy,
    FitCheck,
    Outcome,
    family_of,
)
from proband.inference.covariates.sandwich import Covariance, JointTest, Sandwich
from proband.inference.covariates.standardized import Standardizer
from proband.inference.covariates.trials import TableTrials
from proband.measures import Outcomes
from proband.measures.base import outcomes_of
from proband.results.about import RestsOn, Who
from proband.results.base import Answers, among
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.test import Test
from proband.samples import Experiment
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Method, Note, Sentence, Target

Algorithm = Outcomes | Scores
Incomplete = Literal["error", "drop"]

_METHODS = {
    "CR2": Method(
        "cr2",
        "cluster-robust (CR2), Satterthwaite",
        "regression with people as clusters under independence, bias-reduced linearisation (CR2) and Satterthwaite's degrees of freedom",
        ("liang1986", "bell2002", "pustejovsky2018"),
    ),
    "CR1": Method(
        "cr1",
        "cluster-robust (CR1), Satterthwaite",
        "regression with people as clusters under independence, the sandwich times J/(J − 1) and Satterthwaite's degrees of freedom",
        ("liang1986", "pustejovsky2018"),
    ),
    "survey": Method(
        "linearised-regression",
        "linearised (survey)",
        "regression with sampling weights, and linearised errors over units drawn within strata",
        ("binder1983", "lumley2004"),
    ),
    "CR0": Method(
        "cr0",
        "cluster-robust (CR0), Satterthwaite",
        "regression with people as clusters under independence, the plain sandwich and Satterthwaite's degrees of freedom",
        ("liang1986", "pustejovsky2018"),
    ),
}
_HOTELLING = Method("hotelling", "Hotelling's T² as F", cites=("pustejovsky2018",))
_WALD = Method("wald", "Wald statistic as F")
_ODDS = (Target("log-odds", "coefficient of log odds"), Target("odds-ratio", "odds ratio"))
_COEFFICIENTS: Mapping[Outcome, tuple[Target, Target | None]] = {
    "success": _ODDS,
    "match": _ODDS,
    "log-rank": (
        Target("coefficient-of-log-rank", "coefficient of log ranks"),
        Target("ratio-of-ranks", "ratio of ranks"),
    ),
    "number": (Target("coefficient", "coefficient"), None),
}
"""What coefficients are of, and their ratios."""
_FEW = Sentence(
    "covariates.few",
    "caution",
    "{what:names}: fewer than {least} degrees of freedom, because too few {units} differ in this covariate; "
    "its intervals and p-values are not reliable",
)
_FEW_MARK = Sentence(
    "covariates.few-mark", "mark", "* too few {units} (fewer than {least} degrees of freedom)"
)
_NOT_ADJUSTED = Sentence(
    "covariates.not-adjusted",
    "note",
    "differences are not adjusted for multiple comparisons; tests of terms are (Holm)",
)
_OBSERVATIONAL = Sentence(
    "covariates.observational",
    "note",
    "covariates were observed, not assigned: a difference may be due to confounders that are not in the "
    "model",
)
_FITS = Sentence(
    "covariates.fits",
    "note",
    "goodness of fit: in {n:count group} by expected outcome there is no evidence of misfit, p {p:p}; "
    "the largest gap is {gap:span}",
)
_FITS_NOT = Sentence(
    "covariates.fits-not",
    "caution",
    "goodness of fit: in {n:count group} by expected outcome the model does not fit, p {p:p}; the "
    "largest gap is {gap:span}; an interaction or another covariate may be missing",
)
_BENT = Sentence(
    "covariates.bent",
    "caution",
    "the effect of {by} is not linear (residuals), p {p:p}; use squared({by}) or cut({by})",
)
_STRAIGHT = Sentence(
    "covariates.straight",
    "note",
    "there is no evidence that the effect of {by} is not linear (residuals), p {p:p}",
)
_REFERENCE = Sentence(
    "covariates.quartiles",
    "note",
    "each level is compared with the most common level, and the upper quartile of a number with its lower "
    "quartile",
)
_SCALES = Sentence(
    "covariates.scales",
    "note",
    "interactions are tested on the log-odds scale and shown as differences of differences of rates: equal "
    "odds ratios give unequal differences if rates differ",
)
_ALPHA = 0.05


@published
def covariates(
    scores: Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm],
    experiment: Experiment | None = None,
    *,
    on: str,
    outcome: Outcome = "success",
    rank: Rank = 1,
    fmr: FalseMatchRate = 0.001,
    pairs: Sequence[Names] = (),
    against: str | None = None,
    covariance: Covariance = "CR2",
    incomplete: Incomplete = "error",
    confidence_level: Level = 0.95,
) -> CovariateStudy:
    """Explain which probes succeed by covariates of the probe, its mate, their pair and the algorithm.

    Results are *standardised* rates (the expected rate if every probe had a given value of a covariate and kept all others)
    and their differences, from a logistic regression of success (or a linear regression of the log rank). They are for new
    people; algorithms, gallery and the distribution of the other covariates are held fixed. The regression is
    population-averaged (Liang & Zeger 1986, independence), with all rows of a person as one cluster: standard errors are CR2
    (Bell & McCaffrey 2002) with Satterthwaite's degrees of freedom for each number, and a term is tested by Hotelling's T²
    (Pustejovsky & Tipton 2018). The interval and the p-value of a difference use the same t distribution.

    Parameters
    ----------
    scores
        Scores, embeddings or outcomes (`rank`) of one or several algorithms, stacked with one row for each probe and algorithm.
    experiment
        The experiment in which scores are ranked; not needed for outcomes.
    on
        The model: ``"elapsed(date) + probe.glasses * algorithm"`` (see `proband.inference.covariates.formula`).
    outcome, rank, fmr
        ``success`` at `rank` or better; ``match``: the score of the mate reaches the threshold with the false match rate `fmr`
        in this experiment; or ``log-rank``.
    pairs, against
        The algorithms to compare, by name (first minus second); or a baseline to compare every other algorithm with. The model
        must include ``algorithm``. Default: every other algorithm minus the first.
    covariance
        ``CR2``; or ``CR1``, ``CR0`` and ``survey`` (linearised), to check against other programs.
    incomplete
        How to handle probes with missing covariates: ``error`` raises an error, ``drop`` leaves them out with a note on how
        they differ.
    confidence_level
        The level of all intervals.

    Returns
    -------
    CovariateStudy
        Standardised rates and differences, tests of every term, and how well the model fits.

    Examples
    --------
    Twelve people, six of whom wear glasses in their probes; three of six fail with glasses, one of six without:

    >>> from proband import Samples, Scores
    >>> n = 12
    >>> ids = [f"g{k}" for k in range(n)] + [f"p{k}" for k in range(n)]
    >>> worn = [""] * n + ["on", "off"] * 6
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids], "glasses": worn})
    >>> values = np.eye(n)
    >>> values[[0, 1, 2, 4]] = 0.5
    >>> scores = Scores.from_array(values, ids[n:], ids[:n], orientation="similarity")
    >>> found = covariates(scores, Experiment(samples, gallery=ids[:n]), on="glasses")
    >>> [(rate.who.group, round(rate.value, 4)) for rate in found.rates]
    [('off', 0.8333), ('on', 0.5)]
    >>> found.differences[0]
    probe.glasses on minus off: −33.33 points [−96.17, +29.50], p = 0.26
    """
    model = Formula.parse(on)  # refused before any work
    algorithms = by_name(scores)
    chosen = chosen_algorithms(model, tuple(algorithms), pairs, against)
    named = list(algorithms.values())
    ranked = [outcomes_of(algorithm, experiment) for algorithm in named]
    scored = [algorithm for algorithm in named if isinstance(algorithm, Scores)]
    found = Explained.of(ranked, scored, outcome, rank, fmr)
    return explain(found, model, covariance, incomplete, confidence_level, chosen)


def chosen_algorithms(
    model: Formula, names: Sequence[str], pairs: Sequence[Names] = (), against: str | None = None
) -> tuple[Names, ...] | None:
    """Return the selected pairs of algorithms; refuse them if the model has no term for algorithms."""
    chosen = chosen_pairs(names, pairs, against)
    if chosen and not any(covariate.kind == "algorithm" for covariate in model.covariates):
        raise UsageError(
            f"Pairs of algorithms were requested, but the model {model} does not include algorithm.",
            "add it: + algorithm.",
        )
    return chosen


@one_blas_thread()
def explain(
    found: Explained | TableTrials,
    model: Formula,
    covariance: Covariance = "CR2",
    incomplete: Incomplete = "error",
    confidence_level: float = 0.95,
    chosen: tuple[Names, ...] | None = None,
) -> CovariateStudy:
    """Explain outcomes by a model (see `covariates`), and compare the `chosen` pairs of algorithms."""
    rows = found.rows(model, incomplete)
    y = found.kept(rows.kept)
    found.require_both(y)
    coding = Coding(model, rows)
    coding.check()
    weights = None if found.weights is None else found.weights[rows.kept[0]]
    fit = regress(coding.matrix, y, family_of(found.outcome), weights)
    coding.check_separated(fit)
    sandwich = found.sandwich(fit, rows, covariance)
    # Standardised rates set the covariates of the model, which are thus neither varying nor fixed at their observed values.
    explaining = {covariate.column for covariate in model.covariates}
    sampling = tuple(column for column in found.sampling if column.column not in explaining)
    method, answers = _METHODS[covariance], among(found.answers(covariance), sampling)
    standard = Standardizer(coding, sandwich, confidence_level, method, answers, chosen)
    tests, overall = _tests(coding, sandwich, _WALD if covariance == "survey" else _HOTELLING)
    checks = checks_of(coding, fit, rows.person, confidence_level, answers)
    differences = tuple(standard.differences())
    rates = tuple(standard.rate(settings) for settings in standard.settings())
    numbers: list[Estimate | Difference | Test] = [*rates, *differences, *tests]
    few = [number.who.column for number in numbers if not number.supported]
    coefficient, ratio = _COEFFICIENTS[found.outcome]
    coefficients = _coefficients(coding, sandwich, confidence_level, method, replace(answers, of=coefficient))
    rate = fit.mean(y)
    notes = found.cautions(rows, rate, model)
    if few:
        units = rows.called.units
        notes += [
            _FEW(what=tuple(dict.fromkeys(few)), least=FEW, units=units),
            _FEW_MARK(least=FEW, units=units),
        ]
    notes += [*_fitting(checks), _REFERENCE(), _NOT_ADJUSTED(), _OBSERVATIONAL()]
    if model.crossed and fit.family == "logistic":
        notes.append(_SCALES())
    return CovariateStudy(
        formula=str(model),
        outcome=found.outcome,
        rank=found.rank,
        fmr=found.fmr,
        thresholds=found.thresholds,
        algorithms=found.algorithms,
        n_rows=len(y),
        n_probes=len(np.unique(rows.probe)),
        n_people=sandwich.n_people,
        n_incomplete=len(rows.incomplete),
        rate=rate,
        tests=tests,
        overall=overall,
        rates=rates,
        observed=tuple(
            observed
            for settings in standard.settings()
            if (observed := standard.observed(settings)) is not None
        ),
        differences=differences,
        curves=tuple(standard.curves()),
        coefficients=coefficients,
        ratios=() if ratio is None else tuple(_ratio(coefficient, ratio) for coefficient in coefficients),
        checks=checks,
        covariance=covariance,
        design=method,
        confidence_level=confidence_level,
        answers=answers,
        facts=found.facts,
        unit=rows.called.unit,
        notes=(*notes, *found.notes),
    )


def _tests(coding: Coding, sandwich: Sandwich, method: Method) -> tuple[tuple[Test, ...], Test]:
    """The tests of every term, adjusted for their number, and of all terms together."""
    eye = np.eye(len(coding.names))
    held = {term_name(term): frozenset(term) for term in coding.formula.terms}
    places = {
        term: [at for other, own in held.items() if own_part <= own for at in coding.places[other]]
        for term, own_part in held.items()
    }
    joints = {term: sandwich.joint(eye[at]) for term, at in places.items()}
    adjusted = iter(holm([joint.p_value for joint in joints.values() if np.isfinite(joint.p_value)]))
    tests = []
    for term, joint in joints.items():
        acting = len(places[term]) > len(coding.places[term])
        test = _test(term, joint, method, (WITH_INTERACTIONS(),) if acting else ())
        tests.append(test if test.p_value is None else replace(test, p_adjusted=next(adjusted)))
    return tuple(tests), _test(ALL, sandwich.joint(eye[1:]), method)


def _test(term: str, joint: JointTest, method: Method, notes: tuple[Note, ...] = ()) -> Test:
    """The test of a term, without statistic and p-value if there are too few people."""
    possible = bool(np.isfinite(joint.p_value))
    return Test(
        who=Who(column=term),
        statistic=float(joint.statistic) if possible else None,
        degrees_of_freedom=joint.numerator,
        denominator_degrees_of_freedom=float(joint.denominator),
        p_value=joint.p_value if possible else None,
        supported=joint.denominator >= FEW,
        method=method,
        notes=notes,
    )


def _coefficients(
    coding: Coding, sandwich: Sandwich, confidence_level: float, method: Method, answers: Answers
) -> tuple[Estimate, ...]:
    terms = {place: term for term, places in coding.places.items() for place in places}
    estimates = []
    for place, (name, weights) in enumerate(zip(coding.names, np.eye(len(coding.names)), strict=True)):
        contrast = sandwich.contrast(weights, confidence_level)
        estimates.append(
            Estimate(
                who=Who(column=terms.get(place, "intercept"), group=name),
                value=contrast.value,
                low=contrast.low,
                high=contrast.high,
                confidence_level=confidence_level,
                standard_error=contrast.standard_error,
                degrees_of_freedom=contrast.degrees_of_freedom,
                p_value=contrast.p_value,
                rests_on=RestsOn(
                    n=len(coding.rows.probe),
                    of="row",
                    n_units=sandwich.n_people,
                    unit=coding.rows.called.unit,
                ),
                supported=contrast.degrees_of_freedom >= FEW,
                method=method,
                answers=answers,
            )
        )
    return tuple(estimates)


def _ratio(coefficient: Estimate, of: Target) -> Estimate:
    """The odds ratio, or the ratio of ranks, of a coefficient on the log scale."""
    return replace(
        coefficient,
        value=_exp(coefficient.value),
        low=_exp(coefficient.low),
        high=_exp(coefficient.high),
        standard_error=None,
        answers=replace(coefficient.answers, of=of),
    )


def _exp(value: float) -> float:
    return exp(value) if isfinite(value) and value < 700 else float("inf")


def _fitting(checks: Sequence[FitCheck]) -> list[Note]:
    """One note on the model, and one for each diagnostic."""
    said = []
    for check in checks:
        p = None if check.test is None else check.test.p_value
        if p is None:
            continue
        if check.by is None:
            gap = float(np.max(np.abs(check.observed.values - check.expected)))
            said.append((_FITS if p >= _ALPHA else _FITS_NOT)(n=len(check.n), p=p, gap=gap))
        else:
            said.append((_STRAIGHT if p >= _ALPHA else _BENT)(by=check.by, p=p))
    return said
