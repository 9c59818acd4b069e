from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import t as student

from proband.errors import DesignError, UsageError
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.mixing import difference_over_people
from proband.protocols.running.what_if import what_if
from proband.samples import Samples

NEAREST = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"


@pytest.fixture(scope="module")
def data() -> FeatureTable:
    """Vectors that tell people apart and nothing of their sex."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(40), 5)
    sex = np.repeat(["f", "m"], 100)
    held = 3 * rng.normal(size=(40, 10))[who] + 0.2 * rng.normal(size=(200, 10))
    return FeatureTable(Samples({"id": range(200), "subject": who, "sex": sex}), features=held, name="toy")


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["5f CV", "2×5f CV+", "LOSO", "LOO", "3×80-20 HO"])
def test_mixed_splits_flatter_what_only_knows_people(data: FeatureTable, protocol: str) -> None:
    found = what_if(NEAREST, data, "mixed", protocol, label="sex")
    mixed, unmixed = (one.result for one in found.sides)
    assert mixed.pooled.value == 1.0
    assert unmixed.pooled.value < 0.75
    assert not mixed.protocol.is_disjoint
    assert unmixed.protocol.is_disjoint
    assert mixed.protocol.repeats == unmixed.protocol.repeats
    change = found.difference
    assert change.value == pytest.approx(mixed.pooled.value - unmixed.pooled.value)
    assert found.difference.has_interval
    assert change.high is not None
    assert 0 < change.low < change.value < change.high <= 1


def test_with_and_without_what_was_dropped(data: FeatureTable) -> None:
    dropped = [str(k) for k in range(0, 200, 5)]
    found = what_if(NEAREST, data, "dropped", "5f CV", label="sex", exclusions=dropped)
    assert [one.name for one in found.sides] == ["with", "without"]
    assert [one.n_samples for one in found.sides] == [200, 160]
    assert abs(found.difference.value) < 0.05
    assert found.difference.has_interval
    assert found.difference.low < 0 < found.difference.high
    tested = found.sides[1].result.predictions.frame["id"]
    assert not set(tested) & set(dropped)


def test_the_difference_is_the_mean_over_people_with_as_many_samples_each() -> None:
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(30), 4)
    one, other = rng.random(120), rng.random(120)
    difference, error, n_people = difference_over_people((one, who), (other, who))
    own = (one - other).reshape(30, 4).mean(axis=1)
    assert n_people == 30
    assert difference == pytest.approx(own.mean())
    assert error == pytest.approx(own.std(ddof=1) / np.sqrt(30))


def test_without_variation_there_is_no_interval(data: FeatureTable) -> None:
    found = what_if(NEAREST, data, "dropped", "5f CV", label="sex", exclusions=["0"])
    change = found.difference
    assert (change.value, change.has_interval, change.standard_error) == (0, False, None)
    assert found.sentence().code == "what-if.found-without-interval"


def test_the_error_is_that_of_drawing_people_anew() -> None:
    rng = np.random.default_rng(2)
    who = np.repeat(np.arange(80), rng.integers(2, 8, 80))
    one = (rng.random(len(who)) < rng.random(80)[who]).astype(float)
    kept = rng.random(len(who)) < 0.7
    other = np.where(rng.random(len(who)) < 0.2, 1 - one, one)
    _, error, _ = difference_over_people((one, who), (other[kept], who[kept]))
    places = [np.flatnonzero(who == k) for k in range(80)]
    drawn = []
    for _ in range(1500):
        rows = np.concatenate([places[k] for k in rng.integers(0, 80, 80)])
        drawn.append(one[rows].mean() - other[rows][kept[rows]].mean())
    assert error == pytest.approx(np.std(drawn), rel=0.1)


def test_intervals_of_the_difference_cover() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        who = np.repeat(np.arange(40), 5)
        easy = rng.normal(size=40)[who]
        one = (easy + rng.normal(size=200) > -0.5).astype(float)
        other = (easy + rng.normal(size=200) > 0.5).astype(float)
        difference, error, n_people = difference_over_people((one, who), (other, who))
        truth = 2 * 0.63816319508 - 1  # Φ(0.5/√2) = 0.638163…
        assert error is not None
        covered += abs(difference - truth) < student.ppf(0.975, n_people - 1) * error
    assert 0.92 < covered / 400 < 0.98


def test_what_cannot_be_asked_is_refused(data: FeatureTable) -> None:
    with pytest.raises(DesignError, match="no subject-disjoint form"):
        what_if(NEAREST, data, "mixed", "3-2 HO*", label="sex")
    with pytest.raises(DesignError, match="No samples are dropped"):
        what_if(NEAREST, data, "dropped", "5f CV", label="sex", exclusions=["ghost"])
    with pytest.raises(UsageError, match="cannot be combined"):
        what_if(NEAREST, data, "mixed", "5f CV", label="sex", exclusions=["1"])
    with pytest.raises(UsageError, match="question must be"):
        what_if(NEAREST, data, "why", "5f CV", label="sex")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="one classifier"):
        what_if({"a": NEAREST, "b": NEAREST}, data, "mixed", "5f CV", label="sex")


def test_results_are_plain_values(data: FeatureTable) -> None:
    found = what_if({"1nn": NEAREST}, data, "mixed", "5f CV", label="sex")
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [one["name"] for one in plain["sides"]] == ["mixed", "unmixed"]
    assert found.to_frame()["side"].to_list() == ["mixed", "unmixed"]
    assert repr(found).startswith("WhatIf(1nn: accuracy mixed 1.0000, unmixed 0.")
