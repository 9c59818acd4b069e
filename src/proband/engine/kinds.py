"""Types of values: checks against annotations, names of types, and descriptions of wrong values."""

from __future__ import annotations

import collections.abc as abc
import numbers
import operator
import re
import types
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import array_from
from proband.engine.hints import plain
from proband.errors import Hint, ProbandError, nearest, quoted
from proband.words import counted, given

_NUMBERS: dict[Any, str] = {float: "a number", int: "a whole number", bool: "True or False"}
_OPEN = (Any, object, npt.ArrayLike)
_IN_ARRAYS: dict[Any, tuple[str, Any, str]] = {
    np.bool_: ("b", np.bool_, "a boolean array"),
    np.integer: ("iu", np.int64, "an array of whole numbers"),
    np.floating: ("f", np.float64, "an array of numbers"),
    np.str_: ("U", np.str_, "an array of strings"),
}
"""What arrays hold: its kind, what is made of another kind where it can be, and in words."""
_AXES = {1: "one axis", 2: "two axes", 3: "three axes"}
_LED_BY_NUMBER = re.compile(r"(\d+(?:\.\d+)?) ?[a-zµ]+$", re.IGNORECASE)  # 3in, 5 cm
_ALSO_CALLED = {"euclidean": "l2", "manhattan": "l1", "cityblock": "l1", "dot": "inner", "jackknife": "jkn"}
_MAPPINGS: tuple[Any, ...] = (abc.Mapping, dict)
SEVERAL = (abc.Sequence, abc.Iterable, abc.Collection, abc.Set, list, tuple, set)


@dataclass(frozen=True)
class Axes:
    """The annotation of an array: the number of axes (0 for any number but none), the element type, and whether it may be empty.

    An array with possible row labels is passed unchanged, so that the function can use the labels.
    """

    n: int = 0
    of: Any = None
    filled: bool = False
    labelled: bool = False

    def __str__(self) -> str:
        return f"an array of {_AXES[self.n]}" if self.n else "an array"

    def within(self, array: Any) -> Axes:
        """The same axes with the element type of the array type."""
        array = plain(array)
        inner = get_args(array)
        if get_origin(array) is not np.ndarray or self.of is not None:
            return self
        held = get_args(inner[1])[0]
        return replace(self, of=get_origin(held) or held)

    def taken(self, value: Any) -> Any:
        """Convert a list or array of any library to the annotated array; `MISFIT` for anything else."""
        try:
            made = value if isinstance(value, np.ndarray) else array_from(value, "values")
        except ProbandError:
            return MISFIT
        if not made.ndim or made.ndim != (self.n or made.ndim) or (self.filled and not made.size):
            return MISFIT
        wanted = next(
            (one for one in _IN_ARRAYS if isinstance(self.of, type) and issubclass(self.of, one)), None
        )
        if wanted is None or made.dtype.kind in _IN_ARRAYS[wanted][0]:
            return value if self.labelled else made
        if made.size and (wanted is not np.floating or made.dtype.kind not in "biu"):
            return MISFIT
        return value if self.labelled else made.astype(_IN_ARRAYS[wanted][1])


JUDGED = object()
"""In a type: what is given may be of another, and is judged where it is taken."""
MISFIT: Any = object()
"""What stands for a value of the wrong kind."""


def fits(value: Any, hint: Any) -> bool:
    """Whether a value matches an annotation; open types always match."""
    return taken(value, hint) is not MISFIT


