"""Hidden directories for drafts, each with a lock held as long as its program runs."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from proband.engine.files.names import relative_path

LOCK, COMMIT, LEADER = "lock", "commit.json", "leader"
_ATTEMPTS = 20
_NAME = re.compile(r"\.writing-[0-9a-f]{12}")


def is_hidden(path: Path) -> bool:
    """Whether a path is in a hidden directory, and so appears or vanishes with it."""
    return any(is_hiding_place(one) for one in path.parents)


def is_hiding_name(name: str) -> bool:
    """Whether a name is that of a hidden directory."""
    return bool(_NAME.fullmatch(name))


def is_hiding_place(path: Path) -> bool:
    """Whether a path is a hidden directory itself."""
    return is_hiding_name(path.name) and (path / LOCK).exists()


@contextmanager
def hidden(folder: Path, leader: Path | None = None) -> Iterator[Path]:
    """Make a hidden directory that no other program clears; remove it at the end, unless a record is unfinished.

    Parameters
    ----------
    leader
        The hidden directory with the record, if it is another.
    """
    for _ in range(_ATTEMPTS):
        made = folder / f".writing-{secrets.token_hex(6)}"
        made.mkdir()
        try:
            with held(made, making=True) as is_ours:
                if not is_ours:  # mistaken for that of a stopped program before it was locked
                    continue
                if leader is not None:
                    (made / LEADER).write_text(relative_path(leader, made), encoding="utf-8", newline="\n")
                yield made
                return
        finally:
            if not (leader or made).joinpath(COMMIT).exists():
                remove(made)
    raise OSError(errno.EAGAIN, "another program removes the files written there")


@contextmanager
def held(path: Path, wait: bool = False, making: bool = False) -> Iterator[bool]:
    """Hold the lock of a hidden directory, and yield whether it was acquired: not while a running program holds it.

    On file systems without locks, only the maker of a directory holds it.
    """
    number = _opened(path, making)
    if number is None:
        yield False
        return
    try:
        yield locked(number, wait, otherwise=making) and _is_still(number, path / LOCK)
    finally:
        os.close(number)


def _opened(path: Path, making: bool) -> int | None:
    how = os.O_RDWR | os.O_CREAT
    if making:
        with suppress(FileNotFoundError):  # if it was already mistaken for that of a stopped program
            return os.open(path / LOCK, how, 0o666)
    elif _is_trusted(path):
        # A lock can be held even if nothing can be written; finishing then raises the reason.
        for one in (how, os.O_RDONLY):
            with suppress(OSError):
                return os.open(path / LOCK, one, 0o666)
    return None


def _is_trusted(path: Path) -> bool:
    """Whether a directory belongs to this user or to the owner of the folder; those of others are ignored."""
    try:
        return not hasattr(os, "geteuid") or path.stat().st_uid in (os.geteuid(), path.parent.stat().st_uid)
    except OSError:
        return False


def _is_still(number: int, lock: Path) -> bool:
    """Whether an open lock is still the existing one: a previous holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(number), lock.stat())
    except OSError:
        return False


def locked(number: int, wait: bool, otherwise: bool = False) -> bool:
    """Lock an open file or folder against other programs, and yield whether it was locked; `otherwise` without lock support."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (BlockingIOError, PermissionError):
        return False
    except (OSError, ImportError):
        return otherwise
    return True


def remove(path: Path) -> None:
    """Remove a hidden directory; the lock last, since it identifies the directory."""
    with suppress(OSError):
        for entry in path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != LOCK:
                entry.unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def hidden_in(folder: Path) -> list[Path]:
    """The hidden directories of running or stopped programs, and nothing else with a similar name."""
    with suppress(OSError), os.scandir(folder) as entries:
        named = [
            Path(one.path)
            for one in entries
            if is_hiding_name(one.name) and one.is_dir(follow_symlinks=False)
        ]
        return [one for one in sorted(named) if is_hiding_place(one) or not any(one.iterdir())]
    return []
