"""Whether a set of samples represents all subjects, and equally (definitions of Micheals & Boult 2001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proband.engine.arguments import published
from proband.samples.choosing import Choice, choose
from proband.samples.table import Samples


@published
@dataclass(frozen=True)
class Representation:
    """The number of samples of each subject in a set.

    Attributes
    ----------
    counts
        One number per subject of the table, in the order of ``samples.subjects``.

    """

    counts: npt.NDArray[np.intp]

    @property
    def is_full(self) -> bool:
        """Whether every subject has at least one sample in the set."""
        return bool(self.counts.min() >= 1)

    @property
    def is_unique(self) -> bool:
        """Whether no subject has more than one sample in the set."""
        return bool(self.counts.max() <= 1)

    @property
    def n_subjects(self) -> int:
        """The number of subjects with a sample in the set."""
        return int(np.count_nonzero(self.counts))


def representation(samples: Samples, choice: Choice) -> Representation:
    """Count the samples of each subject in a set.

    Parameters
    ----------
    samples
        The table.
    choice
        A condition, or ids.

    Returns
    -------
    Representation
        The number of selected samples of each subject.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"]})
    >>> r = representation(samples, ["a1", "b1"])
    >>> r.is_full, r.is_unique
    (True, True)
    """
    positions = choose(samples, choice).positions
    return Representation(np.bincount(samples.codes[positions], minlength=len(samples.subjects)))


def equally_representative(samples: Samples, one: Choice, other: Choice) -> bool:
    """Check whether two sets are disjoint and contain the same number of samples of every subject.

    The paper states an empty *union*; an empty intersection is meant.

    Parameters
    ----------
    samples
        The table.
    one, other
        Two selections of samples: conditions or ids.

    Returns
    -------
    bool
        Whether both contain the same number of samples of each subject.

    Examples
    --------
    >>> from proband import Samples
    >>> samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": list("aabb"), "session": [1, 2, 1, 2]})
    >>> equally_representative(samples, "session == 1", "session == 2")
    True
    >>> equally_representative(samples, ["a1", "a2"], ["b1", "b2"])
    False
    """
    first, second = choose(samples, one).positions, choose(samples, other).positions
    disjoint = np.intersect1d(first, second, assume_unique=True).size == 0
    size = len(samples.subjects)
    same = np.array_equal(
        np.bincount(samples.codes[first], minlength=size), np.bincount(samples.codes[second], minlength=size)
    )
    return disjoint and same
