"""Kinds of values: whether one is of a type as signatures write it, what such a type is called, and what a wrong one was."""

from __future__ import annotations

import collections.abc as abc
import numbers
import re
import types
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
import numpy.typing as npt

from proband.errors import Hint, nearest, quoted
from proband.words import given

_NUMBERS: dict[Any, str] = {float: "a number", int: "a whole number", bool: "True or False"}
_OPEN = (Any, object, npt.ArrayLike)
_LED_BY_NUMBER = re.compile(r"(\d+(?:\.\d+)?) ?[a-zµ]+$", re.IGNORECASE)  # 3in, 5 cm
_ALSO_CALLED = {"euclidean": "l2", "manhattan": "l1", "cityblock": "l1", "dot": "inner"}
_SEVERAL = (abc.Sequence, abc.Iterable, abc.Collection, abc.Set, list, tuple, set)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind that a signature names; what it leaves open fits.

    Examples
    --------
    >>> fits(3, float), fits("3", float), fits(True, int), fits([1, 2], abc.Sequence[int]), fits(None, int | None)
    (True, False, False, True, True)
    """
    if is_open(hint):
        return True
    if hint is None or hint is types.NoneType:
        return value is None
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return fits(value, inner[0])
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if hint in _NUMBERS:
        return _is_number(value, hint)
    if hint is str or hint is Path:
        return isinstance(value, hint)
    if origin in (abc.Mapping, dict):
        return isinstance(value, abc.Mapping) and all(fits(one, inner[1]) for one in value.values())
    if origin is tuple and inner[-1] is not Ellipsis:
        return isinstance(value, list | tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if origin in _SEVERAL:
        return _is_several(value, origin) and _wrong_item(value, inner[0]) is None
    if origin is abc.Callable or hint is abc.Callable:
        return callable(value)
    kind = origin or hint
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    return isinstance(value, kind)


def _wrong_item(value: Any, inner: Any) -> int | None:
    """Where a list holds what it must not; of columns and arrays, which are of one kind, the first is looked at."""
    if isinstance(value, list | tuple):
        return next((place for place, one in enumerate(value) if not fits(one, inner)), None)
    first = (
        value[:1]
        if hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, set)
        else ()
    )
    return next((0 for one in first if not fits(one, inner)), None)


def item_at_fault(value: Any, hint: Any) -> int | None:
    """Where a list that is asked for holds what it must not; None where it is no list at all."""
    if get_origin(hint) not in _SEVERAL or not isinstance(value, list | tuple):
        return None
    return _wrong_item(value, get_args(hint)[0])


def is_open(hint: Any) -> bool:
    """Whether a type leaves open what may be given: an array or a table, which the function itself judges."""
    if isinstance(hint, TypeVar | str) or any(hint is one or hint == one for one in _OPEN):
        return True
    if get_origin(hint) in (Union, types.UnionType):
        return any(is_open(one) for one in get_args(hint))
    kind = get_origin(hint) or hint
    if kind is abc.Iterable:
        return is_open(get_args(hint)[0])
    if kind in (Literal, Annotated, *_SEVERAL):
        return kind is Annotated and get_args(hint)[0] is Any
    if not isinstance(kind, type):
        return True
    # A frame of polars stands for any table, an array for any library's.
    home = kind.__module__.partition(".")[0]
    return home in ("polars", "numpy") or (getattr(kind, "_is_protocol", False) and home != "proband")


def _is_number(value: Any, hint: Any) -> bool:
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if isinstance(value, bool | np.bool_):
        return False
    if isinstance(value, numbers.Integral):
        return True
    single = isinstance(value, numbers.Real) or getattr(value, "shape", None) == ()
    return hint is float and single and hasattr(value, "__float__")


def _is_several(value: Any, origin: Any) -> bool:
    """Whether a value holds several others; a text is one, and columns of any library are several."""
    if isinstance(value, str | bytes | abc.Mapping):
        return False
    if origin is abc.Iterable:
        return isinstance(value, abc.Iterable)
    return isinstance(value, origin) or (hasattr(value, "__len__") and hasattr(value, "__getitem__"))


def expected(hint: Any) -> str:
    """What a type is called.

    Examples
    --------
    >>> expected(float | abc.Sequence[float]), expected(Literal["a", "b"]), expected(Path | None)
    ('a number or a list of numbers', "'a' or 'b'", 'a path')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return inner[1] if isinstance(inner[1], str) else expected(inner[0])
    if origin in (Union, types.UnionType):
        return _one_of(inner)
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}" if len(inner) > 2 else " or ".join(map(repr, inner))
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    if hint is str or hint is Path:
        return "a text" if hint is str else "a path"
    if origin in (abc.Mapping, dict):
        return f"a mapping of names to {_plural(inner[1])}"
    if origin in _SEVERAL:
        return f"a list of {_plural(inner[0])}"
    if origin is abc.Callable or hint is abc.Callable:
        return "a function"
    return _with_article(getattr(origin or hint, "__name__", str(hint)))


