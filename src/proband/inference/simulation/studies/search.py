"""Searches for people who are enrolled and for strangers."""

from __future__ import annotations

from proband.inference.simulation.asking import Searching
from proband.inference.simulation.other_worlds import StrangersWorld
from proband.inference.simulation.studies.trials import Study, Trial
from proband.inference.simulation.worlds import PairKind
from proband.words import Target, given

NEW_SEARCHED = Target("new-people-searched", "new people searched for in this gallery")


def _strangers(mated: int, strangers: int, each: int, fpir: float, fnir: float, kind: PairKind) -> Trial:
    said = f"{mated} enrolled and {strangers} strangers × {each}, FNIR {given(fnir)}, icc 0.2, {kind}"
    return Trial(said, StrangersWorld(mated, strangers, each, fpir, fnir, 0.2, kind), Searching(fpir))


STUDIES = (
    Study(
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
