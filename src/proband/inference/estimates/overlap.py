"""Images and people that the gallery and the probe sets have in common (Beveridge et al. 2001, §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.frames import frame_of_rows
from proband.errors import UsageError
from proband.inference.estimates.evaluate import categories_by, probe_sets
from proband.inference.estimates.evaluation import probes_called
from proband.results.base import Count, Result
from proband.samples import Category, Experiment
from proband.words import Note

GALLERY = "gallery"
Counts = tuple[tuple[Count, ...], ...]


@published
@dataclass(frozen=True, eq=False)
class SetOverlap(Result):
    """Images and people that sets of samples have in common.

    Attributes
    ----------
    sets
        The gallery, all probes, and each category of them.
    images, people
        Sets × sets: the numbers of images and people that two sets share; on the diagonal, the size of each set.
    notes
        Notes on categories without probes.
    """

    sets: tuple[str, ...]
    images: Counts
    people: Counts
    notes: tuple[Note, ...] = ()

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each pair of sets, and for each set with itself."""
        return frame_of_rows(
            [
                {
                    "first": first,
                    "second": second,
                    "images": self.images[a][b],
                    "people": self.people[a][b],
                }
                for a, first in enumerate(self.sets)
                for b, second in enumerate(self.sets)
                if a <= b
            ]
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {self.images[place][place]}" for place, name in enumerate(self.sets))
        return f"SetOverlap(images: {sizes})"


@published
def set_overlap(
    experiment: Experiment, *, by: str | Sequence[str] = (), categories: Category | Sequence[Category] = ()
) -> SetOverlap:
    """Count the images and people that the gallery, all probes and each category of probes have in common.

    Tests of sets that share probes or people are not independent of each other.

    Parameters
    ----------
    experiment
        The gallery and probes.
    by, categories
        Columns whose values define categories of probes, and categories by rule.

    Returns
    -------
    SetOverlap
        The numbers of images and people shared by each pair of sets.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> data = {"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2], "sex": list("ffmm")}
    >>> found = set_overlap(Experiment(Samples(data), gallery="session == 1"), by="sex")
    >>> found.sets
    ('gallery', 'all probes', 'sex f', 'sex m')
    >>> found.people[0], found.images[1]
    ((2, 2, 1, 1), (0, 2, 1, 1))
    """
    sets, notes = probe_sets(experiment, categories_by(experiment, categories, by))
    if GALLERY in sets:
        raise UsageError(
            f"A category called {GALLERY!r} cannot be distinguished from the gallery.", "rename the category."
        )
    held = {
        GALLERY: experiment.gallery,
        **{probes_called(name): part.probes for name, part in sets.items()},
    }
    codes = experiment.samples.codes
    images = _in_common(list(held.values()))
    people = _in_common([np.unique(codes[one]) for one in held.values()])
    return SetOverlap(tuple(held), images, people, notes)


def _in_common(sets: Sequence[npt.NDArray[np.integer]]) -> Counts:
    return tuple(tuple(len(np.intersect1d(one, other)) for other in sets) for one in sets)
