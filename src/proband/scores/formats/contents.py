"""The contents of a score file, before it is aligned with a table of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from proband.engine import Progress, Silent
from proband.errors import InputError, Said
from proband.samples import Ids, Samples
from proband.samples.ids import Positions, SubjectIds
from proband.scores.base import Orientation, Scores
from proband.scores.pair_columns import PairColumns
from proband.scores.trials import Trials
from proband.words import Note

IdsName = Literal["samples", "subjects"]


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The contents of one file.

    Attributes
    ----------
    format
        The name of its format.
    matrices
        Matrices of queries × targets, by the name of the algorithm. Empty for a list of pairs.
    queries, targets
        The ids of both axes, if the file contains them.
    subjects
        The samples described by the file, if it contains subjects.
    orientation
        The orientation stated in the file, if any.
    cells
        Codes of cells without a plain score.
    trials
        The lists of pairs, if the file is a list: one per algorithm, all of the same pairs.
    notes
        Notes on how the file was read.

    """

    format: str
    matrices: Mapping[str, Any] = field(default_factory=dict)
    queries: Ids | None = None
    targets: Ids | None = None
    subjects: Samples | None = None
    orientation: Orientation | None = None
    cells: Any = None
    trials: tuple[Trials, ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def from_trials(cls, format: str, file: str, *trials: Trials) -> ScoreFile:
        """Describe a list of pairs, scored by one or several algorithms, which is converted to a matrix on request."""
        first = trials[0]
        if not len(first):
            raise InputError(f"{file} has no rows.", "add a row for each pair.", file=Said(file))
        subjects = None
        known = ("query", "target", "query_subject", "target_subject")
        if not any(first.frame[column].null_count() for column in known):
            subjects = first.samples()
        return cls(format, subjects=subjects, orientation=first.orientation, trials=trials, notes=first.notes)

    def as_matrix(self) -> ScoreFile:
        """Convert a list of pairs to a matrix; a file of matrices is returned unchanged."""
        if not self.trials:
            return self
        laid = [one.to_matrix() for one in self.trials]
        values, queries, targets, cells, notes = laid[0]
        for one, (_, _, _, other, _) in zip(self.trials, laid, strict=True):
            if not np.array_equal(cells, other):  # type: ignore[arg-type]  # None is equal to None alone
                raise InputError(
                    f"{one.name} and {self.trials[0].name} differ in which comparisons failed.",
                    "ranks need the same comparisons; read the algorithms separately.",
                    source=Said(one.name),
                )
        names = [one.name for one in self.trials]
        return ScoreFile(
            self.format,
            dict(zip(names, (values, *(made[0] for made in laid[1:])), strict=True)),
            queries,
            targets,
            self.subjects,
            self.orientation,
            cells,
            self.trials,
            notes,
        )


@dataclass(frozen=True)
class ReadOptions:
    """Options of a reader.

    Attributes
    ----------
    key
        The array of an archive to read.
    query_ids, target_ids
        Names of the arrays of ids in an archive.
    mask
        A mask file that marks mated pairs.
    columns, mated_is
        The columns of a list, and the value that means mated if it is not 1 or true.
    missing_values
        Words that mean a missing value in those columns.
    ids
        Whether ids are those of ``"samples"`` or of ``"subjects"``; rows of subjects may repeat a name.
    oriented
        Whether the orientation is declared, or irrelevant.
    stated
        Whether the user specified the format, so that it need not be detected.
    shared
        Whether the options are shared by the readers of several files, some of which may not use them.
    progress
        The progress callback.

    """

    key: str | None = None
    query_ids: str | None = None
    target_ids: str | None = None
    mask: Path | None = None
    columns: PairColumns | None = None
    mated_is: str | None = None
    missing_values: tuple[str, ...] = ()
    ids: IdsName = "samples"
    oriented: bool = True
    stated: bool = False
    shared: bool = False
    progress: Progress = field(default_factory=Silent)


@dataclass(frozen=True)
class Format:
    """One file format: how to recognise, read and write it.

    Attributes
    ----------
    name, title
        The name on the command line, and a description.
    endings
        File extensions of this format.
    recognises
        Decides from a path and the first bytes of the file whether it has this format.
    is_list
        Whether its files are lists of compared pairs.
    takes_columns
        Whether the user may specify its columns.
    told_by
        How reliably a file is recognised: by a signature, by a header, or only by the number of its columns.
        The most reliable formats are tried first.
    holds_arrays
        Whether a file contains several arrays, of which one can be selected by name, and others contain the ids.
    takes_mask
        Whether a mask file may mark its mated pairs.
    read, write
        ``read(path, options)`` and ``write(path, scores, samples)``; None for a format that cannot be written.

    """

    name: str
    title: str
    endings: tuple[str, ...]
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadOptions], ScoreFile]
    write: Callable[[Path, Scores, Samples | None], None] | None = None
    is_list: bool = False
    takes_columns: bool = False
    told_by: Literal["signature", "header", "columns"] = "signature"
    holds_arrays: bool = False
    takes_mask: bool = False

    def unread(self, options: ReadOptions) -> list[str]:
        """The options that a reader does not use."""
        reads = {
            "query_ids": self.holds_arrays,
            "target_ids": self.holds_arrays,
            "mask": self.takes_mask,
            "mated_is": options.columns is not None,
        }
        return [name for name, is_read in reads.items() if not is_read and getattr(options, name) is not None]


def axis_ids(names: Iterable[object], what: str, options: ReadOptions) -> Ids:
    """The ids of an axis of a matrix, by sample or by subject."""
    return SubjectIds(names, what) if options.ids == "subjects" else Ids(names, what)


def named_by_subject(queries: Ids | None, targets: Ids | None) -> Samples | None:
    """The table of the samples on both axes, if they are named by subject."""
    if not isinstance(queries, SubjectIds) or not isinstance(targets, SubjectIds):
        return None
    axes = (queries, targets)
    return Samples(
        {
            "id": [name for axis in axes for name in axis],
            "subject": [name for axis in axes for name in axis.labels],
            "role": [axis.what for axis in axes for _ in axis],
        },
        source="the names of rows and columns",
    )


def require_subjects(samples: Samples | None, format: str) -> Samples:
    """Return the samples, or raise an error if a format needs subjects."""
    if samples is None:
        raise InputError(f"The format {format} includes subjects, so writing it requires a samples table.")
    return samples


def row_blocks(shape: tuple[int, int], cells_at_once: int) -> Iterator[Positions]:
    """Runs of rows with about `cells_at_once` cells, for writing scores larger than memory."""
    step = max(1, cells_at_once // shape[1])
    for start in range(0, shape[0], step):
        yield np.arange(start, min(start + step, shape[0]))


def subjects_of(ids: Ids, samples: Samples) -> list[str]:
    """The subject of each id."""
    codes: Any = samples.codes[samples.ids.positions(ids)]
    return [samples.subjects[code] for code in codes]
