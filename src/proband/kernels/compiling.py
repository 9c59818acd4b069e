"""The compiler, with a cache that is right: keyed on all kernels at once, and somewhere that can be written.

numba's own cache looks only at the file of the function itself, so a kernel would go on calling an old version of another one
after that was changed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numba
from numba import njit

__all__ = ["njit"]


def _cache_directory() -> Path:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    usual = os.environ.get("XDG_CACHE_HOME") or str(Path("~").expanduser() / ".cache")
    places = [
        os.environ.get("NUMBA_CACHE_DIR"),
        str(Path(usual) / "proband"),
        str(Path(tempfile.gettempdir()) / "proband"),
    ]
    for place in filter(None, places):
        directory = Path(place) / digest.hexdigest()[:16]
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory):
                return directory
        except (OSError, RuntimeError):
            continue
    return Path(tempfile.mkdtemp(prefix="proband-"))


numba.config.CACHE_DIR = str(_cache_directory())  # type: ignore[attr-defined]
