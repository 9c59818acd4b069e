"""Results of comparisons: differences with intervals, tests, places and verdicts in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import polars as pl

from proband.engine.arguments import published
from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.errors import unknown_name
from proband.inference.estimates.evaluation import probes_called
from proband.results.base import Answers, Confidence, Rank, Result
from proband.results.difference import Difference, in_short, turned
from proband.results.estimate import Estimate
from proband.results.frames import rows_of, tidy_rows
from proband.results.serializing import Written
from proband.results.test import Test
from proband.words import Note, as_sentence, counted

_TOLD = 10  # verdicts in the representation of a comparison: those of five algorithms


class Standings(Result):
    """The ranking of algorithms compared in pairs; a mixin for records with `estimates` and `pairs`."""

    __slots__ = ()

    if TYPE_CHECKING:
        estimates: Any
        pairs: tuple[Difference, ...]
        margin: float | None
        confidence_level: float
        answers: Answers
        notes: tuple[Note, ...]
        larger_is_better: bool

    @property
    def significance(self) -> float:
        """The significance level of adjusted p-values."""
        return 1.0 - self.confidence_level

    @property
    def all_pairs(self) -> bool:
        """Whether all pairs of algorithms were compared, not only selected ones."""
        return len(self.pairs) == comb(len(self.estimates), 2)

    def beaten_by(self, name: str) -> list[str]:
        """List the algorithms that `name` is better than, by the adjusted verdicts.

        Parameters
        ----------
        name
            The name of an algorithm.

        Returns
        -------
        list of str
            The names of the algorithms that it is significantly better than.
        """
        return list(self._wins.get(name, ()))

    @cached_property
    def _wins(self) -> dict[str, list[str]]:
        """The algorithms that each is better than, found in one pass: fifty algorithms have 1,225 pairs."""
        wins: dict[str, list[str]] = {}
        for pair in self.pairs:
            if pair.told_apart:
                both = pair.first, pair.second
                ahead, behind = both if (pair.value > 0) == self.larger_is_better else both[::-1]
                wins.setdefault(ahead, []).append(behind)
        return wins

    def places(self) -> dict[str, tuple[Rank, Rank]]:
        """Return the possible places of each algorithm, given those significantly better and worse.

        Returns
        -------
        dict
            The best and the worst place of each algorithm by name, from 1.
        """
        names = [one.algorithm for one in self.estimates]
        beats = {name: set(self.beaten_by(name)) for name in names}
        times = Counter(loser for beaten in beats.values() for loser in beaten)
        return {name: (1 + times[name], len(names) - len(beats[name])) for name in names}

    @property
    def ordered(self) -> tuple[Any, ...]:
        """The estimates, best first."""
        return tuple(sorted(self.estimates, key=lambda one: one.value, reverse=self.larger_is_better))

    @property
    def leading_pairs(self) -> tuple[Difference, ...]:
        """The pairs, best algorithms first, and in each pair the better one.

        Chosen and one-sided pairs, and those over choices of images, stay as asked for.
        """
        place = {one.algorithm: place for place, one in enumerate(self.ordered)}

        def standing(pair: Difference) -> list[int]:
            return sorted((place[pair.first], place[pair.second]))

        def as_shown(pair: Difference) -> Difference:
            asked_for = not self.all_pairs or pair.side is not None or pair.n_trials is not None
            return pair if asked_for or place[pair.first] < place[pair.second] else turned(pair)

        return tuple(map(as_shown, sorted(self.pairs, key=standing)))

    def tie_groups(self) -> list[tuple[str, ...]]:
        """List the longest runs of consecutive algorithms without significant differences.

        Returns
        -------
        list of tuple of str
            The names in each group, best algorithm first; groups may overlap.
        """
        names = [one.algorithm for one in self.ordered]
        tied = {frozenset((pair.first, pair.second)) for pair in self.pairs if not pair.told_apart}
        groups: list[tuple[str, ...]] = []
        for start in range(len(names)):
            end = start + 1
            while end < len(names) and all(
                frozenset((names[end], other)) in tied for other in names[start:end]
            ):
                end += 1
            if end - start > 1 and not (groups and names[end - 1] in groups[-1]):
                groups.append(tuple(names[start:end]))
        return groups

    def sentences(self) -> list[Note]:
        """Every verdict in words.

        Returns
        -------
        list of Note
            A sentence for each pair: the only one as it was given, of several the best algorithms first, as in tables.
        """
        pairs = self.pairs if len(self.pairs) == 1 else self.leading_pairs
        return [pair.sentence() for pair in pairs]

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair."""
        rows = (row for pair in self.pairs for row in (rows_of(pair) if wide else tidy_rows(pair)))
        return frame_of_rows(rows)

    def to_csv(self) -> str:
        """Every pair as comma-separated values.

        Returns
        -------
        str
            The text.
        """
        return spreadsheet_csv(self.to_frame())


