"""Another choice among these images of these people."""

from __future__ import annotations

from proband.designs import ImageChoice
from proband.inference.comparisons.compare import compare
from proband.inference.image_choice.virtual_experiments import permute
from proband.inference.simulation.asking import Answered, Asking, Comparing, Estimating
from proband.inference.simulation.score_worlds import ChoicesWorld, TwoOverChoices
from proband.inference.simulation.studies.trials import NEW_PEOPLE, RATE, Bars, CoverageStudy, Trial
from proband.inference.simulation.worlds import DataSet
from proband.words import Method, Target

OTHER_CHOICES = Target("other-choices", "other choices among the images of these people")


def _permuted(one: DataSet, level: float, seed: int) -> Answered:
    """The percentile interval over choices."""
    found = permute(one.data, one.within, design=ImageChoice(n_resamples=1_000), seed=seed, differences=False)
    band = found.at_level(level).rates()["net"].band
    value, low, high = (float(values[0]) for values in (band.values, band.low, band.high))
    return Answered(value, low, high, _PERMUTED, found.notes)


def _over_choices(one: DataSet, level: float, seed: int) -> Answered:
    (pair,) = compare(
        one.data, one.within, measure=RATE, design=_CHOICE, confidence_level=level, seed=seed
    ).pairs
    assert pair.choices_low is not None  # choices vary
    assert pair.choices_high is not None
    return Answered(pair.value, pair.choices_low, pair.choices_high, pair.method)


_CHOICE = ImageChoice()
_PERMUTED = Method("permuted", "percentiles over choices")

STUDIES = (
    CoverageStudy(
        "choices-of-images",
        OTHER_CHOICES,
        (
            Trial("40 people × 3 images", ChoicesWorld(40, 3), Estimating(RATE, ImageChoice())),
            Trial("80 people × 4 images", ChoicesWorld(80, 4), Estimating(RATE, ImageChoice())),
        ),
        ("estimate", "exact_over_choices", "Estimate"),
    ),
    CoverageStudy(
        "permuted-choices",
        OTHER_CHOICES,
        (Trial("40 people × 3 images", ChoicesWorld(40, 3), Asking("rank-1", _permuted), dear=4),),
        ("permute",),
    ),
    CoverageStudy(
        "difference-over-choices",
        NEW_PEOPLE,
        (
            Trial(
                "40 people × 3 images, no difference",
                TwoOverChoices(ChoicesWorld(40, 3)),
                Comparing(RATE, _CHOICE),
                Bars(coverage=0.92),
            ),
            Trial(
                "80 people × 4 images, no difference",
                TwoOverChoices(ChoicesWorld(80, 4)),
                Comparing(RATE, _CHOICE),
                Bars(coverage=0.92),
                dear=4,
            ),
        ),
        ("compare", "Difference"),
    ),
    CoverageStudy(
        "difference-of-a-choice",
        OTHER_CHOICES,
        (
            Trial(
                "40 people × 3 images",
                TwoOverChoices(ChoicesWorld(40, 3), of_choice=True),
                Asking("difference-of-a-choice", _over_choices),
            ),
        ),
        ("compare", "permute", "Difference"),
    ),
)
