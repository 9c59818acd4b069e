"""What every probe has of every covariate: columns of the probe, of its mate, and of the two together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import DesignError, Hint, UsageError, first_few, nearest, quoted, unknown_name
from proband.inference.covariates.formula import Covariate, Formula
from proband.inference.covariates.regression import Floats
from proband.inference.survey.columns import column_of
from proband.measures.outcomes import Outcomes
from proband.samples.categories import mate_pairs
from proband.words import count, digits

_DAY = 86_400.0  # seconds


class Called(NamedTuple):
    """What rows are, and the units that vary.

    Attributes
    ----------
    row, unit, units
        One row, one unit and several.
    """

    row: str
    unit: str
    units: str

    @property
    def rows(self) -> str:
        """Several rows."""
        return f"{self.row}s"


PROBES = Called("probe", "person", "people")


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one covariate.

    Attributes
    ----------
    covariate
        Which.
    levels
        The names of its groups, the one that others are compared with first; empty for a number.
    numbers
        The number of every row, or the place of its group in `levels`.
    """

    covariate: Covariate
    levels: tuple[str, ...]
    numbers: Floats

    @property
    def is_number(self) -> bool:
        """Whether it enters as a number."""
        return not self.levels


@dataclass(frozen=True, eq=False)
class CovariateRows:
    """One row for each algorithm and probe, or each row of a table: who it is, and the values of all covariates.

    Attributes
    ----------
    probe, person
        The probe's place in the table of samples (or the row's in its own), and its person (or cluster) from 0.
    values
        Of every covariate.
    kept
        Which rows of the outcomes these are, one array for each algorithm.
    incomplete
        Probes that lack the value of a covariate, and were left out.
    lacking
        How many probes lack each covariate's value, by name.
    called
        What rows and units are.
    """

    probe: npt.NDArray[np.intp]
    person: npt.NDArray[np.intp]
    values: tuple[Values, ...]
    kept: tuple[npt.NDArray[np.bool_], ...]
    incomplete: npt.NDArray[np.intp]
    lacking: tuple[tuple[str, int], ...]
    called: Called = PROBES


def rows_of(outcomes: Sequence[Outcomes], formula: Formula, incomplete: str = "error") -> CovariateRows:
    """Find the covariates of all probes, an algorithm below the other.

    Probes that lack a value are refused, or with ``drop`` left out and counted.
    """
    experiment = outcomes[0].experiment
    scored = np.unique(np.concatenate([one.probes for one in outcomes]))
    pairs = mate_pairs(experiment).filter(pl.col("probe").is_in(scored))
    pairs = _enrolled(pairs, outcomes[0])
    found = {one: _series(one, pairs, scored) for one in formula.covariates if one.kind != "algorithm"}
    names = [experiment.samples.ids[int(one)] for one in scored]
    left_out, lacking = _lacking(found, names, incomplete, PROBES)
    complete = np.setdiff1d(scored, scored[left_out])
    kept = tuple(np.isin(one.probes, complete) for one in outcomes)
    probe = np.concatenate([one.probes[keep] for one, keep in zip(outcomes, kept, strict=True)]).astype(
        np.intp
    )
    places = np.searchsorted(scored, probe)
    algorithm = np.repeat(np.arange(len(outcomes)), [int(keep.sum()) for keep in kept])
    person = np.unique(experiment.samples.codes[probe], return_inverse=True)[1].astype(np.intp)
    values = tuple(
        Values(one, tuple(each.algorithm for each in outcomes), algorithm.astype(np.float64))
        if one.kind == "algorithm"
        else _values(one, found[one], np.searchsorted(scored, complete), places)
        for one in formula.covariates
    )
    return CovariateRows(probe, person, values, kept, scored[left_out], lacking)


