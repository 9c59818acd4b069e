"""The CSU Face Identification Evaluation System: a directory of distance files, and ``.srt`` image lists.

A distance directory has one file for each probe, named after the image, with lines ``imagename<TAB>distance``. A list
has a line for each subject, with its image names separated by blanks.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl

from proband.engine import written_whole
from proband.engine.files.files import content_of, opened, reading, text_of
from proband.engine.files.names import fits_here, in_order
from proband.engine.files.shards import shard_files
from proband.errors import InputError, Said, first_few, quoted
from proband.samples import Ids, Samples
from proband.samples.delimited import unfinished, without_blank_rows
from proband.scores.base import Scores
from proband.scores.formats.chunks import ROUNDED, is_rounded, may_be_rounded
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, subjects_of
from proband.words import Note, Sentence

SUBJECTS_FROM = Sentence("scores.subjects-from-list", "note", "subjects are read from {file}")


_IMAGE_LIST = "images.srt"
_MARK = "\ufeff".encode()
_LONGEST_NAME = 255  # bytes of a file name, on common systems
_LONGEST_LINE = 1 << 16
_NOT_IN_A_NAME = re.compile(r"[/\0\t\r\n]")
_NOT_IN_A_LINE = re.compile(r"[\t\r\n]")
_OUR_LINE = re.compile(rb"[^\t\n]+\t-?\d\.\d{16}e[+-]\d+\n")


def read_image_list(path: str | Path) -> Samples:
    """Read a ``.srt`` list with one line per subject; subjects are named by line, ``s1``, ``s2``, …"""
    path = Path(path)
    ids: list[str] = []
    subjects: list[str] = []
    with reading(path, "an image list"):
        # ASCII blanks only: others may belong to a name.
        lines = filter(None, map(bytes.split, content_of(path).removeprefix(_MARK).split(b"\n")))
        for number, line in enumerate(lines, start=1):
            names = [name.decode() for name in line]
            ids += names
            subjects += [f"s{number}"] * len(names)
        if not ids:
            raise InputError(f"{path.name} lists no images.", file=Said(path.name))
        return Samples({"id": ids, "subject": subjects}, source=path.name)


def write_image_list(path: str | Path, samples: Samples) -> None:
    """Write a ``.srt`` list with one line per subject."""
    path = Path(path)
    lines: list[list[str]] = [[] for _ in samples.subjects]
    for name, code in zip(samples.ids, samples.codes, strict=True):
        if name.split() != [name]:
            raise InputError(f"The image name {name!r} contains blanks, which a .srt list cannot store.")
        lines[code].append(name)
    with written_whole(path) as draft:
        draft.write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8", newline="\n")


def _files(path: Path) -> list[Path]:
    return in_order(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))


def _read(path: Path, options: ReadOptions) -> ScoreFile:
    files = _files(path)
    lists = [file for file in files if file.suffix.lower() == ".srt"]
    files = [file for file in files if file not in lists]
    if not files:
        raise InputError(
            f"{path.name} is a directory without distance files.",
            "pass the score files themselves.",
            file=Said(path.name),
        )
    options.progress.begin(f"reading {path.name}", len(files))
    targets: Ids | None = None
    values = None
    cut: list[Note] = []
    for row, file in enumerate(files):
        with reading(file, "a CSU distance file"):
            names, distances = _read_one(file)
            if targets is None or values is None:
                targets = Ids(names, "target")
                values = np.empty((len(files), len(targets)))
            if names == list(targets):
                values[row] = distances
            else:
                values[row] = _reordered(file, names, distances, targets)
            cut += unfinished(file)
        options.progress.advance(1)
    return ScoreFile(
        "csu",
        {path.name: values},
        Ids((file.name for file in files), "query"),
        targets,
        read_image_list(lists[0]) if lists else None,
        "distance",
        notes=(*(SUBJECTS_FROM(file=file.name) for file in lists[:1]), *cut[:1]),
    )


def _read_one(file: Path) -> tuple[list[str], np.ndarray]:
    frame = pl.read_csv(
        file,
        separator="\t",
        has_header=False,
        schema={"name": pl.String, "distance": pl.Float64},
        quote_char=None,
        glob=False,
    )
    frame = without_blank_rows(frame)
    if may_be_rounded(frame):
        _refuse_rounded(file)
    if not frame.height:
        raise InputError(
            f"{file.name} lists no images.",
            "each line of a distance file must contain an image name, a tab and a number.",
            file=Said(file.name),
        )
    if any(frame.null_count().row(0)):
        raise InputError("a line lacks an image name or a distance.", file=file.name)
    return frame["name"].to_list(), frame["distance"].to_numpy()


def _refuse_rounded(file: Path) -> None:
    for number, line in enumerate(text_of(file, "utf-8").split("\n"), start=1):
        text = line.rpartition("\t")[2]
        if is_rounded(text):
            raise InputError(
                f"{file.name}, line {number}: {ROUNDED.format(quoted(text))}", file=Said(file.name)
            )


def _reordered(file: Path, names: list[str], distances: np.ndarray, targets: Ids) -> np.ndarray:
    unknown, absent = targets.missing(names), Ids(names, "target").missing(targets)
    if unknown or absent:
        raise InputError(
            f"{file.name} lists different images from the first file: {first_few(unknown or absent)} "
            f"{'is new' if unknown else 'is not there'}.",
            file=Said(file.name),
        )
    ordered = np.empty(len(targets))
    ordered[targets.positions(names)] = distances
    return ordered


def _write(path: Path, scores: Scores, samples: Samples | None) -> None:
    if scores.larger_is_closer:
        raise InputError(
            "CSU files contain distances, but these scores are similarities.", "negate them first."
        )
    _refuse_unwritable(scores)
    columns = np.arange(len(scores.targets))
    if scores.cells(np.array([0]), columns) is not None:
        raise InputError("CSU files cannot store don't-care and failed cells.", "write .npz instead.")
    with written_whole(path, check=lambda: _refuse_other_things(path)) as draft:
        draft.mkdir()
        for row, name in enumerate(scores.queries):
            tile = scores.tile(np.array([row]), columns)[0].tolist()
            lines = (f"{target}\t{value:.16e}\n" for target, value in zip(scores.targets, tile, strict=True))
            # If names differ only in case, some systems would overwrite one file by another.
            with (draft / name).open("x", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
        if samples is not None:
            scored = dict.fromkeys([*scores.queries, *scores.targets])
            subjects_of(Ids(scored), samples)
            write_image_list(draft / _IMAGE_LIST, samples.take(samples.ids.positions(scored)))


def _refuse_unwritable(scores: Scores) -> None:
    """Refuse ids that are not valid as file names or within lines."""
    for name in scores.queries:
        unfit = name.startswith(".") or name.lower().endswith(".srt") or len(name.encode()) > _LONGEST_NAME
        if unfit or _NOT_IN_A_NAME.search(name) or not fits_here(name):
            raise InputError(
                f"The id {quoted(name)} cannot be the file name of a probe in a CSU directory.",
                "write .npz instead.",
            )
    for name in scores.targets:
        if _NOT_IN_A_LINE.search(name) or name.startswith("\ufeff"):
            raise InputError(
                f"The id {quoted(name)} contains a tab or a line break, which a CSU distance file cannot store.",
                "write .npz instead.",
            )


def _refuse_other_things(path: Path) -> None:
    """Refuse to replace a directory unless it is empty or contains only files written here."""
    if not path.is_dir():
        return
    for entry in path.iterdir():
        ours = entry.is_file() and (entry.name == _IMAGE_LIST or _was_written_here(entry))
        if not ours:
            raise InputError(
                f"The directory {path} contains files other than CSU distances, such as {entry.name!r}, so nothing was written.",
                "choose another directory.",
                file=Said(path),
            )


def _was_written_here(file: Path) -> bool:
    with opened(file) as written:
        return _OUR_LINE.fullmatch(written.readline(_LONGEST_LINE)) is not None


FORMATS = (
    Format(
        "csu",
        "CSU directory of distance files",
        (),
        lambda path, head: path.is_dir() and not shard_files(path),
        _read,
        _write,
    ),
)
