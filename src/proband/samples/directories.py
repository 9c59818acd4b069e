"""Samples from the names of picture files: ``KA.AN1.39.tiff`` contains the person and the expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from proband.engine.files.files import opened
from proband.engine.files.names import in_order
from proband.errors import InputError, Said, UsageError, first_few
from proband.samples.name_patterns import DATES, NamePattern
from proband.words import Note, Sentence, count

PICTURE_ENDINGS = (
    *(".png", ".pgm", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"),
    *(".gif", ".ppm", ".pnm", ".webp", ".jp2"),
)
"""How the names of pictures end; one without an ending is known by how it begins."""

DATA_SETS: dict[str, str] = {
    "jaffe": "{subject:a2}.{expression:a2}{take:d}.{number:d}",
    "feret": "[*/]{subject:d5}{image_set:a2}{flags:d3}[{variant:a1}]_{date:yymmdd}",
    "colorferet": "[*/]{subject:d5}_{date:yymmdd}_{image_set:a2}[_{variant}]",
    "yale": "subject{subject:d}[.{condition}]",
    "lfw": "{subject}/{subject}_{image:d}",
    "orl": "{subject}/{image:d}",
}
"""Public data sets and how their files are named, the strictest first."""

READ_AS = Sentence(
    "samples.read-as",
    "note",
    "samples are the {pictures:count image} of {directory}, with file names of the form {pattern}",
)
NOT_PICTURES = Sentence(
    "samples.not-pictures",
    "note",
    "{n:count file} of {directory} {n:word is not an image and was/are not images and were} left out: {examples}",
)

_BEGINNINGS = (
    *(b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"BM"),
    *(b"P2", b"P3", b"P5", b"P6", b"\x00\x00\x00\x0cjP  "),
)
_OWN = ("file",)  # columns that every table has


@dataclass(frozen=True)
class Naming:
    """A naming pattern of files with fields, each a column of the table.

    ``{expression}`` is any characters but ``/``; ``{take:d}`` digits, ``{expression:a2}`` two letters of the alphabet, ``{subject:5}`` any five,
    ``{date:yymmdd}`` a day. ``[…]`` is optional, ``*`` is anything without a column, and a field named twice must have the same value
    twice. Names are matched without the file extension, relative to the directory: ``s1/1``.
    """

    pattern: str

    @property
    def kinds(self) -> dict[str, str]:
        """The fields and their types: text, number or a date format."""
        return self._pattern.kinds

    @cached_property
    def _pattern(self) -> NamePattern:
        return NamePattern(self.pattern)

    def check(self) -> None:
        """Refuse a pattern without fields, or an invalid one."""
        if not self.kinds:
            raise UsageError(
                f"The pattern {self.pattern!r} has no field in braces.",
                "name the parts of a file name, such as '{subject}.{expression}.{number}'.",
            )
        own = [name for name in self.kinds if name in _OWN]
        if own:
            raise UsageError(f"The table already has a column {own[0]!r}.", "use another name for the field.")

    def fields_of(self, file: str) -> dict[str, str] | None:
        """The fields of a name; None if it does not match."""
        return self._pattern.fields_of(_without_ending(file))


def _without_ending(file: str) -> str:
    path = PurePosixPath(file)
    return str(path.with_suffix("")) if path.suffix.lower() in PICTURE_ENDINGS else file


def pattern_in(path: Path) -> tuple[Path, str | None]:
    """Split a directory from the naming pattern after it."""
    parts = path.parts
    here = Path(*parts[:1]) if path.is_absolute() else Path()
    rest = list(parts[1:] if path.is_absolute() else parts)
    while rest and (here / rest[0]).is_dir():
        here = here / rest.pop(0)
    told = any("{" in part for part in rest) and any(mark in rest[0] for mark in "{[*")
    return (here, "/".join(rest)) if told else (path, None)


def is_table_of_names(path: Path) -> bool:
    """Whether samples are read from the file names of a directory."""
    directory, pattern = pattern_in(path)
    return directory.is_dir() and (pattern is not None or has_pictures(path))


def has_pictures(directory: Path) -> bool:
    """Whether a directory contains a picture, at any level."""
    return any(is_picture(one) for one in directory.rglob("*") if one.is_file())


def picture_files(directory: Path) -> tuple[list[str], list[str]]:
    """The pictures and the other files in a directory at any level, by name, without hidden files."""
    pictures: list[str] = []
    others: list[str] = []
    for path in in_order(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if any(part.startswith(".") for part in PurePosixPath(name).parts) or not path.is_file():
            continue
        (pictures if is_picture(path) else others).append(name)
    return pictures, others


def is_picture(path: Path) -> bool:
    """Whether a file is a picture, by its extension or first bytes."""
    if path.suffix.lower() in PICTURE_ENDINGS:
        return True
    try:
        with opened(path) as file:
            return file.read(16).startswith(_BEGINNINGS)
    except OSError:
        return False


def data_set_of(files: Sequence[str]) -> str | None:
    """The public data set with matching file names."""
    namings = {name: Naming(pattern) for name, pattern in DATA_SETS.items()}
    return next(
        (
            name
            for name, naming in namings.items()
            if all(naming.fields_of(file) is not None for file in files)
        ),
        None,
    )


def frame_of_names(directory: Path, names: str | None, notes: list[Note]) -> pl.DataFrame:
    """Make a table of the pictures in a directory: id, file (relative path), and a column for each field.

    Parameters
    ----------
    names
        A pattern (:class:`Naming`), or a data set of :data:`DATA_SETS`; by default the data set that all names match.
    notes
        A list to which decisions are added.
    """
    pictures, others = picture_files(directory)
    if not pictures:
        raise InputError(f"There are no images in {directory}.", file=Said(directory))
    known = names if names is not None else data_set_of(pictures)
    if known is None:
        raise UsageError(
            f"Cannot tell the subjects of the images in {directory.name}: {first_few(pictures)} do not follow "
            f"the naming of a known data set ({', '.join(DATA_SETS)}).",
            f"specify the pattern of the names, such as '{directory.name}/{{subject}}_{{number}}', or pass a samples table.",
            file=Said(directory.name),
        )
    naming = Naming(DATA_SETS.get(known, known))
    naming.check()
    found = {file: naming.fields_of(file) for file in pictures}
    strange = [file for file, fields in found.items() if fields is None]
    if strange:
        raise InputError(
            f"{count(len(strange))} of {count(len(pictures))} images do not match the pattern {naming.pattern}: {first_few(strange)}.",
            "correct the pattern ([…] is optional, * matches anything), or move these files elsewhere.",
            file=Said(directory.name),
        )
    notes.append(READ_AS(pictures=len(pictures), directory=directory.name, pattern=naming.pattern))
    if others:
        notes.append(NOT_PICTURES(n=len(others), directory=directory.name, examples=first_few(others)))
    return _frame(pictures, [fields or {} for fields in found.values()], naming)


def _frame(files: list[str], found: list[dict[str, str]], naming: Naming) -> pl.DataFrame:
    columns: dict[str, Any] = {"id": files, "file": files}
    for name, kind in naming.kinds.items():
        values = pl.Series([fields.get(name) for fields in found], dtype=pl.String)
        if kind in DATES:
            days = values.str.to_date(DATES[kind][1], strict=False)
            wrong = values.filter(days.is_null() & values.is_not_null())
            if len(wrong):
                raise InputError(
                    f"{first_few(wrong.to_list())} in the file names is not a valid date ({kind})."
                )
            values = days
        elif kind == "number" and name not in ("id", "subject"):
            whole = values.cast(pl.Int64, strict=False)
            values = (
                whole if whole.null_count() == values.null_count() else values
            )  # too many digits stay text
        columns[name] = values
    return pl.DataFrame(columns)