def verdict_lines(comparison: Standings) -> list[str]:
    """The verdicts, one per line; of many pairs, those of the best algorithms and the number of others."""
    verdicts = comparison.sentences()[:_TOLD]
    said = [as_sentence(note if len(comparison.pairs) == 1 else in_short(note)) for note in verdicts]
    left = len(comparison.pairs) - len(said)
    return [*said, f"… and {counted(left, 'more pair')}: to_frame() has all."] if left else said


@published
@dataclass(frozen=True, eq=False)
class Comparison(Standings):
    """A comparison of several algorithms, on the same probes or on independent people.

    Attributes
    ----------
    estimates
        The rate of each algorithm with its interval.
    pairs
        Every pair of algorithms in the given order, or the selected pairs.
    overall
        Cochran's Q test for any difference.
    margin
        The smallest difference that matters; None if none was declared.
    larger_is_better
        Whether larger values are better: true for recognition rates, false for ranks.
    category
        The category of the probes; None for all probes.
    confidence_level, answers, notes
        The level of the intervals; the meaning of the differences; and notes.

    Examples
    --------
    Of 40 people, *a* misses none, *b* two and *c* 30: only *c* differs significantly.

    >>> import numpy as np
    >>> from proband import Experiment, Samples, Scores, compare
    >>> from proband.measures import RecognitionRate
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = {n: np.where(np.arange(40)[:, None] < missed, 0.5, np.eye(40)) for n, missed in (("a", 0), ("b", 2), ("c", 30))}
    >>> scores = [Scores.from_array(v, ids[40:], ids[:40], orientation="similarity", name=n) for n, v in values.items()]
    >>> found = compare(scores, Experiment(samples, gallery=ids[:40]), measure=RecognitionRate(1))
    >>> found.places(), found.tie_groups(), found.beaten_by("a")
    ({'a': (1, 2), 'b': (1, 2), 'c': (3, 3)}, [('a', 'b')], ['c'])
    """

    written = Written(also=("tie_groups", "places"), without=("larger_is_better",))

    estimates: tuple[Estimate, ...]
    pairs: tuple[Difference, ...]
    overall: Test | None
    margin: float | None
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]
    larger_is_better: bool = True
    category: str | None = None

    def __repr__(self) -> str:
        heading = f"Comparison({counted(len(self.estimates), 'algorithm')}, {self.answers.of}):"
        return "\n".join([heading, *verdict_lines(self)])


@published
@dataclass(frozen=True, eq=False)
class ComparisonsByCategory(Result):
    """Comparisons over all probes and within categories.

    Attributes
    ----------
    comparisons
        The comparison over all probes first, then one for each category.
    left_out
        The categories that were not compared, and why.
    """

    written = Written(versioned=True)

    comparisons: tuple[Comparison, ...]
    left_out: tuple[Note, ...] = ()

    @property
    def categories(self) -> tuple[str | None, ...]:
        """The sets of probes: None for all of them, the others by name."""
        return tuple(one.category for one in self.comparisons)

    def __getitem__(self, category: str | None) -> Comparison:
        """Return the comparison within a category, or over all probes (None)."""
        found = {one.category: one for one in self.comparisons}
        if category not in found:
            raise unknown_name("comparison over", category, filter(None, found))
        return found[category]

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair, with the category in the first column, null for all probes."""
        return pl.concat(
            (
                one.to_frame(wide=wide).insert_column(0, pl.lit(one.category, pl.String).alias("category"))
                for one in self.comparisons
            ),
            how="diagonal_relaxed",
        )

    def to_csv(self) -> str:
        """Every pair of every category as comma-separated values.

        Returns
        -------
        str
            The text.
        """
        return spreadsheet_csv(self.to_frame())

    def __repr__(self) -> str:
        said = [f"{probes_called(one.category)}: {one!r}" for one in self.comparisons]
        return "\n".join([*said, *map(as_sentence, self.left_out)])
