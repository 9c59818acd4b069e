"""The data of the study: its layout, who is trained and tested on, and that a seed says it all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.engine import Silent
from proband.errors import UsageError
from proband.papers.beveridge2001 import ALGORITHMS, study_scores
from proband.scores import DenseScores


class Listener:
    def __init__(self) -> None:
        self.stages: dict[str, list[int]] = {}

    def begin(self, what: str, total: int) -> None:
        self.stages[what] = [total, 0]

    def advance(self, steps: int) -> None:
        self.stages[list(self.stages)[-1]][1] += steps


Study = tuple[pb.Samples, list[DenseScores]]


@pytest.fixture(scope="module")
def listener() -> Listener:
    return Listener()


@pytest.fixture(scope="module")
def study(listener: Listener) -> Study:
    made = study_scores(3, n_test=6, n_train=8, progress=listener)
    return made.samples, made.scores


def test_every_person_has_two_expressions_on_each_of_two_days(study: Study) -> None:
    samples, _ = study
    assert len(samples) == 24
    assert samples.counts.tolist() == [4] * 6
    people = samples.frame.group_by("subject", maintain_order=True).agg("day", "expression", "date")
    for day, expression, date in people.select("day", "expression", "date").iter_rows():
        assert day == [1, 1, 2, 2]
        assert expression[0] == expression[2] == "neutral"
        assert "neutral" not in (expression[1], expression[3])
        assert date[0] == date[1] < date[2] == date[3]
    assert {"sex", "age", "glasses", "left_eye_x"} <= set(samples.frame.columns)


def test_all_algorithms_score_all_test_images_with_one_another(study: Study) -> None:
    samples, scores = study
    assert [one.name for one in scores] == list(ALGORITHMS)
    for one in scores:
        assert one.shape == (24, 24)
        assert list(one.queries) == list(one.targets) == list(samples.ids)
        assert np.isfinite(one.values).all()
        assert np.allclose(one.values, one.values.T, rtol=1e-4, atol=1e-5 * np.abs(one.values).max())
    for one in scores:
        if not one.name.endswith(
            "mahalanobis"
        ):  # an inner product: another face may be closer than one's own
            assert (one.values.argmax(axis=1) == np.arange(24)).all()


def test_training_people_are_others(study: Study, listener: Listener) -> None:
    samples, _ = study
    # The first eight people of the population are trained on.
    assert samples.subjects[:] == tuple(f"s{number:04d}" for number in range(9, 15))
    rendered, of = listener.stages["rendering faces"]
    assert rendered == of > 6 * 4 + 8 * 3  # and the 15 people of Table 4
    assert listener.stages["training"] == [10, 10]
    assert listener.stages["scoring"] == [
        6,
        6,
    ]  # three algorithms: their images are represented, then compared


def test_it_is_a_study_of_another_day(study: Study) -> None:
    samples, scores = study
    experiment = pb.Experiment(
        samples,
        gallery="day == 1 and expression == 'neutral'",
        probes="day == 2 and expression == 'neutral'",
    )
    rates = [pb.measures.RecognitionRate(1)(one, experiment) for one in scores]
    assert {rate.facts.n_probes for rate in rates} == {6}
    assert max(rate.value for rate in rates) > 1 / 6


def test_a_smaller_study_is_the_beginning_of_a_larger_one(study: Study) -> None:
    samples, scores = study
    small = study_scores(3, n_test=2, n_train=8, threads=1)
    fewer, fewer_scores = small.samples, small.scores
    assert fewer.frame.equals(samples.frame.head(8))
    for one, other in zip(fewer_scores, scores, strict=True):
        scale = np.abs(other.values).max()
        assert np.allclose(one.values, other.values[:8, :8], rtol=1e-5, atol=1e-6 * scale)


def test_another_seed_gives_other_people(study: Study) -> None:
    samples, scores = study
    made = study_scores(4, n_test=2, n_train=8)
    others, other_scores = made.samples, made.scores
    assert not others.frame.select(pl.exclude("id", "subject")).equals(
        samples.frame.head(8).select(pl.exclude("id", "subject"))
    )
    assert not np.allclose(other_scores[0].values, scores[0].values[:8, :8])


def test_nobody_to_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="people must be at least 1"):
        pb.papers.reproduce_beveridge2001(tmp_path, 64, 0, 1, Silent(), people=0)
