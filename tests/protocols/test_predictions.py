"""Predictions against counting by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from proband.protocols.notation import Protocol
from proband.protocols.running.predictions import FoldFacts, Predictions, Roster
from proband.protocols.splits.splits import Split
from proband.samples import Ids

SUBJECTS = np.array(["p", "p", "q", "q", "r", "r"])
LABELS = np.array(["f", "m", "f", "m", "f", "m"])


@pytest.fixture
def made() -> Predictions:
    """Two repeats of two folds; sample 0 is tested twice in the first, sample 5 never."""
    roster = Roster.of(Ids("abcdef"), SUBJECTS, LABELS)
    splits = [
        Split(1, 1, np.array([2, 3, 4]), np.array([0, 1])),
        Split(1, 2, np.array([1, 5]), np.array([0, 2, 3])),
        Split(2, 1, np.array([0, 1]), np.array([3, 4]), np.array([5])),
        Split(2, 2, np.array([3, 4]), np.array([0, 2])),
    ]
    said = ([0, 0], [1, 0, 1], [0, 0], [0, 1])
    return Predictions(
        "one",
        Protocol.parse("2×2f CV"),
        roster,
        tuple(one.test for one in splits),
        tuple(map(np.array, said)),
        tuple(FoldFacts.of(one, roster.subjects) for one in splits),
        np.ones(5, np.bool_),
    )


def test_accuracies_are_shares_of_each_split(made: Predictions) -> None:
    np.testing.assert_allclose(made.accuracies, [[0.5, 2 / 3], [0.5, 0.5]])


def test_the_frame_has_a_row_for_each_test(made: Predictions) -> None:
    assert made.frame.row(2) == ("a", "p", "f", "m", 1, 2)
    assert made.frame.height == 9
    assert made.frame.columns == ["id", "subject", "label", "predicted", "repeat", "fold"]


def test_every_time_a_sample_is_tested_counts(made: Predictions) -> None:
    table, whose = made.correct()
    assert whose.tolist() == ["p", "p", "q", "q", "r"]
    expected = [[1, 0, 1, 1, 1], [0, np.nan, 0, 0, np.nan], [1, np.nan, np.nan, np.nan, np.nan]]
    np.testing.assert_array_equal(table, expected)


def test_one_repeat_has_each_sample_once(made: Predictions) -> None:
    right, whose = made.once()
    assert right.tolist() == [1, 0, 1, 1]
    assert whose.tolist() == ["p", "p", "q", "q"]


def test_sizes_count_samples_and_subjects(made: Predictions) -> None:
    sizes = made.sizes
    assert sizes["n_train"].to_list() == [3, 2, 2, 2]
    assert sizes["n_validation"].to_list() == [0, 0, 1, 0]
    assert sizes["train_subjects"].to_list() == [2, 2, 1, 2]
    assert sizes["test_subjects"].to_list() == [1, 2, 2, 2]


def test_the_text_is_one_line(made: Predictions) -> None:
    assert repr(made) == "Predictions(one under 2×2f CV: 9 of 4 splits)"
    assert isinstance(made.frame, pl.DataFrame)
