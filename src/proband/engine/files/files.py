"""Files that are read or refused, and output that is written completely or not at all."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import os
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from proband.engine.files.hidden_drafts import hidden, is_hidden
from proband.engine.files.placing import alone, clear, commit, require_name, seen, settle
from proband.errors import InputError, ProbandError, Said
from proband.words import count, counted

# Exceptions of libraries for invalid files, or a full disk.
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
)
_OF_WRITING: tuple[type[BaseException], ...] = (OSError, UnicodeEncodeError)


def first_line(error: BaseException) -> str:
    """The first line of an error message of another library, without its full stop."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return (text.splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


@contextmanager
def refused(
    message: str, complaints: tuple[type[BaseException], ...] = _COMPLAINTS, *, file: str | None = None
) -> Iterator[None]:
    """Convert errors of other libraries to an `InputError` that begins with `message`."""
    try:
        yield
    except (*complaints, *_of_polars()) as error:
        raise InputError(f"{message}: {first_line(error)}.", file=file) from error


def _of_polars() -> tuple[type[BaseException], ...]:
    """The exceptions of polars, if it is already loaded."""
    exceptions = sys.modules.get("polars.exceptions")
    return () if exceptions is None else (exceptions.PolarsError, exceptions.PanicException)


@contextmanager
def naming(*, source: str | None = None, file: str | None = None, place: str | None = None) -> Iterator[None]:
    """Add the source, file and place to errors raised within, unless they are set."""
    try:
        yield
    except ProbandError as error:
        error.within(source=source, file=file, place=place)
        raise


