"""The run directory: all results of a study, written completely or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from proband.engine.files.documents import as_json
from proband.engine.files.spreadsheets import write_spreadsheet
from proband.report.directory import MARK, whole_directory
from proband.report.figures.style import save_figure
from proband.report.model_card import card_of, metrics_of
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.report.view import Draw
from proband.study.caching import Cache
from proband.study.findings import Findings

REPORT = "report.html"
STUDY = "study.toml"
CARD = "model-card.md"
TABLE_ENDINGS = ("csv", "parquet")
FIGURE_ENDINGS = ("png", "svg", "pdf")


def write_run(
    found: Findings | Scene,
    path: str | Path,
    formats: Sequence[str] = (*TABLE_ENDINGS, "svg"),
    cache: Cache | None = None,
    attach: Callable[[Path], None] | None = None,
    attached: Sequence[str] = (),
    dataset: str | None = None,
) -> Path:
    """Write results, tables, figures, the report and the study itself into a directory of their own; return the report.

    A directory that contains an earlier run is replaced; any other non-empty directory raises an error. The bytes depend only on
    the findings, not on the time or on local paths. `attach` adds the files `attached` before the directory appears; they may be
    in use elsewhere, so they are replaced only by a run that attaches them again. Pass the scene if the findings are also shown
    elsewhere, to avoid duplicate work. The model card names the `dataset`; by default the title.
    """
    scene = found if isinstance(found, Scene) else Scene(found)
    found, path = scene.found, Path(path)
    results = as_json(scene.plain)
    with whole_directory(path, attached) as draft:
        (draft / MARK).write_text(results, encoding="utf-8", newline="\n")
        if found.provenance.study:
            # Not write_text, which would turn line ends: the study is kept to the letter.
            (draft / STUDY).write_bytes(found.provenance.study.encode())
        _write_tables(scene, draft / "tables", [one for one in TABLE_ENDINGS if one in formats])
        endings = [one for one in FIGURE_ENDINGS if one in formats]
        if endings:
            _write_figures(scene, draft / "figures", endings, results, cache or Cache(None))
        (draft / REPORT).write_text(render_page(build_page(scene)), encoding="utf-8", newline="\n")
        for view, part in scene.parts.values():
            view.write(part, draft)
        metrics = metrics_of(found)
        if metrics:
            (draft / CARD).write_text(
                card_of(metrics, dataset or found.title), encoding="utf-8", newline="\n"
            )
        if attach is not None:
            attach(draft)
    return path / REPORT


def _write_tables(scene: Scene, folder: Path, endings: Sequence[str]) -> None:
    frames = frames_of(scene) if endings else {}
    if frames:
        folder.mkdir()
    for name, frame in frames.items():
        for ending in endings:
            if ending == "csv":
                write_spreadsheet(frame, folder / f"{name}.csv")
            else:
                frame.write_parquet(folder / f"{name}.parquet")


def _write_figures(scene: Scene, folder: Path, endings: Sequence[str], results: str, cache: Cache) -> None:
    """Draw the figures, or take those that were drawn of the same results: drawing may take longer than all else."""

    def make() -> dict[str, Any]:
        for name, draw in figures_of(scene).items():
            figure = draw()
            for ending in endings:
                save_figure(figure, folder / f"{name}.{ending}")
        return {one.name: np.frombuffer(one.read_bytes(), np.uint8) for one in sorted(folder.iterdir())}

    folder.mkdir()
    # The results tell the study, the digests of its inputs and all versions, on which figures depend.
    depends_on = {"results": hashlib.sha256(results.encode()).hexdigest(), "endings": list(endings)}
    drawn = cache.step("figures", depends_on, make)
    for name, content in drawn.items():
        (folder / name).write_bytes(content.tobytes())
    if not drawn:
        folder.rmdir()


def frames_of(scene: Scene) -> dict[str, pl.DataFrame]:
    """Every table of a study, unrounded."""
    parts = scene.parts.values()
    return {name: frame for view, part in parts for name, frame in view.frames(part).items()}


def figures_of(scene: Scene) -> dict[str, Draw]:
    """What draws every figure of a study, by name."""
    parts = scene.parts.values()
    return {name: draw for view, part in parts for name, draw in view.figures(part, scene).items()}
