"""How sure is a verification error rate, when every person takes part in many comparisons?

Two comparisons that share a person are alike, so counting them as independent makes intervals far too narrow. Here a comparison of
two people is a *dyad*, and people are what is independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError, UsageError
from proband.inference.proportions import (
    Interval,
    check_level,
    normal_quantile,
    t_quantile,
    wilson_interval,
)
from proband.inference.verification.people.carriers import (
    FEWEST,
    TOO_FEW,
    effective_people,
    sees_people,
    small_sample,
    squares_of_pairs,
    variance_over_people,
)
from proband.inference.verification.people.meetings import Ints, Meetings, subject_pairs
from proband.inference.verification.people.person_rates import by_comparison, by_person
from proband.inference.verification.people.supposed import effect_of_sharing, unseen, worth_of_people
from proband.measures.verification import SUPPORTED
from proband.results.base import Confidence, Count, Result
from proband.words import Method, Note, Sentence, count

__all__ = [
    "RateInterval",
    "ZeroErrorBounds",
    "false_match_rate",
    "false_non_match_rate",
    "naive_interval",
    "zero_error_bounds",
]

Floats = npt.NDArray[np.float64]
DyadicMethod = Literal["logit", "wilson"]

TOO_FEW_ERRORS = (
    10  # below, intervals were simulated to be rough; where 30 are expected so few are rarely seen
)
_ENOUGH = 2  # errors, and others, from which on they show themselves whether they come together
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
    "Wilson's interval as if comparisons were independent, which makes it too narrow",
    ("wilson1927",),
)
_INDEPENDENT = Method(
    "independent-pairs",
    "Wilson, pairs assumed independent",
    "Wilson's interval, pairs being assumed independent since nobody says whose they are",
    ("wilson1927",),
)
_UNITS = {"pairs": "disjoint pairs of people", "people": "people"}
_ONE = Method(
    "one-error",
    "Wilson (a design effect borrowed or supposed)",
    "where one error decides, Wilson's interval with a design effect that is borrowed or supposed",
    ("wilson1927", "rao1992"),
)
_EXACT = {
    kind: Method(
        f"no-errors-{kind}",
        f"one-sided bound (a design effect borrowed or supposed; {units} at least)",
        f"where there are no errors, or nothing else, a one-sided bound with a design effect that is borrowed or supposed; {units} at "
        "least are counted",
        ("hanley1983",),
    )
    for kind, units in _UNITS.items()
}

_ONE_PERSON = Sentence(
    "rates.one-person",
    "caution",
    "one person gives no information about others, so the interval is the whole range",
)
_UNEVEN = Sentence(
    "rates.uneven",
    "caution",
    "the errors are concentrated on effectively {carry:whole} of {people:count} people; for other people the rate may be "
    "quite different",
)
_SHARED = Sentence(
    "rates.naive",
    "caution",
    "comparisons that share a person are assumed to be independent: the interval is too narrow",
)
_ASSUMED = Sentence(
    "rates.assumed-independent",
    "caution",
    "pairs are assumed independent, since nobody says whose they are; where people or samples are in several pairs, it is too narrow",
)
_WHENCE = {
    True: "which is seen where there are more errors (at another threshold, or else by another algorithm or group)",
    False: "which is supposed",
}
_ONE_ERROR = {
    borrowed: Sentence(
        f"rates.one-error{'-borrowed' if borrowed else ''}",
        "note",
        f"a single error does not show how alike comparisons are: a design effect of {{effect:two}}, {whence}, is taken",
    )
    for borrowed, whence in _WHENCE.items()
}
_NO_ERRORS = {
    (some, borrowed): Sentence(
        f"rates.{some}{'-borrowed' if borrowed else ''}",
        "note",
        f"{start}: {{n:count comparison}} with a design effect of {{effect:two}}, {whence}, put the rate within {{within:small}} of this; "
        "if they were independent it would be {independent:small}, and {units:count} {of} alone put it within {disjoint:small}",
    )
    for some, start in (("no-errors", "no errors"), ("only-errors", "errors only"))
    for borrowed, whence in _WHENCE.items()
}
_NOT_SUPPORTED = Sentence(
    "rates.not-supported",
    "caution",
    "the rate rests on {n:count error}; fewer than {supported:count} do not support an interval",
)
_FEW_ERRORS = Sentence(
    "rates.few-errors",
    "note",
    "the rate rests on {n:count error}, fewer than the {usual:count} of the rule of 30; its interval allows for that",
)

_FEW_CARRY = 5.0  # effective people below which the rate is theirs rather than everybody's


@dataclass(frozen=True)
class ZeroErrorBounds:
    """What no error in `n` comparisons says: bounds of the rate that would seldom be this lucky, under two assumptions.

    Attributes
    ----------
    independent
        If all comparisons were independent: the exact 1 − α^(1/n). They are not, so this is the least the bound can be.
    rule_of_three
        Its usual approximation, −ln α / n: 3 / n at 95 %.
    disjoint
        From one comparison of each of `n_disjoint` pairs of people of whom nobody is in two (for genuine comparisons: one of
        each person). These are independent, so this bound can be relied on.
    n, n_disjoint, confidence_level
        Comparisons, those that share nobody, and the level of the bounds.
    """

    n: int
    n_disjoint: int
    independent: float
    rule_of_three: float
    disjoint: float
    confidence_level: float


@dataclass(frozen=True)
class PersonRate(Result):
    """An error rate in which every person (for false matches: every two people) weighs the same.

    Attributes
    ----------
    rate, low, high
        The mean of the people's own rates, and its interval over other people.
    standard_error, degrees_of_freedom
        Of the rate.
    """

    rate: float
    low: float
    high: float
    standard_error: float
    degrees_of_freedom: float


@dataclass(frozen=True)
class RateInterval(Result):
    """An error rate with its interval.

    Attributes
    ----------
    rate, errors, n
        The share of errors, their number and the number of comparisons.
    low, high
        The ends of the interval.
    standard_error
        Of the rate; with no errors, or errors only, nothing varies and it is 0.
    n_effective
        The number of independent comparisons that would tell as much.
    n_subjects
        The people who take part in a comparison, where that is known.
    degrees_of_freedom
        Of the Student quantile used; None for a normal one or none.
    supported
        Whether there are at least 30 errors (the rule of 30). A note says so of fewer, and a caution of fewer than ten.
    method, notes
        How the interval was made, and what else a reader should know.
    zero_errors
        Where there is no error (or nothing else): what that says under either assumption.
    by_person
        Where people have different numbers of comparisons: the rate in which each weighs the same. None where they have as many,
        or nothing varies.
    confidence_level
        Of the interval.
    """

    rate: float
    errors: Count
    n: Count
    low: float
    high: float
    standard_error: float
    n_effective: float
    n_subjects: Count | None
    degrees_of_freedom: float | None
    supported: bool
    method: Method
    confidence_level: Confidence
    notes: tuple[Note, ...] = ()
    zero_errors: ZeroErrorBounds | None = None
    by_person: PersonRate | None = None

    @property
    def few_errors(self) -> bool:
        """Whether fewer than two errors, or fewer than two of anything else, do not show how alike the comparisons of a person are."""
        return self.n_subjects is not None and min(self.errors, self.n - self.errors) < _ENOUGH


def false_match_rate(
    i: npt.ArrayLike,
    j: npt.ArrayLike,
    comparisons: Meetings,
    confidence_level: float = 0.95,
    method: DyadicMethod = "logit",
    design_effect: float | None = None,
) -> RateInterval:
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
    if method not in get_args(DyadicMethod):
        raise UsageError(f"There is no method {method!r}.", "choose one of: logit, wilson.")
    check_level(confidence_level)
    first, second = subject_pairs(i, j, comparisons, "false matches")
    by_subject, n, errors = comparisons.n_by_subject, comparisons.n_impostor, len(first)
    people = int(np.count_nonzero(by_subject))
    if n == 0:
        raise DesignError("Nobody is compared with somebody else, so there is no false match rate.")
    rate = errors / n
    of_pairs = squares_of_pairs(first, second, rate, comparisons)
    few = _FewErrors.of(errors, n, design_effect, lambda: effect_of_sharing(comparisons))
    if errors in (0, n):
        return few.bound(people, comparisons.n_disjoint, "pairs", confidence_level)
    made = _OVER_PEOPLE[method]
    counts = np.bincount(first, minlength=len(by_subject)) + np.bincount(second, minlength=len(by_subject))
    totals = counts - rate * by_subject
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
    found = _interval(errors, n, people, ends, effective, freedom, made, confidence_level, notes)
    if people < FEWEST or comparisons.sum_of_squares * comparisons.n_pairs == n**2:
        return found
    return replace(found, by_person=_by_two_people(first, second, comparisons, people, confidence_level))


def _by_two_people(
    first: Ints, second: Ints, comparisons: Meetings, people: int, confidence_level: float
) -> PersonRate:
    """The rate in which every two people who meet weigh the same, with its interval as that of `false_match_rate`."""
    keys, counts = np.unique(first * comparisons.n_subjects + second, return_counts=True)
    i, j = keys // comparisons.n_subjects, keys % comparisons.n_subjects
    shares, n = counts / comparisons.n_between(i, j), comparisons.n_pairs
    rate = float(shares.sum()) / n
    totals: Floats = -rate * comparisons.n_partners.astype(np.float64)
    for side in (i, j):
        totals += np.bincount(side, weights=shares, minlength=len(totals))
    of_pairs = float((shares * (shares - 2 * rate)).sum()) + rate**2 * n
    variance = max((float(totals @ totals) - of_pairs) * small_sample(people), of_pairs) / n**2
    freedom = effective_people(totals[comparisons.n_partners > 0])
    ends = logit_interval(rate, sqrt(variance), t_quantile(confidence_level, freedom))
    return PersonRate(rate, ends.low, ends.high, sqrt(variance), freedom)


def false_non_match_rate(
    subjects: npt.ArrayLike,
    errors: npt.ArrayLike,
    confidence_level: float = 0.95,
    design_effect: float | None = None,
) -> RateInterval:
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
    few = _FewErrors.of(missed, n, design_effect, lambda: n / worth_of_people(sizes))
    if missed in (0, n):
        return few.bound(k, k, "people", confidence_level)
    found = by_comparison(totals, sizes)
    # A design effect below one is chance or design, and not to be relied on for other people.
    effective = _worth(found.rate, found.variance, few.most) if k > 1 else float(n)
    ends = wilson_interval(found.rate, effective, t_quantile(confidence_level, found.freedom))
    notes = (_ONE_PERSON(),) if k == 1 else ()
    made = _interval(missed, n, k, ends, effective, found.freedom, _CLUSTERS, confidence_level, notes)
    if sizes.min() == sizes.max():
        return made
    person = by_person(totals, sizes)
    worth = _worth(person.rate, person.variance, k**2 / float((1 / sizes).sum()))
    ends = wilson_interval(person.rate, worth, t_quantile(confidence_level, person.freedom))
    error = sqrt(person.rate * (1 - person.rate) / worth)
    return replace(made, by_person=PersonRate(person.rate, ends.low, ends.high, error, person.freedom))


def _worth(rate: float, variance: float, most: float) -> float:
    """How many independent comparisons vary as much; never more than there are."""
    return min(most, rate * (1 - rate) / variance) if variance > 0 else most


def naive_interval(
    errors: int, n: int, confidence_level: float = 0.95, n_subjects: int | None = None
) -> RateInterval:
    """Find Wilson's interval (1927) as if all comparisons were independent: for contrast, not for use."""
    if n < 1 or not 0 <= errors <= n:
        raise UsageError(f"{count(errors)} errors in {count(n)} comparisons is no rate.")
    ends = wilson_interval(errors / n, n, normal_quantile(confidence_level))
    notes = (_SHARED(),)
    return _interval(int(errors), int(n), n_subjects, ends, float(n), None, _NAIVE, confidence_level, notes)


