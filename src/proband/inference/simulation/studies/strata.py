"""New images of these people: within strata, replicates of rates and of measures of pairs."""

from __future__ import annotations

from proband.designs import BRR, Fay
from proband.inference.simulation.asking import Estimating
from proband.inference.simulation.score_worlds import QueriesWorld
from proband.inference.simulation.studies.trials import Study, Trial, searched
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.words import Target

NEW_IMAGES = Target("new-images", "new images of these people")

STUDIES = (
    Study(
        "new-images",
        NEW_IMAGES,
        (
            searched(50, 3, 0.8, 0.2, BRR(), images=True),
            searched(200, 3, 0.95, 0.3, BRR(), images=True),
            searched(50, (2, 4, 12), 0.8, 0.2, BRR(), images=True),
            searched(100, 4, 0.8, 0.3, Fay(), images=True, kind="skewed"),
            searched(50, 3, 0.95, 0.3, BRR(interval="logit"), images=True),
        ),
        ("estimate", "Estimate"),
    ),
    Study(
        "images-of-pairs",
        NEW_IMAGES,
        tuple(
            Trial(
                f"{people} people × {queries} queries",
                QueriesWorld(people, queries, measure),
                Estimating(measure, BRR()),
            )
            for people, queries in ((30, 2), (60, 3))
            for measure in (AUC(), FNMR(0.01), EER())
        ),
        ("estimate", "Estimate"),
    ),
)
