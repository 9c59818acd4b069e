"""Cross-validation: each sample tested once, sizes to rounding, classes in proportion, subjects undivided."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from tests.examples import examples

from proband.errors import DesignError
from proband.protocols.splits.balancing import imbalance
from proband.protocols.splits.splits import splitter

labels_of = st.lists(st.integers(0, 4), min_size=4, max_size=60).map(np.array)


def folds_of(text: str, labels, subjects=None, **options) -> list[np.ndarray]:
    maker = splitter(text, all_classes=False, **options)
    return [split.test for split in maker.splits(labels, subjects)]


@given(labels_of, st.integers(2, 10), st.booleans(), st.integers(0, 99))
@examples(30)
def test_mixed_folds_cover_once_and_are_equal_to_one_sample_in_all_and_in_each_class(
    labels, folds, stratify, seed
):
    assume(folds <= len(labels))
    tests = folds_of(f"2×{folds}f CV", labels, seed=seed, stratify=stratify)
    n, extra = divmod(len(labels), folds)
    for repeat in (tests[:folds], tests[folds:]):
        assert sorted(np.concatenate(repeat)) == list(range(len(labels)))
        assert [len(test) for test in repeat] == [n + 1] * extra + [n] * (folds - extra)
        if stratify:
            for label in np.unique(labels):
                counts = [int((labels[test] == label).sum()) for test in repeat]
                assert max(counts) - min(counts) <= 1


@given(st.data(), st.integers(2, 6), st.booleans(), st.integers(0, 99))
@examples(30)
def test_disjoint_folds_cover_once_divide_nobody_and_are_never_empty(data, folds, stratify, seed):
    subjects = np.array(data.draw(st.lists(st.integers(0, 9), min_size=folds, max_size=60)))
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(subjects), max_size=len(subjects))))
    assume(len(np.unique(subjects)) >= folds)
    assume(
        len({*zip(labels.tolist(), subjects.tolist(), strict=True)})
        > max(len(set(labels)), len(set(subjects)))
    )
    tests = folds_of(f"{folds}f CV+", labels, subjects, seed=seed, stratify=stratify)
    assert sorted(np.concatenate(tests)) == list(range(len(labels)))
    assert all(len(test) for test in tests)
    assert sum(len(np.unique(subjects[test])) for test in tests) == len(np.unique(subjects))


def test_subjects_of_equal_size_and_class_are_dealt_exactly():
    subjects = np.repeat(np.arange(40), 3)
    labels = np.repeat(np.arange(2), 60)
    for test in folds_of("5×5f CV+", labels, subjects):
        assert np.bincount(labels[test]).tolist() == [12, 12]


def test_few_subjects_are_dealt_nearly_as_well_as_can_be():
    """Against all deals of seven subjects to two folds: mostly the best, and never far from it."""
    rng = np.random.default_rng(5)
    gaps = []
    for case in range(25):
        sizes = rng.integers(1, 7, 7)
        subjects = np.repeat(np.arange(7), sizes)
        labels = rng.integers(0, 2, len(subjects))
        table = np.stack([np.bincount(subjects, labels == k, 7) for k in (0, 1)] + [sizes / 2.0], axis=1)
        weights = 1 / table.sum(axis=0)
        weights[2] *= 0.5  # the size counts a quarter of a class, and stands here halved

        def distance(first, table=table, weights=weights):
            return float((((table[first].sum(axis=0) - table.sum(axis=0) / 2) ** 2) * weights).sum())

        best = min(
            distance(list(chosen))
            for size in range(1, 7)
            for chosen in itertools.combinations(range(7), size)
        )
        test = folds_of("2f CV+", labels, subjects, seed=case)[0]
        gaps.append(distance(np.unique(subjects[test])) - best)
    assert np.mean(np.array(gaps) < 1e-9) > 0.4
    assert max(gaps) < 0.5


def random_case(rng: np.random.Generator, kind: int) -> tuple[np.ndarray, np.ndarray, int]:
    n, classes, folds = rng.integers(12, 120), rng.integers(2, 6), int(rng.integers(2, 11))
    sizes = rng.geometric(0.15, n) if kind else np.full(n, 5)
    subjects = np.repeat(np.arange(n), sizes)
    if kind == 2:
        return rng.choice(classes, n, p=rng.dirichlet(np.full(classes, 3.0)))[subjects], subjects, folds
    leaning = rng.dirichlet(np.ones(classes), n)
    return (
        np.concatenate([rng.choice(classes, size, p=p) for size, p in zip(sizes, leaning, strict=True)]),
        subjects,
        folds,
    )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_balance_is_not_worse_on_average_than_that_of_scikit_learn():
    from sklearn.model_selection import StratifiedGroupKFold

    rng = np.random.default_rng(11)
    ours, theirs = [], []
    for case in range(60):
        labels, subjects, folds = random_case(rng, case % 3)
        peer = StratifiedGroupKFold(folds, shuffle=True, random_state=case)
        try:
            peers = [test for _, test in peer.split(labels, labels, subjects)]
        except ValueError:
            continue  # it refuses classes with fewer samples than folds
        tests = folds_of(f"{folds}f CV+", labels, subjects, seed=case)
        for found, sets in ((ours, tests), (theirs, peers)):
            whole = np.bincount(labels) / len(labels)
            unlike = [
                np.abs(np.bincount(labels[t], minlength=len(whole)) / len(t) - whole).max() for t in sets
            ]
            found.append((max(unlike), max(map(len, sets)) - min(map(len, sets))))
    assert len(ours) > 50
    share, size_range = np.mean(ours, axis=0)
    peer_share, peer_range = np.mean(theirs, axis=0)
    assert share <= peer_share
    assert size_range <= peer_range


def test_repeats_differ_though_all_subjects_are_of_different_size():
    subjects = np.repeat(np.arange(15), np.arange(3, 18))
    labels = np.arange(len(subjects)) % 2
    tests = {tuple(np.unique(subjects[test])) for test in folds_of("20×5f CV+", labels, subjects)}
    assert len(tests) > 40


def test_thousands_of_samples_are_divided_in_seconds_and_evenly():
    subjects = np.repeat(np.arange(1000), 10)
    labels = np.random.default_rng(0).integers(0, 2, 1000)[subjects]
    splits = splitter("5×10f CV+").splits(labels, subjects)
    found = imbalance(splits, labels)
    assert found.share < 0.01
    assert (found.smallest, found.largest) == (1000, 1000)


def test_too_many_folds_are_refused():
    with pytest.raises(DesignError, match="5 samples cannot be divided into 6 folds"):
        folds_of("6f CV", [0] * 5)
    with pytest.raises(DesignError, match="3 subjects cannot be divided into 4 folds") as refusal:
        folds_of("4f CV+", [0, 1] * 3, [0, 0, 1, 1, 2, 2])
    assert refusal.value.hint == "use at most 3 folds."
