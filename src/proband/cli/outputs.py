"""Files that a command writes: none of them is one that it reads, and no two are the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proband.errors import Said, UsageError


def require_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | str | None]) -> None:
    """Refuse, before anything is read, to write over a file that is read, or twice to one file; links are followed."""
    read = {Path(one).resolve(): one for one in inputs if one is not None}
    written: set[Path] = set()
    for path in outputs:
        if path is None:
            continue
        place = path.resolve()
        if place in read:
            raise UsageError(
                f"{path} is read by this command, so it is not written over.",
                "name another file.",
                file=Said(path),
            )
        if place in written:
            raise UsageError(
                f"Two outputs are called {path}, and one would be lost.",
                "name another file.",
                file=Said(path),
            )
        written.add(place)