def require_regular(path: Path) -> None:
    """Refuse anything but a file or directory: pipes wait forever, some devices are endless, and some links are broken."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:  # opening it raises the reason
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise InputError(
                f"{path} is a symbolic link that points to itself.",
                "pass the file itself, or remove the link.",
                file=Said(path),
            ) from None
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InputError(
            f"{path} is {_kind(mode)}, not a file.",
            "save its content to a file and pass that file.",
            file=Said(path),
        )


def require_own_files(folder: Path) -> None:
    """Refuse a directory from others that is or contains a link (to anything on this machine), a pipe or a device."""
    within = [Path(here, name) for here, inner, files in os.walk(folder) for name in (*inner, *files)]
    for path in (folder, *within):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            name = folder if path == folder else path.relative_to(folder)
            raise InputError(
                f"{name} is {_kind(mode)}.", "replace it with a copy of the file.", place=Said(folder)
            )


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISLNK, "a link"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((name for is_so, name in kinds if is_so(mode)), "a device")


def require_there(path: Path) -> None:
    """Refuse a path that is neither a file nor a directory."""
    require_regular(path)
    if not path.exists():
        raise InputError(f"There is no file {path}.", file=Said(path))


def resolved(path: Path) -> Path:
    """A path with its links resolved, as far as possible."""
    return Path(os.path.realpath(path))


def opened(path: Path) -> io.BufferedReader:
    """Open a regular file for reading; all user-named files are opened here."""
    require_regular(path)
    return path.open("rb")


def content_of(path: Path) -> bytes:
    """Read all bytes of a file."""
    with opened(path) as file:
        return file.read()


def digest_of_file(path: Path) -> str:
    """Compute the SHA-256 of a file, which need not fit into memory."""
    with reading(path, "a file"), opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_of(path: Path, encoding: str) -> str:
    """Read the text of a file, with normalised line endings."""
    with opened(path) as file, io.TextIOWrapper(file, encoding) as text:
        return text.read()


def require_whole(array: object) -> None:
    """Refuse a mapped file that was truncated since it was opened, since reading it would crash the process."""
    for part in getattr(array, "parts", (array,)):
        if not isinstance(part, np.memmap) or part.filename is None:
            continue
        path = Path(part.filename)
        try:
            stored = path.stat().st_size
        except FileNotFoundError:  # a mapping outlives the file name
            continue
        if stored < part.offset + part.nbytes:
            raise InputError(
                f"{path.name} was truncated while it was being read: {counted(stored, 'byte is', 'bytes are')} left of "
                f"{count(part.offset + part.nbytes)}.",
                "make sure no other program writes to it, and start again.",
                file=Said(path.name),
            )


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Convert all errors to ones that name the file: it "cannot be read as" `what` for those of other libraries."""
    require_name(path)
    require_regular(path)
    with naming(file=path.name), refused(f"{path.name} cannot be read as {what}", file=Said(path.name)):
        yield


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert all errors to ones that name the file that cannot be written."""
    with naming(file=path.name), refused(f"{path} cannot be written", file=Said(path.name)):
        yield


@contextmanager
def written_whole(path: Path, check: Callable[[], None] | None = None) -> Iterator[Path]:
    """Yield a temporary name beside `path`; on success it is renamed to `path`, on failure it is removed.

    The temporary name may be used for a file or for a directory. `check` is that of `written_together`.
    """
    with written_together(path, check=check) as (draft,):
        yield draft


@contextmanager
def written_together(*paths: Path, check: Callable[[], None] | None = None) -> Iterator[tuple[Path, ...]]:
    """Yield temporary names for related files or directories: all appear, or none, even if the program is killed.

    The first is the requested one. Existing files next to it are replaced with it, but never alone: without the first, the
    others are not known to be ours. Links are followed, and permissions of replaced files are kept. Files within a draft need
    no draft of their own.

    Parameters
    ----------
    check
        A function that refuses what may not be replaced. It is called before anything is written, and again if another program has
        put something there meanwhile; without it, a directory put there is kept under a visible name.
    """
    for path in paths:
        require_name(path)
    places = [resolved(path) for path in paths]
    with refused(f"{paths[0]} cannot be written", _OF_WRITING, file=Said(paths[0].name)):
        if is_hidden(places[0]):
            yield paths
            return
        folders = dict.fromkeys(place.parent for place in places)
        for folder in folders:
            if not folder.is_dir():
                raise InputError(
                    f"The directory {folder} does not exist, so {paths[0].name} cannot be written there.",
                    file=Said(paths[0].name),
                )
            clear(folder)
        for place in places:
            settle(place)
            _refuse_protected(place)
        _refuse_others(places)
        with ExitStack() as stack:
            homes: dict[Path, Path] = {}
            for folder in folders:
                leader = next(iter(homes.values()), None)
                homes[folder] = stack.enter_context(hidden(folder, leader))
            drafts = [
                homes[place.parent] / str(n) / (path.name or place.name)
                for n, (path, place) in enumerate(zip(paths, places, strict=True))
            ]
            for draft in drafts:
                draft.parent.mkdir()
            with alone(folders if check is not None else ()):
                if check is not None:
                    check()
                before = [stack.enter_context(seen(place)) for place in places]
            yield tuple(drafts)
            for draft, place in zip(drafts, places, strict=True):
                _refuse_another_kind(draft, place)
            commit(homes[places[0].parent], list(zip(drafts, places, before, strict=True)), check)


def require_new(*paths: Path) -> None:
    """Refuse paths that exist."""
    for path in paths:
        if os.path.lexists(path):
            raise InputError(
                f"{path} already exists and was not overwritten.", "choose another name.", file=Said(path)
            )


def _refuse_protected(place: Path) -> None:
    """Refuse to replace write-protected files, although a rename could."""
    if place.exists() and not (os.access(place, os.W_OK) and place.stat().st_mode & 0o222):
        raise InputError(
            f"{place} exists and is write-protected.",
            "choose another path, or allow writing.",
            file=Said(place),
        )


def _refuse_others(places: Sequence[Path]) -> None:
    first, *others = places
    for other in others:
        if other.exists() and not first.exists():
            raise InputError(
                f"{other.name} already exists without {first.name}, with which it would be written, so it was not overwritten.",
                "choose another file name, or move it away.",
                file=Said(other.name),
            )


def _refuse_another_kind(draft: Path, path: Path) -> None:
    """Refuse to replace a directory by a file or the reverse, or a device by either."""
    if not path.exists() or (path.is_dir() and draft.is_dir()):
        return
    if path.is_dir() or draft.is_dir() or not path.is_file():
        found = "directory" if path.is_dir() else "file" if path.is_file() else "device"
        raise InputError(
            f"{path} cannot be written: there is a {found} with that name.",
            "choose another name.",
            file=Said(path),
        )


def make_directory(path: Path) -> None:
    """Make a directory and its parents, or raise an error with the reason."""
    require_name(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The directory {path} cannot be created: {error.strerror}.", file=Said(path)
        ) from None
