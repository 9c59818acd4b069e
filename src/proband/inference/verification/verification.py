"""Verification with intervals that know people are shared: error rates at thresholds, and FNMR at a fixed FMR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import ceil
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from proband.engine import Engine, Progress, Silent, on_engine
from proband.engine.limits import FalseMatchRate, Level, Replicates, Seed, Threads
from proband.errors import AlignmentError, DesignError, Hint, Said, UsageError
from proband.inference.proportions import Interval, check_seed
from proband.inference.verification.intervals.dyadic_auc import (
    AucInterval,
    PairCloseness,
    PairPeople,
    auc_interval,
    auc_interval_of_sums,
)
from proband.inference.verification.intervals.dyadic_bootstrap import interval_anew
from proband.inference.verification.intervals.dyadic_rates import (
    RateInterval,
    false_match_rate,
    false_non_match_rate,
    naive_interval,
)
from proband.inference.verification.intervals.equal_error import EqualErrorInterval, equal_error_interval
from proband.inference.verification.people.drawings import AtRates, Drawings, Genuine, Tail
from proband.inference.verification.people.meetings import Comparisons, Meetings
from proband.inference.verification.people.partial_meetings import GappedComparisons, ListedComparisons
from proband.inference.verification.people.supposed import (
    NOTHING_LENT,
    Alike,
    Lent,
    effect_of_sharing,
    worth_of_people,
)
from proband.measures.pair_measures import compared_pairs
from proband.measures.pairs.counts import (
    PairCounts,
    count_pairs,
    genuine_pairs,
    impostor_meetings,
    tail_pairs,
)
from proband.measures.pairs.pair_set import Codes, PairSet
from proband.measures.pairs.placements import placements
from proband.measures.verification import SUPPORTED, ErrorRates, OperatingPoint, admitting
from proband.results.base import Answers, Confidence, Count, Result
from proband.results.compared import Compared
from proband.results.serializing import Written
from proband.results.targets import OTHER_PEOPLE_COMPARED
from proband.samples import Experiment, Samples
from proband.scores import Scores, experiment_over, require_orientation
from proband.scores.several import by_name
from proband.scores.trials import Trials
from proband.words import (
    Note,
    Sentence,
    Target,
    count,
    digits,
    fixed,
    given,
    interval,
    small_interval,
    threshold,
)

if TYPE_CHECKING:
    from proband.inference.verification.several import Verifications

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FMRS = (1e-2, 1e-3, 1e-4)
N_RESAMPLES = 2_000
"""Drawings of people for FNMR at a false match rate, wherever it is estimated or compared."""
ERROR_RATES = Target("fmr-and-fnmr", "false match and false non-match rates")
PEOPLE_SHARED = Target(
    "people-alike-and-shared",
    "people are independent and identically distributed; comparisons that share a person are not independent",
)
OVER_PEOPLE = Answers(
    ERROR_RATES,
    OTHER_PEOPLE_COMPARED,
    Target("threshold-or-fmr", "the algorithm; the threshold, or the false match rate at which it is set"),
    PEOPLE_SHARED,
)
_TOO_MANY = Sentence(
    "verification.too-many-to-share",
    "note",
    "{which}: no interval, since {n:count impostor comparison} are too many to find which people they share",
)
_BEYOND = Sentence(
    "verification.target-beyond-data",
    "caution",
    "with {n:count impostor comparison}, a target FMR below {least:small} allows no false match: FNMR there is at the smallest FMR that "
    "these comparisons can show, not at the target",
)
CLOSEST_TIED = Sentence(
    "verification.closest-tied",
    "caution",
    "the closest impostor scores are equal, and more of them than a target FMR of {fmr:given} allows: a threshold that keeps it admits none",
)
_MOST_FOR_AREA = (
    1_000_000_000  # impostor comparisons that are placed among the genuine ones for the interval of the area
)
_MOST_FOR_EER = 5_000_000  # false matches at the equal error rate that are held for its interval
_LEAST_TAIL = 500_000  # impostor comparisons that replicates can always reach back to
_LARGEST_TAIL = 20_000_000  # impostor comparisons above a threshold that are kept to see who shares them


@dataclass(frozen=True, eq=False)
class VerificationPoint(Result):
    """One operating point with its intervals.

    Attributes
    ----------
    point
        The threshold and the counts.
    fmr, fnmr
        At this threshold, held fixed.
    fnmr_at_fmr
        FNMR at the FMR asked for, with the threshold found anew in every replicate: the answer to "how good at that FMR",
        where the threshold would be set on other people. None where there is no replicate interval.
    naive
        What intervals would be if every comparison were of other people; only where asked for.
    replicates
        FNMR at the FMR asked for in every drawing of people, by which algorithms are compared.
    """

    written = Written(
        {"fmr_interval": "fmr", "fnmr_interval": "fnmr", "fnmr_at_fmr_interval": "fnmr_at_fmr"},
        without=("replicates",),
        spread=("point",),
    )

    point: OperatingPoint
    fmr: RateInterval
    fnmr: RateInterval
    fnmr_at_fmr: Interval | None
    naive: tuple[RateInterval, RateInterval] | None
    replicates: Floats | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        at = (
            "nothing accepted"
            if self.point.threshold is None
            else f"threshold {threshold(self.point.threshold)}"
        )
        return (
            f"{at}: FMR {digits(self.fmr.rate)} {small_interval(self.fmr.low, self.fmr.high)}, FNMR {fixed(self.fnmr.rate)} "
            f"{interval(self.fnmr.low, self.fnmr.high)}"
        )


@dataclass(frozen=True, eq=False)
class Verification(Result):
    """One algorithm's error rates, with intervals at chosen points.

    Attributes
    ----------
    rates, points
        Error rates at every threshold, and the points with intervals.
    eer_interval, auc_interval
        The equal error rate and the area under the ROC with their intervals over people; None where the list does not say whose
        the comparisons are, or there are too many to see who shares them, which a note says.
    n_subjects, compared
        People in the comparisons, and which comparisons were counted.
    groups
        Error rates by the values of each column that was asked for, a `Differential` each.
    confidence_level, answers, notes
        Of the intervals; what they mean, and what a reader should know.
    alike
        What thirty errors show of how alike comparisons are, from which other algorithms may borrow.
    """

    written = Written(
        {
            "n_genuine": "rates.counts.n_genuine",
            "n_impostor": "rates.counts.n_impostor",
            "n_failed_genuine": "rates.counts.n_failed_genuine",
            "n_failed_impostor": "rates.counts.n_failed_impostor",
            "auc": "rates.auc",
            "eer": "rates.eer",
        },
        also=("algorithm",),
        without=("rates", "alike"),
        if_any=("groups",),
        versioned=True,
    )

    rates: ErrorRates
    points: tuple[VerificationPoint, ...]
    n_subjects: Count
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]
    compared: Compared
    eer_interval: EqualErrorInterval | None = None
    auc_interval: AucInterval | None = None
    groups: tuple[Any, ...] = ()
    alike: Lent = field(default=NOTHING_LENT, repr=False)

    def _may_borrow(self, lent: Lent) -> bool:
        """Whether a rate has fewer than two errors, and others show what nothing shows here: how alike comparisons are."""
        return any(
            rate.few_errors and own is None and others is not None
            for point in self.points
            for rate, own, others in zip((point.fmr, point.fnmr), self.alike, lent, strict=True)
        )

    @property
    def algorithm(self) -> str:
        """The name of the scores."""
        return self.rates.algorithm

    def __repr__(self) -> str:
        points = (
            repr(one)
            if one.point.asked is None
            else f"FNMR {fixed(one.fnmr.rate)} at target FMR {given(one.point.asked)}"
            for one in self.points
        )
        return ", ".join([repr(self.rates), *points])


@dataclass(frozen=True)
class _Thirty:
    """A rate of thirty errors, if there are so many and other comparisons, and the design effect that would be supposed."""

    found: RateInterval | None
    supposed: float

    @property
    def effect(self) -> float | None:
        """The design effect they show."""
        found = self.found
        return None if found is None or found.errors == found.n else found.n / found.n_effective

    @property
    def alike(self) -> Alike | None:
        """The same as others can borrow it; not where nobody has two comparisons."""
        if self.effect is None or self.supposed <= 1:
            return None
        assert self.found is not None  # it shows an effect
        return Alike((self.effect - 1) / (self.supposed - 1), self.found.degrees_of_freedom or 0.0)


def _effect(own: _Thirty, lent: Alike | None) -> float | None:
    """The design effect that thirty errors show, or else others; None to suppose one."""
    return own.effect if own.effect is not None or lent is None else lent.effect(own.supposed)


@dataclass(frozen=True, eq=False)
class Shared:
    """Who takes part in the comparisons of a pair set, with people numbered from 0.

    Attributes
    ----------
    comparisons
        Who meets whom, and how often.
    genuine_people, genuine
        Every genuine comparison: whose, and how close.
    first, second, tail
        Impostor comparisons that reach the loosest threshold of interest: between whom, and how close.
    whole
        Where some of the impostor comparisons that are held were left out, the same with all of them.
    in_doubt
        How many times the variance over people is taken: more than once where several of them may be one.
    lent
        What other algorithms or groups show of how alike comparisons are, for where these show nothing.
    """

    comparisons: Meetings
    genuine_people: Integers
    genuine: Floats
    first: Integers
    second: Integers
    tail: Floats
    whole: Shared | None = None
    in_doubt: int = 1
    lent: Lent = NOTHING_LENT

    @classmethod
    def of(
        cls,
        scores: Scores,
        pairs: PairSet,
        loosest: float,
        threads: int | None = None,
        own: tuple[Codes, Floats] | None = None,
    ) -> Shared:
        """Collect the comparisons above a threshold, and every genuine one unless they are there: whose, and how close."""
        met = impostor_meetings(scores, pairs, threads)
        if met is None and pairs.n_shared and not pairs.symmetric:
            raise DesignError(
                f"{count(pairs.n_shared)} of the samples are both queries and targets and others are not, so it is not clear how "
                "often two people meet.",
                Hint("choose who is compared with whom: {option:gallery}, {option:probes}"),
                source=scores.name,
            )
        rows = pairs.row_codes[~pairs.row_failed]
        columns = pairs.column_codes[~pairs.column_failed]
        people = np.unique(np.concatenate([rows, columns]))
        comparisons: Meetings
        listed = None
        if met is not None:
            number = np.zeros(1 + people.max(initial=0), dtype=np.int32)
            number[people] = np.arange(len(people))
            listed = ListedComparisons(len(people), number[met.first], number[met.second], met.counts)
        if listed is not None and met is not None and not met.lacking:
            comparisons = listed
        else:
            whole = Comparisons(
                np.bincount(np.searchsorted(people, rows), minlength=len(people)),
                np.bincount(np.searchsorted(people, columns), minlength=len(people)),
                pairs.acquired.symmetric,
            )
            comparisons = whole if listed is None else GappedComparisons(whole, listed)
        whose, genuine = own or genuine_pairs(scores, pairs, threads)
        first, second, tail = tail_pairs(scores, pairs, loosest, _LARGEST_TAIL, threads)
        return cls(
            comparisons,
            np.searchsorted(people, whose),
            genuine,
            np.searchsorted(people, first),
            np.searchsorted(people, second),
            tail,
        )

    def reaching(self, closeness: float) -> Shared:
        """The same, with no more of the impostor comparisons than those that reach a closeness."""
        kept = self.tail >= closeness
        return replace(
            self, first=self.first[kept], second=self.second[kept], tail=self.tail[kept], whole=self.whole or self,
        )  # fmt: skip

    def fmr_at(self, closeness: float, level: float) -> RateInterval:
        """The false match rate at a closeness.

        Fewer than two errors do not show how alike comparisons are: their design effect is then borrowed from the threshold at
        which there are thirty, or else from other algorithms or groups.
        """
        accepted = self.tail >= closeness
        seen = 1 < np.count_nonzero(accepted) < self.comparisons.n_impostor - 1
        effect = None if seen else _effect((self.whole or self)._matches, self.lent.matches)
        first, second = self.first[accepted], self.second[accepted]
        return false_match_rate(first, second, self.comparisons, level, design_effect=effect)

    def fnmr_at(self, closeness: float, level: float) -> RateInterval:
        """The false non-match rate at a closeness; its design effect is borrowed as that of `fmr_at` is."""
        missed = self.genuine < closeness
        seen = 1 < np.count_nonzero(missed) < len(missed) - 1
        effect = None if seen else _effect(self._misses, self.lent.misses)
        return false_non_match_rate(self.genuine_people, missed.astype(np.float64), level, effect)

    @property
    def alike(self) -> Lent:
        """What thirty errors show of how alike comparisons are, for others to borrow."""
        return Lent(*(one.alike for one in ((self.whole or self)._matches, self._misses)))

    @cached_property
    def _matches(self) -> _Thirty:
        """Thirty false matches (more if they are tied); none where there are not so many."""
        supposed = effect_of_sharing(self.comparisons)
        if len(self.tail) < SUPPORTED:
            return _Thirty(None, supposed)
        accepted = self.tail >= np.partition(self.tail, -SUPPORTED)[-SUPPORTED]
        found = false_match_rate(self.first[accepted], self.second[accepted], self.comparisons)
        return _Thirty(found, supposed)

    @cached_property
    def _misses(self) -> _Thirty:
        """Thirty false non-matches (more if they are tied); none where there are fewer than twice as many comparisons."""
        n = len(self.genuine)
        supposed = n / worth_of_people(np.bincount(self.genuine_people)) if n else 1.0
        if n < 2 * SUPPORTED:
            return _Thirty(None, supposed)
        missed = self.genuine <= np.partition(self.genuine, SUPPORTED - 1)[SUPPORTED - 1]
        found = false_non_match_rate(self.genuine_people, missed.astype(np.float64))
        return _Thirty(found, supposed)

    def area(self, level: float) -> AucInterval:
        """The interval of the area under the ROC, where every impostor comparison is listed."""
        people = PairPeople(self.genuine_people, self.first, self.second)
        return auc_interval(PairCloseness(self.genuine, self.tail), people, level)

    def fnmr_replicates(
        self, fmrs: Sequence[float], n_resamples: int, drawings: Drawings, threads: int | None = None
    ) -> list[Floats]:
        """FNMR at each false match rate in drawings of people, with the thresholds found anew in each."""
        if not fmrs:
            return []
        tail = Tail.of(self.first, self.second, self.tail, self.comparisons)
        genuine = Genuine.of(self.genuine_people, self.genuine, self.comparisons)
        return AtRates.of(tail, genuine, self.comparisons, fmrs).replicates(
            "vertex", n_resamples, drawings, threads
        )


@overload
def verify(
    scores: Scores | Trials,
    within: Experiment | Samples | None = None,
    *,
    fmr: float | Sequence[float] = ...,
    thresholds: Sequence[float] = ...,
    confidence_level: float = ...,
    n_resamples: Replicates = ...,
    naive: bool = ...,
    by: str | Sequence[str] = ...,
    seed: int | Drawings = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    engine: Engine = ...,
) -> Verification: ...


@overload
def verify(
    scores: Sequence[Scores | Trials] | Mapping[str, Scores | Trials],
    within: Experiment | Samples | None = None,
    *,
    fmr: float | Sequence[float] = ...,
    thresholds: Sequence[float] = ...,
    confidence_level: float = ...,
    n_resamples: Replicates = ...,
    naive: bool = ...,
    by: str | Sequence[str] = ...,
    seed: int | Drawings = ...,
    check_orientation: bool = ...,
    threads: int | None = ...,
    progress: Progress | None = ...,
    engine: Engine = ...,
) -> Verifications: ...


@on_engine
def verify(
    scores: Scores | Trials | Sequence[Scores | Trials] | Mapping[str, Scores | Trials],
    within: Experiment | Samples | None = None,
    *,
    fmr: FalseMatchRate | Sequence[FalseMatchRate] = FMRS,
    thresholds: Sequence[float] = (),
    confidence_level: Level = 0.95,
    n_resamples: Replicates = N_RESAMPLES,
    naive: bool = False,
    by: str | Sequence[str] = (),
    seed: Seed | Drawings = 0,
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Verification | Verifications:
    """Count every comparison once, exactly, and estimate error rates with intervals for other people.

    At each operating point: FMR and FNMR at that threshold, with intervals over people (`false_match_rate`,
    `false_non_match_rate`); and FNMR at the FMR asked for, with the threshold found anew in every replicate of people
    (`interval_anew`). The equal error rate and the area under the ROC have intervals over people as well
    (`equal_error_interval`, `auc_interval`).

    Parameters
    ----------
    scores
        Scores of queries × targets, or a list of comparisons (`Trials`); of one algorithm or of several, which a mapping names.
    within
        An experiment (probes against the gallery), or the samples table: then every query is compared with every target, no
        pair twice and no sample with itself. A list is verified as it is; the table says whose its samples are, and may be left
        out if the list says so itself.
    fmr, thresholds
        The operating points: false match rates, or thresholds.
    n_resamples
        Replicates of people for FNMR at a fixed FMR, where the threshold is found anew each time; 0 for none.
    naive
        Add the intervals of independent comparisons, labelled as such.
    by
        Columns by whose values error rates are found as well, at the threshold of the first operating point: `Verification.groups`.
    seed
        The seed of replicates, or drawings of people that others are measured with as well.

    Examples
    --------
    Six people with two images each; those of person a are not like each other, and a's first is like b's.

    >>> ids = [f"{person}{image}" for person in "abcdef" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    >>> same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    >>> same[0, 1] = same[1, 0] = 0.0
    >>> same[0, 2] = same[2, 0] = 1.0
    >>> found = verify(Scores.from_array(same, ids, orientation="similarity", name="net"), samples, fmr=0.05, n_resamples=0)
    >>> (one,) = found.points
    >>> one.fmr.errors, one.fmr.n, one.fnmr.errors, one.fnmr.n, found.n_subjects
    (1, 60, 1, 6, 6)
    """
    drawings = seed if isinstance(seed, Drawings) else Drawings(seed)
    check_seed(drawings.seed)
    fmrs = (fmr,) if isinstance(fmr, int | float) else tuple(fmr)
    asked: dict[str, Any] = {
        "fmrs": fmrs, "thresholds": thresholds, "confidence_level": confidence_level, "n_resamples": n_resamples, "naive": naive,
        "by": (by,) if isinstance(by, str) else tuple(by), "drawings": drawings, "check_orientation": check_orientation,
        "threads": threads, "progress": progress,
    }  # fmt: skip
    if isinstance(scores, Scores | Trials):
        return verify_one(scores, within, **asked)
    from proband.inference.verification.several import Verifications, beside_each_other

    making = [partial(verify_one, one, within, **asked) for one in by_name(scores).values()]
    return Verifications(tuple(beside_each_other(making, lambda one: one)))


def verify_one(
    scores: Scores | Trials,
    within: Experiment | Samples | None,
    lent: Lent = NOTHING_LENT,
    *,
    fmrs: Sequence[float],
    thresholds: Sequence[float],
    confidence_level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    check_orientation: bool = True,
    by: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Verify one algorithm, which may borrow what others show of how alike comparisons are."""
    if not fmrs and not thresholds:
        raise UsageError("There is no operating point.", "name false match rates or thresholds.")
    if isinstance(scores, Trials):
        from proband.inference.verification.lists import verify_list

        if isinstance(within, Experiment):
            raise UsageError(
                f"{scores.name} is a list of comparisons, which is verified as it is, not within an experiment.",
                "give the samples table, or choose the comparisons in the list.",
                source=Said(scores.name),
            )
        if by:
            raise UsageError(
                f"{scores.name} is a list of comparisons, and groups need scores of queries with targets.",
                Hint("leave {option:by} out, or choose the comparisons of a group in the list."),
                source=Said(scores.name),
            )
        return verify_list(
            scores if within is None else scores.with_samples(within), fmrs=fmrs, thresholds=thresholds,
            confidence_level=confidence_level, n_resamples=n_resamples, naive=naive, drawings=drawings, check_orientation=check_orientation,
            lent=lent,
        )  # fmt: skip
    made, _ = verified(
        scores,
        within,
        fmrs,
        thresholds,
        confidence_level,
        n_resamples,
        naive,
        drawings,
        check_orientation,
        threads,
        progress,
        lent,
    )
    if not by:
        return made
    from proband.inference.verification.groups import error_rates_by  # which verifies

    pairs, point = within if within is not None else _no_table(scores), made.points[0].point
    found = (
        error_rates_by(scores, pairs, column, point, confidence_level=confidence_level, seed=drawings.seed)
        for column in by
    )
    return replace(made, groups=tuple(found))


def _no_table(scores: Scores) -> Samples:
    raise UsageError(
        f"{scores.name} has no table of samples, so there are no columns to make groups of.",
        "give it as within.",
        source=Said(scores.name),
    )


def verified(
    scores: Scores,
    within: Experiment | Samples | None,
    fmrs: Sequence[float],
    thresholds: Sequence[float],
    confidence_level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    check_orientation: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    lent: Lent = NOTHING_LENT,
) -> tuple[Verification, Shared]:
    """Find the error rates of a matrix, and the comparisons that they and others may rest on."""
    if within is None:
        within = scores.samples_by_label()
    pairs, rates = counted(scores, within, thresholds, check_orientation, threads, progress)
    (progress or Silent()).begin(f"intervals of {scores.name}", 0)
    sign, counts = 1.0 if scores.larger_is_closer else -1.0, rates.counts
    loosest = loosest_of(rates, fmrs, thresholds, replicated=bool(n_resamples))
    crossing = closeness_of(rates.eer().threshold, sign)
    crossed = rates.eer().value * counts.n_impostor <= _MOST_FOR_EER
    own = genuine_pairs(scores, pairs, threads)
    area = _area(scores, pairs, own, rates, confidence_level, threads)
    reached = min(loosest, room_for_thirty(counts), crossing if crossed else np.inf)
    everything = replace(Shared.of(scores, pairs, reached, threads, own), lent=lent)
    shared = everything.reaching(loosest)
    rates = admitting(rates, shared.tail, map(rates.allowed_at, fmrs))
    points = points_of(rates, fmrs, thresholds)
    made = with_intervals(points, sign, shared, confidence_level, n_resamples, naive, drawings, threads)
    people = shared.comparisons.n_subjects
    compared = compared_pairs(scores, within, counts)
    notes = (*rates.notes, *beyond_data(rates, fmrs))
    found = Verification(
        rates, made, people, confidence_level, OVER_PEOPLE, notes, compared, alike=everything.alike
    )
    return with_summaries(found, everything, area, eer=crossed), shared


def _area(
    scores: Scores,
    pairs: PairSet,
    own: tuple[Codes, Floats],
    rates: ErrorRates,
    level: float,
    threads: int | None,
) -> AucInterval | None:
    """The interval of the area from sums of placements; None for too many comparisons."""
    whose, genuine = own
    near, counts = pairs.acquired, rates.counts
    if near.n_shared and not near.symmetric:
        return None  # refused below, with the reason
    if counts.n_impostor > _MOST_FOR_AREA:
        return None
    sums = placements(scores, pairs, genuine, rates.auc(), threads)
    people = np.unique(np.concatenate([near.row_codes, near.column_codes]))
    at = np.searchsorted(counts.edges, genuine)
    below = 1 - (counts.impostor_ge[at] + counts.impostor_gt[at]) / (2 * counts.n_impostor)
    return auc_interval_of_sums(rates.auc(), below, np.searchsorted(people, whose), sums, level)


def counted(
    scores: Scores,
    within: Experiment | Samples,
    thresholds: Sequence[float] = (),
    check_orientation: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[PairSet, ErrorRates]:
    """Count the comparisons of a matrix, at every genuine score and at the thresholds, and say which they are."""
    if check_orientation:
        require_pair_orientation(scores, within)
    pairs = PairSet.of(scores, within)
    sign = 1.0 if scores.larger_is_closer else -1.0
    counts = count_pairs(scores, pairs, [sign * t for t in thresholds], threads=threads, progress=progress)
    return pairs, ErrorRates(scores.name, scores.larger_is_closer, counts, (*scores.notes, *pairs.notes))


def with_summaries(
    found: Verification, shared: Shared, area: AucInterval | None, *, eer: bool = True
) -> Verification:
    """Give the equal error rate and the area their intervals over people, or say why they have none."""
    rates, level = found.rates, found.confidence_level
    crossing = None
    if eer:
        sign = 1.0 if rates.larger_is_closer else -1.0
        at = rates.eer()
        closeness = closeness_of(at.threshold, sign)
        accepted = shared.tail >= closeness
        crossing = equal_error_interval(
            at.value,
            rates.curve,
            (shared.genuine_people, shared.genuine < closeness),
            (shared.first[accepted], shared.second[accepted]),
            shared.comparisons,
            level,
        )
    notes = [
        _TOO_MANY(which=name, n=rates.counts.n_impostor)
        for name, made in (("EER", crossing), ("AUC", area))
        if made is None
    ]
    return replace(found, eer_interval=crossing, auc_interval=area, notes=(*found.notes, *notes))


def closeness_of(threshold: float | None, sign: float) -> float:
    """Return a threshold as closeness, which grows with likeness; infinite where everything is rejected."""
    return np.inf if threshold is None else sign * threshold


def points_of(rates: ErrorRates, fmrs: Sequence[float], thresholds: Sequence[float]) -> list[OperatingPoint]:
    """Find the operating points that were asked for."""
    return [*(rates.at_fmr(fmr) for fmr in fmrs), *(rates.at_threshold(t) for t in thresholds)]


def beyond_data(rates: ErrorRates, fmrs: Sequence[float]) -> list[Note]:
    """Say where a false match rate is asked for that so few comparisons cannot show, or that tied scores keep from being used."""
    n = rates.counts.n_impostor
    beyond = [] if all(map(rates.allowed_at, fmrs)) else [_BEYOND(n=n, least=1 / n)]
    tied = [fmr for fmr in fmrs if rates.allowed_at(fmr) and not rates.at_fmr(fmr).false_matches]
    return [*beyond, *(CLOSEST_TIED(fmr=fmr) for fmr in tied[:1])]


def loosest_of(
    rates: ErrorRates, fmrs: Sequence[float], thresholds: Sequence[float], *, replicated: bool
) -> float:
    """Find the closeness down to which impostors are needed: for the thresholds, for those of false match rates, and for replicates."""
    sign = 1.0 if rates.larger_is_closer else -1.0
    reached = [sign * one for one in thresholds]
    reached += [rates.counts.closeness_to_admit(rates.allowed_at(fmr)) for fmr in fmrs]
    if replicated and fmrs:
        # Replicates move the threshold both ways, so some more of the tail is needed than the points themselves use.
        reached.append(room_for_replicates(rates, max(fmrs)))
    return min(reached)


def require_pair_orientation(scores: Scores, within: Experiment | Samples) -> None:
    """Refuse scores that look reversed, wherever anybody is compared with an own image."""
    if isinstance(within, Samples):
        shared = set(scores.queries) & set(scores.targets)
        try:
            within = experiment_over([scores], within, "one_per_subject" if shared else None, missing="drop")
        except (DesignError, AlignmentError):
            return  # nobody has two images there: error rates will say so
    if within.mated.any():
        require_orientation(scores, within)


def room_for_replicates(rates: ErrorRates, fmr: float) -> float:
    """Find a closeness that at least four times as many impostors reach as the FMR allows, and some hundred thousand in any case."""
    counts = rates.counts
    return counts.closeness_reached_by(max(ceil(4 * fmr * counts.n_impostor), _LEAST_TAIL))


def room_for_thirty(counts: PairCounts) -> float:
    """Find a closeness that thirty impostors reach, to see how alike they are; infinite where too many are tied there."""
    at, binned = counts.closeness_reached_by(SUPPORTED), counts.histogram
    first = max(int(np.searchsorted(binned.edges, at, side="right")) - 1, 0)
    return at if binned.impostor[first:].sum() <= _LEAST_TAIL else np.inf


def with_intervals(
    points: Sequence[OperatingPoint],
    sign: float,
    shared: Shared,
    level: float,
    n_resamples: int,
    naive: bool,
    drawings: Drawings,
    threads: int | None = None,
) -> tuple[VerificationPoint, ...]:
    """Give points their intervals over people, all under the same drawings of them."""
    asked = (
        [one.asked for one in points if one.asked is not None and one.false_matches] if n_resamples else []
    )
    drawn = dict(zip(asked, shared.fnmr_replicates(asked, n_resamples, drawings, threads), strict=True))
    return tuple(
        _with_intervals(one, sign, shared, level, naive, None if one.asked is None else drawn.get(one.asked))
        for one in points
    )


def _with_intervals(
    point: OperatingPoint, sign: float, shared: Shared, level: float, naive: bool, replicates: Floats | None
) -> VerificationPoint:
    threshold = closeness_of(point.threshold, sign)
    fmr, fnmr = shared.fmr_at(threshold, level), shared.fnmr_at(threshold, level)
    anew = None if replicates is None else interval_anew(fnmr, replicates)
    plain = None
    if naive:
        plain = (
            naive_interval(point.false_matches, point.n_impostor, level, shared.comparisons.n_subjects),
            naive_interval(point.false_non_matches, point.n_genuine, level, shared.comparisons.n_subjects),
        )
    return VerificationPoint(point, fmr, fnmr, anew, plain, replicates)
