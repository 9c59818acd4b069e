"""Drawings of people, and error rates measured in many of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from proband.designs.base import BLOCK
from proband.engine import run_blocks, slices
from proband.errors import DesignError, UsageError
from proband.inference.proportions import check_seed
from proband.inference.verification.people.meetings import Ints, Meetings, subject_pairs, whole_numbers
from proband.measures.pairs.counts import allowed_errors
from proband.words import count, digits

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Weights = npt.NDArray[np.int32]
Scheme = Literal["vertex", "double-or-nothing"]
Result = TypeVar("Result")

_MOST_KEPT = 256 << 20  # bytes of weights that wait for the next algorithm
_TOGETHER = 64  # drawings that go down a tail together: their weights stay in the cache
_LIKELY = 8  # times the false matches that a rate allows: drawings seldom go further down
_LEAST_LIKELY = 20_000
_MOST_CUT_OFF = 0.01  # drawings that may want more of the tail than there is: too few to move a percentile


def subject_weights(scheme: Scheme, n_subjects: int, n_resamples: int, seed: int, block: int) -> Weights:
    """Draw how often each person counts in each drawing of a block: the same for the same seed and block.

    ``vertex``: as many people as there are, with replacement (Efron 1979). ``double-or-nothing``: each twice or not at all, by
    the toss of a coin.
    """
    from proband.kernels.subject_bootstrap import tally_draws

    rng = np.random.default_rng([seed, block])
    if scheme == "double-or-nothing":
        return 2 * rng.integers(2, size=(n_resamples, n_subjects), dtype=np.int32)
    weights = np.zeros((n_resamples, n_subjects), dtype=np.int32)
    tally_draws(rng.integers(n_subjects, size=weights.shape, dtype=np.int32), weights)
    return weights


@dataclass(frozen=True, eq=False)
class Drawings:
    """Who is drawn how often under one seed: drawn once for all algorithms and operating points that are measured with them.

    Attributes
    ----------
    seed, kept
        Of the draws, and those that are held in memory.
    """

    seed: int
    kept: dict[tuple[Scheme, int, int, int], Weights] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Drawings, (self.seed,)  # what is kept is drawn anew where it is needed

    def weights(self, scheme: Scheme, n_subjects: int, n_resamples: int, block: int) -> Weights:
        """The weights of a block; those that memory has no room for are drawn again, and are the same."""
        key = scheme, n_subjects, n_resamples, block
        found = self.kept.get(key)
        if found is None:
            found = subject_weights(scheme, n_subjects, n_resamples, self.seed, block)
            if sum(one.nbytes for one in list(self.kept.values())) + found.nbytes <= _MOST_KEPT:
                self.kept[key] = found
        return found


def replicates(
    measure: Callable[[Weights], Result],
    scheme: Scheme,
    n_subjects: int,
    n_resamples: int,
    drawings: Drawings,
    threads: int | None,
) -> Iterator[Result]:
    """Yield what is measured of each block of drawings, in order and the same at any number of threads."""
    if scheme not in get_args(Scheme):
        raise UsageError(
            f"Unknown resampling scheme {scheme!r}.", f"use one of: {', '.join(get_args(Scheme))}."
        )
    if n_resamples < 100:
        raise UsageError(f"A bootstrap needs at least 100 replicates, got {n_resamples}.")
    check_seed(drawings.seed)
    return run_blocks(
        _Drawn(measure, scheme, n_subjects, n_resamples, drawings), range(-(-n_resamples // BLOCK)), threads
    )


@dataclass(frozen=True, eq=False)
class _Drawn(Generic[Result]):
    """What is measured of a block of drawings."""

    measure: Callable[[Weights], Result]
    scheme: Scheme
    n_subjects: int
    n_resamples: int
    drawings: Drawings

    def __call__(self, block: int) -> Result:
        size = min(BLOCK, self.n_resamples - block * BLOCK)
        return self.measure(self.drawings.weights(self.scheme, self.n_subjects, size, block))


class Tail(NamedTuple):
    """The closest impostor comparisons: their two subjects, and how close they are.

    Attributes
    ----------
    first, second, closeness
        The lower and the higher number of the two people, and how close they are.
    """

    first: Ints
    second: Ints
    closeness: Floats

    @classmethod
    def of(cls, i: npt.ArrayLike, j: npt.ArrayLike, closeness: npt.ArrayLike, comparisons: Meetings) -> Tail:
        """Check that they are some of the comparisons there are."""
        first, second = subject_pairs(i, j, comparisons, "closest impostors")
        n = comparisons.n_impostor
        if n == 0:
            raise DesignError("There are no impostor comparisons, so there is no false match rate.")
        if len(first) > n:
            raise UsageError(
                f"The {count(len(first))} closest of {count(n)} impostor comparisons are too many."
            )
        return cls(first, second, _closeness(closeness, len(first)))

    def nearest(self, n: int) -> Tail:
        """The closest `n` of them, and those as close as the last."""
        least = np.partition(self.closeness, len(self.closeness) - n)[len(self.closeness) - n]
        kept = self.closeness >= least
        return Tail(self.first[kept], self.second[kept], self.closeness[kept])


class Genuine(NamedTuple):
    """Genuine comparisons: whose they are, and how close.

    Attributes
    ----------
    subjects, closeness
        Of each comparison.
    """

    subjects: Ints
    closeness: Floats

    @classmethod
    def of(cls, subjects: npt.ArrayLike, closeness: npt.ArrayLike, comparisons: Meetings) -> Genuine:
        """Check that they are of people there are."""
        people, n = whole_numbers(subjects, "The subjects of genuine comparisons"), comparisons.n_subjects
        if len(people) and not 0 <= people.min() <= people.max() < n:
            raise UsageError(
                f"The subjects of genuine comparisons must be numbered from 0 to {count(n - 1)}."
            )
        return cls(people, _closeness(closeness, len(people)))


class RatesThere(NamedTuple):
    """Error rates in each drawing (rows) at each threshold, and the errors they rest on.

    Attributes
    ----------
    fmr, matched
        False match rates, and false matches.
    fnmr, rejected
        False non-match rates, and false non-matches.
    """

    fmr: Floats
    matched: Ints
    fnmr: Floats
    rejected: Ints


@dataclass(frozen=True, eq=False)
class AtThresholds:
    """Measure error rates at fixed thresholds.

    Attributes
    ----------
    thresholds, order
        As given, and the place of each among the ascending ones.
    comparisons, genuine
        Who meets whom, and every genuine comparison.
    pairs, misses
        Impostors that reach some threshold and genuine ones that some threshold rejects, each with its bin.
    """

    thresholds: Floats
    comparisons: Meetings
    genuine: Genuine
    pairs: tuple[
        Ints, Ints, Ints
    ]  # first and second subject and bin of those that reach a threshold, in the kernel's order
    misses: tuple[Ints, Ints]  # subject and bin of the genuine ones that some threshold rejects
    order: Ints  # the place of each threshold among the ascending ones

    @classmethod
    def of(
        cls, tail: Tail, genuine: Genuine, comparisons: Meetings, thresholds: npt.ArrayLike
    ) -> AtThresholds:
        """Put every comparison into the bin between thresholds that it falls into."""
        asked = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
        if asked.ndim != 1 or not len(asked) or np.isnan(asked).any():
            raise UsageError("Thresholds must be a list of at least one number.")
        ascending = np.sort(asked)
        bins = np.searchsorted(ascending, tail.closeness, side="right")
        order = np.lexsort((tail.first, bins))
        order = order[bins[order] > 0]
        missed = np.searchsorted(ascending, genuine.closeness, side="right")
        wrong = missed < len(ascending)
        return cls(
            asked,
            comparisons,
            genuine,
            (tail.first[order], tail.second[order], bins[order] - 1),
            (genuine.subjects[wrong], missed[wrong]),
            np.searchsorted(ascending, asked),
        )

    def __call__(self, weights: Weights) -> RatesThere:
        """Measure every drawing that has comparisons."""
        from proband.kernels.subject_bootstrap import add_pairs, add_singles

        impostors, genuine = _sizes(weights, self.comparisons, self.genuine)
        there = (impostors > 0) & ((genuine > 0) | (not len(self.genuine.subjects)))
        columns = np.ascontiguousarray(weights[there].T)
        most = int(weights.max()) ** 2 * max(len(self.pairs[0]), 1)
        kind = np.int32 if most < 2**31 else np.int64
        matched = np.zeros((len(self.thresholds), columns.shape[1]), dtype=kind)
        add_pairs(columns, *self.pairs, matched)
        rejected = np.zeros((len(self.thresholds), columns.shape[1]), dtype=np.int64)
        add_singles(columns, *self.misses, rejected)
        matches = matched[::-1].cumsum(axis=0, dtype=np.int64)[::-1][self.order].T
        misses = rejected.cumsum(axis=0)[self.order].T
        sizes = np.maximum(genuine[there], 1)
        return RatesThere(matches / impostors[there, None], matches, misses / sizes[:, None], misses)


class RatesAnew(NamedTuple):
    """FNMR in each drawing, the errors it rests on, and whether the tail was too short to find the threshold.

    Attributes
    ----------
    fnmr, rejected, cut_off
        Of each drawing.
    """

    fnmr: Floats
    rejected: Ints
    cut_off: Flags


@dataclass(frozen=True, eq=False)
class AtRates:
    """Measure FNMR at false match rates, with the thresholds found anew in each drawing.

    Attributes
    ----------
    fmrs, comparisons, genuine
        The rates, who meets whom, and genuine comparisons from the least close up.
    first, second, groups
        Impostors from the closest down, and the group of equally close ones that each belongs to.
    places, whole
        Genuine comparisons rejected at each group's threshold, and whether the tail holds all that could matter.
    longer
        The tail that this is the closest part of, for drawings whose threshold lies beyond.
    """

    fmrs: tuple[float, ...]
    comparisons: Meetings
    genuine: Genuine  # from the least close up
    first: Ints
    second: Ints
    groups: Ints  # groups of equally close impostors, numbered from the closest down
    places: Ints  # how many genuine comparisons are rejected if a group may not be accepted; and if all may
    whole: bool  # the tail holds all that could matter
    longer: Tail | None = None

    @classmethod
    def of(cls, tail: Tail, genuine: Genuine, comparisons: Meetings, fmrs: Sequence[float]) -> AtRates:
        """Put the tail and the genuine comparisons in order; of a long tail the part that drawings are likely to need."""
        for fmr in fmrs:
            if not 0 < fmr < 1:
                raise UsageError(f"A false match rate must be above 0 and below 1, got {fmr!r}.")
        likely = max(_LIKELY * ceil(max(fmrs, default=0.0) * comparisons.n_impostor), _LEAST_LIKELY)
        if likely < len(tail.closeness) // 2:
            return replace(cls._ordered(tail.nearest(likely), genuine, comparisons, fmrs), longer=tail)
        return cls._ordered(tail, genuine, comparisons, fmrs)

    @classmethod
    def _ordered(cls, tail: Tail, genuine: Genuine, comparisons: Meetings, fmrs: Sequence[float]) -> AtRates:
        if not len(genuine.subjects):
            raise DesignError("There are no genuine comparisons, so there is no false non-match rate.")
        order = np.argsort(-tail.closeness)  # groups count as a whole, so that the order within one is free
        closeness = tail.closeness[order]
        begins = np.append(closeness[:1] == closeness[:1], closeness[1:] != closeness[:-1])  # a group
        up = np.argsort(genuine.closeness)
        ascending = Genuine(genuine.subjects[up], genuine.closeness[up])
        values = closeness[begins]
        rejected = np.searchsorted(ascending.closeness, values, side="right")
        complete = len(closeness) == comparisons.n_impostor
        beyond = (
            0 if complete else np.searchsorted(ascending.closeness, values[-1:] if len(values) else np.inf)
        )
        places = np.append(rejected, beyond).astype(np.int64)
        return cls(
            tuple(fmrs),
            comparisons,
            ascending,
            tail.first[order],
            tail.second[order],
            np.cumsum(begins) - 1,
            places,
            complete or bool(places[-1] == 0),
        )

    def __call__(self, weights: Weights) -> list[RatesAnew]:
        """Measure every drawing that has comparisons, at each rate."""
        from proband.kernels.subject_bootstrap import count_rejected

        impostors, genuine = _sizes(weights, self.comparisons, self.genuine)
        there = (impostors > 0) & (genuine > 0)
        drawn = weights[there]
        upwards = np.argsort(self.fmrs, kind="stable")
        allowed = np.stack([allowed_errors(self.fmrs[place], impostors[there]) for place in upwards], axis=1)
        n_groups = len(self.places) - 1
        found, rejected = np.full_like(allowed, n_groups), np.empty_like(allowed)
        for some in slices(len(drawn), _TOGETHER):
            own = drawn[some]
            count_rejected(
                own, np.ascontiguousarray(own.T), self.first, self.second, self.groups, allowed[some],
                self.genuine.subjects, self.places, np.zeros((2, len(own)), dtype=np.int64), np.zeros(len(own), dtype=np.int64),
                found[some], rejected[some],
            )  # fmt: skip
        cut_off = (found == n_groups) & (not self.whole)
        return [
            RatesAnew(rejected[:, at] / genuine[there], rejected[:, at], cut_off[:, at])
            for at in np.argsort(upwards)
        ]

    def replicates(
        self, scheme: Scheme, n_resamples: int, drawings: Drawings, threads: int | None
    ) -> list[Floats]:
        """FNMR in every drawing that has comparisons, at each rate."""
        n_subjects = self.comparisons.n_subjects
        nearest = replace(self, longer=None)  # workers are not sent the rest, which is seldom needed
        blocks = list(replicates(nearest, scheme, n_subjects, n_resamples, drawings, threads))
        if self.longer is not None and any(rates.cut_off.any() for block in blocks for rates in block):
            whole = self._ordered(self.longer, self.genuine, self.comparisons, self.fmrs)
            return whole.replicates(scheme, n_resamples, drawings, threads)
        return [
            self._joined(fmr, parts) for fmr, parts in zip(self.fmrs, zip(*blocks, strict=True), strict=True)
        ]

    def _joined(self, fmr: float, blocks: Sequence[RatesAnew]) -> Floats:
        """The drawings of all blocks at one rate."""
        fnmr = np.concatenate([block.fnmr for block in blocks])
        if not len(fnmr):
            raise DesignError("No resample of people contains a comparison.", "use more people.")
        cut_off = int(sum(np.count_nonzero(block.cut_off) for block in blocks))
        if cut_off > _MOST_CUT_OFF * len(fnmr):
            raise DesignError(
                f"In {count(cut_off)} of {count(len(fnmr))} resamples, the "
                f"{count(len(self.first))} closest impostor comparisons do not reach the "
                f"threshold for FMR {digits(fmr, 6)}.",
                f"give the {count(int(4 * fmr * self.comparisons.n_impostor) + 1)} closest, or more.",
            )
        return fnmr


def _sizes(weights: Weights, comparisons: Meetings, genuine: Genuine) -> tuple[Ints, Ints]:
    """How many impostor and genuine comparisons each drawing has."""
    own = np.bincount(genuine.subjects, minlength=comparisons.n_subjects)
    return comparisons.in_drawings(weights), weights.astype(np.int64) @ own


def _closeness(values: npt.ArrayLike, n: int) -> Floats:
    closeness = np.asarray(values, dtype=np.float64)
    if closeness.shape != (n,) or np.isnan(closeness).any():
        raise UsageError(f"{count(n)} comparisons need the same number of scores.")
    return closeness
