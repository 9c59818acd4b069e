"""What `verify` prints: rates at a threshold, FNMR at a rate, groups of people, and whether errors are a few people's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from proband.errors import DesignError
from proband.inference.simulation.asking import Answered, of_a_test
from proband.inference.simulation.other_worlds import AtThreshold, NothingApart
from proband.inference.simulation.studies.pairs import NEW_PEOPLE_PAIRS
from proband.inference.simulation.studies.trials import Bars, Study, Trial, pairs_of, zipf
from proband.inference.simulation.worlds import DataSet, PairKind
from proband.inference.verification.groups import hard_subjects_of
from proband.inference.verification.verification import verify
from proband.measures.pair_measures import FNMR
from proband.words import Method, given

Part = Literal["fmr", "fnmr", "fnmr-at-fmr", "groups", "goats", "lambs"]
_METHOD = Method("verify", "over people")


@dataclass(frozen=True)
class _Verifying:
    """One of the numbers that `verify` gives, at a threshold or at a false match rate."""

    measure: Part
    fmr: float = 0.01

    def __call__(self, one: DataSet, confidence_level: float, seed: int) -> Answered:
        samples, at = one.within
        by = ("group",) if self.measure == "groups" else ()
        asked = {"fmr": self.fmr} if self.measure == "fnmr-at-fmr" else {"fmr": (), "thresholds": (at,)}
        found = verify(one.data, samples, confidence_level=confidence_level, seed=seed, by=by, **asked)
        (point,) = found.points
        if self.measure == "groups":
            pair = next(each for each in found.groups[0].differences if each.rate == "fnmr")
            return Answered(pair.difference, pair.low, pair.high, _METHOD, found.notes, pair.p_value)
        if self.measure in ("goats", "lambs"):
            hard = hard_subjects_of(one.data, samples, point.point, seed=seed)
            p = hard.goats_p if self.measure == "goats" else hard.lambs_p
            if p is None:
                raise DesignError("Nothing is tested here.")
            return of_a_test(p, hard.goats_test if self.measure == "goats" else hard.lambs_test)
        if self.measure == "fnmr-at-fmr":
            ends = point.fnmr_at_fmr
            if ends is None:
                raise DesignError("There are no replicates here.")
            return Answered(point.point.fnmr, ends.low, ends.high, _METHOD, found.notes)
        rate = point.fmr if self.measure == "fmr" else point.fnmr
        return Answered(rate.rate, rate.low, rate.high, _METHOD, found.notes)


def _verified(
    part: Part,
    people: int,
    images: int | tuple[int, ...],
    fmr: float,
    value: float,
    kind: PairKind = "normal",
    *,
    icc: float = 0.2,
    worse: float = 0.0,
    alike: float = 0.0,
) -> Trial:
    said, pairs = pairs_of(people, images, FNMR(fmr), value, icc, kind)
    said = said.replace("value", f"FMR {given(fmr)}, FNMR")
    if part == "groups":
        said += ", the second group worse" if worse else ", groups alike"
    world = AtThreshold(
        pairs, "fmr" if part == "fmr" else "groups" if part == "groups" else "fnmr", worse, alike
    )
    if part in ("goats", "lambs"):
        return Trial(f"{said}, people alike", NothingApart(world), _Verifying(part, fmr), dear=2)
    bars = Bars(coverage=0.92 if isinstance(images, int) else 0.9)
    return Trial(said, world, _Verifying(part, fmr), bars, dear=8 if part == "groups" else 1)


STUDIES = (
    Study(
        "rates-at-a-threshold",
        NEW_PEOPLE_PAIRS,
        (
            _verified("fnmr", 60, 3, 0.01, 0.1),
            _verified("fnmr", 60, (2, 3, 8), 0.01, 0.1, "skewed"),
            _verified("fmr", 60, 3, 0.01, 0.1),
            _verified("fmr", 60, 2, 0.001, 0.1),
            _verified("fmr", 50, zipf(50, 20), 0.01, 0.1, "skewed", icc=0.1),
        ),
        ("verify", "verify_pairs", "RateInterval", "VerificationPoint"),
    ),
    Study(
        "rates-at-a-false-match-rate",
        NEW_PEOPLE_PAIRS,
        (
            _verified("fnmr-at-fmr", 60, 3, 0.01, 0.1),
            _verified("fnmr-at-fmr", 100, 2, 0.001, 0.1),
            _verified("fnmr-at-fmr", 50, (2, 3, 8), 0.01, 0.1, "skewed"),
        ),
        ("verify", "verify_pairs", "Verification", "FnmrDifference", "PersonRate"),
    ),
    Study(
        "groups-of-people",
        NEW_PEOPLE_PAIRS,
        (
            _verified("groups", 60, 3, 0.01, 0.1),
            _verified("groups", 60, (2, 3, 8), 0.01, 0.1, "skewed"),
            _verified("groups", 80, 3, 0.01, 0.1, worse=0.6),
        ),
        ("verify", "GroupDifference"),
    ),
    Study(
        "hard-people",
        NEW_PEOPLE_PAIRS,
        (
            _verified("goats", 60, 4, 0.02, 0.1, icc=0.0, alike=0.2),
            _verified("lambs", 60, 3, 0.02, 0.1, icc=0.0, alike=0.2),
        ),
        ("HardSubjects",),
    ),
)
