"""Face crops of one size, with their ids and, if known, subjects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt

from proband.algorithms.pictures.changes import is_grey
from proband.engine import slices
from proband.engine.kinds import Axes
from proband.engine.limits import Positive
from proband.errors import InputError
from proband.samples import Ids, Samples
from proband.samples.table import frozen
from proband.words import count

Made = TypeVar("Made")
BLOCK = 256  # crops processed at once: a few megabytes of pixels


@dataclass(frozen=True, eq=False)
class Crops:
    """Grey crops, n × height × width, 8 bits per pixel.

    Attributes
    ----------
    images
        The crops; a memory map is not copied.
    ids
        The sample ids.
    subjects
        The subject of each crop; needed for training with classes and for recognisers that compare with people.

    Examples
    --------
    >>> from proband.samples.ids import Ids
    >>> crops = Crops(np.zeros((2, 150, 130), dtype=np.uint8), Ids(["a1", "b1"]))
    >>> len(crops), crops.images.shape[1:]
    (2, (150, 130))
    """

    images: Annotated[npt.NDArray[np.uint8], Axes(of=object)]
    ids: Ids
    subjects: tuple[str, ...] | None = None
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not is_grey(self.images, 3) or 0 in self.images.shape[1:]:
            shape = " × ".join(map(str, self.images.shape))
            raise InputError(
                f"Crops must be n × height × width of 8-bit grey values, got {shape} of {self.images.dtype}.",
                "convert them to 8-bit grey values first, for example with proband.algorithms.read_picture.",
            )
        for what, values in (("ids", self.ids), ("subjects", self.subjects)):
            if values is not None and len(values) != len(self.images):
                raise InputError(
                    f"There are {count(len(self.images))} crops but {count(len(values))} {what}."
                )
        if not isinstance(self.images, np.memmap):
            object.__setattr__(self, "images", frozen(self.images.view()))

    @classmethod
    def of(cls, images: npt.NDArray[np.uint8], samples: Samples, ids: Sequence[str] | None = None) -> Crops:
        """Join crops with their samples; without `ids` they are in the order of the table.

        Parameters
        ----------
        images
            n × height × width, 8 bits per pixel.
        samples
            The table with the subject of each sample.
        ids
            The sample of each image.

        Returns
        -------
        Crops
            The images with their ids and subjects.
        """
        names = samples.ids if ids is None else Ids(ids)
        codes = samples.codes[samples.ids.positions(names)]
        return cls(images, names, tuple(samples.subjects[code] for code in codes))

    def __len__(self) -> int:
        return len(self.images)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of a crop."""
        return int(self.images.shape[1]), int(self.images.shape[2])

    def take(self, names: Sequence[str]) -> Crops:
        """Return the crops of the given samples, in that order.

        Parameters
        ----------
        names
            Ids of samples; each must be among the crops.

        Returns
        -------
        Crops
            The selected crops.
        """
        places = self.ids.positions(names)
        subjects = None if self.subjects is None else tuple(self.subjects[place] for place in places)
        return Crops(self.images[places], Ids(names), subjects)

    def blocks(self, size: Positive = BLOCK) -> Iterator[slice]:
        """Cut the crops into slices that fit into memory.

        Parameters
        ----------
        size
            The maximum number of crops in a slice.

        Returns
        -------
        iterator of slice
            The slices, in order.
        """
        return slices(len(self), size)

    def remember(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Compute something from these crops once, shared by all recognisers trained on them.

        Parameters
        ----------
        key
            The key of the result.
        make
            Computes the result; called only if the key is new.

        Returns
        -------
        object
            What `make` returned the first time.
        """
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def classes(self, needed_by: str) -> tuple[list[str], npt.NDArray[np.intp]]:
        """Return the people, in order of appearance, and the number of each crop's person.

        Parameters
        ----------
        needed_by
            The caller, named in the error if the crops have no subjects.

        Returns
        -------
        tuple
            The names of the people as a list, and for each crop a number that counts in this list from 0.
        """
        if self.subjects is None:
            raise InputError(f"{needed_by} needs the subject of each face.", "pass subjects with the crops.")
        people = list(dict.fromkeys(self.subjects))
        place = {name: k for k, name in enumerate(people)}
        return people, np.array([place[name] for name in self.subjects], dtype=np.intp)


def area_means(image: npt.NDArray[Any], size: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Resize an image: each pixel is the mean over the area that it covers."""
    down, across = (_overlaps(old, new) for old, new in zip(image.shape, size, strict=True))
    return np.asarray(down @ image @ across.T)


def _overlaps(old: int, new: int) -> npt.NDArray[np.float64]:
    """The share of each new pixel that overlaps each old one, along one axis."""
    edges = np.arange(new + 1) * (old / new)
    ends = np.minimum(edges[1:, None], np.arange(1, old + 1))
    starts = np.maximum(edges[:-1, None], np.arange(old))
    return np.asarray(np.maximum(ends - starts, 0.0) * (new / old))
