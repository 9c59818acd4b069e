"""The option ``--report`` of several commands: what they found as one page that opens anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli.console import talk

if TYPE_CHECKING:
    from proband.study.findings import Findings


def _page(path: Path | None) -> Path | None:
    """Refuse a name that the page could not have before anything is computed."""
    from proband.errors import UsageError

    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--report writes a page, so its name ends in .html; got {path.name}.")
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
        help="Write all of it as one page that opens in any browser, without a network.",
        callback=_page,
        rich_help_panel="Output",
    ),
]


def write_page(found: Findings, path: Path) -> None:
    """Write what was found as a page."""
    from proband.engine import written_whole
    from proband.report.page.build import build_page
    from proband.report.page.render import render_page

    with written_whole(path) as draft:
        draft.write_text(render_page(build_page(found)), encoding="utf-8")
    talk().print(f"wrote {path}", markup=False, soft_wrap=True)
