"""Changes of the position of a face in its image: scale, and rotation in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, floor, hypot, radians, sin
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.changes import Alteration, Eyes, Images, as_grey, require_value
from proband.errors import InputError
from proband.words import digits

_SCALES = (0.1, 10.0)
_LARGEST_TURN = 180.0
_ROUNDING = 1e-6  # pixels: a border this close to a whole pixel lies on it


@dataclass(frozen=True)
class AboutTheEyes(Alteration):
    """A change about the point between the eyes, or about the centre of the image if they are not known."""

    def _centres(self, images: Images, eyes: Eyes | None) -> npt.NDArray[np.float64]:
        size = np.array(images.shape[:0:-1])
        centres = np.tile((size - 1) / 2, (len(images), 1))
        if eyes is not None:
            known = np.isfinite(eyes).all(axis=1)
            centres[known] = (eyes[known, :2] + eyes[known, 2:]) / 2
        beyond = np.flatnonzero(((centres < 0) | (centres > size - 1)).any(axis=1))
        if beyond.size:
            raise InputError(
                f"The eyes of image {int(beyond[0])} are outside the image, so {self} has no centre."
            )
        return centres


@dataclass(frozen=True)
class Scale(AboutTheEyes):
    """A larger or smaller face on a canvas of the same size.

    The image is scaled about the point between the eyes, or about its centre if they are not known. It is
    smoothed before it is reduced (Pillow's bicubic filter), and its border is repeated where it no longer
    fills the canvas.
    """

    kind: ClassVar[str] = "scale"
    factor: float

    def __post_init__(self) -> None:
        low, high = _SCALES
        fits = low <= self.factor <= high and self.factor != 1
        require_value(
            self, "factor", self.factor, fits, f"between {digits(low)} and {digits(high)}, and not 1"
        )

    def move(self, eyes: Eyes) -> Eyes:
        """Move the eyes towards the point between them, or away from it."""
        middle = np.tile((eyes[:, :2] + eyes[:, 2:]) / 2, 2)
        moved: Eyes = middle + self.factor * (eyes - middle)
        return moved

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        centres = self._centres(images, eyes)
        changed, clipped = np.empty_like(images), np.empty(len(images))
        for place, image in enumerate(images):
            changed[place], lost = as_grey(self._resized(image, centres[place] + 0.5))
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


@dataclass(frozen=True)
class Rotation(AboutTheEyes):
    """A face turned in the plane of the image, clockwise for positive `degrees`, on a canvas of the same size.

    The image is rotated about the point between the eyes, or about its centre if they are not known (Pillow's
    bicubic filter), and its border is repeated where it no longer fills the canvas. The result is a tilted
    image, not a rotation in depth, which cannot be computed from a single photograph.
    """

    kind: ClassVar[str] = "rotate"
    degrees: float

    def __post_init__(self) -> None:
        fits = 0 < abs(self.degrees) <= _LARGEST_TURN
        wanted = f"between −{digits(_LARGEST_TURN)} and {digits(_LARGEST_TURN)}, and not 0"
        require_value(self, "degrees", self.degrees, fits, wanted)

    def move(self, eyes: Eyes) -> Eyes:
        """Turn the eyes about the point between them."""
        middle = np.tile((eyes[:, :2] + eyes[:, 2:]) / 2, 2)
        x, y = (eyes - middle).reshape(-1, 2, 2).transpose(2, 0, 1)
        c, s = cos(radians(self.degrees)), sin(radians(self.degrees))
        moved: Eyes = middle + np.stack([c * x - s * y, s * x + c * y], axis=2).reshape(-1, 4)
        return moved

    def _changed(self, images: Images, eyes: Eyes | None) -> tuple[Images, npt.NDArray[np.float64]]:
        centres = self._centres(images, eyes)
        changed, clipped = np.empty_like(images), np.empty(len(images))
        for place, image in enumerate(images):
            changed[place], lost = as_grey(self._turned(image, centres[place] + 0.5))
            clipped[place] = lost.mean()
        return changed, clipped

    def _turned(self, image: Images, centre: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn about a point, in which the first pixel reaches from 0 to 1; Pillow counts in the same way."""
        from PIL import Image

        height, width = image.shape
        around = ceil(hypot(height, width))  # nothing beyond it is ever turned into the canvas
        padded = np.pad(image.astype(np.float32), around, mode="edge")
        c, s = cos(radians(self.degrees)), sin(radians(self.degrees))
        x, y = centre.tolist()
        picture = Image.fromarray(padded).transform(
            (width, height),
            Image.Transform.AFFINE,
            (c, s, x + around - c * x - s * y, -s, c, y + around + s * x - c * y),
            Image.Resampling.BICUBIC,
        )
        return np.asarray(picture, dtype=np.float64)
