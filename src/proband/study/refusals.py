"""What is wrong with a request, told in words: where in it, what was expected, what was got, and how to mend it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from proband.engine.kinds import number_in, shown as in_words
from proband.engine.limits import as_share, end_in_words
from proband.errors import Door, Hint, UsageError, meant
from proband.study.editing.renames import rename_of

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Keys = tuple[str | int, ...]
_WORDS = {str: "text in quotes", bool: "true or false", int: "a whole number", float: "a number"}
_MOST_KEYS = 50  # all that a section has, so that one can choose
MOST = 2**53
"""The largest count: larger whole numbers are not exact as floats."""
_LIMITS = (("ge", "of at least"), ("le", "of at most"), ("gt", "above"), ("lt", "below"))


class RequestError(UsageError):
    """A request that cannot be: `keys` lead to what is wrong with it, which each door finds in its own way.

    Attributes
    ----------
    keys
        The section, its number if there are several, and the key.
    """

    def __init__(self, keys: Keys, problem: str | Hint, hint: str | Hint | None = None) -> None:
        whole = (
            f"{problem}."
            if isinstance(problem, str)
            else type(problem)(f"{problem.template}.", **problem.values)
        )
        super().__init__(whole, hint)
        self.keys = keys

    @property
    def kind(self) -> str:
        """A request is usage."""
        return UsageError.__name__

    def told(self, door: Door = "python") -> tuple[str, str | None]:
        """The message and the hint; a place that nobody knows better is told by its keys."""
        self.place = self.place or said_as(self.keys)
        return super().told(door)


def said_as(keys: Keys) -> str:
    """A place in a request as its writer would call it: ``[search] fpir``, or the second ``[[scores]]``."""
    if len(keys) < 2:
        return "".join(map(str, keys))
    section = f"[[{keys[0]}]] number {keys[1] + 1}" if isinstance(keys[1], int) else f"[{keys[0]}]"
    words = [key for key in keys[1:] if isinstance(key, str)]
    return " ".join([section, ".".join(words)]).rstrip()


def shown(value: Any) -> str:
    """A value as a study file writes it, shortened."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value[:4]))}{', …' if len(value) > 4 else ''}]"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else _spelled(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _spelled(value: Any) -> str:
    return in_words(value) if isinstance(value, int) else str(value)


def refusal(model: type[BaseModel], error: ValidationError) -> RequestError:
    """Tell the first thing that is wrong with a request."""
    first = error.errors(include_url=False)[0]
    keys, got = tuple(first["loc"]), first["input"]
    context = first.get("ctx", {})
    match first["type"]:
        case "proband":
            return RequestError((*keys, *context["at"]), context["message"], context["hint"])
        case "missing":
            return RequestError(keys[:-1], f"{keys[-1]!r} is missing", f"write {keys[-1]} = …")
        case "extra_forbidden":
            return _unknown(model, keys, got)
    hint = _hint_at(model, keys)
    if _is_table(hint):
        section = keys[0] if keys else ""
        return RequestError(
            keys, f"expected a table, got {shown(got)}", f"write [{section}] on a separate line."
        )
    expected, known = _expected(hint, got)
    cure = meant(got, known, _MOST_KEYS) if known and isinstance(got, str) else _rewritten(hint, got)
    return RequestError(keys, f"expected {expected}, got {shown(got)}", cure)


def _unknown(model: type[BaseModel], keys: Keys, got: Any) -> RequestError:
    name = str(keys[-1])
    if len(keys) > 1:
        inner = model_of(_hint_at(model, keys[:-1]))
        known = list(inner.model_fields) if inner is not None else []
        rename = rename_of(name, known)
        if rename is None:
            return RequestError(keys, f"there is no key {name!r} here", meant(name, known, _MOST_KEYS))
        now = rename.now if rename.now in known else f"[{rename.into}] {rename.now}"
        value = rename.rewritten(got)
        cure = f"write {rename.now} = {'…' if value is None else shown(value)}; in a study file, proband migrate does it."
        return RequestError(keys, f"{name!r} is now called {now!r}", cure)
    sections = model.model_fields
    owners = [one for one, field in sections.items() if name in _fields_of(field.annotation)]
    if owners:
        where = " or ".join(f"[{owner}]" for owner in owners)
        return RequestError(
            keys,
            f"there is no section or key {name!r}",
            f"it is a key of {where}; write it below that line.",
        )
    section = _sections_of_commands().get(name)
    hint = f"it is called {section!r} here." if section in sections else meant(name, sections, _MOST_KEYS)
    return RequestError(keys, f"there is no section or key {name!r}", hint)


def _sections_of_commands() -> dict[str, str]:
    """Commands whose names differ from those of the sections that ask for the same."""
    from proband.study.analysis import analyses  # whose requests are refused here

    named = {one.command.name: one.key for one in reversed(analyses()) if one.command is not None}
    return named | {"recognize": "images"}


def _fields_of(hint: Any) -> Collection[str]:
    model = model_of(hint)
    return () if model is None else model.model_fields


def plain_type(hint: Any) -> tuple[Any, list[Any]]:
    """A type without its wrappers, and what they say of it; of alternatives the first that is one."""
    said: list[Any] = []
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            said += more
        elif get_origin(hint) in (Union, UnionType):
            hint = next(one for one in get_args(hint) if one is not NoneType)
        else:
            return hint, said


def model_of(hint: Any) -> type[BaseModel] | None:
    """The model of a section, or of one of several."""
    plain, _ = plain_type(hint)
    if get_origin(plain) is tuple:
        plain, _ = plain_type(get_args(plain)[0])
    return plain if hasattr(plain, "model_fields") else None


def _is_table(hint: Any) -> bool:
    return hasattr(plain_type(hint)[0], "model_fields")


def _hint_at(model: type[BaseModel], keys: Keys) -> Any:
    """The type that a place in a request has."""
    hint: Any = model
    for key in keys:
        plain, _ = plain_type(hint)
        if isinstance(key, int):
            hint = get_args(plain)[0] if get_origin(plain) is tuple else plain
        elif hasattr(plain, "model_fields") and key in plain.model_fields:
            field = plain.model_fields[key]
            hint = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return hint


def _expected(hint: Any, got: Any) -> tuple[str, Sequence[str]]:
    """What a value should have been in words, and the words it may be if they are few; that no count is endless is told to who needs it."""
    plain, said = plain_type(hint)
    if get_origin(plain) is tuple:
        plain, said = plain_type(get_args(plain)[0])
    if get_origin(plain) is Literal:
        known = get_args(plain)
        return " or ".join(map(repr, known)), known
    limits = {
        name: end
        for name, end in _limits(said).items()
        if end != MOST or (isinstance(got, int) and got > MOST)
    }
    if {"ge", "le"} <= limits.keys():
        return f"{_WORDS[plain]} from {end_in_words(limits['ge'])} to {end_in_words(limits['le'])}", ()
    told = " and ".join(f"{word} {end_in_words(limits[name])}" for name, word in _LIMITS if name in limits)
    return f"{_WORDS[plain]} {told}".rstrip(), ()


def _limits(said: Sequence[Any]) -> dict[str, Any]:
    """The limits of a type, from what its wrappers say of it."""
    return {
        name: getattr(one, name)
        for part in said
        for one in getattr(part, "metadata", [part])
        for name, _ in _LIMITS
        if getattr(one, name, None) is not None
    }


def _rewritten(hint: Any, got: Any) -> str | None:
    """A hint for a value that is right but for its quotes, or for being a percentage."""
    plain, said = plain_type(hint)
    if get_origin(plain) is tuple:
        said = plain_type(get_args(plain)[0])[1]
    return _unquoted(hint, got) or as_share(got, _limits(said))


def _unquoted(hint: Any, got: Any) -> str | None:
    """A hint for a value that is right but for its quotes."""
    plain, _ = plain_type(hint)
    is_text = plain is str or (get_origin(plain) is tuple and plain_type(get_args(plain)[0])[0] is str)
    if isinstance(got, str):
        if is_text or not got.strip():
            return None
        number = number_in(got)
        return number if number and "%" in got else "write it without quotes."
    if is_text and isinstance(got, bool | int | float):
        return f'write it in quotes: "{shown(got)}"'
    return None
