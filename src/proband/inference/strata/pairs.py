"""Two algorithms under the same replicates of a stratified design."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proband.designs import StratifiedDesign
from proband.inference.comparisons.paired import Pair, Tested, joined, joint_of
from proband.inference.comparisons.testing.curves import Student
from proband.inference.estimates.case import Case
from proband.inference.estimates.estimate import estimates
from proband.inference.procedures import Joint, Question
from proband.inference.strata.estimates import answers_of, evaluate_replicates, plan_of
from proband.inference.strata.intervals import Carried, freedom_of
from proband.inference.strata.units import strata_of
from proband.results.targets import difference_of
from proband.words import Method, digits


def stratified(question: Question) -> Joint:
    """Compare algorithms by any measure, under the same replicates for all.

    The paired difference d has the variance Σ c_α (d_α − d)² of its replicates (for rates the textbook one of d), and Student's
    test and interval (Micheals & Boult 2001), with no more degrees of freedom than the units that carry the variance leave
    (`Carried`) unless the design's interval is ``t``. Units within strata vary (probe images, or people with ``units="subject"``); the strata,
    by default these people, stay.
    """
    of = question.measure.estimand
    answers = replace(answers_of(of, question.design), of=difference_of(of))
    joint = joint_of(question, estimates(replace(question, why=())), _stratified, answers)
    strata, notes = strata_of(question.outcomes[0], question.design)
    if question.design.is_random:
        notes = (*notes, *question.design.replicates(strata, question.seed).notes)
    return replace(joint, notes=(*joint.notes, *notes))


def _stratified(design: StratifiedDesign, pair: Pair) -> Tested:
    """The paired difference, its replicate standard error, and Student's test and interval."""
    strata, _ = strata_of(pair.first, design)
    measure = pair.measure
    apart, drawn = None, None
    if measure.form == "share":
        apart = strata.gathered(measure.success(pair.first) - measure.success(pair.second)).ravel()
    if apart is not None and design.linear_is_textbook and strata.holds_totals:
        design.check(strata)
        difference = float(strata.mean(apart))
        error = float(np.sqrt(strata.textbook_variance(apart)[0]))
    else:
        cases = [Case(measure, one, pair.confidence_level, pair.seed) for one in (pair.first, pair.second)]
        plan = plan_of(design, cases[0], strata)
        drawn = plan.drawn
        (a, first), (b, second) = (evaluate_replicates(one, design, strata, plan) for one in cases)
        difference = a - b
        error = float(np.sqrt(plan.variance(first - second, difference, design.centre)))
    freedom = max(freedom_of(design, strata, apart, drawn), 1.0)
    if design.interval == "auto" and measure.form != "quantile":
        carried = (
            Carried.in_replicates(plan, strata, first - second, difference, design.knows_strata)
            if apart is None
            else Carried.in_strata(strata, apart, design.knows_strata)
        )
        freedom = float(carried.degrees(freedom)[0])
    # Replicates that do not vary test nothing, whatever the difference.
    limits = (-1.0, 1.0) if measure.in_points else None
    return Tested(
        difference=difference,
        curve=Student(difference, error, freedom, limits, len(strata.names)),
        standard_error=error,
        method=joined(design.as_method, student_method(freedom)),
    )


def student_method(freedom: float) -> Method:
    """Student's test of a difference over replicates."""
    return Method(
        "student",
        f"Student's t with {digits(freedom, 4)} {'degree' if freedom == 1 else 'degrees'} of freedom",
        "Student's t on the standard error of the paired difference over the same replicates",
        ("micheals2001",),
    )
