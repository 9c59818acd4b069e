"""Files that are read or refused, and output that is either whole or not there."""

from __future__ import annotations

import csv
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from polars.exceptions import PanicException, PolarsError

from proband.errors import InputError, ProbandError

# What the libraries underneath raise over a file that is not what it should be, or a disk that is full.
_COMPLAINTS: tuple[type[BaseException], ...] = (
    OSError,
    EOFError,
    MemoryError,
    OverflowError,
    RuntimeError,  # also NotImplementedError and RecursionError
    TypeError,
    ValueError,  # also UnicodeError
    csv.Error,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    PolarsError,
    PanicException,
)
_OF_WRITING: tuple[type[BaseException], ...] = (OSError, UnicodeEncodeError, PolarsError)


def first_line(error: BaseException) -> str:
    """The first line of another library's complaint, without its full stop."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return (text.splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


@contextmanager
def refused(message: str, complaints: tuple[type[BaseException], ...] = _COMPLAINTS) -> Iterator[None]:
    """Turn what other libraries complain of into an `InputError` that begins with `message`."""
    try:
        yield
    except complaints as error:
        raise InputError(f"{message}: {first_line(error)}.") from error


@contextmanager
def named(name: str) -> Iterator[None]:
    """Put the name of a file before the errors raised within, unless they name it themselves."""
    try:
        yield
    except ProbandError as error:
        # A name without an ending may be any word, so only at the beginning is it sure to be the file's.
        anywhere = "." in name and name in error.message
        if anywhere or re.match(rf"(\S*[/\\])?{re.escape(Path(name).stem)}\b", error.message):
            raise
        raise type(error)(f"{name}: {error.message}", error.hint) from None


def require_regular(path: Path) -> None:
    """Refuse what is neither a file nor a directory: a pipe waits for ever, and some devices have no end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # whoever opens it says why it cannot be
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise InputError(
            f"{path} is {kind}, and not a file.", "write what it gives into a file, and name that."
        )


def require_whole(array: object) -> None:
    """Refuse a mapped file that was cut short since it was opened: reading what is gone would end the process."""
    if isinstance(array, np.memmap) and array.filename is not None:
        path = Path(array.filename)
        try:
            stored = path.stat().st_size
        except FileNotFoundError:  # what is mapped outlives its name
            return
        if stored < array.offset + array.nbytes:
            raise InputError(
                f"{path.name} was cut short while it was read: {stored:,} bytes are left of "
                f"{array.offset + array.nbytes:,}.",
                "let nobody write to it meanwhile, and begin anew.",
            )


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Let nothing out but errors that name the file: it "cannot be read as" `what` if the complaint is foreign."""
    require_regular(path)
    with named(path.name), refused(f"{path.name} cannot be read as {what}"):
        yield


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Let nothing out but errors that name the file that cannot be written."""
    with named(path.name), refused(f"{path} cannot be written"):
        yield


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside `path`; on success it is renamed to `path`, on failure it is removed.

    The temporary name may be used for a file or for a directory.
    """
    with written_together(path) as (draft,):
        yield draft


@contextmanager
def written_together(*paths: Path) -> Iterator[tuple[Path, ...]]:
    """Yield temporary names for files of one directory that belong together: all appear, or none.

    A file that is not made under its temporary name is gone afterwards: an older one does not belong to the others.
    """
    folder = paths[0].parent
    if not folder.is_dir():
        raise InputError(
            f"The directory {folder} does not exist, so {paths[0].name} cannot be written there."
        )
    with refused(f"{paths[0]} cannot be written", _OF_WRITING):
        hidden = Path(tempfile.mkdtemp(prefix=".writing-", dir=folder))
        try:
            drafts = tuple(hidden / path.name for path in paths)
            yield drafts
            _put_in_place(drafts, paths)
        finally:
            shutil.rmtree(hidden, ignore_errors=True)


def _put_in_place(drafts: tuple[Path, ...], paths: tuple[Path, ...]) -> None:
    # All are looked at before the first is moved, so that none is left without the others.
    for draft, path in zip(drafts, paths, strict=True):
        _refuse_another_kind(draft, path)
    for draft, path in zip(drafts, paths, strict=True):
        if draft.is_dir() and path.is_dir():
            _replace_directory(draft, path)
        elif draft.exists():
            draft.replace(path)
        else:
            path.unlink(missing_ok=True)


def _replace_directory(draft: Path, path: Path) -> None:
    """Put the old directory aside, to be removed with what is hidden; unlike a file, it is not replaced in one step."""
    old = draft.with_name(f"{path.name}.old")
    path.rename(old)
    try:
        draft.rename(path)
    except OSError:
        old.rename(path)
        raise


def _refuse_another_kind(draft: Path, path: Path) -> None:
    """Refuse to put a file in the place of a directory, or the reverse, or either in the place of a device."""
    if not path.exists() or (path.is_dir() and draft.is_dir()):
        return
    if path.is_dir() or draft.is_dir() or not path.is_file():
        found = "directory" if path.is_dir() else "file" if path.is_file() else "device"
        raise InputError(f"{path} cannot be written: there is a {found} of that name.", "name another.")


def make_directory(path: Path) -> None:
    """Make a directory and those above it, or say why that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The directory {path} cannot be made: {error.strerror}.") from None
