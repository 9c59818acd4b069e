"""Measures of compared pairs from replicates of stratified designs: without one person at a time, or of images within people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.designs import StratifiedDesign
from proband.designs.strata import Strata
from proband.designs.stratified import PEOPLE, Replicates
from proband.errors import DesignError, Hint, UsageError, first_few, unknown_name
from proband.inference.comparisons.testing.curves import PValueCurve, Student
from proband.inference.procedures import Joint, Question
from proband.inference.strata.estimates import NO_WIDTH, NOTHING_VARIES, PAST_LIMITS
from proband.inference.strata.intervals import Carried, ends_of, freedom_of
from proband.inference.verification.intervals.answers import answers_of_verification
from proband.inference.verification.measures.pair_questions import pairs_within
from proband.inference.verification.measures.replicated import HeldPairs, joint_in_replicates, people_varied
from proband.measures.pair_measures import PairMeasure
from proband.measures.pairs.weighted_pairs import Units
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import derived
from proband.samples import Experiment, Samples
from proband.words import Note, Sentence, Target, agreeing, count, counted

Floats = npt.NDArray[np.float64]

_QUERIES = Target(
    "queries-of-these-people",
    "new query images of these people, with the same number per person, compared with the same targets",
)
_IMAGES = Target(
    "images-compared-of-these-people",
    "new images of these people, with the same number per person, compared with each other",
)
_PEOPLE_FIXED = Target("people-and-algorithm", "these people and the algorithm")
_TARGETS_FIXED = Target("people-targets-and-algorithm", "these people, the targets and the algorithm")
_IMAGES_ALIKE = Target("images-alike", "images of one person are independent and identically distributed")
_STRATA_FIXED = Target("strata-and-algorithm", "the strata and the algorithm")
_PEOPLE_WITHIN = Target(
    "people-within-strata-independent",
    "strata are independent, and people within a stratum are independent and identically distributed",
)
_NEVER_TOGETHER = Sentence(
    "pairs.never-together",
    "note",
    "a replicate has one person per stratum, so impostor comparisons within strata ({share:percent} of "
    "pairs of people) are in no replicate; Fay() and RaoWu() keep them",
)
_FEW_CARRY = Sentence(
    "pairs.few-have-most-images",
    "caution",
    "genuine comparisons are effectively from {n:whole} of {of:count person/people}, who have the most "
    "images: the interval may be too narrow; use weights='person'",
)
_CONSERVATIVE = Sentence(
    "pairs.jackknife-of-pairs",
    "note",
    "joint effects of two images are counted several times in the jackknife, so the standard error is an "
    "upper bound",
)


def stratified(question: Question) -> tuple[Estimate, ...]:
    """Estimate a measure of pairs by leaving out one person at a time, or from replicates of images within people.

    The delete-one jackknife (`Jackknife` of kind JK1) leaves out a person with all comparisons: it speaks of *other people*. So do
    designs with ``units="subject"`` within strata that a column makes (*new people* at these sites): a genuine comparison weighs what
    its person does and an impostor comparison the product of its two. All
    other stratified designs speak of *other images of these people*, who are the strata. With queries and targets apart, query
    images are the units and a comparison weighs what its query does. With the same images on both axes all images are units and
    a comparison weighs the product of its two: a half-sample, which has one image of each person, is then without a genuine
    comparison, and other factors give those of a person the same or nearly the same weight in all replicates. So only the
    jackknife within people is taken there, with three images of everybody or more; its error is an upper bound (Efron & Stein
    1981). The variance is Σ c_α (θ_α − θ)² with the design's scales c_α. Rates at thresholds have the intervals of shares
    (`share_ends`), an area one on the logit scale with the degrees of freedom that carriers leave.
    """
    plan = _Plan.of(question)
    return tuple(plan.estimate(question, one) for one in plan.held)


def stratified_differences(question: Question) -> Joint:
    """Compare algorithms by a measure of pairs, under the same replicates for all.

    The difference d has the variance Σ c_α (d_α − d)² of its replicates, and Student's test and interval; what varies is as with
    `stratified` (McCarthy 1969; Wolter 2007).
    """
    plan = _Plan.of(question)
    held, design = plan.held, plan.design
    drawn = [plan.replicates(question.measure, one) for one in held]

    def tested(a: int, b: int) -> tuple[PValueCurve, float, None]:
        difference = held[a].measured.value - held[b].measured.value
        error = plan.error(drawn[a] - drawn[b], difference)
        freedom = max(plan.freedom, 1.0)
        if design.interval == "auto":
            freedom = float(plan.carried(drawn[a] - drawn[b], difference).degrees(freedom)[0])
        return Student(difference, error, freedom, units=len(plan.strata.names)), error, None

    each = [plan.estimate(question, one, made) for one, made in zip(held, drawn, strict=True)]
    joint = joint_in_replicates(question, held, each, tested, design.as_method)
    return replace(joint, notes=(*joint.notes, *plan.notes, *plan.made.notes))


@dataclass(frozen=True, eq=False)
class _Plan:
    """The replicates of a stratified design over people, or over images within people."""

    design: StratifiedDesign
    held: list[HeldPairs]
    strata: Strata
    varying: Target
    fixed: Target
    assuming: Target
    notes: tuple[Note, ...]
    seed: int

    @classmethod
    def of(cls, question: Question) -> _Plan:
        design, measure = question.design, question.measure
        _refuse_of_design(design, measure)
        if not design.knows_strata or design.units is not None:
            held = HeldPairs.all_of(question, Units.people)
            people = answers_of_verification(measure.estimand, people_varied(measure))
            if not design.knows_strata:
                strata = Strata.of(np.arange(held[0].pairs.units.n))
                return cls(
                    design, held, strata, people.varying, people.fixed, people.assuming, (), question.seed
                )
            strata, notes = _people_within(question, held[0].pairs.units, design)
            if measure.weights != "person":
                notes = (*notes, *_about_images(held[0].pairs.units))
            varying = derived("within-strata", f"{{}}, within strata of {design.strata}", people.varying)
            plan = cls(design, held, strata, varying, _STRATA_FIXED, _PEOPLE_WITHIN, notes, question.seed)
            plan.require_many()
            return plan
        if measure.weights == "person":
            raise UsageError(
                "With new images of the same people, comparisons are weighted equally.",
                "leave out weights.",
            )
        held = HeldPairs.all_of(question, Units.images)
        units = held[0].pairs.units
        strata, notes = design.collapsed(Strata.of(np.asarray(units.strata)), None)
        if units.in_pairs:
            _require_triples(design, strata)
            notes = (*notes, _CONSERVATIVE())
        varying, fixed = (_IMAGES, _PEOPLE_FIXED) if units.in_pairs else (_QUERIES, _TARGETS_FIXED)
        return cls(design, held, strata, varying, fixed, _IMAGES_ALIKE, notes, question.seed)

    @cached_property
    def made(self) -> Replicates:
        """The replicates of units, and what is to be said of them."""
        return self.design.replicates(self.strata, self.seed)

    @property
    def freedom(self) -> float:
        return freedom_of(self.design, self.strata, None, self.made.drawn)

    def replicates(self, measure: PairMeasure, held: HeldPairs) -> Floats:
        plan = self.made
        blocks = (block for part in plan.parts for block in part.blocks(len(self.strata.codes)))
        made = held.pairs.replicates(measure, blocks)
        if np.isnan(made).any():
            raise DesignError(
                f"{count(int(np.isnan(made).sum()))} of {count(len(made))} replicates {agreeing(np.isnan(made).sum(), 'has', 'have')} no genuine or no "
                "impostor comparison.",
                "use more people, or Fay(), which gives every image some weight.",
            )
        return made

    def require_many(self) -> None:
        """Refuse replicates of few, large strata: what weighs one person so much is far from linear in pairs."""
        units = len(self.strata.codes)
        heaviest = max(float(next(iter(part.blocks(units)))[0].max()) for part in self.made.parts)
        if heaviest > _HEAVY and len(self.strata) < _MANY_STRATA:
            raise DesignError(
                f"Strata of {self.design.strata} are few and large: in a replicate of {self.design}, one "
                f"person of {count(int(self.strata.sizes.max()))} has the weight of "
                f"{count(round(heaviest))}, too much to estimate the variance over pairs.",
                "use the design rao-wu (or jackknife for the AUC), fay with rho near 1, or more and smaller "
                "strata.",
            )

    def carried(self, replicates: Floats, value: float) -> Carried:
        return Carried.in_replicates(self.made, self.strata, replicates, value, self.design.knows_strata)

    def error(self, replicates: Floats, value: float) -> float:
        return float(np.sqrt(self.made.variance(replicates, value, self.design.centre)))

    def estimate(self, question: Question, held: HeldPairs, drawn: Floats | None = None) -> Estimate:
        """One algorithm with its interval; replicates are made unless they are there already."""
        made = self.replicates(question.measure, held) if drawn is None else drawn
        value, design = held.measured.value, self.design
        error = self.error(made, value)
        carried = self.carried(made, value)
        kind, freedom, share = design.interval, self.freedom, question.measure.form != "area" or error == 0
        if kind == "auto" and not share:
            kind, freedom = "logit", float(carried.degrees(freedom)[0])
        ends = ends_of(
            np.array([value]), np.array([error]), freedom, question.confidence_level, kind, carried, share
        )
        low, high, degrees = (float(end[0]) for end in ends)
        notes = (
            *self.notes,
            *self.made.notes,
            *((NOTHING_VARIES(n=carried.n_units) if kind == "auto" else NO_WIDTH(),) if error == 0 else ()),
            *((PAST_LIMITS(),) if low < 0 or high > 1 else ()),
        )
        answers = Answers(question.measure.estimand, self.varying, self.fixed, self.assuming)
        method = design.as_method if design.knows_strata else replace(design.as_method, account=_OVER_PEOPLE)
        return held.estimate(
            question, (low, high), error, method, answers, notes, replicates=made, freedom=degrees
        )


_HEAVY, _MANY_STRATA = 10, 30
"""Of fewer strata a person may weigh so much in a replicate. Against the jackknife BRR's error of the AUC is 1.02 with 8 strata of 8 people,
1.24 with 2 of 31; with 2 strata of 49 and 463 people who have up to 17 probes it is a quarter, and Fay's with weights of 47 two thirds."""

