"""Hidden directories for drafts, each with a lock that lives as long as its program."""

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
    """Whether a path lies in a hidden directory, and so appears or vanishes with that."""
    return any(is_hiding_place(one) for one in path.parents)


def is_hiding_name(name: str) -> bool:
    """Whether a hidden directory could be called so."""
    return bool(_NAME.fullmatch(name))


def is_hiding_place(path: Path) -> bool:
    """Whether a path is a hidden directory itself."""
    return is_hiding_name(path.name) and (path / LOCK).exists()


@contextmanager
def hidden(folder: Path, leader: Path | None = None) -> Iterator[Path]:
    """Make a hidden directory that nobody else clears away; remove it in the end, unless a record is still to be finished.

    Parameters
    ----------
    leader
        The hidden directory that will hold the record, if it is another.
    """
    for _ in range(_ATTEMPTS):
        made = folder / f".writing-{secrets.token_hex(6)}"
        made.mkdir()
        try:
            with held(made, making=True) as is_ours:
                if not is_ours:  # taken for a stopped program's before it was locked
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
    """Hold the lock of a hidden directory, and tell whether that could be: not while another program lives that holds it.

    Where the file system has no locks, only whoever makes a directory holds it.
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
        with suppress(FileNotFoundError):  # if it was taken for a stopped program's already
            return os.open(path / LOCK, how, 0o666)
    elif _is_trusted(path):
        # Where nothing can be written a lock can still be held; whoever then tries to finish is told why that cannot be.
        for one in (how, os.O_RDONLY):
            with suppress(OSError):
                return os.open(path / LOCK, one, 0o666)
    return None


def _is_trusted(path: Path) -> bool:
    """Whether a directory is this user's or of whoever owns the folder: what others leave there is not to be acted upon."""
    try:
        return not hasattr(os, "geteuid") or path.stat().st_uid in (os.geteuid(), path.parent.stat().st_uid)
    except OSError:
        return False


def _is_still(number: int, lock: Path) -> bool:
    """Whether an open lock is the one that is there: whoever held it before may have removed it."""
    try:
        return os.path.samestat(os.fstat(number), lock.stat())
    except OSError:
        return False


def locked(number: int, wait: bool, otherwise: bool = False) -> bool:
    """Lock an open file or folder against other programs, and tell whether that could be; `otherwise` where there are no locks."""
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
    """Remove a hidden directory; the lock goes last, for that is what it is known by."""
    with suppress(OSError):
        for entry in path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != LOCK:
                entry.unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def hidden_in(folder: Path) -> list[Path]:
    """The hidden directories of programs that live or were stopped; nothing else of a similar name."""
    with suppress(OSError), os.scandir(folder) as entries:
        named = [
            Path(one.path)
            for one in entries
            if is_hiding_name(one.name) and one.is_dir(follow_symlinks=False)
        ]
        return [one for one in sorted(named) if is_hiding_place(one) or not any(one.iterdir())]
    return []
