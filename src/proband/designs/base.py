"""What a design is: what would be drawn anew, and what it can do for an interval or a test.

A new design is one class here or in an installed package (entry point ``proband.designs``) with one of the capabilities below:
the procedures that need no more than that then take it, and so do the command line, studies and reports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.engine.registry import Registry
from proband.errors import UsageError
from proband.words import Method

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

BLOCK = 500  # replicates that share a stream of random numbers, so that results do not depend on threads


class Design(ABC):
    """What would be drawn anew.

    Attributes
    ----------
    capability
        What it can do, by which procedures are found.
    over_probes
        Whether single probes are its units, and not people.
    """

    capability: Capability

    @property
    @abstractmethod
    def as_method(self) -> Method:
        """How it is called, told and cited."""

    @property
    def over_probes(self) -> bool:
        """Whether single probes are its units, and not people."""
        return False

    def __str__(self) -> str:
        return str(self.as_method)


class Reweighting(Design):
    """A design that gives units other weights, replicate by replicate; a subclass says which weights.

    Attributes
    ----------
    unit
        What is weighted: ``subject`` (all probes of that person) or ``probe``.
    interval
        What is made of the replicates: ``percentile``, ``basic`` or ``bca``.
    n_resamples
        How many replicates.
    """

    capability: Capability = "weights"
    unit: Unit = "subject"
    interval: Literal["percentile", "basic", "bca"] = "percentile"
    n_resamples: int = 10_000

    @property
    def over_probes(self) -> bool:
        """Whether single probes are drawn."""
        return self.unit == "probe"

    @property
    def with_replacement(self) -> bool:
        """Whether weights are how often each unit is drawn, with replacement and alike: replicates then have shortcuts."""
        return False

    @abstractmethod
    def weights(
        self, n_units: int, seed: int, first_block: int = 0
    ) -> Iterator[npt.NDArray[np.integer[Any] | np.floating[Any]]]:
        """Weights of units, in blocks of replicates × units; the same for the same seed and block number."""


DESIGNS = Registry(
    "design",
    "proband.designs",
    {
        "binomial": "proband.designs:Binomial",
        "clustered": "proband.designs:Clustered",
        "bootstrap": "proband.designs:Bootstrap",
        "sign-flip": "proband.designs:SignFlip",
        "obuchowski": "proband.designs:ClusteredMcNemar",
        "durkalski": lambda: _clustered_mcnemar("durkalski"),
        "mcnemar": "proband.designs:Binomial",
        "brr": "proband.designs:BRR",
        "fay": "proband.designs:Fay",
        "jackknife": "proband.designs:Jackknife",
        "rao-wu": "proband.designs:RaoWu",
        "enumeration": "proband.designs:Enumeration",
        "collapsed-strata": "proband.designs:CollapsedStrata",
        "image-choice": "proband.designs:ImageChoice",
        "galleries": "proband.designs:Galleries",
    },
)
"""Designs by name: classes, used with their defaults, or designs."""


def _clustered_mcnemar(method: Literal["obuchowski", "durkalski"]) -> Design:
    from proband.designs.resampling import ClusteredMcNemar

    return ClusteredMcNemar(method)


def design_named(name: str) -> Design:
    """Return the design that a name means, with its defaults.

    Examples
    --------
    >>> design_named("bootstrap")
    Bootstrap(unit='subject', interval='percentile', n_resamples=10000)
    """
    found = DESIGNS.find(name)
    made = found() if isinstance(found, type) and issubclass(found, Design) else found
    if not isinstance(made, Design):
        raise UsageError(f"{name} is a {type(found).__name__}, which is no design.")
    return made


def one_of(value: str, allowed: object, what: str) -> None:
    """Refuse a value that is not among those allowed.

    Examples
    --------
    >>> one_of("probe", Unit, "unit")
    >>> one_of("image", Unit, "unit")
    Traceback (most recent call last):
        ...
    proband.errors.UsageError: ...
    """
    if value not in get_args(allowed):
        raise UsageError(f"There is no {what} {value!r}.", f"choose one of: {', '.join(get_args(allowed))}.")
