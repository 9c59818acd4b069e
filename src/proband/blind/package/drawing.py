"""The images of a blind test, their repeats, and their random names."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.blind.package.key import TABLE
from proband.blind.package.sealing import random_names
from proband.engine.frames import frame_of_rows
from proband.errors import DesignError, Hint, InputError, UsageError, quoted, unknown_name
from proband.samples import Choice, Samples
from proband.samples.choosing import choose
from proband.samples.table import UNDECIDED_FOR, require_values
from proband.words import Note, count

_CONTROL = 10
_PEOPLE = 5  # must share what participants are told of an image
_TIMES_CHANCE = 10
_ROUNDING = 1e-9
_SHARE_OF_CANARIES, _FEWEST_CANARIES, _MOST_CANARIES = 0.01, 2, 50


@dataclass(frozen=True)
class DrawnSets:
    """The samples of the two sets, and the numbers repeated in the set itself and in its control set."""

    targets: tuple[str, ...]
    queries: tuple[str, ...]
    canaries: dict[str, int]
    controls: dict[str, int]
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls, samples: Samples, target: Choice, query: Choice, canaries: int | None, control: int | None
    ) -> DrawnSets:
        """Choose both sets and the numbers of repeats."""
        notes: list[Note] = []
        chosen: dict[str, tuple[str, ...]] = {}
        for role, rule in (("target", target), ("query", query)):
            selection = choose(samples, rule)
            if not len(selection.positions):
                raise DesignError(
                    f"The {role} set is empty: {selection.rule!r} selects no sample.", selection.advice
                )
            if selection.unknown:
                notes.append(UNDECIDED_FOR(n=selection.unknown, rule=selection.rule))
            chosen[role] = tuple(samples.ids[place] for place in selection.positions)
        repeats = {
            role: _number(canaries, len(ids), _usual_canaries(len(ids))) for role, ids in chosen.items()
        }
        controls = {role: _number(control, len(ids), _CONTROL) for role, ids in chosen.items()}
        return cls(chosen["target"], chosen["query"], repeats, controls, tuple(notes))

    @property
    def samples(self) -> list[str]:
        """Every sample of either set, once."""
        return list(dict.fromkeys([*self.targets, *self.queries]))


def draw(sets: DrawnSets, source: random.Random) -> pl.DataFrame:
    """Choose the repeats, assign random names, and sort by role and name, so the order is also random."""
    rows: list[tuple[str, str, str | None]] = []
    sizes = [len(sets.targets), len(sets.queries), *sets.canaries.values(), *sets.controls.values()]
    names = random_names(sum(sizes), source)
    for role, ids in (("target", sets.targets), ("query", sets.queries)):
        first = {sample: names[len(rows) + place] for place, sample in enumerate(ids)}
        rows += [(role, sample, None) for sample in ids]
        repeated = source.sample(ids, sets.canaries[role])
        rows += [(role, sample, first[sample]) for sample in repeated]
        control = source.sample(ids, sets.controls[role])
        rows += [(f"control {role}", sample, first[sample]) for sample in control]
    table = frame_of_rows(((name, *row) for name, row in zip(names, rows, strict=True)), TABLE)
    return table.sort("role", "name")


def list_of(table: pl.DataFrame, role: str, samples: Samples, columns: Sequence[str]) -> pl.DataFrame:
    """Return the list of one role for participants: random names in order, and the columns given."""
    rows = table.filter(pl.col("role") == role)
    told = samples.frame[samples.ids.positions(rows["sample"])].select(columns)
    return pl.DataFrame([rows["name"].alias("id"), *told])


def refuse_telling(samples: Samples, sets: DrawnSets, keep: Sequence[str], eyes: Sequence[str]) -> None:
    """Refuse to give out columns that identify people, or that do not exist."""
    for column in (*keep, *eyes):
        if column not in samples.frame.columns:
            if column in eyes:
                raise InputError(
                    f"The table has no column {column!r}.",
                    "omit it: only the partially automatic version gives eye centres.",
                )
            raise unknown_name("column", column, samples.frame.columns, "to give to participants")
    for column in keep:
        if column in EYE_COLUMNS:
            raise UsageError(
                f"{column!r} is an eye centre; the version of the test decides whether eye centres are given.",
                Hint("to give eye centres, use {option:version=partially}."),
            )
        if column == "id":
            raise UsageError("The column 'id' identifies the people, so it cannot be given to participants.")
        require_values(samples.frame[column], "the samples table")
        _refuse_few(samples, sets, [column])
    if len(keep) > 1:
        _refuse_few(samples, sets, keep)


def _refuse_few(samples: Samples, sets: DrawnSets, columns: Sequence[str]) -> None:
    """Refuse columns whose values, within a set, few people share: a number of each image, a date, the place in the source.

    Whoever has the table that the images are from looks the values up there, and names the person who has most images with
    them. That guess must be a poor one. For every value it may be right once in five times; in sets so small that this is
    no feat, twice as often as without the columns, but never more often than every other time. Over all images it may be right
    ten times as often as without the columns.
    """
    for ids in (sets.targets, sets.queries):
        places = samples.ids.positions(ids)
        numbers = [str(number) for number in range(len(columns))]  # as names, which no other can be meant by
        shown = (samples.frame[column][places] for column in columns)
        rows = pl.DataFrame({**dict(zip(numbers, shown, strict=True)), "person": samples.codes[places]})
        images = rows.group_by(*numbers, "person", maintain_order=True).agg(most=pl.len())
        guesses = images.group_by(numbers, maintain_order=True).agg(
            pl.col("most").max(), share=pl.col("most").max() / pl.col("most").sum()
        )
        without = int(np.bincount(samples.codes[places]).max())
        limit = min(1 / 2, max(1 / _PEOPLE, 2 * without / rows.height)) + _ROUNDING
        telling = guesses.filter(pl.col("share") > limit)
        if not telling.height and int(guesses["most"].sum()) > _TIMES_CHANCE * without:
            telling = guesses
        if telling.height:
            said = ", ".join(
                f"{name} {quoted(value)}" for name, value in zip(columns, telling.row(0), strict=False)
            )
            named = ", ".join(map(repr, columns))
            raise UsageError(
                f"The column{'s' * (len(columns) > 1)} {named} reveal{'s' * (len(columns) == 1)} who is in "
                f"the images: anyone with the original table can identify the person of {count(int(telling['most'].sum()))} of {count(rows.height)} images "
                f"from values such as {said}.",
                "omit the column, or coarsen its values in the table until many people share each value: "
                "years instead of days, a few bins of a number.",
            )


def _usual_canaries(size: int) -> int:
    return min(_MOST_CANARIES, max(_FEWEST_CANARIES, round(_SHARE_OF_CANARIES * size)))


def _number(asked: int | None, size: int, usual: int) -> int:
    """How many of a set are repeated."""
    if asked is None:
        return min(usual, size)
    if not 0 <= asked <= size:
        raise UsageError(
            f"Cannot repeat {count(asked)} images in a set of {count(size)}.",
            f"use at most {count(size)}.",
        )
    return asked
