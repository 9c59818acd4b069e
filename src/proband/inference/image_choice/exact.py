"""The exact average of virtual experiments, if every person's gallery and probe images are drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from proband.engine import run_blocks
from proband.engine.arguments import published
from proband.errors import DesignError, InputError, UsageError
from proband.kernels.poisson_binomial import at_most, count_beating, covariances
from proband.measures.outcomes import TiePolicy
from proband.results.base import Result
from proband.samples.pool import Options
from proband.samples.table import frozen
from proband.words import count, counted, digits, fixed

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Rows = Callable[[Integers], npt.NDArray[np.floating]]

MOST_CHOICES = 16_000  # of all people: the time for the variance is quadratic in them
_NEVER = 1e-20  # less likely choices do not affect the variance visibly


@published
@dataclass(frozen=True, eq=False)
class ExactChoice(Result):
    """The moments of the recognition rate over all possible choices of images of these people.

    Attributes
    ----------
    values
        The expected recognition rate at ranks 1, 2, …
    variance_rank_1
        The variance of the recognition rate at rank 1, if requested.
    """

    values: Floats
    variance_rank_1: float | None

    def __repr__(self) -> str:
        spread = "" if self.variance_rank_1 is None else f" ± {digits(self.variance_rank_1**0.5)}"
        return f"ExactChoice(expected rate at rank 1 {fixed(self.values[0])}{spread}, {counted(len(self.values), 'rank')})"


def exact_choice(
    options: Options,
    closeness: npt.NDArray[np.floating] | Rows,
    failed: npt.NDArray[np.bool_],
    ties: TiePolicy = "pessimistic",
    *,
    max_rank: int | None = None,
    variance: bool = False,
    threads: int | None = None,
) -> ExactChoice:
    """Compute the expected CMC if each person's choice is drawn independently with equal probabilities.

    Given the gallery and probe image of one person, the others beat the mate independently of each other, so their number
    is Poisson-binomial; its distribution is computed person by person, without simulation.

    Parameters
    ----------
    options
        The choices of all people.
    closeness
        The closeness of each probe image (row) to each gallery image (column), as positions in ``options.images``;
        larger is closer. Or a function that returns the rows for given positions, called for one person at a time and
        from several threads, so that no matrix is needed.
    failed
        Images that were not acquired. They beat nobody, and a person with such an image does not succeed.
    ties
        ``pessimistic`` or ``optimistic``: whether an image as close as the mate beats it.
    max_rank
        The last rank, by default the number of people.
    variance
        Whether to also compute the variance of the rate at rank 1.
    """
    _check(options, ties, max_rank, variance)
    people = _People(options, closeness, np.asarray(failed, dtype=np.bool_), ties == "pessimistic")
    n, enrolled = options.n_searched, options.n_subjects
    total = np.zeros(min(max_rank or enrolled, enrolled))
    listed = []
    for success, choices in run_blocks(_Successes(people, len(total), variance), range(n), threads):
        total += success
        listed.append(choices)
    spread = _variance(people, listed, threads) if variance else None
    return ExactChoice(frozen(np.minimum(total / n, 1.0)), spread)


def _check(options: Options, ties: TiePolicy, max_rank: int | None, variance: bool) -> None:
    if ties not in get_args(TiePolicy):
        raise UsageError(f"ties must be pessimistic or optimistic; got {ties!r}.")
    if ties == "mean":
        raise DesignError(
            "There is no exact expectation for ties broken at random: a success is then a fraction that "
            "depends on how many non-mates are tied with the mate, not only on how many are closer.",
            "use pessimistic and optimistic ties; the mean is between the two.",
        )
    if variance and len(options.gallery) > MOST_CHOICES:
        raise DesignError(
            f"The exact variance is limited to {count(MOST_CHOICES)} choices in total, such as "
            f"{count(MOST_CHOICES // 8)} people with 8 each; here "
            f"{counted(options.n_subjects, 'person has', 'people have')} {count(len(options.gallery))}.",
            "request only the CMC, or estimate the variance from random trials.",
        )


@dataclass(frozen=True, eq=False)
class _Choice:
    """A choice that may succeed at rank 1, and the people who can prevent it."""

    chance: float
    gallery: int
    rivals: Integers
    left: Integers  # choices of each rival that do not beat the mate
    n_images: Integers  # images of each rival that do
    images: Integers


class _People:
    """The choices of all people, and the rows of their scores."""

    def __init__(
        self,
        options: Options,
        closeness: npt.NDArray[np.floating] | Rows,
        failed: npt.NDArray[np.bool_],
        ties_beat: bool,
    ) -> None:
        n_images = len(options.images)
        if failed.shape != (n_images,):
            raise InputError(
                f"Expected one failure mark for each of {count(n_images)} images, got {count(failed.size)}."
            )
        if not callable(closeness) and closeness.shape != (n_images, n_images):
            raise InputError(f"Closeness must have the shape {(n_images, n_images)}, got {closeness.shape}.")
        self.options, self.failed, self.ties_beat = options, failed, ties_beat
        self.sizes = options.sizes
        self.uses = np.bincount(options.gallery, minlength=len(failed)).astype(np.int64)
        self.uses[failed] = 0
        self.owners = np.repeat(np.arange(options.n_subjects), np.diff(options.image_starts))
        self._rows: Rows = closeness if callable(closeness) else closeness.__getitem__

    def rows(self, places: Integers) -> Floats:
        """The closeness of some probe images to all images."""
        rows = np.ascontiguousarray(self._rows(places), dtype=np.float64)
        wanted = len(places), len(self.failed)
        if rows.shape != wanted:
            raise InputError(f"Rows of closeness must have the shape {wanted}, got {rows.shape}.")
        return rows

    def successes(self, s: int, n_ranks: int, *, listed: bool) -> tuple[Floats, list[_Choice]]:
        """The success probability of person s at each rank and, if `listed`, the choices that may succeed."""
        own = slice(*self.options.starts[s : s + 2])
        gallery, probe = self.options.gallery[own], self.options.probe[own]
        fine = ~(self.failed[gallery] | self.failed[probe])
        total, cumulative = np.zeros(n_ranks), np.empty(n_ranks)
        choices: list[_Choice] = []
        if not fine.any():
            return total, choices
        needed, row_of = np.unique(probe[fine], return_inverse=True)
        rows = self.rows(needed)
        beating = np.empty_like(self.sizes)
        starts = self.options.image_starts
        for mate, place in zip(gallery[fine], row_of, strict=True):
            row = rows[place]
            if not count_beating(row, row[mate], self.ties_beat, s, starts, self.uses, beating):
                raise InputError(
                    "Closeness has non-finite values for images that are not marked as failed.",
                    "mark images that could not be compared as failed.",
                )
            at_most(beating, self.sizes, cumulative)
            total += cumulative
            if listed and cumulative[0] > _NEVER:
                choices.append(self._choice(s, row, int(mate), beating))
        return total / len(gallery), choices

    def _choice(self, s: int, row: Floats, mate: int, beating: Integers) -> _Choice:
        ahead = row >= row[mate] if self.ties_beat else row > row[mate]
        images = np.flatnonzero(ahead & (self.uses > 0) & (self.owners != s))
        rivals, n_images = np.unique(self.owners[images], return_counts=True)
        left = self.sizes[rivals] - beating[rivals]
        chance = float(np.prod(left / self.sizes[rivals]))
        return _Choice(chance, mate, rivals, left, n_images, images)


@dataclass(frozen=True, eq=False)
class _Successes:
    """The success probabilities of a person at each rank, and the choices that may succeed, if listed."""

    people: _People
    n_ranks: int
    listed: bool

    def __call__(self, s: int) -> tuple[Floats, list[_Choice]]:
        return self.people.successes(s, self.n_ranks, listed=self.listed)


def _variance(people: _People, listed: list[list[_Choice]], threads: int | None) -> float:
    """Sum the variances of all people and the covariances of all pairs."""
    choices = [choice for own in listed for choice in own]
    if not choices:
        return 0.0
    n = len(listed)
    own_chances = np.array([sum(choice.chance for choice in own) for own in listed]) / people.sizes[:n]
    arrays = (
        _starts([*map(len, listed), *[0] * people.options.n_fixed]),
        np.array([choice.chance for choice in choices]),
        np.array([choice.gallery for choice in choices], dtype=np.int64),
        _starts([len(choice.rivals) for choice in choices]),
        np.concatenate([choice.rivals for choice in choices]),
        np.concatenate([choice.left for choice in choices]),
        _starts(np.concatenate([choice.n_images for choice in choices])),
        np.concatenate([choice.images for choice in choices]),
        people.sizes,
        people.uses,
    )
    between = sum(run_blocks(_Covariances(arrays), range(n), threads))
    return max(float(own_chances @ (1 - own_chances) + 2 * between), 0.0) / n**2


@dataclass(frozen=True, eq=False)
class _Covariances:
    """The covariances of a person's success with those of later people."""

    arrays: tuple[npt.NDArray[Any], ...]

    def __call__(self, s: int) -> float:
        found: float = covariances(s, *self.arrays)
        return found


def _starts(lengths: npt.ArrayLike) -> Integers:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
