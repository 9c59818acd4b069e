"""The base of measures: numbers computed from outcomes of probes or from pairs, identified by a key, that can be resampled.

A new measure is one class here or in an installed package (entry point ``proband.measures``): a `Share`, a `MeanMeasure`, or an
`OutcomeMeasure` with a tally of its own. Every function, command, study and report can then use it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from proband.engine.arguments import asked, published
from proband.engine.kinds import number_in
from proband.engine.limits import Count, Weights as Weights
from proband.engine.registry import Registry
from proband.errors import DesignError, UsageError, nearest
from proband.measures.outcomes import Outcomes
from proband.measures.tallies import Floats, RankRows, Tally, Units, mean_tally
from proband.results.band import Curve
from proband.results.base import describing
from proband.results.estimate import Measurement
from proband.results.targets import derived
from proband.samples import Experiment
from proband.scores import Scores
from proband.words import Target, given

MEASURES = Registry("measure", "proband.measures", package="proband.measures")
"""Measures by name: classes, whose first field is the parameter behind ``@``."""

View = Literal["outcomes", "pairs"]
"""What a measure is of: what became of probes, or compared pairs of samples."""

Form = Literal["share", "mean", "quantile", "function", "curve", "threshold", "area", "crossing"]
"""How a measure is made, which decides how its interval can be.

``share``: of probes that succeed. ``mean``: of a number for each probe. ``quantile``: of such numbers. ``function``: anything of
the ranks. ``curve``: a share at every rank. ``threshold``: an error rate where another is given. ``area``: a share of pairs of
pairs. ``crossing``: where two error rates are equal.
"""


class Measure(ABC):
    """A measure of one algorithm.

    Attributes
    ----------
    key
        Its code on the command line and in studies; ``key@5`` sets its parameter.
    view, form
        What it is computed from, and how.
    larger_is_better
        Whether larger values are better.
    in_points
        Whether it is a rate between 0 and 1, with differences in percentage points.
    spelled
        An alternative spelling in tables, with ``{}`` for its parameter.
    """

    made_by: ClassVar[str] = "by its name: 'rank-1', 'fnmr@0.001', 'tar@0.001', 'eer' or 'auc'"

    key: str
    view: View
    form: Form
    larger_is_better: bool = True
    in_points: bool = False
    spelled: ClassVar[tuple[str, ...]] = ()

    @property
    def complement(self) -> Measure | None:
        """The measure m by which 1 − m is estimated; None for other measures."""
        return None

    @property
    @abstractmethod
    def estimand(self) -> Target:
        """What it measures."""

    @property
    def code(self) -> str:
        """The code in results, with its parameters: ``median-rank-10``."""
        values: list[Any] = [getattr(self, one.name) for one in fields(self)] if is_dataclass(self) else []
        numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
        return "-".join(
            [self.key, *(f"{float(one)!r}" if isinstance(one, float) else str(one) for one in numbers)]
        )

    @abstractmethod
    def __call__(self, scores: Any, experiment: Any = None) -> Measurement | Curve:
        """Measure one algorithm."""


class OutcomeMeasure(Measure):
    """A measure of the outcomes of probes.

    Attributes
    ----------
    weights
        What is weighted equally: every ``probe`` or, for a share with this field, every ``person``.
    """

    view: View = "outcomes"
    weights: Weights = "probe"

    @abstractmethod
    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the sums over units that determine the measure.

        Parameters
        ----------
        outcomes
            The outcomes of the probes.
        units
            The unit of each probe, numbered from 0.

        Returns
        -------
        Tally
            The sums, and the function that computes the measure from them.
        """

    def __call__(self, scores: Outcomes | Scores, experiment: Experiment | None = None) -> Measurement:
        """Measure outcomes, or scores within an experiment."""
        outcomes = outcomes_of(scores, experiment)
        whole = self.tally(outcomes, np.zeros(len(outcomes), np.intp))
        return Measurement(float(whole.value()), None, describing(self.estimand), outcomes.facts)

    def success(self, outcomes: Outcomes) -> Floats:
        """Return the success of each probe, for a share; other measures raise an error.

        Parameters
        ----------
        outcomes
            The probes' outcomes.

        Returns
        -------
        numpy.ndarray
            One number for each probe.
        """
        raise DesignError(
            f"The {self.estimand} has no successes to count.", "compare it with design=Bootstrap()."
        )

    def of_ranks(self, ranks: RankRows) -> Floats:
        """Compute the measure of each row of ranks, for designs that choose images; an error unless defined.

        Parameters
        ----------
        ranks
            Trials × people.

        Returns
        -------
        numpy.ndarray
            One value for each trial.
        """
        raise DesignError(
            f"The {self.estimand} is not defined over choices of images.",
            "use a recognition rate, a median censored rank or RankStatistic(function).",
        )

    def of_trials(self, ranks: RankRows, n_enrolled: Count) -> Floats:
        """Compute the measure of each row of ranks in a gallery of a given size, which is ignored by default.

        Parameters
        ----------
        ranks
            Trials × people.
        n_enrolled
            The number of people enrolled in each trial.

        Returns
        -------
        numpy.ndarray
            One value for each trial.
        """
        return self.of_ranks(ranks)


