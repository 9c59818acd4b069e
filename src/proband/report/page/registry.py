"""The sections of a page, in the order they are read: each registers itself, and installed packages may add their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def section(name: str, place: float) -> Callable[[Maker], Maker]:
    """Register what makes a section, and where it stands among the others."""

    def take(make: Maker) -> Maker:
        SECTIONS.register(name)(Placed(place, make))
        return make

    return take


def sections_of(found: Findings) -> tuple[Section, ...]:
    """Every section that has something in it, in order."""
    placed = [_placed(name, one) for name, one in SECTIONS.everything().items()]
    made = (one.make(found) for one in sorted(placed, key=lambda one: one.place))
    return tuple(one for one in made if one is not None)


def _placed(name: str, thing: object) -> Placed:
    if isinstance(thing, Placed):
        return thing
    if callable(thing):
        return Placed(_BEFORE_DIAGNOSTICS, thing)
    raise UsageError(f"The section {name} is a {type(thing).__name__}, which makes none.")
