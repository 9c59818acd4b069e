"""Do groups of people differ in their error rates? Labels of groups are dealt anew over people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

import numpy as np
import numpy.typing as npt

from proband.inference.comparisons.testing.curves import agreeing
from proband.inference.verification.people.carriers import FEWEST, small_sample
from proband.inference.verification.people.meetings import Comparisons, Ints
from proband.results.about import NOBODY, Who
from proband.results.base import Interval
from proband.results.difference import Difference
from proband.words import Method

Floats = npt.NDArray[np.float64]

_DRAWS = 1_999
_MOST = 100_000_000  # false matches that are looked at in all draws


def dealt_anew(draws: int) -> Method:
    """How groups are compared: labels dealt anew over people so many times."""
    return Method(
        "groups-dealt-anew",
        "group labels permuted over people (single-step max-T)",
        "group labels permuted over people, with simultaneous intervals from the largest difference in each "
        "permutation",
        ("westfall1993",),
        draws=draws,
    )


@dataclass(frozen=True, eq=False)
class GroupTest:
    """What dealing the labels of groups anew tells about one error rate.

    Attributes
    ----------
    differences
        Of every two groups that have a rate.
    ratio_p
        How often the largest rate would be as many times the smallest if groups were alike; None where there is no ratio.
    """

    differences: tuple[Difference, ...]
    ratio_p: float | None


class GenuineErrors:
    """Genuine comparisons and their errors by person."""

    def __init__(self, people: Ints, missed: npt.NDArray[np.bool_], n: int) -> None:
        self.sizes = np.bincount(people, minlength=n).astype(np.float64)
        self.errors = np.bincount(people, weights=missed, minlength=n).astype(np.float64)
        self.draws = _DRAWS

    def __call__(self, labels: Ints, k: int) -> tuple[Floats, Floats]:
        """The rate of each group, and its variance over people."""
        n, wrong, people = (
            np.bincount(labels, weights=one, minlength=k) for one in (self.sizes, self.errors, self.sizes > 0)
        )
        rates = wrong / np.maximum(n, 1)
        residuals = self.errors - rates[labels] * self.sizes
        squares = np.bincount(labels, weights=residuals**2, minlength=k)
        pooled = float(wrong.sum() / max(n.sum(), 1.0))
        variance = people / np.maximum(people - 1, 1) * squares / np.maximum(n, 1) ** 2
        return np.where(n > 0, rates, np.nan), np.maximum(variance, pooled * (1 - pooled) / np.maximum(n, 1))


class ImpostorErrors:
    """Impostor comparisons and their errors by two people; those within a group count."""

    def __init__(self, first: Ints, second: Ints, comparisons: Comparisons) -> None:
        n = comparisons.n_subjects
        keys, counts = np.unique(
            np.minimum(first, second) * n + np.maximum(first, second), return_counts=True
        )
        self.i, self.j, self.counts = keys // n, keys % n, counts.astype(np.float64)
        self.comparisons = comparisons
        self.between = comparisons.n_between(self.i, self.j).astype(np.float64)
        self.draws = int(min(_DRAWS, max(199, _MOST // max(len(keys), 1))))
        q, t = (one.astype(np.float64) for one in (comparisons.queries, comparisons.targets))
        self.met = q, t
        self.sums = q, t, q * t, q**2, t**2, (q * t) ** 2, (q + t > 0).astype(np.float64)

    def __call__(self, labels: Ints, k: int) -> tuple[Floats, Floats]:
        """The rate within each group, and its variance over people (`false_match_rate`)."""
        twice = 2.0 if self.comparisons.symmetric else 1.0
        q, t = self.met
        of_q, of_t, of_qt, q2, t2, qt2, people = (
            np.bincount(labels, weights=one, minlength=k) for one in self.sums
        )
        n = (of_q * of_t - of_qt) / twice
        met = (q * (of_t[labels] - t) + t * (of_q[labels] - q)) / twice
        squares = (q2 * t2 + of_qt**2 - 2 * qt2) / twice**2  # Σ n_ij² within each group
        within = labels[self.i] == labels[self.j]
        of, i, j, c = labels[self.i[within]], self.i[within], self.j[within], self.counts[within]
        wrong = np.bincount(of, weights=c, minlength=k)
        rates = wrong / np.maximum(n, 1)
        totals = -rates[labels] * met
        for side in (i, j):
            totals += np.bincount(side, weights=c, minlength=len(labels))
        cells = c * (c - 2 * rates[of] * self.between[within])
        of_pairs = np.bincount(of, weights=cells, minlength=k) + rates**2 * squares
        factor = np.array([small_sample(int(one)) if one >= FEWEST else 1.0 for one in people])
        variance = (np.bincount(labels, weights=totals**2, minlength=k) - of_pairs) * factor
        pooled = float(wrong.sum() / max(n.sum(), 1))
        least = np.maximum(of_pairs / np.maximum(n, 1) ** 2, pooled * (1 - pooled) / np.maximum(n, 1))
        return np.where(n > 0, rates, np.nan), np.maximum(variance / np.maximum(n, 1) ** 2, least)


def differences_of_groups(
    errors: GenuineErrors | ImpostorErrors,
    labels: Ints,
    names: Sequence[str],
    in_ratio: npt.NDArray[np.bool_],
    confidence_level: float = 0.95,
    seed: int = 0,
    who: Who = NOBODY,
) -> GroupTest:
    """Compare every two groups of people by an error rate, and the largest with the smallest.

    What is assumed under the hypothesis is that groups are alike, so that any dealing of their labels over people was as likely.
    With t_ab = (p_a − p_b)/√(V_a + V_b) and V the variances over people, the largest |t| of each dealing gives adjusted p-values
    and, as its quantile, simultaneous intervals, so that both agree (single-step max-T of Westfall & Young 1993).

    Parameters
    ----------
    errors
        What gives the rates and variances of groups.
    labels, names
        The group of every person as a number, and what groups are called.
    in_ratio
        Which groups' rates are supported, and so part of the ratio of the largest to the smallest.
    who
        Whose groups they are.
    """
    k, rng = len(names), np.random.default_rng(seed)
    rates, variances = errors(labels, k)
    pairs = np.array([two for two in combinations(range(k), 2) if np.isfinite(rates[list(two)]).all()])
    if not len(pairs) or not np.nanmax(rates) > 0:
        return GroupTest((), None)
    a, b = pairs.T
    observed, error = rates[a] - rates[b], np.sqrt(variances[a] + variances[b])
    seen = _apart(observed, error) * (1 - 1e-12)
    largest, ratios, as_far = np.empty(errors.draws), np.empty(errors.draws), np.zeros(len(pairs))
    for draw in range(errors.draws):
        dealt, spread = errors(rng.permutation(labels), k)
        apart = _apart(dealt[a] - dealt[b], np.sqrt(spread[a] + spread[b]))
        largest[draw] = np.nanmax(apart, initial=0.0)
        as_far += apart >= seen
        ratios[draw] = _ratio(dealt[in_ratio])
    place = ceil(confidence_level * (errors.draws + 1))
    limit = np.sort(largest)[place - 1] if place <= errors.draws else np.inf
    reach = np.where(error > 0, limit * np.where(error > 0, error, 1.0), np.inf)
    alone = (1 + as_far) / (errors.draws + 1)
    adjusted = (1 + (largest >= seen[:, None]).sum(axis=1)) / (errors.draws + 1)
    ratio = _ratio(rates[in_ratio])
    as_large = (1 + int((ratios >= ratio * (1 - 1e-12)).sum())) / (errors.draws + 1)
    method = dealt_anew(errors.draws)
    differences = []
    for place, (x, y) in enumerate(pairs.tolist()):
        value, p = float(observed[place]), float(adjusted[place])
        low, high = _ends(value, float(reach[place]), p, 1 - confidence_level)
        differences.append(
            Difference(
                who=who,
                first=names[x],
                second=names[y],
                value=value,
                low=low,
                high=high,
                confidence_level=confidence_level,
                standard_error=float(error[place]),
                p_value=float(alone[place]),
                p_adjusted=p,
                verdict="undecided" if low <= 0 <= high else "worse" if value > 0 else "better",
                method=method,
                n_compared=len(pairs),
            )
        )
    return GroupTest(tuple(differences), as_large if np.count_nonzero(in_ratio) > 1 else None)


def _apart(differences: Floats, errors: Floats) -> Floats:
    """Differences by their errors; a dealing in which nobody errs has neither."""
    sizes = np.abs(differences)
    return np.divide(sizes, errors, out=np.where(sizes > 0, np.inf, 0.0), where=errors > 0)


def _ends(difference: float, reach: float, p: float, alpha: float) -> Interval:
    """The interval within what a difference can be, which holds 0 unless the test rejects it: dealings may tie with the groups."""
    return agreeing(max(-1.0, difference - reach), min(1.0, difference + reach), difference, p, alpha)


def _ratio(rates: Floats) -> float:
    """The largest by the smallest; without end where the smallest is none."""
    if not len(rates):
        return 1.0
    low, high = float(np.nanmin(rates)), float(np.nanmax(rates))
    return high / low if low > 0 else np.inf
