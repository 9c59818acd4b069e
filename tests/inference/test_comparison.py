from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest

from proband import Experiment, Samples, Scores, rank
from proband.designs import Binomial, Clustered, SignFlip
from proband.errors import DesignError, UsageError
from proband.inference import compare, mcnemar
from proband.inference.comparisons.by_category import too_small
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.comparisons.testing.cochran import cochran_q
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes, tango_interval
from proband.measures import MedianCensoredRank, RecognitionRate


def from_counts(outcomes_of, ss, sf, fs, ff):
    a = np.repeat([0, 0, 1, 1], [ss, sf, fs, ff])
    b = np.repeat([0, 1, 0, 1], [ss, sf, fs, ff])
    return outcomes_of(a, name="a"), outcomes_of(b, name="b")


@pytest.mark.parametrize(
    "counts", [(824, 104, 40, 227), (217, 60, 38, 407), (30, 22, 8, 174), (9, 44, 1, 140)]
)
def test_table_4_of_beveridge_as_a_user_meets_it(outcomes_of, counts):
    a, b = from_counts(outcomes_of, *counts)
    (pair,) = compare([a, b], measure=RecognitionRate(1)).pairs
    assert (pair.n_sf, pair.n_fs) == counts[1:3]
    assert pair.p_value == pytest.approx(mcnemar(*counts[1:3]).p_mid, rel=1e-8)
    assert (pair.low, pair.high) == pytest.approx(tango_interval(PairedOutcomes(*counts)))
    assert pair.verdict == "better"


def test_verdicts(outcomes_of):
    for counts, verdict in (
        ((50, 30, 2, 18), "better"),
        ((50, 2, 30, 18), "worse"),
        ((9000, 3, 3, 994), "equivalent"),
        ((50, 5, 4, 41), "undecided"),
        ((60, 0, 0, 40), "undecided"),
    ):
        (pair,) = compare(from_counts(outcomes_of, *counts), measure=RecognitionRate(1)).pairs
        assert pair.verdict == verdict
        said = str(pair.sentence())
        assert verdict.rstrip("t") in said or verdict in said
        tells = pair.n_discordant_subjects != 0  # where nobody does, nothing is known of how many it takes
        assert (pair.subjects_needed is not None) == (verdict == "undecided" and tells)
        assert ("no person was recognised by only one of the two algorithms" in said.lower()) == (not tells)


def test_people_needed_shrink_with_the_margin(outcomes_of):
    pair = from_counts(outcomes_of, 50, 5, 4, 41)
    wide = compare(pair, measure=RecognitionRate(1), margin=0.02).pairs[0].subjects_needed
    narrow = compare(pair, measure=RecognitionRate(1), margin=0.01).pairs[0].subjects_needed
    assert narrow == pytest.approx(4 * wide, rel=0.05)


def test_shared_people_widen_the_interval(outcomes_of):
    rng = np.random.default_rng(0)
    a, b = (np.repeat(rng.random(40) < 0.7, 5) for _ in range(2))
    subjects = np.repeat(np.arange(40), 5)
    clustered = compare(
        [outcomes_of(~a, subjects, "a"), outcomes_of(~b, subjects, "b")], measure=RecognitionRate(1)
    ).pairs[0]
    alone = compare([outcomes_of(~a, name="a"), outcomes_of(~b, name="b")], measure=RecognitionRate(1)).pairs[
        0
    ]
    assert clustered.high - clustered.low == pytest.approx(np.sqrt(5) * (alone.high - alone.low), rel=0.2)
    assert clustered.p_value > alone.p_value


def test_holm_against_a_plain_loop():
    rng = np.random.default_rng(1)
    for _ in range(50):
        p = rng.random(6) ** 3
        order = np.argsort(p)
        running, expected = 0.0, np.empty(6)
        for step, place in enumerate(order):
            running = max(running, (6 - step) * p[place])
            expected[place] = min(1.0, running)
        assert holm(p) == pytest.approx(expected)


def test_cochran_q_against_its_definition_and_enumeration():
    success = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    k, columns, rows = 3, success.sum(axis=0), success.sum(axis=1)
    expected = k * (k - 1) * ((columns - columns.mean()) ** 2).sum() / (k * rows.sum() - (rows**2).sum())
    found = cochran_q(success, np.arange(6))
    assert found.statistic == pytest.approx(expected)
    clustered = cochran_q(success, np.array([0, 0, 1, 1, 2, 2]))
    sums = np.array([success[0:2].sum(axis=0), success[2:4].sum(axis=0), success[4:6].sum(axis=0)])
    orders = [list(order) for order in permutations(range(3))]
    totals = [
        ((sums[0][a] + sums[1][b] + sums[2][c]) ** 2).sum() for a in orders for b in orders for c in orders
    ]
    assert clustered.p_value == pytest.approx(
        np.mean(np.array(totals) >= (columns**2).sum() - 1e-9), abs=0.02
    )


def test_several_algorithms(outcomes_of):
    rng = np.random.default_rng(2)
    made = [
        outcomes_of(rng.random(300) > rate, name=name) for name, rate in (("x", 0.9), ("y", 0.88), ("z", 0.3))
    ]
    found = compare(made, measure=RecognitionRate(1))
    assert len(found.pairs) == 3
    assert found.overall.p_value < 1e-10
    assert found.places() == {"x": (1, 2), "y": (1, 2), "z": (3, 3)}
    assert found.beaten_by("x") == ["z"]
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_frame().height == 3


def test_refusals(outcomes_of):
    a, b = from_counts(outcomes_of, 5, 5, 5, 5)
    with pytest.raises(UsageError, match="at least two"):
        compare([a], measure=RecognitionRate(1))
    with pytest.raises(UsageError, match="names of their own"):
        compare([a, a], measure=RecognitionRate(1))
    with pytest.raises(DesignError, match="same probes"):
        compare([a, outcomes_of(np.zeros(7), name="c")], measure=RecognitionRate(1))
    with pytest.raises(DesignError, match="is for rates"):
        compare([a, b], measure=MedianCensoredRank(), design=SignFlip())
    with pytest.raises(UsageError, match="does not compare"):
        compare([a, b], measure=RecognitionRate(1), design=Clustered())
    with pytest.raises(UsageError, match="margin"):
        compare([a, b], measure=RecognitionRate(1), margin=5)


def test_compared_by_category_by_example() -> None:
    ids = [f"{side}{k}" for side in "gp" for k in range(40)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids], "sex": ["f", "m"] * 40})
    values = {"a": np.eye(40), "b": np.where(np.arange(40)[:, None] % 2, 0.5, np.eye(40))}
    scores = [
        Scores.from_array(v, ids[40:], ids[:40], orientation="similarity", name=n) for n, v in values.items()
    ]
    found = compare(scores, Experiment(samples, gallery=ids[:40]), measure=RecognitionRate(1), by="sex")
    assert {one.category: (one.pairs[0].value, one.pairs[0].verdict) for one in found.comparisons} == {
        None: (0.5, "better"),
        "sex f": (0.0, "undecided"),
        "sex m": (1.0, "better"),
    }


def test_too_small_by_example() -> None:
    samples = Samples({"id": ["a1", "a2", "b1"], "subject": list("aab")})
    scores = Scores.from_array([[0.9, 0.1]], ["a2"], ["a1", "b1"], orientation="similarity")
    outcomes = rank(scores, Experiment(samples, gallery=["a1", "b1"], probes=["a2"]))
    assert (too_small("late", outcomes, "auto").code, too_small("late", outcomes, Binomial())) == (
        "comparison.category-too-small",
        None,
    )
