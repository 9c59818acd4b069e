"""What a comparison found: effects with intervals, tests, places and a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.engine.rendering import render
from proband.inference.comparisons.cochran import CochranQ
from proband.results.base import Answers, Confidence, Rank, Result
from proband.results.difference import Difference
from proband.results.estimate import Estimate
from proband.results.frames import rows_of
from proband.results.walking import Written
from proband.words import Note, as_sentence


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Several algorithms, on the same probes or on independent people.

    Attributes
    ----------
    estimates
        Each algorithm's own rate with its interval.
    pairs
        Every two of them, in the order given.
    overall
        Cochran's Q: do they differ at all?
    margin
        What counts as a difference worth having; None if nothing was declared.
    larger_is_better
        Which way the measure points: rates up, ranks down.
    category
        The category of the probes; None for all probes.
    """

    written = Written(also=("tie_groups", "places"), without=("larger_is_better",))

    estimates: tuple[Estimate, ...]
    pairs: tuple[Difference, ...]
    overall: CochranQ | None
    margin: float | None
    confidence_level: Confidence
    answers: Answers
    notes: tuple[Note, ...]
    larger_is_better: bool = True
    category: str | None = None

    @property
    def significance(self) -> float:
        """The level at which adjusted p-values count as significant."""
        return 1.0 - self.confidence_level

    def beaten_by(self, name: str) -> list[str]:
        """The algorithms that `name` is significantly better than, after adjustment."""
        wins = []
        for pair in self.pairs:
            if pair.told_apart and name in (pair.first, pair.second):
                ahead = pair.first if (pair.difference > 0) == self.larger_is_better else pair.second
                if ahead == name:
                    wins.append(pair.second if ahead == pair.first else pair.first)
        return wins

    def places(self) -> dict[str, tuple[Rank, Rank]]:
        """The places each algorithm can hold: one more than are significantly better, up to all but those it beats."""
        names = [one.facts.algorithm for one in self.estimates]
        beats = {name: set(self.beaten_by(name)) for name in names}
        return {
            name: (1 + sum(name in beaten for beaten in beats.values()), len(names) - len(beats[name]))
            for name in names
        }

    @property
    def ordered(self) -> tuple[Estimate, ...]:
        """The estimates, the best first."""
        return tuple(sorted(self.estimates, key=lambda one: one.value, reverse=self.larger_is_better))

    def tie_groups(self) -> list[tuple[str, ...]]:
        """Algorithms that follow each other in order and cannot be told apart, as long runs as there are."""
        names = [one.facts.algorithm for one in self.ordered]
        beats = {name: set(self.beaten_by(name)) for name in names}
        groups: list[tuple[str, ...]] = []
        for start in range(len(names)):
            end = start + 1
            while end < len(names) and not any(
                names[end] in beats[other] or other in beats[names[end]] for other in names[start:end]
            ):
                end += 1
            if end - start > 1 and not (groups and names[end - 1] in groups[-1]):
                groups.append(tuple(names[start:end]))
        return groups

    def sentences(self) -> list[Note]:
        """Every verdict in words."""
        return [pair.sentence() for pair in self.pairs]

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair."""
        return frame_of_rows([row for pair in self.pairs for row in rows_of(pair)])

    def to_markdown(self) -> str:
        """The publication table as Markdown."""
        return str(render(self, "markdown"))

    def to_csv(self) -> str:
        """Every pair as comma-separated values."""
        return spreadsheet_csv(self.to_frame())

    def __repr__(self) -> str:
        said = " ".join(map(as_sentence, self.sentences()[:3]))
        return f"Comparison({len(self.estimates)} algorithms, {self.answers.of}): {said}"
