"""From what a study found to the page that tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proband.report.page.model import Page
from proband.report.page.registry import sections_of
from proband.report.page.sections.methods import methods_text
from proband.report.references import bibliography
from proband.report.scene import Scene
from proband.words import count, counted, visible

_MOST_ROWS = (
    60  # numbers or rows in a list of the embedded results; curves, people and pairs of many are longer
)
_EVERY_RANK = 10  # up to here every rank is in the embedded curves, beyond some
_RANKS_A_DOUBLING = 4


def build_page(scene: Scene) -> Page:
    """Make the page of a study, once: sections in the order they are read, each only if there is something in it."""
    return scene.once("page", lambda: _built(scene))


def _built(scene: Scene) -> Page:
    names = scene.algorithms
    shown = ", ".join(names[:6]) + (f" and {count(len(names) - 6)} more" if len(names) > 6 else "")
    subtitle = f"{counted(len(names), 'algorithm')}: {shown}" if names else ""
    return Page(scene.found.title, subtitle, sections_of(scene), embedded_files(scene))


def embedded_files(scene: Scene) -> dict[str, str]:
    """Files that travel in the page: results, tables, curves, the study, and what to cite.

    What is shorter than the file of a study's directory has a name of its own.
    """
    files = {"results-summary.json": _results(scene)}
    for view, part in scene.each("embedded"):
        files = {**view.embedded(part), **files}
    study = scene.found.provenance.study
    files |= {"study.toml": study} if study else {}
    text, keys = methods_text(scene)
    files["methods.txt"] = visible(text) + "\n"
    if keys:
        files["references.bib"] = bibliography(keys)
    return files


def _results(scene: Scene) -> str:
    """The results without what is too long for a page: whole curves and lists of people are named as left out."""
    lacking: list[str] = []
    plain = _shortened(scene.plain, "", lacking)
    if lacking:
        plain["left_out"] = sorted(set(lacking))
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _shortened(value: Any, path: str, lacking: list[str]) -> Any:
    if isinstance(value, Mapping):
        paths = {key: f"{path}.{key}" if path else key for key in value}
        lacking += [paths[key] for key, one in value.items() if _is_long(one)]
        return {key: _shortened(one, paths[key], lacking) for key, one in value.items() if not _is_long(one)}
    return [_shortened(one, path, lacking) for one in value] if isinstance(value, list | tuple) else value


def _is_long(value: Any) -> bool:
    """Whether it is a list with too many numbers or rows, or holds such a list: then it is left out whole."""
    if not isinstance(value, list | tuple):
        return False
    return (len(value) > _MOST_ROWS and all(map(_is_flat, value))) or any(map(_is_long, value))


def _is_flat(value: Any) -> bool:
    """Whether it is a number, or a row of them; notes and methods are words."""
    if not isinstance(value, Mapping):
        return True
    parts = (one for one in value.values() if not (isinstance(one, Mapping) and "text" in one))
    return not any(isinstance(one, Mapping | list) for one in parts)
