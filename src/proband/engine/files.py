"""Output that is either whole or not there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proband.errors import InputError


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside `path`; on success it is renamed to `path`, on failure it is removed.

    The temporary name may be used for a file or for a directory.
    """
    if not path.parent.is_dir():
        raise InputError(
            f"The directory {path.parent} does not exist, so {path.name} cannot be written there."
        )
    try:
        hidden = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    draft = hidden / path.name
    try:
        yield draft
        if path.is_dir() and draft.is_dir():
            shutil.rmtree(path)
        try:
            draft.replace(path)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
