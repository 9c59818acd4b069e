"""Probes or people drawn anew, or reweighted, while the gallery stays as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from proband.designs import Reweighting
from proband.errors import DesignError, Hint, UsageError
from proband.inference.estimates.case import Case, IntervalFound, estimates_of, people_in
from proband.inference.estimates.replicates import bootstrap_interval, replicate
from proband.inference.estimates.weighting import (
    PeopleSums,
    RatesOfPeople,
    about_supposed,
    rates_of_people,
)
from proband.inference.procedures import Question
from proband.inference.proportions import Interval
from proband.measures import Outcomes
from proband.measures.tallies import Floats, Tally
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import GALLERY, OTHER_PEOPLE, OTHER_PROBES, PEOPLE_ALIKE, PROBES_ALIKE
from proband.words import Note, Sentence, Target

_NO_WIDTH = Sentence(
    "bootstrap.no-width",
    "caution",
    "at least {level:level} of the replicates give the same {measure}, so the interval has no width; this "
    "does not mean that the value is known exactly",
)
_NO_EVENT = Sentence(
    "bootstrap.no-event",
    "note",
    "replicates do not vary: the interval is the Wilson interval of {n:whole} independent probes that all "
    "succeed or all fail",
)
_BINOMIAL_COUNT = Sentence(
    "bootstrap.binomial-count",
    "note",
    "probes are resampled individually, so with c of n successes the count in a replicate is exactly "
    "Binomial(n, c/n), and is drawn as such",
)
_PROBES_INDEPENDENT = Sentence(
    "bootstrap.probes-independent",
    "caution",
    "{n:count probe} from {people:count person/people} {n:word is/are} resampled individually, as if the "
    "probes of one person were independent: for new people the interval may be too narrow; the design "
    "bootstrap resamples people",
)


def resampled(question: Question) -> tuple[Estimate, ...]:
    """Estimate any measure from replicates of units.

    Probes or people vary, as the design says; algorithm and gallery stay (Efron 1979; Davison & Hinkley 1997).
    """
    return estimates_of(question, replicate_interval)


def replicate_interval(
    design: Reweighting, case: Case, drawn: tuple[Tally, Floats] | None = None
) -> IntervalFound:
    """Give a measure an interval from its tally and replicates, which are made unless they are there already."""
    if case.population is not None:
        raise UsageError("A finite population is supported with closed forms, not with a bootstrap.")
    if drawn is None:
        counted = case.measure.tally(case.outcomes, units_of(case.outcomes, design))
        drawn = counted, replicate(case.measure, case.outcomes, counted, design, case.seed)
    counted, made = drawn
    value = float(counted.value())
    interval = bootstrap_interval(
        counted, value, made, design.interval, case.confidence_level, _limits(case, counted)
    )
    notes = about_probes(design, case)
    rates = None
    if not interval.has_width:
        interval, said, rates = _without_width(design, case, interval)
        notes = (*said, *notes)
    error = float(made.std(ddof=1)) if np.isfinite(made).all() else None
    answers = resampling_answers(case.measure.estimand, design)
    return IntervalFound(value, *interval, error, answers, replicates=made, notes=notes, over_people=rates)


def about_probes(design: Reweighting, case: Case) -> tuple[Note, ...]:
    """What is to be said where single probes are drawn: what a rate's replicates are, and what is wrong with that for several of a person."""
    if not design.over_probes:
        return ()
    whole = case.is_share and not case.outcomes.fractional and case.measure.weights == "probe"
    counted = (_BINOMIAL_COUNT(),) if whole and design.with_replacement else ()
    sizes = {"n": len(case.outcomes), "people": people_in(case.outcomes)}
    return (*counted, *((_PROBES_INDEPENDENT(**sizes),) if case.several else ()))


def _limits(case: Case, counted: Tally) -> tuple[float, float]:
    """What a measure cannot pass: a rate 0 and 1, a median the ranks there are."""
    if case.is_share:
        return 0.0, 1.0
    return (-np.inf, np.inf) if counted.distinct is None else (counted.distinct[0], counted.distinct[-1])


def _without_width(
    design: Reweighting, case: Case, interval: Interval
) -> tuple[Interval, tuple[Note, ...], RatesOfPeople | None]:
    """What is given where replicates are alike, that it is so, and for a rate over people what the interval rests on."""
    if not case.is_share:
        said = _NO_WIDTH(measure=case.measure.estimand, level=case.confidence_level)
        return interval, (said,), None
    units = units_of(case.outcomes, design)
    sums = PeopleSums.of(case.measure.success(case.outcomes), units)
    rates = rates_of_people(sums, case.measure.weights, supposed=case.supposed)
    low, high = rates.ends(case.confidence_level)
    ends = Interval(float(low), float(high))
    no_event = _NO_EVENT(n=float(rates.effective_n))
    if design.over_probes:
        return ends, (no_event,), None
    return ends, (no_event, *about_supposed(sums, rates, case.supposed, case.confidence_level)), rates


def resampling_answers(of: Target, design: Reweighting) -> Answers:
    """Say what a bootstrap varies and holds fixed."""
    if design.over_probes:
        return Answers(of, OTHER_PROBES, GALLERY, PROBES_ALIKE)
    return Answers(of, OTHER_PEOPLE, GALLERY, PEOPLE_ALIKE)


def units_of(outcomes: Outcomes, design: Reweighting) -> npt.NDArray[np.intp]:
    """Number the units that a bootstrap draws: the person of each probe, or each probe by itself."""
    if design.over_probes:
        return np.arange(len(outcomes))
    codes = np.unique(outcomes.subjects, return_inverse=True)[1]
    if codes.max() == 0:
        raise DesignError(
            "All probes are from one person, so nothing can be concluded about other people.",
            Hint("resample probes instead: {option:design=bootstrap-probe}"),
        )
    return codes.astype(np.intp)
