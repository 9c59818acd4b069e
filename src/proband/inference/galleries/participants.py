"""Who took part in a test: each algorithm with its date, metric, training and version (Tables 1 and 2 of Phillips et al. 2000)."""

from __future__ import annotations

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
    """

    algorithm: str
    date: str | None = None
    metric: str | None = None
    training: str | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        if self.date is not None:
            date_parts(self.date)

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


FACTS = tuple(one.name for one in fields(Participant) if one.name != "algorithm")
"""What is known of participants besides their names."""


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
            f"{text!r:.40} is no date.", "write a year, a month or a day: 1996, 1996-09 or 1996-09-30."
        ) from None
    return tuple(map(int, text.split("-")))


@published
def read_participants(path: str | PathLike[str]) -> tuple[Participant, ...]:
    """Read a table of participants: the column ``algorithm``, and any of ``date``, ``metric``, ``training``, ``version``."""
    file = Path(path)
    known = [one.name for one in fields(Participant)]
    frame = read_frame(file, known)
    if "algorithm" not in frame.columns:
        raise InputError(
            f"{file} has no column 'algorithm'.",
            f"it has: {first_few(frame.columns, 12)}; participants have {', '.join(known)}.",
        )
    others = [name for name in frame.columns if name not in known]
    if others:
        raise InputError(
            f"{file} has a column {others[0]!r}, which says nothing of participants.",
            f"they have {', '.join(known)}.",
        )
    rows = frame.cast(pl.String).to_dicts()
    if any(row["algorithm"] is None for row in rows):
        raise InputError(f"{file}: a participant has no algorithm.", "name each by the name of its scores.")
    told: list[dict[str, Any]] = [{name: value or None for name, value in row.items()} for row in rows]
    return tuple(Participant(**row) for row in told)


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
                f"The participant {one.algorithm!r} is no algorithm of the study.",
                meant(one.algorithm, algorithms),
            )
        if one.algorithm in told:
            raise UsageError(f"{one.algorithm} is a participant twice.", "describe each once.")
        told[one.algorithm] = one
    made = []
    for name in algorithms:
        one = told.get(name, Participant(name))
        one = one if one.metric is not None else replace(one, metric=metrics.get(name))
        made.append(one if one.version is not None else replace(one, version=versions.get(name)))
    return tuple(made)


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
    rows = [{name: getattr(one, name) for name in ("algorithm", *FACTS)} for one in participants]
    return frame_of_rows(rows, dict.fromkeys(("algorithm", *FACTS), pl.String))