def taken(value: Any, hint: Any) -> Any:
    """Convert a value to an annotated type, or return `MISFIT`; values of open types are unchanged.

    Numbers of other libraries become Python numbers, and arrays and columns become lists where a list is annotated, so that
    functions need not handle them.
    """
    if is_open(hint):
        return _plain(value)
    if hint is None or hint is types.NoneType:
        return None if value is None else MISFIT
    hint = plain(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        axes = next((one for one in inner if isinstance(one, Axes)), None)
        return taken(value, inner[0]) if axes is None else axes.within(inner[0]).taken(value)
    if origin in (Union, types.UnionType):
        # A mapping is also a collection, of its keys.
        ordered = (
            sorted(inner, key=lambda one: get_origin(one) not in _MAPPINGS)
            if isinstance(value, abc.Mapping)
            else inner
        )
        found = (taken(value, one) for one in ordered)
        return next((one for one in found if one is not MISFIT), MISFIT)
    if origin in _MAPPINGS:
        return _taken_mapping(value, *inner) if isinstance(value, abc.Mapping) else MISFIT
    if origin is tuple and inner[-1] is not Ellipsis:
        whole = isinstance(value, list | tuple) and len(value) == len(inner)
        return _together(value, list(map(taken, value, inner)), tuple) if whole else MISFIT
    if origin in SEVERAL:
        return _taken_items(value, origin, inner[0]) if _is_several(value, origin) else MISFIT
    if origin is np.ndarray:
        return Axes().within(hint).taken(value)
    value = _plain(value)
    if hint is float and isinstance(value, int) and value.bit_length() > 63:  # too large for NumPy integers
        value = _as_float(value)
    return value if _is_one(value, origin or hint, inner) else MISFIT


def listed(value: Any, hint: Any) -> Any:
    """The items of an iterator as a list, if the type is iterable: an iterator can be read only once."""
    kinds = [get_origin(one) for one in (hint, *get_args(hint))]
    return (
        list(value)
        if isinstance(value, abc.Iterator) and abc.Iterable in kinds and not is_open(hint)
        else value
    )


def _is_one(value: Any, kind: Any, words: tuple[Any, ...]) -> bool:
    """Whether a single value is of a type, or among the values of a `Literal`."""
    if kind is Literal:
        return any(type(value) is type(one) and value == one for one in words)
    if kind in _NUMBERS:
        return _is_number(value, kind)
    if kind is abc.Callable:
        return callable(value)
    if getattr(kind, "_is_protocol", False):
        named = [name for name in vars(kind) if not name.startswith("_")]
        return not isinstance(value, str | bytes | type) and all(hasattr(value, name) for name in named)
    return isinstance(value, kind)


def _is_number(value: Any, kind: Any) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, int if kind is int else int | float)


def _plain(value: Any) -> Any:
    """Convert a scalar of an array library, or another number type, to Python; times are unchanged."""
    if value is np.ma.masked:
        return None
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        found = value.item()
        timed = isinstance(value, np.datetime64 | np.timedelta64) or value.dtype == object
        return value if timed else found
    other = isinstance(value, numbers.Real) and not isinstance(value, int | float)
    return _as_float(value) if other else value


def _as_float(number: Any) -> Any:
    """A number as a float, or unchanged if it is too large."""
    try:
        return float(number)
    except OverflowError:
        return number


def _together(value: Any, made: list[Any], kind: Any) -> Any:
    """The converted items, or the value itself if nothing changes."""
    if any(one is MISFIT for one in made):
        return MISFIT
    right = isinstance(value, tuple | abc.Set | abc.Mapping) or (
        isinstance(value, list) and kind is not tuple
    )
    if right and all(map(operator.is_, made, value)):
        return value
    return tuple(made) if kind is tuple or isinstance(value, tuple) else made


def _taken_mapping(value: abc.Mapping[Any, Any], names: Any, inner: Any) -> Any:
    made = {name: taken(one, inner) for name, one in value.items()}
    if any(one is MISFIT for one in made.values()) or not all(fits(name, names) for name in made):
        return MISFIT
    return value if all(one is value[name] for name, one in made.items()) else made


def _taken_items(value: Any, origin: Any, inner: Any) -> Any:
    """The converted items; of sequences other than lists and tuples, which have one item type, only the first is checked."""
    if isinstance(value, list | tuple | abc.Mapping | abc.Set) or _is_array(value):
        return _together(value, [taken(one, inner) for one in value], origin)
    first = value[:1] if isinstance(value, abc.Sequence) else ()
    return value if all(fits(one, inner) for one in first) else MISFIT


