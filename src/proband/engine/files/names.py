"""Portable file names: names reserved on Windows, relative paths, and a consistent order."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

_DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE | re.DOTALL
)
_RESERVED = re.compile(r'[\\/:*?"<>|\x00-\x1f]')
_OF_PATTERNS = str.maketrans("*?", "--")


def fits_everywhere(name: str) -> bool:
    """Whether a file name is valid on every system.

    Examples
    --------
    >>> fits_everywhere("pca-l2.npz"), fits_everywhere("pca:l2.npz"), fits_everywhere("con.png")
    (True, False, False)
    """
    return not (_RESERVED.search(name) or _DEVICE.fullmatch(name) or name.endswith((".", " ")))


def fits_here(name: str) -> bool:
    """Whether a file name is valid here. Windows accepts reserved names, and writes to a device or a hidden stream."""
    return sys.platform != "win32" or fits_everywhere(name)


def leads_to_a_file(path: Path) -> bool:
    """Whether a path, or a pattern, is not a device or a hidden stream."""
    parts = path.parts[bool(path.anchor) :]
    return all(part == ".." or fits_here(part.translate(_OF_PATTERNS)) for part in parts)


def portable_stem(text: str) -> str:
    """Convert text to a file stem that is valid on every system.

    Examples
    --------
    >>> portable_stem("pca:l2"), portable_stem("con")
    ('pca-l2', '_con')
    """
    stem = _RESERVED.sub("-", text)
    return f"_{stem}" if _DEVICE.fullmatch(stem) else stem


def relative_path(path: str | Path, start: str | Path) -> str:
    """A path relative to a directory, with slashes; the full path if it is on another drive."""
    try:
        return Path(os.path.relpath(path, start)).as_posix()
    except ValueError:
        return Path(path).absolute().as_posix()


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Sort paths by characters, since path order on Windows ignores case."""
    return sorted(paths, key=lambda path: path.parts)
