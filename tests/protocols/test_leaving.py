"""Leaving out a sample, a random sample at a time, or a subject."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.errors import DesignError
from proband.protocols.splits.splits import splitter

PEOPLE = np.array(["c", "a", "a", "b", "b", "b", "c"])
LABELS = np.array(["x", "x", "y", "y", "x", "y", "y"])


def test_every_sample_is_left_out_once():
    splits = list(splitter("LOO").splits(LABELS))
    assert [split.test.tolist() for split in splits] == [[k] for k in range(7)]
    assert all(split.train.tolist() == [j for j in range(7) if j != k] for k, split in enumerate(splits))
    assert [split.fold for split in splits] == list(range(1, 8))


def test_disjoint_leave_one_out_trains_on_other_people_only():
    for split in splitter("LOO+").splits(LABELS, PEOPLE):
        own = PEOPLE[split.test[0]]
        assert split.train.tolist() == [k for k in range(7) if PEOPLE[k] != own]


def test_every_subject_is_left_out_once_in_the_order_of_names():
    splits = list(splitter("LOSO").splits(LABELS, PEOPLE))
    assert [split.test.tolist() for split in splits] == [[1, 2], [3, 4, 5], [0, 6]]
    assert all(sorted([*split.train, *split.test]) == list(range(7)) for split in splits)


@given(st.integers(1, 20), st.integers(1, 40), st.booleans(), st.booleans())
@examples(50)
def test_sampled_leave_one_out_has_m_training_samples_and_one_other_k_times(m, k, disjoint, stratify):
    subjects = np.repeat(np.arange(8), 3)
    labels = np.tile([0, 1, 1], 8)
    maker = splitter(f"LOO({m},{k}){'+' * disjoint}", stratify=stratify, all_classes=False)
    splits = list(maker.splits(labels, subjects))
    assert len(splits) == k == maker.get_n_splits()
    for split in splits:
        assert len(split.train) == m
        assert len(split.test) == 1
        held = set(subjects[split.train]) if disjoint else set(split.train)
        assert (subjects[split.test[0]] if disjoint else split.test[0]) not in held
        if stratify:
            left = 21 if disjoint else 23
            others = (labels == 1).sum() - (2 if disjoint else labels[split.test[0]])
            assert abs((labels[split.train] == 1).sum() - m * others / left) < 1


def test_more_draws_than_samples_test_everybody_about_equally_often():
    tested = np.bincount(
        [s.test[0] for s in splitter("LOO(3,4000)", all_classes=False).splits([0] * 5 + [1] * 5)]
    )
    expected = 4000 / 10
    assert ((tested - expected) ** 2 / expected).sum() < 27.9  # chi-square of 9 degrees at 0.001


def test_m_must_leave_one_to_test():
    with pytest.raises(
        DesignError, match="7 training samples are requested, but 6 are left in addition to the tested sample"
    ):
        list(splitter("LOO(7,3)").splits(LABELS))
    assert len(list(splitter("LOO(6,30)").splits(LABELS))) == 30
    with pytest.raises(DesignError, match="4 are left when subject 'b' is tested") as refusal:
        list(splitter("LOO(5,3)+").splits(LABELS, PEOPLE))
    assert refusal.value.hint == "use M = 4 or less."
