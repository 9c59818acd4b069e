"""Sampling levels of an evaluation (Micheals & Boult 2001, STRAT): their declared columns, and observations on these in the data.

STRAT distinguishes four sampling levels: *population* (who and what is photographed), *system* (the parameters of the algorithm),
*model* (what it is trained on, and whom it knows) and *analysis*. A column of the table is declared as one of them, or more closely, at
the population level, as the *scene* (a bounded space and time), its *context* (the constraints on scenes), an *explicit* property
(one that the experimenter controls) or an *implicit* one (any other).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.errors import Said, UsageError, meant, unknown_name
from proband.words import SampledColumn, SamplingLevel, Spread

if TYPE_CHECKING:
    from proband.samples.table import Samples

Declared = tuple[tuple[str, SamplingLevel], ...]
"""Columns, each with what it is declared as."""


def declared_levels(
    sampling: Mapping[str, str | Sequence[str]], columns: Collection[str], source: str
) -> Declared:
    """Check the columns declared for each level; refuse unknown levels and columns, and a column of two levels."""
    levels: dict[str, SamplingLevel] = {}
    for level, names in sampling.items():
        if level not in get_args(SamplingLevel):
            raise unknown_name("sampling level", level, get_args(SamplingLevel))
        for name in (names,) if isinstance(names, str) else names:
            if name not in columns:
                raise UsageError(
                    f"{source} has no column {name!r}, which is declared as {level}.",
                    meant(name, columns),
                    source=Said(source),
                )
            if name in levels:
                raise UsageError(
                    f"The column {name!r} is declared both as {levels[name]} and as {level}.",
                    "declare it once, as the level that fits best.",
                )
            levels[name] = level  # type: ignore[assignment]  # it is one of them, as was just checked
    return tuple(levels.items())


def observed(
    samples: Samples, probes: npt.NDArray[Any], gallery: npt.NDArray[Any], *, strata: str | None = None
) -> tuple[SampledColumn, ...]:
    """Return observations on the declared columns in probes and gallery, given their positions in the table.

    `strata` is the column of strata, unless these are people.
    """
    groups = samples.frame[strata][probes] if strata in samples.frame.columns else None
    return tuple(
        _observed(samples.frame[column], samples.codes, column, level, probes, gallery, groups)
        for column, level in samples.sampling
    )


def _observed(
    values: pl.Series,
    codes: npt.NDArray[np.int32],
    column: str,
    level: SamplingLevel,
    probes: npt.NDArray[Any],
    gallery: npt.NDArray[Any],
    groups: pl.Series | None,
) -> SampledColumn:
    searched = values[probes]
    known = pl.DataFrame({"person": codes[probes], "value": searched}).drop_nulls()
    by_person = known.group_by("person").agg(pl.col("value").n_unique())["value"]
    n_within, n_missing = int((by_person > 1).sum()), int(searched.null_count())
    of_strata = groups is not None and not n_missing and _has_one_value_each(groups, searched)
    value = _only(searched)
    spread: Spread = (
        "constant"
        if value is not None
        else "between-strata"
        if of_strata
        else "within-people"
        if n_within
        else "not-known"
        if n_missing
        else "between-people"
    )
    return SampledColumn(column, level, spread, value, _only(values[gallery]), n_within, n_missing)


def _has_one_value_each(groups: pl.Series, values: pl.Series) -> bool:
    """Whether every group has one value."""
    pairs = pl.DataFrame({"group": groups, "value": values})
    return pairs.n_unique() == groups.n_unique()


def _only(values: pl.Series) -> str | None:
    """The common value of all."""
    return str(values[0]) if values.n_unique() == 1 and not values.null_count() else None
