"""Ranks, successes and the whole CMC against a naive reading of the definitions.

The oracle sorts each probe's gallery by hand and, for ties broken at random, goes through every way in which the tied
images can fall; it shares no formula with the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from tests.examples import examples

from proband.errors import DesignError
from proband.measures import CMC, RecognitionRate, rank, ranks as ranks_module
from proband.samples import Experiment, Samples
from proband.scores import Scores

INFINITY = float("inf")
DTYPES = ("float64", "float32", "float16", ">f4", "int8", "int16", "int64", "uint8", "bool")


@dataclass
class Case:
    """A small experiment: who everybody is, what the scores are, what failed."""

    subjects: list[str]
    is_gallery: list[bool]
    failed: list[bool]
    values: np.ndarray
    codes: np.ndarray | None
    orientation: Any
    row_order: list[int]
    column_order: list[int]

    def samples(self) -> Samples:
        return Samples(
            {"id": [f"s{i}" for i in self.everyone], "subject": self.subjects, "bad": self.failed},
            failed="bad",
        )

    @property
    def everyone(self) -> range:
        return range(len(self.subjects))

    def experiment(self) -> Experiment:
        mask = np.array(self.is_gallery)
        return Experiment(self.samples(), gallery=mask, probes=~mask)

    def scores(self) -> Scores:
        """The scores with their axes in an order of their own."""
        grid = np.ix_(self.row_order, self.column_order)
        return Scores.from_array(
            self.values[grid],
            [f"s{i}" for i in self.row_order],
            [f"s{i}" for i in self.column_order],
            orientation=self.orientation,
            cells=None if self.codes is None else self.codes[grid],
        )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n = draw(st.integers(2, 10))
    people = draw(st.integers(1, 4))
    subjects = draw(st.lists(st.sampled_from([f"p{k}" for k in range(people)]), min_size=n, max_size=n))
    is_gallery = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    assume(any(is_gallery) and not all(is_gallery))
    failed = [False] * n
    if draw(st.booleans()):
        failed = draw(st.lists(st.sampled_from([False, False, True]), min_size=n, max_size=n))
    levels = draw(st.integers(1, 4))  # few levels, many ties
    raw = draw(st.lists(st.integers(0, levels - 1), min_size=n * n, max_size=n * n))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    values = np.array(raw).reshape(n, n)
    if dtype.kind in "fi":
        values = values - draw(st.integers(0, 3))
    codes = None
    if draw(st.booleans()):
        codes = np.array(
            draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=n * n, max_size=n * n)), dtype=np.uint8
        )
        codes = codes.reshape(n, n)
    return Case(
        subjects=subjects,
        is_gallery=is_gallery,
        failed=failed,
        values=values.astype(dtype),
        codes=codes,
        orientation=draw(st.sampled_from(["similarity", "distance"])),
        row_order=draw(st.permutations(range(n))),
        column_order=draw(st.permutations(range(n))),
    )


def naive_outcomes(case: Case, counting: str, on_failure: str) -> tuple[list[tuple[int, Any]], int, int]:
    """For each probe that counts, its ordered rivals and mates; and how many were unmated and undecidable.

    An entry is (probe, None) for a failure, or (probe, entries) with entries a list of (closeness, is the mate).
    """
    gallery = [i for i in case.everyone if case.is_gallery[i]]
    enrolled = [g for g in gallery if not (on_failure == "miss" and case.failed[g])]
    code = case.codes if case.codes is not None else np.zeros(case.values.shape, dtype=np.uint8)
    sign = 1 if case.orientation == "similarity" else -1
    rows: list[tuple[int, Any]] = []
    unmated = undecidable = 0
    for probe in case.everyone:
        if case.is_gallery[probe]:
            continue
        own = case.subjects[probe]
        if own not in {case.subjects[g] for g in gallery}:
            unmated += 1
            continue
        if on_failure == "miss" and case.failed[probe]:
            rows.append((probe, None))
            continue
        mates = [g for g in enrolled if case.subjects[g] == own]
        if mates and all(code[probe, g] == 1 for g in mates):
            undecidable += 1
            continue
        if not any(code[probe, g] == 0 for g in mates):
            rows.append((probe, None))
            continue
        seen = [
            (sign * Fraction(float(case.values[probe, g])), case.subjects[g])
            for g in enrolled
            if code[probe, g] == 0
        ]
        if counting == "subjects":
            seen = [(max(c for c, who in seen if who == person), person) for person in {w for _, w in seen}]
        rows.append((probe, [(closeness, who == own) for closeness, who in seen]))
    return rows, unmated, undecidable


def possible_places(entries: list[tuple[Fraction, bool]], ties: str) -> list[int]:
    """Every place the first mate can take, each as likely as any other."""
    if ties != "mean":
        first = {"pessimistic": False, "optimistic": True}[ties]
        line = sorted(entries, key=lambda entry: (-entry[0], entry[1] != first))
        return [1 + [is_mate for _, is_mate in line].index(True)]
    best = max(closeness for closeness, is_mate in entries if is_mate)
    ahead = len([1 for closeness, _ in entries if closeness > best])
    group = [is_mate for closeness, is_mate in entries if closeness == best]
    if len(group) <= 5:
        return [ahead + 1 + order.index(True) for order in permutations(group)]
    chosen = combinations(range(len(group)), sum(group))  # where the mates among the tied ones fall
    return [ahead + 1 + min(places) for places in chosen]


POLICIES = st.tuples(
    st.sampled_from(["pessimistic", "optimistic", "mean"]),
    st.sampled_from(["images", "subjects"]),
    st.sampled_from(["miss", "as_scored"]),
)


@examples(100)
@given(
    case=cases(),
    policies=POLICIES,
    threads=st.sampled_from([1, 2]),
    tile_cells=st.sampled_from([1, 7, 1 << 22]),
)
def test_ranks_and_cmc_are_those_of_the_definition(case, policies, threads, tile_cells):
    ties, counting, on_failure = policies
    rows, unmated, undecidable = naive_outcomes(case, counting, on_failure)
    experiment = case.experiment()
    if not rows and not undecidable:
        with pytest.raises(DesignError, match="No probe has a mate"):
            rank(case.scores(), experiment, check_orientation=False)
        return
    assume(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks_module, "_TILE_CELLS", tile_cells)
        outcomes = rank(
            case.scores(),
            experiment,
            ties=ties,
            counting=counting,
            on_failure=on_failure,
            check_orientation=False,
            threads=threads,
        )

    places = [[INFINITY] if entries is None else possible_places(entries, ties) for _, entries in rows]
    enrolled = [
        i for i in case.everyone if case.is_gallery[i] and not (on_failure == "miss" and case.failed[i])
    ]
    n_ranks = len(enrolled) if counting == "images" else len({case.subjects[i] for i in enrolled})

    assert outcomes.probes.tolist() == [probe for probe, _ in rows]
    assert outcomes.failed.tolist() == [entries is None for _, entries in rows]
    assert outcomes.n_unmated == unmated
    assert outcomes.n_ranks == n_ranks
    assert outcomes.n_gallery_failed == sum(case.is_gallery) - len(enrolled)
    left_out = [note for note in outcomes.notes if "don't-care" in str(note)]
    assert len(left_out) == (undecidable > 0)
    assert all(note["n"] == undecidable for note in left_out)

    for found, possible in zip(outcomes.ranks, places, strict=True):
        expected = INFINITY if possible == [INFINITY] else Fraction(sum(possible), len(possible))
        assert found == (expected if ties != "mean" else pytest.approx(float(expected), abs=1e-12, rel=1e-15))

    curve = CMC()(outcomes)
    assert len(curve.values) == max(n_ranks, 1)
    for tau in range(1, n_ranks + 3):
        success = [Fraction(sum(place <= tau for place in possible), len(possible)) for possible in places]
        rate = sum(success) / len(rows)
        np.testing.assert_allclose(outcomes.success(tau), [float(s) for s in success], rtol=0, atol=1e-12)
        if ties != "mean":
            assert set(outcomes.success(tau).tolist()) <= {0.0, 1.0}
            assert curve.at(tau) == float(rate)
            assert RecognitionRate(tau)(outcomes).value == float(rate)
        assert abs(curve.at(tau) - rate) < 1e-12
        assert abs(RecognitionRate(tau)(outcomes).value - rate) < 1e-12


@examples(30)
@given(case=cases(), counting=st.sampled_from(["images", "subjects"]))
def test_policies_bracket_one_another(case, counting):
    """Optimistic ranks are never above expected ranks, nor these above pessimistic ones."""
    assume(naive_outcomes(case, counting, "miss")[0])
    low, middle, high = (
        rank(
            case.scores(), case.experiment(), ties=ties, counting=counting, check_orientation=False, threads=1
        )
        for ties in ("optimistic", "mean", "pessimistic")
    )
    assert (low.ranks <= middle.ranks).all()
    assert (middle.ranks <= high.ranks).all()
    assert low.n_tied == middle.n_tied == high.n_tied == np.count_nonzero(low.ranks != high.ranks)


@examples(30)
@given(case=cases(), on_failure=st.sampled_from(["miss", "as_scored"]))
def test_counting_subjects_never_gives_a_larger_rank(case, on_failure):
    assume(naive_outcomes(case, "images", on_failure)[0])
    images, subjects = (
        rank(
            case.scores(),
            case.experiment(),
            counting=counting,
            on_failure=on_failure,
            check_orientation=False,
            threads=1,
        )
        for counting in ("images", "subjects")
    )
    assert (subjects.ranks <= images.ranks).all()
    assert np.array_equal(images.failed, subjects.failed)


@examples(30)
@given(case=cases(), ties=st.sampled_from(["pessimistic", "optimistic", "mean"]))
def test_turning_the_orientation_round_changes_nothing(case, ties):
    """Negated scores with the other orientation are the same scores."""
    assume(naive_outcomes(case, "images", "miss")[0])
    signed = case.values.astype(np.float64)
    turned = Case(**{**vars(case), "values": -signed})
    turned.orientation = "distance" if case.orientation == "similarity" else "similarity"
    one, other = (
        rank(c.scores(), c.experiment(), ties=ties, check_orientation=False, threads=1)
        for c in (case, turned)
    )
    assert np.array_equal(one.ranks, other.ranks)
