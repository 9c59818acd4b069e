"""Designs of a repetition: which units would be drawn anew, and how an interval follows from that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from proband.errors import UsageError

Unit = Literal["probe", "subject"]
ProportionMethod = Literal["wilson", "clopper-pearson", "jeffreys"]
ClusteredMethod = Literal["obuchowski", "durkalski"]
BootstrapInterval = Literal["percentile", "basic", "bca"]

BLOCK = 500  # replicates that share a stream of random numbers, so that results do not depend on threads


@dataclass(frozen=True)
class Binomial:
    """Other probes, each drawn independently, against the same gallery.

    Sound with one probe for each person; with several it takes the probes of a person for independent, which they are not.
    """

    method: ProportionMethod = "wilson"

    def __post_init__(self) -> None:
        one_of(self.method, ProportionMethod, "interval")

    def __str__(self) -> str:
        return f"binomial ({self.method})"


@dataclass(frozen=True)
class Clustered:
    """Other people, each with as many probes, against the same gallery: Wilson's interval with the effective sample size."""

    def __str__(self) -> str:
        return "people (Wilson with the effective sample size)"


@dataclass(frozen=True)
class Bootstrap:
    """Other probes or other people, drawn with replacement from those there are; the gallery stays as it is.

    Only *outcomes* are resampled. Drawing people into the gallery twice would let a probe match the other copy of its
    mate, so galleries are never bootstrapped.

    Parameters
    ----------
    unit
        What is drawn: ``subject`` (with all probes of that person) or ``probe``.
    interval
        ``percentile``, ``basic`` or ``bca``.
    n_resamples
        How many replicates.
    """

    unit: Unit = "subject"
    interval: BootstrapInterval = "percentile"
    n_resamples: int = 10_000

    def __post_init__(self) -> None:
        one_of(self.unit, Unit, "unit")
        one_of(self.interval, BootstrapInterval, "interval")
        if self.n_resamples < 100:
            raise UsageError(f"A bootstrap needs at least 100 replicates, got {self.n_resamples}.")

    def __str__(self) -> str:
        return f"bootstrap over {self.unit}s ({self.interval}, {self.n_resamples:,} replicates)"

    def weights(self, n_units: int, seed: int, first_block: int = 0) -> Iterator[npt.NDArray[np.int64]]:
        """How often each unit is drawn: blocks of replicates × units, the same for the same seed and block number."""
        done = first_block * BLOCK
        block = first_block
        while done < self.n_resamples:
            size = min(BLOCK, self.n_resamples - done)
            rng = np.random.default_rng([seed, block])
            draws = rng.integers(n_units, size=(size, n_units)) + n_units * np.arange(size)[:, None]
            yield np.bincount(draws.ravel(), minlength=size * n_units).reshape(size, n_units)
            done += size
            block += 1


@dataclass(frozen=True)
class TrainingSets:
    """Other training sets: one algorithm, trained several times on different sets, each with a score matrix of its own."""

    def __str__(self) -> str:
        return "training sets"


@dataclass(frozen=True)
class SignFlip:
    """For comparisons: other people, by turning each person's difference around (a permutation test)."""

    def __str__(self) -> str:
        return "sign-flip over people (mid-p)"


@dataclass(frozen=True)
class ClusteredMcNemar:
    """For comparisons: other people, by McNemar's chi-square with the variance of people's differences.

    ``obuchowski`` (1998) weighs people by their probes, ``durkalski`` (2003) alike.
    """

    method: ClusteredMethod = "obuchowski"

    def __post_init__(self) -> None:
        one_of(self.method, ClusteredMethod, "clustered McNemar test")

    def __str__(self) -> str:
        return f"McNemar with clusters ({self.method.capitalize()})"


Design = Binomial | Clustered | Bootstrap
PairedDesign = SignFlip | ClusteredMcNemar | Binomial | Bootstrap


def one_of(value: str, allowed: object, what: str) -> None:
    """Refuse a value that is not among those allowed."""
    if value not in get_args(allowed):
        raise UsageError(f"There is no {what} {value!r}.", f"choose one of: {', '.join(get_args(allowed))}.")
