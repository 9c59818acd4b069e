"""Directories of results, written completely or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from proband.engine import written_whole
from proband.engine.files.documents import as_json, read_json
from proband.engine.files.files import make_directory
from proband.engine.files.placing import alone
from proband.errors import InputError, first_few

MARK = "results.json"
LISTED = "files.json"
"""List of the files in a directory of results, which a later run may replace."""


@contextmanager
def whole_directory(path: str | Path, attached: Sequence[str] = ()) -> Iterator[Path]:
    """Yield a temporary directory to fill; it is moved into place when complete.

    A directory that contains only earlier results is replaced; any other non-empty directory raises an error. `attached` files may be
    in use elsewhere, so they are replaced only by a run that attaches them again.
    """
    path = Path(path)
    make_directory(path.parent)
    with written_whole(path, check=lambda: _require_free(path, attached)) as draft:
        draft.mkdir()
        yield draft
        made = [name for name in _within(draft) if name not in attached]
        (draft / LISTED).write_text(as_json([*made, LISTED]), encoding="utf-8", newline="\n")


def require_free(path: str | Path, attached: Sequence[str] = ()) -> None:
    """Raise an error if the path contains anything but earlier results."""
    path = Path(path)
    with alone([path.parent]):
        _require_free(path, attached)


def _require_free(path: Path, attached: Sequence[str]) -> None:
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; expected a directory for the results.")
    if path.is_dir():
        _require_ours(path, attached)


def _require_ours(path: Path, attached: Sequence[str]) -> None:
    """Refuse to replace a directory that holds anything but earlier results."""
    ours = {*_listed(path), *attached}
    entries = sorted(entry.name for entry in path.iterdir())
    # Only within what may be ours: a large directory of others is not walked through.
    foreign = [name for name in entries if name not in ours] or [
        name for name in _within(path) if name not in ours
    ]
    mark = path / MARK
    marked = not entries or (
        mark.is_file() and '"proband"' in mark.read_text(encoding="utf-8", errors="replace")[:200]
    )
    if foreign or not marked:
        raise InputError(
            f"{path} contains files other than earlier results, so it is not replaced: {first_few(foreign or entries)}.",
            "choose another directory.",
        )


def _within(path: Path) -> list[str]:
    return sorted(entry.relative_to(path).as_posix() for entry in path.rglob("*"))


def _listed(path: Path) -> list[str]:
    """What earlier results list as their own."""
    try:
        listed = read_json((path / LISTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [str(name) for name in listed] if isinstance(listed, list) else []
