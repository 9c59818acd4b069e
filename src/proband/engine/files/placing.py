"""Atomic placement of several files: hidden drafts replace all targets or none, wherever the program is stopped.

A directory ``.writing-…`` has a lock, held as long as its program runs, and the drafts. When these are complete, a
commit record lists the moves. From then on the work is only completed: by its own program, or by the next one that
reads or writes there. Without a record nothing has happened, and remains of a stopped program are removed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import sleep
from typing import Any

from proband.engine.files.documents import read_json
from proband.engine.files.hidden_drafts import (
    COMMIT,
    LEADER,
    held,
    hidden_in,
    is_hiding_name,
    is_hiding_place,
    locked,
    remove,
)
from proband.engine.files.names import leads_to_a_file, relative_path
from proband.engine.files.system import exchange, sync_file_system
from proband.errors import InputError, Said, first_few, quoted

_LOG = logging.getLogger(__name__)
_FEW = 8
# Scanners on Windows open new files briefly, which then cannot be renamed or replaced.
_PAUSES: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 0.6) if sys.platform == "win32" else ()  # seconds

Look = list[int]
Looks = dict[str, Look]


@dataclass(frozen=True)
class Move:
    """A draft and its place, both relative to the hidden directory with the record.

    Attributes
    ----------
    draft, place
        The source and the destination.
    new
        The state of the draft: size and time of a file, inode number of a directory.
    old
        The previous state of the place: None if it was empty; for a directory, its whole content.
    """

    draft: str
    place: str
    new: Look
    old: Look | Looks | None


def require_name(path: Path) -> None:
    """Refuse invalid file names: with a null character or a lone surrogate, or reserved on this system."""
    try:
        is_one = b"\0" not in os.fsencode(path) and leads_to_a_file(Path(path))
    except UnicodeEncodeError:
        is_one = False
    if not is_one:
        raise InputError(f"{quoted(path)} cannot be a file name.", "choose another name.")


# Looks


def look(path: Path) -> Look | None:
    """The size and time of a file, or the inode number of a directory; None if there is neither."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return [found.st_ino] if stat.S_ISDIR(found.st_mode) else [found.st_size, found.st_mtime_ns]


def looks_within(path: Path) -> Looks:
    """The state of everything in a directory, by relative path."""
    found = {}
    for folder, inner, files in os.walk(path):
        for name in (*inner, *files):
            entry = Path(folder, name)
            seen = look(entry)
            if seen is not None:
                # Inode numbers change when a file system is copied; the content is listed separately.
                found[entry.relative_to(path).as_posix()] = seen if len(seen) == 2 else []
    return found


@dataclass(frozen=True)
class Seen:
    """The state of a place when writing began.

    Attributes
    ----------
    found
        The state found; None if nothing was there.
    within
        The state of everything in a directory.
    """

    found: os.stat_result | None
    within: Looks

    def is_still(self, place: Path) -> bool:
        """Whether the same file or directory is there, regardless of changes in it."""
        found = _found(place)
        if found is None or self.found is None:
            return found is self.found
        return os.path.samestat(found, self.found)


@contextmanager
def seen(place: Path) -> Iterator[Seen]:
    """Record what is in a place; while it is open, its inode number cannot be reused."""
    found, number = _opened(place)
    is_directory = found is not None and stat.S_ISDIR(found.st_mode)
    try:
        yield Seen(found, looks_within(place) if is_directory else {})
    finally:
        if number is not None:
            os.close(number)


def _opened(place: Path) -> tuple[os.stat_result | None, int | None]:
    """The state of a place, and the open directory if it is one, which another program may move meanwhile."""
    while True:
        found = _found(place)
        if found is None or not stat.S_ISDIR(found.st_mode) or sys.platform == "win32":
            return found, None
        with suppress(FileNotFoundError, NotADirectoryError):
            return found, os.open(place, os.O_RDONLY | os.O_DIRECTORY)


def _found(place: Path) -> os.stat_result | None:
    try:
        return place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


# Placing


