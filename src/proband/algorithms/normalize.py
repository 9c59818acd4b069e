"""From a picture and the centres of the eyes to a standard crop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.engine import Progress, Silent, run_blocks
from proband.errors import InputError, first_few

Images = npt.NDArray[np.float32]
_AT_ONCE = 16


@dataclass(frozen=True)
class Crop:
    """A standard crop: its size, where the eyes land, and the oval that keeps the face and drops the rest.

    The defaults are those of the CSU system: 130 × 150 pixels with the eyes at (30, 45) and (100, 45).
    """

    height: int = 150
    width: int = 130
    left_eye: tuple[float, float] = (30.0, 45.0)
    right_eye: tuple[float, float] = (100.0, 45.0)

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """The oval: wide enough for brows and chin, narrow enough to drop hair and background."""
        rows, columns = np.mgrid[: self.height, : self.width]
        centre_x = (self.left_eye[0] + self.right_eye[0]) / 2
        centre_y = self.height * 0.47
        across = (columns - centre_x) / (self.width * 0.49)
        down = (rows - centre_y) / (self.height * 0.56)
        inside: npt.NDArray[np.bool_] = across**2 + down**2 <= 1.0
        return inside


def crop_faces(
    images: npt.NDArray[np.uint8],
    eyes: npt.ArrayLike,
    crop: Crop | None = None,
    *,
    ids: list[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Images:
    """Rotate, scale and translate each image so that its eyes land on the crop's, by bilinear interpolation.

    Parameters
    ----------
    images
        n × height × width grey values.
    eyes
        n rows of left x, left y, right x, right y in pixels; *left* is on the image's left.
    crop
        Where to; the CSU crop by default.
    ids
        Names for error messages.

    Returns
    -------
    ndarray
        n × crop height × crop width, float32. Pixels from outside the image repeat its border.
    """
    from scipy.ndimage import map_coordinates

    crop = crop or Crop()
    progress = progress or Silent()
    points = np.asarray(eyes, dtype=np.float64)
    _check_eyes(points, len(images), ids)
    rows, columns = np.mgrid[: crop.height, : crop.width].astype(np.float64)
    # Complex numbers make a similarity transform one multiplication and one addition.
    places = columns + 1j * rows
    left, right = complex(*crop.left_eye), complex(*crop.right_eye)
    out = np.empty((len(images), crop.height, crop.width), dtype=np.float32)

    def one(start: int) -> int:
        stop = min(start + _AT_ONCE, len(images))
        for k in range(start, stop):
            source_left, source_right = complex(*points[k, :2]), complex(*points[k, 2:])
            turn = (source_right - source_left) / (right - left)
            source = source_left + turn * (places - left)
            image = images[k].astype(np.float32)
            map_coordinates(image, [source.imag, source.real], output=out[k], order=1, mode="nearest")
        return stop - start

    progress.begin("cropping faces", len(images))
    for done in run_blocks(one, range(0, len(images), _AT_ONCE), threads):
        progress.advance(done)
    return out


def _check_eyes(points: npt.NDArray[np.float64], n: int, ids: list[str] | None) -> None:
    if points.shape != (n, 4):
        raise InputError(
            f"There are {n:,} images, but the eyes are {' × '.join(map(str, points.shape))}, not {n} × 4."
        )
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1) | (points[:, 2] <= points[:, 0]))
    if bad.size:
        names = [ids[k] if ids else f"image {k}" for k in bad]
        raise InputError(
            f"{bad.size:,} images have no eyes, or the left eye is not to the left of the right: {first_few(names)}.",
            "left is on the image's left; samples without eyes must be marked as failed and left out.",
        )
