"""Full, unique and equal representation, after Micheals & Boult (2001)."""

from __future__ import annotations

import pytest

from proband.samples import OnePerSubject, Samples, equally_representative, representation


@pytest.fixture
def samples() -> Samples:
    return Samples({"id": ["a1", "a2", "a3", "b1", "b2", "c1"], "subject": list("aaabbc")})


@pytest.mark.parametrize(
    ("choice", "counts", "full", "unique"),
    [
        ("all", [3, 2, 1], True, False),
        (OnePerSubject(), [1, 1, 1], True, True),
        (["a1", "b2"], [1, 1, 0], False, True),
        (["a1", "a2"], [2, 0, 0], False, False),
        ([], [0, 0, 0], False, True),
    ],
)
def test_representation(samples, choice, counts, full, unique):
    found = representation(samples, choice)
    assert found.counts.tolist() == counts
    assert (found.is_full, found.is_unique) == (full, unique)
    assert found.n_subjects == sum(count > 0 for count in counts)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (["a1", "b1"], ["a2", "b2"], True),
        (["a1", "b1"], ["b2", "a3"], True),
        (["a1", "b1"], ["a1", "b2"], False),  # share a1
        (["a1", "b1"], ["a2", "c1"], False),  # other people
        (["a1", "b1"], ["a2"], False),
        (["a1"], ["a2", "a3"], False),
        ([], [], True),
    ],
)
def test_equally_representative(samples, one, other, expected):
    assert equally_representative(samples, one, other) is expected
    assert equally_representative(samples, other, one) is expected
