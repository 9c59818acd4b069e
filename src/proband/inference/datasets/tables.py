"""Accuracies of algorithms in data sets, from a table of them or from the outcomes of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.foreign import is_missing
from proband.errors import Hint, InputError, UsageError, first_few, unknown_name
from proband.samples.reading import filled_frame, frame_from
from proband.words import counted, given

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Accuracies:
    """Data sets × algorithms.

    Attributes
    ----------
    datasets, algorithms, values
        Their names, and the accuracies.
    errors
        For two algorithms the standard errors of their differences in every data set; empty where they are not known.
    subjects
        People in each data set, where these are known.
    without_spread
        Data sets in which some difference is the same for everybody, so that its error is taken as if one person differed.
    """

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    values: Floats
    errors: Mapping[tuple[str, str], Floats] = field(default_factory=dict)
    subjects: tuple[int, ...] | None = None
    without_spread: tuple[str, ...] = ()


def accuracies_of(frame: Any, dataset: str, errors: Any = None) -> Accuracies:
    """Read a row for each data set, a column for each algorithm; and a table of errors, a row for each pair in each data set."""
    table = filled_frame(frame)
    if dataset not in table.columns:
        raise unknown_name("column", dataset, table.columns, "in the table", option="dataset")
    names = tuple(table[dataset].cast(pl.String).fill_null("").to_list())
    _once(names, "data set")
    algorithms = tuple(name for name in table.columns if name != dataset)
    for name in algorithms:
        column = table[name]
        if not column.dtype.is_numeric():
            raise InputError(
                f"The column {name!r} is not numeric.",
                "pass a table with the names of data sets and one numeric column per algorithm.",
            )
        _refuse_missing(column, names, name)
    values = table.select(pl.col(algorithms).cast(pl.Float64)).to_numpy()
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        row, place = np.argwhere((values < 0) | (values > 1))[0]
        raise InputError(
            f"{algorithms[place]!r} has {given(float(values[row, place]))} in {names[row]!r}, which is not "
            "an accuracy.",
            "use accuracies between 0 and 1: divide percentages by 100, and remove other columns.",
        )
    return Accuracies(
        names,
        algorithms,
        values,
        {} if errors is None else _errors(frame_from(errors), dataset, names, algorithms),
    )


def _once(names: tuple[str, ...], what: str) -> None:
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"The {what} {twice!r} is listed twice.", f"use one row per {what}.")


def _refuse_missing(column: pl.Series, names: tuple[str, ...], algorithm: str) -> None:
    numbers = column.cast(pl.Float64)
    lacking = numbers.is_null() | ~numbers.is_finite().fill_null(False)
    if lacking.any():
        absent = [names[int(place)] for place in lacking.arg_true()]
        raise InputError(
            f"{algorithm!r} has no accuracy in {counted(len(absent), 'data set')}: {first_few(absent)}.",
            "leave these rows out: use only data sets that all algorithms were tested on.",
        )


def _errors(
    table: pl.DataFrame, dataset: str, names: tuple[str, ...], algorithms: tuple[str, ...]
) -> dict[tuple[str, str], Floats]:
    columns = (dataset, "first", "second", "standard_error")
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise InputError(
            f"The table of standard errors has no column {absent[0]!r}; its columns are "
            f"{first_few(table.columns, 12)}.",
            f"use one row for every pair in every data set, with the columns {', '.join(columns)}.",
        )
    found: dict[tuple[str, ...], float] = {}
    for place, first, second, error in table.select(columns).iter_rows():
        if error is None or not np.isfinite(error) or error <= 0:
            raise InputError(
                f"The standard error of {first!r} and {second!r} in {place!r} is {'missing' if is_missing(error) else error}.",
                "a standard error must be above 0.",
            )
        found[str(place), *sorted((str(first), str(second)))] = float(error)
    made = {}
    for one, other in combinations(algorithms, 2):
        keys = [(place, *sorted((one, other))) for place in names]
        missing = [key[0] for key in keys if key not in found]
        if len(missing) == len(keys):
            continue
        if missing:
            raise InputError(f"There is no standard error of {one!r} and {other!r} in {first_few(missing)}.")
        made[one, other] = np.array([found[key] for key in keys])
    return made


def outcomes_of(frame: Any, dataset: str, algorithm: str, success: str, subject: str | None) -> Accuracies:
    """Read a row for each outcome: its data set, algorithm, whether it is a success, and whose it is.

    The accuracy in a data set is the share of successes. The standard error of a difference is over people (or rows without them): with mᵢ outcomes and
    the difference of successes dᵢ of person i, √[n/(n − 1) Σ (dᵢ − mᵢ D)²]/Σmᵢ.
    """
    table = filled_frame(frame)
    for name in (dataset, algorithm, success, *([] if subject is None else [subject])):
        if name not in table.columns:
            raise unknown_name("column", name, table.columns, "in the table")
        if table[name].null_count():
            raise InputError(
                f"{counted(table[name].null_count(), 'row has', 'rows have')} no {name!r}.",
                "fill in the missing values, or leave these rows out.",
            )
    if subject is None:
        raise UsageError(
            "The people behind the outcomes are unknown, so differences have no standard error.",
            Hint("specify the column of people: {option:cluster}"),
        )
    numbers = table[success].cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_between(0, 1).all():
        raise InputError(
            f"The column {success!r} has values other than successes (1), failures (0) and fractions."
        )
    plain = table.select(
        pl.col(dataset).cast(pl.String).alias("dataset"),
        pl.col(algorithm).cast(pl.String).alias("algorithm"),
        pl.col(subject).cast(pl.String).alias("subject"),
        numbers.alias("success"),
    )
    names = tuple(plain["dataset"].unique(maintain_order=True).to_list())
    algorithms = tuple(plain["algorithm"].unique(maintain_order=True).to_list())
    sums = plain.group_by("dataset", "algorithm", "subject", maintain_order=True).agg(
        pl.col("success").sum(), pl.len().alias("n")
    )
    values = np.empty((len(names), len(algorithms)))
    errors = {pair: np.empty(len(names)) for pair in combinations(algorithms, 2)}
    subjects, flat = [], []
    for row, place in enumerate(names):
        wins, sizes = _people(sums.filter(pl.col("dataset") == place), algorithms, place)
        subjects.append(len(sizes))
        values[row] = wins.sum(axis=0) / sizes.sum()
        for one, other in errors:
            own = wins[:, algorithms.index(one)] - wins[:, algorithms.index(other)]
            error = _clustered(own, sizes)
            flat += [place] * (error == 0)
            errors[one, other][row] = error or float(sizes.mean() / sizes.sum())
    return Accuracies(names, algorithms, values, errors, tuple(subjects), tuple(dict.fromkeys(flat)))


def _people(part: pl.DataFrame, algorithms: tuple[str, ...], place: str) -> tuple[Floats, Floats]:
    """Successes of every person by every algorithm, and how many outcomes each has; refused unless all were tested alike."""
    wins = part.pivot("algorithm", index="subject", values="success", maintain_order=True)
    sizes = part.pivot("algorithm", index="subject", values="n", maintain_order=True)
    absent = [name for name in algorithms if name not in wins.columns]
    if absent:
        raise InputError(
            f"{absent[0]!r} was not tested on {place!r}.",
            "use only data sets that all algorithms were tested on.",
        )
    counts = sizes.select(algorithms)
    unlike = [name for name in algorithms if not counts[name].equals(counts[algorithms[0]], null_equal=True)]
    if unlike or counts.null_count().sum_horizontal().item():
        raise InputError(
            f"In {place!r} the algorithms do not have the same numbers of outcomes from the same people.",
            "use the same samples for all algorithms.",
        )
    if wins.height < 2:
        raise InputError(f"{place!r} has only one person, so nothing can be concluded about other people.")
    return wins.select(algorithms).to_numpy(), counts[algorithms[0]].cast(pl.Float64).to_numpy()


def _clustered(own: Floats, sizes: Floats) -> float:
    n, difference = len(sizes), own.sum() / sizes.sum()
    return float(np.sqrt(n / (n - 1) * np.sum((own - sizes * difference) ** 2)) / sizes.sum())
