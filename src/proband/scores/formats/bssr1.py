"""NIST's Biometric Scores Set, release 1: a directory of similarity files, one for each user.

A similarity file has a line that begins with ``biometricscores.nist.gov``, the number of enrollees, and a line for each score. Who the users and enrollees are stands
in ``users.xml`` and ``enrollees.xml`` beneath ``sets``, as elements with the attributes ``name`` (the file) and ``subject_id``; scores are in the order of the enrollees.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from proband.engine.files.documents import read_xml
from proband.engine.files.files import content_of, opened, reading, resolved
from proband.engine.files.names import in_order
from proband.errors import InputError, Said, first_few
from proband.samples import Ids, Samples
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile
from proband.words import Note, Sentence, count, counted

PEOPLE_FROM = Sentence(
    "scores.bssr1-people",
    "note",
    "users and enrollees are read from {directory}; each is a separate sample, even of the same person",
)
_HEADER = b"biometricscores.nist.gov"
_SIMILARITIES, _SETS = "sims", "sets"


def _recognises(path: Path, head: bytes) -> bool:
    if not path.is_dir():
        return False
    first = next(
        (entry for entry in in_order(path.iterdir()) if entry.is_file() and not entry.name.startswith(".")),
        None,
    )
    if first is None:
        return False
    with opened(first) as file:
        return file.read(len(_HEADER)) == _HEADER


def _sets_of(path: Path) -> Path:
    """The lists of users and enrollees, at the path in ``sets`` that corresponds to this one in ``sims``, or above it."""
    parts = resolved(path).parts
    places = [place for place, part in enumerate(parts) if part == _SIMILARITIES]
    if places:
        base, below = Path(*parts[: places[-1]]) / _SETS, parts[places[-1] + 1 :]
        for depth in range(len(below), -1, -1):
            found = base.joinpath(*below[:depth])
            if (found / "users.xml").is_file() and (found / "enrollees.xml").is_file():
                return found
    raise InputError(
        f"Cannot identify the users and enrollees of {path.name}: there is no users.xml and enrollees.xml below {_SETS}.",
        "keep the directory structure of the release: SET/sims/… and SET/sets/…",
        file=Said(path.name),
    )


def _people(path: Path) -> tuple[list[str], list[str]]:
    """The names and subjects in a list."""
    with reading(path, "a list of BSSR1"):
        both: list[tuple[str | None, str]] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if "subject_id" in attributes:
                both.append((attributes.get("name"), attributes["subject_id"]))

        read_xml(content_of(path), path.name, "XML", start, typed=True)
        if not both or any(name is None for name, _ in both):
            raise InputError(
                f"{path.name} contains no signatures with a name and a subject_id.", file=Said(path.name)
            )
        return [str(name) for name, _ in both], [subject for _, subject in both]


def _read(path: Path, options: ReadOptions) -> ScoreFile:
    lists = _sets_of(path)
    (users, of_users), (enrollees, of_enrollees) = (
        _people(lists / f"{name}.xml") for name in ("users", "enrollees")
    )
    outside = [name for name in users if Path(name).name != name]
    if outside:
        raise InputError(
            f"users.xml of {lists.name} lists files that are not in {path.name}: {first_few(outside)}.",
            file=Said(path.name),
        )
    absent = [name for name in users if not (path / name).is_file()]
    if absent:
        raise InputError(
            f"{counted(len(absent), f'user of {lists.name} has', f'users of {lists.name} have')} no similarity file in {path.name}: {first_few(absent)}.",
            file=Said(path.name),
        )
    options.progress.begin(f"reading {path.name}", len(users))
    values = np.empty((len(users), len(enrollees)))
    for row, name in enumerate(users):
        values[row] = _similarities(path / name, len(enrollees))
        options.progress.advance(1)
    queries, targets = [f"user/{name}" for name in users], [f"enrollee/{name}" for name in enrollees]
    samples = Samples({"id": [*queries, *targets], "subject": [*of_users, *of_enrollees]}, source=path.name)
    notes: tuple[Note, ...] = (PEOPLE_FROM(directory=lists.name),)
    return ScoreFile(
        "bssr1",
        {path.name: values},
        Ids(queries, "query"),
        Ids(targets, "target"),
        samples,
        "similarity",
        notes=notes,
    )


def _similarities(file: Path, n: int) -> npt.NDArray[np.float64]:
    with reading(file, "a similarity file of BSSR1"):
        lines = content_of(file).split()
        if not lines or not lines[0].startswith(_HEADER):
            raise InputError(f"{file.name} does not begin with {_HEADER.decode()}.", file=Said(file.name))
        try:
            stated = int(lines[1])
            values = np.array(lines[2:], dtype=np.float64)
        except (IndexError, ValueError):
            raise InputError(
                f"{file.name} contains something other than a count and numbers.", file=Said(file.name)
            ) from None
        if stated != n or len(values) != n:
            raise InputError(
                f"{file.name} states {count(stated)} scores and contains {count(len(values))}; there are {count(n)} enrollees.",
                file=Said(file.name),
            )
        return values


FORMATS = (
    Format(
        "bssr1",
        "NIST BSSR1 directory of similarity files",
        (),
        _recognises,
        _read,
    ),
)
