"""Curves: the rate at every rank, without and with an interval at each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.limits import Rank, Within
from proband.results.about import NOBODY, Who
from proband.results.base import NOT_MEASURED, Answers, Confidence, Facts, Result
from proband.results.serializing import Written
from proband.results.sides import Side
from proband.words import Method, Note, counted, digits, fixed, interval, level

Floats = npt.NDArray[np.float64]
Rates = Annotated[npt.NDArray[np.float64], Within(ge=0, le=1)]


@published
@dataclass(frozen=True, eq=False)
class Curve(Result):
    """A cumulative match characteristic: the recognition rate at every rank.

    Attributes
    ----------
    values
        ``values[t - 1]`` is the rate at rank t.
    answers, facts
        Its meaning, and how it was computed.

    """

    values: Rates
    answers: Answers
    facts: Facts

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The ranks: 1, 2, …"""
        return np.arange(1, len(self.values) + 1)

    @property
    def algorithm(self) -> str:
        """The algorithm."""
        return self.facts.algorithm

    def at(self, rank: Rank) -> float:
        """The rate at a rank; beyond the last rank, the value at the last rank.

        Parameters
        ----------
        rank
            From 1.

        Returns
        -------
        float
            The rate.
        """
        return float(self.values[min(rank, len(self.values)) - 1])

    def named(self, name: str) -> Curve:
        """Return the same curve under another name.

        Parameters
        ----------
        name
            The other name of the algorithm.

        Returns
        -------
        Curve
            The same values, with that name.
        """
        return replace(self, facts=replace(self.facts, algorithm=name))

    def __repr__(self) -> str:
        shown = ", ".join(f"rank {t}: {fixed(self.at(t))}" for t in (1, 5, 10) if t <= len(self.values))
        return f"{self.facts.algorithm}: CMC of {counted(self.facts.n_probes, 'probe')}, {shown}"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return columns algorithm, rank and value."""
        return pl.DataFrame(
            {"algorithm": [self.facts.algorithm] * len(self.values), "rank": self.ranks, "value": self.values}
        )


@published
@dataclass(frozen=True, eq=False)
class Band(Result):
    """A curve with an interval at every point: a cumulative match characteristic, or a rate along a number.

    Attributes
    ----------
    values, low, high
        The curve and the ends of the band.
    simultaneous
        Whether the stated confidence is for the whole curve, or for each point separately.
    facts
        How the outcomes were computed; not written if no single algorithm was measured (`NOT_MEASURED`).
    side
        For one-sided intervals, which end is a bound; None and not written if both ends are.
    who
        What it describes, in addition to the algorithm in its facts.
    along, x
        The name and the values of the horizontal axis; without `x`, ranks 1, 2, …
    """

    written = Written({"facts": "known_facts"}, if_any=("side", "facts", "who", "x"))

    values: Floats
    low: Floats
    high: Floats
    confidence_level: Confidence
    simultaneous: bool
    method: Method
    seed: int | None
    answers: Answers
    facts: Facts = NOT_MEASURED
    notes: tuple[Note, ...] = ()
    side: Side | None = None
    who: Who = NOBODY
    along: str = "rank"
    x: Floats | None = None

    @property
    def points(self) -> Floats:
        """The horizontal positions of the values: ranks, or the values of `x`."""
        return self.ranks.astype(np.float64) if self.x is None else self.x

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The ranks: 1, 2, …"""
        return np.arange(1, len(self.values) + 1)

    @property
    def algorithm(self) -> str:
        """The algorithm."""
        return self.who.algorithm or self.facts.algorithm

    @property
    def known_facts(self) -> Facts | None:
        """The facts; None if no single algorithm was measured."""
        return None if self.facts == NOT_MEASURED else self.facts

    def at(self, rank: Rank) -> float:
        """The rate at a rank; beyond the last rank, the value at the last rank.

        Parameters
        ----------
        rank
            From 1.

        Returns
        -------
        float
            The rate.
        """
        return float(self.values[min(rank, len(self.values)) - 1])

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "pointwise"
        about = f"{self.algorithm}: CMC" if self.x is None else f"{self.answers.of} along {self.along}"
        first = "rank 1" if self.x is None else f"at {digits(float(self.x[0]))}"
        return (
            f"{about} with a {kind} {level(self.confidence_level)} band, {first}: {fixed(self.values[0])} "
            f"{interval(self.low[0], self.high[0])}, for {self.answers.varying}"
        )

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return columns algorithm, rank, value, low and high; for a curve with an `x` axis also its name, `along` and x."""
        name = {"algorithm": self.algorithm} if self.x is None else {"along": self.along}
        x = {"rank": self.ranks} if self.x is None else {"x": self.x}
        values = {"value": self.values, "low": self.low, "high": self.high}
        return pl.DataFrame({**{key: [word] * len(self.values) for key, word in name.items()}, **x, **values})