def independent_interval(errors: int, n: int, confidence_level: float = 0.95) -> RateInterval:
    """Find Wilson's interval (1927) of pairs of which nobody says whose they are, and which are assumed independent.

    Other pairs vary. With p = errors/n the ends are (p + z²/2n ± z√(p(1 − p)/n + z²/4n²)) / (1 + z²/n). It is right where no person and no
    sample is in two pairs, and too narrow otherwise.
    """
    naive = naive_interval(errors, n, confidence_level)
    others = [note for note in naive.notes if note.code != _SHARED.code]
    return replace(naive, method=_INDEPENDENT, notes=(_ASSUMED(), *others))


def zero_error_bounds(n: int, n_disjoint: int, confidence_level: float = 0.95) -> ZeroErrorBounds:
    """Bound a rate of which no error was seen, one-sided (Hanley & Lippman-Hand 1983).

    1 − α^(1/n) for n independent comparisons, about −ln α / n; with only those that share nobody, 1 − α^(1/n_disjoint).
    """
    if not 1 <= n_disjoint <= n:
        raise UsageError(f"{count(n_disjoint)} of {count(n)} comparisons cannot be the independent ones.")
    surprise = np.log1p(-check_level(confidence_level))
    return ZeroErrorBounds(
        n=n,
        n_disjoint=n_disjoint,
        independent=float(-np.expm1(surprise / n)),
        rule_of_three=min(1.0, float(-surprise / n)),
        disjoint=float(-np.expm1(surprise / n_disjoint)),
        confidence_level=confidence_level,
    )


