"""The package for participants: random names, images, rules, and digests of every file."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import polars as pl

from proband.blind.package.key_table import LISTS
from proband.blind.package.sealing import digest_of
from proband.engine.files.documents import read_json
from proband.engine.files.files import content_of, digest_of_file, naming, reading
from proband.engine.files.placing import settle
from proband.engine.moments import moment_of, write_moment
from proband.errors import InputError, Said
from proband.samples import Ids
from proband.words import counted

FORMAT = "proband blind test 1"
MARK = "package.json"
IMAGES = "images"

_MODE, _MODE_OF_DIRECTORIES = 0o644, 0o755
_DATE = 946_684_800  # the beginning of 2000, UTC
Version = Literal["partially automatic", "fully automatic"]
PARTIALLY: Final = "partially automatic"
FULLY: Final = "fully automatic"


@dataclass(frozen=True, eq=False)
class Package:
    """A blind test as the participant sees it.

    Attributes
    ----------
    name
        The name of the test.
    version
        ``"partially automatic"`` (eye centres are given) or ``"fully automatic"`` (they are not).
    targets, queries
        Random ids in order: the columns and the rows of a submission.
    control_targets, control_queries
        A small second pair of sets, to be scored separately; empty if there is none.
    commitment
        SHA-256 of the secret part of the key, which only the key can confirm.
    digest
        SHA-256 of ``package.json``, which contains the digests of all other files.
    path
        The directory.
    training_salt
        The prefix of an id when a declaration of training sets is hashed.
    rehearsal
        Whether its names were generated from a seed, with which anyone can regenerate them.
    opens, deadline
        When submissions open and close, in UTC (``2026-12-01T12:00:00Z``); None without limits.
    """

    name: str
    version: str
    targets: tuple[str, ...]
    queries: tuple[str, ...]
    control_targets: tuple[str, ...]
    control_queries: tuple[str, ...]
    commitment: str
    digest: str
    path: Path
    training_salt: str = ""
    rehearsal: bool = False
    opens: str | None = None
    deadline: str | None = None

    def __repr__(self) -> str:
        return (
            f"Package({self.name!r}, {self.version}: {counted(len(self.queries), 'query', 'queries')} × "
            f"{counted(len(self.targets), 'target')}, "
            f"digest {self.digest[:12]}…)"
        )

    @classmethod
    def read(cls, path: str | Path, *, verify: bool = True) -> Package:
        """Read a package; by default every file is checked, and the first faulty file is named.

        Parameters
        ----------
        path
            The directory of the package.
        verify
            Whether to check every file against the description.

        Returns
        -------
        Package
            The package.
        """
        path = Path(path)
        settle(path)
        mark = path / MARK
        if not mark.is_file():
            raise InputError(
                f"{path} is not a blind test: it has no {MARK}.",
                "pass the directory of the package.",
                file=Said(path),
            )
        content = content_of(mark)
        with reading(mark, "the description of a blind test"):
            stated = _stated(read_json(content))
        if verify:
            check_files(path, stated["files"])
        lists = {name: _names(path / f"{name}.csv") for name in LISTS}
        _check_lists(path, lists)
        return cls(
            name=stated["name"],
            version=stated["version"],
            **lists,
            commitment=stated["commitment"],
            digest=digest_of(content),
            path=path,
            training_salt=stated["training_salt"],
            rehearsal=stated["rehearsal"],
            opens=stated.get("opens"),
            deadline=stated.get("deadline"),
        )


class PackageWriter:
    """Writes a package: every file is hashed, and all files have the same mode and date."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digests: dict[str, str] = {}
        path.mkdir()

    def put(self, name: str, content: bytes | str) -> None:
        """Write a file, by its path within the package."""
        plain = content.encode() if isinstance(content, str) else content
        file = self.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(plain)
        self.digests[name] = digest_of(plain)

    def close(self, stated: dict[str, Any]) -> str:
        """Write the description, make modes and dates uniform, and return the digest of the description."""
        content = {"format": FORMAT, **stated, "files": self.digests}
        plain = (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
        (self.path / MARK).write_bytes(plain)
        # Directories follow their contents, which would change their dates again.
        for entry in [*sorted(self.path.rglob("*"), reverse=True), self.path]:
            with suppress(PermissionError):  # on file systems without modes
                entry.chmod(_MODE_OF_DIRECTORIES if entry.is_dir() else _MODE)
            os.utime(entry, (_DATE, _DATE))
        return digest_of(plain)


def files_within(path: Path) -> list[str]:
    """List every file in a directory except the description, by relative path; empty directories end in /."""
    found = []
    for folder, inner, files in os.walk(path):
        here = Path(folder)
        links = [
            name for name in inner if (here / name).is_symlink()
        ]  # not followed, so not a directory of the package
        found += [(here / name).relative_to(path).as_posix() for name in (*files, *links)]
        if not inner and not files and here != path:
            found.append(f"{here.relative_to(path).as_posix()}/")
    return sorted(name for name in found if name != MARK)


def check_files(path: Path, digests: dict[str, str]) -> None:
    """Refuse a package with a file missing, added, changed or replaced by a link, and name the first."""
    found = files_within(path)
    cure = "get the package again from the organiser of the test."
    for name in (MARK, *sorted({*found, *digests})):
        if (path / name).is_symlink():
            raise InputError(
                f"{name} of the package {path.name} is a link, not a file.",
                cure,
                file=Said(path.name),
            )
        if name == MARK:
            continue
        if name not in digests:
            raise InputError(
                f"{name} does not belong to the package {path.name}.",
                "move it elsewhere.",
                file=Said(path.name),
            )
        if name not in found:
            raise InputError(f"{name} is missing from the package {path.name}.", cure, file=Said(path.name))
        if digest_of_file(path / name) != digests[name]:
            raise InputError(
                f"{name} of the package {path.name} has been changed since it was handed out.",
                cure,
                file=Said(path.name),
            )


def _stated(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f"{MARK} is not a {FORMAT!r}.",
            "update Proband: a newer version may have written it.",
            file=Said(MARK),
        )
    for key in ("name", "version", "commitment", "training_salt"):
        if not isinstance(content.get(key), str):
            raise InputError(f"{MARK} does not state {key!r}.", file=Said(MARK))
    if content["version"] not in (PARTIALLY, FULLY):
        raise InputError(
            f"{MARK} states the unknown version {content['version']!r:.60}.",
            f"expected {PARTIALLY} or {FULLY}.",
            file=Said(MARK),
        )
    # A package without this entry predates rehearsals.
    if not isinstance(content.setdefault("rehearsal", False), bool):
        raise InputError(f"{MARK} does not state whether it is a rehearsal.", file=Said(MARK))
    for key in ("opens", "deadline"):
        if content.get(key) is not None:
            _require_moment(content[key], key)
    files = content.get("files")
    if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
        raise InputError(f"{MARK} does not state the digests of the files.", file=Said(MARK))
    return content


def _require_moment(stated: object, key: str) -> None:
    """Refuse a time that is not in the format of packages."""
    with naming(file=MARK):
        if not isinstance(stated, str) or write_moment(moment_of(stated, f"{key} =", InputError)) != stated:
            raise InputError(f"{key} is {stated!r:.60}.", "write it as 2026-12-01T12:00:00Z.")


def _names(path: Path) -> tuple[str, ...]:
    with reading(path, "a list of names"):
        if not path.is_file():
            raise InputError(
                f"{path.name} is missing from the package {path.parent.name}.", file=Said(path.name)
            )
        frame = pl.read_csv(path, infer_schema=False, glob=False)
        if "id" not in frame.columns:
            raise InputError(f"{path.name} has no column 'id'.", file=Said(path.name))
        return tuple(Ids(frame["id"].to_list(), path.stem))


def _check_lists(path: Path, lists: dict[str, tuple[str, ...]]) -> None:
    """Refuse a package without images to compare, or one that gives two images the same name."""
    if not lists["targets"] or not lists["queries"]:
        raise InputError(f"The package {path.name} has no targets, or no queries.", file=Said(path.name))
    if bool(lists["control_targets"]) != bool(lists["control_queries"]):
        raise InputError(
            f"The package {path.name} has only one of the two control sets.", file=Said(path.name)
        )
    Ids((name for names in lists.values() for name in names), f"package {path.name}")
