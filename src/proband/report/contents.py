"""The tables and figures of a study, by the names of their files."""

from __future__ import annotations

import polars as pl

from proband.report.scene import Scene
from proband.report.view import Draw


def frames_of(scene: Scene) -> dict[str, pl.DataFrame]:
    """Every table of a study, rows as they are measured: nothing is rounded."""
    parts = scene.parts.values()
    return {name: frame for view, part in parts for name, frame in view.frames(part).items()}


def figures_of(scene: Scene) -> dict[str, Draw]:
    """What draws every figure of a study, by name."""
    parts = scene.parts.values()
    return {name: draw for view, part in parts for name, draw in view.figures(part, scene).items()}
