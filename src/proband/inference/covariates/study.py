"""``covariates``: what makes a probe fail?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import checked
from proband.engine.threads import one_blas_thread
from proband.errors import DesignError, Hint, UsageError
from proband.inference.comparisons.adjustment import holm
from proband.inference.covariates.coding import Coding
from proband.inference.covariates.fit import checks_of
from proband.inference.covariates.formula import Formula, term_name
from proband.inference.covariates.mates import matched_at
from proband.inference.covariates.regression import Floats, regress
from proband.inference.covariates.results import (
    FEW,
    Coefficient,
    CovariateStudy,
    FitCheck,
    Outcome,
    TermTest,
)
from proband.inference.covariates.sandwich import Covariance, Sandwich
from proband.inference.covariates.standardized import Standardizer
from proband.inference.covariates.values import Rows, rows_of
from proband.inference.proportions import check_level
from proband.measures import Outcomes
from proband.measures.base import outcomes_of
from proband.results.base import Answers
from proband.results.targets import OTHER_PEOPLE, derived
from proband.samples import Experiment
from proband.scores import Scores
from proband.scores.several import by_name
from proband.words import Method, Note, Sentence, Target, count, given

Algorithm = Outcomes | Scores
Incomplete = Literal["error", "drop"]

_MIX = Target("covariate-mix", "the algorithms, the gallery and the other covariates of these probes")
_LOGISTIC = Target(
    "logistic-in-covariates", "people are independent, and log odds of success are linear in the covariates"
)
_LINEAR = Target("linear-in-covariates", "people are independent, and log ranks are linear in the covariates")
_LOG_RANK = Target("log-rank", "mean natural logarithm of the rank")
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
    "CR0": Method(
        "cr0",
        "cluster-robust (CR0), Satterthwaite",
        "regression with people as clusters under independence, the plain sandwich and Satterthwaite's degrees of freedom",
        ("liang1986", "pustejovsky2018"),
    ),
}
_LEFT_OUT = Sentence(
    "covariates.incomplete",
    "caution",
    "{n:count probe} of {total:count} {n:word lacks/lack} a covariate ({lacking:counts}) and {n:word was/were} left out; {n:word its/their} mean "
    "outcome is {rate:rate}, that of the others {others:rate}",
)
_FEW = Sentence(
    "covariates.few",
    "caution",
    "{what:names}: fewer than {least} degrees of freedom, since too few people differ in it; its intervals and p-values are not to be trusted",
)
_FEW_MARK = Sentence(
    "covariates.few-mark", "mark", "* too few people are behind it (fewer than {least} degrees of freedom)"
)
_AVERAGED = Sentence(
    "covariates.averaged",
    "caution",
    "the algorithm is not in the model, so that all is of the average of {n:count algorithm}; write … * algorithm to let each have its own",
)
_NOT_ADJUSTED = Sentence(
    "covariates.not-adjusted",
    "note",
    "differences are not adjusted for their number; the tests of terms are (Holm)",
)
_OBSERVATIONAL = Sentence(
    "covariates.observational",
    "note",
    "covariates were observed and not assigned: a difference may be due to what goes along with one and is not in the model",
)
_FITS = Sentence(
    "covariates.fits",
    "note",
    "check of fit: by {n:count group} of the expected outcome nothing is left over that chance does not explain, p {p:p}; the largest gap is "
    "{gap:span}",
)
_FITS_NOT = Sentence(
    "covariates.fits-not",
    "caution",
    "check of fit: by {n:count group} of the expected outcome the model leaves something over, p {p:p}; the largest gap is {gap:span}; an "
    "interaction or another covariate may be missing",
)
_BENT = Sentence(
    "covariates.bent",
    "caution",
    "along {by} residuals do not lie around zero, p {p:p}; write squared({by}) or cut({by})",
)
_STRAIGHT = Sentence("covariates.straight", "note", "along {by} residuals lie around zero, p {p:p}")
_REFERENCE = Sentence(
    "covariates.quartiles",
    "note",
    "a level is compared with the commonest one, and the upper quartile of a number with its lower",
)
_THRESHOLDS = Sentence(
    "covariates.thresholds",
    "note",
    "thresholds are those with FMR {fmr:given} in this experiment, and held fixed: that they were set on these people is not in the intervals",
)
_SCALES = Sentence(
    "covariates.scales",
    "note",
    "interactions are tested on log odds and shown as differences of differences of rates: equal odds ratios are unequal differences where rates differ",
)
_ALPHA = 0.05


@checked
def covariates(
    algorithms: Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm],
    within: Experiment | None = None,
    *,
    on: str,
    outcome: Outcome = "success",
    rank: int = 1,
    fmr: float = 0.001,
    covariance: Covariance = "CR2",
    incomplete: Incomplete = "error",
    confidence_level: float = 0.95,
) -> CovariateStudy:
    """Explain which probes succeed by covariates of the probe, its mate, their pair and the algorithm.

    Estimated are *standardised* rates: the expected rate if every probe had one value of a covariate and all else as it is, and their differences, from a
    logistic regression of success (or a linear one of the log rank). What varies is other people; algorithms, gallery and the mix of the other
    covariates stay. The regression is population-averaged (Liang & Zeger 1986, independence), with all rows of a person one cluster: errors are CR2
    (Bell & McCaffrey 2002) with Satterthwaite's degrees of freedom for each number, and a term is tested by Hotelling's T² (Pustejovsky & Tipton 2018).
    Interval and p-value of a difference are of one t distribution.

    Parameters
    ----------
    algorithms, within
        Outcomes, or scores to be ranked in an experiment; several are stacked, a row for each probe and algorithm.
    on
        The model: ``"elapsed(date) + probe.glasses * algorithm"`` (see `proband.inference.covariates.formula`).
    outcome, rank, fmr
        ``success`` at `rank` or better; ``match``: the mate's score passes the threshold that has the false match rate `fmr` in this experiment; or
        ``log-rank``.
    covariance
        ``CR2``; or ``CR1`` and ``CR0``, to check against other programs.
    incomplete
        What becomes of probes that lack a covariate: ``error`` refuses, ``drop`` leaves them out and tells how they differ.

    Examples
    --------
    Twelve people, six of whom wear glasses in their probes; three of six fail with, one of six without:

    >>> from proband import Samples, Scores
    >>> n = 12
    >>> ids = [f"g{k}" for k in range(n)] + [f"p{k}" for k in range(n)]
    >>> worn = [""] * n + ["on", "off"] * 6
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids], "glasses": worn})
    >>> values = np.eye(n)
    >>> values[[0, 1, 2, 4]] = 0.5
    >>> scores = Scores.from_array(values, ids[n:], ids[:n], orientation="similarity")
    >>> found = covariates(scores, Experiment(samples, gallery=ids[:n]), on="glasses")
    >>> [(one.level, round(one.value, 4)) for one in found.rates]
    [('off', 0.8333), ('on', 0.5)]
    >>> found.differences[0]
    probe.glasses on against off: −33.33 [−96.17, +29.50], p = 0.26
    """
    check_level(confidence_level)
    if rank < 1:
        raise UsageError(f"A rank is at least 1, got {rank}.")
    model = Formula.parse(on)  # refused before any work
    named = list(by_name(algorithms).values())
    ranked = [outcomes_of(one, within) for one in named]
    scores = [one for one in named if isinstance(one, Scores)]
    found = Explained.of(ranked, scores, outcome, rank, fmr)
    return explain(found, model, covariance, incomplete, confidence_level)


@dataclass(frozen=True, eq=False)
class Explained:
    """The outcomes that are to be explained.

    Attributes
    ----------
    ranked
        The outcomes of each algorithm.
    values
        What became of each probe, for each algorithm.
    outcome, rank, fmr, thresholds
        What that is.
    """

    ranked: tuple[Outcomes, ...]
    values: tuple[Floats, ...]
    outcome: Outcome
    rank: int
    fmr: float | None = None
    thresholds: tuple[float | None, ...] = ()

    @classmethod
    def of(
        cls, ranked: Sequence[Outcomes], scores: Sequence[Scores], outcome: Outcome, rank: int, fmr: float
    ) -> Explained:
        """Find what became of every probe; matches need the scores themselves."""
        if outcome != "match":
            return cls(tuple(ranked), tuple(_outcomes(one, outcome, rank) for one in ranked), outcome, rank)
        if len(scores) < len(ranked):
            raise UsageError(
                "Matches at a threshold need scores, and outcomes have none.",
                "give scores and an experiment.",
            )
        found = [matched_at(one, own, fmr) for one, own in zip(scores, ranked, strict=True)]
        return cls(
            tuple(ranked),
            tuple(one for one, _ in found),
            outcome,
            rank,
            fmr,
            tuple(limit for _, limit in found),
        )

    def kept(self, which: Sequence[npt.NDArray[np.bool_]]) -> Floats:
        """The values of some probes, an algorithm below the other."""
        return np.concatenate([one[keep] for one, keep in zip(self.values, which, strict=True)])

    @property
    def target(self) -> Target:
        """What is measured."""
        if self.outcome == "success":
            return Target("rank-rate", f"recognition rate at rank {self.rank}")
        if self.outcome == "log-rank":
            return _LOG_RANK
        assert self.fmr is not None  # of matches
        return Target("match-rate", f"true match rate at FMR {given(self.fmr)}")


@one_blas_thread()
def explain(
    found: Explained,
    model: Formula,
    covariance: Covariance = "CR2",
    incomplete: Incomplete = "error",
    confidence_level: float = 0.95,
) -> CovariateStudy:
    """Explain outcomes by a model (see `covariates`).

    Examples
    --------
    >>> from proband import Samples, rank
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(6)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids], "sex": list("ffmmff") * 2})
    >>> scores = Scores.from_array(np.eye(6), ids[6:], ids[:6], orientation="similarity")
    >>> ranked = rank(scores, Experiment(samples, gallery=ids[:6]))
    >>> explain(Explained.of([ranked], [], "success", 1, 0.001), Formula.parse("sex"))
    Traceback (most recent call last):
        ...
    proband.errors.DesignError: All 6 outcomes succeed at rank 1: there is nothing to explain.
    hint: choose another rank: rank=…
    """
    rows = rows_of(found.ranked, model, incomplete)
    y = found.kept(rows.kept)
    _require_both(y, found)
    coding = Coding(model, rows)
    coding.check()
    fit = regress(coding.matrix, y, "linear" if found.outcome == "log-rank" else "logistic")
    coding.check_separated(fit)
    sandwich = Sandwich(fit, rows.person, covariance)
    standard = Standardizer(coding, sandwich, confidence_level)
    tests = _tests(coding, sandwich)
    checks = checks_of(coding, fit, rows.person, confidence_level)
    differences, rates = tuple(standard.differences()), tuple(standard.rates())
    few = [one.covariate for one in rates if not one.supported]
    few += [one.covariate for one in differences if not one.supported]
    few += [one.term for one in tests if not one.supported]
    notes = [*_left_out(found, rows, y)]
    if len(found.ranked) > 1 and all(one.kind != "algorithm" for one in model.covariates):
        notes.append(_AVERAGED(n=len(found.ranked)))
    if few:
        notes += [_FEW(what=tuple(dict.fromkeys(few)), least=FEW), _FEW_MARK(least=FEW)]
    notes += [*_fitting(checks), _REFERENCE(), _NOT_ADJUSTED(), _OBSERVATIONAL()]
    if model.crossed and found.outcome != "log-rank":
        notes.append(_SCALES())
    if found.outcome == "match":
        notes.append(_THRESHOLDS(fmr=found.fmr))
    assuming = _LINEAR if found.outcome == "log-rank" else _LOGISTIC
    return CovariateStudy(
        formula=str(model),
        outcome=found.outcome,
        rank=found.rank,
        fmr=found.fmr,
        thresholds=found.thresholds,
        algorithms=tuple(one.algorithm for one in found.ranked),
        n_rows=len(y),
        n_probes=len(np.unique(rows.probe)),
        n_people=sandwich.n_people,
        n_incomplete=len(rows.incomplete),
        rate=float(y.mean()),
        tests=tests,
        rates=rates,
        differences=differences,
        curves=tuple(standard.curves()),
        coefficients=_coefficients(coding, sandwich, confidence_level),
        checks=checks,
        covariance=covariance,
        design=_METHODS[covariance],
        confidence_level=confidence_level,
        answers=Answers(
            derived("standardized", "standardised {}", found.target), OTHER_PEOPLE, _MIX, assuming
        ),
        facts=tuple(one.facts for one in found.ranked),
        notes=tuple(notes),
    )


def _outcomes(outcomes: Outcomes, outcome: Outcome, rank: int) -> Floats:
    if outcome == "success":
        return outcomes.success(rank)
    if outcomes.failed.any():
        raise DesignError(
            f"{outcomes.algorithm}: {count(int(outcomes.failed.sum()))} probes failed to be acquired and have no rank, so that there is no log of it.",
            Hint(
                "take success at a rank, where they are misses: {option:outcome=success}; or leave these probes out: {option:probes}"
            ),
            source=None,
        )
    logs: Floats = np.log(outcomes.ranks)
    return logs


def _require_both(y: Floats, found: Explained) -> None:
    if np.ptp(y) > 0:
        return
    if found.outcome == "log-rank":
        raise DesignError(
            "All probes have the same rank: there is nothing to explain.", "look at harder probes."
        )
    became = "succeed" if y[0] else "fail"
    where, cure = f"at rank {found.rank}", "choose another rank: {option:rank}"
    if found.fmr is not None:
        where, cure = f"at FMR {given(found.fmr)}", "choose another false match rate: {option:fmr}"
    raise DesignError(
        f"All {count(len(y))} outcomes {became} {where}: there is nothing to explain.", Hint(cure)
    )


def _tests(coding: Coding, sandwich: Sandwich) -> tuple[TermTest, ...]:
    eye = np.eye(len(coding.names))
    held = {term_name(term): frozenset(term) for term in coding.formula.terms}
    places = {
        term: [at for other, own in held.items() if own_part <= own for at in coding.places[other]]
        for term, own_part in held.items()
    }
    found = {term: sandwich.joint(eye[at]) for term, at in places.items()}
    tested = [one.p_value for one in found.values() if np.isfinite(one.p_value)]
    adjusted = iter(holm(tested))
    made = []
    for term, one in found.items():
        possible = bool(np.isfinite(one.p_value))
        made.append(
            TermTest(
                term,
                len(places[term]) > len(coding.places[term]),
                float(one.statistic) if possible else None,
                one.numerator,
                float(one.denominator),
                one.p_value if possible else None,
                next(adjusted) if possible else None,
            )
        )
    return tuple(made)


def _coefficients(coding: Coding, sandwich: Sandwich, confidence_level: float) -> tuple[Coefficient, ...]:
    terms = {place: term for term, places in coding.places.items() for place in places}
    made = []
    for place, (name, weights) in enumerate(zip(coding.names, np.eye(len(coding.names)), strict=True)):
        one = sandwich.contrast(weights, confidence_level)
        made.append(
            Coefficient(
                name,
                terms.get(place, "intercept"),
                one.value,
                one.low,
                one.high,
                one.standard_error,
                one.degrees_of_freedom,
                one.p_value,
            )
        )
    return tuple(made)


def _left_out(found: Explained, rows: Rows, y: Floats) -> list[Note]:
    if not len(rows.incomplete):
        return []
    lost = found.kept([~keep for keep in rows.kept])
    total = len(np.unique(rows.probe)) + len(rows.incomplete)
    return [
        _LEFT_OUT(
            n=len(rows.incomplete),
            total=total,
            lacking=rows.lacking,
            rate=float(lost.mean()),
            others=float(y.mean()),
        )
    ]


def _fitting(checks: Sequence[FitCheck]) -> list[Note]:
    """One sentence for the whole model, and one for each number."""
    said = []
    for one in checks:
        if one.p_value is None:
            continue
        if one.by == "fitted":
            gap = float(np.max(np.abs(one.observed - one.expected)))
            told = _FITS if one.p_value >= _ALPHA else _FITS_NOT
            said.append(told(n=len(one.n), p=one.p_value, gap=gap))
        else:
            said.append((_STRAIGHT if one.p_value >= _ALPHA else _BENT)(by=one.by, p=one.p_value))
    return said
