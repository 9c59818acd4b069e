"""Images from files and archives, as 8-bit grey images; a broken file is a counted failure with its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from proband.engine.files.files import first_line, require_regular
from proband.engine.kinds import Axes
from proband.errors import Hint, InputError, ProbandError, Said, UsageError, unknown_name
from proband.samples import Ids, Samples
from proband.samples.directories import PICTURE_ENDINGS
from proband.samples.npz import Archive
from proband.words import count

_FILE = "file"

Grey = Annotated[npt.NDArray[np.uint8], Axes(2, filled=True)]
# Not all formats of Pillow: for some it starts other programs.
_FORMATS = ("PNG", "PPM", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "JPEG2000")
_MOST_PIXELS = 89_478_485  # above this Pillow warns: a quarter of a GiB in color
_SIXTEEN_TO_EIGHT = 257  # 65535 / 255


@dataclass(frozen=True)
class Pictures:
    """The source of the image of each sample; images are read on request.

    Attributes
    ----------
    load
        ``load(id)`` returns the grey image of a sample, or raises an error with the reason why there is none.

    Examples
    --------
    >>> pictures = Pictures(lambda name: np.full((150, 130), len(name), dtype=np.uint8))
    >>> pictures.load("a1").shape
    (150, 130)
    """

    load: Callable[[str], Grey]

    @classmethod
    def of(cls, source: str | Path, samples: Samples, file_column: str = _FILE) -> Pictures:
        """Find images in an archive (``.npz`` with ``images`` and ``ids``) or in a directory.

        In a directory, the column `file_column` of the table gives the file names, if present; otherwise a
        file has the name of the sample with the extension of an image format.

        Parameters
        ----------
        source
            The archive or the directory.
        samples
            The table of samples.
        file_column
            The column with the file names in a directory.

        Returns
        -------
        Pictures
            The images, not yet read.
        """
        path = Path(source)
        require_regular(path)
        if path.is_dir():
            if file_column != _FILE and file_column not in samples.frame.columns:
                raise unknown_name("column", file_column, samples.frame.columns, "of files in the table")
            files = samples.frame[file_column].to_list() if file_column in samples.frame.columns else None
            return cls(
                _Directory(path, None if files is None else dict(zip(samples.ids, files, strict=True)))
            )
        if path.suffix.lower() == ".npz" and path.is_file():
            require_no_files(file_column, path)
            return cls(_from_archive(path, samples))
        raise InputError(
            f"{path} is neither a directory of images nor an .npz archive of images.", file=Said(path)
        )


def require_no_files(file_column: str, path: Path) -> None:
    """Refuse a column of file names if all images are in one file."""
    if file_column != _FILE:
        raise UsageError(
            Hint(
                "{named:file_column} has no effect on {file}, which is searched by sample id.",
                file=path.name,
            ),
            "leave it out.",
            file=Said(path.name),
        )


def read_picture(path: Path) -> Grey:
    """Read an image as 8-bit grey: colour is converted to luminance, 16 bits are scaled to 8, transparency is ignored.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    numpy.ndarray
        The grey values, rows × columns.
    """
    from PIL import Image

    require_regular(path)
    try:
        with Image.open(path, formats=_FORMATS) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                raise InputError(
                    f"{path.name} has {count(picture.width)} × {count(picture.height)} pixels, more than {count(_MOST_PIXELS)}.",
                    "it may be damaged or malicious; if it is valid, reduce its size.",
                    file=Said(path.name),
                )
            if picture.mode == "F":
                raise InputError(
                    f"{path.name} has fractional grey values.",
                    "convert it to whole numbers of 8 or 16 bits.",
                    file=Said(path.name),
                )
            if picture.mode.startswith("I"):
                return _from_deep(np.asarray(picture, dtype=np.float64), path)
            if picture.mode == "P":
                return np.asarray(picture.convert("RGBA").convert("L"))  # a palette may be transparent
            return np.asarray(picture.convert("L"))
    except ProbandError:
        raise
    except Exception as error:  # for damaged files, Pillow raises many kinds of errors
        raise InputError(
            f"{path.name} cannot be read as an image: {first_line(error)}.", file=Said(path.name)
        ) from None


def _from_deep(values: npt.NDArray[np.float64], path: Path) -> Grey:
    if values.size == 0 or values.min() < 0 or values.max() > 65535:
        raise InputError(
            f"{path.name} has grey values beyond 16 bits.", "scale it to 8 or 16 bits.", file=Said(path.name)
        )
    return np.rint(values / _SIXTEEN_TO_EIGHT).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class _Directory:
    """Loads pictures from files, named in a table or after the samples."""

    path: Path
    named: Mapping[str, Any] | None

    def __call__(self, name: str) -> Grey:
        if self.named is not None:
            return read_picture(_inside(self.path, self.named.get(name), name))
        for ending in ("", *PICTURE_ENDINGS, *(ending.upper() for ending in PICTURE_ENDINGS)):
            candidate = self.path / f"{name}{ending}"
            if _is_file(candidate):
                return read_picture(candidate)
        raise InputError(f"{self.path.name} has no image {name!r}.", file=Said(self.path.name))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def _inside(path: Path, file: Any, name: str) -> Path:
    if not file:
        raise InputError(f"The table has no file name for {name!r}.")
    return path / str(file)


def _from_archive(path: Path, samples: Samples) -> _Archive:
    archive = Archive(path)
    if "images" not in archive or len(archive.shape("images")) != 3:
        raise InputError(
            f"{path.name} has no array 'images' of n × height × width; it has {', '.join(archive)}.",
            file=Said(path.name),
        )
    images = archive["images"]
    if images.dtype.kind == "u" and images.dtype.itemsize == 2:
        images = np.rint(images / _SIXTEEN_TO_EIGHT).astype(np.uint8)
    if images.dtype != np.uint8:
        raise InputError(f"images must have 8 or 16 bits, got {images.dtype}.", file=path.name)
    long = [name for name in archive if archive.shape(name) == (len(images),)]
    texts = [name for name in long if archive.dtype(name).kind in "US"]
    telling = [name for name in texts if len(np.unique(archive[name])) == len(images)]
    texts = ["ids"] if "ids" in long else telling
    if len(texts) > 1:
        raise InputError(
            f"cannot tell which of {', '.join(texts)} contains the ids.",
            "name the array of ids 'ids'.",
            file=path.name,
        )
    if texts:
        found = archive[texts[0]].tolist()
        try:
            names = Ids(name.decode() if isinstance(name, bytes) else name for name in found)
        except UnicodeDecodeError:
            raise InputError(f"the ids in {texts[0]!r} are not UTF-8.", file=path.name) from None
        place = {name: k for k, name in enumerate(names)}
    elif len(images) == len(samples):
        place = {name: k for k, name in enumerate(samples.ids)}
    else:
        raise InputError(
            f"{path.name} has {count(len(images))} images without ids, but the table has {count(len(samples))} samples.",
            file=Said(path.name),
        )

    return _Archive(path.name, images, place)


@dataclass(frozen=True, eq=False)
class _Archive:
    """Loads pictures from an array."""

    file: str
    images: Grey
    place: Mapping[str, int]

    def __call__(self, name: str) -> Grey:
        if name not in self.place:
            raise InputError(f"{self.file} has no image of {name!r}.", file=Said(self.file))
        picture: Grey = self.images[self.place[name]]
        return picture


def check_grey(picture: Any, name: str) -> None:
    """Refuse anything but an 8-bit grey image."""
    if getattr(picture, "ndim", 0) != 2 or picture.dtype != np.uint8:
        shape = " × ".join(map(str, getattr(picture, "shape", ()))) or "no array"
        raise UsageError(f"The image of {name!r} is {shape}, not an 8-bit grey image.")


def reason(error: ProbandError) -> str:
    """Return why an image failed, in one line."""
    return error.message.rstrip(".")
