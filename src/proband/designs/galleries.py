"""Several small galleries of different people from one large gallery (Phillips et al. 2000)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs.base import DESIGNS, Design
from proband.engine.arguments import published
from proband.engine.limits import Seed, Within
from proband.errors import DesignError, UsageError, unknown_name
from proband.samples import Experiment, Positions, Samples
from proband.samples.table import frozen
from proband.words import Method, Note, Sentence, count, counted

IN_ORDER = "galleries-in-order"
"""The key of galleries that are filled in the order of a column."""
_SMALLEST = 2  # with one person, no confusion is possible

_WITHOUT = Sentence(
    "galleries.without-value",
    "note",
    "{n:count person has/people have} no value in '{order}' and {n:word is/are} not in any gallery",
)
_OVER = Sentence("galleries.over", "note", "{n:count person is/people are} left over and not in any gallery")
_LAST_OVER = Sentence(
    "galleries.last-over",
    "note",
    "{n:count person/people}, the last by {order}, {n:word is/are} left over and not in any gallery",
)
_UNUSED = Sentence(
    "galleries.unused-probes",
    "note",
    "{n:count probe of people outside the galleries was/probes of people outside the galleries were} not "
    "searched",
)


@published
@DESIGNS.register("galleries")
@dataclass(frozen=True)
class Galleries(Design):
    """Divide the people of a gallery into `k` disjoint galleries of equal size.

    Every probe is searched only in the gallery with its person: performance then varies with the *enrolled people*, as in
    FERET's tables over galleries.

    Parameters
    ----------
    k
        The number of galleries.
    order
        A column of dates or numbers by which people are assigned to galleries in ascending order, by their earliest enrolled
        image (table order breaks ties; images without a value are ignored; people without any value are left out and counted).
        None assigns people at random.
    size
        People in each gallery; by default the largest possible number. People left over are counted.
    seed
        The seed of random assignment.

    Examples
    --------
    >>> ids = [f"{person}{image}" for person in "abcdefg" for image in "12"]
    >>> samples = Samples({"id": ids, "subject": [name[0] for name in ids], "year": [1993, 1994] * 7})
    >>> parts = Galleries(3, order="year").parts(Experiment(samples, gallery="year == 1993"))
    >>> [len(part.people) for part in parts.galleries], str(parts.notes[0])
    ([2, 2, 2], '1 person, the last by year, is left over and not in any gallery')
    """

    capability = "galleries"
    k: Annotated[
        int, Within(ge=2, le=10**6, said="The number of galleries must be a whole number of at least 2")
    ] = 6
    order: str | None = None
    size: (
        Annotated[
            int,
            Within(
                ge=_SMALLEST,
                said=f"The number of people in a gallery must be a whole number of at least {_SMALLEST}",
            ),
        ]
        | None
    ) = None
    seed: Seed = 0

    @property
    def as_method(self) -> Method:
        """Student's interval of the mean over galleries."""
        people = (
            "different people"
            if self.size is None
            else f"{counted(self.size, 'different person', 'different people')} each"
        )
        how = f"dealt at random (seed {self.seed})" if self.order is None else f"in order of {self.order}"
        return Method(
            "galleries-at-random" if self.order is None else IN_ORDER,
            f"{self.k} galleries of {people}, {how}",
            "Student's interval, on the logit scale for rates, of the mean over galleries of different people",
            ("phillips2000", "student1908"),
        )

    def parts(self, experiment: Experiment) -> GalleryParts:
        """Assign the enrolled people of an experiment to galleries, regardless of its probes.

        Parameters
        ----------
        experiment
            The experiment whose gallery is divided.

        Returns
        -------
        GalleryParts
            The small galleries, and the numbers of people left out.
        """
        samples = experiment.samples
        people, values, n_without = self._ordered(experiment)
        size = self._size_for(len(people))
        part_of = np.full(len(samples.subjects), -1)
        part_of[people[: self.k * size]] = np.repeat(np.arange(self.k), size)
        of_gallery = part_of[samples.codes[experiment.gallery]]
        of_probes = part_of[samples.codes[experiment.probes]]
        galleries = tuple(
            SmallGallery(
                number=number + 1,
                people=frozen(people[number * size : (number + 1) * size]),
                images=frozen(experiment.gallery[of_gallery == number]),
                probes=frozen(experiment.probes[of_probes == number]),
                first=None if values is None else values[number * size],
                last=None if values is None else values[(number + 1) * size - 1],
                of=self,
                within=experiment,
            )
            for number in range(self.k)
        )
        over = len(people) - self.k * size
        unused = int(((of_probes < 0) & experiment.mated).sum())
        return GalleryParts(self, galleries, size, over, n_without, unused)

    def _ordered(self, experiment: Experiment) -> tuple[npt.NDArray[np.int32], pl.Series | None, int]:
        """The enrolled people in the order of assignment, the values of the ordering column, and the number without a value."""
        samples = experiment.samples
        everybody = np.unique(samples.codes[experiment.gallery])
        if self.order is None:
            return np.random.default_rng(self.seed).permutation(everybody), None, 0
        places = np.sort(experiment.gallery)
        values = dated_column(samples, self.order, "assign people to galleries by")[places]
        known = values.is_not_null().to_numpy()
        places, values = places[known], values.filter(pl.Series(known))
        by_value = np.argsort(values.rank("dense").to_numpy(), kind="stable")
        codes = samples.codes[places[by_value]]
        first = np.sort(np.unique(codes, return_index=True)[1])  # each person's earliest image
        return codes[first], values[by_value[first]], len(everybody) - len(first)

    def _size_for(self, n_people: int) -> int:
        by = "" if self.order is None else f" with a value in {self.order!r}"
        most = n_people // self.k
        if most < (self.size or _SMALLEST):
            wanted = f"{self.k} galleries of {self.size or f'at least {_SMALLEST}'} people each"
            raise DesignError(
                f"The {count(n_people)} people of the gallery{by} are too few for {wanted}.",
                f"use at most {count(most)} people in each gallery."
                if most >= _SMALLEST
                else f"ask for at most {n_people // _SMALLEST} galleries."
                if n_people >= 2 * _SMALLEST
                else None,
            )
        return self.size or most


