"""Names along an axis: unique, ordered, and quick to look up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.errors import InputError, first_few
from proband.words import count

Positions = npt.NDArray[np.intp]


class Ids(Sequence[str]):
    """An immutable sequence of unique, non-empty ids.

    Parameters
    ----------
    names
        The ids, in order. Anything that is not text is turned into it.
    what
        What they name, for error messages: ``"query"``, ``"target"``, ``"sample"``.

    Examples
    --------
    >>> ids = Ids(["a", "b", "c"])
    >>> ids.positions(["c", "a"]), ids.missing(["a", "z"])
    (array([2, 0]), ['z'])

    """

    __slots__ = ("__dict__", "_names", "what")

    def __init__(self, names: Iterable[object], what: str = "sample") -> None:
        given = tuple(names)
        if None in given:
            raise InputError(
                f"The {what} id at position {given.index(None)} is missing.", "give every row an id."
            )
        self._names = tuple(map(str, given))
        self.what = what
        if len(self._place) != len(self._names):
            seen: set[str] = set()
            repeated = [name for name in self._names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
            raise InputError(
                f"{count(len(repeated))} of {count(len(self._names))} {what} ids repeat an earlier one: {first_few(repeated)}.",
                "ids must be unique; name another id column, or join columns to make one.",
            )
        if "" in self._place:
            raise InputError(
                f"The {what} id at position {self._place['']} is empty.", "give every row an id."
            )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._names)}

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        return None, {
            "_names": self._names,
            "what": self.what,
        }  # where they stand is found again where it is asked

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._names[index]

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids) and self._names == other._names

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        return f"Ids({first_few(self._names)}; {count(len(self))} in all)"

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those of `names` that are not here, in their order."""
        return [name for name in names if name not in self._place]

    def place(self, name: str) -> int:
        """Where a name stands, or -1."""
        return self._place.get(name, -1)

    def positions(self, names: Iterable[str]) -> Positions:
        """Return where each of `names` stands; every one must be here."""
        try:
            return np.fromiter(map(self._place.__getitem__, names), dtype=np.intp)
        except KeyError as error:
            raise InputError(f"There is no {self.what} with the id {error.args[0]!r}.") from None
