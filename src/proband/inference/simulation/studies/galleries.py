"""Other galleries and other training sets."""

from __future__ import annotations

from proband.designs import Galleries, TrainingSets
from proband.inference.simulation.asking import Estimating
from proband.inference.simulation.score_worlds import GalleriesWorld, TrainingsWorld
from proband.inference.simulation.studies.trials import RATE, Study, Trial
from proband.words import Target

OTHER_GALLERIES = Target("other-galleries", "new people and other galleries")
OTHER_TRAININGS = Target("other-trainings", "other training sets; these people and images")

STUDIES = (
    Study(
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
    Study(
        "training-sets",
        OTHER_TRAININGS,
        (
            Trial("40 people, 5 training sets", TrainingsWorld(40, 5), Estimating(RATE, TrainingSets())),
            Trial("40 people, 10 training sets", TrainingsWorld(40, 10), Estimating(RATE, TrainingSets())),
        ),
        ("estimate", "Estimate"),
    ),
)