@published
class Share(OutcomeMeasure):
    """The share of probes that succeed, as defined by a subclass.

    With y_i the success of probe i of n, it is Σ y_i / n. A plug-in needs a key, an estimand and `success` to be available in
    all commands. With a field `weights` it can also be weighted by person: each of K people then has weight 1/K, divided over
    the probes of the person.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from proband.words import Target
    >>> @dataclass(frozen=True)
    ... class TopHalf(Share):
    ...     key = "top-half"
    ...     @property
    ...     def estimand(self):
    ...         return Target(self.key, "share of probes whose mate is in the upper half of the gallery")
    ...     def success(self, outcomes):
    ...         return (outcomes.ranks <= outcomes.n_ranks / 2).astype(float)
    >>> TopHalf().form, TopHalf().code, TopHalf().in_points
    ('share', 'top-half', True)
    """

    form: Form = "share"
    in_points = True

    @abstractmethod
    def success(self, outcomes: Outcomes) -> Floats:
        """Return the success of each probe: 0 or 1, or a probability if ties are broken at random.

        Parameters
        ----------
        outcomes
            The probes' outcomes.

        Returns
        -------
        numpy.ndarray
            One number for each probe.
        """

    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the numbers of successes and of probes, or their weights.

        Parameters
        ----------
        outcomes
            The probes' outcomes.
        units
            The number of each probe's unit, from 0.

        Returns
        -------
        Tally
            Two columns, a row for each unit.
        """
        return mean_tally(self.success(outcomes), units, probe_weights(outcomes, self.weights))

    def __call__(self, scores: Outcomes | Scores, experiment: Experiment | None = None) -> Measurement:
        """Measure outcomes, or scores within an experiment."""
        outcomes = outcomes_of(scores, experiment)
        success, weights = self.success(outcomes), probe_weights(outcomes, self.weights)
        value = float(success.sum() / len(outcomes) if weights is None else weights @ success / weights.sum())
        return Measurement(value, float(success.sum()), describing(self.estimand), outcomes.facts)


@published
class MeanMeasure(OutcomeMeasure):
    """The mean of a value per probe, defined by a subclass.

    With y_i the value of probe i of n, it is Σ y_i / n.

    Examples
    --------
    The mean reciprocal rank, as a plug-in would make it:

    >>> from dataclasses import dataclass
    >>> from proband.words import Target
    >>> @dataclass(frozen=True)
    ... class MeanReciprocalRank(MeanMeasure):
    ...     key = "mean-reciprocal-rank"
    ...     @property
    ...     def estimand(self):
    ...         return Target(self.key, "mean reciprocal rank")
    ...     def of_probes(self, outcomes):
    ...         return 1 / outcomes.ranks
    >>> MeanReciprocalRank().form, MeanReciprocalRank().larger_is_better
    ('mean', True)
    """

    form: Form = "mean"

    @abstractmethod
    def of_probes(self, outcomes: Outcomes) -> Floats:
        """Return the value of each probe.

        Parameters
        ----------
        outcomes
            The probes' outcomes.

        Returns
        -------
        numpy.ndarray
            One number for each probe.
        """

    def tally(self, outcomes: Outcomes, units: Units) -> Tally:
        """Return the sums of values and the numbers of probes.

        Parameters
        ----------
        outcomes
            The probes' outcomes.
        units
            The number of each probe's unit, from 0.

        Returns
        -------
        Tally
            For each unit, the sum over its probes and their number.
        """
        return mean_tally(self.of_probes(outcomes), units)


def probe_weights(outcomes: Outcomes, weights: Weights) -> Floats | None:
    """Return the weight of each probe: one over the number of probes of the person; None if probes have equal weights."""
    if weights == "probe":
        return None
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    shared: Floats = (1.0 / np.bincount(codes))[codes]
    return shared


def weighted(measure: Measure, weights: Weights) -> Measure:
    """Set the weights of a share of probes; a measure without weights is returned unchanged."""
    known = "weights" in getattr(measure, "__dataclass_fields__", {})
    made: Measure = replace(measure, weights=weights) if known else measure  # type: ignore[type-var]
    return made


def weighing(weights: Weights, of: Target) -> Target:
    """Add the weights to the name of an estimand."""
    return of if weights == "probe" else derived("by-person", "{}, person-weighted", of)


def outcomes_of(data: Outcomes | Scores, within: Experiment | None) -> Outcomes:
    """Return outcomes as given, or rank scores within an experiment."""
    if isinstance(data, Outcomes):
        return data
    if within is None:
        raise UsageError(
            "Scores need an experiment to be ranked in.", "pass one: Experiment(samples, gallery=…)."
        )
    from proband.measures.ranks import rank

    return rank(data, within)


def as_measure(measure: Measure | str) -> Measure:
    """Return a measure given as an object or by name."""
    return measure_named(measure) if isinstance(measure, str) else measure


def measure_named(name: str) -> Measure:
    """Return the measure with a given name.

    Parameters
    ----------
    name
        ``rank-1``, ``rank-5`` (any rank), ``fnmr@0.001``, ``tar@0.001`` (any false match rate), ``eer``, ``auc``,
        ``median-rank@50``, ``median-relative-rank``, ``relative-rank@0.01``, or the name of a plug-in; or the name of a measure
        in tables and JSON: ``rank 1``, ``FNMR at an FMR of 0.001``. A parameter follows ``@`` or ``-``; without it, the default
        is used.

    Returns
    -------
    Measure
        The measure, with its parameter.

    Examples
    --------
    >>> measure_named("rank-5")
    RecognitionRate(rank=5, weights='probe')
    >>> measure_named("FNMR at an FMR of 0.01")
    FNMR(at_fmr=0.01, weights='probe')
    """
    stem = name.removesuffix(_BY_PERSON)
    if stem != name:
        return weighted(measure_named(stem), "person")
    key, parameter = _parted(name)
    usual = _usual(name)
    if not _is_known(key) and usual != name and _is_known(_parted(usual)[0]):
        return measure_named(usual)
    if not _is_known(key):
        written = _as_written(name)
        if written is None:
            raise UsageError(f"There is no measure {name!r}.", meant_measure(name))
        return written[1]
    found = MEASURES.find(key)
    if isinstance(found, Measure):
        made = found if not parameter else None
    elif isinstance(found, type) and issubclass(found, Measure):
        made = found() if not parameter else _with_parameter(found, key, parameter)
    else:
        raise UsageError(f"{key} is a {type(found).__name__}, not a measure.")
    if made is None:
        raise UsageError(f"The measure {key} takes no parameter, got {parameter!r}.", f"write {key}.")
    return made


def registered_name(text: str) -> str:
    """Return the registered name of the measure given as text, or the text before ``@`` if there is none."""
    stem = text.removesuffix(_BY_PERSON)
    for form in (stem, _usual(stem)):
        key, _ = _parted(form)
        if _is_known(key):
            return key
    written = _as_written(text)
    return _parted(stem)[0] if written is None else written[0]


def _parted(text: str) -> tuple[str, str]:
    """Split a name into a registered name and its parameter, if any: ``fnmr@0.001``, ``rank-1``."""
    key, mark, parameter = text.partition("@")
    dashed, _, number = key.rpartition("-")
    if not mark and key not in MEASURES.names() and dashed in MEASURES.names():
        return dashed, number
    return key, parameter


_BY_PERSON = "-by-person"


def _usual(text: str) -> str:
    """Normalize a name: lowercase, without spaces around its parameter."""
    return re.sub(r"\s*@\s*", "@", " ".join(text.split()).casefold())


def _is_known(key: str) -> bool:
    return key in MEASURES.names() or MEASURES.names_code(key)


def known_measures() -> list[str]:
    """Return the names of all measures, with default parameters."""
    return [_shown(name, kind) for name, kind in MEASURES.everything().items()]


def _shown(name: str, kind: Any) -> str:
    parameter = _parameter_of(kind)
    if parameter is None:
        return name
    mark = "-" if isinstance(parameter.default, int) else "@"
    return f"{name}{mark}{parameter.default}"


def meant_measure(name: str) -> str:
    """Suggest the measure probably meant, and list all."""
    known = known_measures()
    return (
        f"{nearest(name, [*known, *MEASURES.names()]) or ''} Available measures: {', '.join(known)}.".lstrip()
    )


def _as_written(text: str) -> tuple[str, Measure] | None:
    """Return the name and the measure written so in a table or file, by code, text or other spelling; None if there is none."""
    wanted = _usual(text)
    numbers = re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", wanted)
    for name, kind in MEASURES.everything().items():
        if not (isinstance(kind, type) and issubclass(kind, Measure)):
            continue
        parameter = _parameter_of(kind)
        values: list[Any] = []
        if parameter is not None:
            if not numbers:
                continue
            number = float(numbers[-1])
            if isinstance(parameter.default, int) and not number.is_integer():
                continue
            values = [int(number) if isinstance(parameter.default, int) else number]
        try:
            made: Measure = asked(kind, *values)
        except UsageError:  # out of range for this parameter
            continue
        for weights in get_args(Weights):
            known = weighted(made, weights)
            if wanted in {word.casefold() for word in _spellings(known, parameter)}:
                return name, known
    return None


def _spellings(measure: Measure, parameter: Field[Any] | None) -> Iterator[str]:
    yield measure.code
    yield str(measure.estimand)
    if getattr(measure, "weights", "probe") == "probe":
        value = () if parameter is None else (getattr(measure, parameter.name),)
        yield from (form.format(*map(given, value)) for form in measure.spelled)


def _parameter_of(kind: Any) -> Field[Any] | None:
    """The parameter in the name of a measure: its first numeric field."""
    if not is_dataclass(kind) or not isinstance(kind, type):
        return None
    numbers = (field for field in fields(kind) if isinstance(field.default, int | float))
    return next(numbers, None)


def _with_parameter(kind: type[Measure], name: str, text: str) -> Measure | None:
    """A measure with a value of its parameter; None if it has no parameter."""
    parameter = _parameter_of(kind)
    if parameter is None:
        return None
    whole = isinstance(parameter.default, int)
    try:
        value: Any = int(text) if whole else float(text)
    except ValueError:
        raise UsageError(
            f"The measure {name} takes a {'whole number' if whole else 'number'}, as in {_shown(name, kind)}; got {text!r}.",
            None if whole else number_in(text),
        ) from None
    return asked(kind, value)