@dataclass(frozen=True, eq=False)
class SmallGallery:
    """One of several galleries.

    Attributes
    ----------
    number
        The number, from 1, in the order of filling.
    people
        The people enrolled, as subject codes of the samples table.
    images, probes
        Their enrolled images and their probes, as positions in the table. There may be no probes.
    first, last
        The values of the ordering column with which the gallery begins and ends; None if people were assigned at random.
    of, within
        The design, and the experiment it divides.
    """

    number: int
    people: npt.NDArray[np.int32]
    images: Positions
    probes: Positions
    first: Any
    last: Any
    of: Galleries
    within: Experiment

    @property
    def experiment(self) -> Experiment | None:
        """The experiment of these probes and this gallery; None without probes."""
        if not len(self.probes):
            return None
        part = self.within.restricted(gallery=self.images, probes=self.probes)
        part.gallery_rule = f"{self.within.gallery_rule}; gallery {self.number} of {self.of}"
        return part


@dataclass(frozen=True, eq=False)
class GalleryParts:
    """The galleries made by a design, and the numbers of people left out.

    Attributes
    ----------
    galleries
        The galleries, in the order of filling.
    size
        The number of people in each.
    n_over, n_without
        The numbers of people left over, and of people without a value in the ordering column.
    n_unused_probes
        The number of probes of these people, which are not searched for.
    """

    design: Galleries
    galleries: tuple[SmallGallery, ...]
    size: int
    n_over: int
    n_without: int
    n_unused_probes: int

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on who was left out."""
        notes = []
        order = self.design.order
        if self.n_without:
            notes.append(_WITHOUT(n=self.n_without, order=order))
        if self.n_over:
            notes.append(_OVER(n=self.n_over) if order is None else _LAST_OVER(n=self.n_over, order=order))
        if self.n_unused_probes:
            notes.append(_UNUSED(n=self.n_unused_probes))
        return tuple(notes)


def dated_column(samples: Samples, name: str, purpose: str) -> pl.Series:
    """Return a column of dates or numbers; `purpose` ends the sentence "There is no column … to …"."""
    columns = samples.frame.columns
    if name not in columns:
        raise unknown_name("column", name, columns, f"to {purpose}")
    values = samples.frame[name]
    if values.null_count() == len(values):
        raise DesignError(f"The column {name!r} is empty, so it cannot be used to {purpose}.")
    if not (values.dtype.is_numeric() or values.dtype in (pl.Date, pl.Datetime)):
        raise UsageError(
            f"The column {name!r} is of type {values.dtype}; to {purpose} it must contain dates or numbers.",
            "write dates as 1996-01-31.",
        )
    return values
