"""Build the page of a study from its results."""

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
_LONG, _HOLDING = object(), (dict, list, tuple)
_EVERY_RANK = 10  # up to here every rank is in the embedded curves, beyond some
_RANKS_A_DOUBLING = 4


def build_page(scene: Scene) -> Page:
    """Make the page of a study: non-empty sections in reading order."""
    return scene.once("page", lambda: _built(scene))


def _built(scene: Scene) -> Page:
    names = scene.algorithms
    shown = ", ".join(names[:6]) + (f" and {count(len(names) - 6)} more" if len(names) > 6 else "")
    subtitle = f"{counted(len(names), 'algorithm')}: {shown}" if names else ""
    return Page(scene.found.title, subtitle, sections_of(scene), embedded_files(scene))


def embedded_files(scene: Scene) -> dict[str, str]:
    """Files embedded in the page: results, tables, curves, the study, and citations.

    Files shorter than the study directory's version have a different name.
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
    """The value without lists that are too long, in one go; what is such a list, or holds one, is `_LONG`."""
    if isinstance(value, dict):
        made = {}
        for key, one in value.items():
            inner = f"{path}.{key}" if path else key
            kept = _shortened(one, inner, lacking) if isinstance(one, _HOLDING) else one
            if kept is _LONG:
                lacking.append(inner)
            else:
                made[key] = kept
        return made
    if len(value) > _MOST_ROWS and all(map(_is_flat, value)):
        return _LONG
    within: list[str] = []
    found = [_shortened(one, path, within) if isinstance(one, _HOLDING) else one for one in value]
    if any(one is _LONG for one in found):
        return _LONG
    lacking += within
    return found


def _is_flat(value: Any) -> bool:
    """Whether it is a number, or a row of them; notes and methods are words."""
    if not isinstance(value, Mapping):
        return True
    return all(_is_words(one) for one in value.values() if isinstance(one, Mapping | list))


def _is_words(value: Any) -> bool:
    return (
        all(map(_is_words, value))
        if isinstance(value, list)
        else isinstance(value, Mapping) and "text" in value
    )
