"""Which procedure answers a question: one table, looked up by what is measured, how the measure is made and what the design can do.

Nothing here looks at the class of a measure or of a design. A new procedure is one row of the table and the function it names;
nothing is imported before it is needed. What has no procedure is refused with what would do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from proband.designs import Design, ImageChoice
from proband.designs.base import Capability, as_design
from proband.errors import DesignError, UsageError
from proband.inference.comparisons.chosen_pairs import every_two
from proband.measures import Measure, Outcomes
from proband.measures.base import Form, as_measure, outcomes_of, weighing
from proband.results.base import Answers, among
from proband.results.difference import Unit
from proband.results.estimate import Estimate, estimate_among
from proband.results.targets import derived
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores
from proband.scores.sampling import sampled
from proband.scores.several import name_of
from proband.scores.trials import Trials
from proband.words import Note, SampledColumn, Target

if TYPE_CHECKING:
    from proband.inference.comparisons.paired import Tested
    from proband.results.test import Test

Data = Outcomes | Scores
Within = Experiment | Samples | Pool | None
View = Literal["outcomes", "pairs", "images"]
Auto = Literal["auto"]


class Ranked(NamedTuple):
    """What became of probes by some scores, within an experiment.

    Attributes
    ----------
    data, within
        The scores, and where they were ranked.
    found
        What became of the probes.
    """

    data: Any
    within: Experiment | None
    found: Outcomes


@dataclass(frozen=True, eq=False)
class Question:
    """A measure of one or several algorithms, and how its interval is wanted.

    Attributes
    ----------
    measure, data, names, within
        Of what: outcomes, or scores and where they are measured; and what the algorithms are called.
    design
        What varies; None leaves it to the procedure.
    confidence_level, seed, population
        Of intervals, of replicates, and the number of people the tested ones were drawn from (None for an endless population).
    why
        Why this design was taken, where nobody named one.
    chosen
        The pairs of algorithms to compare, by name; None for every two.
    ranked
        What became of probes, of what was asked before: of the same scores it is asked again and again.
    """

    measure: Any
    data: tuple[Any, ...]
    names: tuple[str, ...]
    within: Within
    design: Any
    confidence_level: float
    seed: int
    population: int | None = None
    why: tuple[Note, ...] = ()
    chosen: tuple[tuple[str, str], ...] | None = None
    ranked: list[Ranked] = field(default_factory=list, repr=False)

    @classmethod
    def of(
        cls,
        measure: Any,
        data: Sequence[Any] | Mapping[str, Any],
        within: Within,
        design: Design | Auto | str,
        confidence_level: float,
        seed: int,
        population: int | None = None,
    ) -> Question:
        """Ask; a mapping gives algorithms their names, and a measure and a design may be given by theirs."""
        measure, design = as_measure(measure), as_design(design)
        if not isinstance(measure, Measure):
            raise UsageError(
                f"{getattr(measure, '__name__', type(measure).__name__)} is not a measure, so it cannot be resampled.",
                "use a rate, a median rank, or RankStatistic(function) for your own statistic.",
            )
        if measure.form == "curve":
            raise UsageError("A whole curve has a band, not an interval.", "use estimate_cmc.")
        names = tuple(data) if isinstance(data, Mapping) else tuple(map(name_of, data))
        held = tuple(data.values()) if isinstance(data, Mapping) else tuple(data)
        asked = cls(measure, held, names, within, design, confidence_level, seed, population)
        if design != "auto":
            return asked
        return replace(asked, design=ImageChoice() if asked.view == "images" else None)

    @property
    def view(self) -> View:
        """What is looked at: compared pairs, choices of images, or outcomes of probes."""
        if self.measure.view == "pairs":
            return "pairs"
        over_images = isinstance(self.within, Pool) or _capability(self.design) == "images"
        return "images" if over_images else "outcomes"

    @cached_property
    def outcomes(self) -> tuple[Outcomes, ...]:
        """What became of probes, an entry for each algorithm."""
        within = self.within
        if isinstance(within, Samples | Pool):
            raise UsageError(
                f"Identification needs an experiment, not a {type(self.within).__name__}.",
                "pass Experiment(samples, gallery=..., probes=...).",
            )
        if any(isinstance(one, Trials) for one in self.data):
            raise DesignError(
                f"The {self.measure.estimand} needs ranks, which lists of selected pairs do not have.",
                "use fnmr or auc, or scores of every probe with the whole gallery.",
            )
        if within is not None:
            within.samples.require_people()
        found = (self._of(one, within) for one in self.data)
        return tuple(
            one if one.algorithm == name else replace(one, algorithm=name)
            for one, name in zip(found, self.names, strict=True)
        )

    def _of(self, data: Any, within: Experiment | None) -> Outcomes:
        """What became of probes by some scores, ranked once for a question and all that is made of it."""
        found = next((one.found for one in self.ranked if one.data is data and one.within is within), None)
        if found is None:
            found = outcomes_of(data, within)
            self.ranked.append(Ranked(data, within, found))
        return found

    @cached_property
    def sampling(self) -> tuple[SampledColumn, ...]:
        """What the samples behind it show of the columns that are declared as sampling levels."""
        strata = self.columns.get("strata")
        if self.view == "outcomes":
            return self.outcomes[0].sampling_within(strata)
        return sampled(self.data[0], self.within, strata)

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns that the design makes strata and units of."""
        return {} if self.design is None else self.design.columns

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The two names of every comparison."""
        return every_two(self.names, self.chosen)

    @property
    def scores(self) -> tuple[Scores, ...]:
        """The scores, where the data are such; refused where some are not."""
        if not all(isinstance(one, Scores) for one in self.data):
            raise DesignError(
                f"{'Verification' if self.view == 'pairs' else 'The choice of images'} needs scores, not "
                "outcomes."
            )
        return self.data


@dataclass(frozen=True, eq=False)
class Joint:
    """What several algorithms show together.

    Attributes
    ----------
    estimates
        Of each by itself.
    tested
        Every two of them: their names, the number of units (None where none is to be named that would settle the question), and
        their difference with its interval and test.
    answers, notes
        Of the differences.
    overall
        Whether they differ at all, where that is tested.
    unit
        What the units are.
    """

    estimates: tuple[Estimate, ...]
    tested: tuple[tuple[str, str, int | None, Tested], ...]
    answers: Answers
    notes: tuple[Note, ...] = ()
    overall: Test | None = None
    unit: Unit = "person"

    def among(self, sampling: tuple[SampledColumn, ...], **columns: str | None) -> Joint:
        """The same, whose answers say which of the declared sampling levels vary."""
        if not sampling:
            return self
        estimates = tuple(estimate_among(one, sampling, **columns) for one in self.estimates)
        return replace(self, estimates=estimates, answers=among(self.answers, sampling, **columns))


Comparing = Callable[[Question], Joint]


@dataclass(frozen=True)
class Procedure:
    """How one kind of question is answered.

    Attributes
    ----------
    view, forms, capability
        What must be looked at, how the measure must be made and what the design must be able to do. Without a capability it is
        what the view does where no design is named.
    estimates, differences
        The functions that estimate and that compare, as ``module:function`` of `proband.inference`; None where it cannot.
    people_can_weigh
        Whether each of the two can have people weigh the same.
    key
        What it is known by.
    study, compared
        The studies of `simulation.studies` that show how its intervals and its comparisons fare; without one it is not to be trusted.
    """

    key: str
    view: View
    forms: frozenset[Form]
    capability: Capability | None
    estimates: str | None = None
    differences: str | None = None
    study: str = ""
    compared: str = ""
    people_can_weigh: tuple[bool, bool] = (True, False)

    def estimate(self, question: Question) -> tuple[Estimate, ...]:
        """Estimate each algorithm by itself."""
        measure = question.measure
        if measure.complement is None:
            estimates = _function(self.estimates)(question)
            return tuple(estimate_among(one, question.sampling, **question.columns) for one in estimates)
        errors = self.estimate(replace(question, measure=measure.complement))
        return tuple(complement_of(error, measure.estimand) for error in errors)

    def compare(self, question: Question) -> Joint:
        """Estimate all, and compare every two."""
        measure = question.measure
        if measure.complement is None:
            joint: Joint = _function(self.differences)(question)
            return joint.among(question.sampling, **question.columns)
        # (1 − a) − (1 − b) is b − a: the pairs are asked about the other way round.
        turned = tuple((second, first) for first, second in question.pairs)
        joint = self.compare(replace(question, measure=measure.complement, chosen=turned))
        return replace(
            joint,
            estimates=tuple(complement_of(error, measure.estimand) for error in joint.estimates),
            tested=tuple((second, first, n, tested) for first, second, n, tested in joint.tested),
            answers=replace(joint.answers, of=derived("difference", "difference of {}", measure.estimand)),
        )


_OF_PROBES: frozenset[Form] = frozenset({"share", "mean", "quantile", "function"})
_SHARES: frozenset[Form] = frozenset({"share"})
_OF_PAIRS: frozenset[Form] = frozenset({"threshold", "area", "crossing"})

PROCEDURES = (
    Procedure(
        "binomial",
        "outcomes",
        _SHARES,
        "proportion",
        "estimates.closed:binomial",
        "comparisons.paired_rates:over_probes",
        study="rate-of-probes",
        compared="difference-of-probes",
    ),
    Procedure(
        "clustered", "outcomes", _SHARES, "clusters", "estimates.closed:clustered", study="rate-over-people"
    ),
    Procedure(
        "resampled",
        "outcomes",
        _OF_PROBES,
        "weights",
        "estimates.bootstrap:resampled",
        "comparisons.swapped:resampled",
        study="ranks-over-people",
        compared="difference-of-ranks",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "sign-flip",
        "outcomes",
        _SHARES,
        "sign-flip",
        None,
        "comparisons.paired_rates:sign_flipped",
        compared="difference-of-rates",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "clustered-mcnemar",
        "outcomes",
        _SHARES,
        "chi-square",
        None,
        "comparisons.paired_rates:chi_squared",
        compared="difference-of-rates",
    ),
    Procedure(
        "stratified",
        "outcomes",
        _OF_PROBES,
        "strata",
        "strata.estimates:stratified",
        "strata.pairs:stratified",
        study="new-images",
        compared="difference-within-strata",
        people_can_weigh=(False, False),
    ),
    Procedure(
        "galleries",
        "outcomes",
        _OF_PROBES,
        "galleries",
        "galleries.variation:over_galleries",
        study="other-galleries",
    ),
    Procedure(
        "training-sets",
        "outcomes",
        _OF_PROBES,
        "trainings",
        "estimates.training_sets:over_trainings",
        study="training-sets",
    ),
    Procedure(
        "training-sets",
        "images",
        _OF_PROBES,
        "trainings",
        "estimates.training_sets:over_trainings",
        study="training-sets",
    ),
    Procedure(
        "image-choice",
        "images",
        _OF_PROBES,
        "images",
        "image_choice.estimates:over_choices",
        "image_choice.estimates:differences_over_choices",
        study="choices-of-images",
        compared="difference-over-choices",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "fnmr-at-fmr",
        "pairs",
        frozenset({"threshold"}),
        None,
        "verification.measures.fnmr:fnmr_estimates",
        "verification.measures.fnmr:fnmr_differences",
        study="pairs-of-people",
        compared="difference-over-pairs",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "auc",
        "pairs",
        frozenset({"area"}),
        None,
        "verification.measures.auc:auc_estimates",
        "verification.measures.auc:auc_differences",
        study="pairs-of-people",
        compared="difference-over-pairs",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "eer",
        "pairs",
        frozenset({"crossing"}),
        None,
        "verification.measures.eer:eer_estimates",
        "verification.measures.eer:eer_differences",
        study="pairs-of-people",
        compared="difference-over-pairs",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "pairs-resampled",
        "pairs",
        _OF_PAIRS,
        "weights",
        "verification.measures.replicated:over_people",
        "verification.measures.replicated:differences_over_people",
        study="pairs-of-people",
        compared="difference-over-pairs",
        people_can_weigh=(True, True),
    ),
    Procedure(
        "pairs-stratified",
        "pairs",
        _OF_PAIRS,
        "strata",
        "verification.measures.pair_strata:stratified",
        "verification.measures.pair_strata:stratified_differences",
        study="images-of-pairs",
        compared="difference-of-images-of-pairs",
        people_can_weigh=(True, True),
    ),
)
"""Every way to an interval or a test. The first row that fits a question answers it."""


def procedure_for(question: Question, *, comparing: bool = False) -> Procedure:
    """Find the procedure that answers a question; what none does is refused with what would do."""
    able = [one for one in PROCEDURES if (one.differences if comparing else one.estimates)]
    capability = _capability(question.design)
    for one in able:
        if one.view == question.view and one.capability == capability and question.measure.form in one.forms:
            if (
                getattr(question.measure, "weights", "probe") == "person"
                and not one.people_can_weigh[comparing]
            ):
                raise DesignError(
                    f"{question.design} weights every probe equally, but person weights were requested.",
                    "use the design sign-flip or bootstrap."
                    if comparing
                    else "use the design bootstrap, or auto.",
                )
            return one
    raise _refusal(question, able, capability, comparing)


def _refusal(
    question: Question, able: Sequence[Procedure], capability: Capability | None, comparing: bool
) -> Exception:
    """Say what is in the way, by the procedures that come closest."""
    measure, design = question.measure, question.design
    if question.view == "pairs":
        return DesignError(
            f"{design} does not apply to measures of compared pairs.",
            "use the design auto or bootstrap for new people (in Python also Jackknife(kind='JK1')); brr, "
            "fay, jackknife or rao-wu for new images of these people.",
        )
    would = [one.capability for one in able if one.view == question.view and measure.form in one.forms]
    if question.view == "images":
        return DesignError(
            "The design image-choice needs scores and a pool of images.",
            "call estimate(scores, Pool(samples, groups='session'), design=ImageChoice()).",
        )
    if not any(one.capability == capability for one in able):
        doing = (
            "does not compare algorithms"
            if comparing
            else "compares algorithms and gives no interval for one algorithm"
        )
        return UsageError(f"{design} {doing}.", f"use the design auto, {_named_designs(would)}.")
    return DesignError(
        f"{design} is for rates; the {measure.estimand} is not a rate.",
        f"use the design auto, {_named_designs(would)}.",
    )


_EXAMPLES: Mapping[Capability, str] = {
    "proportion": "binomial",
    "clusters": "clustered",
    "weights": "bootstrap",
    "strata": "brr",
    "sign-flip": "sign-flip",
    "chi-square": "obuchowski",
    "galleries": "galleries",
}


def _named_designs(capabilities: Sequence[Capability | None]) -> str:
    named = [_EXAMPLES[one] for one in capabilities if one is not None and one in _EXAMPLES]
    *some, last = dict.fromkeys(named)
    return f"{', '.join(some)} or {last}" if some else last


def _capability(design: Any) -> Capability | None:
    found: Capability | None = getattr(design, "capability", None)
    return found


def _function(home: str | None) -> Callable[[Question], Any]:
    module, _, name = (home or "").partition(":")
    function: Callable[[Question], Any] = getattr(import_module(f"proband.inference.{module}"), name)
    return function


def complement_of(error: Estimate, of: Target) -> Estimate:
    """Turn the estimate of an error rate into that of 1 minus it: the interval mirrored, the standard error as it is."""
    beside, again, counted = error.by_person, error.again, error.rests_on
    successes = None if counted.events is None else counted.n - counted.events
    return replace(
        error,
        value=1 - error.value,
        low=1 - error.high,
        high=1 - error.low,
        rests_on=replace(counted, events=successes),
        replicates=None if error.replicates is None else 1 - error.replicates,
        answers=replace(error.answers, of=of),
        by_person=None if beside is None else complement_of(beside, weighing("person", of)),
        again=again and partial(_complement_again, again, of),
    )


def _complement_again(again: Callable[[int], Estimate], of: Target, n_resamples: int) -> Estimate:
    return complement_of(again(n_resamples), of)