def _is_array(value: Any) -> bool:
    """Whether a value is an array, or a column of a table."""
    return (
        hasattr(value, "__len__")
        and hasattr(value, "__getitem__")
        and not isinstance(value, str | bytes | abc.Sequence | abc.Mapping | abc.Set)
        and getattr(value, "shape", None) != ()
        and not hasattr(value, "columns")
    )


def item_at_fault(value: Any, hint: Any) -> int | None:
    """The item of a list that does not match; None if the value is not a list."""
    if get_origin(hint) not in SEVERAL or not isinstance(value, list | tuple):
        return None
    inner = get_args(hint)[0]
    return next((place for place, one in enumerate(value) if not fits(one, inner)), None)


def is_open(hint: Any) -> bool:
    """Whether a type is open: an array or a table, which the function itself checks."""
    if isinstance(hint, TypeVar | str) or any(hint is one or hint == one for one in _OPEN):
        return True
    hint = plain(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return any(is_open(one) for one in get_args(hint))
    kind = get_origin(hint) or hint
    if kind is abc.Iterable:
        return is_open(get_args(hint)[0])
    if kind is Annotated:
        inner = get_args(hint)
        return (
            inner[0] is Any
            or JUDGED in inner
            or (inner[0] == npt.ArrayLike and not any(isinstance(one, Axes) for one in inner))
        )
    if kind in (Literal, np.ndarray, *SEVERAL):
        return False
    if not isinstance(kind, type):
        return True
    home = kind.__module__.partition(".")[0]
    return home == "numpy" or (getattr(kind, "_is_protocol", False) and home != "proband")


def _is_several(value: Any, origin: Any) -> bool:
    """Whether a value is a collection; text is not, but columns of any library are."""
    if isinstance(value, str | bytes) or getattr(value, "shape", None) == () or hasattr(value, "columns"):
        return False  # a text, a number, a table
    if origin in (abc.Iterable, abc.Collection):  # of a mapping, its keys
        return isinstance(value, origin)
    if isinstance(value, abc.Mapping):
        return False
    return isinstance(value, origin | abc.Sequence) or _is_array(value)


def expected(hint: Any) -> str:
    """The name of a type in messages."""
    hint = plain(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return str(inner[1]) if isinstance(inner[1], str | Axes) else expected(inner[0])
    if origin in (Union, types.UnionType):
        return _one_of(inner)
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}" if len(inner) > 2 else " or ".join(map(repr, inner))
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    if hint is str or hint is Path:
        return "a string" if hint is str else "a path"
    if origin in (abc.Mapping, dict):
        return f"a mapping of names to {_plural(inner[1])}"
    if origin in SEVERAL:
        return f"a list of {_plural(inner[0])}"
    if origin is abc.Callable or hint is abc.Callable:
        return "a function"
    if origin is np.ndarray:
        of = Axes().within(hint).of
        return next(
            (one[2] for kind, one in _IN_ARRAYS.items() if isinstance(of, type) and issubclass(of, kind)),
            "an array",
        )
    return _with_article(getattr(origin or hint, "__name__", str(hint)))


def _one_of(hints: tuple[Any, ...]) -> str:
    """The name of a union: a class or its name, one or several of a type, or a list of values."""
    kinds = [
        one
        for one in hints
        if one is not types.NoneType and not (str in hints and get_origin(one) is Literal)
    ]
    single = [one for one in kinds if get_origin(one) not in (abc.Sequence, abc.Mapping, dict)]
    several = bool(single) and any(get_origin(one) in (abc.Mapping, dict) for one in kinds)
    kinds = single if several else kinds
    if str in kinds and Path in kinds:
        kinds.remove(str)
    words = list(
        dict.fromkeys("its name" if one is str and len(kinds) > 1 else expected(one) for one in kinds)
    )
    said = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return f"{said}, one or several" if several else said


def _plural(hint: Any) -> str:
    if is_open(hint):
        return "values"
    word = expected(hint)
    for one in ("a ", "an "):
        if word.startswith(one) and " or " not in word:
            rest = word.removeprefix(one)
            if rest.startswith("array"):
                return f"arrays{rest.removeprefix('array')}"
            return rest if rest.endswith("s") else f"{rest[:-1]}ies" if rest.endswith("y") else f"{rest}s"
    return word


def _with_article(name: str) -> str:
    if name.endswith("s"):  # Scores, Samples, Outcomes
        return name
    return f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}"


