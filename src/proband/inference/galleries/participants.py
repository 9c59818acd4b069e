"""Who took part in a test: each algorithm with its date, metric, training and version (Tables 1 and 2 of Phillips et al. 2000), and its run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.engine.moments import moment_of
from proband.errors import InputError, UsageError, first_few, meant
from proband.samples.reading import read_frame

_DATE = re.compile(r"\d{4}(-\d\d){0,2}", re.ASCII)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class Participant:
    """One algorithm that took part in a test.

    Parameters
    ----------
    algorithm
        The name of its scores.
    date
        When it was tested: a year, a month or a day. Algorithms of one date make one panel of tables and figures.
    metric
        How it compares two images.
    training
        What it was trained on.
    version
        Which version of it was tested, such as fully or partially automatic.
    operator, started, seconds, machine
        Who ran it, when (with a time zone), how long it took, and on which machine.
    received, seconds_late
        When its scores were handed in, and how long after the deadline.
    """

    algorithm: str
    date: str | None = None
    metric: str | None = None
    training: str | None = None
    version: str | None = None
    operator: str | None = None
    started: str | None = None
    seconds: float | None = None
    machine: str | None = None
    received: str | None = None
    seconds_late: float | None = None

    def __post_init__(self) -> None:
        if self.date is not None:
            date_parts(self.date)
        for moment in (self.started, self.received):
            if moment is not None:
                moment_of(moment)

    @property
    def when(self) -> str | None:
        """The date as people write it."""
        if self.date is None:
            return None
        year, *rest = date_parts(self.date)
        if not rest:
            return str(year)
        month = f"{_MONTHS[rest[0] - 1]} {year}"
        return month if len(rest) == 1 else f"{rest[1]} {month}"


FACTS = tuple(field.name for field in fields(Participant) if field.name != "algorithm")
"""What is known of participants besides their names."""
_NUMBERS = ("seconds", "seconds_late")


@dataclass(frozen=True)
class Panel:
    """Algorithms that were tested at one date.

    Attributes
    ----------
    date, label
        The date as given and as people write it; None where it is not known.
    algorithms
        Who was tested then, in the order of the study.
    """

    date: str | None
    label: str | None
    algorithms: tuple[str, ...]


def date_parts(text: str) -> tuple[int, ...]:
    """Return the year, month and day of a date, as far as it says them."""
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        raise UsageError(
            f"{text!r:.40} is not a date.", "write a year, a month or a day: 1996, 1996-09 or 1996-09-30."
        ) from None
    return tuple(map(int, text.split("-")))


@published
def read_participants(path: str | PathLike[str]) -> tuple[Participant, ...]:
    """Read a table of participants: the column ``algorithm`` and any other fields of `Participant`."""
    file = Path(path)
    known = ["algorithm", *FACTS]
    frame = read_frame(file, known)
    if "algorithm" not in frame.columns:
        raise InputError(
            f"{file} has no column 'algorithm'.",
            f"its columns are: {first_few(frame.columns, 12)}; a table of participants may have "
            f"{', '.join(known)}.",
        )
    others = [name for name in frame.columns if name not in known]
    if others:
        raise InputError(
            f"{file} has a column {others[0]!r}, which is not known for participants.",
            f"use these columns: {', '.join(known)}.",
        )
    rows = frame.cast(pl.String).to_dicts()
    if any(row["algorithm"] is None for row in rows):
        raise InputError(f"{file}: a participant has no algorithm.", "fill in the name of the scores.")
    told: list[dict[str, Any]] = [{name: value or None for name, value in row.items()} for row in rows]
    for row in told:
        for name in _NUMBERS:
            if row.get(name) is not None:
                row[name] = _seconds(row[name], name, file)
    return tuple(Participant(**row) for row in told)


def _seconds(text: str, column: str, file: Path) -> float:
    try:
        seconds = float(text)
        if not 0 <= seconds < math.inf:
            raise ValueError
    except ValueError:
        raise InputError(
            f"{file} has {text!r:.40} in the column {column!r}.", "use a number of seconds."
        ) from None
    return seconds


def fill_in(
    participants: Iterable[Participant], facts: Mapping[str, Mapping[str, Any]]
) -> tuple[Participant, ...]:
    """Add what is known of algorithms from elsewhere, by their names, to what participants do not say themselves."""
    known = {participant.algorithm: participant for participant in participants}
    for algorithm, more in facts.items():
        own = known.get(algorithm, Participant(algorithm))
        known[algorithm] = replace(
            own, **{key: value for key, value in more.items() if getattr(own, key) is None}
        )
    return tuple(known.values())


def participants_of(
    given: Iterable[Participant | Mapping[str, Any]],
    algorithms: Sequence[str],
    metrics: Mapping[str, str | None],
    versions: Mapping[str, str],
) -> tuple[Participant, ...]:
    """Describe every algorithm in order: by what is given, and else by what its scores and its part in versions say."""
    told: dict[str, Participant] = {}
    for row in given:
        one = row if isinstance(row, Participant) else Participant(**row)
        if one.algorithm not in algorithms:
            raise UsageError(
                f"The participant {one.algorithm!r} is not an algorithm of the study.",
                meant(one.algorithm, algorithms),
            )
        if one.algorithm in told:
            raise UsageError(f"{one.algorithm} is listed twice.", "list each participant once.")
        told[one.algorithm] = one
    every = [told.get(name, Participant(name)) for name in algorithms]
    return fill_in(
        every, {name: {"metric": metrics.get(name), "version": versions.get(name)} for name in algorithms}
    )


def panels_of(participants: Sequence[Participant]) -> tuple[Panel, ...]:
    """Group algorithms by the date of their test, the earliest first; those without a date are last. One group if there are none."""
    dated = {one.date: one.when for one in participants if one.date is not None}
    ordered: list[str | None] = [*sorted(dated, key=date_parts)]
    if any(one.date is None for one in participants):
        ordered.append(None)
    return tuple(
        Panel(
            when,
            None if when is None else dated[when],
            tuple(one.algorithm for one in participants if one.date == when),
        )
        for when in ordered
    )


def participants_frame(participants: Sequence[Participant]) -> pl.DataFrame:
    """One row for each participant."""
    schema = {name: pl.Float64 if name in _NUMBERS else pl.String for name in ("algorithm", *FACTS)}
    rows = [{name: getattr(participant, name) for name in schema} for participant in participants]
    return frame_of_rows(rows, schema)
