"""What makes a probe fail: standardised differences and tests of terms, and parts of difficulty."""

from __future__ import annotations

from proband.inference.covariates.difficulty import partition
from proband.inference.covariates.outcomes import explain_outcomes
from proband.inference.simulation.asking import Answered, Asking, of_a_test
from proband.inference.simulation.score_worlds import PartsWorld
from proband.inference.simulation.studies.trials import Bars, CoverageStudy, Trial
from proband.inference.simulation.table_worlds import CovariatesWorld
from proband.inference.simulation.worlds import DataSet
from proband.words import Method, Target, given

NEW_PEOPLE_TRIALS = Target("new-people-trials", "new people with all their trials")


def _explained(one: DataSet, level: float, seed: int) -> Answered:
    """The standardised difference of the covariate."""
    found = explain_outcomes(
        one.data, success="success", on="worn + number", cluster="person", confidence_level=level
    )
    (pair,) = (pair for pair in found.differences if pair.who.column == "worn")
    return Answered(pair.value, pair.low, pair.high, found.design, found.notes, pair.p_value)


def _term(one: DataSet, level: float, seed: int) -> Answered:
    """The test of the covariate as a term."""
    found = explain_outcomes(
        one.data, success="success", on="worn + number", cluster="person", confidence_level=level
    )
    (term,) = (test for test in found.tests if test.who.column == "worn")
    return of_a_test(1.0 if term.p_value is None else term.p_value, Method("term-test", "test of a term"))


def _parted(one: DataSet, level: float, seed: int) -> Answered:
    """The rate of the first algorithm in the last part, as made by the others."""
    found = partition(one.data, one.within, confidence_level=level)
    last = next(rate for rate in found.rates if rate.who.group == found.parts[-1])
    return Answered(last.value, last.low, last.high, Method("partition", "parts of difficulty"), found.notes)


STUDIES = (
    CoverageStudy(
        "covariates",
        NEW_PEOPLE_TRIALS,
        tuple(
            Trial(
                f"{people} × 1 to 12, {'a quarter of the people have it' if between else 'of the trial'}"
                + (f", log odds {given(effect)}" if effect else ", no effect"),
                CovariatesWorld(people, between, effect),
                Asking("difference", _explained),
                Bars(coverage=0.915, power=0.6),
            )
            for between in (False, True)
            for people, effect in ((40, 0.0), (100, 0.0), (100, -0.8))
        ),
        ("covariates", "explain_outcomes"),
    ),
    CoverageStudy(
        "terms",
        NEW_PEOPLE_TRIALS,
        tuple(
            Trial(
                f"{people} × 1 to 12, {'a quarter of the people have it' if between else 'of the trial'}, no effect",
                CovariatesWorld(people, between),
                Asking("term", _term),
                Bars(level=0.07),
            )
            for people, between in ((40, False), (40, True))
        ),
        ("covariates", "explain_outcomes"),
    ),
    CoverageStudy(
        "parts",
        NEW_PEOPLE_TRIALS,
        tuple(
            Trial(
                f"{people} people × {probes}",
                PartsWorld(people, probes),
                Asking("rate-of-a-part", _parted),
                dear=2,
            )
            for people, probes in ((60, 2), (120, 3))
        ),
        ("partition",),
    ),
)
