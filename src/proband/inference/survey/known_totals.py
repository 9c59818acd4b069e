"""Totals that are known of the population, as users write them: cells, margins, and totals of columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from proband.engine.foreign import number_from
from proband.errors import InputError, UsageError, first_few
from proband.inference.survey.adjusting import Cells, Fitted, calibrate, post_stratify, rake
from proband.inference.survey.columns import Floats, is_numeric, labels_of, numbers_of, text_of
from proband.samples.reading import frame_from
from proband.words import agreeing, counted


class Known(ABC):
    """Totals that weights are to agree with."""

    @abstractmethod
    def fitted(self, weights: Floats) -> Fitted:
        """Adjust weights to them."""


@dataclass(frozen=True, eq=False)
class KnownCells(Known):
    """Totals of cells that do not overlap."""

    cells: Cells

    def fitted(self, weights: Floats) -> Fitted:
        """Post-stratify."""
        return post_stratify(self.cells, weights)


@dataclass(frozen=True, eq=False)
class KnownMargins(Known):
    """Totals of several margins.

    Attributes
    ----------
    margins
        The cell of each row, and the totals, for each.
    epsilon, max_rounds
        When raking ends.
    """

    margins: tuple[Cells, ...]
    epsilon: float | None
    max_rounds: int

    def fitted(self, weights: Floats) -> Fitted:
        """Rake."""
        return rake(self.margins, weights, self.epsilon, self.max_rounds)


@dataclass(frozen=True, eq=False)
class KnownColumns(Known):
    """Totals of columns.

    Attributes
    ----------
    matrix
        The columns (rows × columns).
    totals
        What they sum to in the population.
    """

    matrix: Floats
    totals: Floats

    def fitted(self, weights: Floats) -> Fitted:
        """Calibrate."""
        return calibrate(self.matrix, self.totals, weights)


def cells_known(table: pl.DataFrame, totals: Any, columns: str | Sequence[str] | None) -> KnownCells:
    """Read the totals of cells: a mapping by the columns named, or a table with these columns and one of totals."""
    if isinstance(totals, Mapping) and columns is not None:
        named = (columns,) if isinstance(columns, str) else tuple(columns)
        return KnownCells(_cells(table, named, {_key(cell): value for cell, value in totals.items()}))
    known = frame_from(totals)
    rest = [name for name in known.columns if name not in table.columns] or known.columns[-1:]
    named = tuple(name for name in known.columns if name not in rest)
    if len(rest) != 1 or not named:
        raise UsageError(
            "A table of cell totals needs the columns that define the cells and one column of totals; got "
            f"{first_few(known.columns, 8)}.",
            "use the same column names as in the table; with a mapping, pass columns=…",
        )
    return KnownCells(_cells(table, named, _from_table(known, named, rest[0])))


def margins_known(table: pl.DataFrame, margins: Any, epsilon: float | None, max_rounds: int) -> KnownMargins:
    """Read margins: a mapping from column to totals, or a table for each margin, or one long table of all."""
    if epsilon is not None and not epsilon > 0:
        raise UsageError(f"epsilon must be above 0 for raking, got {epsilon!r}.")
    if max_rounds < 1:
        raise UsageError(f"Raking needs at least one round, got {max_rounds!r}.")
    made: list[Cells]
    if isinstance(margins, Mapping) and all(isinstance(one, Mapping) for one in margins.values()):
        made = [
            _cells(
                table,
                (name,) if isinstance(name, str) else tuple(name),
                {_key(cell): value for cell, value in totals.items()},
            )
            for name, totals in margins.items()
        ]
    else:
        tables = margins if isinstance(margins, list | tuple) else [margins]
        made = [one for each in tables for one in _margins_of(table, frame_from(each))]
    if not made:
        raise UsageError("No margins were given for raking.")
    return KnownMargins(tuple(made), epsilon, max_rounds)


def matrix_known(table: pl.DataFrame, totals: Mapping[str, Any], size: float | None) -> KnownColumns:
    """Read totals of columns: a number for a column of numbers, a mapping for the values of a column of names."""
    columns: list[Floats] = [] if size is None else [np.ones(table.height)]
    sums: list[float] = [] if size is None else [float(size)]
    for name, said in totals.items():
        if isinstance(said, Mapping):
            cells = _cells(table, (name,), {_key(cell): value for cell, value in said.items()})
            columns += list(np.eye(len(cells.totals))[cells.codes].T)
            sums += cells.totals.tolist()
        elif is_numeric(table, name, ""):
            columns.append(numbers_of(table, name, ""))
            sums.append(number_from(said, "total"))
        else:
            raise UsageError(
                f"{name!r} is a text column, which needs a total for each of its values.",
                f"pass a mapping: {{{name!r}: {{'value': total, …}}}}.",
            )
    if not columns:
        raise UsageError("No totals were given for calibration.")
    if not np.isfinite(sums).all():
        raise InputError("Population totals must be finite numbers.")
    return KnownColumns(np.stack(columns, axis=1), np.array(sums))


def long_totals(known: pl.DataFrame) -> dict[str, dict[str, float]] | None:
    """The totals of a long table, with the columns variable, level and total; None for any other table."""
    if set(known.columns) != {"variable", "level", "total"}:
        return None
    numbers = numbers_of(known, "total", "").tolist()
    found: dict[str, dict[str, float]] = {}
    for name, cell, total in zip(known["variable"].to_list(), known["level"].to_list(), numbers, strict=True):
        own = found.setdefault(text_of(name), {})
        key = "" if cell is None else text_of(cell)
        if key in own:
            raise InputError(f"The total of {key!r} of {name!r} is given twice.", "give each total once.")
        own[key] = total
    return found


def _margins_of(table: pl.DataFrame, known: pl.DataFrame) -> list[Cells]:
    long = long_totals(known)
    if long is not None:
        return [_cells(table, (name,), {(cell,): n for cell, n in own.items()}) for name, own in long.items()]
    return [cells_known(table, known, None).cells]


def _key(cell: Any) -> tuple[str, ...]:
    return tuple(map(text_of, cell)) if isinstance(cell, tuple) else (text_of(cell),)


def _from_table(known: pl.DataFrame, columns: tuple[str, ...], total: str) -> dict[tuple[str, ...], float]:
    numbers = numbers_of(known, total, "").tolist()
    found: dict[tuple[str, ...], float] = {}
    for row, number in zip(known.select(columns).rows(), numbers, strict=True):
        key = tuple(map(text_of, row))
        if key in found:
            raise InputError(
                f"The total of the cell {', '.join(key)!r} is given twice.", "give each total once."
            )
        found[key] = number
    return found


def _cells(table: pl.DataFrame, columns: tuple[str, ...], totals: Mapping[tuple[str, ...], Any]) -> Cells:
    """The cell of each row; cells without a row stay, so that they can be refused."""
    wrong = [key for key in totals if len(key) != len(columns)]
    if wrong or not totals:
        raise UsageError(
            f"A cell has a value of each of {counted(len(columns), 'column')} ({', '.join(columns)}); got {wrong[0] if wrong else 'none'}."
        )
    numbers = {key: number_from(value, "total") for key, value in totals.items()}
    if not np.isfinite(list(numbers.values())).all() or min(numbers.values()) < 0:
        raise InputError(f"Totals of {', '.join(columns)} must be finite and at least 0.")
    parts = [labels_of(table, name, "") for name in columns]
    known = list(numbers)
    places = {key: place for place, key in enumerate(known)}
    rows = list(zip(*([names[code] for code in codes] for names, codes in parts), strict=True))
    absent = sorted({row for row in rows if row not in places})
    if absent:
        raise InputError(
            f"{counted(len(absent), 'cell', 'cells')} of {', '.join(columns)} "
            f"{agreeing(len(absent), 'is in the table but has', 'are in the table but have')} no total: "
            f"{first_few([', '.join(one) for one in absent])}.",
            "add the totals, or leave these rows out.",
        )
    codes = np.array([places[row] for row in rows], dtype=np.intp)
    return Cells(
        " × ".join(columns), codes, tuple(", ".join(key) for key in known), np.array(list(numbers.values()))
    )
