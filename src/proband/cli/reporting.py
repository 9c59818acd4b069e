"""The option ``--report`` of several commands: what they found as one page that opens anywhere."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli.console import talk

if TYPE_CHECKING:
    from proband.cli.inputs import ScoreInputs
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


def write_report(
    path: Path | None,
    title: str,
    inputs: ScoreInputs,
    read: Iterable[str | Path | None] = (),
    *,
    seed: int = 0,
    level: float = 0.95,
    **found: Any,
) -> None:
    """Write the page, if it was asked for.

    Parameters
    ----------
    inputs, read
        What was read: scores and samples; other files, and conditions, which may name files of ids (``@FILE``).
    found
        What the command found, as `Findings` takes it.
    """
    from proband.engine import written_whole

    if path is None:
        return
    files = dict.fromkeys((*_files_of(inputs), *_named_in(read)))
    page = page_of(title, files, seed=seed, level=level, **found)
    with written_whole(path) as draft:
        draft.write_text(page, encoding="utf-8")
    talk().print(f"wrote {path}", markup=False, soft_wrap=True)


def page_of(
    title: str, files: Iterable[Path] = (), *, seed: int = 0, level: float = 0.95, **found: Any
) -> str:
    """Make the page of what this command found, with the command and the digests of its files."""
    from proband.report.page.build import build_page
    from proband.report.page.render import render_page

    return render_page(build_page(_findings(title, files, seed, level, found)))


def _findings(title: str, files: Iterable[Path], seed: int, level: float, found: dict[str, Any]) -> Findings:
    from proband.study.caching import Cache
    from proband.study.findings import Findings, InputFile, Provenance
    from proband.study.inputs import versions

    digests = Cache(None)
    provenance = Provenance(
        command=shlex.join(["proband", *sys.argv[1:]]),
        seed=seed,
        versions=versions(),
        inputs=tuple(InputFile(path.as_posix(), *digests.digest(path)) for path in files),
    )
    return Findings(title, provenance, confidence_level=level, **found)


def _files_of(inputs: ScoreInputs) -> Iterator[Path]:
    """Samples, scores with what is read beside them, embeddings."""
    if inputs.samples is not None:
        yield inputs.samples
    for path in inputs.score_files():
        yield path
        for beside in (Path(f"{path}.json"), path.with_suffix(".mask")):
            if beside.is_file() and path.is_file():
                yield beside
    if inputs.mask is not None:
        yield inputs.mask
    yield from _named_in((inputs.queries, inputs.targets))


def _named_in(read: Iterable[str | Path | None]) -> Iterator[Path]:
    for one in read:
        if isinstance(one, Path):
            yield one
        elif one is not None and one.startswith("@"):
            yield Path(one[1:])