_OVER_PEOPLE = "the jackknife that leaves out one person at a time"


def _refuse_of_design(design: StratifiedDesign, measure: PairMeasure) -> None:
    """Refuse what a design says of tables of probes, and a jackknife of what hangs on a threshold."""
    if measure.form in ("threshold", "crossing") and not design.takes_quantiles:
        raise DesignError(
            f"The jackknife's variance is not valid for the {measure.estimand}: it depends on a threshold, "
            "which changes in steps.",
            "use the design bootstrap for new people, or brr, fay or rao-wu for new query images of these "
            "people.",
        )
    if design.units not in (None, PEOPLE):
        raise UsageError(
            "For measures of compared pairs, units within strata must be people, not values of "
            f"{design.units}.",
            Hint("{give:units=subject}, or leave {named:units} out for new images of these people."),
        )
    if design.strata is not None and design.units is None:
        raise UsageError(
            f"Strata of {design.strata} share people, so people must be the units for measures of compared "
            "pairs.",
            Hint("{give:units=subject}, or leave {named:strata} out for new images of these people."),
        )
    if design.weights != "units":
        raise UsageError(
            "Measures of compared pairs weight comparisons equally, so strata cannot have weights.",
            "leave the weights of strata out.",
        )
    if design.neighbours is not None and design.units is None:
        raise UsageError(
            "Measures of compared pairs do not use neighbouring strata.", "leave neighbouring strata out."
        )


