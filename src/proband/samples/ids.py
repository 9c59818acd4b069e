"""Ids along an axis: unique, ordered, and fast to look up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import is_missing, plain_values
from proband.engine.kinds import Axes, shown
from proband.engine.labels import Labels, ordered, rows_of
from proband.engine.limits import Within
from proband.errors import Hint, InputError, UsageError, first_few
from proband.words import count

Positions = Annotated[npt.NDArray[np.intp], Axes(1), Within(ge=0, said="A position must be at least 0")]


class Ids(Sequence[str]):
    """An immutable sequence of unique, non-empty ids.

    Parameters
    ----------
    names
        The ids, in order. Values that are not text are converted to text.
    what
        What the ids name, for error messages: ``"query"``, ``"target"``, ``"sample"``.

    Examples
    --------
    >>> ids = Ids(["a", "b", "c"])
    >>> ids.positions(["c", "a"]), ids.missing(["a", "z"])
    (array([2, 0]), ['z'])

    """

    __slots__ = ("__dict__", "_names", "what")

    rows: Labels | range | None = None
    """How pandas labelled the rows that they are of, where it did."""

    def __init__(self, names: Iterable[object], what: str = "sample") -> None:
        given = _listed(names, what)
        missing = next((place for place, name in enumerate(given) if is_missing(name)), None)
        if missing is not None:
            raise InputError(f"The {what} id at position {missing} is missing.", "give every row an id.")
        self.rows = rows_of(names)
        self._names = tuple(map(str, given))
        self.what = what
        if len(self._place) != len(self._names):
            seen: set[str] = set()
            repeated = [name for name in self._names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
            raise InputError(
                f"{count(len(repeated))} of {count(len(self._names))} {what} ids {'repeats' if len(repeated) == 1 else 'repeat'} an earlier one: {first_few(repeated)}.",
                Hint(
                    "make ids unique; if rows and columns of a matrix are named by subject, {give:ids=subjects}."
                    if what in ("query", "target")
                    else "make ids unique; use another id column, or combine columns."
                ),
            )
        try:
            "".join(self._names).encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The {what} ids contain text that a file cannot store: {error.reason}."
            ) from None
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
        }  # positions are recomputed when needed

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._names[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)  # the default of a sequence looks up one name after the other, with checks

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids) and self._names == other._names

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        return f"Ids({first_few(self._names)}; {count(len(self))} in all)"

    def missing(self, names: Iterable[str]) -> list[str]:
        """The names that are not among the ids, in order.

        Parameters
        ----------
        names
            Any names.

        Returns
        -------
        list of str
            Empty if all are among the ids.
        """
        return [name for name in names if name not in self._place]

    @cached_property
    def _array(self) -> npt.NDArray[np.object_]:
        names = np.empty(len(self), dtype=object)
        names[:] = self._names
        return names

    def at(self, positions: Positions) -> list[str]:
        """The ids at the given positions.

        Parameters
        ----------
        positions
            Counted from 0.

        Returns
        -------
        list of str
            In the order of the positions.

        Examples
        --------
        >>> Ids(["a", "b", "c"]).at(np.array([2, 0]))
        ['c', 'a']
        """
        names: list[str] = self._array[positions].tolist()
        return names

    def positions_in(self, other: Ids) -> Positions:
        """The position of each id in another list, or -1.

        Parameters
        ----------
        other
            The other list.

        Returns
        -------
        numpy.ndarray
            One position for each of these names, from 0.
        """
        if other is self:
            return np.arange(len(self))
        place = other._place
        return np.fromiter((place.get(name, -1) for name in self._names), dtype=np.intp, count=len(self))

    def difference(self, others: Collection[str]) -> str | None:
        """Describe how the names in another list are written differently: file extension, directory, leading zeros, case, blanks.

        Names in both lists are not matched with other names, and differences that distinguish two names of one list are not ignored.

        Parameters
        ----------
        others
            Names of another list.

        Returns
        -------
        str or None
            The first difference found, with an example; None if there is none.

        Examples
        --------
        >>> Ids(["a", "b"]).difference(["a.jpg"])
        "they differ in the ending: 'a.jpg' against 'a' here; use the same form on both sides."
        >>> Ids(["anna/1.jpg", "anna/2.jpg"]).difference(["anna/1.jpg", "ben/1.jpg"])  # another person
        """
        unknown = self.missing(others)[:_LOOKED_AT]
        shared = set(others)
        for how, plain in _ALIKE.items():
            here = {plain(name): name for name in self._names if name not in shared}
            alike = next((name for name in unknown if plain(name) in here), None)
            if alike is not None and _tells_apart(plain, self._names) and _tells_apart(plain, shared):
                found = here[plain(alike)]
                return f"they differ in {how}: {alike!r} against {found!r} here; use the same form on both sides."
        return None

    def in_order(self, data: Any, what: str) -> Any:
        """Return a pandas column or frame with rows in the order of these ids, if labelled by them; anything else unchanged.

        Parameters
        ----------
        data
            A pandas Series or DataFrame, or anything else.
        what
            A description of the data, for error messages.

        Returns
        -------
        object
            The data, ordered.

        Raises
        ------
        InputError
            If the labels contradict the ids.
        """
        return ordered(data, self.written, self.rows, what)

    @property
    def written(self) -> Sequence[str]:
        """The ids as written by users."""
        return self._names

    def place(self, name: str) -> int:
        """The position of a name, or -1.

        Parameters
        ----------
        name
            Any name.

        Returns
        -------
        int
            From 0.
        """
        return self._place.get(name, -1)

    def positions(self, names: Iterable[str]) -> Positions:
        """Return the position of each name; all must be among the ids.

        Parameters
        ----------
        names
            Names that are among the ids.

        Returns
        -------
        numpy.ndarray
            One position for each name, from 0.
        """
        try:
            place = self._place
            return np.fromiter(map(place.__getitem__, names), dtype=np.intp)
        except KeyError as error:
            raise InputError(f"There is no {self.what} with the id {error.args[0]!r}.") from None


def plain_names(names: Iterable[object]) -> tuple[object, ...]:
    """Convert names of any library to plain values: missing values become None, and 7.0 becomes 7."""
    if isinstance(names, Ids | list | tuple) or not hasattr(names, "__array__"):
        return tuple(names)
    found = plain_values(names, "ids")
    floats = [value for value in found if value is not None]
    if floats and all(isinstance(value, float) and value.is_integer() for value in floats):
        # pandas converts integers with missing values to floats, and torch any numbers.
        return tuple(None if value is None else int(value) for value in found)
    return tuple(found)


class SubjectIds(Ids):
    """Ids of samples named by subject: a name may occur several times, once for each sample of the subject.

    Parameters
    ----------
    labels
        The subject of each sample, in order.
    what
        The kind of samples, used as a prefix, so that a query and a target of the same name are two samples.
    """

    __slots__ = ("labels",)

    def __init__(self, labels: Iterable[object], what: str) -> None:
        given = plain_names(labels)
        self.labels = tuple(map(str, given))
        empty = next((place for place, one in enumerate(given) if is_missing(one) or not str(one)), None)
        if empty is not None:
            raise InputError(
                f"The {what} at position {empty} has no subject.", "give every row and column a subject."
            )
        seen: dict[str, int] = {}
        taken = {f"{what}:{name}" for name in self.labels}
        names = []
        for label in self.labels:
            name, number = f"{what}:{label}", seen.get(label, 0) + 1
            while number > 1 and f"{name}#{number}" in taken:
                number += 1
            seen[label] = number
            names.append(name if number == 1 else f"{name}#{number}")
        super().__init__(names, what)
        self.rows = rows_of(labels)

    @property
    def written(self) -> Sequence[str]:
        return self.labels

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        return None, {"_names": self._names, "what": self.what, "labels": self.labels}


_LOOKED_AT = 100
_ALIKE: dict[str, Callable[[str], str]] = {
    "the ending": lambda name: name.rpartition(".")[0] or name,
    "the directory": lambda name: PurePosixPath(name).name,
    "the directory and the ending": lambda name: PurePosixPath(name).stem,
    "leading zeros": lambda name: name.lstrip("0") or "0",
    "the format of whole numbers": lambda name: name.removesuffix(".0"),
    "capital letters": str.casefold,
    "blanks": lambda name: "".join(name.split()),
}
"""What two tables often write differently, and what is left of a name without it."""


def _tells_apart(plain: Callable[[str], str], names: Collection[str]) -> bool:
    """Whether simplified names are still as distinct as the originals."""
    return len(set(map(plain, names))) == len(names)


def _listed(names: Any, what: str) -> tuple[Any, ...]:
    """Return names as a tuple; refuse anything that is not a list of names."""
    if not isinstance(names, Iterable) and not hasattr(names, "__array__"):
        raise UsageError(
            f"The {what} ids must be a list, one for each row; got {shown(names)}.",
            "pass samples.ids, a column or a list.",
        )
    shape = getattr(names, "shape", ())
    if len(shape) > 1:
        raise UsageError(
            f"The {what} ids must be a list, one for each row; got {shown(names)}.",
            "pass one column of it; check whether values and ids are swapped.",
        )
    return plain_names(names)
