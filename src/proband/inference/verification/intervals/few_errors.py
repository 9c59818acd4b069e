"""Rates with one error or none: how alike the comparisons of a person are cannot be seen in them, and is borrowed or supposed."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from proband.errors import UsageError
from proband.inference.comparisons.testing.tails import unseen
from proband.inference.proportions import Interval, check_level
from proband.inference.verification.intervals.rate_interval import (
    ENOUGH_ERRORS,
    FALSE_MATCHES,
    ErrorKind,
    ZeroErrorBounds,
    rate_interval,
)
from proband.results.estimate import Estimate
from proband.words import Method, Note, Sentence, count

_UNITS = {"pairs": "disjoint pairs of people", "people": "people"}
_EXACT = {
    kind: Method(
        f"no-errors-{kind}",
        f"one-sided bound (design effect borrowed or assumed; at least {units})",
        "with no errors, or only errors, a one-sided bound with a borrowed or assumed design effect; at "
        f"least {units} are counted",
        ("hanley1983",),
    )
    for kind, units in _UNITS.items()
}
_WHENCE = {
    True: "estimated from results with more errors (another threshold, algorithm or group)",
    False: "which is assumed",
}
_ONE_ERROR = {
    borrowed: Sentence(
        f"rates.one-error{'-borrowed' if borrowed else ''}",
        "note",
        "the correlation of comparisons cannot be estimated from a single error: a design effect of "
        f"{{effect:two}}, {whence}, is used",
    )
    for borrowed, whence in _WHENCE.items()
}
_NO_ERRORS = {
    (some, borrowed): Sentence(
        f"rates.{some}{'-borrowed' if borrowed else ''}",
        "note",
        f"{start} (design effect {{effect:two}}, {whence}), {{independent:small}} if comparisons were independent, "
        "{disjoint:small} from the {units:count} {of} alone",
    )
    for some, start in (
        ("no-errors", "no errors in {n:count comparison}: upper bound {within:small}"),
        ("only-errors", "only errors in {n:count comparison}: at most {within:small} below 1"),
    )
    for borrowed, whence in ((True, "from results with more errors"), (False, "assumed"))
}


def zero_error_bounds(n: int, n_disjoint: int, confidence_level: float = 0.95) -> ZeroErrorBounds:
    """Bound a rate of which no error was seen, one-sided (Hanley & Lippman-Hand 1983).

    1 − α^(1/n) for n independent comparisons, about −ln α / n; with only those that share nobody, 1 − α^(1/n_disjoint).
    """
    if not 1 <= n_disjoint <= n:
        raise UsageError(f"{count(n_disjoint)} of {count(n)} comparisons cannot be independent.")
    surprise = np.log1p(-check_level(confidence_level))
    return ZeroErrorBounds(
        n=n,
        n_disjoint=n_disjoint,
        independent=float(-np.expm1(surprise / n)),
        rule_of_three=min(1.0, float(-surprise / n)),
        disjoint=float(-np.expm1(surprise / n_disjoint)),
        confidence_level=confidence_level,
    )


def bounds_without_errors(rate: Estimate, n_disjoint: int) -> ZeroErrorBounds | None:
    """Bound a rate of which no error was seen, or nothing else; None where there are both."""
    if rate.rests_on.n_events not in (0, rate.rests_on.n):
        return None
    return zero_error_bounds(rate.rests_on.n, n_disjoint, rate.confidence_level)


class FewErrors(NamedTuple):
    """Fewer than two errors, or fewer than two of anything else: how alike the comparisons of a person are cannot be seen in them.

    Attributes
    ----------
    errors, n
        The errors, and the comparisons they are among.
    effect, borrowed
        The design effect that is taken, and whether it was seen elsewhere or is supposed; 1 where errors are more.
    """

    errors: int
    n: int
    effect: float
    borrowed: bool

    @classmethod
    def of(cls, errors: int, n: int, borrowed: float | None, supposed: Callable[[], float]) -> FewErrors:
        """Take the design effect that was seen elsewhere, or else the one that is supposed."""
        if min(errors, n - errors) >= ENOUGH_ERRORS:
            return cls(errors, n, 1.0, False)
        return cls(errors, n, max(1.0, supposed() if borrowed is None else borrowed), borrowed is not None)

    @property
    def most(self) -> float:
        """What genuine comparisons with one error are worth at most: halfway (on the scale of logarithms) between none and two."""
        return self.n if self.effect == 1 else self.n / max(sqrt(self.effect), self.effect / 3)

    @property
    def unseen(self) -> bool:
        """Whether there are so few."""
        return min(self.errors, self.n - self.errors) < ENOUGH_ERRORS

    def worth(self, n_disjoint: int) -> float:
        """What comparisons are worth with the design effect: those that share nobody at least."""
        return max(self.n / self.effect, float(n_disjoint))

    def said(self, worth: float) -> Note:
        """Of one error, what is taken for its design effect."""
        return _ONE_ERROR[self.borrowed](effect=self.n / worth)

    def bound(self, of: ErrorKind, people: int, n_disjoint: int, confidence_level: float) -> Estimate:
        """No errors, or nothing else: what the comparisons are worth with the design effect, and people who are independent at least."""
        worth = self.worth(n_disjoint)
        within, bounds = (
            unseen(1 - confidence_level, worth),
            zero_error_bounds(self.n, n_disjoint, confidence_level),
        )
        none, kind = self.errors == 0, "pairs" if of is FALSE_MATCHES else "people"
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
        return rate_interval(
            of, self.errors, self.n, people, ends, worth, None, _EXACT[kind], confidence_level, (said,)
        )
