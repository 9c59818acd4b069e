"""The base of designs: what is redrawn in a repetition, and which intervals and tests this allows.

A new design is one class here or in an installed package (entry point ``proband.designs``) with one of the capabilities below:
procedures that need only this capability then accept it, as do the command line, studies and reports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from proband.engine.limits import Seed
from proband.engine.registry import Registry
from proband.errors import UsageError
from proband.words import Method

DESIGNS = Registry("design", "proband.designs", package="proband.designs")
"""Designs by name: classes, used with their defaults, or designs."""

Capability = Literal[
    "proportion",
    "clusters",
    "weights",
    "strata",
    "sign-flip",
    "chi-square",
    "images",
    "galleries",
    "trainings",
]
"""What a design can do.

``proportion``: an interval of a count of independent probes. ``clusters``: one with people as clusters. ``weights``: replicate
weights of units. ``strata``: replicate weights within strata. ``sign-flip``, ``chi-square``: a test of two algorithms over people.
``images``: choices of images. ``galleries``: other galleries. ``trainings``: other training sets.
"""

Unit = Literal["probe", "subject"]

BLOCK = 500  # replicates that share a random stream, so that results do not depend on threads


class Design(ABC):
    """What varies, and how its variation is estimated.

    Attributes
    ----------
    capability
        The capability by which procedures are selected.
    over_probes
        Whether single probes are the units, instead of people.
    varied
        The unit of sample size: people or probes; None for other units.
    """

    capability: Capability

    @property
    @abstractmethod
    def as_method(self) -> Method:
        """The key, the text and the references of the method."""

    @property
    def over_probes(self) -> bool:
        """Whether single probes are the units, instead of people."""
        return False

    @property
    def varied(self) -> Literal["person", "probe"] | None:
        """The unit of sample size: people or probes; None for other units."""
        return "probe" if self.over_probes else "person"

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns of strata and of units within them."""
        return {}

    def __str__(self) -> str:
        return str(self.as_method)


class Reweighting(Design):
    """A design that reweights units in each replicate; subclasses define the weights.

    Attributes
    ----------
    unit
        The weighted unit: ``subject`` (all probes of that person) or ``probe``.
    interval
        The interval from the replicates: ``percentile``, ``basic`` or ``bca``.
    n_resamples
        The number of replicates.
    """

    capability: Capability = "weights"
    unit: Unit = "subject"
    interval: Literal["percentile", "basic", "bca"] = "percentile"
    n_resamples: int = 10_000

    @property
    def over_probes(self) -> bool:
        """Whether single probes are resampled."""
        return self.unit == "probe"

    @property
    def with_replacement(self) -> bool:
        """Whether weights count draws with replacement and equal probability, for which there are faster methods."""
        return False

    @property
    def by_percentiles(self) -> Self:
        """The same design with percentile intervals."""
        return self if self.interval == "percentile" else replace(self, interval="percentile")  # type: ignore[type-var]

    @abstractmethod
    def weights(
        self, n_units: int, seed: Seed, first_block: int = 0
    ) -> Iterator[npt.NDArray[np.integer[Any] | np.floating[Any]]]:
        """Weights of units, in blocks of replicates × units; the same for the same seed and block number.

        Parameters
        ----------
        n_units
            The number of units.
        seed
            The seed of the random numbers.
        first_block
            The first block, counted from 0.

        Returns
        -------
        iterator of numpy.ndarray
            Blocks of weights, up to `n_resamples` replicates in all.
        """


def as_design(design: Design | str) -> Design | Literal["auto"]:
    """Return a design given as an object or by name; ``"auto"`` is returned unchanged."""
    if isinstance(design, Design):
        return design
    return "auto" if design == "auto" else design_named(design)


def design_named(name: str) -> Design:
    """Return the design with a given name, with its defaults.

    Parameters
    ----------
    name
        ``bootstrap``, ``brr``, ``fay(rho=0.3)``, or the name of a plug-in.

    Returns
    -------
    Design
        The design, with its options.

    Examples
    --------
    >>> design_named("bootstrap")
    Bootstrap(unit='subject', interval='percentile', n_resamples=10000)
    """
    found = DESIGNS.find(name)
    made = found() if isinstance(found, type) and issubclass(found, Design) else found
    if not isinstance(made, Design):
        raise UsageError(f"{name} is a {type(found).__name__}, not a design.")
    return made
