"""Thresholds for deployment with their guarantees, in numbers and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.inference.verification.points import CLOSEST_TIED
from proband.inference.verification.results import VerificationPoint
from proband.inference.verification.thresholds.bound_path import Floats
from proband.measures.pairs.counts import allowed_errors
from proband.results.base import Answers, Confidence, Count, Rate, Result
from proband.results.compared import Compared
from proband.results.serializing import Written
from proband.words import Note, Sentence

_RATES = tuple(f"{rate}{end}" for rate in ("fmr", "fnmr") for end in ("", "_low", "_high"))
_COLUMNS = {
    "algorithm": pl.String,
    **dict.fromkeys(("target_fmr", "confidence_level"), pl.Float64),
    "grade": pl.String,
    **dict.fromkeys(("threshold", *_RATES), pl.Float64),
}
_SURE = Sentence(
    "threshold.sure",
    "note",
    "{algorithm}: accept at {threshold:threshold} or {closer}. With {confidence:level} confidence its FMR "
    "is at most {asked:given} for new people; on these data FMR is {fmr:small} (bound {bound:small}) and "
    "FNMR {fnmr:rate} [{low:rate}, {high:rate}]",
)
_EACH = Sentence(
    "threshold.sure-each",
    "note",
    "Thresholds with {confidence:level} confidence: the FMR for new people is at most the target with that "
    "confidence",
)
_PLAIN = Sentence(
    "threshold.plain",
    "note",
    "A plain threshold has the target FMR for these people, with no guarantee for others: about half of "
    "such thresholds exceed the target for new people",
)
THRESHOLDS_STATED = {one.code for one in (_SURE, _EACH, _PLAIN)}
"""The codes of what is said of thresholds that there are, behind those that there are not."""
_FREE = Sentence(
    "threshold.distribution-free",
    "note",
    "The strictest grade is valid for any distribution of scores; the other is based on the variance over "
    "{people:count person/people}",
)
_NOT_FREE = Sentence(
    "threshold.not-distribution-free",
    "note",
    "The bound is based on the variance over {people:count person/people}; a bound valid for any "
    "distribution of scores needs {needed:count} people for {asked:given}",
)
_NO_THRESHOLD = (
    "{algorithm}: no threshold guarantees an FMR of at most {asked:given} with {confidence:level} confidence"
)
_NONE = Sentence(
    "threshold.none",
    "caution",
    _NO_THRESHOLD
    + ": there are only {people:count person/people} in {comparisons:count impostor comparison}",
)
_NONE_TIED = Sentence("threshold.none-tied", "caution", _NO_THRESHOLD)
_LIMIT = Sentence(
    "threshold.limit",
    "note",
    "The bound accounts for variance that is due to few people. It cannot account for people who match very "
    "many others but are not in these data: if one person in a hundred does, such thresholds exceeded the "
    "target in up to 8 of 100 simulated data sets",
)
_NEEDED = Sentence(
    "threshold.needed",
    "note",
    "at least about {people:count} people ({comparisons:count} impostor comparisons) are needed if errors "
    "are spread evenly over people, and {free:count} for any distribution of scores",
)
_COMPARISONS_NEEDED = Sentence(
    "threshold.comparisons-needed",
    "note",
    "there are enough people, but only {there:count impostor comparison}; at least about {needed:count} are needed, "
    "even if errors are spread evenly over people",
)
_CONCENTRATED = Sentence(
    "threshold.concentrated",
    "note",
    "there are enough people and comparisons if errors are spread evenly, but a few people account for most "
    "false matches: more people are needed",
)


@published
@dataclass(frozen=True, eq=False)
class DeployedThreshold(Result):
    """The threshold of one algorithm for one target false match rate.

    Attributes
    ----------
    algorithm, target_fmr, confidence_level, larger_is_closer
        The algorithm, the target false match rate, the confidence, and whether larger scores are closer.
    plain
        The least strict threshold within the target on these people, without a guarantee for others.
    sure, bound
        The least strict threshold with an upper bound within the target, and this bound; None if there are too few people.
    distribution_free
        The least strict threshold within the target for any distribution of scores; None if there are too few people.
    n_subjects, compared
        The number of people in the comparisons, and which comparisons were counted.
    people_needed, comparisons_needed, people_needed_freely
        The minimum numbers needed if errors are spread evenly and all people have the same number of images, and for any
        distribution.
    answers, notes
        The meaning of the threshold, and notes.
    thresholds, rates, bounds
        For plots: the false match rate and its bound by threshold.
    """

    written = Written(without=("thresholds", "rates", "bounds", "larger_is_closer"), versioned=True)

    algorithm: str
    target_fmr: Rate
    confidence_level: Confidence
    plain: VerificationPoint
    sure: VerificationPoint | None
    bound: Rate | None
    distribution_free: VerificationPoint | None
    n_subjects: Count
    people_needed: Count
    comparisons_needed: Count
    people_needed_freely: Count
    answers: Answers
    notes: tuple[Note, ...]
    compared: Compared
    larger_is_closer: bool = True
    thresholds: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    rates: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    bounds: Floats = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def graded(self) -> dict[str, VerificationPoint | None]:
        """The thresholds by the kind of guarantee for new people."""
        return {"plain": self.plain, "sure": self.sure, "distribution-free": self.distribution_free}

    @property
    def is_tied(self) -> bool:
        """Whether more of the closest impostor scores are tied than the target allows."""
        counts = self.plain.counts
        return not counts.false_matches and bool(allowed_errors(self.target_fmr, counts.n_impostor) > 0)

    @property
    def needed(self) -> Note:
        """What is too small: the number of people, of comparisons, or of people behind the errors."""
        there = self.plain.counts.n_impostor
        if self.is_tied:
            return CLOSEST_TIED(fmr=self.target_fmr)
        if self.people_needed > self.n_subjects:
            return _NEEDED(
                people=self.people_needed, comparisons=self.comparisons_needed, free=self.people_needed_freely
            )
        if self.comparisons_needed > there:
            return _COMPARISONS_NEEDED(needed=self.comparisons_needed, there=there)
        return _CONCENTRATED()

    def sentences(self) -> list[Note]:
        """The threshold to deploy, the meaning of the plain threshold, and the basis of the guarantee.

        Returns
        -------
        list of Note
            The sentences; without a threshold to deploy, what is needed.
        """
        own = self.deployed()
        if self.sure is None:
            return [*own, self.needed, _PLAIN()]
        return [*own, _PLAIN(), self.grade, _LIMIT()]

    def sentences_with(self, others: Sequence[DeployedThreshold]) -> list[Note]:
        """The meaning of this threshold and others for new people, preceded by those that are unavailable.

        Parameters
        ----------
        others
            Further thresholds.

        Returns
        -------
        list of Note
            The sentences for unavailable thresholds, and those for all thresholds.
        """
        if not others:
            return self.sentences()
        every = (self, *others)
        none = _unavailable(every)
        if all(one.sure is None for one in every):
            return [*none, _PLAIN()]
        strictest = min(every, key=lambda one: one.target_fmr)
        return [*none, _EACH(confidence=strictest.confidence_level), _PLAIN(), strictest.grade, _LIMIT()]

    @property
    def grade(self) -> Note:
        """The basis of the bound."""
        if self.distribution_free is not None:
            return _FREE(people=self.n_subjects)
        return _NOT_FREE(people=self.n_subjects, needed=self.people_needed_freely, asked=self.target_fmr)

    def deployed(self) -> list[Note]:
        """A sentence on the threshold to deploy, or that there is none.

        Returns
        -------
        list of Note
            One sentence.
        """
        if self.sure is None or self.bound is None:
            return [self._none((self.algorithm,))]
        fmr, fnmr = self.sure.fmr, self.sure.fnmr
        return [
            _SURE(
                algorithm=self.algorithm,
                asked=self.target_fmr,
                threshold=self.sure.threshold,
                closer="above" if self.larger_is_closer else "below",
                confidence=self.confidence_level,
                fmr=fmr.value,
                bound=self.bound,
                fnmr=fnmr.value,
                low=fnmr.low,
                high=fnmr.high,
            )
        ]

    def _none(self, algorithms: tuple[str, ...]) -> Note:
        said = {
            "algorithm": ", ".join(algorithms),
            "asked": self.target_fmr,
            "confidence": self.confidence_level,
        }
        if self.is_tied:
            return _NONE_TIED(**said)
        return _NONE(**said, people=self.n_subjects, comparisons=self.plain.counts.n_impostor)

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each threshold: the plain one, and those with a guarantee."""
        return frame_of_rows(
            [
                {
                    "algorithm": self.algorithm,
                    "target_fmr": self.target_fmr,
                    "confidence_level": self.confidence_level,
                    "grade": grade,
                    "threshold": None if point is None else point.threshold,
                    "fmr": None if point is None else point.fmr.value,
                    "fmr_low": None if point is None else point.fmr.low,
                    "fmr_high": None if point is None else point.fmr.high,
                    "fnmr": None if point is None else point.fnmr.value,
                    "fnmr_low": None if point is None else point.fnmr.low,
                    "fnmr_high": None if point is None else point.fnmr.high,
                }
                for grade, point in self.graded.items()
            ],
            _COLUMNS,
        )

    def __repr__(self) -> str:
        return str(self.deployed()[0])


def _unavailable(found: Sequence[DeployedThreshold]) -> list[Note]:
    """State which thresholds no algorithm can guarantee and what is needed, once for algorithms with the same reason."""
    alike: dict[tuple[Note, Note], list[DeployedThreshold]] = {}
    for one in found:
        if one.sure is None:
            alike.setdefault((one._none(()), one.needed), []).append(one)
    return [
        note
        for (_, needed), those in alike.items()
        for note in (those[0]._none(tuple(one.algorithm for one in those)), needed)
    ]
