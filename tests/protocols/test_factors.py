"""Accuracy by numbers of subjects and images: draws against naive ones, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from proband.errors import DesignError, UsageError
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.factors import along, drawn, sizes_frame
from proband.protocols.running.running import run_protocol
from proband.samples import Samples

pytest.importorskip("sklearn")
NEAREST = {"nearest": "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"}


def data(each: list[int], seed: int = 0) -> FeatureTable:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(len(each)), each)
    features = rng.normal(size=(len(each), 4))[who] + 0.9 * rng.normal(size=(len(who), 4))
    table = Samples({"id": [f"s{k}" for k in range(len(who))], "subject": [f"p{k}" for k in who]})
    return FeatureTable(table, features=features, name="toy")


def test_a_draw_has_the_numbers_asked_for_and_is_a_part_of_larger_ones() -> None:
    whole = data([6] * 9)
    for n, images in ((3, 2), (5, 4), (9, None)):
        made = drawn(whole, n, images, seed=7, draw=2)
        counts = np.bincount(made.samples.codes)
        assert (len(counts), set(counts)) == (n, {images or 6})
        larger = drawn(whole, 9, None if images is None else images + 1, seed=7, draw=2)
        assert set(made.samples.ids) <= set(larger.samples.ids)
        rows = [int(name[1:]) for name in made.samples.ids]
        np.testing.assert_array_equal(made.features, whole.features[rows])  # type: ignore[index]
    assert list(drawn(whole, 4, 2, 7, 2).samples.ids) == list(drawn(whole, 4, 2, 7, 2).samples.ids)
    assert list(drawn(whole, 4, 2, 7, 2).samples.ids) != list(drawn(whole, 4, 2, 7, 3).samples.ids)


def test_each_value_is_that_of_a_run_on_the_part_alone() -> None:
    whole = data([4] * 8)
    run = run_protocol(NEAREST, whole, "2×2f CV", seed=3, subjects=[4, 8], images_each=[2, 4], draws=3)
    assert [(one.n_subjects, one.images_each) for one in run.sizes] == [(4, 2), (4, 4), (8, 2), (8, 4)]
    for effect in run.sizes:
        values = []
        for draw in range(3):
            part = drawn(whole, effect.n_subjects, effect.images_each, 3, draw)
            seed = int(np.random.SeedSequence([3, draw]).generate_state(1)[0])
            values.append(run_protocol(NEAREST, part, "2×2f CV", seed=seed).results[0].spread.mean)
        assert list(effect.values) == values
        assert effect.accuracy.value == pytest.approx(np.mean(values))
        assert effect.std == pytest.approx(np.std(values, ddof=1))
        if np.std(values) == 0:  # nothing shows how sure it is
            assert not effect.accuracy.has_interval
        else:
            low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
            own = effect.accuracy
            assert (own.low, own.high) == (pytest.approx(max(0, low)), pytest.approx(min(1, high)))
        assert effect.n_samples == (effect.n_subjects * (effect.images_each or 0),) * 2
    plain = run_protocol(NEAREST, whole, "2×2f CV", seed=3)
    assert plain.results[0].spread == run.results[0].spread  # the main run does not change
    assert [name for name, _ in along(run.sizes)] == ["nearest, 2 images each", "nearest, 4 images each"]
    assert sizes_frame(run.sizes).height == 4


def test_threads_and_a_cache_change_nothing(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"subjects": 5, "draws": 3, "cache": tmp_path / "kept"}
    first = run_protocol(NEAREST, data([4] * 8), "2f CV", threads=1, **asked)
    again = run_protocol(NEAREST, data([4] * 8), "2f CV", threads=2, **asked)
    assert first.to_dict() == again.to_dict()
    assert first.to_dict()["sizes"][0]["n_subjects"] == 5


def test_one_draw_has_no_interval() -> None:
    (effect,) = run_protocol(NEAREST, data([4] * 6), "2f CV", subjects=4, draws=1).sizes
    assert (effect.std, effect.accuracy.has_interval) == (None, False)


def test_subjects_with_too_few_images_are_refused_or_left_out_and_told() -> None:
    uneven = data([4] * 6 + [2])
    with pytest.raises(DesignError, match="1 of 7 subjects has fewer than 4 images: 'p6'"):
        run_protocol(NEAREST, uneven, "2f CV", images_each=4)
    run = run_protocol(NEAREST, uneven, "2f CV", images_each=[2, 4], draws=2, missing="drop")
    assert [one.n_subjects for one in run.sizes] == [6, 6]
    told = next(note for note in run.notes if note.code == "protocols.too-few-to-draw")
    assert (told["n"], told["total"]) == (6, 7)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"subjects": 9}, DesignError, "9 subjects cannot be chosen from 8"),
        ({"subjects": 1}, UsageError, "subjects must be a number from 2 to"),
        ({"subjects": [4, 4]}, UsageError, "twice"),
        ({"images_each": 0}, UsageError, "images_each must be a number from 1 to"),
        ({"subjects": 4, "draws": 0}, UsageError, "draws must be a number from 1 to 100,000, got 0"),
        ({"subjects": 4, "protocol": "auto"}, UsageError, "The automatic protocol depends"),
        ({"images_each": 1}, DesignError, "8 subjects with 1 image each, draw 1: "),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        run_protocol(NEAREST, data([4] * 8), **{"protocol": "2f CV", **asked})
