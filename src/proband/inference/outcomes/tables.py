"""Outcomes from a table, long (a row for each item and system) or wide (a column for each system)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Seed
from proband.errors import Hint, InputError, UsageError, first_few, unknown_name
from proband.inference.comparisons.chosen_pairs import chosen_pairs
from proband.inference.outcomes.pairs import compared
from proband.inference.outcomes.rates import Items, borrowed_from, item_rate
from proband.inference.outcomes.results import OutcomeComparison
from proband.results.about import Who
from proband.results.base import Answers
from proband.results.difference import Adjustment, Unit
from proband.results.sides import Side, two_sided_level
from proband.results.targets import derived
from proband.samples.reading import filled_frame
from proband.words import Target, agreeing, count, counted, given, out_of

Floats = npt.NDArray[np.float64]
_SUCCESS = Target("success", "success rate")
_SYSTEMS = Target("systems", "the systems")
_VARYING: dict[Unit, Target] = {
    "item": Target("items", "new items, independent of each other"),
    "cluster": Target("clusters", "new clusters, with the same number of items each"),
}
_ALIKE: dict[Unit, Target] = {
    "item": Target("items-alike", "items are independent and identically distributed"),
    "cluster": Target("clusters-alike", "clusters are independent and identically distributed"),
}


@published
def compare_outcomes(
    table: Any,
    *,
    item: str | None = None,
    algorithm: str | None = None,
    success: str | None = None,
    algorithms: Sequence[str] | None = None,
    cluster: str | None = None,
    margin: Margin | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
    adjust: Adjustment = "single-step",
    pairs: Sequence[tuple[str, str]] = (),
    against: str | None = None,
    one_sided: Side | None = None,
) -> OutcomeComparison:
    """Compare systems by their outcomes on the same items: 1 for a success, 0 for a failure, or a fraction.

    The estimand is the difference of success rates for new items, or new clusters of items; the systems are held fixed. The
    test flips the sign of the difference of each unit (Fisher 1935): for single items it is McNemar's test (1947), mid-p, with
    Tango's (1998) interval. Several systems are tested with the same signs, and intervals, p-values and verdicts hold jointly
    for all pairs.

    Parameters
    ----------
    table
        A pandas or polars frame, or a mapping of columns.
    item, algorithm, success
        Columns of a *long* table with one row per item and system: the item, the system and the outcome.
    algorithms
        Columns of a *wide* table with one row per item: the outcomes of each system. `item` may be the column of item names.
    cluster
        Column of clusters of items, such as patients, documents or sites; clusters are then the units.
    margin
        The smallest difference that matters; 0.01, one percentage point, by default.
    adjust
        With three or more systems: ``single-step`` makes p-values, intervals and verdicts hold for all pairs together, ``none``
        treats each pair separately.
    pairs, against
        Compare only these pairs (first minus second), or every other system with a baseline; adjustments are for these pairs
        only.
    one_sided
        ``lower`` or ``upper``: a one-sided bound of differences, with the p-value of that side; rates keep two-sided intervals.
    confidence_level
        The level of all intervals.
    seed
        The seed of permutations.

    Returns
    -------
    OutcomeComparison
        The success rate of every system, and every difference with its interval, p-value and verdict.

    Raises
    ------
    InputError
        If an item has no outcome or two outcomes of a system, or an outcome outside 0 to 1.

    Examples
    --------
    Of 40 items, *new* gets all right and *old* all but ten: McNemar's mid-p is (½)¹⁰.

    >>> table = {"new": [1] * 40, "old": [0] * 10 + [1] * 30}
    >>> (pair,) = compare_outcomes(table, algorithms=["new", "old"]).pairs
    >>> pair.value, pair.verdict, round(pair.p_value, 6)
    (0.25, 'better', 0.000977)
    """
    two_sided_level(confidence_level, one_sided)
    rows = filled_frame(table)
    if algorithms is None:
        outcomes, clusters = _long(rows, item, algorithm, success, cluster)
    else:
        outcomes, clusters = _wide(rows, item, algorithms, cluster, algorithm, success)
    n = len(next(iter(outcomes.values())))
    unit: Unit = "item" if clusters is None else "cluster"
    units = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1].astype(np.intp)
    if len(np.unique(units)) < 2:
        raise InputError(
            f"There is only one {unit}, so nothing can be concluded about other {unit}s.",
            f"use at least two {unit}s, preferably dozens.",
        )
    items = Items(units, unit)
    answers = Answers(_SUCCESS, _VARYING[unit], _SYSTEMS, _ALIKE[unit])
    supposed = borrowed_from(outcomes.values(), items)
    rates = tuple(
        item_rate(Who(algorithm=name), values, items, answers, confidence_level, supposed)
        for name, values in outcomes.items()
    )
    return compared(
        rates,
        outcomes,
        items,
        Answers(derived("difference", "difference of {}s", _SUCCESS), *_rest(answers)),
        margin=margin,
        confidence_level=confidence_level,
        seed=seed,
        adjust=adjust,
        chosen=chosen_pairs(tuple(outcomes), pairs, against),
        side=one_sided,
    )


def _rest(answers: Answers) -> tuple[Target, Target, Target]:
    return answers.varying, answers.fixed, answers.assuming


def _wide(
    table: pl.DataFrame,
    item: str | None,
    systems: Sequence[str],
    cluster: str | None,
    system: str | None,
    success: str | None,
) -> tuple[dict[str, Floats], npt.NDArray[Any] | None]:
    if system is not None or success is not None:
        raise UsageError(
            "A table must be long (one column of systems) or wide (one column per system), not both.",
            Hint("leave out {option:algorithm} and {option:success}, or {option:algorithms}."),
        )
    names = [systems] if isinstance(systems, str) else list(systems)
    if len(set(names)) < 2:
        raise UsageError(
            f"A comparison needs at least two systems, got {first_few(names) or 'none'}.",
            Hint("specify their columns: {option:algorithms}"),
        )
    if item is not None:
        named = _column(table, item, "item")
        if named.is_duplicated().any():
            twice = named.filter(named.is_duplicated())[0]
            raise InputError(f"The item {twice!r} has several rows.", "use one row per item in a wide table.")
    outcomes = {name: _outcomes(_column(table, name, "algorithms"), name) for name in dict.fromkeys(names)}
    return outcomes, None if cluster is None else _whole(_column(table, cluster, "cluster"), cluster)


def _long(
    table: pl.DataFrame,
    item: str | None,
    system: str | None,
    success: str | None,
    cluster: str | None,
) -> tuple[dict[str, Floats], npt.NDArray[Any] | None]:
    if item is None or system is None or success is None:
        raise UsageError(
            f"The columns of the outcomes were not specified; the table has {first_few(table.columns, 8)}.",
            Hint(
                "for one row per item and system, pass {option:item}, {option:algorithm}, {option:success}; "
                "for one column per system, pass {option:algorithms}."
            ),
        )
    items, who = (
        _codes(_column(table, name, what), name) for name, what in ((item, "item"), (system, "algorithm"))
    )
    values = _outcomes(_column(table, success, "success"), success)
    (rows, of_items), (columns, of_systems) = items, who
    if len(columns) < 2:
        raise UsageError(
            f"A comparison needs at least two systems; the column {system!r} has "
            f"{counted(len(columns), 'system')}."
        )
    places = of_items * len(columns) + of_systems
    seen = np.bincount(places, minlength=len(rows) * len(columns))
    if (seen > 1).any():
        place = int(seen.argmax())
        raise InputError(
            f"Item {rows[place // len(columns)]!r} has {count(int(seen[place]))} outcomes for {columns[place % len(columns)]!r}; "
            f"{counted(int((seen > 1).sum()), 'pair of item and system has', 'pairs of item and system have')} several.",
            Hint(
                "use a separate item for each trial, and pass the column that groups trials as "
                "{option:cluster}."
            ),
        )
    if (seen == 0).any():
        place = int(seen.argmin())
        raise InputError(
            f"{out_of(int((seen == 0).sum()), len(seen))} outcomes {agreeing(int((seen == 0).sum()))} missing: item "
            f"{rows[place // len(columns)]!r} has no outcome for {columns[place % len(columns)]!r}.",
            "leave out items with missing outcomes, or replace missing outcomes by 0: systems are compared "
            "on the same items.",
        )
    filled = np.empty(len(seen))
    filled[places] = values
    matrix = filled.reshape(len(rows), len(columns))
    outcomes = {str(name): matrix[:, place].copy() for place, name in enumerate(columns)}
    if cluster is None:
        return outcomes, None
    names, of_clusters = _codes(_column(table, cluster, "cluster"), cluster)
    own = np.zeros(len(rows), np.intp)
    own[of_items] = of_clusters
    moved = own[of_items] != of_clusters
    if moved.any():
        row = int(of_items[moved.argmax()])
        raise InputError(
            f"The item {rows[row]!r} is in several clusters, {names[own[row]]!r} among them.",
            "assign each item to one cluster.",
        )
    return outcomes, own


def _column(table: pl.DataFrame, name: str, what: str) -> pl.Series:
    if name not in table.columns:
        raise unknown_name("column", name, table.columns, "in the table", option=what)
    return table[name]


def _whole(column: pl.Series, name: str) -> npt.NDArray[Any]:
    """The values of a column as codes; missing values are refused."""
    return _codes(column, name)[1]


def _codes(column: pl.Series, name: str) -> tuple[list[Any], npt.NDArray[np.intp]]:
    """The distinct values of a column in order of appearance, and their codes."""
    missing = int(column.null_count())
    if missing:
        row = int(column.is_null().arg_max() or 0)
        raise InputError(
            f"The column {name!r} is empty in {counted(missing, 'row')}, first in row {count(row + 1)}.",
            "fill in the missing values, or leave these rows out.",
        )
    known = column.unique(maintain_order=True)
    places = pl.DataFrame({"value": known, "place": np.arange(len(known))})
    found = pl.DataFrame({"value": column}).join(places, on="value", how="left", maintain_order="left")
    return known.to_list(), found["place"].to_numpy().astype(np.intp)


def _outcomes(column: pl.Series, name: str) -> Floats:
    """Successes from 0 to 1; anything else is refused, with its position."""
    if column.dtype == pl.Boolean or column.dtype.is_numeric():
        values = column.cast(pl.Float64)
        missing = values.is_null() | values.is_nan()
        if missing.any():
            raise InputError(
                f"{out_of(int(missing.sum()), len(values))} outcomes in {name!r} {agreeing(int(missing.sum()))} missing, first in row "
                f"{count(int(missing.arg_max() or 0) + 1)}.",
                "leave out items with missing outcomes, or replace missing outcomes by 0: systems are "
                "compared on the same items.",
            )
        found: Floats = values.to_numpy().astype(np.float64)
        wrong = (found < 0) | (found > 1)
        if not wrong.any():
            return found
        got = f"{given(float(found[wrong.argmax()]))} in row {count(int(wrong.argmax()) + 1)}"
    else:
        shown = column.drop_nulls()
        got = f"{shown[0]!r}" if len(shown) else "nothing"
    raise InputError(
        f"Outcomes in {name!r} must be 1 for a success, 0 for a failure, or a fraction between; got {got}.",
        "convert values to successes first: for example, a score above a threshold, or an answer equal to "
        "the truth.",
    )
