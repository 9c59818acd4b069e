"""What a measurement found, and the four answers that every number carries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband._version import __version__
from proband.engine.rendering import Drawn, Shown
from proband.errors import UsageError
from proband.results.compared import Compared
from proband.results.targets import DESCRIPTION, EVERYTHING, NOTHING
from proband.words import Note, Target, count, digits, fixed, plain


@dataclass(frozen=True)
class Answers:
    """What a number is of, what varies behind it, what is held fixed and what is assumed."""

    of: Target
    varying: Target
    fixed: Target
    assuming: Target

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {name: plain(target) for name, target in vars(self).items()}


@dataclass(frozen=True)
class Facts:
    """How a measurement came about: sizes, policies, what was left out.

    `experiment` is the experiment's fingerprint; `metric` is how embeddings were compared, None for scores that are taken as
    given; `compared` says of a measure over pairs which were counted.
    """

    algorithm: str
    n_probes: int
    n_probe_subjects: int
    n_gallery_images: int
    n_gallery_subjects: int
    n_ranks: int
    n_failed: int
    n_gallery_failed: int
    n_unmated: int
    n_tied: int
    ties: str
    counting: str
    on_failure: str
    universe: str
    gallery_rule: str
    probe_rule: str
    experiment: str
    notes: tuple[Note, ...]
    metric: str | None = None
    compared: Compared | None = None
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {name: plain(value) for name, value in vars(self).items()}


def describing(of: Target) -> Answers:
    """The answers of a bare measurement: it describes these probes and this gallery, and claims no more."""
    return Answers(of, DESCRIPTION, EVERYTHING, NOTHING)


@dataclass(frozen=True)
class Measurement(Drawn):
    """One number about one algorithm in one experiment.

    Attributes
    ----------
    value
        The number.
    events
        For a rate, how many successes it rests on (a fraction under the ``mean`` tie policy); otherwise None.
    answers, facts
        What it means, and how it came about.

    """

    value: float
    events: float | None
    answers: Answers
    facts: Facts

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        events = "" if self.events is None else f" ({digits(self.events, 6)} of {count(self.facts.n_probes)})"
        return f"{self.facts.algorithm}: {self.answers.of} = {digits(self.value, 6)}{events}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON, which has no infinity: an infinite value is None."""
        return {
            "value": self.value if isfinite(self.value) else None,
            "events": self.events,
            "answers": self.answers.to_dict(),
            "facts": self.facts.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Curve(Shown):
    """A cumulative match characteristic: the recognition rate at every rank.

    Attributes
    ----------
    values
        ``values[t - 1]`` is the rate at rank t.
    answers, facts
        What it means, and how it came about.

    """

    values: npt.NDArray[np.float64]
    answers: Answers
    facts: Facts

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The ranks: 1, 2, …"""
        return np.arange(1, len(self.values) + 1)

    def at(self, rank: int) -> float:
        """The rate at a rank; beyond the last rank the curve stays as it ends."""
        if rank < 1:
            raise UsageError(f"A rank is at least 1, got {rank}.")
        return float(self.values[min(rank, len(self.values)) - 1])

    def named(self, name: str) -> Curve:
        """Return the same curve under another name."""
        return replace(self, facts=replace(self.facts, algorithm=name))

    def __repr__(self) -> str:
        shown = ", ".join(f"rank {t}: {fixed(self.at(t))}" for t in (1, 5, 10) if t <= len(self.values))
        return f"{self.facts.algorithm}: CMC of {count(self.facts.n_probes)} probes, {shown}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "values": self.values.tolist(),
            "answers": self.answers.to_dict(),
            "facts": self.facts.to_dict(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return columns algorithm, rank and rate."""
        return pl.DataFrame(
            {"algorithm": [self.facts.algorithm] * len(self.values), "rank": self.ranks, "rate": self.values}
        )
