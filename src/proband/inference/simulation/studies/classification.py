"""Classifiers on samples of fixed classes, and systems on items."""

from __future__ import annotations

from proband.inference.classification.classify import classify
from proband.inference.outcomes.tables import compare_outcomes
from proband.inference.simulation.asking import Answered, Asking, compared
from proband.inference.simulation.populations import SimulatedPeople
from proband.inference.simulation.studies.trials import SOME, Bars, CoverageStudy, Trial, each
from proband.inference.simulation.table_worlds import ClassesWorld, ItemsWorld
from proband.inference.simulation.worlds import DataSet
from proband.words import Target, given

NEW_SAMPLES = Target("new-samples", "new samples of these classes, or new groups of them")
NEW_ITEMS = Target("new-items", "new items, or new clusters of them")
_EQUAL = (30,) * 10
_TAIL = tuple(max(3, 100 // place) for place in range(1, 11))
_ALIKE = (0.9,) * 10
_APART = tuple(0.7 + 0.029 * place for place in range(10))
_HIGH = (0.998,) * 10


def _rated(one: DataSet, level: float, seed: int, measure: str) -> Answered:
    classes, models, groups = one.data
    found = classify(classes, models, cluster=groups, confidence_level=level, seed=seed)
    (rate,) = (each for each in found.rates if each.measure == measure)
    return Answered(rate.value, rate.low, rate.high, rate.method, (*found.notes, *rate.notes))


def _micro(one: DataSet, level: float, seed: int) -> Answered:
    return _rated(one, level, seed, "top-1")


def _macro(one: DataSet, level: float, seed: int) -> Answered:
    return _rated(one, level, seed, "macro-top-1")


def _of_class(one: DataSet, level: float, seed: int) -> Answered:
    """The recall of the first class."""
    classes, models, groups = one.data
    found = classify(classes, models, cluster=groups, confidence_level=level, seed=seed)
    first = found.by_class[0]
    assert first.recall is not None  # it has samples
    return Answered(first.recall.value, first.recall.low, first.recall.high, found.rates[0].method)


def _models_compared(one: DataSet, level: float, seed: int) -> Answered:
    classes, models, groups = one.data
    average = one.within
    found = classify(classes, models, cluster=groups, average=average, confidence_level=level, seed=seed)
    assert found.comparison is not None  # of two models
    return compared(found.comparison.pairs, found.comparison.notes)


def _items_compared(one: DataSet, level: float, seed: int) -> Answered:
    systems = [name for name in one.data if name != "cluster"]
    found = compare_outcomes(
        one.data, algorithms=systems, cluster="cluster", confidence_level=level, seed=seed
    )
    return compared(found.pairs, found.notes)


def _classes(
    sizes: tuple[int, ...], recalls: tuple[tuple[float, ...], ...], groups: int | None, average: str
) -> tuple[str, ClassesWorld]:
    world = ClassesWorld(sizes, recalls, groups, "macro" if average == "macro" else "micro")
    dealt = "equal classes" if len(set(sizes)) == 1 else "long-tailed classes"
    said = f"{sum(sizes)} samples of 10 {dealt}{f' in {groups} groups' if groups else ''}, accuracy {given(round(world.accuracy, 3))}"
    apart = round(world.truth, 3)
    if len(recalls) > 1:
        said += f", {given(apart)} apart" if apart else ", no difference"
    return said, world


_OF_MODELS = {"micro": _micro, "macro": _macro}

STUDIES = (
    CoverageStudy(
        "accuracy",
        NEW_SAMPLES,
        tuple(
            Trial(said, world, Asking(f"{average}-accuracy", _OF_MODELS[average]), Bars(coverage=0.925))
            for average in ("micro", "macro")
            for sizes, recall, groups in (
                (_EQUAL, _ALIKE, None),
                (_TAIL, _APART, None),
                (_TAIL, _APART, 40),
                (_EQUAL, _HIGH, None),
                (_EQUAL, _HIGH, 30),
            )
            for said, world in (_classes(sizes, (recall,), groups, average),)
        ),
        ("classify", "protocols.compare_predictions"),
    ),
    CoverageStudy(
        "recall-of-a-class",
        NEW_SAMPLES,
        tuple(
            Trial(
                "30 samples of a class",
                ClassesWorld((30, 60), ((recall, 0.9),), of_class=True),
                Asking("recall", _of_class),
            )
            for recall in (0.8,)
        ),
        ("classify",),
    ),
    CoverageStudy(
        "difference-of-models",
        NEW_SAMPLES,
        tuple(
            Trial(
                said,
                world,
                Asking(f"{average}-accuracy", _models_compared),
                Bars(coverage=0.92, power=0.7),
                dear=2 if groups else 1,
            )
            for average in ("micro", "macro")
            for sizes, second, groups in (
                (_EQUAL, _APART[::-1], None),
                (_TAIL, _APART, 30),
                (_TAIL, tuple(one - 0.06 for one in _APART), 30),
                (_EQUAL, tuple(one - 0.06 for one in _APART), None),
            )
            for said, world in (_classes(sizes, (_APART, second), groups, average),)
        ),
        ("classify", "Difference", "protocols.compare_predictions", "protocols.paired_test"),
    ),
    CoverageStudy(
        "difference-of-systems",
        NEW_ITEMS,
        tuple(
            Trial(
                f"{clusters} clusters × {each(items)} items, rate 0.7, icc 0.2, {len(margins)} systems"
                + (f", {given(margins[-1])} apart" if any(margins) else ", no difference"),
                ItemsWorld(SimulatedPeople.of(clusters, items, rate=0.7, icc=0.2), margins),
                Asking("success", _items_compared),
                Bars(coverage=0.92, power=0.7),
                dear=(4 if len(margins) > 2 else 1) * (1 if isinstance(items, int) else 2),
            )
            for clusters, items in ((60, 3), (60, SOME))
            for margins in ((0.0, 0.0), (0.0, 0.12), (0.0,) * 4)
        ),
        ("compare_outcomes", "OutcomeComparison"),
    ),
)
