"""A study file of an earlier version brought up to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband.errors import UsageError
from proband.study.editing.renames import rename_of
from proband.study.places import Keys, Places
from proband.study.reading import tables_in
from proband.study.refusals import model_of, said_as
from proband.study.requests import request_type

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True)
class KeyChange:
    """A key that is renamed.

    Attributes
    ----------
    was, now
        The keys and numbers that lead to it, before and after.
    line
        Where it stands.
    value
        What it is set to, where that is written otherwise now; None where its value stays.
    """

    was: Keys
    now: Keys
    line: int
    value: str | None = None

    @property
    def stays(self) -> bool:
        """Whether it stays in its section."""
        return self.was[:-1] == self.now[:-1]

    def __str__(self) -> str:
        now = self.now[-1] if self.stays else said_as(self.now)
        value = "" if self.value is None else f' = "{self.value}"'
        return f"line {self.line}, {said_as(self.was)} → {now}{value}"


@dataclass(frozen=True)
class Migration:
    """The text of a study file under today's names, and what changed in it."""

    text: str
    changes: tuple[KeyChange, ...]


def migrate(text: str, path: Path) -> Migration:
    """Rename every key of a study that has another name now.

    Raises
    ------
    UsageError
        If the text is not TOML, or has a key under its old and its new name.
    """
    tables, places = tables_in(text, path), Places.of(text)
    changes = tuple(_changes(request_type(), tables, (), places))
    for number, change in enumerate(changes):
        others = [earlier.now for earlier in changes[:number]]
        if change.now in others or _at(tables, change.now) is not None:
            raise UsageError(
                f"it is now called {said_as(change.now)}, which is also present.",
                "keep one of them.",
                place=f"{path.name}, line {change.line}, {said_as(change.was)}",
            )
    return Migration(_edited(text, changes, places), changes) if changes else Migration(text, ())


def _changes(
    model: type[BaseModel], table: dict[str, Any], keys: Keys, places: Places
) -> Iterator[KeyChange]:
    """Every key of a table and of those within it that its model knows under another name."""
    known = model.model_fields
    for name, value in table.items():
        was = (*keys, name)
        rename = rename_of(name, known, value)
        if rename is not None:
            home = keys if rename.now in known else (str(rename.into),)
            yield KeyChange(was, (*home, rename.now), places.line(was), rename.rewritten(value))
        inner = model_of(known[name].annotation) if name in known else None
        if inner is None:
            continue
        several = enumerate(value) if isinstance(value, list) else [(None, value)]
        for number, part in several:
            if isinstance(part, dict):
                yield from _changes(inner, part, was if number is None else (*was, number), places)


def _at(tables: Any, keys: Keys) -> Any:
    """What a document says at a place; None where it says nothing."""
    for key in keys:
        if isinstance(tables, list):
            tables = tables[int(key)]
        elif isinstance(tables, dict) and key in tables:
            tables = tables[key]
        else:
            return None
    return tables


def _edited(text: str, changes: tuple[KeyChange, ...], places: Places) -> str:
    """Rename keys where they stand, and move those that another section has."""
    staying = [change for change in changes if change.stays]
    for start, end, now in sorted(
        ((*places.words[change.was], change.now[-1]) for change in staying), reverse=True
    ):
        text = f"{text[:start]}{now}{text[end:]}"
    rewritten = [change for change in staying if change.value is not None]
    text = _rewritten(text, rewritten) if rewritten else text
    moving = [change for change in changes if not change.stays]
    return _moved(text, moving) if moving else text


def _rewritten(text: str, changes: Sequence[KeyChange]) -> str:
    """Set what is written otherwise under its new name."""
    import tomlkit

    document = tomlkit.parse(text)
    for change in changes:
        _at(document, change.now[:-1])[change.now[-1]] = change.value
    return document.as_string()


def _moved(text: str, changes: Sequence[KeyChange]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    for change in changes:
        home, now = map(str, change.now)
        table = _at(document, change.was[:-1])
        value = table[change.was[-1]]
        del table[change.was[-1]]
        if home not in document:
            document.append(home, tomlkit.table())
        document[home][now] = value
    return document.as_string()
