"""Whom a number is about, and what it rests on: the same two records for every number."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from proband.engine.arguments import published
from proband.results.base import Count, Facts


def stated(record: Who | RestsOn) -> dict[str, Any]:
    """What a record states: the fields that are not as they are without it."""
    values = ((one.name, getattr(record, one.name), one.default) for one in fields(record))
    return {name: value for name, value, default in values if value != default}


@published
@dataclass(frozen=True, repr=False)
class Who:
    """Whom a number is about; what it is not about is empty, and not written.

    Attributes
    ----------
    algorithm
        The algorithm, classifier or system.
    category
        The category of probes, or the domain of a survey.
    dataset, gallery, protocol
        The data set, the gallery and the protocol.
    label
        The class of a classifier.
    column, group
        A column, or a covariate, and one of its groups or levels.
    number
        The number that a group stands for, where the column is one.
    other_column, other_group, other_reference
        The second column of two that are crossed, and its level; of how one acts on the other, the level that this one is compared with.
    target_fmr, target_fpir, threshold
        Of an error rate: the false match rate, or false positive identification rate, that was asked for, and the threshold it
        was counted at.
    candidates
        Of a search: how many candidates it returns at most.

    Examples
    --------
    >>> from proband.results import Who
    >>> Who(algorithm="net", category="fb")
    Who(algorithm='net', category='fb')
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
    number: float | None = None
    other_column: str = ""
    other_group: str = ""
    other_reference: str = ""
    target_fmr: float | None = None
    target_fpir: float | None = None
    threshold: float | None = None
    candidates: Count | None = None

    def __repr__(self) -> str:
        return f"Who({', '.join(f'{name}={value!r}' for name, value in stated(self).items())})"

    def named(self, algorithm: str) -> Self:
        """The same, of an algorithm under another name.

        Parameters
        ----------
        algorithm
            The other name.

        Returns
        -------
        Who
            The same, with that name.
        """
        return replace(self, algorithm=algorithm)


@published
@dataclass(frozen=True, repr=False)
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
    design_effect
        The variance as a multiple of what a simple random sample of as many rows would have.
    size
        The sum of the weights, where items are weighted: how many of the population they stand for.

    Examples
    --------
    >>> from proband.results import RestsOn
    >>> RestsOn(n=120, of="probe", events=87, n_units=40, unit="person")
    RestsOn(n=120, of='probe', events=87, n_units=40, unit='person')
    """

    sparse: ClassVar[bool] = True
    n: Count = 0
    of: str = ""
    events: float | None = None
    n_units: Count | None = None
    unit: str = ""
    n_effective: float | None = None
    design_effect: float | None = None
    size: float | None = None

    def __repr__(self) -> str:
        return f"RestsOn({', '.join(f'{name}={value!r}' for name, value in stated(self).items())})"

    @property
    def n_events(self) -> Count:
        """How many errors, or successes, of a rate that counts whole ones."""
        return int(self.events or 0)

    @classmethod
    def measured(cls, facts: Facts, events: float | None = None) -> Self:
        """What a measurement of probes, or of pairs, rests on.

        Parameters
        ----------
        facts
            What the measurement says of its probes, or pairs.
        events
            What is counted in the numerator of a rate; None for what is not a rate.

        Returns
        -------
        RestsOn
            How many probes, or comparisons, of how many people.
        """
        of = "comparison" if facts.of_pairs else "probe"
        return cls(n=facts.n_probes, of=of, events=events, n_units=facts.n_probe_subjects, unit="person")


NOBODY = Who()
"""A number that is about nothing in particular, or about what the result that holds it is about."""
NOT_COUNTED = RestsOn()
"""A number of which the result that holds it says what it rests on."""
