"""A directory of results, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from proband.engine import written_whole
from proband.engine.files.files import make_directory
from proband.errors import InputError, first_few

MARK = "results.json"


@contextmanager
def whole_directory(path: str | Path, ours: Callable[[Path], Sequence[str]]) -> Iterator[Path]:
    """Yield a directory to fill, which takes its place when it is whole.

    A directory that holds earlier results (files that `ours` names, with a results.json) is replaced; any other that is not
    empty is left alone.
    """
    path = Path(path)
    require_free(path, ours(path))
    make_directory(path.parent)
    with written_whole(path, check=lambda: require_free(path, ours(path))) as draft:
        draft.mkdir()
        yield draft


def require_free(path: Path, ours: Sequence[str]) -> None:
    """Refuse a place that is taken by anything but earlier results."""
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; the results need a directory.")
    if path.is_dir():
        _require_ours(path, ours)


def _require_ours(path: Path, ours: Sequence[str]) -> None:
    """Refuse to replace a directory that holds anything but earlier results."""
    entries = sorted(entry.name for entry in path.iterdir())
    foreign = [name for name in entries if name not in ours]
    if not foreign:  # only within what may be ours: a large directory of others is not walked through
        within = sorted(entry.relative_to(path).as_posix() for entry in path.rglob("*"))
        foreign = [name for name in within if name not in ours]
    mark = path / MARK
    marked = not entries or (
        mark.is_file() and '"proband"' in mark.read_text(encoding="utf-8", errors="replace")[:200]
    )
    if foreign or not marked:
        raise InputError(
            f"{path} holds other things than earlier results, so it is left alone: {first_few(foreign or entries)}.",
            "name another directory.",
        )
