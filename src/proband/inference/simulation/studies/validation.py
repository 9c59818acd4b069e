"""Accuracies under cross-validation: of the fitted models, and of the method; of one classifier and of two."""

from __future__ import annotations

from proband.inference.cross_validation.comparison import compare_folds, compare_pooled
from proband.inference.cross_validation.five_by_two import compare_five_by_two
from proband.inference.simulation.asking import Answered, Ask, Asking, Validating, compared, of_a_test
from proband.inference.simulation.other_worlds import SplitsWorld
from proband.inference.simulation.studies.trials import BARS, Bars, CoverageStudy, Trial
from proband.inference.simulation.worlds import DataSet
from proband.words import Method, Target, given

FITTED_MODELS = Target("fitted-models", "these fitted models, on new people")
METHODS = Target("the-method", "the method retrained on new people")


def _split(world: SplitsWorld, ask: Ask | None = None, bars: Bars = BARS) -> Trial:
    said = f"{world.people} × {world.images}, {world.repeats}×{world.folds}f CV+, nearest centroid{' and nearest neighbour' if world.neighbours else ''}, {' and '.join(map(given, world.apart))} apart"
    return Trial(said, world, ask or Validating(method=world.about == "method"), bars)


def _models(one: DataSet, level: float, seed: int) -> Answered:
    """Two fitted models, by one repeat of out-of-fold predictions."""
    correct = {name: folds.correct[0] for name, folds in zip("ab", one.data, strict=True)}
    first = one.data[0]
    trained = len(first.accuracies) // len(first.correct)
    found = compare_pooled(correct, first.people, disjoint=True, confidence_level=level, n_models=trained)
    return compared(found.pairs, found.notes)


def _methods(one: DataSet, level: float, seed: int) -> Answered:
    """Two methods, by the corrected resampled t."""
    first = one.data[0]
    accuracies = {name: folds.accuracies for name, folds in zip("ab", one.data, strict=True)}
    stable = dict.fromkeys("ab", True)
    found = compare_folds(
        accuracies, first.n_train, first.n_test, disjoint=True, confidence_level=level, stable=stable
    )
    return compared(found.pairs, found.notes)


def _halves(one: DataSet, level: float, seed: int) -> Answered:
    """Two methods, by five repeats of two folds."""
    accuracies = {name: folds.accuracies.reshape(5, 2) for name, folds in zip("ab", one.data, strict=True)}
    found = compare_five_by_two(accuracies, disjoint=True)
    p = found.pairs[0].p_value
    return of_a_test(1.0 if p is None else p, Method("five-by-two", "5×2cv"), found.notes)


_ALIKE, _UNLIKE = (2.5, 2.5), (3.2, 2.0)
_MODELS, _METHODS = Asking("accuracy-of-models", _models), Asking("accuracy-of-method", _methods)

STUDIES = (
    CoverageStudy(
        "fitted-models",
        FITTED_MODELS,
        (
            _split(SplitsWorld(40, 3)),
            _split(SplitsWorld(100, 3)),
            _split(SplitsWorld(60, 1, repeats=5, apart=(3.5,))),
        ),
        ("protocols.run_protocol",),
    ),
    CoverageStudy(
        "methods-trained-anew",
        METHODS,
        (
            _split(SplitsWorld(40, 3, repeats=5, about="method")),
            _split(SplitsWorld(100, 3, repeats=5, about="method")),
            _split(SplitsWorld(60, 1, folds=10, about="method")),
        ),
        ("protocols.run_protocol",),
    ),
    CoverageStudy(
        "difference-of-fitted-models",
        FITTED_MODELS,
        (
            _split(SplitsWorld(60, 3, apart=_ALIKE), _MODELS),
            _split(SplitsWorld(60, 3, apart=_UNLIKE), _MODELS, Bars(power=0.7)),
            _split(SplitsWorld(40, 3, apart=_ALIKE, neighbours=True), _MODELS),
            _split(SplitsWorld(100, 3, apart=_ALIKE, neighbours=True), _MODELS),
        ),
        ("protocols.run_protocol", "AccuracyComparison"),
    ),
    CoverageStudy(
        "difference-of-methods",
        METHODS,
        (
            _split(SplitsWorld(60, 3, repeats=5, apart=_ALIKE, about="method"), _METHODS),
            _split(SplitsWorld(60, 3, repeats=5, apart=_UNLIKE, about="method"), _METHODS),
            _split(
                SplitsWorld(60, 3, folds=2, repeats=5, apart=_ALIKE, about="method"),
                Asking("five-by-two", _halves),
            ),
        ),
        ("protocols.run_protocol", "AccuracyComparison"),
    ),
)
