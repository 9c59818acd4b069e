"""Hold-outs: sizes to the rounding that is stated, numbers per subject, in all and per class, and data sets."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from tests.examples import examples

from proband.errors import DesignError
from proband.protocols.splits.balancing import apportioned, largest_remainder
from proband.protocols.splits.dealing import balanced_sample
from proband.protocols.splits.splits import splitter

shares_of = st.lists(st.integers(1, 60), min_size=1, max_size=2).filter(lambda some: sum(some) < 100)


def one(text: str, labels, subjects=None, *, train_on=None, test_on=None, **options):
    maker = splitter(text, **{"all_classes": False, **options})
    return next(maker.splits(labels, subjects, train_on=train_on, test_on=test_on))


@given(st.integers(0, 400), st.lists(st.integers(1, 9), min_size=2, max_size=4))
def test_the_largest_remainder_is_the_nearest_division_into_whole_numbers(total, shares):
    """Oracle: of all divisions of a small total, none is nearer to the quotas."""
    sizes = largest_remainder(total, [Fraction(share) for share in shares])
    quotas = [Fraction(total * share, sum(shares)) for share in shares]
    assert sum(sizes) == total
    assert all(abs(size - quota) < 1 for size, quota in zip(sizes, quotas, strict=True))
    if total <= 12:
        every = (d for d in itertools.product(range(total + 1), repeat=len(shares)) if sum(d) == total)
        distance = [sum((a - b) ** 2 for a, b in zip(d, quotas, strict=True)) for d in every]
        assert sum((a - b) ** 2 for a, b in zip(sizes, quotas, strict=True)) == min(distance)


def test_half_a_sample_goes_to_training():
    assert [len(part) for part in (one("50-50 HO", [0] * 213).train, one("50-50 HO", [0] * 213).test)] == [
        107,
        106,
    ]


@given(
    st.lists(st.integers(0, 3), min_size=10, max_size=80).map(np.array),
    shares_of,
    st.booleans(),
    st.integers(0, 50),
)
@examples(30)
def test_mixed_parts_have_exactly_their_sizes_and_their_classes(labels, shares, stratify, seed):
    percent = [100 - sum(shares), *shares]
    sizes = largest_remainder(len(labels), [Fraction(share) for share in percent])
    assume(min(sizes[0], sizes[-1]) > 0)
    split = one("-".join(map(str, percent)) + " HO", labels, stratify=stratify, seed=seed)
    parts = [split.train, *([] if split.validation is None else [split.validation]), split.test]
    assert [len(part) for part in parts] == sizes
    if stratify:
        for label, count in Counter(labels.tolist()).items():
            off = [abs((labels[p] == label).sum() - count * len(p) / len(labels)) for p in parts]
            assert off[-1] < 1
            assert max(off) < (1 if len(parts) == 2 else 2)


@given(st.data(), shares_of, st.booleans(), st.integers(0, 50))
@examples(30)
def test_disjoint_parts_are_off_by_less_than_the_largest_subject(data, shares, stratify, seed):
    subjects = np.array(data.draw(st.lists(st.integers(0, 14), min_size=12, max_size=80)))
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(subjects), max_size=len(subjects))))
    counts = np.bincount(subjects)
    assume((counts > 0).sum() >= 6)
    percent = [100 - sum(shares), *shares]
    text = "-".join(map(str, percent)) + " HO+"
    split = one(text, labels, subjects, stratify=stratify, seed=seed)
    parts = [split.train, *([] if split.validation is None else [split.validation]), split.test]
    assert sum(len(part) for part in parts) == len(labels)
    assert sum(len(np.unique(subjects[part])) for part in parts) == (counts > 0).sum()
    assert abs(len(split.test) - len(labels) * shares[-1] / 100) <= counts.max() + 1e-6


@pytest.mark.long
def test_large_and_small_subjects_are_tested_equally_often():
    """Filling parts greedily would nearly always train on the large: the cube method keeps every probability."""
    sizes = np.array([2] * 10 + [5] * 5 + [10] * 5)
    subjects = np.repeat(np.arange(20), sizes)
    labels = np.random.default_rng(2).integers(0, 3, len(subjects))
    times = np.zeros(20)
    for split in splitter("600×75-25 HO+", all_classes=False).splits(labels, subjects):
        times[np.unique(subjects[split.test])] += 1
    for size in (2, 5, 10):
        n = 600 * (sizes == size).sum()
        assert abs(times[sizes == size].sum() - n / 4) < 4 * np.sqrt(n * 3 / 16)


def test_a_balanced_sample_keeps_sums_that_can_be_kept():
    rng = np.random.default_rng(0)
    counts = np.array([[1, k % 2] for k in range(40)])
    for _ in range(20):
        chosen = balanced_sample(counts, 0.3, rng)
        assert counts[chosen].sum(axis=0).tolist() == [12, 6]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6), st.data())
def test_apportioning_is_within_one_of_the_quota(counts, data):
    counts = np.array(counts)
    assume(counts.sum() > 0)
    drawn = data.draw(st.integers(0, int(counts.sum())))
    given_out = apportioned(counts, drawn, np.random.default_rng(0))
    assert given_out.sum() == drawn
    assert (np.abs(given_out - counts * drawn / counts.sum()) < 1).all()
    assert (given_out <= counts).all()


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 50))
@examples(30)
def test_numbers_per_subject_are_exact(x, y, seed):
    subjects = np.repeat(np.arange(6), np.arange(9, 15))
    split = one(f"{x}-{y} HO*", subjects, subjects, seed=seed)
    assert np.bincount(subjects[split.train]).tolist() == [x] * 6
    assert np.bincount(subjects[split.test]).tolist() == [y] * 6
    rest = one(f"{x}-rest HO*", subjects, subjects, seed=seed)
    assert np.bincount(subjects[rest.test]).tolist() == [n - x for n in range(9, 15)]
    three = one(f"{x}-1-{y} HO*", subjects, subjects, seed=seed)
    assert np.bincount(subjects[three.validation]).tolist() == [1] * 6


def test_every_sample_of_a_subject_is_drawn_equally_often():
    subjects = np.repeat([0, 1], 5)
    times = np.zeros(10)
    for split in splitter("1000×2-2 HO*").splits(subjects, subjects):
        times[split.train] += 1
    assert (np.abs(times - 400) < 4 * np.sqrt(1000 * 0.4 * 0.6)).all()


def test_numbers_per_subject_and_class():
    subjects = np.repeat(np.arange(10), 21)
    labels = np.tile(np.repeat(np.arange(7), 3), 10)
    split = one("2-rest HO*/class", labels, subjects)
    cells = subjects * 7 + labels
    assert np.bincount(cells[split.train]).tolist() == [2] * 70
    assert np.bincount(cells[split.test]).tolist() == [1] * 70


def test_who_has_too_few_is_named_or_left_out_and_counted():
    subjects = np.repeat(["a", "b", "c", "d"], [5, 2, 6, 1])
    maker = splitter("3-1 HO*")
    with pytest.raises(DesignError, match="2 subjects have too few samples: 'b', 'd'") as refusal:
        maker.splits(subjects, subjects)
    assert "missing='drop'" in refusal.value.hint
    assert maker.left_out(subjects, subjects) == ("b", "d")
    split = one("3-1 HO*", subjects, subjects, missing="drop")
    assert sorted(set(subjects[split.train])) == sorted(set(subjects[split.test])) == ["a", "c"]
    labels = np.array(["x", "x", "y", "y"] + ["x"] * 2 + ["y"] * 4 + ["x"] * 4)
    assert splitter("1-2 HO*/class").left_out(labels, subjects) == ("a (y)", "b (x)", "b (y)", "d (x)")
    assert splitter("80-20 HO").left_out(subjects, subjects) == ()


def test_pools_that_are_nested_are_used_as_far_as_they_go():
    """Three images without disguise train; any other image may be tested, and the reverse."""
    subjects = np.repeat(np.arange(5), 6)
    plain = np.tile([True, True, True, False, False, False], 5)
    split = one("3-3 HO* [train: plain]", subjects, subjects, train_on=plain)
    assert plain[split.train].all()
    assert not plain[split.test].any()
    split = one("3-3 HO* [test: plain]", subjects, subjects, test_on=plain)
    assert plain[split.test].all()
    with pytest.raises(DesignError, match="too few"):
        one("4-1 HO* [train: plain]", subjects, subjects, train_on=plain)


def test_numbers_in_all():
    subjects = np.repeat(np.arange(20), 10)
    labels = subjects % 2
    split = one("99-2 HO**", labels, subjects)
    assert len(split.train) == 99
    assert np.bincount(subjects[split.test]).tolist() == [2] * 20
    split = one("99-50 HO**/all", labels, subjects)
    assert (len(split.train), len(split.test)) == (99, 50)
    assert np.bincount(labels[split.test]).tolist() == [25, 25]
    split = one("99-rest HO**/all", labels, subjects)
    assert (len(split.train), len(split.test)) == (99, 101)
    split = one("99-50 HO**/all+", labels, subjects)
    assert (len(split.train), len(split.test)) == (99, 50)
    assert not set(subjects[split.train]) & set(subjects[split.test])
    with pytest.raises(DesignError, match="tests every subject"):
        one("99-2 HO**+", labels, subjects)
    with pytest.raises(DesignError, match="50 samples are requested, but only 49 are available"):
        one("151-50 HO**/all", labels, subjects)
    with pytest.raises(DesignError, match="more than the 200 samples"):
        one("151-50 HO**/all+", labels, subjects)


def test_numbers_per_class():
    subjects = np.repeat(np.arange(40), 3)
    labels = np.where(subjects % 2, "male", "female")
    split = one("HO(male:31, female:20)", labels, subjects)
    assert Counter(labels[split.train].tolist()) == {"male": 31, "female": 20}
    assert len(split.test) == 120 - 51
    split = one("HO(male:31, female:20)+", labels, subjects)
    assert Counter(labels[split.train].tolist()) == {"male": 31, "female": 20}
    assert not set(subjects[split.train]) & set(subjects[split.test])
    assert len(split.test) == 120 - 33 - 21
    for text, complaint in (
        ("HO(male:3)", "no training size is stated for the class 'female'"),
        ("HO(male:3, female:3, other:1)", "no sample has the class 'other'"),
        ("HO(male:61, female:3)", r"too few samples to train on: 'male \(60 of 61\)'"),
        ("HO(male:60, female:60)+", "no sample is tested"),
    ):
        with pytest.raises(DesignError, match=complaint):
            one(text, labels, subjects)


def test_data_sets_train_and_test():
    labels, subjects = ["x", "y"] * 4, np.repeat([1, 2, 3, 4], 2)
    first = np.arange(8) < 4
    text = "train(CK) test(JAFFE)+"
    split = one(text, labels, subjects, train_on=first, test_on=~first)
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 2, 3], [4, 5, 6, 7])
    assert one(text, labels, subjects, train_on=first).test.tolist() == [4, 5, 6, 7]
    assert one(text, labels, subjects, test_on=~first).train.tolist() == [0, 1, 2, 3]
    for masks, complaint in (
        ({}, "Cannot tell which samples belong to CK and which to JAFFE"),
        ({"train_on": first, "test_on": np.ones(8, bool)}, "4 samples are in both"),
        ({"train_on": np.arange(8) < 3}, "1 subject is in both sets: '2'"),
    ):
        with pytest.raises(DesignError, match=complaint):
            one(text, labels, subjects, **masks)


def test_parts_that_would_be_empty_are_refused():
    with pytest.raises(DesignError, match="no sample is tested"):
        one("99-1 HO", [0] * 20)
    with pytest.raises(DesignError, match="2 subjects cannot be divided into 3 parts"):
        one("60-20-20 HO+", [0, 1, 0, 1], [0, 0, 1, 1])
    split = one("98-2 HO+", [0, 1] * 3, [0, 0, 1, 1, 2, 2])
    assert (len(split.train), len(split.test)) == (4, 2)
