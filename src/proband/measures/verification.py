"""Verification: how often a claimed identity is wrongly accepted or rejected, at every threshold the data can show."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.rendering import Drawn
from proband.errors import DesignError, Hint, Said, UsageError
from proband.measures.base import Measure, View
from proband.measures.pairs.counts import PairCounts, count_pairs
from proband.measures.pairs.pair_set import PairSet
from proband.results.base import Facts, Measurement, describing
from proband.results.compared import Compared
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.words import Note, Target, count, digits, fixed, plain

Floats = npt.NDArray[np.float64]
EERConvention = Literal["midpoint", "hull", "lower", "upper"]
SUPPORTED = 30  # events below which a rate is not supported (the rule of 30)


@dataclass(frozen=True)
class OperatingPoint:
    """One threshold, and the errors there. A comparison is accepted when its score reaches the threshold.

    Attributes
    ----------
    threshold
        In the scores' own orientation; None where everything is rejected.
    false_matches, n_impostor, fmr
        Impostor comparisons that are accepted; FMR leaves out failures to acquire.
    false_non_matches, n_genuine, fnmr
        Genuine comparisons that are rejected; FNMR leaves out failures to acquire.
    far, frr
        The same with failures to acquire counted as rejections.
    asked
        The FMR that was asked for, if one was.
    """

    threshold: float | None
    false_matches: int
    n_impostor: int
    false_non_matches: int
    n_genuine: int
    n_failed_impostor: int
    n_failed_genuine: int
    asked: float | None = None

    @property
    def fmr(self) -> float:
        """False match rate."""
        return self.false_matches / self.n_impostor

    @property
    def fnmr(self) -> float:
        """False non-match rate."""
        return self.false_non_matches / self.n_genuine

    @property
    def tar(self) -> float:
        """True accept rate, one less the false non-match rate."""
        return 1.0 - self.fnmr

    @property
    def far(self) -> float:
        """False accept rate: failures to acquire are never accepted."""
        return self.false_matches / (self.n_impostor + self.n_failed_impostor)

    @property
    def frr(self) -> float:
        """False reject rate: failures to acquire are rejected."""
        return (self.false_non_matches + self.n_failed_genuine) / (self.n_genuine + self.n_failed_genuine)

    @property
    def fmr_supported(self) -> bool:
        """Whether the false match rate rests on at least 30 events."""
        return self.false_matches >= SUPPORTED

    @property
    def fnmr_supported(self) -> bool:
        """Whether the false non-match rate rests on at least 30 events."""
        return self.false_non_matches >= SUPPORTED

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        rates = {
            name: getattr(self, name)
            for name in ("fmr", "fnmr", "far", "frr", "fmr_supported", "fnmr_supported")
        }
        return {**asdict(self), **rates}


@dataclass(frozen=True)
class EqualErrorRate:
    """Where FMR and FNMR meet, or the interval they pass each other in, under a named convention."""

    value: float
    low: float
    high: float
    convention: EERConvention
    threshold: float | None


@dataclass(frozen=True, eq=False)
class ErrorRates(Drawn):
    """FMR and FNMR at every attainable threshold: the whole ROC and DET, exactly.

    Attributes
    ----------
    algorithm, larger_is_closer
        Of the scores.
    counts
        Genuine scores and, for each, the impostors that reach and pass it.
    notes
        What was left out.
    """

    algorithm: str
    larger_is_closer: bool
    counts: PairCounts
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if not self.counts.n_genuine or not self.counts.n_impostor:
            kind = "genuine" if not self.counts.n_genuine else "impostor"
            raise DesignError(
                f"there are no {kind} comparisons, so error rates are not defined.",
                "does the table name at least two people, and two images of somebody?",
                source=self.algorithm,
            )

    @cached_property
    def _rejected(self) -> npt.NDArray[np.int64]:
        """Genuine comparisons below each edge."""
        at = self.counts.genuine_at
        return np.concatenate([[0], np.cumsum(at)])[:-1].astype(np.int64)

    def _point(self, place: int, asked: float | None = None) -> OperatingPoint:
        """The point whose threshold is an edge; beyond the last everything is rejected."""
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
            asked,
        )

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """The errors at a threshold: a genuine score, or one that was asked for when the scores were counted."""
        wanted = threshold if self.larger_is_closer else -threshold
        place = int(np.searchsorted(self.counts.edges, wanted))
        if place >= len(self.counts.edges) or self.counts.edges[place] != wanted:
            raise UsageError(
                f"Impostors were not counted at the threshold {threshold!r}.",
                Hint("name it: {option:thresholds}"),
            )
        return self._point(place)

    def at_fmr(self, fmr: float) -> OperatingPoint:
        """The least strict attainable threshold whose FMR is not above the one asked for."""
        if not 0 < fmr < 1:
            raise UsageError(f"A false match rate lies between 0 and 1, got {fmr!r}.")
        allowed = int(np.floor(fmr * self.counts.n_impostor * (1 + 1e-12)))
        # Edges ascend, so the impostors that reach them descend.
        place = int(np.searchsorted(-self.counts.impostor_ge, -allowed))
        return self._point(place, fmr)

    def at_fnmr(self, fnmr: float) -> OperatingPoint:
        """The strictest attainable threshold whose FNMR is not above the one asked for."""
        if not 0 <= fnmr < 1:
            raise UsageError(f"A false non-match rate lies from 0 up to 1, got {fnmr!r}.")
        allowed = int(np.floor(fnmr * self.counts.n_genuine * (1 + 1e-12)))
        return self._point(int(np.searchsorted(self._rejected, allowed, side="right")) - 1)

    def points(self) -> list[OperatingPoint]:
        """Every attainable point where something changes for genuine comparisons, from accepting all to rejecting all."""
        return [self._point(place) for place in range(len(self.counts.edges) + 1)]

    @cached_property
    def curve(self) -> tuple[Floats, Floats]:
        """The corners of the ROC as FMR and FNMR, from rejecting everything to accepting everything.

        At a genuine score both the threshold at it and the one just above it are corners, so the steps are exact, ties
        included.
        """
        c = self.counts
        genuine = c.genuine_at > 0
        above = np.stack([c.impostor_gt[genuine], (self._rejected + c.genuine_at)[genuine]])
        at = np.stack([c.impostor_ge[genuine], self._rejected[genuine]])
        # Thresholds descend from left to right: just above a score comes before the score itself.
        corners = np.stack([above[:, ::-1], at[:, ::-1]], axis=2).reshape(2, -1)
        matched = np.concatenate([[0], corners[0], [c.n_impostor]])
        rejected = np.concatenate([[c.n_genuine], corners[1], [0]])
        return matched / c.n_impostor, rejected / c.n_genuine

    def auc(self) -> float:
        """The chance that a genuine score is closer than an impostor score; ties count half."""
        c = self.counts
        below = c.n_impostor - c.impostor_ge
        equal = c.impostor_ge - c.impostor_gt
        return float((c.genuine_at * (below + equal / 2)).sum() / (c.n_genuine * c.n_impostor))

    def eer(self, convention: EERConvention = "midpoint") -> EqualErrorRate:
        """The equal error rate.

        FMR and FNMR are steps. Where FNMR stays the same between two genuine scores and FMR passes it, they meet (to one
        impostor comparison). Where FNMR jumps past FMR they do not, and the conventions differ. ``midpoint``: the mean of the
        two on the side where they are closest. ``lower`` and ``upper``: the smaller and the larger of the two there. ``hull``:
        where the convex hull of the ROC has FMR = FNMR.
        """
        if convention not in get_args(EERConvention):
            raise UsageError(
                f"There is no EER convention {convention!r}.", f"{', '.join(get_args(EERConvention))}."
            )
        fmr, fnmr = self.curve
        after = int(np.argmax(fmr >= fnmr))
        before = max(after - 1, 0)
        if fnmr[before] == fnmr[after]:
            low = high = float(fnmr[after])
        else:
            gaps = (abs(fmr[before] - fnmr[before]), abs(fmr[after] - fnmr[after]))
            place = before if gaps[0] < gaps[1] else after
            low, high = sorted((float(fmr[place]), float(fnmr[place])))
        value = {"midpoint": (low + high) / 2, "lower": low, "upper": high}.get(convention)
        if value is None:
            value = _hull_eer(fmr, fnmr)
        threshold = self.at_fnmr(float(fnmr[after])).threshold if fnmr[after] < 1 else None
        return EqualErrorRate(float(value), low, high, convention, threshold)

    def min_dcf(self, p_target: float = 0.01, c_miss: float = 1.0, c_fa: float = 1.0) -> float:
        """The least detection cost over thresholds, relative to always accepting or always rejecting (NIST)."""
        if not 0 < p_target < 1 or c_miss <= 0 or c_fa <= 0:
            raise UsageError("The prior lies between 0 and 1, and costs are above 0.")
        fmr, fnmr = self.curve
        cost = c_miss * p_target * fnmr + c_fa * (1 - p_target) * fmr
        return float(cost.min() / min(c_miss * p_target, c_fa * (1 - p_target)))

    def cllr(self) -> float:
        """The cost of log-likelihood ratios, in bits; it means something only if the scores are natural log-likelihood ratios.

        They are summed only if that was said when comparisons were counted: ``count_pairs(..., log_ratios=True)``.
        """
        c = self.counts
        if c.genuine_bits is None or c.impostor_bits is None:
            raise UsageError(
                "The scores were not declared to be log-likelihood ratios.",
                "count_pairs(..., log_ratios=True).",
            )
        return 0.5 * (c.genuine_bits / c.n_genuine + c.impostor_bits / c.n_impostor)

    def to_frame(self) -> pl.DataFrame:
        """Every attainable threshold with its errors."""
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

    def to_dict(self, fmrs: Sequence[float] = (1e-2, 1e-3, 1e-4)) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        c = self.counts
        return {
            "algorithm": self.algorithm,
            "n_genuine": c.n_genuine,
            "n_impostor": c.n_impostor,
            "n_failed_genuine": c.n_failed_genuine,
            "n_failed_impostor": c.n_failed_impostor,
            "auc": self.auc(),
            "eer": asdict(self.eer()),
            "at_fmr": [self.at_fmr(fmr).to_dict() for fmr in fmrs],
            "notes": plain(self.notes),
        }

    def __repr__(self) -> str:
        c = self.counts
        point = self.at_fmr(1e-3)
        return (
            f"{self.algorithm}: {count(c.n_genuine)} genuine and {count(c.n_impostor)} impostor comparisons, "
            f"EER {fixed(self.eer().value)}, AUC {fixed(self.auc())}, FNMR {fixed(point.fnmr)} at FMR 0.001"
        )


class PairMeasure(Measure):
    """A measure of compared pairs: a subclass says how it follows from their error rates."""

    view: View = "pairs"
    in_points = True

    @abstractmethod
    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """The measure, and the events it rests on."""

    def __call__(self, data: Scores, within: Experiment | Samples | None = None) -> Measurement:
        """Measure scores within an experiment, or, with the samples table, of every query with every target."""
        rates, facts = rates_of(data, within)
        value, events = self.of_rates(rates)
        return Measurement(value, events, describing(self.estimand), facts)


def rates_of(scores: Scores, within: Experiment | Samples | None) -> tuple[ErrorRates, Facts]:
    """The error rates of every comparison of an experiment or a table, and how they came about."""
    if not isinstance(within, Experiment | Samples):
        raise UsageError(
            f"Whose the samples of {scores.name} are is not known.",
            "give the samples table or an experiment.",
            source=Said(scores.name),
        )
    pairs = PairSet.of(scores, within)
    counts = count_pairs(scores, pairs)
    people = np.unique(
        np.concatenate([pairs.row_codes[~pairs.row_failed], pairs.column_codes[~pairs.column_failed]])
    )
    notes = (*scores.notes, *pairs.notes)
    rates = ErrorRates(scores.name, scores.larger_is_closer, counts, notes)
    return rates, facts_of_pairs(scores, within, counts, len(people), notes)


def compared_pairs(scores: Scores, within: Experiment | Samples, counts: PairCounts) -> Compared:
    """Which comparisons were counted."""
    gallery, probes = (
        (None, None) if isinstance(within, Samples) else (within.gallery_rule, within.probe_rule)
    )
    return Compared(
        "all" if isinstance(within, Samples) else "experiment",
        scores.metric,
        counts.n_genuine,
        counts.n_impostor,
        gallery,
        probes,
        counts.n_dont_care_genuine + counts.n_dont_care_impostor,
    )


def facts_of_pairs(
    scores: Scores, within: Experiment | Samples, counts: PairCounts, n_subjects: int, notes: tuple[Note, ...]
) -> Facts:
    """How a measurement over comparisons came about."""
    name = within.fingerprint if isinstance(within, Experiment) else "all pairs"
    rule = within.gallery_rule if isinstance(within, Experiment) else "every target"
    digest = hashlib.sha256(f"{name} {counts.n_genuine} {counts.n_impostor}".encode()).hexdigest()[:16]
    return Facts(
        algorithm=scores.name,
        n_probes=counts.n_genuine,
        n_probe_subjects=n_subjects,
        n_gallery_images=len(scores.targets),
        n_gallery_subjects=n_subjects,
        n_ranks=0,
        n_failed=counts.n_failed_genuine,
        n_gallery_failed=0,
        n_unmated=0,
        n_tied=0,
        ties="at-threshold",
        counting="comparisons",
        on_failure="left-out",
        universe="verification",
        gallery_rule=rule,
        probe_rule=within.probe_rule if isinstance(within, Experiment) else "every query",
        experiment=digest,
        notes=notes,
        metric=scores.metric,
        compared=compared_pairs(scores, within, counts),
    )


def _hull_eer(fmr: Floats, fnmr: Floats) -> float:
    """Where the lower convex hull of (FMR, FNMR) crosses the diagonal."""
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


@dataclass(frozen=True)
class FNMR(PairMeasure):
    """The false non-match rate at a false match rate: the share of genuine comparisons below the threshold that it sets."""

    key = "fnmr-at-fmr"
    form = "threshold"
    larger_is_better = False
    at_fmr: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 < self.at_fmr < 1:
            raise UsageError(f"A false match rate lies between 0 and 1, got {self.at_fmr!r}.")

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return Target(self.key, f"FNMR at an FMR of {digits(self.at_fmr, 6)}")

    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """The rate at the threshold, and the errors it rests on."""
        point = rates.at_fmr(self.at_fmr)
        return point.fnmr, float(point.false_non_matches)


@dataclass(frozen=True)
class AUC(PairMeasure):
    """The chance that a genuine comparison is closer than an impostor's: the area under the ROC."""

    key = "auc"
    form = "area"

    @property
    def estimand(self) -> Target:
        """What it measures."""
        return Target(self.key, "area under the ROC")

    def of_rates(self, rates: ErrorRates) -> tuple[float, float | None]:
        """The area."""
        return rates.auc(), None
