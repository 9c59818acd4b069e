"""How close a face is to a person: by the best image, or by all images together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from proband.algorithms import Crops, recognizer
from proband.errors import InputError

Make = Callable[..., Crops]


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


@pytest.mark.parametrize("name", ["pca:angle", "pca:l1", "lbp:chi2", "correlation"])
def test_a_person_is_as_close_as_the_best_image(random_crops: Make, name: str) -> None:
    query, gallery = random_crops(6, seed=1), random_crops(10, people=4, seed=2)
    model = recognizer(name).fit(random_crops(12, seed=3))
    closeness, people = model.class_scores(query, gallery)
    scores = model.scores(query, gallery)
    sign = 1 if scores.larger_is_closer else -1
    values = sign * every(scores)
    assert people == ["person 0", "person 1", "person 2", "person 3"]
    for row in range(6):
        for column, person in enumerate(people):
            own = [values[row, k] for k in range(10) if gallery.subjects[k] == person]
            assert closeness[row, column] == pytest.approx(max(own))


def test_more_queries_than_fit_into_a_block(random_crops: Make) -> None:
    query, gallery = random_crops(300, 8, 8, seed=1), random_crops(4, 8, 8, people=2, seed=2)
    model = recognizer("correlation").fit(query)
    closeness, _ = model.class_scores(query, gallery)
    values = every(model.scores(query, gallery))
    assert np.allclose(closeness, np.maximum(values[:, :2], values[:, 2:]))


@pytest.mark.parametrize("name", ["lbp:nbnn", "src"])
def test_all_targets_of_a_person_share_a_score_and_it_is_said(random_crops: Make, name: str) -> None:
    query, target = random_crops(5, seed=1), random_crops(9, people=4, seed=2)
    model = recognizer(name).fit(None)
    scores = model.scores(query, target)
    closeness, people = model.class_scores(query, target)
    values = every(scores)
    for column, person in enumerate(target.subjects):
        assert np.array_equal(values[:, column], closeness[:, people.index(person)])
    assert any("scores people" in str(note) and "count subjects" in str(note) for note in scores.notes)
    assert (scores.orientation, scores.name) == ("similarity", name)


@pytest.mark.parametrize("name", ["lbp:nbnn", "src"])
def test_with_one_image_each_there_is_nothing_to_say(random_crops: Make, name: str) -> None:
    scores = recognizer(name).fit(None).scores(random_crops(5, seed=1), random_crops(4, people=4, seed=2))
    assert scores.notes == ()


@pytest.mark.parametrize("name", ["lbp:nbnn", "src", "lbp:chi2"])
def test_people_of_the_gallery_must_be_known(random_crops: Make, name: str) -> None:
    with pytest.raises(InputError, match="the subject of each face"):
        recognizer(name).fit(None).class_scores(random_crops(2), random_crops(3))