def _one_of(hints: tuple[Any, ...]) -> str:
    """What a union is called: a class or its name, one thing or several of it, or a list of words."""
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
            return rest if rest.endswith("s") else f"{rest[:-1]}ies" if rest.endswith("y") else f"{rest}s"
    return word


def _with_article(name: str) -> str:
    if name.endswith("s"):  # Scores, Samples, Outcomes
        return name
    return f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}"


def cure_of(hint: Any) -> Hint | None:
    """What a signature itself says to those who give it something else."""
    said = (
        one for part in (hint, *get_args(hint)) if get_origin(part) is Annotated for one in get_args(part)[1:]
    )
    return next((one for one in said if isinstance(one, Hint)), None)


def made_by(hint: Any, value: Any = None) -> str | None:
    """How what is asked for is made, where its class says so; of what a table makes first, where a table was given."""
    found = [one for one in _classes(hint) if isinstance(getattr(one, "made_by", None), str)]
    if hasattr(value, "columns"):
        found.sort(key=lambda one: not getattr(one, "made_of_tables", False))
    return f"make one: {found[0].made_by}." if found else None


def _classes(hint: Any) -> list[Any]:
    """The classes in a type, in order."""
    inner = get_args(hint)
    return (
        [two for one in inner for two in _classes(one)] if inner else [hint] if isinstance(hint, type) else []
    )


def instead(value: Any, hint: Any) -> str | None:
    """What was probably meant by a value that does not fit."""
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
    if isinstance(meant, float) and int in kinds and meant == int(meant):
        return f"write {int(meant)}."
    return None


def number_in(text: str) -> str | None:
    """How a number is written that came as text."""
    share = text.strip().endswith("%")
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        led = _LED_BY_NUMBER.match(text.strip())
        return f"write the number alone: {led[1]}." if led else None
    return (
        f"write {given(number / 100)} for {text.strip()}."
        if share
        else f"write {text.strip()} without quotation marks."
    )


def shown(value: Any) -> str:
    """What a value is, in a few words.

    Examples
    --------
    >>> shown(np.zeros((2, 3))), shown(None), shown("a"), shown([1, 2]), shown(int)
    ('a NumPy array of 2 × 3', 'None', "'a'", 'a list of 2', 'the class int')
    """
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a whole number of {int(value.bit_length() * 0.30103) + 1} digits"
    if value is None or isinstance(value, bool | int | float | complex | np.generic):
        return repr(value)[:80]
    if isinstance(value, str | Path):
        return quoted(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, np.ndarray):
        return f"a NumPy array of {' × '.join(map(str, value.shape)) or 'one value'}"
    name = type(value).__name__
    if isinstance(value, list | tuple | dict | set):
        held = list(value.values() if isinstance(value, dict) else value)
        inner = {type(one).__name__ for one in held}
        of = f" {next(iter(inner))}" if len(inner) == 1 and not isinstance(held[0], str | float | int) else ""
        return f"a {name} of {len(value)}{of}" if value else f"an empty {name}"
    library = type(value).__module__.partition(".")[0]
    return f"a {library} {name}" if library in ("pandas", "polars", "torch") else _with_article(name)
