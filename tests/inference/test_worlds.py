"""Worlds of simulation: what each draws, and what is said to be true of it."""

from __future__ import annotations

import numpy as np
import pytest

from proband.inference.simulation.compared_worlds import (
    AtTheMargin,
    BesideOthers,
    DecidedBeside,
    IndependentSets,
    OpposedAlgorithms,
    SensorsWorld,
    SeveralAlgorithms,
    SeveralOverPairs,
)
from proband.inference.simulation.other_worlds import (
    AtThreshold,
    FinitePopulation,
    NamedPairs,
    ThresholdWorld,
)
from proband.inference.simulation.pair_worlds import OpposedOverPairs, PairsWorld, TwoOverPairs, of_another
from proband.inference.simulation.populations import SimulatedPeople
from proband.inference.simulation.score_worlds import (
    CentreWorld,
    ChoicesWorld,
    GalleriesWorld,
    PartsWorld,
    QueriesWorld,
    TrainingsWorld,
    TwoInGalleries,
    TwoOfQueries,
    TwoOverChoices,
)
from proband.inference.simulation.table_worlds import (
    ClassesWorld,
    CovariatesWorld,
    DatasetsWorld,
    ItemsWorld,
    SurveyWorld,
)
from proband.inference.simulation.worlds import OutcomesWorld, TwoAlgorithms, World
from proband.measures import AUC, FNMR, RecognitionRate

PEOPLE = SimulatedPeople.of(30, 3, rate=0.8, icc=0.2)
PAIRS = PairsWorld((2,) * 20, FNMR(0.01), 0.1, 0.2)


@pytest.mark.parametrize(
    ("world", "n_data", "truth"),
    [
        (BesideOthers(SeveralAlgorithms(SimulatedPeople.of(30, 3, rate=0.99, icc=0.2), (0.0, 0.1))), 2, 0.99),
        (OpposedAlgorithms((4,) * 50), 2, 0.0),
        (IndependentSets(PEOPLE, 0.1), 2, 0.1),
        (SensorsWorld((2,) * 20, (3,) * 20, 0.8), 100, 0.0),
        (TwoOverChoices(ChoicesWorld(20, 3)), 2, 0.0),
        (TwoOfQueries(QueriesWorld(20, 2, AUC())), 2, 0.0),
        (TwoInGalleries(GalleriesWorld(20, 4)), 2, 0.0),
        (OpposedOverPairs(PAIRS, 0.05, 2.5), 2, 0.0),
        (SurveyWorld((10, 10), (3,), (0.9, 0.7), (0.5, 0.5)), 5, 0.8),
        (DatasetsWorld(8, (0.0, 0.02)), 3, 0.02),
        (CovariatesWorld(30, False), 4, 0.0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_true_is_known_beforehand(world: World, n_data: int, truth: float) -> None:
    drawn = world.draw(0, 0)
    assert (len(drawn.data), drawn.truth) == (n_data, truth)


@pytest.mark.parametrize(
    ("world", "shape", "least", "most"),
    [
        (ThresholdWorld(PAIRS), (40, 40), 2, 3),
        (AtThreshold(PairsWorld((3,) * 20, FNMR(0.05), 0.1, 0.2), "groups", worse=1.0), (60, 60), -0.3, -0.1),
        (GalleriesWorld(20, 4, 2), (40, 20), 0, 1),
        (CentreWorld((2,) * 20, 0.01), (40, 40), 0, 0.1),
        (ChoicesWorld(20, 3), (60, 60), 0, 1),
        (QueriesWorld(20, 2, AUC()), (40, 20), 0.8, 1),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_true_of_scores_is_found(
    world: World, shape: tuple[int, int], least: float, most: float
) -> None:
    drawn = world.draw(0, 0)
    assert drawn.data.shape == shape
    assert least < drawn.truth < most


def test_worlds_of_several_algorithms_name_them() -> None:
    several = SeveralAlgorithms(PEOPLE, (0.0, 0.0, 0.1)).draw(0, 0)
    assert [one.algorithm for one in several.data] == ["a", "b", "c"]
    assert several.truth == pytest.approx([0.0, 0.1, 0.1])
    pairs = SeveralOverPairs(PairsWorld((2,) * 20, AUC(), 0.98, 0.2), 3).draw(0, 0)
    assert [one.name for one in pairs.data] == ["a", "b", "c"]
    assert pairs.truth.tolist() == [0.0, 0.0, 0.0]


def test_decisions_have_the_false_match_rate_of_scores_beside_them() -> None:
    drawn = DecidedBeside(TwoOverPairs(PairsWorld((2,) * 20, FNMR(0.001), 0.1, 0.2))).draw(0, 0)
    assert np.unique(drawn.data[0].values).tolist() == [0.0, 1.0]
    assert drawn.truth == 0.001


def test_the_margin_of_two_algorithms_is_asked_about() -> None:
    world = OutcomesWorld(SimulatedPeople.of(50, 4, rate=0.9, icc=0.2), RecognitionRate(1))
    drawn = AtTheMargin(TwoAlgorithms(world, 0.05)).draw(0, 0)
    assert (round(drawn.within, 3), drawn.truth) == (0.05, 0.0)


def test_a_finite_population_has_a_rate_of_its_own() -> None:
    world = OutcomesWorld(SimulatedPeople.of(50, 4, rate=0.9, icc=0.2), RecognitionRate(1), "images")
    drawn = FinitePopulation(world, 60).draw(0, 0)
    assert len(drawn.data) == 200
    assert 0.8 < drawn.truth < 1


def test_a_list_of_named_pairs_names_nobody() -> None:
    frame = NamedPairs(PairsWorld((4,) * 20, FNMR(0.05), 0.1, 0.2)).draw(0, 0).data.frame
    assert frame["mated"].sum() == 40
    assert frame["target_subject"].null_count() == len(frame)


def test_several_trainings_and_parts_are_drawn() -> None:
    for world in (TrainingsWorld(20, 3), PartsWorld(30, 2)):
        drawn = world.draw(0, 0)
        assert len(drawn.data) == 3
        assert 0 < drawn.truth < 1


def test_classes_and_items_have_the_rates_they_were_made_with() -> None:
    drawn = ClassesWorld((30, 10), ((0.9, 0.5),), average="macro").draw(0, 0)
    classes, predicted, groups = drawn.data
    assert (len(classes), list(predicted), groups, drawn.truth) == (40, ["a"], None, 0.7)
    items = ItemsWorld(SimulatedPeople.of(20, [1, 4], rate=0.7, icc=0.2), (0.0, 0.1)).draw(0, 0)
    assert (list(items.data), len(items.data["cluster"]), float(items.truth)) == (
        ["a", "b", "cluster"],
        50,
        0.1,
    )


def test_another_algorithm_shares_what_is_hard() -> None:
    rng = np.random.default_rng(0)
    hard, _, noise = of_another("normal", rng, [np.zeros(500), np.zeros(500)], np.zeros((4, 4)))
    assert (int((hard == 0).sum()), noise.shape) == (383, (4, 4))
