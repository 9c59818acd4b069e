"""Thresholds that keep a false match rate for new people, and searches for strangers at one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from proband.errors import DesignError
from proband.inference.simulation.asking import Answered, Searching
from proband.inference.simulation.other_worlds import StrangersWorld, ThresholdWorld
from proband.inference.simulation.pair_worlds import PairKind
from proband.inference.simulation.populations import SimulatedPeople
from proband.inference.simulation.score_worlds import CentreWorld
from proband.inference.simulation.studies.trials import Bars, CoverageStudy, Trial, each, pairs_of, zipf
from proband.inference.simulation.worlds import DataSet
from proband.inference.verification.thresholds.deployed import threshold
from proband.measures.pair_measures import FNMR
from proband.words import Method, Target, given

KEPT_FOR_NEW_PEOPLE = Target("rate-kept", "the false match rate of new people, bounded by the threshold")
_LAMBS = Target(
    "lambs",
    "one or two people whom many others resemble account for the variance and may be missing from the data; "
    "hundreds of people are needed",
)
_METHOD = Method("threshold", "threshold with confidence")
NEW_SEARCHED = Target("new-people-searched", "new people searched for in this gallery")


@dataclass(frozen=True)
class _Deploying:
    """The threshold for a false match rate, as a bound that is to lie above the one that has the rate."""

    fmr: float
    measure: ClassVar[str] = "threshold"

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        found = threshold(one.data, one.within, fmr=self.fmr, confidence_level=confidence_level)
        at = None if found.sure is None else found.sure.threshold
        if at is None:
            raise DesignError("No threshold has this confidence.")
        return Answered(at, -np.inf, at, _METHOD, found.notes)


def _kept(
    people: int,
    images: int | tuple[int, ...],
    fmr: float,
    icc: float,
    kind: PairKind,
    short: Target | None = None,
) -> Trial:
    said, world = pairs_of(people, images, FNMR(fmr), 0.1, icc, kind)
    said = said.replace("value 0.1", f"FMR {given(fmr)}")
    return Trial(said, ThresholdWorld(world), _Deploying(fmr), Bars(coverage=0.93), short)


def _centred(people: int, images: int | tuple[int, ...], fmr: float, short: Target | None = None) -> Trial:
    """People drawn towards a common centre."""
    numbers = SimulatedPeople.of(people, images, rate=0.5, icc=0.0).numbers
    said = f"{people} × {each(images)} images, FMR {given(fmr)}, drawn towards a centre"
    world = CentreWorld(numbers, fmr, of_threshold=True)
    return Trial(said, world, _Deploying(fmr), Bars(coverage=0.93), short)


def _strangers(mated: int, strangers: int, each: int, fpir: float, fnir: float, kind: PairKind) -> Trial:
    said = f"{mated} enrolled and {strangers} strangers × {each}, FNIR {given(fnir)}, icc 0.2, {kind}"
    return Trial(said, StrangersWorld(mated, strangers, each, fpir, fnir, 0.2, kind), Searching(fpir))


STUDIES = (
    CoverageStudy(
        "thresholds",
        KEPT_FOR_NEW_PEOPLE,
        (
            _kept(60, 2, 0.02, 0.2, "normal"),
            _kept(50, 2, 0.01, 0.2, "skewed", _LAMBS),
            _kept(50, 4, 0.01, 0.2, "skewed", _LAMBS),
            _kept(100, 2, 0.01, 0.2, "classes"),
            _kept(50, zipf(50, 20), 0.01, 0.1, "skewed"),
            _centred(50, 2, 0.01),
            _centred(150, 4, 0.01),
            _centred(150, zipf(150, 12), 0.01),
            _centred(150, 4, 0.001),
        ),
        ("threshold",),
    ),
    CoverageStudy(
        "searches-for-strangers",
        NEW_SEARCHED,
        (
            _strangers(40, 40, 3, 0.1, 0.2, "normal"),
            _strangers(100, 100, 3, 0.05, 0.05, "normal"),
            _strangers(100, 100, 3, 0.05, 0.1, "skewed"),
            _strangers(100, 100, 3, 0.05, 0.1, "classes"),
        ),
        ("search",),
    ),
)
