"""Files that commands write: the page of ``--report``; none is a file that the command reads, and no two are the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli.console import wrote
from proband.errors import Said, UsageError

if TYPE_CHECKING:
    from proband.study.findings import Findings


def _page(path: Path | None) -> Path | None:
    """Refuse a name that the page could not have before anything is computed."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--report expects a file name ending in .html, got {path.name}.")
    if path is not None and not path.parent.is_dir():
        raise UsageError(
            f"The directory {path.parent} does not exist, so {path.name} cannot be written there."
        )
    return path


ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        help="Write a self-contained HTML report; it makes no network requests.",
        callback=_page,
        rich_help_panel="Output",
    ),
]


def write_page(found: Findings, path: Path) -> None:
    """Write what was found as a page."""
    from proband.engine import written_whole
    from proband.report.page.build import build_page
    from proband.report.page.render import render_page
    from proband.report.scene import Scene

    with written_whole(path) as draft:
        draft.write_text(render_page(build_page(Scene(found))), encoding="utf-8", newline="\n")
    wrote(path)


def require_apart(
    outputs: Iterable[Path | None], inputs: Iterable[Path | str | None], directory: Path | None = None
) -> None:
    """Refuse, before anything is read, to write over a file that is read, twice to one file, or into a directory of results.

    Links are followed. A directory that holds anything else than results is not replaced by the next run.
    """
    from proband.engine.files.files import require_regular, resolved

    named = [Path(one) for one in inputs if one is not None]
    for path in named:
        require_regular(path)
    read = {resolved(path) for path in named}
    written: set[Path] = set()
    results = None if directory is None else resolved(directory)
    for path in filter(None, outputs):
        place = resolved(path)
        if results is not None and (place == results or results in place.parents):
            raise UsageError(
                f"{path} is inside the directory of --out, which must contain only results.",
                "choose another path.",
                file=Said(path),
            )
        if place in read:
            raise UsageError(
                f"{path} is an input of this command and will not be overwritten.",
                "choose another file.",
                file=Said(path),
            )
        if place in written:
            raise UsageError(
                f"Two outputs have the same path {path}.",
                "choose another file.",
                file=Said(path),
            )
        written.add(place)
