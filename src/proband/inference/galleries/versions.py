"""One algorithm in two states: fully against partially automatic, or earlier against later (FERET 2000)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError, unknown_name
from proband.inference.comparisons.compare import margin_for, shown_together
from proband.inference.comparisons.testing.sign_flip import Flips
from proband.inference.comparisons.verdicts import Found, judged
from proband.inference.estimates.evaluation import Evaluation, OfProbes, probes_called
from proband.inference.galleries.participants import date_parts
from proband.inference.procedures import Question
from proband.measures import Outcomes, RecognitionRate
from proband.results.base import Count, Rank, Record
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.serializing import Written
from proband.words import Note, Sentence

Floats = npt.NDArray[np.float64]
Kind = Literal["version", "improvement"]
_COST = Sentence(
    "feret.cost-of-locating",
    "note",
    "{category}: locating the face costs {first} {effect} compared with {second}, {tested}",
)
_COST_WITH_FAILURES = Sentence(
    "feret.cost-of-locating-with-failures",
    "note",
    "{category}: locating the face costs {first} {effect} compared with {second}, {tested} (without a "
    "rank: {failed:count} of {probes:count probe})",
)
_GAIN = Sentence("feret.gain", "note", "{category}: {second} against {first}: {effect}, {tested}")
_DATED_GAIN = Sentence(
    "feret.gain-between-dates",
    "note",
    "{category}: {second} against {first}, from {first_date} to {second_date}: {effect}, {tested}",
)


@dataclass(frozen=True)
class Version:
    """One algorithm that finds the face itself, and the same one told where the eyes are.

    Parameters
    ----------
    fully, partially
        The names of the two.
    """

    fully: str
    partially: str


@dataclass(frozen=True)
class Improvement:
    """One algorithm at two dates, each a year, a month or a day: ``1996``, ``1996-09`` or ``1996-09-30``.

    Parameters
    ----------
    earlier, later
        The names of the two.
    earlier_date, later_date
        When they were tested; None where that is not to be shown.
    """

    earlier: str
    later: str
    earlier_date: str | None = None
    later_date: str | None = None

    def __post_init__(self) -> None:
        before, after = (
            () if one is None else date_parts(one) for one in (self.earlier_date, self.later_date)
        )
        known = min(len(before), len(after))
        # A year and a month of the same year can be in order.
        if before[:known] > after[:known]:
            raise UsageError(
                f"{self.earlier} of {self.earlier_date} is not earlier than {self.later} of "
                f"{self.later_date}.",
                "name the earlier algorithm first.",
            )


class RateWithEnds(NamedTuple):
    """A rate and the ends of its interval, low and high."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class ContrastRow(OfProbes, Record):
    """Two states of an algorithm on one set of probes.

    Attributes
    ----------
    first, second
        Rates of the fully automatic (or earlier) and of the partially automatic (or later) state, with their intervals.
    first_failed, second_failed
        Probes without a rank, which count as misses.
    pair
        The second less the first, paired; its interval and p-value hold for all rows of a kind together.
    category
        The set of probes; None for all.
    n_probes, n_probe_subjects
        The probes, and whose they are.
    n_gallery_subjects, n_gallery_images
        The people enrolled, and their images.
    """

    written = Written({"category": "probe_set"})

    category: str | None
    n_probes: Count
    n_probe_subjects: Count
    n_gallery_subjects: Count
    n_gallery_images: Count
    first: RateWithEnds
    second: RateWithEnds
    first_failed: int
    second_failed: int
    pair: Difference


@dataclass(frozen=True)
class VersionContrast(Record):
    """One algorithm in two states, over every set of probes.

    The difference of a ``version`` is the cost of locating the face, at the level of the system; that of an ``improvement`` the
    gain.

    Attributes
    ----------
    kind
        ``version`` or ``improvement``.
    first, second, rank, rows
        The two states, the rank of success, and each set of probes.
    first_date, second_date
        When they were tested.
    """

    written = Written(also=("sentences",))

    kind: Kind
    first: str
    second: str
    rank: Rank
    rows: tuple[ContrastRow, ...]
    first_date: str | None = None
    second_date: str | None = None

    @property
    def roles(self) -> tuple[str, str]:
        """What the first and the second state are."""
        if self.kind == "version":
            return "fully automatic", "partially automatic"
        return self.first_date or "earlier", self.second_date or "later"

    @property
    def labels(self) -> tuple[str, str]:
        """The names of the two states, each with what it is unless its name says so."""
        first, second = (
            name if role in name else f"{name} ({role})"
            for name, role in zip((self.first, self.second), self.roles, strict=True)
        )
        return first, second

    def sentences(self) -> list[Note]:
        """What each set of probes shows, in words."""
        return [self._sentence(row) for row in self.rows]

    def _sentence(self, row: ContrastRow) -> Note:
        said = {
            "category": probes_called(row.category),
            "first": self.first,
            "second": self.second,
            "effect": row.pair.effect,
            "tested": row.pair.tested,
        }
        if self.kind == "version":
            if row.first_failed:
                return _COST_WITH_FAILURES(**said, failed=row.first_failed, probes=row.n_probes)
            return _COST(**said)
        if self.first_date and self.second_date:
            return _DATED_GAIN(**said, first_date=self.first_date, second_date=self.second_date)
        return _GAIN(**said)


