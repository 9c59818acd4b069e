"""Submissions of participants: a declaration of the algorithm and its training, and its scores of the images of the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from proband.blind.checking.matrices import SubmittedMatrix, read_matrix
from proband.blind.package.sealing import digest_of_files
from proband.engine import Progress, Silent
from proband.engine.files.documents import read_toml
from proband.engine.files.files import (
    digest_of_file,
    naming,
    reading,
    require_own_files,
    require_regular,
    resolved,
    text_of,
)
from proband.errors import InputError, Said, meant
from proband.scores.base import Orientation
from proband.scores.run_record import RunRecord, read_record, record_beside, stated_run
from proband.words import count

DECLARATION = "submission.toml"
SCORES, CONTROL = "scores", "control"
UNSTATED = "unstated"
Symmetry = Literal["yes", "no", "unstated"]
_SYMMETRY: dict[object, Symmetry] = {True: "yes", False: "no", UNSTATED: "unstated"}
_KEYS = ("algorithm", "orientation", "symmetric", "training", "failed", "contact", "run")
_OF_RUNS = ("operator", "started", "finished", "machine", "software")
_BESIDE = (".json", ".xml", ".mask")  # files that describe a matrix


@dataclass(frozen=True)
class Declaration:
    """What a participant declares about an algorithm.

    Attributes
    ----------
    algorithm
        Its name in tables.
    orientation
        Whether a higher score means more similar (``similarity``) or less similar (``distance``).
    symmetric
        Whether the score of two images is independent of which is the query: ``yes``, ``no`` or ``unstated``.
    training
        Ids of training samples or people, plain or hashed, or names of training sets; None if nothing is
        stated.
    failed
        Random ids of images that could not be processed: their scores are ignored and count as failures.
    contact
        Whom to contact.
    run
        Who ran it, when, and on which machine, if the participant states it here.
    """

    algorithm: str
    orientation: Orientation
    symmetric: Symmetry = "unstated"
    training: tuple[str, ...] | None = None
    failed: tuple[str, ...] = ()
    contact: str = ""
    run: RunRecord | None = None

    @classmethod
    def read(cls, path: Path) -> Declaration:
        """Read ``submission.toml``; an unknown key is refused, with the nearest known key as a hint."""
        require_regular(path)
        if not path.is_file():
            raise InputError(
                f"{path.parent} is not a submission: it has no {DECLARATION}.",
                f"copy {DECLARATION} from the package and fill it in.",
                file=Said(DECLARATION),
                place=Said(path.parent),
            )
        with reading(path, "the declaration of a submission"):
            stated = read_toml(text_of(path, "utf-8"))
            for key in stated:
                if key not in _KEYS:
                    raise InputError(
                        f"{DECLARATION} has the unknown key {key!r}.",
                        meant(key, _KEYS),
                        file=Said(DECLARATION),
                    )
            algorithm = _text(stated, "algorithm").strip()
            if not algorithm:
                raise InputError(
                    f"{DECLARATION} does not name the algorithm.",
                    'write algorithm = "…", the name to show in tables.',
                    file=Said(DECLARATION),
                )
            if not algorithm.isprintable():
                raise InputError(
                    f"the algorithm has the name {algorithm!r:.60}.",
                    "use one line of plain text.",
                    file=DECLARATION,
                )
            symmetric = stated.get("symmetric", UNSTATED)
            if not isinstance(symmetric, bool) and symmetric != UNSTATED:
                raise InputError(
                    f"symmetric is {symmetric!r}.", f'write true, false or "{UNSTATED}".', file=DECLARATION
                )
            return cls(
                algorithm,
                _orientation(stated.get("orientation")),
                _SYMMETRY[symmetric],
                _names(stated, "training", path.parent) if "training" in stated else None,
                _names(stated, "failed", path.parent),
                _text(stated, "contact"),
                _run(stated.get("run")),
            )


def _orientation(value: object) -> Orientation:
    if not isinstance(value, str) or value not in get_args(Orientation):
        said = "is not stated" if value in (None, "") else f"is {value!r:.60}"
        raise InputError(
            f"the orientation of the scores {said}.",
            'write "similarity" (larger is more similar) or "distance" (smaller is more similar).',
            file=DECLARATION,
        )
    return value  # type: ignore[return-value]


def _text(stated: Mapping[str, Any], key: str) -> str:
    value = stated.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{key} is {value!r:.60}.", "write a text in quotation marks.", file=DECLARATION)
    return value


def _run(stated: object) -> RunRecord | None:
    """What the table ``[run]`` states, if it is there."""
    if stated is None:
        return None
    if not isinstance(stated, dict):
        raise InputError(f"run is {stated!r:.60}.", "write a table: [run].", file=DECLARATION)
    for key, value in stated.items():
        if key not in _OF_RUNS:
            raise InputError(f"[run] has the unknown key {key!r}.", meant(key, _OF_RUNS), file=DECLARATION)
        timed = key in ("started", "finished") and isinstance(value, datetime)
        if not timed and not isinstance(value, str):
            raise InputError(
                f"{key} of [run] is {value!r:.60}.", "write a text in quotation marks.", file=DECLARATION
            )
    return stated_run({key: value or None for key, value in stated.items()}, DECLARATION)


def _names(stated: Mapping[str, Any], key: str, folder: Path) -> tuple[str, ...]:
    """Read a list of names, or the file beside the declaration that holds one a line."""
    value = stated.get(key, [])
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    if not isinstance(value, str):
        raise InputError(
            f"{key} is {value!r:.60}.",
            'write a list of texts, or the name of a file: "ids.txt".',
            file=DECLARATION,
        )
    if not value:
        return ()
    path = folder / value
    if not resolved(path).is_relative_to(resolved(folder)):
        raise InputError(f"the file {value!r} of {key} is not in the submission.", file=DECLARATION)
    if not path.is_file():
        raise InputError(
            f"{key} names the file {value!r}, which is not in the submission.",
            f'add the file, or write {key} = ["…", "…"].',
            file=DECLARATION,
        )
    with reading(path, "a list of ids"):
        lines = text_of(path, "utf-8-sig").splitlines()
    return tuple(line.strip() for line in lines if line.strip())


@dataclass(frozen=True, eq=False)
class Submission:
    """The submission of one algorithm for one package.

    Attributes
    ----------
    path
        The directory.
    declared
        What ``submission.toml`` states.
    scores, control
        The matrices; `control` is None if there is none.
    digests
        SHA-256 of every file of the submission, by name.
    run
        The record of the run: from ``submission.toml``, or from the file that ``proband recognize`` writes
        next to the scores.
    """

    path: Path
    declared: Declaration
    scores: SubmittedMatrix
    control: SubmittedMatrix | None
    digests: Mapping[str, str]
    run: RunRecord | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the list of all files and their digests."""
        return digest_of_files(self.digests)

    @classmethod
    def read(cls, path: str | Path, progress: Progress | None = None) -> Submission:
        """Read a directory with ``submission.toml``, ``scores.*`` and, if the package requires it, ``control.*``."""
        path = Path(path)
        with naming(place=str(path)):
            digests = digests_within(path)
            return cls._read(path, digests, progress or Silent())

    @classmethod
    def _read(cls, path: Path, digests: Mapping[str, str], progress: Progress) -> Submission:
        declared = Declaration.read(path / DECLARATION)
        files = _matrix_files(path)
        if SCORES not in files:
            raise InputError(
                f"{path} contains no scores.",
                f"name the file {SCORES}.npy, {SCORES}.npz, {SCORES}.csv, …",
                place=Said(path),
            )
        read = {part: read_matrix(file, declared.orientation, progress) for part, file in files.items()}
        run = _run_of(declared, files[SCORES], digests)
        return cls(path, declared, read[SCORES], read.get(CONTROL), MappingProxyType(digests), run)

    def __repr__(self) -> str:
        rows, columns = self.scores.shape
        return f"Submission({self.declared.algorithm!r}: {count(rows)} × {count(columns)}, {self.declared.orientation})"


