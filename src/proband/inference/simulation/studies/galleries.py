"""Other galleries and other training sets."""

from __future__ import annotations

from proband.designs import Galleries, TrainingSets
from proband.errors import DesignError
from proband.inference.galleries.effect import ImageColumns, gallery_effect
from proband.inference.galleries.feret_study import feret_study
from proband.inference.galleries.variation import gallery_variation
from proband.inference.simulation.asking import Answered, Asking, Estimating, of_a_test
from proband.inference.simulation.other_worlds import NothingApart
from proband.inference.simulation.score_worlds import (
    ChoicesWorld,
    GalleriesWorld,
    TrainingsWorld,
    TwoInGalleries,
)
from proband.inference.simulation.studies.trials import NEW_PEOPLE, RATE, CoverageStudy, Trial
from proband.inference.simulation.worlds import DataSet
from proband.words import Method, Target

OTHER_GALLERIES = Target("other-galleries", "new people and other galleries")
OTHER_TRAININGS = Target("other-trainings", "other training sets; these people and images")


def _varied(one: DataSet, level: float, seed: int) -> Answered:
    """The mean over galleries."""
    found = gallery_variation(
        one.data,
        one.within,
        measure=RATE,
        design=Galleries(4),
        confidence_level=level,
        seed=seed,
        check_orientation=False,
    )
    mean = found.rows[0].mean
    if not mean.has_interval:
        raise DesignError("There is no interval here.")
    return Answered(mean.value, mean.low, mean.high, found.design, found.notes)


def _differ(one: DataSet, level: float, seed: int) -> Answered:
    """Whether galleries of people at random differ."""
    found = gallery_variation(
        one.data,
        one.within,
        measure=RATE,
        design=Galleries(4),
        confidence_level=level,
        seed=seed,
        check_orientation=False,
    )
    test = found.rows[0].test
    if test is None or test.p_value is None:
        raise DesignError("Nothing is tested here.")
    return of_a_test(test.p_value, Method("heterogeneity", "galleries differ"))


def _matters(one: DataSet, level: float, seed: int) -> Answered:
    """Whether it matters which of the images, all alike, is the gallery."""
    columns = ImageColumns.of(one.within.samples, [one.data], 3)
    test = gallery_effect(one.data, columns=columns, confidence_level=level, seed=seed).test
    return of_a_test(float(test), test.method)


def _consistent(one: DataSet, level: float, seed: int) -> Answered:
    """Whether one of two algorithms is consistently ahead over galleries."""
    found = feret_study(
        one.data,
        one.within,
        galleries=Galleries(3),
        confidence_level=level,
        seed=seed,
        check_orientation=False,
    )
    mean = found.consistency[0].pairs[0].mean
    assert mean.p_adjusted is not None  # it is tested
    return of_a_test(mean.p_adjusted, mean.method)


def _smaller(one: DataSet, level: float, seed: int) -> Answered:
    """The rate in galleries of a quarter of the people."""
    size = len(one.within.gallery) // 4
    found = feret_study(
        one.data, one.within, sizes=(size,), confidence_level=level, seed=seed, check_orientation=False
    ).sizes[0]
    place = found.sizes.index(size)
    return Answered(
        found.rates[place], found.low[place], found.high[place], Method("by-size", "rate by size")
    )


STUDIES = (
    CoverageStudy(
        "other-galleries",
        OTHER_GALLERIES,
        (
            Trial("40 people in 4 galleries", GalleriesWorld(40, 4), Estimating(RATE, Galleries(4))),
            Trial(
                "120 people in 6 galleries, hubs",
                GalleriesWorld(120, 6, 2, hubs=3.0),
                Estimating(RATE, Galleries(6)),
            ),
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "training-sets",
        OTHER_TRAININGS,
        (
            Trial("40 people, 5 training sets", TrainingsWorld(40, 5), Estimating(RATE, TrainingSets())),
            Trial("40 people, 10 training sets", TrainingsWorld(40, 10), Estimating(RATE, TrainingSets())),
        ),
        ("estimate", "Estimate"),
    ),
    CoverageStudy(
        "galleries-averaged",
        OTHER_GALLERIES,
        (
            Trial("40 people in 4 galleries", GalleriesWorld(40, 4), Asking("rank-1", _varied)),
            Trial(
                "80 people in 4 galleries, hubs", GalleriesWorld(80, 4, hubs=3.0), Asking("rank-1", _varied)
            ),
        ),
        ("gallery_variation", "Spread"),
    ),
    CoverageStudy(
        "galleries-alike",
        OTHER_GALLERIES,
        (
            Trial(
                "80 people in 4 galleries at random",
                NothingApart(GalleriesWorld(80, 4, hubs=0.0)),
                Asking("galleries-differ", _differ),
            ),
        ),
        ("gallery_variation",),
    ),
    CoverageStudy(
        "images-alike",
        NEW_PEOPLE,
        (
            Trial(
                "40 people × 3 images",
                NothingApart(ChoicesWorld(40, 3)),
                Asking("gallery-effect", _matters),
                dear=2,
            ),
        ),
        ("gallery_effect", "GalleryEffect", "strat_study", "StratStudy"),
    ),
    CoverageStudy(
        "consistency",
        NEW_PEOPLE,
        (
            Trial(
                "60 people in 3 galleries, no difference",
                TwoInGalleries(GalleriesWorld(60, 3)),
                Asking("consistently-ahead", _consistent),
                dear=8,
            ),
        ),
        ("feret_study",),
    ),
    CoverageStudy(
        "smaller-galleries",
        OTHER_GALLERIES,
        (
            Trial(
                "40 people, galleries of 10",
                GalleriesWorld(40, 4, hubs=0.0),
                Asking("rank-1-by-size", _smaller),
                dear=8,
            ),
        ),
        ("feret_study", "SizeCurve"),
    ),
)
