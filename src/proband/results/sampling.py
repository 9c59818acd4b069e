"""Which declared sampling levels vary behind a number, in words, as far as the design and the data show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from proband.words import SampledColumn, counted, listed

Drawn = Literal["nothing", "samples", "images", "people"]
_DRAWN: Mapping[str, Drawn] = {
    "description": "nothing",
    "probes": "samples",
    "pairs": "samples",
    "probe-images-within-strata": "samples",
    "images-of-these-people": "images",
    "probe-images-of-these-people": "images",
    "probe-images-of-these-people-by-sensor": "images",
    "queries-of-these-people": "images",
    "images-compared-of-these-people": "images",
    "one-probe-each": "people",
    "people": "people",
    "people-compared": "people",
    "people-and-threshold": "people",
    "people-searched": "people",
    "people-searched-enrolment-averaged": "people",
    "threshold-of-people-searched": "people",
    "people-of-group": "people",
    "people-within-strata": "people",
    "within-strata-of-people-compared": "people",
    "within-strata-of-people-and-threshold": "people",
    "people-in-galleries": "people",
}
"""What is drawn, by what varies: samples by themselves, images within people, or people with all their images. What is not listed is not spoken of."""
_ALSO_DRAWN: Mapping[str, tuple[str, ...]] = {
    "pairs": ("model",),
    "images-of-these-people": ("model",),
    "images-compared-of-these-people": ("model",),
    "people-compared": ("model",),
    "people-and-threshold": ("system", "model"),
    "threshold-of-people-searched": ("system",),
    "within-strata-of-people-compared": ("model",),
    "within-strata-of-people-and-threshold": ("system", "model"),
    "people-in-galleries": ("model",),
}
"""Levels of which a part is drawn besides the population, by what varies."""
_PARTS = {"system": ("threshold", "other parameters"), "model": ("exemplars", "training")}
"""The part of a level that may be drawn, and the part that is held fixed then."""
Words = tuple[str, ...]


def levels_in_words(
    sampling: Sequence[SampledColumn], varying: str, strata: str | None, units: str | None
) -> tuple[Words, Words, Words]:
    """Describe which levels and columns vary, which are held fixed, and what is assumed of missing values.

    Parameters
    ----------
    sampling
        Observations on each column.
    varying
        The key of what varies behind the number.
    strata, units
        The columns of strata and of units within them.
    """
    drawn, also = _DRAWN.get(varying), _ALSO_DRAWN.get(varying, ())
    moving = {one: words for one in sampling if (words := _varying(one, drawn, strata, units))}
    held = [words for one in sampling for words in _held(one, drawn, strata, units)]
    unknown = tuple(
        f"{one.told()}, missing for {counted(one.n_missing, 'sample')}, has the same values there as "
        "elsewhere"
        for one in sampling
        if one.n_missing
    )
    if drawn is None:
        return tuple(moving.values()), tuple(held), unknown  # it is not known which levels vary
    of_people = [words for one, words in moving.items() if one.sampling_level == "population"]
    beyond = [words for one, words in moving.items() if one.sampling_level != "population"]
    moved = {one.sampling_level for one in moving}
    still = [
        f"{level} level ({rest})" if level in also else f"{level} level"
        for level, (_, rest) in _PARTS.items()
        if level not in moved
    ]
    if drawn == "nothing":
        return (), (listed(["population level", *still]), *held), unknown
    told = f"population level: {', '.join(of_people)}" if of_people else "population level"
    parts = (f"{level} level ({_PARTS[level][0]})" for level in also)
    return (told, *parts, *beyond), (*([listed(still)] if still else ()), *held), unknown


def _varying(column: SampledColumn, drawn: Drawn | None, strata: str | None, units: str | None) -> str | None:
    """How a column varies: with the units drawn, or within them; None if it is not known to vary."""
    if column.column == units:
        return f"{column.told()} as units"
    if column.column == strata or column.spread in ("constant", "between-strata", "not-known"):
        return None
    if drawn == "samples":
        return f"{column.told()} between samples"
    if column.spread == "within-people" and drawn in ("people", "images"):
        return f"{column.told()} within people"
    return f"{column.told()} between people" if drawn == "people" else None


def _held(column: SampledColumn, drawn: Drawn | None, strata: str | None, units: str | None) -> Iterator[str]:
    """How a column is held fixed: at one value, at that of each person, or as strata."""
    if column.column == strata:
        yield f"{column.told()} as strata"
    elif column.value is not None:
        same = column.value == column.gallery_value
        yield column.told(column.value if same else f"{column.value} for all probes")
    elif column.spread == "between-strata":
        yield f"{column.told()} at the value of each stratum"
    elif drawn == "nothing":
        yield column.told()
    elif drawn == "images" and column.spread == "between-people" and column.column != units:
        yield f"{column.told()} at the value of each person"
    if column.gallery_value is not None and column.gallery_value != column.value:
        yield column.told(f"{column.gallery_value} in the gallery")