def commit(
    leader: Path, moves: Sequence[tuple[Path, Path, Seen]], check: Callable[[], None] | None = None
) -> None:
    """Move drafts to their places: all, or none if the program is stopped before the record is complete.

    Parameters
    ----------
    leader
        The hidden directory with the record.
    moves
        Drafts, their places, and the previous states.
    check
        A function that refuses to replace what other programs have put there since.
    """
    for draft, place, _ in moves:
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(place.stat().st_mode)
            if stat.S_IMODE(draft.stat().st_mode) != mode:  # file systems without modes refuse to set them
                draft.chmod(mode)
    if len(moves) == 1 and check is None and not moves[0][0].is_dir():
        draft, place, _ = moves[0]
        _sync_tree(draft)
        _put(draft, place)  # a single step needs no record
        _sync(place.parent)
        return
    for home in {draft.parents[1] for draft, _, _ in moves}:
        _sync_tree(home)
    with alone(place.parent for _, place, _ in moves):
        for _, place, _ in moves:
            settle(place)
        is_checked = check is not None and not all(before.is_still(place) for _, place, before in moves)
        if check is not None and is_checked:
            check()
        record = [_move(leader, *one, is_checked) for one in moves]
        part = leader / f"{COMMIT}.part"
        part.write_text(json.dumps([asdict(one) for one in record]), encoding="utf-8", newline="\n")
        _sync(part)
        _put(part, leader / COMMIT)
        _sync(leader)
        try:
            _finish(leader, record)
        except OSError:
            if all(look(draft) == one.new for (draft, _, _), one in zip(moves, record, strict=True)):
                (leader / COMMIT).unlink()  # nothing has happened yet, and nothing will
            raise


def _move(leader: Path, draft: Path, place: Path, before: Seen, is_checked: bool) -> Move:
    old: Look | Looks | None = look(place)
    if place.is_dir():
        old = looks_within(place) if is_checked else before.within
    return Move(relative_path(draft, leader), relative_path(place, leader), look(draft) or [], old)


@contextmanager
def alone(folders: Iterable[Path]) -> Iterator[None]:
    """Prevent concurrent placement in folders by other programs, if locks are supported."""
    numbers = []
    try:
        for folder in sorted(set(folders)):
            with suppress(OSError):  # missing or unreadable
                numbers.append(_lockable(folder))
                locked(numbers[-1], wait=True)
        yield
    finally:
        for number in numbers:
            os.close(number)


def _lockable(folder: Path) -> int:
    """An open folder, or on Windows an open temporary file named after it, to be locked."""
    if sys.platform == "win32":
        name = hashlib.sha256(os.fsencode(os.path.normcase(os.path.realpath(folder)))).hexdigest()[:16]
        return os.open(Path(tempfile.gettempdir(), f"proband-{name}.lock"), os.O_RDWR | os.O_CREAT)
    return os.open(folder, os.O_RDONLY)


def _finish(leader: Path, record: Sequence[Move]) -> None:
    """Complete a record, and remove it."""
    _refuse_changed(leader, record)
    notes = []
    for one in record:
        draft, place = _at(leader, one.draft), _at(leader, one.place)
        if not isinstance(one.old, dict):
            if draft.exists():
                _put(draft, place)
            continue
        aside = draft.with_name(f"{draft.name}.old")
        if look(draft) == one.new:
            _put_directory(draft, place, aside)
        notes += [_part_with(left, one.old, place) for left in (draft, aside) if left.exists()]
    for folder in sorted({_at(leader, one.place).parent for one in record}):
        _sync(folder)
    (leader / COMMIT).unlink()
    for note in filter(None, notes):
        _LOG.warning("%s", note)


def _put_directory(draft: Path, place: Path, aside: Path) -> None:
    """Replace a directory by another, atomically if the system supports it."""
    if place.exists():
        if exchange(draft, place):
            return
        _put(place, aside)
    try:
        _put(draft, place)
    except OSError:
        if aside.exists():
            _put(aside, place)
        raise


def _put(draft: Path, place: Path) -> None:
    """Rename a draft, with retries where the system may refuse temporarily."""
    for pause in _PAUSES:
        with suppress(PermissionError):
            draft.replace(place)
            return
        sleep(pause)
    draft.replace(place)


def _part_with(old: Path, known: Looks, place: Path) -> str | None:
    """Remove a replaced directory; if anything was saved into it meanwhile, keep it under a visible name and report that."""
    foreign = sorted(name for name, seen in looks_within(old).items() if known.get(name) != seen)
    if not foreign:
        shutil.rmtree(old)
        return None
    kept, number = place.with_name(f"{place.name}.old"), 1
    while os.path.lexists(kept):
        number += 1
        kept = place.with_name(f"{place.name}.old-{number}")
    old.rename(kept)
    return f"{first_few(foreign)} was saved in {place} while it was being replaced; the previous content is kept in {kept}."


