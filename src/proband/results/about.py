"""Whom a number is about, and what it rests on: the same two records for every number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from proband.engine.arguments import published
from proband.results.base import Count, Facts


@published
@dataclass(frozen=True)
class Who:
    """Whom a number is about; what it is not about is empty, and not written.

    Attributes
    ----------
    algorithm
        The algorithm, classifier or system.
    category
        The category of probes.
    dataset, gallery, protocol
        The data set, the gallery and the protocol.
    label
        The class of a classifier.
    column, group
        A column, or a covariate, and one of its groups or levels.
    other_column, other_group
        The second column of two that are crossed, and its level.
    target_fmr, target_fpir, threshold
        Of an error rate: the false match rate, or false positive identification rate, that was asked for, and the threshold it
        was counted at.
    candidates
        Of a search: how many candidates it returns at most.
    """

    sparse: ClassVar[bool] = True
    algorithm: str = ""
    category: str = ""
    dataset: str = ""
    gallery: str = ""
    protocol: str = ""
    label: str = ""
    column: str = ""
    group: str = ""
    other_column: str = ""
    other_group: str = ""
    target_fmr: float | None = None
    target_fpir: float | None = None
    threshold: float | None = None
    candidates: Count | None = None

    def named(self, algorithm: str) -> Self:
        """The same, of an algorithm under another name."""
        return replace(self, algorithm=algorithm)


@published
@dataclass(frozen=True)
class RestsOn:
    """What a number was counted from; what is not known, or does not apply, is None, and not written.

    Attributes
    ----------
    n
        What a rate is out of; 0, and not written, for what is counted from nothing.
    of
        What was counted: ``probe``, ``genuine comparison``, ``impostor comparison``, ``item``, ``sample``, ``row``, ``fold``, …
    events
        For a rate, what is counted in its numerator: successes, or errors.
    n_units, unit
        The independent units behind it, and what one is called: ``person``, ``sample``, ``cluster``, …
    n_effective
        How many independent items would tell as much.
    """

    sparse: ClassVar[bool] = True
    n: Count = 0
    of: str = ""
    events: float | None = None
    n_units: Count | None = None
    unit: str = ""
    n_effective: float | None = None

    @property
    def n_events(self) -> Count:
        """How many errors, or successes, of a rate that counts whole ones."""
        return int(self.events or 0)

    @classmethod
    def measured(cls, facts: Facts, events: float | None = None) -> Self:
        """What a measurement of probes, or of pairs, rests on."""
        of = "comparison" if facts.of_pairs else "probe"
        return cls(n=facts.n_probes, of=of, events=events, n_units=facts.n_probe_subjects, unit="person")


NOBODY = Who()
"""A number that is about nothing in particular, or about what the result that holds it is about."""
NOT_COUNTED = RestsOn()
"""A number of which the result that holds it says what it rests on."""
