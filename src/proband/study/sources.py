"""Files of samples and scores, read in the way that the command line and study files share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from proband.errors import Hint, NeededOptions, Said, UsageError
from proband.samples import Choice, Samples
from proband.scores import MissingPolicy, Orientation, Scores
from proband.scores.base import ORIENTATION_HINT
from proband.scores.formats import ReadOptions, ScoreFile, format_of, read_file, read_image_list
from proband.scores.pair_columns import naming
from proband.scores.reading import require_one, scores_of, split_key
from proband.scores.trials import Trials

Named = TypeVar("Named", bound=Scores)


def read_table(
    path: Path,
    id_column: str,
    subject_column: str,
    failed: str | None,
    missing_values: tuple[str, ...] | None,
    label_columns: Collection[str] = (),
    sampling: Mapping[str, Sequence[str]] | None = None,
) -> Samples:
    """Read a table of samples, or a CSU image list; words for missing values may be names of classes in `label_columns`."""
    if path.suffix.lower() == ".srt":
        listed = read_image_list(path)
        return Samples(listed.frame, sampling=sampling, source=path.name) if sampling else listed
    return Samples.read(
        path,
        id_column=id_column,
        subject_column=subject_column,
        failed=failed,
        sampling=sampling,
        missing_values=missing_values,
        label_columns=label_columns,
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
    ) -> tuple[list[Scores], Samples | None, ScoreFile]:
        """Read every matrix of ``FILE`` or ``FILE::KEY``; without a table, the samples are those that the file describes; and the file."""
        path, file = self._read(reference)
        known = table or file.subjects
        named = file.queries is not None and file.targets is not None
        if known is None and named and self.orientation is None and file.orientation is None:
            raise UsageError(
                f"{path.name} states neither the subjects of the samples nor the orientation of its scores.",
                NeededOptions((Hint("{option:samples}"), "")).with_others(ORIENTATION_HINT),
                file=Said(path.name),
            )
        found = scores_of(
            file,
            path,
            known,
            self.orientation,
            self.missing,
            self.queries,
            self.targets,
            shared=self.options.shared,
        )
        return renamed(list(found.values()), name, reference), known, file

    def lists_of_pairs(
        self, reference: str, table: Samples | None, name: str | None = None, ranked: bool = True
    ) -> list[Trials] | None:
        """Read lists of comparisons, one for each algorithm, with subjects by the table if there is one.

        None for any other file; and for lists that make a matrix of samples whose people are known, unless columns were declared and
        nobody asks for ranks.
        """
        path, _ = split_key(reference)
        if self.options.columns is None and not format_of(path, self.format).is_list:
            return None
        file = self._read(reference)[1]
        as_list = self.options.columns is not None and not ranked
        known = table is not None or file.subjects is not None
        if not file.trials or (known and not as_list and file.trials[0].makes_matrix):
            return None
        for option in ("queries", "targets"):
            if getattr(self, option) is not None and not self.options.shared:
                raise UsageError(
                    Hint(
                        "{named:{which}} has no effect on {file}, which is a list of pairs.",
                        which=option,
                        file=path.name,
                    ),
                    "leave it out.",
                    file=Said(path.name),
                )
        orientation = file.orientation or self.orientation
        if orientation is None:
            raise UsageError(
                f"{path.name} does not state the orientation of its scores.",
                ORIENTATION_HINT,
                file=Said(path.name),
            )
        if table is None and file.trials[0].frame["mated"].null_count():
            raise UsageError(
                f"Cannot tell which pairs of {path.name} are mated: it contains neither a mated column nor subjects.",
                naming("{give:samples}, or name the columns: {option:columns}"),
                file=Said(path.name),
            )
        found = [replace(one, orientation=orientation) for one in file.trials]
        if name is not None:
            require_one([one.name for one in found], reference)
            found = [replace(found[0], name=name)]
        return found if table is None else [one.with_samples(table, self.missing) for one in found]

    def _read(self, reference: str) -> tuple[Path, ScoreFile]:
        path, key = split_key(reference)
        return path, read_file(path, replace(self.options, key=key), self.format)


def renamed(found: list[Named], name: str | None, reference: str) -> list[Named]:
    """Give the only algorithm of a file the name that was asked for."""
    if name is not None:
        require_one([one.name for one in found], reference)
        found[0].name = name
    return found


def require_samples(table: Samples | None) -> Samples:
    """Refuse scores of which nobody says whose they are."""
    if table is None:
        raise UsageError(
            "No subject IDs were given: the files contain no subjects.",
            Hint("{give:samples}; or, if rows and columns are named by subject, {give:ids=subjects}"),
        )
    return table


def require_names(
    scores: Sequence[Scores | Trials], hint: str | Hint = "give one of them another name."
) -> None:
    """Refuse two algorithms of one name."""
    names = [one.name for one in scores]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UsageError(
            f"Two algorithms are named {twice!r}.",
            hint,
            source=Said(twice),
        )