def _people_within(
    question: Question, units: Units, design: StratifiedDesign
) -> tuple[Strata, tuple[Note, ...]]:
    """People in the strata that a column makes, which has one value for each person."""
    within = pairs_within(question)
    samples = within.samples if isinstance(within, Experiment) else within
    assert design.strata is not None  # people cannot be strata and units
    assert units.who is not None  # units are people
    strata = Strata.of(_of_people(samples, units.who, design.strata))
    keys = None if design.neighbours is None else _of_people(samples, units.who, design.neighbours)
    strata, notes = design.collapsed(strata, keys)
    if not design.takes_pairs and design.whole_units:
        pairs = strata.sizes * (strata.sizes - 1) / 2
        share = float(pairs.sum() / (units.n * (units.n - 1) / 2))
        notes = (*notes, _NEVER_TOGETHER(share=share))
    return strata, notes


def _about_images(units: Units) -> tuple[Note, ...]:
    """Warn where less than half of the people, in effect, have the genuine comparisons (Kish 1965)."""
    rows, columns = (np.bincount(side, minlength=units.n)[: units.n] for side in (units.rows, units.columns))
    pairs = (rows * columns).astype(np.float64)
    effective = float(pairs.sum() ** 2 / (pairs @ pairs))
    return (_FEW_CARRY(n=effective, of=units.n),) if effective < units.n / 2 else ()


def _of_people(samples: Samples, who: npt.NDArray[np.int32], column: str) -> npt.NDArray[Any]:
    """The value of a column for each person; one that differs between a person's samples is no stratum."""
    if column not in samples.frame.columns:
        raise unknown_name("column", column, samples.frame.columns, "to form strata")
    kept = np.isin(samples.codes, who)
    values = samples.frame[column].filter(pl.Series(kept))
    if values.null_count():
        raise DesignError(
            f"{counted(values.null_count(), 'sample has', 'samples have')} no value of {column}, so no stratum."
        )
    codes = samples.codes[kept]
    kinds = np.unique(values.to_numpy(), return_inverse=True)[1].ravel()
    pairs = np.unique(np.stack([codes, kinds]), axis=1)[0]
    several = np.unique(pairs[np.flatnonzero(pairs[1:] == pairs[:-1])])
    if len(several):
        names = [samples.subjects[int(code)] for code in several]
        raise DesignError(
            f"{counted(len(names), 'person is', 'people are')} in several strata of {column}, so the strata "
            f"are not independent: {first_few(names)}.",
            "use a column with one value per person.",
        )
    first = {int(code): place for place, code in reversed(list(enumerate(codes)))}
    return values.to_numpy()[[first[int(code)] for code in who]]


def _require_triples(design: StratifiedDesign, strata: Strata) -> None:
    """Refuse all but leaving out one of three and more images, where two images of a person make a genuine comparison."""
    if not design.takes_pairs:
        raise DesignError(
            f"The same images are queries and targets, so replicates of {design} have no genuine "
            "comparisons, or all comparisons of a person with equal weight.",
            "use Jackknife() (for the AUC), choose a gallery and probes, or use Bootstrap('subject') for "
            "new people.",
        )
    few = int((strata.sizes < 3).sum())
    if few:
        raise DesignError(
            f"{count(few)} of {count(len(strata))} people {'has' if few == 1 else 'have'} fewer than three images: without one image, "
            "no genuine comparison is left, so the variance over images cannot be estimated.",
            "leave them out, choose a gallery and probes, or use Bootstrap('subject') for new people.",
        )
