"""Files of samples and scores, read in the way that the command line and study files share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from proband.errors import Hint, Said, UsageError
from proband.samples import Choice, Samples
from proband.scores import MissingPolicy, Orientation, Scores
from proband.scores.base import ORIENTATION_HINT
from proband.scores.formats import ReadOptions, ScoreFile, format_of, read_file, read_image_list
from proband.scores.reading import scores_of, split_key
from proband.scores.trials import Trials

Named = TypeVar("Named", bound=Scores)


def read_table(
    path: Path,
    id_column: str,
    subject_column: str,
    failed: str | None,
    missing_values: tuple[str, ...] | None,
) -> Samples:
    """Read a table of samples, or a CSU image list."""
    if path.suffix.lower() == ".srt":
        return read_image_list(path)
    return Samples.read(
        path,
        id_column=id_column,
        subject_column=subject_column,
        failed=failed,
        missing_values=missing_values,
    )


@dataclass(frozen=True)
class ScoreReader:
    """How score files are read.

    Attributes
    ----------
    orientation, missing, queries, targets, format
        As `read_scores` takes them.
    options
        What the reader of the format may be told; its key is that of each file.
    """

    orientation: Orientation | None = None
    missing: MissingPolicy = "error"
    queries: Choice | None = None
    targets: Choice | None = None
    format: str | None = None
    options: ReadOptions = field(default_factory=ReadOptions)

    def matrices(
        self, reference: str, table: Samples | None, name: str | None = None
    ) -> tuple[list[Scores], Samples | None]:
        """Read every matrix of ``FILE`` or ``FILE::KEY``; without a table, the samples are those that the file describes."""
        path, file = self._read(reference)
        known = table or file.subjects
        found = scores_of(file, path, known, self.orientation, self.missing, self.queries, self.targets)
        return renamed(list(found.values()), name, reference), known

    def list_of_pairs(self, reference: str, table: Samples | None, name: str | None = None) -> Trials | None:
        """Read a list of comparisons that makes no matrix, with subjects by the table if there is one; None for any other file."""
        path, _ = split_key(reference)
        if not format_of(path, self.format).is_list:
            return None
        trials = self._read(reference)[1].trials
        if trials is None or trials.makes_matrix:
            return None
        orientation = trials.orientation or self.orientation
        if orientation is None:
            raise UsageError(
                f"{path.name} does not state which way its scores point.",
                ORIENTATION_HINT,
                file=Said(path.name),
            )
        trials = replace(trials, orientation=orientation, name=name or path.stem)
        return trials if table is None else trials.with_samples(table, self.missing)

    def _read(self, reference: str) -> tuple[Path, ScoreFile]:
        path, key = split_key(reference)
        return path, read_file(path, replace(self.options, key=key), self.format)


def renamed(found: list[Named], name: str | None, reference: str) -> list[Named]:
    """Give the only algorithm of a file the name that was asked for."""
    if name is not None:
        if len(found) != 1:
            raise UsageError(
                f"{reference} holds {len(found)} algorithms ({', '.join(one.name for one in found)}), so it cannot have one name.",
                Hint("pick one: {option:array}", file=reference, key=found[0].name),
            )
        found[0].name = name
    return found


def require_samples(table: Samples | None) -> Samples:
    """Refuse scores of which nobody says whose they are."""
    if table is None:
        raise UsageError(
            "Whose the samples are is not known: the files name no subjects.",
            Hint("give a table: {option:samples}"),
        )
    return table


def require_names(scores: Sequence[Scores], hint: str = "give one another name.") -> None:
    """Refuse two algorithms of one name."""
    names = [one.name for one in scores]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UsageError(
            f"Two algorithms are called {twice!r}, and results are told apart by name.",
            hint,
            source=Said(twice),
        )