def digests_within(path: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a submitted directory, by path; links and devices are refused."""
    if not path.is_dir():
        raise InputError(
            f"{path} is not a directory.",
            f"pass a directory with {DECLARATION} and {SCORES}.npy (or .csv, …).",
            file=Said(path),
        )
    require_own_files(path)
    entries = {entry.relative_to(path).as_posix(): entry for entry in path.rglob("*") if entry.is_file()}
    for name in entries:
        # Such names cannot be listed one a line, as the digest of the whole needs it.
        if "\\" in name or not name.isprintable():
            raise InputError(
                f"A file has the name {name!r:.80}.", "rename it, using plain letters.", place=Said(path)
            )
    return {name: digest_of_file(entries[name]) for name in sorted(entries)}


def _run_of(declared: Declaration, scores: Path, digests: Mapping[str, str]) -> RunRecord | None:
    """The record of the run, stated once: in the declaration, or in the file beside the scores that it describes."""
    beside = record_beside(scores)
    if beside.name not in digests:
        return declared.run
    if declared.run is not None:
        raise InputError(
            f"Both {DECLARATION} (table [run]) and {beside.name} describe the run.",
            "remove one of the two.",
            file=Said(DECLARATION),
        )
    record = read_record(beside)
    if record.scores != digests[scores.name]:
        raise InputError(
            f"{beside.name} does not belong to {scores.name}.",
            f"submit files that were written together, or remove it and fill in [run] of {DECLARATION}.",
            file=Said(beside.name),
        )
    return record


def _matrix_files(path: Path) -> dict[str, Path]:
    """The file of each matrix; two that could be the same one are refused."""
    files: dict[str, Path] = {}
    for entry in sorted(path.iterdir()):
        part = entry.name.partition(".")[0]
        if part not in (SCORES, CONTROL) or entry.suffix.lower() in _BESIDE:
            continue
        if part in files:
            raise InputError(
                f"{path} contains both {files[part].name} and {entry.name}.",
                "keep only one of the two.",
                place=Said(path),
            )
        files[part] = entry
    return files
