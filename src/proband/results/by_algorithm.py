"""What a verb finds about each of several algorithms."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import polars as pl

from proband.scores.several import by_name, is_several

Rest = ParamSpec("Rest")
One = TypeVar("One", contravariant=True)
Found = TypeVar("Found")
Kept = TypeVar("Kept")


class ByAlgorithm(dict[str, Kept]):
    """Results by the names of algorithms, in the order they were given."""

    def to_frame(self) -> pl.DataFrame:
        """The tables of all, one below the other, with the algorithm first."""
        frames = []
        for name, one in self.items():
            frame: pl.DataFrame = one.to_frame()  # type: ignore[attr-defined]
            rest = pl.all().exclude("algorithm")
            frames.append(frame.select(pl.lit(name).alias("algorithm"), rest))
        return pl.concat(frames, how="diagonal_relaxed")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.values()))


class ForEach(Protocol[One, Rest, Found]):
    """A verb about one algorithm that takes several as well."""

    @overload
    def __call__(self, one: One, /, *args: Rest.args, **named: Rest.kwargs) -> Found: ...
    @overload
    def __call__(
        self, several: Sequence[One] | Mapping[str, One], /, *args: Rest.args, **named: Rest.kwargs
    ) -> ByAlgorithm[Found]: ...


def for_each(verb: Callable[Concatenate[One, Rest], Found]) -> ForEach[One, Rest, Found]:
    """Let a verb about one algorithm take several, as a list or a mapping of names: what it finds of each, by name."""
    said = inspect.signature(verb)
    first, *rest = said.parameters.values()
    several = f"{first.annotation} | Sequence[{first.annotation}] | Mapping[str, {first.annotation}]"

    @functools.wraps(verb)
    def run(*args: Any, **named: Any) -> Any:
        data = args[0] if args else named.pop(first.name)
        if is_several(data):
            return ByAlgorithm({name: verb(one, *args[1:], **named) for name, one in by_name(data).items()})
        return verb(data, *args[1:], **named)

    run.__signature__ = said.replace(parameters=[first.replace(annotation=several), *rest])  # type: ignore[attr-defined]
    return run
