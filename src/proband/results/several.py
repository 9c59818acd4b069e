"""The results of a function for several algorithms."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, Protocol, TypeVar, overload

import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import as_pandas
from proband.engine.rendering import Shown
from proband.errors import UsageError, unknown_name
from proband.scores.several import by_name, is_several
from proband.words import given, plain

if TYPE_CHECKING:
    import pandas as pd

Rest = ParamSpec("Rest")
Data = TypeVar("Data", contravariant=True)
Made = TypeVar("Made")
Key = TypeVar("Key", str, float)
Kept = TypeVar("Kept")


@published
class Several(dict[Key, Kept], Shown):
    """Results by algorithm name, in the given order, or by target false match rate.

    A dictionary that displays, plots and tabulates its results together.
    """

    def members(self) -> Iterator[Any]:
        """Iterate over all results, including nested ones.

        Returns
        -------
        iterator
            The results, in order.
        """
        for member in self.values():
            yield from member.members() if isinstance(member, Several) else (member,)

    def to_dict(self) -> dict[str, Any]:
        """Return the plain values of each result by name, for JSON.

        Returns
        -------
        dict
            The plain values of each result by name.
        """
        return {str(key): plain(member) for key, member in self.items()}

    def to_frame(self, *, wide: bool = False) -> pl.DataFrame:
        """Return the tables of all results in one, with the algorithm in the first column.

        Parameters
        ----------
        wide
            Everything that is known of each number.

        Returns
        -------
        polars.DataFrame
            The columns of all results; missing columns are filled with null.
        """
        asked: dict[str, Any] = {"wide": True} if wide else {}
        frames = []
        for key, member in self.items():
            frame: pl.DataFrame = member.to_frame(**asked)  # type: ignore[attr-defined]
            if isinstance(key, str):  # an algorithm; rates are already in the tables
                frame = frame.select(pl.lit(key).alias("algorithm"), pl.all().exclude("algorithm"))
            frames.append(frame)
        return pl.concat(frames, how="diagonal_relaxed")

    def to_pandas(self, *, wide: bool = False) -> pd.DataFrame:
        """Return the table of `to_frame` as a pandas frame.

        Parameters
        ----------
        wide
            Everything that is known of each number.

        Returns
        -------
        pandas.DataFrame
            The same columns and rows.
        """
        return as_pandas(self.to_frame(wide=wide))

    def __missing__(self, key: object) -> NoReturn:
        if self and not any(isinstance(name, str) for name in self):
            rates = ", ".join(given(float(rate)) for rate in self)
            raise UsageError(f"There is no result for {key!r}.", f"the false match rates are: {rates}.")
        raise unknown_name("algorithm", str(key), [str(name) for name in self])

    def __getattr__(self, name: str) -> NoReturn:
        first = next(iter(self), None)
        hint = (
            "" if first is None or name.startswith("_") else f"; select one first: results[{first!r}].{name}"
        )
        raise AttributeError(f"{type(self).__name__} object has no attribute {name!r}{hint}")

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the tables of all results, or their text."""
        shown = all(isinstance(member, Shown) for member in self.members())
        return super()._repr_html_() if shown and self else f"<pre>{self!r}</pre>"

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.values()))


class ForEach(Protocol[Data, Rest, Made]):
    """A function for one algorithm that also takes several."""

    @overload
    def __call__(self, one: Data, /, *args: Rest.args, **named: Rest.kwargs) -> Made: ...
    @overload
    def __call__(
        self, several: Sequence[Data] | Mapping[str, Data], /, *args: Rest.args, **named: Rest.kwargs
    ) -> Several[str, Made]: ...


def for_each(verb: Callable[Concatenate[Data, Rest], Made]) -> ForEach[Data, Rest, Made]:
    """Let a function for one algorithm also take a list or a mapping of several, and return `Several`."""
    said = inspect.signature(verb)
    first, *rest = said.parameters.values()
    several = f"{first.annotation} | Sequence[{first.annotation}] | Mapping[str, {first.annotation}]"

    @functools.wraps(verb)
    def run(*args: Any, **named: Any) -> Any:
        data = args[0] if args else named.pop(first.name)
        if is_several(data):
            return Several(
                {name: verb(algorithm, *args[1:], **named) for name, algorithm in by_name(data).items()}
            )
        return verb(data, *args[1:], **named)

    run.__signature__ = said.replace(parameters=[first.replace(annotation=several), *rest])  # type: ignore[attr-defined]
    return run
