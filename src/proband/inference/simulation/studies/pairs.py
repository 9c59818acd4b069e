"""People compared with each other: FNMR, AUC and EER of one algorithm and of two."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proband.designs import Bootstrap, Jackknife
from proband.inference.simulation.asking import Comparing, Estimating
from proband.inference.simulation.compared_worlds import SeveralOverPairs
from proband.inference.simulation.pair_worlds import OpposedOverPairs, PairKind, TwoOverPairs
from proband.inference.simulation.studies.trials import Bars, CoverageStudy, Trial, pairs_of, zipf
from proband.measures import Measure
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.words import Target, given

NEW_PEOPLE_PAIRS = Target("new-people-compared", "new people compared with each other")
_UNEQUAL = (2, 3, 8)
_FEW_IMAGES = Target(
    "few-with-images",
    "one or two people have most of the genuine pairs; use the same number of images per person",
)
_MEASURES = ((AUC(), 0.98, 0.012), (FNMR(0.01), 0.1, 0.08), (EER(), 0.05, 0.03))


def _compared(
    subjects: int,
    images: int | tuple[int, ...],
    measure: Measure,
    value: float,
    icc: float = 0.2,
    kind: PairKind = "normal",
    design: Any = "auto",
    short: Target | None = None,
) -> Trial:
    """An interval of a measure of pairs."""
    said, world = pairs_of(subjects, images, measure, value, icc, kind)
    equal = isinstance(images, int)
    bars = Bars(coverage=0.92 if equal else 0.9, width=1.6)
    return Trial(said, world, Estimating(measure, design), bars, short, dear=1 if equal else 4)


def _two(
    subjects: int,
    images: int | tuple[int, ...],
    measure: Measure,
    value: float,
    apart: float = 0.0,
    kind: PairKind = "normal",
) -> Trial:
    """Two algorithms, the second worse by so much."""
    said, world = pairs_of(subjects, images, measure, value, 0.2, kind)
    said += f", {given(apart)} apart" if apart else ", no difference"
    bars = Bars(coverage=0.92, power=0.75)
    dear = 8 if isinstance(measure, EER) else 2
    return Trial(said, TwoOverPairs(world, apart), Comparing(measure), bars, dear=dear)


def _several(
    subjects: int,
    images: int | tuple[int, ...],
    measure: Measure,
    value: float,
    algorithms: int,
    kind: PairKind = "normal",
) -> Trial:
    """Algorithms that are all as good, of which all differences are to be held at once."""
    said, pairs = pairs_of(subjects, images, measure, value, 0.2, kind)
    world = SeveralOverPairs(pairs, algorithms)
    return Trial(f"{said}, {algorithms} algorithms", world, Comparing(measure), Bars(coverage=0.92), dear=4)


def _opposed(subjects: int, images: int, measure: Measure, value: float, one_in: int) -> Trial:
    """Two algorithms of equal value, the first much worse for a few."""
    said, world = pairs_of(subjects, images, measure, value, 0.1)
    said += f", the first a little better for most, the second much for one in {one_in}"
    return Trial(
        said, OpposedOverPairs(world, 1 / one_in, 2.5), Comparing(measure), Bars(coverage=0.92), dear=2
    )


def _cases(apart: float) -> tuple[tuple[int | tuple[int, ...], PairKind, float], ...]:
    return (3, "normal", 0.0), (_UNEQUAL, "skewed", 0.0), (3, "normal", apart), (_UNEQUAL, "skewed", apart)


STUDIES = (
    CoverageStudy(
        "pairs-of-people",
        NEW_PEOPLE_PAIRS,
        (
            _compared(40, 3, AUC(), 0.95),
            _compared(60, 3, AUC(), 0.995),
            _compared(60, 3, AUC(), 0.98, 0.2, "classes"),
            _compared(40, _UNEQUAL, AUC(), 0.98, 0.2, "skewed"),
            _compared(60, zipf(60, 12), AUC(), 0.98, short=_FEW_IMAGES),
            _compared(60, 3, FNMR(0.01), 0.1),
            _compared(60, 3, FNMR(0.01), 0.02),
            _compared(40, _UNEQUAL, FNMR(0.01), 0.1, 0.2, "skewed"),
            _compared(100, 3, FNMR(0.001), 0.1),
            _compared(60, 3, EER(), 0.05),
            _compared(40, _UNEQUAL, EER(), 0.1, 0.2, "skewed"),
            *(
                _compared(60, 3, measure, value, design=design)
                for measure, value in ((AUC(), 0.95), (FNMR(0.01), 0.1), (EER(), 0.1))
                for design in (Bootstrap("subject", n_resamples=1_000), Jackknife(kind="JK1"))
                if measure.form == "area" or isinstance(design, Bootstrap)
            ),
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "difference-over-pairs",
        NEW_PEOPLE_PAIRS,
        (
            *(
                _two(60 if images == 3 else 40, images, measure, value, margin, kind)
                for measure, value, apart in _MEASURES
                for images, kind, margin in _cases(apart)
            ),
            replace(
                _two(60, 3, AUC(), 0.98), ask=Comparing(AUC(), Bootstrap("subject", n_resamples=500)), dear=2
            ),
            _opposed(100, 4, FNMR(0.01), 0.1, 20),
            _opposed(100, 4, AUC(), 0.98, 20),
            _opposed(40, 5, FNMR(0.01), 0.1, 16),
        ),
        ("compare", "Difference"),
    ),
    CoverageStudy(
        "families-over-pairs",
        NEW_PEOPLE_PAIRS,
        (
            _several(40, 3, AUC(), 0.95, 6),
            _several(40, _UNEQUAL, FNMR(0.01), 0.1, 6, "skewed"),
            _several(40, zipf(40, 12), AUC(), 0.95, 6),
            _several(40, 3, FNMR(0.01), 0.1, 15),
        ),
        ("compare", "Comparison", "Difference"),
    ),
)
