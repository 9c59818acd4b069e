"""What the columns of a table of samples are likely to be, by their names and values."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable

import polars as pl

from proband.samples.reading import ROW_NUMBER

_SUBJECTS = (
    *("subject", "subject_id", "subjectid", "person", "person_id", "personid", "identity", "identity_id"),
    *("individual", "client", "client_id", "user", "user_id", "people", "label", "class", "name"),
)
_IDS = ("id", "sample", "sample_id", "filename", "file", "image", "image_id", "path", "key", "recording")
_ACQUIRED = frozenset({"detected", "found", "acquired", "located", "valid", "usable", "ok", "success"})
_FAILED = frozenset({"failed", "failure", "fta", "fte", "missed", "invalid", "undetected", "error"})
_SESSIONS = ("session", "encounter", "visit", "sitting", "image_set", "recording_session", "day")
FERET_COLUMNS = ("image_set", "date", "camera")
_MOST_GROUPS, _SMALLEST_GROUP, _CONSTANT = 12, 2, 0.95


def subject_column(columns: Iterable[str] | pl.DataFrame) -> str | None:
    """The column that says whose a sample is, by its name."""
    names = columns.columns if isinstance(columns, pl.DataFrame) else list(columns)
    folded = {name.lower(): name for name in reversed(names)}
    return next((folded[word] for word in _SUBJECTS if word in folded), None)


def id_column(texts: pl.DataFrame, wanted: Collection[str], subject: str | None) -> tuple[str | None, int]:
    """The column that tells all rows apart and holds most of the wanted ids, and how many of them it holds.

    Without ids to go by it is a column of a usual name; or the row's number, if nothing tells the rows apart.
    """
    telling = [
        name
        for name in texts.columns
        if name != subject and not texts[name].null_count() and texts[name].n_unique() == texts.height
    ]
    telling.sort(key=lambda name: _IDS.index(name.lower()) if name.lower() in _IDS else len(_IDS))
    if not wanted:
        named = [name for name in telling if name.lower() in _IDS]
        return (named[0] if named else ROW_NUMBER), 0
    known = set(wanted)
    held = {name: len(known.intersection(texts[name].to_list())) for name in telling}
    held[ROW_NUMBER] = len(known.intersection(map(str, range(texts.height))))
    best = max(held, key=lambda name: held[name])
    return (best, held[best]) if held[best] else (None, 0)


def failure_rule(frame: pl.DataFrame) -> tuple[str | None, str | None]:
    """The condition that picks failures to acquire and its column, if a column of yes and no has a name that says so."""
    for name, dtype in frame.schema.items():
        words = set(re.split(r"[^a-z]+", name.lower()))
        if not words & (_ACQUIRED | _FAILED) or frame[name].null_count():
            continue
        acquired = not words & _FAILED
        if dtype == pl.Boolean:
            return f"not {quoted(name)}" if acquired else quoted(name), name
        if dtype.is_integer() and set(frame[name].unique()) <= {0, 1}:
            return f"{quoted(name)} == {0 if acquired else 1}", name
    return None, None


def quoted(name: str, role: str = "") -> str:
    """A column as a condition names it: ``sex``, ``col('skin tone')``, ``probe.session``."""
    dot = f"{role}." if role else ""
    # A word that Python has other uses for cannot stand as it is.
    plain = re.fullmatch(r"[A-Za-z_]\w*", name) and name not in (
        "and",
        "or",
        "not",
        "in",
        "is",
        "class",
        "from",
    )
    return f"{dot}{name}" if plain else f"{dot}col({name!r})"


def toml_text(value: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def few_valued(frame: pl.DataFrame, left_out: Collection[str | None]) -> list[str]:
    """Columns with a few values, each of several samples."""
    found = []
    for name, dtype in frame.schema.items():
        if name in left_out or not (dtype in (pl.String, pl.Boolean) or dtype.is_integer()):
            continue
        counts = frame[name].drop_nulls().value_counts()["count"]
        if 2 <= len(counts) <= _MOST_GROUPS and (counts >= _SMALLEST_GROUP).all():
            found.append(name)
    return found


def groups_of_people(frame: pl.DataFrame, subject: str, left_out: Collection[str | None]) -> list[str]:
    """Columns with a few values that say something of the person: nearly everybody has one value only."""
    found = []
    for name in few_valued(frame, {*left_out, subject}):
        values = frame.group_by(subject).agg(pl.col(name).drop_nulls().n_unique())[name]
        if (values <= 1).mean() >= _CONSTANT:  # type: ignore[operator]
            found.append(name)
    return found


def among(names: list[str], limit: int = 6) -> str:
    """Columns to choose from, the first of many."""
    return ", ".join(names[:limit]) + (", …" if len(names) > limit else "")


def session_columns(frame: pl.DataFrame) -> list[str]:
    """Columns that tell one sitting from another."""
    folded = {name.lower(): name for name in frame.columns}
    return [folded[word] for word in _SESSIONS if word in folded]


def date_columns(frame: pl.DataFrame) -> list[str]:
    """Columns of days or moments."""
    return [name for name, dtype in frame.schema.items() if dtype.is_temporal()]