def table_rows(
    table: pl.DataFrame,
    units: npt.NDArray[np.intp],
    counting: npt.NDArray[np.bool_],
    formula: Formula,
    incomplete: str,
    called: Called,
) -> CovariateRows:
    """Find the covariates of the rows of a table that count, each of a unit."""
    found = {}
    for one in formula.covariates:
        column = column_of(table, one.column, "on").filter(counting)
        found[one] = column.fill_nan(None) if column.dtype.is_float() else column
    places = np.flatnonzero(counting)
    left_out, lacking = _lacking(found, [f"row {place + 1}" for place in places], incomplete, called)
    complete = np.setdiff1d(np.arange(len(places)), left_out)
    values = tuple(_values(one, series, complete, complete) for one, series in found.items())
    own = places[complete]
    person = np.unique(units[own], return_inverse=True)[1].astype(np.intp)
    kept = np.isin(np.arange(table.height), own)
    return CovariateRows(own, person, values, (kept,), places[left_out], lacking, called)


def _lacking(
    found: Mapping[Covariate, pl.Series], names: Sequence[str], incomplete: str, called: Called
) -> tuple[npt.NDArray[np.intp], tuple[tuple[str, int], ...]]:
    """Which rows lack a value, and how many lack each; refused unless they may be left out."""
    missing = {one: np.flatnonzero(series.is_null().to_numpy()) for one, series in found.items()}
    lacking = tuple((str(one), len(places)) for one, places in missing.items() if len(places))
    left_out = np.unique(np.concatenate([np.empty(0, np.intp), *missing.values()])).astype(np.intp)
    if lacking and incomplete == "error":
        told = ", ".join(f"{name} ({count(n)})" for name, n in lacking)
        shown = first_few([names[place] for place in left_out])
        raise DesignError(
            f"{count(len(left_out))} of {count(len(names))} {called.rows} lack a covariate: {told}; {shown}.",
            Hint(f"{{give:incomplete=drop}} to leave these {called.rows} out, with a note."),
        )
    if len(left_out) == len(names):
        cure = "check that the columns have values and that every probe has a mate."
        raise DesignError(
            f"Every {called.row} lacks a covariate.",
            cure if called is PROBES else "check that the columns have values.",
        )
    return left_out, lacking


def _enrolled(pairs: pl.DataFrame, outcomes: Outcomes) -> pl.DataFrame:
    """Mates that were enrolled; where none of a probe's was, all of them."""
    if outcomes.on_failure != "miss" or not outcomes.experiment.samples.failed.any():
        return pairs
    failed = pl.Series(outcomes.experiment.samples.failed)
    marked = pairs.with_columns(failed.gather(pairs["mate"]).alias("failed mate"))
    none = pl.col("failed mate").all().over("probe")
    return marked.filter(none | ~pl.col("failed mate"))


def _series(one: Covariate, pairs: pl.DataFrame, scored: npt.NDArray[np.int64]) -> pl.Series:
    """The value of every scored probe; refused where its mates have different ones."""
    roles = [one.kind] if one.kind in ("probe", "mate") else ["probe", "mate"]
    for role in roles:
        if f"{role}.{one.column}" not in pairs.columns:
            known = [name.partition(".")[2] for name in pairs.columns if name.startswith(f"{role}.")]
            raise unknown_name("column", one.column, known, f"for the covariate {one}")
    values = pairs.select("probe", _expression(one, pairs.schema).alias("value"))
    by_probe = values.group_by("probe", maintain_order=True).agg(
        pl.col("value").first(), (pl.col("value").n_unique() > 1).alias("several")
    )
    several = int(by_probe["several"].sum())
    if several:
        raise DesignError(
            f"{one} has several values for {count(several)} of {count(by_probe.height)} probes, whose mates differ in it.",
            Hint("enrol one image per person: {option:gallery=one_per_subject}"),
        )
    whole = pl.DataFrame({"probe": scored}).join(
        by_probe.cast({"probe": pl.Int64}), on="probe", how="left", maintain_order="left"
    )
    return whole["value"]


