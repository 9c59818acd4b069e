"""How sure is a verification error rate, when every person takes part in many comparisons?

Two comparisons that share a person are alike, so counting them as independent makes intervals far too narrow. Here a comparison of
two people is a *dyad*, and people are what is independent.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, sqrt
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.distributions import inverse_logit, logit
from proband.errors import DesignError, UsageError
from proband.inference.proportions import Interval, check_level, normal_quantile, t_quantile, wilson_interval
from proband.inference.verification.intervals.few_errors import FewErrors
from proband.inference.verification.intervals.rate_interval import (
    FALSE_MATCHES,
    FALSE_NON_MATCHES,
    ErrorKind,
    by_person_of,
    rate_interval,
)
from proband.inference.verification.people.carriers import (
    FEWEST,
    TOO_FEW,
    effective_people,
    sees_people,
    small_sample,
    variance_over_people,
)
from proband.inference.verification.people.matches import ListedMatches, Matches
from proband.inference.verification.people.meetings import Meetings
from proband.inference.verification.people.person_rates import by_comparison, by_person
from proband.inference.verification.people.supposed import effect_of_sharing, worth_of_people
from proband.results.estimate import Estimate
from proband.results.targets import OTHER_PAIRS, PAIRS_INDEPENDENT
from proband.words import Method, Note, Sentence, Target, count

Floats = npt.NDArray[np.float64]
DyadicMethod = Literal["logit", "wilson"]

_OVER_PEOPLE: dict[DyadicMethod, Method] = {
    "logit": Method(
        "fmr-over-people-logit",
        "plug-in variance over people (logit scale, Student's t)",
        "the variance over pairs of people on the logit scale",
        ("fogliato2024",),
    ),
    "wilson": Method(
        "fmr-over-people-wilson",
        "plug-in variance over people (Wilson, normal quantile)",
        "Wilson's interval with the variance over pairs of people",
        ("fogliato2024", "wilson1927"),
    ),
}
_CLUSTERS = Method(
    "fnmr-clustered",
    "people as clusters (Wilson with the effective sample size, Student's t)",
    "Wilson's interval with the effective sample size",
    ("wilson1927", "rao1992", "bell2002"),
)
_NAIVE = Method(
    "naive",
    "naive: Wilson, comparisons as if independent",
    "Wilson's interval as if comparisons were independent (too narrow)",
    ("wilson1927",),
)
_INDEPENDENT = Method(
    "independent-pairs",
    "Wilson, pairs assumed independent",
    "Wilson's interval, assuming independent pairs because no subject IDs were given",
    ("wilson1927",),
)
_ONE = Method(
    "one-error",
    "Wilson (design effect borrowed or assumed)",
    "with a single error, Wilson's interval with a borrowed or assumed design effect",
    ("wilson1927", "rao1992"),
)

_ONE_PERSON = Sentence(
    "rates.one-person",
    "caution",
    "one person gives no information about others, so the interval covers the whole range",
)
_UNEVEN = Sentence(
    "rates.uneven",
    "caution",
    "the errors are concentrated on effectively {carry:whole} of {people:count} people; for new people the "
    "rate may be quite different",
)
_SHARED = Sentence(
    "rates.naive",
    "caution",
    "comparisons that share a person are treated as independent: the interval is too narrow",
)
_ASSUMED = Sentence(
    "rates.assumed-independent",
    "caution",
    "no subject IDs were given, so pairs are assumed independent; if people or samples are in several "
    "pairs, the interval is too narrow",
)

AS_IF_INDEPENDENT = Target(
    "comparisons-as-if-independent",
    "comparisons are independent (they are not, so the interval is too narrow)",
)
_FEW_CARRY = 5.0  # effective people below which the rate is theirs rather than everybody's


def false_match_rate(
    i: npt.ArrayLike,
    j: npt.ArrayLike,
    comparisons: Meetings,
    confidence_level: float = 0.95,
    method: DyadicMethod = "logit",
    design_effect: float | None = None,
) -> Estimate:
    """Give the false match rate over other people an interval.

    What is estimated is the chance that a comparison of two people is accepted, at a fixed threshold. People vary, and are
    independent; comparisons that share one are not.

    Parameters
    ----------
    i, j
        The two subjects of every false match, one entry for each comparison, in either order.
    comparisons
        Who is compared with whom.
    method
        ``logit`` (the default): an unbiased variance, on the logit scale, with Student's t of as many degrees of freedom as
        people carry the errors. ``wilson``: Wilson's interval with the plug-in variance as published and a normal quantile.
    design_effect
        What fewer than two errors cannot show, seen elsewhere; None to suppose one (`effect_of_sharing`).

    Notes
    -----
    The variance is that of Fogliato, Patil and Perona (2024): with ẽ_ij the errors between people i and j less those expected,
    V = [Σ_i (Σ_j ẽ_ij)² − Σ_{i<j} ẽ_ij²] / N². On average it is (S − 2)(S − 3) / (S (S − 1)) of what it should be, which
    ``logit`` makes good. V is never taken to be less than if pairs of people were independent, nor than if all comparisons
    were. The degrees of freedom are the effective number of people who carry the errors: few where a few make most of the
    variance. Without errors, or with nothing else, the bound is 1 − (α/2)^(1/n) for the n independent comparisons that all are worth
    with the design effect, and never fewer than pairs of people who share nobody (`zero_error_bounds` has what these alone say).
    A single error does not show the effect either, and has Wilson's interval of as many.
    """
    matches = ListedMatches.of(i, j, comparisons)
    return rate_of_matches(matches, comparisons, confidence_level, method, design_effect)


def rate_of_matches(
    matches: Matches,
    comparisons: Meetings,
    confidence_level: float = 0.95,
    method: DyadicMethod = "logit",
    design_effect: float | None = None,
) -> Estimate:
    """Give the false match rate an interval, as `false_match_rate` does, from false matches in any form."""
    if method not in get_args(DyadicMethod):
        raise UsageError(f"Unknown method {method!r}.", "use one of: logit, wilson.")
    check_level(confidence_level)
    by_subject, n, errors = comparisons.n_by_subject, comparisons.n_impostor, matches.n
    people = int(np.count_nonzero(by_subject))
    if n == 0:
        raise DesignError("There are no impostor comparisons, so there is no false match rate.")
    rate = errors / n
    of_pairs = matches.of_pairs(rate)
    few = FewErrors.of(errors, n, design_effect, lambda: effect_of_sharing(comparisons))
    if errors in (0, n):
        return few.bound(FALSE_MATCHES, people, comparisons.n_disjoint, confidence_level)
    made = _OVER_PEOPLE[method]
    totals = matches.by_subject - rate * by_subject
    squares = float(totals @ totals)
    notes: tuple[Note, ...] = ()
    freedom: float | None = None
    if not sees_people(comparisons):
        variance, freedom = variance_over_people(rate, squares, of_pairs, n), 0.0
        ends, notes = Interval(0.0, 1.0), (TOO_FEW(),)
    elif method == "wilson":
        variance = variance_over_people(rate, squares, of_pairs, n)
        ends = wilson_interval(rate, rate * (1 - rate) / variance, normal_quantile(confidence_level))
    elif few.unseen:
        worth = few.worth(comparisons.n_disjoint)
        variance, made, notes = rate * (1 - rate) / worth, _ONE, (few.said(worth),)
        ends = wilson_interval(rate, worth, normal_quantile(confidence_level))
    else:
        variance = variance_over_people(rate, squares, of_pairs, n, small_sample(people))
        freedom = effective_people(totals[by_subject > 0])
        ends = logit_interval(rate, sqrt(variance), t_quantile(confidence_level, freedom))
        if freedom < _FEW_CARRY:
            notes = (_UNEVEN(carry=freedom, people=people),)
    effective = rate * (1 - rate) / variance
    estimate = rate_interval(
        FALSE_MATCHES, errors, n, people, ends, effective, freedom, made, confidence_level, notes
    )
    if people < FEWEST or comparisons.sum_of_squares * comparisons.n_pairs == n**2:
        return estimate
    return replace(estimate, by_person=_by_two_people(matches, comparisons, people, confidence_level))


def _by_two_people(matches: Matches, comparisons: Meetings, people: int, confidence_level: float) -> Estimate:
    """The rate in which every two people who meet weigh the same, with its interval as that of `false_match_rate`."""
    shares, n = matches.shares, comparisons.n_pairs
    rate = shares.total / n
    totals = shares.by_subject - rate * comparisons.n_partners
    of_pairs = shares.of_pairs(rate) + rate**2 * n
    variance = max((float(totals @ totals) - of_pairs) * small_sample(people), of_pairs) / n**2
    freedom = effective_people(totals[comparisons.n_partners > 0])
    ends = logit_interval(rate, sqrt(variance), t_quantile(confidence_level, freedom))
    return by_person_of(
        FALSE_MATCHES, rate, ends, sqrt(variance), freedom, people, _OVER_PEOPLE["logit"], confidence_level
    )


def false_non_match_rate(
    subjects: npt.ArrayLike,
    errors: npt.ArrayLike,
    confidence_level: float = 0.95,
    design_effect: float | None = None,
) -> Estimate:
    """Give the false non-match rate over other people an interval: Wilson's, with the effective sample size and Student's t.

    People vary, each with as many genuine comparisons; the threshold stays. The arithmetic is that of a clustered rate (Wilson
    1927; Rao & Scott 1992); where people differ in their number of comparisons, fewer of them carry the variance, and the rate
    in which each weighs the same stands beside it (`by_comparison`, `by_person`). With fewer than two errors nothing shows how alike
    the comparisons of a person are, and a design effect is borrowed or supposed, as in `false_match_rate`.

    Parameters
    ----------
    subjects, errors
        For every genuine comparison, whose it is (a number) and whether it is an error.
    design_effect
        What fewer than two errors cannot show, seen elsewhere; None to suppose one (`worth_of_people`).
    """
    check_level(confidence_level)
    people, wrong = np.asarray(subjects), np.asarray(errors, dtype=np.float64)
    if people.ndim != 1 or people.shape != wrong.shape or not np.isin(wrong, (0.0, 1.0)).all():
        raise UsageError("Every genuine comparison needs a subject and an outcome that is an error or not.")
    if not len(people):
        raise DesignError("There are no genuine comparisons, so there is no false non-match rate.")
    codes = np.unique(people, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    totals = np.bincount(codes, weights=wrong).astype(np.float64)
    n, missed, k = len(wrong), int(wrong.sum()), len(sizes)
    few = FewErrors.of(missed, n, design_effect, lambda: n / worth_of_people(sizes))
    if missed in (0, n):
        return few.bound(FALSE_NON_MATCHES, k, k, confidence_level)
    over_people = by_comparison(totals, sizes)
    # A design effect below one is chance or design, and not to be relied on for other people.
    effective = _worth(over_people.rate, over_people.variance, few.most) if k > 1 else float(n)
    ends = wilson_interval(over_people.rate, effective, t_quantile(confidence_level, over_people.freedom))
    notes = (_ONE_PERSON(),) if k == 1 else ()
    estimate = rate_interval(
        FALSE_NON_MATCHES,
        missed,
        n,
        k,
        ends,
        effective,
        over_people.freedom,
        _CLUSTERS,
        confidence_level,
        notes,
    )
    if sizes.min() == sizes.max():
        return estimate
    person = by_person(totals, sizes)
    worth = _worth(person.rate, person.variance, k**2 / float((1 / sizes).sum()))
    ends = wilson_interval(person.rate, worth, t_quantile(confidence_level, person.freedom))
    error = sqrt(person.rate * (1 - person.rate) / worth)
    beside = by_person_of(
        FALSE_NON_MATCHES, person.rate, ends, error, person.freedom, k, _CLUSTERS, confidence_level
    )
    return replace(estimate, by_person=beside)


def _worth(rate: float, variance: float, most: float) -> float:
    """How many independent comparisons vary as much; never more than there are."""
    return min(most, rate * (1 - rate) / variance) if variance > 0 else most


def naive_interval(
    of: ErrorKind, errors: int, n: int, confidence_level: float = 0.95, n_subjects: int | None = None
) -> Estimate:
    """Find Wilson's interval (1927) as if all comparisons were independent: for contrast, not for use."""
    if n < 1 or not 0 <= errors <= n:
        raise UsageError(f"{count(errors)} errors in {count(n)} comparisons is not a valid rate.")
    ends = wilson_interval(errors / n, n, normal_quantile(confidence_level))
    answers = of.answers(OTHER_PAIRS, AS_IF_INDEPENDENT)
    return rate_interval(
        of,
        int(errors),
        int(n),
        n_subjects,
        ends,
        float(n),
        None,
        _NAIVE,
        confidence_level,
        (_SHARED(),),
        answers,
    )


def independent_interval(of: ErrorKind, errors: int, n: int, confidence_level: float = 0.95) -> Estimate:
    """Find Wilson's interval (1927) of pairs of which nobody says whose they are, and which are assumed independent.

    Other pairs vary. With p = errors/n the ends are (p + z²/2n ± z√(p(1 − p)/n + z²/4n²)) / (1 + z²/n). It is right where no person and no
    sample is in two pairs, and too narrow otherwise.
    """
    naive = naive_interval(of, errors, n, confidence_level)
    others = [note for note in naive.notes if note.code != _SHARED.code]
    answers = of.answers(OTHER_PAIRS, PAIRS_INDEPENDENT)
    return replace(naive, method=_INDEPENDENT, answers=answers, notes=(_ASSUMED(), *others))


def logit_interval(rate: float, error: float, t: float) -> Interval:
    """Find the interval of a rate on the logit scale: logit p ± t se/(p(1 − p)); the whole range for an infinite `t`."""
    if not isfinite(t):
        return Interval(0.0, 1.0)
    middle, half = float(logit(rate)), t * error / (rate * (1 - rate))
    return Interval(float(inverse_logit(middle - half)), float(inverse_logit(middle + half)))