def logit_interval(rate: float, error: float, t: float) -> Interval:
    """Find the interval of a rate on the logit scale: logit p ± t se/(p(1 − p)); the whole range for an infinite `t`."""
    from scipy.special import expit, logit

    if not isfinite(t):
        return Interval(0.0, 1.0)
    middle, half = float(logit(rate)), t * error / (rate * (1 - rate))
    return Interval(float(expit(middle - half)), float(expit(middle + half)))


class _FewErrors(NamedTuple):
    """Fewer than two errors, or fewer than two of anything else: how alike the comparisons of a person are cannot be seen in them."""

    errors: int
    n: int
    effect: float
    borrowed: bool

    @classmethod
    def of(cls, errors: int, n: int, borrowed: float | None, supposed: Callable[[], float]) -> _FewErrors:
        if min(errors, n - errors) >= _ENOUGH:
            return cls(errors, n, 1.0, False)
        return cls(errors, n, max(1.0, supposed() if borrowed is None else borrowed), borrowed is not None)

    @property
    def most(self) -> float:
        """What genuine comparisons with one error are worth at most: halfway (on the scale of logarithms) between none and two."""
        return self.n if self.effect == 1 else self.n / max(sqrt(self.effect), self.effect / 3)

    @property
    def unseen(self) -> bool:
        """Whether there are so few."""
        return min(self.errors, self.n - self.errors) < _ENOUGH

    def worth(self, n_disjoint: int) -> float:
        """What comparisons are worth with the design effect: those that share nobody at least."""
        return max(self.n / self.effect, float(n_disjoint))

    def said(self, worth: float) -> Note:
        """Of one error, what is taken for its design effect."""
        return _ONE_ERROR[self.borrowed](effect=self.n / worth)

    def bound(self, people: int, n_disjoint: int, kind: str, confidence_level: float) -> RateInterval:
        """No errors, or nothing else: what the comparisons are worth with the design effect, and people who are independent at least."""
        worth = self.worth(n_disjoint)
        within, bounds = (
            unseen(worth, confidence_level),
            zero_error_bounds(self.n, n_disjoint, confidence_level),
        )
        none = self.errors == 0
        ends = Interval(0.0, within) if none else Interval(1.0 - within, 1.0)
        said = _NO_ERRORS["no-errors" if none else "only-errors", self.borrowed](
            n=self.n,
            effect=self.n / worth,
            within=within,
            independent=bounds.independent,
            units=n_disjoint,
            of=_UNITS[kind],
            disjoint=bounds.disjoint,
        )
        return _interval(
            self.errors, self.n, people, ends, worth, None, _EXACT[kind], confidence_level, (said,), bounds
        )


def _interval(
    errors: int,
    n: int,
    people: int | None,
    ends: Interval,
    n_effective: float,
    freedom: float | None,
    method: Method,
    confidence_level: float,
    notes: tuple[Note, ...],
    zero_errors: ZeroErrorBounds | None = None,
) -> RateInterval:
    rate, supported = errors / n, errors >= SUPPORTED
    if errors < TOO_FEW_ERRORS:
        notes = (_NOT_SUPPORTED(n=errors, supported=TOO_FEW_ERRORS), *notes)
    elif not supported:
        notes = (_FEW_ERRORS(n=errors, usual=SUPPORTED), *notes)
    return RateInterval(
        rate=rate,
        errors=errors,
        n=n,
        low=ends.low,
        high=ends.high,
        standard_error=sqrt(rate * (1 - rate) / n_effective),
        n_effective=n_effective,
        n_subjects=people,
        degrees_of_freedom=freedom,
        supported=supported,
        method=method,
        confidence_level=confidence_level,
        notes=notes,
        zero_errors=zero_errors,
    )