def cure_of(hint: Any) -> Hint | None:
    """The hint in an annotation for wrong values."""
    said = (
        one for part in (hint, *get_args(hint)) if get_origin(part) is Annotated for one in get_args(part)[1:]
    )
    return next((one for one in said if isinstance(one, Hint)), None)


def made_by(hint: Any, value: Any = None) -> str | None:
    """How to create an object of the type, if its class states it; for tables, the class made from them first."""
    if isinstance(value, list | tuple) and any(isinstance(member, abc.Mapping) for member in value):
        return "merge the dictionaries, {**first, **second}, or select the items you need, first['name']."
    found = [one for one in _classes(hint) if isinstance(getattr(one, "made_by", None), str)]
    if hasattr(value, "columns"):
        found.sort(key=lambda one: not getattr(one, "made_of_tables", False))
    return f"create one: {found[0].made_by}." if found else None


def _classes(hint: Any) -> list[Any]:
    """The classes in a type, in order."""
    inner = get_args(hint)
    return (
        [two for one in inner for two in _classes(one)] if inner else [hint] if isinstance(hint, type) else []
    )


def instead(value: Any, hint: Any) -> str | None:
    """A hint on what was probably meant by a wrong value."""
    kinds = [hint, *get_args(hint), *(two for one in get_args(hint) for two in get_args(one))]
    if isinstance(value, type):
        return f"call it: {value.__name__}()."
    words = [str(word) for one in kinds if get_origin(one) is Literal for word in get_args(one)]
    if isinstance(value, str) and words:
        known_as = _ALSO_CALLED.get(value.lower())
        return f"write {known_as!r}." if known_as in words else nearest(value, words)
    meant = value[0] if isinstance(value, list | tuple) and value else value
    if isinstance(meant, str) and any(one in (int, float) for one in kinds):
        return number_in(meant)
    if isinstance(meant, float) and int in kinds and meant.is_integer():
        return f"write {int(meant)}."
    return None


def number_in(text: str) -> str | None:
    """A hint for a number given as text."""
    share = text.strip().endswith("%")
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        led = _LED_BY_NUMBER.match(text.strip())
        return f"write only the number: {led[1]}." if led else None
    return (
        f"write {given(number / 100)} for {text.strip()}."
        if share
        else f"write {text.strip()} without quotation marks."
    )


def shown(value: Any) -> str:
    """A short description of a value."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a whole number of {int(value.bit_length() * 0.30103) + 1} digits"
    if value is None or isinstance(value, bool | int | float | complex | np.generic):
        return repr(value)[:80]
    if isinstance(value, str | Path):
        return quoted(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, np.ndarray):
        return f"a NumPy array of {' × '.join(map(str, value.shape)) or 'one value'} ({value.dtype})"
    name = type(value).__name__
    if isinstance(value, list | tuple | dict | set):
        held = list(value.values() if isinstance(value, dict) else value)
        inner = {type(one).__name__ for one in held}
        of = f" {next(iter(inner))}" if len(inner) == 1 and not isinstance(held[0], str | float | int) else ""
        if isinstance(value, dict) and value and not of:
            return f"a dict with {counted(len(value), 'entry', 'entries')}"
        return f"a {name} of {len(value)}{of}" if value else f"an empty {name}"
    library = type(value).__module__.partition(".")[0]
    return f"a {library} {name}" if library in ("pandas", "polars", "torch") else _with_article(name)
