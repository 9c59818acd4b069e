"""Accuracies under cross-validation: of the fitted models, and of the method."""

from __future__ import annotations

from proband.inference.simulation.asking import Validating
from proband.inference.simulation.other_worlds import SplitsWorld
from proband.inference.simulation.studies.trials import Study, Trial
from proband.words import Target, given

FITTED_MODELS = Target("fitted-models", "these fitted models, on new people")
METHODS = Target("the-method", "the method, retrained on other people")


def _split(world: SplitsWorld) -> Trial:
    said = (
        f"{world.people} × {world.images}, {world.repeats}×{world.folds}f CV+, nearest centroid, "
        f"{given(world.apart)} apart"
    )
    return Trial(said, world, Validating(method=world.about == "method"))


STUDIES = (
    Study(
        "fitted-models",
        FITTED_MODELS,
        (
            _split(SplitsWorld(40, 3)),
            _split(SplitsWorld(100, 3)),
            _split(SplitsWorld(60, 1, repeats=5, apart=3.5)),
        ),
        ("AccuracyInterval", "protocols.run_protocol"),
    ),
    Study(
        "methods-trained-anew",
        METHODS,
        (
            _split(SplitsWorld(40, 3, repeats=5, about="method")),
            _split(SplitsWorld(100, 3, repeats=5, about="method")),
            _split(SplitsWorld(60, 1, folds=10, about="method")),
        ),
        ("AccuracyInterval", "protocols.run_protocol"),
    ),
)
