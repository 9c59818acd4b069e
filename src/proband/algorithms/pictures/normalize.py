"""Geometric and photometric normalisation: standard crops from eye centres, and comparable pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.changes import check_stack, eye_points, is_grey
from proband.engine import Engine, Progress, Silent, on_engine, run_blocks
from proband.engine.kinds import Axes
from proband.engine.labels import ordered
from proband.engine.limits import Count, Threads
from proband.errors import InputError, first_few
from proband.kernels.portraits import prepare_pixels, warp_by_eyes
from proband.words import count, counted

_AT_ONCE = 32


@dataclass(frozen=True)
class Geometry:
    """A standard crop: its size and the target positions of the eyes.

    The defaults are those of the CSU system: 130 × 150 pixels with the eyes at (30, 45) and (100, 45); *left*
    means the left of the image.

    Examples
    --------
    >>> Geometry(height=150, width=130).left_eye
    (30.0, 45.0)
    """

    height: int = 150
    width: int = 130
    left_eye: tuple[float, float] = (30.0, 45.0)
    right_eye: tuple[float, float] = (100.0, 45.0)

    def __post_init__(self) -> None:
        finite = np.isfinite([*self.left_eye, *self.right_eye]).all()
        if self.height < 8 or self.width < 8 or not finite or self.right_eye[0] <= self.left_eye[0]:
            raise InputError(
                f"{self} is not a valid crop: the left eye must be to the left of the right eye, in at least 8 × 8 pixels."
            )


@on_engine
def crop_faces(
    images: Sequence[Annotated[npt.NDArray[np.uint8], Axes(of=object)]]
    | Annotated[npt.NDArray[np.uint8], Axes(of=object)],
    eyes: npt.ArrayLike,
    geometry: Geometry | None = None,
    *,
    ids: Sequence[str] | None = None,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> npt.NDArray[np.uint8]:
    """Rotate, scale and translate each image to bring its eyes to the target positions, by bilinear interpolation.

    Parameters
    ----------
    images
        Grey images of 8 bits, of any sizes.
    eyes
        A row of left x, left y, right x, right y in pixels for each; *left* means the left of the image.
    geometry
        The target geometry; by default the CSU crop.
    ids
        Names for error messages.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    ndarray
        n × height × width, 8 bits. Pixels from outside the image repeat its border.

    Examples
    --------
    >>> picture = np.full((200, 200), 128, dtype=np.uint8)
    >>> crop_faces([picture], [[70, 90, 130, 90]]).shape
    (1, 150, 130)
    """
    geometry = geometry or Geometry()
    progress = progress or Silent()
    points = eye_points(eyes if ids is None else ordered(eyes, ids, None, "eyes"))
    check_eyes(images, points, ids)
    out = np.empty((len(images), geometry.height, geometry.width), dtype=np.uint8)
    progress.begin("cropping faces", len(images))
    starts = range(0, len(images), _AT_ONCE)
    for start, done in zip(
        starts, run_blocks(_Cropped(images, points, geometry), starts, threads), strict=True
    ):
        out[start : start + len(done)] = done
        progress.advance(len(done))
    return out


@dataclass(frozen=True, eq=False)
class _Cropped:
    """The crops of a few images."""

    images: Sequence[npt.NDArray[np.uint8]] | npt.NDArray[np.uint8]
    eyes: npt.NDArray[np.float64]
    geometry: Geometry

    def __call__(self, start: int) -> npt.NDArray[np.uint8]:
        stop = min(start + _AT_ONCE, len(self.images))
        aims = np.array([*self.geometry.left_eye, *self.geometry.right_eye])
        out = np.empty((stop - start, self.geometry.height, self.geometry.width), dtype=np.uint8)
        for k in range(start, stop):
            warp_by_eyes(np.ascontiguousarray(self.images[k]), self.eyes[k], aims, out[k - start])
        return out


def check_eyes(
    images: Sequence[npt.NDArray[np.uint8]] | npt.NDArray[np.uint8],
    points: npt.NDArray[np.float64],
    ids: Sequence[str] | None,
) -> None:
    """Refuse images that are not grey, and eyes that are missing, swapped or outside their image."""
    n = len(images)
    if points.shape != (n, 4):
        raise InputError(
            f"There are {count(n)} images, but the eyes have the shape {' × '.join(map(str, points.shape))}, not {n} × 4."
        )

    def named(places: Sequence[int] | npt.NDArray[np.intp]) -> str:
        return first_few([ids[k] if ids is not None else f"image {k}" for k in places])

    odd = [k for k in range(n) if not is_grey(images[k], 2)]
    if odd:
        got = images[odd[0]]
        raise InputError(
            f"{counted(len(odd), 'image is', 'images are')} not 8-bit grey: {named(odd)}, which is "
            f"{' × '.join(map(str, got.shape))} of {got.dtype}.",
            "convert them to 8-bit grey values, for example with proband.algorithms.read_picture.",
        )
    missing = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if missing.size:
        raise InputError(
            f"{counted(missing.size, 'image has', 'images have')} no eye centres: {named(missing)}.",
            "mark samples without eyes as failed, or let a detector find them.",
        )
    swapped = np.flatnonzero(points[:, 2] <= points[:, 0])
    if swapped.size:
        raise InputError(
            f"In {counted(swapped.size, 'image')} the left eye is not to the left of the right eye: {named(swapped)}.",
            "check whether the columns are swapped; left means the left of the image, not of the person.",
        )
    sizes = np.array([images[k].shape for k in range(n)], dtype=np.float64).reshape(n, 2)
    x, y = points[:, 0::2], points[:, 1::2]
    outside = (x < 0) | (y < 0) | (x > sizes[:, 1:] - 1) | (y > sizes[:, :1] - 1)
    beyond = np.flatnonzero(outside.any(axis=1))
    if beyond.size:
        raise InputError(f"In {counted(beyond.size, 'image')} an eye is outside the image: {named(beyond)}.")


@dataclass(frozen=True)
class Photometry:
    """Photometric normalisation of a crop; each step is optional, and a model records the steps used.

    Attributes
    ----------
    mask
        Keep only an oval with the face, without hair and background.
    equalize
        Histogram equalisation inside the mask: a grey level becomes the share of pixels at or below it.
    standardize
        Zero mean and unit variance inside the mask.

    Examples
    --------
    >>> Photometry(equalize=False)
    Photometry(mask=True, equalize=False, standardize=True)
    """

    mask: bool = True
    equalize: bool = True
    standardize: bool = True

    def pixels(
        self,
        crops: Annotated[npt.NDArray[np.uint8], Axes(3)],
        first: Count = 0,
        ids: Sequence[str] | None = None,
    ) -> npt.NDArray[np.float32]:
        """Return one row of pixels for each crop; `first` and `ids` name them in errors.

        Parameters
        ----------
        crops
            n × height × width, 8 bits a pixel.
        first
            The position of the first crop in `ids`.
        ids
            The names of all crops; without them, errors give the number of the crop.

        Returns
        -------
        numpy.ndarray
            Crops × pixels inside the mask, or all pixels without a mask.
        """
        check_stack(crops)
        height, width = crops.shape[1:]
        inside = np.flatnonzero(oval(height, width)) if self.mask else np.arange(height * width)
        out = np.empty((len(crops), len(inside)), dtype=np.float32)
        spread = np.empty(len(crops))
        prepare_pixels(np.ascontiguousarray(crops), inside, self.equalize, self.standardize, out, spread)
        if self.standardize and not spread.all():
            place = int(np.argmin(spread))
            name = ids[first + place] if ids is not None else f"crop {first + place}"
            raise InputError(
                f"{name!r} has only one grey value, so it cannot be standardised.", "mark it as failed."
            )
        return out


STANDARD = Photometry()
"""Mask, equalise, standardise: the preprocessing of FERET's baselines before PCA."""


def oval(height: int, width: int) -> npt.NDArray[np.bool_]:
    """Return the mask of the face in a crop: wide enough for brows and chin, without hair and background."""
    rows, columns = np.mgrid[:height, :width]
    across = (columns - (width - 1) / 2) / (width * 0.49)
    down = (rows - height * 0.47) / (height * 0.56)
    inside: npt.NDArray[np.bool_] = across**2 + down**2 <= 1.0
    return inside
