"""Who takes part in the comparisons of a pair set, and the error rates that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.errors import DesignError, Hint
from proband.inference.verification.intervals.dyadic_auc import (
    PairCloseness,
    PairPeople,
    auc_interval,
)
from proband.inference.verification.intervals.dyadic_rates import (
    false_match_rate,
    false_non_match_rate,
    rate_of_matches,
)
from proband.inference.verification.intervals.few_errors import bounds_without_errors
from proband.inference.verification.intervals.rate_interval import ZeroErrorBounds
from proband.inference.verification.people.drawings import AtRates, Drawings, Genuine, Tail
from proband.inference.verification.people.matches import ListedMatches, Matches
from proband.inference.verification.people.meetings import Comparisons, Meetings
from proband.inference.verification.people.partial_meetings import GappedComparisons, ListedComparisons
from proband.inference.verification.people.supposed import (
    NOTHING_LENT,
    Alike,
    Lent,
    effect_of_sharing,
    worth_of_people,
)
from proband.inference.verification.thinned import ThinnedTail
from proband.measures.pairs.counts import genuine_pairs, impostor_meetings, tail_pairs
from proband.measures.pairs.pair_set import Codes, PairSet
from proband.measures.verification import SUPPORTED
from proband.results.estimate import Estimate
from proband.scores import Scores
from proband.words import agreeing, count

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LARGEST_TAIL = 20_000_000  # impostor comparisons above a threshold that are kept to see who shares them


@dataclass(frozen=True)
class _Thirty:
    """A rate of thirty errors, if there are so many and other comparisons, and the design effect that would be supposed."""

    rate: Estimate | None
    supposed: float

    @property
    def effect(self) -> float | None:
        """The design effect they show."""
        if self.rate is None or self.rate.rests_on.n_events == self.rate.rests_on.n:
            return None
        return self.rate.rests_on.n / (self.rate.rests_on.n_effective or 1.0)

    @property
    def alike(self) -> Alike | None:
        """The same as others can borrow it; not where nobody has two comparisons."""
        if self.effect is None or self.supposed <= 1:
            return None
        assert self.rate is not None  # it shows an effect
        return Alike((self.effect - 1) / (self.supposed - 1), self.rate.degrees_of_freedom or 0.0)


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
    thinned
        Where the impostors that reach the loosest threshold are too many to list: sums over them, and a part. Those that are listed
        are then the closest of them.
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
    thinned: ThinnedTail | None = None

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
                f"{count(pairs.n_shared)} of the samples {agreeing(pairs.n_shared)} both queries and targets, but not all samples "
                "are, so it is unclear how often two people are compared.",
                Hint("choose which samples are compared: {option:gallery}, {option:probes}"),
                source=scores.name,
            )
        rows = pairs.row_codes[~pairs.row_failed]
        columns = pairs.column_codes[~pairs.column_failed]
        people = pairs.acquired.people
        number = np.zeros(1 + people.max(initial=0), dtype=np.int64)
        number[people] = np.arange(len(people))
        comparisons: Meetings
        listed = None
        if met is not None:
            listed = ListedComparisons(
                len(people),
                number[met.first].astype(np.int32),
                number[met.second].astype(np.int32),
                met.counts,
            )
        if listed is not None and met is not None and not met.lacking:
            comparisons = listed
        else:
            whole = Comparisons(
                np.bincount(number[rows], minlength=len(people)),
                np.bincount(number[columns], minlength=len(people)),
                pairs.acquired.symmetric,
            )
            comparisons = whole if listed is None else GappedComparisons(whole, listed)
        whose, genuine = own or genuine_pairs(scores, pairs, threads)
        first, second, tail = tail_pairs(scores, pairs, loosest, LARGEST_TAIL, threads)
        return cls(
            comparisons,
            number[whose],
            genuine,
            number[first],
            number[second],
            tail,
        )

    def reaching(self, closeness: float) -> Shared:
        """The same, with no more of the impostor comparisons than those that reach a closeness."""
        kept = self.tail >= closeness
        return replace(
            self, first=self.first[kept], second=self.second[kept], tail=self.tail[kept], whole=self.whole or self,
        )  # fmt: skip

    def thinned_at(
        self,
        scores: Scores,
        pairs: PairSet,
        thresholds: Sequence[float],
        rooms: Mapping[float, float],
        most: Callable[[float], int],
        threads: int | None = None,
    ) -> Shared:
        """The same for thresholds that too many impostors reach to list them (`ThinnedTail`)."""
        thinned = ThinnedTail.of(
            scores, pairs, pairs.acquired.people, self.comparisons, thresholds, rooms, most, threads
        )
        return replace(self, whole=self, thinned=thinned)

    def fmr_at(self, closeness: float, level: float) -> Estimate:
        """The false match rate at a closeness.

        Fewer than two errors do not show how alike comparisons are: their design effect is then borrowed from the threshold at
        which there are thirty, or else from other algorithms or groups.
        """
        matches = self._accepted(closeness)
        seen = 1 < matches.n < self.comparisons.n_impostor - 1
        effect = None if seen else _effect((self.whole or self)._matches, self.lent.matches)
        return rate_of_matches(matches, self.comparisons, level, design_effect=effect)

    def _accepted(self, closeness: float) -> Matches:
        """The false matches at a closeness; where they are too many to list, at one of the thresholds of interest."""
        if self.thinned is not None:
            return self.thinned.matches(closeness)
        accepted = self.tail >= closeness
        return ListedMatches.of(self.first[accepted], self.second[accepted], self.comparisons)

    def fnmr_at(self, closeness: float, level: float) -> Estimate:
        """The false non-match rate at a closeness; its design effect is borrowed as that of `fmr_at` is."""
        missed = self.genuine < closeness
        seen = 1 < np.count_nonzero(missed) < len(missed) - 1
        effect = None if seen else _effect(self._misses, self.lent.misses)
        return false_non_match_rate(self.genuine_people, missed.astype(np.float64), level, effect)

    def bounds_of(self, fmr: Estimate) -> ZeroErrorBounds | None:
        """What it says that no impostor comparison is accepted, or every one is; None where some are."""
        return bounds_without_errors(fmr, self.comparisons.n_disjoint)

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
        rate = false_match_rate(self.first[accepted], self.second[accepted], self.comparisons)
        return _Thirty(rate, supposed)

    @cached_property
    def _misses(self) -> _Thirty:
        """Thirty false non-matches (more if they are tied); none where there are fewer than twice as many comparisons."""
        n = len(self.genuine)
        supposed = n / worth_of_people(np.bincount(self.genuine_people)) if n else 1.0
        if n < 2 * SUPPORTED:
            return _Thirty(None, supposed)
        missed = self.genuine <= np.partition(self.genuine, SUPPORTED - 1)[SUPPORTED - 1]
        rate = false_non_match_rate(self.genuine_people, missed.astype(np.float64))
        return _Thirty(rate, supposed)

    def area(self, level: float) -> Estimate:
        """The interval of the area under the ROC, where every impostor comparison is listed."""
        people = PairPeople(self.genuine_people, self.first, self.second)
        return auc_interval(PairCloseness(self.genuine, self.tail), people, level)

    def fnmr_replicates(
        self, fmrs: Sequence[float], n_resamples: int, drawings: Drawings, threads: int | None = None
    ) -> list[Floats]:
        """FNMR at each false match rate in drawings of people, with the thresholds found anew in each."""
        if not fmrs:
            return []
        genuine = Genuine.of(self.genuine_people, self.genuine, self.comparisons)
        if self.thinned is not None:
            return [
                self._thinned_rates(fmr, genuine).replicates("vertex", n_resamples, drawings, threads)[0]
                for fmr in fmrs
            ]
        tail = Tail.of(self.first, self.second, self.tail, self.comparisons)
        return AtRates.of(tail, genuine, self.comparisons, fmrs).replicates(
            "vertex", n_resamples, drawings, threads
        )

    def _thinned_rates(self, fmr: float, genuine: Genuine) -> AtRates:
        """Measure FNMR at a false match rate by a part of the impostors: of that, as many times fewer may be false matches."""
        assert self.thinned is not None  # only then is there a part
        first, second, closeness, share = self.thinned.part(self.thinned.rooms[fmr])
        tail = Tail.of(first, second, closeness, self.comparisons)
        return AtRates.of(tail, genuine, self.comparisons, [fmr * share])
