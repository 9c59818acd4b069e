"""Digitally changed pictures: brighter, darker, lit from one side, larger or smaller, as in FERET's query set."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from math import ceil, cos, floor, isfinite, radians, sin
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.algorithms.pictures.acquire import EYE_COLUMNS
from proband.errors import InputError, UsageError, first_few
from proband.samples import Samples
from proband.words import count, digits

Images = npt.NDArray[np.uint8]
Eyes = npt.NDArray[np.float64]

COLUMNS = ("alteration", "altered_from")
"""What the table says of a copy: how it was changed, and the id of the sample it was made from."""

UNCHANGED = "none"
"""The alteration of an original."""

_WHITE = 255
_SCALES = (0.1, 10.0)
_ROUNDING = 1e-6  # pixels: a border this close to a whole pixel lies on it


class Altered(NamedTuple):
    """Changed images and what became of them.

    Attributes
    ----------
    images
        n × height × width, 8 bits, of the size they had.
    eyes
        Where the eyes are now, or None if they were not given.
    clipped
        For each image the share of pixels that would have been brighter than white or darker than black: what they
        held is lost.
    """

    images: Images
    eyes: Eyes | None
    clipped: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Alteration(ABC):
    """One way to change a picture; written as text, ``kind:value``."""

    kind: ClassVar[str]

    def __str__(self) -> str:
        return ":".join(self._parts())

    @property
    def label(self) -> str:
        """The change as a part of an id: ``scale-0.8``."""
        return "-".join(self._parts())

    def _parts(self) -> list[str]:
        return [self.kind, *(str(value).removesuffix(".0") for value in astuple(self))]

    def apply(self, images: Images, eyes: npt.ArrayLike | None = None) -> Altered:
        """Change a stack of images.

        Parameters
        ----------
        images
            n × height × width, 8 bits.
        eyes
            A row of left x, left y, right x, right y in pixels for each; not a number where they are not known.
        """
        _check_stack(images)
        points = None if eyes is None else np.asarray(eyes, dtype=np.float64)
        if points is not None and points.shape != (len(images), 4):
            shape = " × ".join(map(str, points.shape))
            raise InputError(f"There are {count(len(images))} images, but the eyes are {shape}.")
        changed, clipped = self._changed(images, points)
        return Altered(changed, None if points is None else self.move(points), clipped)

    def move(self, eyes: Eyes) -> Eyes:
        """Say where eyes lie after the change; most changes leave them in place."""
        return eyes.copy()

    @abstractmethod
    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        """Return the changed images and the share of pixels of each that was clipped."""


@dataclass(frozen=True)
class Illumination(Alteration):
    """More or less light: every grey value times `gain`."""

    kind: ClassVar[str] = "gain"
    gain: float

    def __post_init__(self) -> None:
        _require(self, "gain", self.gain, self.gain > 0 and self.gain != 1, "above 0, and not 1")

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        return _by_level(images, np.arange(_WHITE + 1.0) * self.gain)


@dataclass(frozen=True)
class Gamma(Alteration):
    """Another contrast curve: a grey value v from 0 to 1 becomes v**gamma; above 1 it darkens, and nothing is clipped."""

    kind: ClassVar[str] = "gamma"
    gamma: float

    def __post_init__(self) -> None:
        _require(self, "gamma", self.gamma, self.gamma > 0 and self.gamma != 1, "above 0, and not 1")

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        return _by_level(images, _WHITE * (np.arange(_WHITE + 1.0) / _WHITE) ** self.gamma)


@dataclass(frozen=True)
class Gradient(Alteration):
    """Light from one side: a gain that falls in a straight line from 1 + strength to 1 - strength across the image.

    Parameters
    ----------
    strength
        Up to 1, at which the far side is black.
    angle
        Where the light comes from, in degrees: 0 the image's left, 90 above, 180 its right.
    """

    kind: ClassVar[str] = "side"
    strength: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        _require(self, "strength", self.strength, 0 < self.strength <= 1, "above 0, and at most 1")
        _require(self, "angle", self.angle, True, "a number of degrees")

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
            changed[place], beyond = _as_grey(image * gain)
            clipped[place] = beyond.mean()
        return changed, clipped


@dataclass(frozen=True)
class Scale(Alteration):
    """A larger or smaller face on a canvas of the same size.

    The image is scaled about the point between the eyes, or about its own centre where they are not known. It is
    smoothed before it is made smaller (Pillow's bicubic filter), and where it no longer fills the canvas its border is
    repeated.
    """

    kind: ClassVar[str] = "scale"
    factor: float

    def __post_init__(self) -> None:
        low, high = _SCALES
        fits = low <= self.factor <= high and self.factor != 1
        _require(self, "factor", self.factor, fits, f"between {digits(low)} and {digits(high)}, and not 1")

    def move(self, eyes: Eyes) -> Eyes:
        """Move the eyes towards the point between them, or away from it."""
        middle = np.tile((eyes[:, :2] + eyes[:, 2:]) / 2, 2)
        moved: Eyes = middle + self.factor * (eyes - middle)
        return moved

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        size = np.array(images.shape[:0:-1])
        centres = np.tile((size - 1) / 2, (len(images), 1))
        if eyes is not None:
            known = np.isfinite(eyes).all(axis=1)
            centres[known] = (eyes[known, :2] + eyes[known, 2:]) / 2
        beyond = np.flatnonzero(((centres < 0) | (centres > size - 1)).any(axis=1))
        if beyond.size:
            raise InputError(
                f"The eyes of image {int(beyond[0])} lie outside it, so it has no centre to scale about."
            )
        changed, clipped = np.empty_like(images), np.empty(len(images))
        for place, image in enumerate(images):
            changed[place], lost = _as_grey(self._resized(image, centres[place] + 0.5))
            clipped[place] = lost.mean()
        return changed, clipped

    def _resized(self, image: Images, centre: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Resize about a point, in which the first pixel reaches from 0 to 1; Pillow counts in the same way."""
        from PIL import Image

        columns, rows = (self._span(float(c), n) for c, n in zip(centre, image.shape[::-1], strict=True))
        if columns.stop <= columns.start or rows.stop <= rows.start:
            raise InputError(
                f"An image of {image.shape[0]} × {image.shape[1]} pixels is too small for {self}."
            )
        box = [
            min(max(c + (edge - c) / self.factor, 0.0), n)
            for edges in ((columns.start, rows.start), (columns.stop, rows.stop))
            for c, edge, n in zip(centre.tolist(), edges, image.shape[::-1], strict=True)
        ]
        # In floats, so that what the filter carries beyond white is counted and not cut off unseen.
        inner = Image.fromarray(image.astype(np.float32)).resize(
            (columns.stop - columns.start, rows.stop - rows.start),
            Image.Resampling.BICUBIC,
            (box[0], box[1], box[2], box[3]),
        )
        around = [(span.start, n - span.stop) for span, n in zip((rows, columns), image.shape, strict=True)]
        return np.pad(np.asarray(inner, dtype=np.float64), around, mode="edge")

    def _span(self, centre: float, length: int) -> slice:
        """The pixels of the canvas that the scaled image covers wholly, along one side."""
        first, last = centre * (1 - self.factor), centre + self.factor * (length - centre)
        return slice(max(0, ceil(first - _ROUNDING)), min(length, floor(last + _ROUNDING)))


_KINDS: dict[str, type[Alteration]] = {one.kind: one for one in (Illumination, Gamma, Gradient, Scale)}
_FORMS = "gain:0.5, gamma:2, side:0.5, side:0.5:90 or scale:0.8"


def alteration(text: str) -> Alteration:
    """Read a change from text: ``gain:0.5``, ``gamma:2``, ``side:0.5`` (``side:0.5:90`` from above), ``scale:0.8``."""
    kind, *values = text.strip().split(":")
    if kind not in _KINDS:
        near = difflib.get_close_matches(kind, _KINDS, n=1)
        raise UsageError(
            f"There is no change {text!r:.60}.",
            f"did you mean {near[0]!r}?" if near else f"write for example {_FORMS}.",
        )
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        raise UsageError(f"{text!r:.60} does not say by how much.", f"write for example {_FORMS}.") from None
    made = _KINDS[kind]
    if not 1 <= len(numbers) <= len(fields(made)):
        raise UsageError(f"{text!r:.60} has {len(numbers)} numbers.", f"write for example {_FORMS}.")
    return made(*numbers)


def with_altered(
    samples: Samples,
    changes: Sequence[Alteration],
    positions: npt.ArrayLike | None = None,
    *,
    id_column: str = "id",
) -> pl.DataFrame:
    """Add a changed copy of samples to their table, for every change.

    A copy has the covariates of its original, the id ``ID@scale-0.8``, eyes that moved with the change, and says in
    ``alteration`` and ``altered_from`` what it is. The originals come first; their alteration is ``none``, a value and not
    a missing one, so that it can stand in conditions.

    Parameters
    ----------
    positions
        Which samples are copied; all by default.
    id_column
        The column of the samples' ids.
    """
    _check_changes(samples, changes)
    # A table with ids of another name has them under 'id' too, unless that is a column of its own.
    named = [name for name in dict.fromkeys((id_column, "id")) if _holds_ids(samples, name)]
    if id_column not in named:
        raise UsageError(f"The column {id_column!r} does not hold the ids of the samples.")
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
        raise UsageError("No change is named.", f"write for example {_FORMS}.")
    names = [str(change) for change in changes]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise UsageError(f"The change {first_few(twice)} is named twice.")
    there = [name for name in COLUMNS if name in samples.frame.columns]
    if there:
        raise InputError(
            f"The table has a column {there[0]!r} already, so it may hold changed samples.",
            "begin with the originals, and name all changes at once.",
        )


def _require(change: Alteration, name: str, value: float, fits: bool, wanted: str) -> None:
    """Refuse a value that is no such change, and keep it as a float."""
    if not isfinite(value) or not fits:
        raise UsageError(f"The {name} of {change.kind!r} must be {wanted}, but is {value!r}.")
    object.__setattr__(change, name, float(value))


def _check_stack(images: Images) -> None:
    if images.ndim != 3 or images.dtype != np.uint8:
        shape = " × ".join(map(str, images.shape))
        raise InputError(
            f"Images must be n × height × width of 8-bit grey values, got {shape} of {images.dtype}."
        )


def _by_level(images: Images, levels: npt.NDArray[np.float64]) -> tuple[Images, npt.NDArray[np.float64]]:
    """Replace every grey value by the one at its place in `levels`."""
    grey, beyond = _as_grey(levels)
    return grey[images], beyond[images].mean(axis=(1, 2))


def _as_grey(values: npt.NDArray[np.float64]) -> tuple[Images, npt.NDArray[np.bool_]]:
    """Round to 8 bits; say too which values lay beyond black or white."""
    rounded = np.floor(values + 0.5)
    beyond: npt.NDArray[np.bool_] = (rounded < 0) | (rounded > _WHITE)
    return np.clip(rounded, 0, _WHITE).astype(np.uint8), beyond
