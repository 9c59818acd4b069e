"""What `verify` prints: rates at a threshold, FNMR at a rate, groups of people, and whether errors are a few people's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from proband.errors import DesignError
from proband.inference.estimates.estimate import estimate
from proband.inference.simulation.asking import Answered, Asking, of_a_test
from proband.inference.simulation.compared_worlds import DecidedBeside
from proband.inference.simulation.other_worlds import AtThreshold, NamedPairs, NothingApart
from proband.inference.simulation.pair_worlds import PairKind, TwoOverPairs
from proband.inference.simulation.populations import SimulatedPeople
from proband.inference.simulation.score_worlds import CentreWorld
from proband.inference.simulation.studies.pairs import NEW_PEOPLE_PAIRS
from proband.inference.simulation.studies.trials import Bars, CoverageStudy, Trial, each, pairs_of, zipf
from proband.inference.simulation.worlds import DataSet
from proband.inference.verification.groups import hard_subjects_of
from proband.inference.verification.verification import verify
from proband.measures.pair_measures import AUC, FNMR
from proband.words import Method, Target, given

Part = Literal["fmr", "fnmr", "fnmr-at-fmr", "groups", "goats", "lambs"]
_METHOD = Method("verify", "over people")
_CENTRE = Target(
    "few-near-centre",
    "two or three people near the centre determine the threshold and may be missing from the data; hundreds "
    "of people or a larger FMR are needed",
)
_LAMBS = Target(
    "few-with-most-images",
    "one or two people whom many others resemble have most of the images; use the same number of images per "
    "person",
)


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
            pair = found.groups[0].fnmr_differences[0]
            return Answered(pair.value, pair.low, pair.high, _METHOD, found.notes, pair.p_adjusted)
        if self.measure in ("goats", "lambs"):
            hard = hard_subjects_of(one.data, samples, point.counts, seed=seed)
            p = hard.goats_p if self.measure == "goats" else hard.lambs_p
            if p is None:
                raise DesignError("Nothing is tested here.")
            return of_a_test(p, hard.goats_test if self.measure == "goats" else hard.lambs_test)
        if self.measure == "fnmr-at-fmr":
            ends = point.re_estimated
            if ends is None:
                raise DesignError("There are no replicates here.")
            return Answered(point.fnmr.value, ends.low, ends.high, _METHOD, found.notes)
        rate = point.fmr if self.measure == "fmr" else point.fnmr
        return Answered(rate.value, rate.low, rate.high, _METHOD, found.notes)


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
    short: Target | None = None,
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
    return Trial(said, world, _Verifying(part, fmr), bars, short, dear=8 if part == "groups" else 1)


def _centred(people: int, images: int | tuple[int, ...], fmr: float, short: Target | None = None) -> Trial:
    """FNMR at a false match rate of people drawn towards a common centre."""
    numbers = SimulatedPeople.of(people, images, rate=0.5, icc=0.0).numbers
    said = f"{people} × {each(images)} images, FMR {given(fmr)}, drawn towards a centre"
    return Trial(said, CentreWorld(numbers, fmr), _Verifying("fnmr-at-fmr", fmr), Bars(coverage=0.92), short)


def _accepted(one: DataSet, level: float, seed: int) -> Answered:
    found = verify(list(one.data), one.within, fmr=(), thresholds=(0.5,), confidence_level=level)
    rate = found["first"].points[0].fmr
    return Answered(rate.value, rate.low, rate.high, _METHOD, found["first"].notes)


def _decided(people: int, images: int | tuple[int, ...], fmr: float, kind: PairKind, icc: float) -> Trial:
    """The false match rate of decisions, which borrows from the scores of another algorithm how alike comparisons are."""
    said, pairs = pairs_of(people, images, FNMR(fmr), 0.1, icc, kind)
    said = said.replace("value 0.1", f"FMR {given(fmr)}") + ", decisions beside scores"
    return Trial(said, DecidedBeside(TwoOverPairs(pairs)), Asking("fmr-beside-another", _accepted))


def _of_names(one: DataSet, level: float, seed: int) -> Answered:
    found = verify(one.data, fmr=(), thresholds=(one.within,), confidence_level=level)
    rate = found.points[0].fnmr
    return Answered(rate.value, rate.low, rate.high, _METHOD, found.notes)


def _area_of_names(one: DataSet, level: float, seed: int) -> Answered:
    found = estimate(one.data, measure=AUC(), confidence_level=level)
    return Answered(found.value, found.low, found.high, found.method, found.notes)


def _named(
    people: int, images: int | tuple[int, ...], measure: FNMR | AUC, value: float, kind: PairKind = "normal",
    icc: float = 0.2,
) -> Trial:  # fmt: skip
    """A list that names images and nobody."""
    said, pairs = pairs_of(people, images, measure, value, icc, kind)
    ask = (
        Asking("fnmr-of-names", _of_names)
        if isinstance(measure, FNMR)
        else Asking("auc-of-names", _area_of_names)
    )
    return Trial(
        f"{said}, disjoint mated pairs, images named alone", NamedPairs(pairs), ask, Bars(coverage=0.92)
    )


STUDIES = (
    CoverageStudy(
        "rates-at-a-threshold",
        NEW_PEOPLE_PAIRS,
        (
            _verified("fnmr", 60, 3, 0.01, 0.1),
            _verified("fnmr", 60, (2, 3, 8), 0.01, 0.1, "skewed"),
            _verified("fmr", 60, 3, 0.01, 0.1),
            _verified("fmr", 60, 2, 0.001, 0.1),
            _verified("fmr", 50, zipf(50, 20), 0.01, 0.1, "skewed", icc=0.1, short=_LAMBS),
            _decided(60, 2, 1e-4, "normal", 0.2),
            _decided(60, 3, 3e-5, "skewed", 0.2),
            _decided(50, zipf(50, 20), 1e-4, "normal", 0.1),
        ),
        ("verify", "verify_pairs", "VerificationPoint"),
    ),
    CoverageStudy(
        "rates-at-a-false-match-rate",
        NEW_PEOPLE_PAIRS,
        (
            _verified("fnmr-at-fmr", 60, 3, 0.01, 0.1),
            _verified("fnmr-at-fmr", 100, 2, 0.001, 0.1),
            _verified("fnmr-at-fmr", 50, (2, 3, 8), 0.01, 0.1, "skewed"),
            _centred(100, 4, 0.001, _CENTRE),
            _centred(150, 4, 0.001, _CENTRE),
            _centred(150, zipf(150, 12), 0.001),
        ),
        ("verify", "verify_pairs", "Verification"),
    ),
    CoverageStudy(
        "images-named-alone",
        NEW_PEOPLE_PAIRS,
        (
            _named(60, 4, FNMR(0.01), 0.1),
            _named(60, 6, FNMR(0.01), 0.1, icc=0.5),
            _named(60, (2, 4, 12), FNMR(0.01), 0.1, "skewed"),
            _named(60, 4, AUC(), 0.95),
            _named(60, (2, 4, 12), AUC(), 0.95, "skewed"),
        ),
        ("verify", "verify_pairs"),
    ),
    CoverageStudy(
        "groups-of-people",
        NEW_PEOPLE_PAIRS,
        (
            _verified("groups", 60, 3, 0.01, 0.1),
            _verified("groups", 60, (2, 3, 8), 0.01, 0.1, "skewed"),
            _verified("groups", 80, 3, 0.01, 0.1, worse=0.6),
        ),
        ("verify",),
    ),
    CoverageStudy(
        "hard-people",
        NEW_PEOPLE_PAIRS,
        (
            _verified("goats", 60, 4, 0.02, 0.1, icc=0.0, alike=0.2),
            _verified("lambs", 60, 3, 0.02, 0.1, icc=0.0, alike=0.2),
        ),
        ("HardSubjects",),
    ),
)
