"""Shared context of views: all findings with their views, the leader, and the style of each algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from proband.report.charts.palette import places_of
from proband.report.view import Summary, View, view_of

if TYPE_CHECKING:
    from proband.inference.comparisons.comparison import Standings
    from proband.results.base import Facts
    from proband.results.estimate import Clusters
    from proband.study.findings import Findings

Made = TypeVar("Made")


class Scene:
    """Findings with their views. Values that several views need are computed once."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self._memory: dict[str, Any] = {}
        self.parts: dict[str, tuple[View[Any], Any]] = {
            key: (view_of(part), part) for key, part in found.parts.items()
        }

    def once(self, key: str, make: Callable[[], Made]) -> Made:
        """What `make` makes, or made before under the same key."""
        if key not in self._memory:
            self._memory[key] = make()
        made: Made = self._memory[key]
        return made

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return self.found.confidence_level

    def each(self, role: str) -> Iterator[tuple[View[Any], Any]]:
        """Every part with its view, in the order of precedence for a role."""
        views = self.parts.values()
        yield from sorted(views, key=lambda one: one[0].precedence.get(role, 1000.0))

    def first(self, role: str, ask: Callable[[View[Any], Any], Made]) -> Made | None:
        """What the first view answers that fills a role; None where none does."""
        return next((answer for view, part in self.each(role) if (answer := ask(view, part))), None)

    def leads(self, role: str, found: object) -> bool:
        """Whether a part is the one that fills a role."""
        method = role
        for view, part in self.each(role):
            if getattr(view, method)(part):
                return part is found
        return False

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The findings as plain values."""
        return self.found.to_dict()

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Every algorithm that was measured, in order."""
        named = (name for view, part in self.parts.values() for name in view.algorithms(part))
        return tuple(dict.fromkeys(named))

    @cached_property
    def standings(self) -> Standings | None:
        """The comparison that the verdict is about."""
        return self.first("standings", lambda view, part: view.standings(part))

    @cached_property
    def facts(self) -> Sequence[Facts]:
        """How the measurements came about."""
        return self.first("facts", lambda view, part: view.facts(part)) or ()

    @cached_property
    def judged(self) -> Sequence[Facts]:
        """The facts of what the verdict is about."""
        return self.first("judged", lambda view, part: view.judged(part)) or ()

    @cached_property
    def clusters(self) -> dict[str, Clusters]:
        """How alike the outcomes of one person's probes are."""
        return dict(self.first("clusters", lambda view, part: view.clusters(part)) or {})

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Every algorithm, the best first as far as that was measured."""
        named: list[str] = []
        if self.standings is not None:
            named += [one.algorithm for one in self.standings.ordered]
        named += [name for view, part in self.each("ordered") for name in view.ordered(part)]
        return tuple(dict.fromkeys([*named, *self.algorithms]))

    @cached_property
    def looks(self) -> dict[str, int]:
        """The place of every algorithm's look: of many, the leaders have the colours."""
        names = list(dict.fromkeys([*self.algorithms, *self.order]))
        return places_of(names, self.order)

    @cached_property
    def summary(self) -> Summary | None:
        """The headline that leads, with what others add to it; None where nothing can be summed up."""
        told = [one for view, part in self.parts.values() if (one := view.headline(part, self)) is not None]
        return min(told, key=lambda one: one.precedence) if told else None
