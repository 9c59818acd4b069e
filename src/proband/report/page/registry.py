"""The sections of a page, in the order they are read: each registers itself, and installed packages may add their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from proband.engine.registry import Registry
from proband.errors import UsageError
from proband.report.page.model import Section
from proband.study.findings import Findings

Maker = Callable[[Findings], Section | None]


@dataclass(frozen=True)
class Placed:
    """What makes a section, if there is anything to say, and where it stands: sections go by ascending place."""

    place: float
    make: Maker


SECTIONS = Registry("section", "proband.sections", package="proband.report.page.sections")
"""Sections by name: each `Placed`, or a function that makes one, which then stands before the diagnostics."""

_BEFORE_DIAGNOSTICS = 85.0
_EVIDENCE_ENDS, _MOST_OPEN = 70.0, 4  # the answer, and three of the evidence


def section(name: str, place: float) -> Callable[[Maker], Maker]:
    """Register what makes a section, and where it stands among the others."""

    def take(make: Maker) -> Maker:
        SECTIONS.register(name)(Placed(place, make))
        return make

    return take


def sections_of(found: Findings) -> tuple[Section, ...]:
    """Every section that has something in it, in order: the answer and the first of the evidence open, all else folded."""
    placed = sorted(
        (_placed(name, one) for name, one in SECTIONS.everything().items()), key=lambda one: one.place
    )
    made = [(one.place, section) for one in placed if (section := one.make(found)) is not None]
    evidence = [section for place, section in made if place < _EVIDENCE_ENDS]
    opened = evidence[:_MOST_OPEN]
    return tuple(replace(section, folded=section not in opened) for _, section in made)


def _placed(name: str, thing: object) -> Placed:
    if isinstance(thing, Placed):
        return thing
    if callable(thing):
        return Placed(_BEFORE_DIAGNOSTICS, thing)
    raise UsageError(f"The section {name} is a {type(thing).__name__}, which makes none.")
