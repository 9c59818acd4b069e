"""Another choice among these images of these people."""

from __future__ import annotations

from proband.designs import ImageChoice
from proband.inference.simulation.asking import Estimating
from proband.inference.simulation.score_worlds import ChoicesWorld
from proband.inference.simulation.studies.trials import RATE, Study, Trial
from proband.words import Target

OTHER_CHOICES = Target("other-choices", "another choice among these images of these people")

STUDIES = (
    Study(
        "choices-of-images",
        OTHER_CHOICES,
        (
            Trial("40 people × 3 images", ChoicesWorld(40, 3), Estimating(RATE, ImageChoice())),
            Trial("80 people × 4 images", ChoicesWorld(80, 4), Estimating(RATE, ImageChoice())),
        ),
        ("estimate", "Estimate"),
    ),
)