def _expression(one: Covariate, schema: pl.Schema) -> pl.Expr:
    if one.kind in ("probe", "mate"):
        return pl.col(f"{one.kind}.{one.column}")
    kind = schema[f"probe.{one.column}"]
    probe, mate = pl.col(f"probe.{one.column}"), pl.col(f"mate.{one.column}")
    if one.kind == "same":
        return pl.when(probe == mate).then(pl.lit("same")).when(probe != mate).then(pl.lit("different"))
    if kind.is_numeric():
        less = probe.cast(pl.Float64) - mate.cast(pl.Float64)
    elif kind.is_temporal() and kind != pl.Time:
        less = (probe - mate).dt.total_milliseconds() / (1_000 * _DAY)
    else:
        raise UsageError(
            f"{one} needs a column of numbers or dates, and {one.column!r} is {_called(kind)}.",
            f"write same({one.column}), or probe.{one.column}.",
        )
    return less.abs() if one.kind == "elapsed" else less


def _called(kind: pl.DataType) -> str:
    return "yes or no" if kind == pl.Boolean else "text" if kind == pl.String else str(kind)


def _values(
    one: Covariate,
    series: pl.Series,
    complete: npt.NDArray[np.intp],
    places: npt.NDArray[np.intp],
) -> Values:
    """Numbers as they are or in groups, words as levels; the commonest level is the one others are compared with."""
    kind = series.dtype
    if kind.is_temporal():
        raise UsageError(
            f"{one} is a date.",
            "convert it to a number, such as days."
            if one.kind == "column"
            else f"write elapsed({one.column}) or difference({one.column}), in days from the mate's.",
        )
    if kind.is_numeric() and one.form != "levels":
        numbers = series.cast(pl.Float64).fill_null(np.nan).to_numpy()
        if one.form != "cut":
            return Values(one, (), numbers[places])
        return _cut(one, numbers[complete], numbers[places])
    if one.form in ("squared", "cut"):
        raise UsageError(f"{one} needs numbers, and {one.of} is {_called(kind)}.", f"write {one.of}.")
    words = series.cast(pl.Float64).to_list() if kind.is_float() else series.to_list()
    names = [None if word is None else _named(word) for word in words]
    counted: dict[str, int] = {}
    for place in complete:
        name = names[place]
        assert name is not None  # what lacks a value is left out
        counted[name] = counted.get(name, 0) + 1
    levels = tuple(sorted(counted, key=lambda name: (-counted[name], name)))
    if one.reference and one.reference not in levels:
        raise UsageError(
            f"No probe has {one.of} {quoted(one.reference)}, the reference level.",
            nearest(one.reference, levels) or f"use one of its levels: {first_few(levels, 8)}.",
        )
    first = one.reference or levels[0]
    levels = (first, *sorted(name for name in levels if name != first))
    position = {name: float(place) for place, name in enumerate(levels)}
    return Values(one, levels, np.array([position[names[place] or ""] for place in places]))


def _named(word: object) -> str:
    if isinstance(word, bool):
        return "yes" if word else "no"
    return digits(word, 6) if isinstance(word, float) else str(word)


def _cut(one: Covariate, known: Floats, numbers: Floats) -> Values:
    """Groups of equally many probes, closed above, as far as equal values allow."""
    inner = np.quantile(known, np.arange(1, one.groups) / one.groups)
    edges = np.unique(inner[inner < known.max()])
    group = np.searchsorted(edges, numbers, side="left")
    parts = [known[np.searchsorted(edges, known, side="left") == place] for place in range(len(edges) + 1)]
    names = [_range(part) for part in parts if len(part)]
    order = np.cumsum([len(part) > 0 for part in parts]) - 1
    if len(names) < 2 or len(set(names)) < len(names):
        raise DesignError(
            f"{one} makes {count(len(set(names)))} group{'' if len(set(names)) == 1 else 's'} only: too "
            "many probes have the same value.",
            f"write {one.of}, levels({one.of}) or fewer groups.",
        )
    return Values(one, tuple(names), order[group].astype(np.float64))


def _range(part: Floats) -> str:
    low, high = digits(part.min(), 4), digits(part.max(), 4)
    return low if low == high else f"{low} to {high}"
