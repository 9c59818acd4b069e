"""Common parts of all changes of images: their text, their result, and how values are checked and rounded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import astuple, dataclass
from math import isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from proband.engine.foreign import array_from
from proband.errors import InputError, UsageError
from proband.words import count

Images = npt.NDArray[np.uint8]
Eyes = npt.NDArray[np.float64]
WHITE = 255


class Altered(NamedTuple):
    """Changed images, with eye centres and clipped pixels.

    Attributes
    ----------
    images
        n × height × width, 8 bits, of the original size.
    eyes
        The new eye centres, or None if they were not given.
    clipped
        For each image, the share of pixels that would have been brighter than white or darker than black;
        their detail is lost.
    """

    images: Images
    eyes: Eyes | None
    clipped: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Alteration(ABC):
    """A change of an image, written as ``kind:value``."""

    kind: ClassVar[str]

    def __str__(self) -> str:
        return ":".join(self._parts())

    @property
    def label(self) -> str:
        """The change as part of an id: ``scale-0.8``."""
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
            A row of left x, left y, right x, right y in pixels for each; NaN if not known.
        """
        check_stack(images)
        points = None if eyes is None else eye_points(eyes)
        if points is not None and points.shape != (len(images), 4):
            shape = " × ".join(map(str, points.shape))
            raise InputError(f"There are {count(len(images))} images, but the eyes have the shape {shape}.")
        changed, clipped = self._changed(images, points)
        return Altered(changed, None if points is None else self.move(points), clipped)

    def move(self, eyes: Eyes) -> Eyes:
        """Return the eye centres after the change; most changes leave them unchanged."""
        return eyes.copy()

    @abstractmethod
    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        """Return the changed images and the share of pixels of each that was clipped."""


def require_value(change: Alteration, name: str, value: float, fits: bool, wanted: str) -> None:
    """Refuse an invalid value, and store it as a float."""
    if not isfinite(value) or not fits:
        raise UsageError(f"The {name} of {change.kind!r} must be {wanted}, got {value!r}.")
    object.__setattr__(change, name, float(value))


def is_grey(images: npt.NDArray[Any], axes: int) -> bool:
    """Whether an array has 8-bit values, the given number of axes, and no masked values."""
    return images.ndim == axes and images.dtype == np.uint8 and not isinstance(images, np.ma.MaskedArray)


def check_stack(images: Images) -> None:
    """Refuse anything but a stack of 8-bit images."""
    if not is_grey(images, 3):
        shape = " × ".join(map(str, images.shape))
        raise InputError(
            f"Images must be n × height × width of 8-bit grey values, got {shape} of {images.dtype}."
        )


def eye_points(eyes: Any) -> Eyes:
    """Return eye centres as numbers, NaN if not known."""
    points = array_from(eyes, "eyes")
    if points.dtype.kind not in "iuf":
        raise InputError("The eyes must be numbers: left x, left y, right x, right y for each image.")
    return points.astype(np.float64)


def as_grey(values: npt.NDArray[np.float64]) -> tuple[Images, npt.NDArray[np.bool_]]:
    """Round to 8 bits; also return which values were beyond black or white."""
    rounded = np.floor(values + 0.5)
    beyond: npt.NDArray[np.bool_] = (rounded < 0) | (rounded > WHITE)
    return np.clip(rounded, 0, WHITE).astype(np.uint8), beyond
