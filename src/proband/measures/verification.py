"""Verification: rates of wrongly accepted and rejected identity claims at every attainable threshold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import ge
from typing import Annotated, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.limits import Share, TargetFalseMatchRate, Within
from proband.errors import DesignError, Hint, UsageError, unknown_name
from proband.measures.pairs.counts import PairCounts, allowed_errors, count_each
from proband.results.base import Count, Rate, Result
from proband.results.serializing import Written
from proband.scores.trials import Trials
from proband.words import Note, count, counted, fixed

Cost = Annotated[float, Within(gt=0, le=1e100)]
Floats = npt.NDArray[np.float64]
EERConvention = Literal["midpoint", "hull", "lower", "upper"]
_EXACT = 2**53
SUPPORTED = 30  # events below which a rate is not supported (the rule of 30)


@published
@dataclass(frozen=True)
class OperatingPoint:
    """The errors at one threshold. A comparison is accepted if its score reaches the threshold.

    FMR = false matches / impostor comparisons and FNMR = false non-matches / genuine comparisons, both without failures to
    acquire; FAR = (1 − FTA)·FMR and FRR = FTA + (1 − FTA)·FNMR with them, where FTA is the share of comparisons of that kind that
    failed (ISO/IEC 19795-1).

    Attributes
    ----------
    threshold
        The threshold, in the orientation of the scores; None if everything is rejected.
    false_matches, n_impostor, fmr
        Accepted impostor comparisons, all impostor comparisons, and their ratio, without failures to acquire.
    false_non_matches, n_genuine, fnmr
        Rejected genuine comparisons, all genuine comparisons, and their ratio, without failures to acquire.
    far, frr
        The same rates with failures to acquire counted as rejections.
    target_fmr
        The target FMR, if any.

    Examples
    --------
    >>> point = OperatingPoint(0.5, 2, 80, 3, 15, n_failed_impostor=20, n_failed_genuine=5)
    >>> point.fmr, point.fnmr, point.far, point.frr, point.tar
    (0.025, 0.2, 0.02, 0.4, 0.8)
    """

    threshold: float | None
    false_matches: Count
    n_impostor: Count
    false_non_matches: Count
    n_genuine: Count
    n_failed_impostor: Count
    n_failed_genuine: Count
    target_fmr: Rate | None = None

    @property
    def fmr(self) -> Rate:
        """False match rate."""
        return self.false_matches / self.n_impostor

    @property
    def fnmr(self) -> Rate:
        """False non-match rate."""
        return self.false_non_matches / self.n_genuine

    @property
    def tar(self) -> Rate:
        """True accept rate: one minus the false non-match rate."""
        return 1.0 - self.fnmr

    @property
    def far(self) -> Rate:
        """False accept rate: failures to acquire are never accepted."""
        return self.false_matches / (self.n_impostor + self.n_failed_impostor)

    @property
    def frr(self) -> Rate:
        """False reject rate: failures to acquire are rejected."""
        return (self.false_non_matches + self.n_failed_genuine) / (self.n_genuine + self.n_failed_genuine)

    @property
    def fmr_supported(self) -> bool:
        """Whether there are at least 30 false matches (the rule of 30)."""
        return self.false_matches >= SUPPORTED

    @property
    def fnmr_supported(self) -> bool:
        """Whether there are at least 30 false non-matches (the rule of 30) and, at a target FMR, 30 false matches, which set the threshold."""
        return self.false_non_matches >= SUPPORTED and (self.target_fmr is None or self.fmr_supported)


@dataclass(frozen=True)
class EqualErrorRate:
    """The rate at which FMR and FNMR are equal, or the range in which they cross, under a named convention.

    Attributes
    ----------
    value, convention
        The rate, and the convention by which it was read.
    least, greatest
        The smaller and the larger of FMR and FNMR where they are closest; equal if FMR passes FNMR between two genuine scores. They
        are not a confidence interval.
    threshold
        The strictest threshold with an FNMR not above that of the crossing; None if everything is rejected there.
    """

    value: Rate
    least: Rate
    greatest: Rate
    convention: EERConvention
    threshold: float | None


@published
@dataclass(frozen=True, eq=False)
class ErrorRates(Result):
    """FMR and FNMR at every attainable threshold: the exact ROC and DET (Martin et al. 1997).

    They describe these comparisons; for intervals for new people use `verify`.

    Attributes
    ----------
    algorithm, larger_is_closer
        The name and the orientation of the scores.
    counts
        Genuine scores and, for each, the numbers of impostor scores at or above it, and above it (as closeness).
    notes
        Notes on what was left out.

    Examples
    --------
    Four genuine and five impostor scores, one of each tied at 0.6:

    >>> from proband.measures.pairs.counts import count_trials
    >>> from proband.scores.trials import Trials
    >>> score, mated = [0.9, 0.8, 0.6, 0.3, 0.7, 0.6, 0.4, 0.2, 0.1], [1, 1, 1, 1, 0, 0, 0, 0, 0]
    >>> trials = Trials(pl.DataFrame({"score": score, "mated": mated}), "similarity")
    >>> rates = ErrorRates("net", True, count_trials(trials, thresholds=[0.5]))
    >>> rates.auc()  # (5 + 5 + 3.5 + 2)/20
    0.775
    >>> rates.at_threshold(0.5).false_matches, rates.misses_at_fmr(0.25), rates.at_fnmr(0.25).threshold
    (2, 2, 0.6)
    >>> point = admitting(rates, np.array([0.7, 0.6]), [1]).at_fmr(0.25)
    >>> point.threshold, point.false_matches, point.fnmr  # one false match is allowed, at the impostor's own score
    (0.7, 1, 0.5)
    >>> [(point.fmr, point.fnmr) for point in rates.points()]
    [(0.6, 0.0), (0.4, 0.25), (0.4, 0.25), (0.0, 0.5), (0.0, 0.75), (0.0, 1.0)]
    >>> rates.eer().value, rates.min_dcf(p_target=0.5)
    (0.325, 0.5)
    """

    written = Written(
        {
            "n_genuine": "counts.n_genuine",
            "n_impostor": "counts.n_impostor",
            "n_failed_genuine": "counts.n_failed_genuine",
            "n_failed_impostor": "counts.n_failed_impostor",
        },
        also=("auc", "eer"),
        without=("larger_is_closer", "counts"),
    )

    algorithm: str
    larger_is_closer: bool
    counts: PairCounts
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if not self.counts.n_genuine or not self.counts.n_impostor:
            kind = "genuine" if not self.counts.n_genuine else "impostor"
            failed = self.counts.n_failed_impostor if self.counts.n_genuine else self.counts.n_failed_genuine
            if failed:
                raise DesignError(
                    f"no {kind} comparison has a score ({count(failed)} failed), so error rates are not defined.",
                    "check for scores that are missing or not numbers.",
                    source=self.algorithm,
                )
            raise DesignError(
                f"there are no {kind} comparisons, so error rates are not defined.",
                Hint(
                    "use at least two people, and two images of at least one of them. If the rows and "
                    "columns of a matrix are named by subject, {give:ids=subjects}."
                ),
                source=self.algorithm,
            )

    @cached_property
    def _rejected(self) -> npt.NDArray[np.int64]:
        """Genuine comparisons below each edge."""
        rejected: npt.NDArray[np.int64] = np.cumsum(self.counts.genuine_at, dtype=np.int64)
        rejected -= self.counts.genuine_at
        return rejected

    def _point(self, place: int, target_fmr: Rate | None = None) -> OperatingPoint:
        """The point with an edge as threshold; after the last edge, everything is rejected."""
        c = self.counts
        if place >= len(c.edges):
            threshold, matched, rejected = None, 0, c.n_genuine
        else:
            sign = 1.0 if self.larger_is_closer else -1.0
            threshold = sign * float(c.edges[place])
            matched, rejected = int(c.impostor_ge[place]), int(self._rejected[place])
        return OperatingPoint(
            threshold,
            matched,
            c.n_impostor,
            rejected,
            c.n_genuine,
            c.n_failed_impostor,
            c.n_failed_genuine,
            target_fmr,
        )

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the errors at a threshold: a genuine score, or a threshold requested when the scores were counted.

        Parameters
        ----------
        threshold
            A score, in the orientation of the scores.

        Returns
        -------
        OperatingPoint
            The errors.
        """
        wanted = threshold if self.larger_is_closer else -threshold
        place = int(np.searchsorted(self.counts.edges, wanted))
        if place >= len(self.counts.edges) or self.counts.edges[place] != wanted:
            raise UsageError(
                f"Impostor comparisons were not counted at the threshold {threshold!r}.",
                Hint("request it: {option:thresholds}"),
            )
        return self._point(place)

    def at_fmr(self, fmr: TargetFalseMatchRate) -> OperatingPoint:
        """Find the least strict threshold with an FMR of at most `fmr`.

        It is the lowest score, genuine or impostor, above the first impostor score that would exceed the target. Only rates
        requested when the scores were verified, and those at genuine scores, are available; others are refused.

        Parameters
        ----------
        fmr
            The false match rate.

        Returns
        -------
        OperatingPoint
            The threshold and the errors at it.
        """
        return self.at_false_matches(self.allowed_at(fmr), fmr)

    def allowed_at(self, fmr: TargetFalseMatchRate) -> int:
        """Return the largest number of false matches that does not exceed a false match rate.

        Parameters
        ----------
        fmr
            The false match rate.

        Returns
        -------
        int
            The number of false matches.
        """
        return int(allowed_errors(fmr, self.counts.n_impostor))

    def _admitting_place(self, most: int) -> int:
        """The first edge reached by at most `most` impostors, by bisection: their number decreases along the edges."""
        return int(np.searchsorted(-self.counts.impostor_ge, -most))

    def at_false_matches(self, most: Count, target_fmr: Rate | None = None) -> OperatingPoint:
        """Find the least strict threshold with at most `most` false matches.

        Parameters
        ----------
        most
            The largest number of false matches.
        target_fmr
            The target FMR to be stated in the result, if any.

        Returns
        -------
        OperatingPoint
            The threshold and the errors at it.
        """
        c, place = self.counts, self._admitting_place(most)
        reached = int(c.impostor_ge[place]) if place < len(c.edges) else 0
        above = int(c.impostor_gt[place - 1]) if place else c.n_impostor
        if reached < most and reached < above:  # impostor scores lie between the edges
            raise UsageError(
                f"Impostor comparisons were not counted at {count(most)} false matches.",
                Hint("request the false match rate: {option:fmr}"),
            )
        return self._point(place, target_fmr)

    def misses_at_fmr(self, fmr: TargetFalseMatchRate) -> int:
        """Return the number of genuine comparisons rejected at the least strict threshold with an FMR of at most `fmr`.

        Parameters
        ----------
        fmr
            The false match rate.

        Returns
        -------
        int
            The number of false non-matches.
        """
        c, place = self.counts, self._admitting_place(self.allowed_at(fmr))
        return int(self._rejected[place]) if place < len(c.edges) else c.n_genuine

    def at_fnmr(self, fnmr: Annotated[float, Within(ge=0, lt=1)]) -> OperatingPoint:
        """Find the strictest attainable threshold with an FNMR of at most `fnmr`.

        Parameters
        ----------
        fnmr
            The false non-match rate, at least 0 and below 1.

        Returns
        -------
        OperatingPoint
            The threshold and the errors at it.
        """
        allowed = int(allowed_errors(fnmr, self.counts.n_genuine))
        return self._point(int(np.searchsorted(self._rejected, allowed, side="right")) - 1)

    def points(self) -> list[OperatingPoint]:
        """List the points at all counted thresholds, from accepting all to rejecting all.

        Returns
        -------
        list of OperatingPoint
            One for each counted threshold, the least strict first, and one that rejects all.
        """
        return [self._point(place) for place in range(len(self.counts.edges) + 1)]

    @cached_property
    def curve(self) -> tuple[Floats, Floats]:
        """The corners of the ROC as FMR and FNMR, from rejecting everything to accepting everything.

        For each genuine score, the threshold at it and the one just above it are corners, so the steps are exact, also
        with ties.
        """
        c = self.counts
        genuine = c.genuine_at > 0
        above = np.stack([c.impostor_gt[genuine], (self._rejected + c.genuine_at)[genuine]])
        at = np.stack([c.impostor_ge[genuine], self._rejected[genuine]])
        # Thresholds descend from left to right, so "just above a score" precedes the score itself.
        corners = np.stack([above[:, ::-1], at[:, ::-1]], axis=2).reshape(2, -1)
        matched = np.concatenate([[0], corners[0], [c.n_impostor]])
        rejected = np.concatenate([[c.n_genuine], corners[1], [0]])
        return matched / c.n_impostor, rejected / c.n_genuine

    def _crossing(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The first corner of `curve` with FMR ≥ FNMR and the one before, found without computing all corners."""
        c = self.counts
        there = c.genuine_at > 0
        genuine = range(len(there)) if there.all() else np.flatnonzero(there)
        last = 2 * len(genuine) + 1

        def corner(place: int) -> tuple[float, float]:
            if place == 0 or place == last:
                return (0.0, 1.0) if place == 0 else (1.0, 0.0)
            edge = genuine[-1 - (place - 1) // 2]
            matched, rejected = c.impostor_ge[edge], self._rejected[edge]
            if place % 2:  # just above the score
                matched, rejected = c.impostor_gt[edge], rejected + c.genuine_at[edge]
            return float(matched / c.n_impostor), float(rejected / c.n_genuine)

        after = bisect_left(range(last), True, key=lambda place: ge(*corner(place)))
        return corner(max(after - 1, 0)), corner(after)

    def auc(self) -> Rate:
        """Compute the probability that a genuine score is closer than an impostor score; ties count half.

        With s_i the genuine and u_j the impostor closeness, it is Σ_i Σ_j (1[s_i > u_j] + ½·1[s_i = u_j]) / (n m): the area
        under the ROC, or Mann-Whitney statistic.

        Returns
        -------
        float
            The area, from 0 to 1.
        """
        c = self.counts
        if 2 * c.n_genuine * c.n_impostor < _EXACT:  # twice every sum is exact as a float
            lost = int(np.dot(c.genuine_at, c.impostor_ge)) + int(np.dot(c.genuine_at, c.impostor_gt))
            return (c.n_genuine * c.n_impostor - lost / 2) / (c.n_genuine * c.n_impostor)
        wins = c.n_impostor - c.impostor_ge + (c.impostor_ge - c.impostor_gt) / 2
        return float((c.genuine_at * wins).sum() / (c.n_genuine * c.n_impostor))

    def eer(self, convention: EERConvention = "midpoint") -> EqualErrorRate:
        """Find the equal error rate.

        FMR and FNMR are step functions. If FMR passes FNMR between two genuine scores, FNMR is constant there and is the rate:
        the steps, joined by lines, meet there. If FNMR jumps past FMR they do not meet, and the conventions differ. ``midpoint``: the mean of
        the two on the side where they are closest. ``lower`` and ``upper``: the smaller and the larger of the two there.
        ``hull``: the point with FMR = FNMR on the convex hull of the ROC.

        Packages that always take the mean at the closest threshold (bob.measure, TorchMetrics) differ in the first case, by at most
        a quarter of the share of impostors with the score at which FMR passes: negligible unless there are many ties.

        Parameters
        ----------
        convention
            ``midpoint``, ``lower``, ``upper`` or ``hull``.

        Returns
        -------
        EqualErrorRate
            The rate, both rates where they are closest, and the threshold.

        Examples
        --------
        >>> from proband.measures.pairs.counts import count_trials
        >>> from proband.scores.trials import Trials
        >>> trials = Trials(pl.DataFrame({"score": [0.9, 0.3, 0.5, 0.1, 0.0], "mated": [1, 1, 0, 0, 0]}), "similarity")
        >>> rates = ErrorRates("net", True, count_trials(trials))
        >>> [round(rates.eer(convention).value, 4) for convention in ("midpoint", "lower", "upper", "hull")]
        [0.4167, 0.3333, 0.5, 0.2]
        """
        if convention not in get_args(EERConvention):
            raise unknown_name("EER convention", convention, get_args(EERConvention))
        before, after = self._crossing()
        fnmr = after[1]
        if before[1] == fnmr:
            low = high = fnmr
        else:
            low, high = sorted(before if abs(before[0] - before[1]) < abs(after[0] - fnmr) else after)
        value = {"midpoint": (low + high) / 2, "lower": low, "upper": high}.get(convention)
        if value is None:
            value = _hull_eer(*self.curve)
        threshold = self.at_fnmr(fnmr).threshold if fnmr < 1 else None
        return EqualErrorRate(float(value), low, high, convention, threshold)

    def min_dcf(self, p_target: Share = 0.01, c_miss: Cost = 1.0, c_fa: Cost = 1.0) -> float:
        """Compute the minimum detection cost over thresholds, relative to always accepting or always rejecting.

        After Doddington et al. (2000): min over t of [c_miss·p·FNMR(t) + c_fa·(1 − p)·FMR(t)] / min(c_miss·p, c_fa·(1 − p)),
        with p the prior of a genuine comparison.

        Parameters
        ----------
        p_target
            The prior of a genuine comparison.
        c_miss, c_fa
            The costs of a false non-match and of a false match.

        Returns
        -------
        float
            The cost.
        """
        fmr, fnmr = self.curve
        cost = c_miss * p_target * fnmr + c_fa * (1 - p_target) * fmr
        return float(cost.min() / min(c_miss * p_target, c_fa * (1 - p_target)))

    def cllr(self) -> float:
        """Compute the cost of log-likelihood ratios, in bits.

        It is meaningful only if the scores are natural log-likelihood ratios. Cllr = ½ [mean over genuine s of log₂(1 + e^−s)
        + mean over impostor s of log₂(1 + e^s)] (Brümmer & du Preez 2006): 1 for scores that are all 0 and carry no information.
        The sums must be requested when comparisons are counted: ``count_pairs(..., log_ratios=True)``.

        Returns
        -------
        float
            The cost; 0 is the best.

        Examples
        --------
        >>> from proband.measures.pairs.counts import count_trials
        >>> from proband.scores.trials import Trials
        >>> trials = Trials(pl.DataFrame({"score": [0.0, 0.0, 0.0], "mated": [1, 0, 0]}), "similarity")
        >>> ErrorRates("net", True, count_trials(trials, log_ratios=True)).cllr()
        1.0
        """
        c = self.counts
        if c.genuine_bits is None or c.impostor_bits is None:
            raise UsageError(
                "The scores were not declared to be log-likelihood ratios.",
                "count_pairs(..., log_ratios=True).",
            )
        return 0.5 * (c.genuine_bits / c.n_genuine + c.impostor_bits / c.n_impostor)

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each attainable threshold, with its errors."""
        c = self.counts
        sign = 1.0 if self.larger_is_closer else -1.0
        return pl.DataFrame(
            {
                "algorithm": [self.algorithm] * len(c.edges),
                "threshold": sign * c.edges,
                "fmr": c.impostor_ge / c.n_impostor,
                "fnmr": self._rejected / c.n_genuine,
                "false_matches": c.impostor_ge,
                "false_non_matches": self._rejected,
            }
        )

    def __repr__(self) -> str:
        c = self.counts
        return (
            f"{self.algorithm}: {count(c.n_genuine)} genuine and {counted(c.n_impostor, 'impostor comparison')}, "
            f"EER {fixed(self.eer().value)}, AUC {fixed(self.auc())}"
        )


def rates_of_list(trials: Trials, thresholds: Iterable[float] = ()) -> ErrorRates:
    """Count what `each_pair_once` leaves of a list, also at some scores; refused without pairs of both kinds."""
    mated = trials.frame["mated"]
    if not len(mated):
        raise DesignError(
            "the list of pairs is empty.", "pass mated and non-mated pairs.", source=trials.name
        )
    for kind, present, rate in (("mated", True, "FNMR"), ("non-mated", False, "FMR")):
        if not (mated.is_null() | (mated == present)).any():
            raise DesignError(
                f"the list has no {kind} pairs, so there is no {rate}.",
                f"add {kind} pairs to the list.",
                source=trials.name,
            )
    similar = trials.orientation == "similarity"
    counts = count_each(trials, [threshold if similar else -threshold for threshold in thresholds])
    return ErrorRates(trials.name, similar, counts, counts.notes)


def admitting(rates: ErrorRates, impostors: Floats, most: Iterable[int]) -> ErrorRates:
    """Also count at the least strict thresholds with at most given numbers of false matches (`PairCounts.admitting`)."""
    return replace(rates, counts=rates.counts.admitting(impostors, most))


def _hull_eer(fmr: Floats, fnmr: Floats) -> float:
    """The point where the lower convex hull of (FMR, FNMR) crosses the diagonal."""
    hull: list[tuple[float, float]] = []
    for x, y in sorted(zip(fmr.tolist(), fnmr.tolist(), strict=True)):
        while len(hull) >= 2:
            (x1, y1), (x2, y2) = hull[-2:]
            if (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) <= 0:
                hull.pop()
            else:
                break
        hull.append((x, y))
    for (x1, y1), (x2, y2) in pairwise(hull):
        if x1 <= y1 and x2 >= y2:
            gap = (y1 - x1) - (y2 - x2)
            share = 0.0 if gap == 0 else (y1 - x1) / gap
            return x1 + share * (x2 - x1)
    return 0.0
