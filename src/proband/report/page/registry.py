"""The sections of a page in reading order: sections of analyses, sections that combine analyses, and sections of installed packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from proband.engine.registry import Registry
from proband.errors import UsageError
from proband.report.page.model import Section
from proband.report.scene import Scene
from proband.report.view import Placed

Maker = Callable[[Scene], Section | None]


@dataclass(frozen=True)
class Combined:
    """Maker of a section that combines analyses, and its place; sections are sorted by place."""

    place: float
    make: Maker


SECTIONS = Registry("section", "proband.sections", package="proband.report.page.sections")
"""Sections that combine analyses, by name: each a `Combined`, or a function that makes a section, placed before the diagnostics."""

_BEFORE_DIAGNOSTICS = 85.0
_EVIDENCE_ENDS, _MOST_OPEN = 70.0, 4  # the answer, and three of the evidence


def section(name: str, place: float) -> Callable[[Maker], Maker]:
    """Register the maker of a section, and its place."""

    def take(make: Maker) -> Maker:
        SECTIONS.register(name)(Combined(place, make))
        return make

    return take


def sections_of(scene: Scene) -> tuple[Section, ...]:
    """All non-empty sections in order; the verdict and the first section of evidence are open, the others folded."""
    made = [one for view, part in scene.parts.values() for one in view.sections(part, scene)]
    for name, thing in SECTIONS.everything().items():
        combined = _combined(name, thing)
        found = combined.make(scene)
        made += [] if found is None else [Placed(combined.place, found)]
    made.sort(key=lambda one: one.place)
    opened = [one.section for one in made if one.place < _EVIDENCE_ENDS][:_MOST_OPEN]
    return tuple(replace(one.section, folded=one.section not in opened) for one in made)


def _combined(name: str, thing: object) -> Combined:
    if isinstance(thing, Combined):
        return thing
    if callable(thing):
        return Combined(_BEFORE_DIAGNOSTICS, thing)
    raise UsageError(f"The section {name} is a {type(thing).__name__}, which makes none.")