def contrasts(
    evaluation: Evaluation,
    asked: Sequence[Version] | Sequence[Improvement],
    rank: int,
    confidence_level: float,
    seed: int,
) -> tuple[VersionContrast, ...]:
    """Compare the two states of each algorithm on every set of probes, and judge all of these together.

    After Phillips et al. (2000). What is estimated is the rate of the second state less that of the first, paired (see
    `compare`); other people vary. p-values, intervals and verdicts hold for all rows at once: the largest statistic under the same
    random signs of people, who may be in several sets of probes, says what a single one counts for (Westfall & Young 1993).
    """
    measure = RecognitionRate(rank)
    found: list[Found] = []
    differences: list[Floats] = []
    rows: list[tuple[tuple[Outcomes, Outcomes], tuple[Estimate, ...], str | None]] = []
    for one in asked:
        names = _named(one)[1]
        require_known(names, evaluation.algorithms)
        for category in evaluation.categories:
            entries = {entry.algorithm: entry.outcomes for entry in evaluation.of(category)}
            first, second = (entries[name] for name in names)
            joint = shown_together(
                Question.of(measure, [second, first], None, "auto", confidence_level, seed)
            )
            found += joint.tested
            differences.append(_by_subject(second, measure) - _by_subject(first, measure))
            rows.append(((first, second), joint.estimates[::-1], category))
    if not rows:
        return ()
    flips = Flips.of(np.column_stack(differences), np.ones(len(differences[0])), seed)
    shared: list[Found] = [
        (first, second, people, replace(tested, statistics=np.abs(flips.turned[:, place])))
        for place, (first, second, people, tested) in enumerate(found)
    ]
    pairs = judged(shared, margin_for(None, is_rate=True), confidence_level, upward=True, in_points=True)
    made = iter([_row(*row, pair) for row, pair in zip(rows, pairs, strict=True)])
    return tuple(
        VersionContrast(
            kind,
            *names,
            rank,
            tuple(islice(made, len(evaluation.categories))),
            *dates,
        )
        for one in asked
        for kind, names, dates in [_named(one)]
    )


def _by_subject(outcomes: Outcomes, measure: RecognitionRate) -> Floats:
    """The successes of every subject of the table, of whom some have no probe here."""
    subjects = outcomes.experiment.samples.codes
    sums = np.bincount(outcomes.subjects, measure.success(outcomes), minlength=int(subjects.max()) + 1)
    return sums.astype(np.float64)


def require_different(asked: Sequence[Version] | Sequence[Improvement]) -> None:
    """Refuse a pair that is asked for twice: it would count twice when p-values are adjusted."""
    pairs = [_named(one)[1] for one in asked]
    for place, pair in enumerate(pairs):
        if pair in pairs[:place]:
            raise UsageError(f"{pair[0]} and {pair[1]} are listed twice.", "list every pair once.")


def require_known(names: Iterable[str], known: Sequence[str]) -> None:
    """Refuse algorithms that there are no scores of, and a pair of one with itself."""
    names = list(names)
    for name in names:
        if name not in known:
            raise unknown_name("algorithm", name, known, "among the scores")
    if len(set(names)) < len(names):
        raise UsageError(f"{names[0]} cannot be compared with itself.")


def _named(one: Version | Improvement) -> tuple[Kind, tuple[str, str], tuple[str | None, str | None]]:
    if isinstance(one, Version):
        return "version", (one.fully, one.partially), (None, None)
    return "improvement", (one.earlier, one.later), (one.earlier_date, one.later_date)


def _row(
    states: tuple[Outcomes, Outcomes],
    estimates: tuple[Estimate, ...],
    category: str | None,
    pair: Difference,
) -> ContrastRow:
    facts, others = (one.facts for one in states)
    first, second = (RateWithEnds(one.value, one.low, one.high) for one in estimates)
    return ContrastRow(
        category=category,
        n_probes=facts.n_probes,
        n_probe_subjects=facts.n_probe_subjects,
        n_gallery_subjects=facts.n_gallery_subjects,
        n_gallery_images=facts.n_gallery_images,
        first=first,
        second=second,
        first_failed=facts.n_failed,
        second_failed=others.n_failed,
        pair=pair,
    )
