"""From TOML tables to typed sections: unknown keys, wrong types and values out of range are refused where they stand."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Collection
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from proband.errors import Hint, InputError, Said, UsageError, first_few
from proband.scores.reading import KEY_MARK
from proband.study.places import Keys, Places
from proband.study.sections import Limits, Place

Section = TypeVar("Section")

_WORDS = {str: "text in quotes", bool: "true or false", int: "a whole number", float: "a number"}


def said_as(keys: Keys) -> str:
    """A place in the file as its reader would call it: ``[search] fpir``, or the second ``[[scores]]``."""
    if len(keys) < 2:
        return "".join(map(str, keys))
    section = f"[[{keys[0]}]] number {keys[1] + 1}" if isinstance(keys[1], int) else f"[{keys[0]}]"
    words = [key for key in keys[1:] if isinstance(key, str)]
    return " ".join([section, ".".join(words)]).rstrip()


def near(name: str, known: Collection[str]) -> str | None:
    """The hint that names what was probably meant, or else everything there is."""
    found = difflib.get_close_matches(name.lower(), known, n=1)
    return f"did you mean {found[0]!r}?" if found else f"there are: {', '.join(known)}."


def shown(value: Any) -> str:
    """A value as the file writes it, shortened."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value[:4]))}{', …' if len(value) > 4 else ''}]"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


@dataclass(frozen=True)
class TypedReader:
    """Reads sections of one study file, and says where in it something is wrong."""

    path: Path
    places: Places

    def where(self, keys: Keys) -> str:
        """Where the file says something: ``study.toml, line 12, [search] fpir``."""
        return f"{self.path.name}, line {self.places.line(keys)}, {said_as(keys)}"

    def refuse(self, keys: Keys, message: str, hint: str | Hint | None = None) -> NoReturn:
        """Raise the error that names the file, the line and the key."""
        raise UsageError(f"{message}.", hint, place=self.where(keys), door="study")

    def section(self, kind: type[Section], table: Any, keys: Keys) -> Section:
        """Make a section of a table."""
        if not isinstance(table, dict):
            self.refuse(
                keys, f"expected a table, got {shown(table)}", f"write [{keys[0]}] on a line of its own."
            )
        hints = get_type_hints(kind, include_extras=True)
        for key in table:
            if key not in hints:
                self.refuse((*keys, key), f"there is no key {key!r} here", near(key, hints))
        for one in fields(kind):  # type: ignore[arg-type]
            if one.name not in table and one.default is MISSING:
                self.refuse(keys, f"{one.name!r} is missing", f"write {one.name} = …")
        return kind(**{key: self.value(hints[key], value, (*keys, key)) for key, value in table.items()})

    def sections(self, kind: type[Section], tables: Any, keys: Keys) -> tuple[Section, ...]:
        """Make sections of an array of tables, or of one table."""
        if isinstance(tables, list):
            return tuple(self.section(kind, table, (*keys, place)) for place, table in enumerate(tables))
        return (self.section(kind, tables, keys),)

    def value(self, hint: Any, value: Any, keys: Keys) -> Any:
        """Check a value against the type its key has."""
        limits: tuple[Any, ...] = ()
        if get_origin(hint) in (Union, UnionType):
            (hint,) = (one for one in get_args(hint) if one is not NoneType)
        if get_origin(hint) is Annotated:
            hint, *rest = get_args(hint)
            limits = tuple(rest)
        if get_origin(hint) is tuple:
            return self._several(get_args(hint)[0], value, keys)
        if is_dataclass(hint):
            return self.section(hint, value, keys)  # type: ignore[arg-type]
        if get_origin(hint) is Literal:
            return self._choice(get_args(hint), value, keys)
        return self._single(hint, value, limits, keys)

    def _several(self, hint: Any, value: Any, keys: Keys) -> tuple[Any, ...]:
        values = value if isinstance(value, list) else [value]
        if not values:
            self.refuse(keys, "the list is empty", "leave the key out, or name at least one.")
        made = tuple(self.value(hint, one, (*keys, place)) for place, one in enumerate(values))
        repeated = [one for place, one in enumerate(made) if one in made[:place]]
        if repeated:
            self.refuse(keys, f"{shown(repeated[0])} is there twice", "name each once.")
        return made

    def _choice(self, known: tuple[str, ...], value: Any, keys: Keys) -> str:
        if value not in known:
            hint = near(value, known) if isinstance(value, str) else None
            self.refuse(keys, f"expected {' or '.join(map(repr, known))}, got {shown(value)}", hint)
        return str(value)

    def _single(self, kind: type, value: Any, limits: tuple[Any, ...], keys: Keys) -> Any:
        numeric = kind in (int, float)
        fits = isinstance(value, (int, float) if kind is float else kind)
        if numeric:
            fits = fits and not isinstance(value, bool) and math.isfinite(value)
        within = next((one for one in limits if isinstance(one, Limits)), None)
        if not fits or value == "" or (within is not None and not within.allow(value)):
            expected = _WORDS[kind] + (f" {within}" if within is not None else "")
            self.refuse(keys, f"expected {expected}, got {shown(value)}", _unquoted(kind, value))
        for one in limits:
            if isinstance(one, Place):
                self._require(one, value, keys)
        return float(value) if kind is float else value

    def _require(self, place: Place, value: str, keys: Keys) -> None:
        """Refuse a name of something that is not there."""
        kind, name = place.kind, value
        if kind == "condition":
            if not value.startswith("@"):
                return
            kind, name = "file", value[1:]
        path = self.path.parent / name
        try:
            there = path.is_file() if kind == "file" else path.exists()
        except (OSError, ValueError):  # a name that no file can have
            there = False
        if there:
            return
        if KEY_MARK in name:
            file, _, key = name.rpartition(KEY_MARK)
            self.refuse(
                keys,
                f"the file and the array in it are said apart, got {shown(name)}",
                f"write file = {shown(file)} and key = {shown(key)}",
            )
        raise InputError(
            f"there is no {kind} {shown(name)}.",
            _beside(path, self.path.name),
            file=Said(name),
            place=self.where(keys),
            door="study",
        )


def _unquoted(kind: type, value: Any) -> str | None:
    """A hint for a value that is right but for its quotes."""
    if kind is not str and isinstance(value, str):
        return "write it without quotes." if value.strip() else None
    if kind is str and isinstance(value, bool | int | float):
        return f'write it in quotes: "{shown(value)}"'
    return None


def _beside(path: Path, study: str) -> str:
    """A hint for a name that leads nowhere: something of nearly that name, or where names are looked up."""
    folder = path.parent
    names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    found = difflib.get_close_matches(path.name, names, n=2)
    if found:
        return f"in {folder} there is {first_few(found)}."
    return f"names are looked up from where {study} is; {folder} {'has no such file' if names else 'is no directory, or empty'}."