def _refuse_changed(leader: Path, record: Sequence[Move]) -> None:
    """Refuse to complete a record over files changed since, to avoid mixing old and new files."""
    files = [one for one in record if not isinstance(one.old, dict)]
    if not any(_at(leader, one.draft).exists() for one in files):
        return
    for one in files:
        place = _at(leader, one.place)
        if look(place) != (one.old if _at(leader, one.draft).exists() else one.new):
            raise InputError(
                f"{place} was being written together with other files when the program was interrupted, and has been changed since.",
                f"check that these files belong together, then remove {leader}.",
                file=Said(place),
            )


def _at(leader: Path, relative: str) -> Path:
    return Path(os.path.normpath(leader / relative))


# Recovery


def clear(folder: Path) -> None:
    """Complete or remove the remains of stopped programs in a folder, as far as possible."""
    for left in hidden_in(folder):
        with suppress(OSError, InputError):
            _recover(left, wait=False)


def settle(path: Path) -> None:
    """Complete the placement of `path` begun by a stopped program, before it is read or replaced."""
    require_name(path)
    real, given = Path(os.path.realpath(path)), Path(os.path.realpath(path.parent)) / path.name
    for left in [one for folder in dict.fromkeys((real.parent, given.parent)) for one in hidden_in(folder)]:
        leader = _leader_of(left)
        if not {real, given} & {_at(leader, one.place) for one in _record(leader)}:
            continue
        reason = "it is locked by another program or user"
        try:
            _recover(left, wait=True)
        except OSError as error:
            reason = str(error.strerror)
        if _record(leader):
            raise InputError(
                f"{path} was being written when the program was interrupted, and writing cannot be completed: {reason}.",
                f"read it once as a user with write permission for {left.parent}.",
                file=Said(path),
            )


def _recover(left: Path, wait: bool) -> None:
    """Complete the record of a hidden directory, if any, and remove the remains."""
    for path in dict.fromkeys((_leader_of(left), left)):
        with held(path, wait) as is_ours:
            if not is_ours and path.exists():
                return
            record = _record(path)
            if record:
                _finish(path, record)
            remove(path)  # while locked: otherwise a program that has just made it could take it
        if sys.platform == "win32":
            remove(path)  # a held lock cannot be removed there


def _leader_of(path: Path) -> Path:
    """The hidden directory for the record of the drafts in this one."""
    try:
        leader = _at(path, _text_of(path / LEADER))
    except (OSError, ValueError):
        return path
    return leader if is_hiding_place(leader) else path


def _record(leader: Path) -> list[Move]:
    """The commit record of a hidden directory, which is complete or absent.

    It may be in a folder from strangers, so drafts are only placed next to their hidden directory.
    """
    try:
        found: list[dict[str, Any]] = read_json(_text_of(leader / COMMIT))
        record = [Move(**one) for one in found]
        if all(_is_beside(_at(leader, one.draft), _at(leader, one.place)) for one in record):
            return record
    except OSError:
        return []
    except (TypeError, ValueError):
        pass
    raise InputError(f"{leader / COMMIT} was changed since it was written.", f"remove {leader}.")


def _text_of(path: Path) -> str:
    """The text of a regular file; reading a pipe would block."""
    if not path.is_file():
        raise FileNotFoundError(path)
    return path.read_text(encoding="utf-8")


def _is_beside(draft: Path, place: Path) -> bool:
    """Whether a draft is in a hidden directory of the folder of its place, as we make them."""
    home = draft.parents[1] if len(draft.parents) > 1 else draft
    is_name = b"\0" not in os.fsencode(draft) + os.fsencode(place)
    return is_name and is_hiding_name(home.name) and home.parent == place.parent


# Durability


def _sync_tree(path: Path) -> None:
    """Flush a file, or everything in a directory, to disk."""
    inside = [Path(folder, name) for folder, _, files in os.walk(path) for name in (*files, "")]
    # Waiting once for all is faster than for each.
    if len(inside) <= _FEW or not sync_file_system(path):
        for one in inside or [path]:
            _sync(one)


def _sync(path: Path) -> None:
    if sys.platform == "win32":
        return  # a file opened for reading cannot be synced there, nor can a directory
    try:
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    except OSError:
        if not path.is_dir():  # not every file system opens or syncs directories
            raise
