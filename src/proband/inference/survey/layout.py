"""How the rows of a table were drawn: columns of strata, units and populations, made into stages."""

from __future__ import annotations

import numpy as np
import polars as pl

from proband.errors import Hint, InputError, first_few
from proband.inference.survey.columns import Floats, Integers, labels_of, numbers_of
from proband.inference.survey.stages import Lonely, Stage, Stages
from proband.words import counted, digits


def stages_of(
    table: pl.DataFrame,
    strata: str | None,
    units: tuple[str, ...],
    fpc: tuple[str, ...],
    nest: bool,
    lonely: Lonely,
) -> Stages:
    """Make the stages of a sample; units of a stage are the strata of the next."""
    names: tuple[str, ...] = ("all",)
    within = np.zeros(table.height, dtype=np.intp)
    if strata is not None:
        names, within = labels_of(table, strata, "strata")
    made: list[Stage] = []
    for place, column in enumerate(units or (None,)):
        labels, labelled = _units(table, column)
        codes = labelled
        if place or (nest and strata is not None):
            codes = within * (int(labelled.max()) + 1) + labelled
        elif strata is not None:
            _require_nested(labels, labelled, names, within)
        own = _as_they_come(codes)
        populations = None
        if fpc:
            populations = numbers_of(table, fpc[place], "fpc")
            check_fpc(populations, fpc[place])
        made.append(stage_of(own, within, names, populations, fpc[place] if fpc else ""))
        if place + 1 < len(units):
            within, names = own, _called(labels, labelled, own)
    return Stages(tuple(made), lonely, strata is not None)


def stage_of(
    codes: Integers, strata: Integers, names: tuple[str, ...], fpc: Floats | None, column: str
) -> Stage:
    """Make a stage of the unit and the stratum of each row, and of what a column says of its population."""
    n_units = int(codes.max()) + 1
    of_units = np.zeros(n_units, dtype=np.intp)
    of_units[codes] = strata
    populations = None
    if fpc is not None:
        drawn = np.bincount(of_units, minlength=len(names)).astype(np.float64)
        lows, highs = np.full(len(names), np.inf), np.full(len(names), -np.inf)
        np.minimum.at(lows, strata, fpc)
        np.maximum.at(highs, strata, fpc)
        uneven = np.flatnonzero(lows != highs)
        if len(uneven):
            place = int(uneven[0])
            raise InputError(
                f"The population of the stratum {names[place]!r} is {digits(lows[place], 8)} and {digits(highs[place], 8)} in "
                f"{column!r}.",
                "use one number per stratum: its number of units, or the fraction sampled.",
            )
        populations = lows if (fpc > 1).any() else drawn / lows
        short = np.flatnonzero(populations < drawn * (1 - 1e-12))
        if len(short):
            place = int(short[0])
            raise InputError(
                f"{counted(int(drawn[place]), 'unit was', 'units were')} drawn of {digits(populations[place], 8)} in the stratum "
                f"{names[place]!r}, by {column!r}.",
                "use the number of units in the population, not the number of rows.",
            )
        populations = np.maximum(populations, drawn)
    return Stage(codes, of_units, populations, names)


def check_fpc(fpc: Floats, column: str) -> None:
    """Refuse numbers that are neither populations nor fractions."""
    if (fpc <= 0).any() or ((fpc > 1).any() and (fpc < 1).any()):
        raise InputError(
            f"The column {column!r} goes from {digits(float(fpc.min()), 6)} to {digits(float(fpc.max()), 6)}.",
            "use numbers of units in the population (at least 1) or sampling fractions (above 0, at most 1).",
        )


def _units(table: pl.DataFrame, column: str | None) -> tuple[tuple[str, ...], Integers]:
    if column is None:
        return (), np.arange(table.height, dtype=np.intp)
    return labels_of(table, column, "units")


def _as_they_come(codes: Integers) -> Integers:
    """Units numbered in the order of their first rows, as half-samples pair them."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[inverse.ravel()]


def _called(labels: tuple[str, ...], labelled: Integers, units: Integers) -> tuple[str, ...]:
    """What units are called: by the label of their first row."""
    _, first = np.unique(units, return_index=True)
    return tuple(labels[labelled[row]] for row in first)


def _require_nested(
    labels: tuple[str, ...], codes: Integers, names: tuple[str, ...], strata: Integers
) -> None:
    if not labels:
        return
    lows, highs = np.full(len(labels), len(names)), np.full(len(labels), -1)
    np.minimum.at(lows, codes, strata)
    np.maximum.at(highs, codes, strata)
    several = np.flatnonzero(lows != highs)
    if len(several):
        place = int(several[0])
        raise InputError(
            f"The unit {labels[place]!r} is in the strata {names[lows[place]]!r} and {names[highs[place]]!r}; "
            f"{counted(len(several), 'unit is', 'units are')} in several: {first_few([labels[one] for one in several])}.",
            Hint(
                "if unit numbers restart in every stratum, pass {option:nest=on}; otherwise correct the "
                "strata."
            ),
        )
