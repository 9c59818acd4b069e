"""Digitally changed images: brighter, darker, lit from one side, larger, smaller or tilted, as in FERET's query set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import cos, radians, sin
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.algorithms.pictures.changes import (
    WHITE,
    Alteration as Alteration,
    Altered as Altered,
    Eyes,
    Images,
    as_grey,
    require_value,
)
from proband.algorithms.pictures.geometry import AboutTheEyes as AboutTheEyes, Rotation, Scale as Scale
from proband.errors import InputError, UsageError, first_few, nearest
from proband.samples import Samples

COLUMNS = ("alteration", "altered_from")
"""The columns of a copy: how it was changed, and the id of its original."""

UNCHANGED = "none"
"""The value of the column for an original."""


@dataclass(frozen=True)
class Illumination(Alteration):
    """More or less light: every grey value is multiplied by `gain`."""

    kind: ClassVar[str] = "gain"
    gain: float

    def __post_init__(self) -> None:
        require_value(self, "gain", self.gain, self.gain > 0 and self.gain != 1, "above 0, and not 1")

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        return _by_level(images, np.arange(WHITE + 1.0) * self.gain)


@dataclass(frozen=True)
class Gamma(Alteration):
    """A gamma curve: a grey value v from 0 to 1 becomes v**gamma; values above 1 darken the image, and nothing is clipped."""

    kind: ClassVar[str] = "gamma"
    gamma: float

    def __post_init__(self) -> None:
        require_value(self, "gamma", self.gamma, self.gamma > 0 and self.gamma != 1, "above 0, and not 1")

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        return _by_level(images, WHITE * (np.arange(WHITE + 1.0) / WHITE) ** self.gamma)


@dataclass(frozen=True)
class Gradient(Alteration):
    """Light from one side: a gain that falls linearly from 1 + strength to 1 - strength across the image.

    Parameters
    ----------
    strength
        Up to 1, at which the far side is black.
    angle
        The direction of the light in degrees: 0 is the left of the image, 90 above, 180 its right.
    """

    kind: ClassVar[str] = "side"
    strength: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        require_value(self, "strength", self.strength, 0 < self.strength <= 1, "above 0, and at most 1")
        require_value(self, "angle", self.angle, True, "a number of degrees")

    def _parts(self) -> list[str]:
        return super()._parts()[: None if self.angle else -1]

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        height, width = images.shape[1:]
        across, down = np.linspace(-1, 1, width), np.linspace(-1, 1, height)
        x, y = cos(radians(self.angle)), sin(radians(self.angle))
        towards = (x * across[None, :] + y * down[:, None]) / (abs(x) + abs(y))
        gain = 1 - self.strength * towards
        changed, clipped = np.empty_like(images), np.empty(len(images))
        for place, image in enumerate(images):
            changed[place], beyond = as_grey(image * gain)
            clipped[place] = beyond.mean()
        return changed, clipped


_KINDS: dict[str, type[Alteration]] = {
    one.kind: one for one in (Illumination, Gamma, Gradient, Scale, Rotation)
}
_FORMS = "gain:0.5, gamma:2, side:0.5, side:0.5:90, scale:0.8 or rotate:10"


def alteration(text: str) -> Alteration:
    """Parse a change.

    ``gain:0.5``, ``gamma:2``, ``side:0.5`` (``side:0.5:90`` from above), ``scale:0.8``, ``rotate:10`` (clockwise, in the plane).
    """
    kind, *values = text.strip().split(":")
    if kind not in _KINDS:
        raise UsageError(
            f"Unknown change: {text!r:.60}.",
            nearest(kind, _KINDS) or f"use, for example, {_FORMS}.",
        )
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        raise UsageError(f"{text!r:.60} does not state an amount.", f"use, for example, {_FORMS}.") from None
    made = _KINDS[kind]
    if not 1 <= len(numbers) <= len(fields(made)):
        raise UsageError(f"{text!r:.60} has {len(numbers)} numbers.", f"use, for example, {_FORMS}.")
    return made(*numbers)


def with_altered(
    samples: Samples,
    changes: Sequence[Alteration],
    positions: npt.ArrayLike | None = None,
    *,
    id_column: str = "id",
) -> pl.DataFrame:
    """Add a changed copy of samples to their table, for every change.

    A copy has the covariates of its original, the id ``ID@scale-0.8``, eye centres moved with the change,
    and the columns ``alteration`` and ``altered_from``. The originals come first; their alteration is
    ``none``, which is a value rather than missing, so it can be used in conditions.

    Parameters
    ----------
    positions
        The samples to copy; by default all.
    id_column
        The column of sample ids.
    """
    _check_changes(samples, changes)
    # A table with ids of another name has them under 'id' too, unless that is a column of its own.
    named = [name for name in dict.fromkeys((id_column, "id")) if _holds_ids(samples, name)]
    if id_column not in named:
        raise UsageError(f"The column {id_column!r} does not contain the ids of the samples.")
    kept = samples.frame.with_columns(
        *(
            pl.col(name).cast(pl.Float64, strict=False)
            for name in EYE_COLUMNS
            if name in samples.frame.columns
        ),
        alteration=pl.lit(UNCHANGED),
        altered_from=pl.lit(None, pl.String),
    )
    chosen = kept if positions is None else kept[np.asarray(positions, dtype=np.intp)]
    parts = [kept]
    for change in changes:
        copies = chosen.with_columns(altered_from=pl.col(id_column), alteration=pl.lit(str(change)))
        parts.append(_moved(copies, change).with_columns(pl.col(named) + f"@{change.label}"))
    return pl.concat(parts)


def _holds_ids(samples: Samples, column: str) -> bool:
    return column in samples.frame.columns and samples.frame[column].to_list() == list(samples.ids)


def _moved(copies: pl.DataFrame, change: Alteration) -> pl.DataFrame:
    if not set(EYE_COLUMNS) <= set(copies.columns):
        return copies
    eyes = change.move(copies.select(EYE_COLUMNS).to_numpy().astype(np.float64))
    columns = (pl.Series(name, eyes[:, k]).fill_nan(None) for k, name in enumerate(EYE_COLUMNS))
    return copies.with_columns(*columns)


def _check_changes(samples: Samples, changes: Sequence[Alteration]) -> None:
    if not changes:
        raise UsageError("No change was given.", f"use, for example, {_FORMS}.")
    names = [str(change) for change in changes]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise UsageError(f"The change {first_few(twice)} is given twice.")
    there = [name for name in COLUMNS if name in samples.frame.columns]
    if there:
        raise InputError(
            f"The table already has a column {there[0]!r}, so it may contain changed samples.",
            "start from the originals, and give all changes together.",
        )


def _by_level(images: Images, levels: npt.NDArray[np.float64]) -> tuple[Images, npt.NDArray[np.float64]]:
    """Replace every grey value by the one at its place in `levels`."""
    grey, beyond = as_grey(levels)
    return grey[images], beyond[images].mean(axis=(1, 2))
