"""What a number describes, and the counts behind it: two records common to every number."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from proband.engine.arguments import published
from proband.results.base import Count, Facts


def stated(record: Who | RestsOn) -> dict[str, Any]:
    """The fields of a record that differ from their defaults."""
    values = ((one.name, getattr(record, one.name), one.default) for one in fields(record))
    return {name: value for name, value, default in values if value != default}


@published
@dataclass(frozen=True, repr=False)
class Who:
    """What a number describes; fields that do not apply are empty and not written.

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
        The value of the group as a number, if the column is numeric.
    other_column, other_group, other_reference
        For two crossed columns, the second column and its level; for an interaction, the reference level.
    target_fmr, target_fpir, threshold
        For an error rate: the target false match rate or false positive identification rate, and the threshold.
    candidates
        For a search: the maximum number of candidates.

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
        """Return the same record with another name of the algorithm.

        Parameters
        ----------
        algorithm
            The other name.

        Returns
        -------
        Who
            The same record, with that name.
        """
        return replace(self, algorithm=algorithm)


@published
@dataclass(frozen=True, repr=False)
class RestsOn:
    """The counts behind a number; fields that are unknown or do not apply are None and not written.

    Attributes
    ----------
    n
        The denominator of a rate; 0 and not written if there is none.
    of
        What was counted: ``probe``, ``genuine comparison``, ``impostor comparison``, ``item``, ``sample``, ``row``, ``fold``, …
    events
        For a rate, its numerator: successes, or errors.
    n_units, unit
        The number of independent units, and the name of a unit: ``person``, ``sample``, ``cluster``, …
    n_effective
        The effective sample size.
    design_effect
        The variance relative to that of a simple random sample of the same size.
    size
        The sum of the weights, if items are weighted: the size of the population they represent.

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
        """The number of errors or successes, as an integer."""
        return int(self.events or 0)

    @classmethod
    def measured(cls, facts: Facts, events: float | None = None) -> Self:
        """Return the counts behind a measurement of probes or pairs.

        Parameters
        ----------
        facts
            The facts of the measurement.
        events
            The numerator of a rate; None for other measures.

        Returns
        -------
        RestsOn
            The numbers of probes or comparisons, and of people.
        """
        of = "comparison" if facts.of_pairs else "probe"
        return cls(n=facts.n_probes, of=of, events=events, n_units=facts.n_probe_subjects, unit="person")


NOBODY = Who()
"""A number that is about nothing in particular, or about what the result that holds it is about."""
NOT_COUNTED = RestsOn()
"""A number of which the result that holds it says what it rests on."""
