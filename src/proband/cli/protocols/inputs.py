"""What commands about protocols read: a table of samples, or pictures whose names say who is on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import tell
from proband.cli.inputs import OWN_SECTION
from proband.errors import InputError, Said, UsageError


@dataclass(frozen=True)
class SampleInputs:
    """The samples, and how their table is read."""

    samples: Annotated[
        Path | None,
        typer.Option(
            "--samples",
            "-s",
            help="Samples table. Default: the file names of the images, if they identify the subjects.",
            rich_help_panel="Data",
        ),
    ] = None
    names: o.Names = None
    id_column: o.IdColumn = "id"
    subject_column: o.SubjectColumn = "subject"
    missing_values: o.MissingValues = None
    failed: o.FailedOption = None

    def table(self, images: Path | None) -> dict[str, Any]:
        """The samples as a request names them: a table, or the directory of pictures with the pattern of its names."""
        said = {
            "file": str(o.named_samples(self.samples, images, self.names)),
            "id_column": self.id_column,
            "subject_column": self.subject_column,
            "failed": self.failed,
            "missing_values": o.words_of(self.missing_values),
        }
        return {key: value for key, value in said.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ProtocolInputs(SampleInputs):
    """What classifiers learn from, the samples it is of, and splits that were finished before."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="IMAGES|FEATURES",
            help="Directory of images, .npz with images, or .npy/.npz of features.",
        ),
    ]
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Directory to keep finished splits in. Default with --out: next to it, until the run is complete.",
            rich_help_panel="Output",
        ),
    ] = None

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        from proband.scores.reading import split_key

        path, key = split_key(self.source)
        return {OWN_SECTION: {"file": str(path), "key": key}, "samples": self.table(path)}

    @contextmanager
    def keeping(self, out: Path | None) -> Iterator[Path | None]:
        """Yield where finished splits are kept; what is beside the output is removed when that is whole."""
        beside = None if out is None or self.cache is not None else out.with_name(f"{out.name}.cache")
        place = self.cache or beside
        try:
            yield place
        except KeyboardInterrupt:
            if place is not None and place.is_dir():
                tell(f"Finished splits are in {place}; run the same command again to continue.")
            raise
        if beside is not None and beside.is_dir():
            from proband.analyses._learning import SPLITS
            from proband.protocols.running.cache import Journals

            Journals(beside / SPLITS).forget_others()
            for folder in (beside / SPLITS, beside):
                if not any(folder.iterdir()):
                    folder.rmdir()


class QuestionName(StrEnum):
    """What is changed."""

    mixed = "mixed"
    dropped = "dropped"


@dataclass(frozen=True, kw_only=True)
class WhatIfInputs(SampleInputs):
    """The question, what the classifier learns from, and the samples it is of."""

    question: Annotated[
        QuestionName,
        typer.Argument(
            help="mixed: subjects shared between or separated by the split; dropped: with or without the excluded samples."
        ),
    ]
    images: Annotated[
        str,
        typer.Option(
            "--images",
            "-i",
            help="Images (a directory, .npz with images) or features (.npy, .npz, FILE::KEY).",
            rich_help_panel="Data",
        ),
    ]

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        from proband.scores.reading import split_key

        path, key = split_key(self.images)
        own = {"question": self.question.value, "file": str(path), "key": key}
        return {OWN_SECTION: own, "samples": self.table(path)}


@dataclass(frozen=True, kw_only=True)
class AuditInputs(SampleInputs):
    """Splits and the samples they are of, or a data set."""

    source: Annotated[
        Path,
        typer.Argument(
            metavar="SPLITS|DATA",
            help="Splits: a table of id, repeat, fold and role (.csv, .tsv, .parquet), or a folder with "
            "train.txt and test.txt, in fold_1, … if several. Or a data set without splits: a directory of "
            "images, .npz with images, or a samples table.",
        ),
    ]

    def sources(self) -> dict[str, Any]:
        """The samples as a request names them, unless nobody is known on the pictures of a directory."""
        return {} if self.samples is None else {"samples": self.table(None)}

    @property
    def is_pictures(self) -> bool:
        """Whether a data set is named by its directory of pictures."""
        return self.source.is_dir() and not any(self.source.rglob("train.txt"))

    @property
    def is_samples(self) -> bool:
        """Whether a file is a table without the column that divides it."""
        from proband.samples.reading import read_frame

        return self.source.is_file() and "role" not in read_frame(self.source).columns

    @property
    def says_who(self) -> bool:
        """Whether anything is said of whose the samples are, or of how to read that."""
        return any(getattr(self, one.name) != one.default for one in fields(SampleInputs))


def find_out(asked: dict[str, Any], inputs: AuditInputs) -> AuditInputs:
    """Find out what was named: splits, pictures or a table of samples; and so what holds the samples."""
    from proband.engine.files.files import require_regular

    own, source, table = asked, inputs.source, inputs.samples
    require_regular(source)
    if not source.exists() and table is None:  # with a table, the study says the same
        raise InputError(f"There is no file or directory {source}.", file=Said(str(source)))
    images = Path(own["images"]) if "images" in own else None
    if inputs.is_pictures:
        own["images"] = str(_only(images, source, "--images"))
        named = o.named_samples(table, source, inputs.names) if inputs.says_who else None
        return replace(inputs, samples=named, names=None)
    names_pictures = table is None and images is not None and images.is_dir()
    if inputs.names is not None and (not names_pictures or inputs.is_samples):
        raise UsageError(
            "--names requires a directory of images.",
            "leave it out, or leave --samples out and pass the directory.",
        )
    if source.suffix.lower() == ".npz":
        own["images"] = str(_only(images, source, "--images"))
        return replace(inputs, samples=table or source)
    if inputs.is_samples:
        return replace(inputs, samples=_only(table, source, "--samples"))
    own["splits"] = str(source)
    return replace(inputs, samples=o.named_samples(table, images, inputs.names), names=None)


def _only(given: Path | None, source: Path, option: str) -> Path:
    if given is not None:
        raise UsageError(f"Both {source} and {option} {given} were given.", "leave one of them out.")
    return source
