"""A directory with everything an evaluation found, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from proband.engine import written_whole
from proband.engine.documents import as_json
from proband.engine.files import make_directory
from proband.engine.spreadsheets import write_spreadsheet
from proband.errors import InputError, first_few
from proband.inference import Band, Evaluation
from proband.report.figures import cmc_figure, save_figure
from proband.report.tables import evaluation_markdown, statements

MARK = "results.json"
_FIGURES = ("cmc.png", "cmc.svg", "cmc.pdf")
_DEMO = ("report.html", "faces.png", "data", "data/samples.csv", "data/scores.npz")
_OURS = (MARK, "table.csv", "cmc.csv", "report.md", *_FIGURES)


def write_evaluation(
    evaluation: Evaluation,
    path: str | Path,
    title: str = "Identification",
    extra: Sequence[str] = (),
    attach: Callable[[Path], None] | None = None,
    drawn: Sequence[str] | None = None,
) -> Path:
    """Write tables, curves, figures and a readable summary into a directory of their own.

    `extra` paragraphs end the summary, `attach` may put more files into the directory before it appears, and `drawn`
    names the algorithms of the figure (by default all).
    A directory that holds an earlier evaluation is replaced; any other that is not empty is left alone. What `attach` puts in
    may be what others compute from, so only it replaces that.

    Returns
    -------
    Path
        The summary, ``report.md``.
    """
    with whole_directory(path, _OURS if attach is None else (*_OURS, *_DEMO)) as draft:
        (draft / MARK).write_text(as_json(evaluation.to_dict()), encoding="utf-8")
        write_spreadsheet(evaluation.to_frame(), draft / "table.csv")
        write_spreadsheet(evaluation.curves_frame(), draft / "cmc.csv")
        figure = cmc_figure(_panels(evaluation, drawn), title)
        for ending in ("png", "svg", "pdf"):
            save_figure(figure, draft / f"cmc.{ending}")
        if attach is not None:
            attach(draft)
        (draft / "report.md").write_text(_summary(evaluation, title, extra), encoding="utf-8")
    return Path(path) / "report.md"


@contextmanager
def whole_directory(path: str | Path, ours: Sequence[str]) -> Iterator[Path]:
    """Yield a directory to fill, which takes its place when it is whole.

    A directory that holds earlier results (files named in `ours`, with a results.json) is replaced; any other that is not
    empty is left alone.
    """
    path = Path(path)
    require_free(path, ours)
    make_directory(path.parent)
    with written_whole(path) as draft:
        # Again, now that whatever is put there from here on is noticed and kept.
        require_free(path, ours)
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
    entries = sorted(entry.relative_to(path).as_posix() for entry in path.rglob("*"))
    foreign = [name for name in entries if name not in ours]
    mark = path / MARK
    marked = not entries or (
        mark.is_file() and '"proband"' in mark.read_text(encoding="utf-8", errors="replace")[:200]
    )
    if foreign or not marked:
        raise InputError(
            f"{path} holds other things than earlier results, so it is left alone: {first_few(foreign or entries)}.",
            "name another directory.",
        )


def _panels(evaluation: Evaluation, drawn: Sequence[str] | None) -> dict[str, list[Band]]:
    return {
        name: [curve for curve in evaluation.bands(name) if drawn is None or curve.facts.algorithm in drawn]
        for name in evaluation.categories
    }


def _summary(evaluation: Evaluation, title: str, extra: Sequence[str]) -> str:
    notes = "\n".join(f"- {said}" for said in statements(evaluation))
    parts = [
        f"# {title}",
        evaluation_markdown(evaluation),
        "![Cumulative match characteristics](cmc.png)",
        notes,
        *extra,
    ]
    return "\n\n".join(parts) + "\n"
