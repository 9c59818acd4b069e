"""Chosen pairs, categories together, and one-sided bounds of differences: what is adjusted for what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom
from tests.examples import some

from proband import Experiment, Samples, Scores, compare, estimate, evaluate, verify
from proband.designs import Binomial, Bootstrap
from proband.errors import DesignError, UsageError
from proband.inference.comparisons import paired
from proband.inference.comparisons.chosen_pairs import chosen_pairs, pair_named
from proband.inference.comparisons.testing.curves import Student
from proband.inference.comparisons.verdicts import judged
from proband.measures import FNMR, RecognitionRate
from proband.words import Method

NAMES = ["net", "net-a", "net-b", "a", "b"]


@pytest.fixture(scope="module")
def study() -> tuple[list[Scores], Experiment]:
    rng = np.random.default_rng(3)
    people, probes = 24, 3
    ids = [f"g{k}" for k in range(people)] + [f"p{k}-{j}" for k in range(people) for j in range(probes)]
    subject = [one[1:].split("-")[0] for one in ids]
    samples = Samples(
        {
            "id": ids,
            "subject": subject,
            "sex": ["fm"[int(one) % 2] for one in subject],
            "late": [one.endswith("-2") for one in ids],
        }
    )
    alike = np.array(
        [
            [subject[people + row] == subject[column] for column in range(people)]
            for row in range(people * probes)
        ]
    )
    made = [
        Scores.from_array(
            rng.normal(size=alike.shape) + lift * alike,
            ids[people:],
            ids[:people],
            orientation="similarity",
            name=name,
        )
        for name, lift in (("strong", 3.2), ("middling", 2.4), ("weak", 1.4))
    ]
    return made, Experiment(samples, gallery=ids[:people])


def test_names_may_hold_hyphens() -> None:
    assert pair_named("net-a-net-b", NAMES) == ("net-a", "net-b")
    assert pair_named("a - b", NAMES) == ("a", "b")
    with pytest.raises(UsageError, match="net and a-b, or as net-a and b") as caught:
        pair_named("net-a-b", [*NAMES, "a-b"])
    assert "against" in str(caught.value.hint)
    with pytest.raises(UsageError, match="no algorithm 'c'"):
        pair_named("a-c", NAMES)
    with pytest.raises(UsageError, match="does not name two"):
        pair_named("ab", NAMES)


def test_pairs_that_cannot_be_chosen() -> None:
    assert chosen_pairs(NAMES) is None
    with pytest.raises(UsageError, match="with itself"):
        chosen_pairs(NAMES, [("a", "a")])
    with pytest.raises(UsageError, match="listed twice"):
        chosen_pairs(NAMES, [("a", "b"), ("b", "a")])
    with pytest.raises(UsageError, match="listed twice"):
        chosen_pairs(NAMES, [("a", "b")], against="b")


@pytest.mark.parametrize("measure", [RecognitionRate(1), FNMR(0.1)])
def test_a_chosen_pair_by_itself_is_what_two_algorithms_alone_are(study: Any, measure: Any) -> None:
    scores, experiment = study
    alone = compare([scores[0], scores[2]], experiment, measure=measure).pairs[0]
    found = compare(scores, experiment, measure=measure, pairs=[("strong", "weak")])
    (chosen,) = found.pairs
    for field in ("value", "low", "high", "p_value", "p_adjusted", "n_sf", "verdict"):
        assert getattr(chosen, field) == getattr(alone, field), field
    (turned,) = compare(scores, experiment, measure=measure, pairs=[("weak", "strong")]).pairs
    assert turned.value == pytest.approx(-alone.value)
    assert (turned.low, turned.high) == pytest.approx((-alone.high, -alone.low), abs=1e-6)
    assert not found.all_pairs
    assert found.tie_groups() == []  # nothing is said of pairs that were not compared


def test_two_chosen_pairs_are_adjusted_for_two(study: Any) -> None:
    scores, experiment = study
    found = compare(scores, experiment, measure=RecognitionRate(1), against="weak")
    assert [(one.first, one.second, one.n_compared) for one in found.pairs] == [
        ("strong", "weak", 2),
        ("middling", "weak", 2),
    ]
    for one in found.pairs:
        assert one.p_value <= one.p_adjusted <= min(1.0, 2 * one.p_value) + 1e-12
    assert "comparison.chosen-pairs" in [note.code for note in found.notes]


def test_categories_are_adjusted_for_their_number(study: Any) -> None:
    scores, experiment = study
    found = compare(scores[:2], experiment, measure=RecognitionRate(1), by="sex")
    assert found.categories == (None, "sex f", "sex m")
    assert found[None].pairs[0].p_adjusted == found[None].pairs[0].p_value
    for name in ("sex f", "sex m"):
        one = found[name].pairs[0]
        assert one.p_adjusted == pytest.approx(min(1.0, 2 * one.p_value))
        assert one.told_apart == (one.low > 0 or one.high < 0) == (one.p_adjusted <= 0.05)
    assert found.to_frame()["category"].to_list() == [None, "sex f", "sex m"]
    plain = compare(scores[:2], experiment, measure=RecognitionRate(1), by="sex", adjust="none")
    assert plain["sex f"].pairs[0].p_adjusted == plain["sex f"].pairs[0].p_value


def test_measures_of_pairs_have_no_categories_of_probes(study: Any) -> None:
    scores, experiment = study
    with pytest.raises(DesignError, match="Categories apply to probes"):
        compare(scores, experiment, measure=FNMR(0.1), by="sex")


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("design", some(["auto", "mcnemar", "obuchowski", "brr", "bootstrap"], 2))
def test_bound_and_p_value_agree_on_either_side(study: Any, side: Any, design: str) -> None:
    scores, experiment = study
    whole = compare(scores, experiment, measure=RecognitionRate(1), design=design)
    for level in (0.9, 0.95, 0.99):
        found = compare(
            scores,
            experiment,
            measure=RecognitionRate(1),
            design=design,
            one_sided=side,
            confidence_level=level,
        )
        for one, both in zip(found.pairs, whole.pairs, strict=True):
            passes = one.low > 0 if side == "lower" else one.high < 0
            assert passes == (one.p_adjusted <= 1 - level + 1e-15), (one, level)
            assert one.side == side
            half = both.p_value / 2
            assert one.p_value == pytest.approx(half if (both.value > 0) == (side == "lower") else 1 - half)
            assert one.to_dict()["side"] == side
            assert (one.high if side == "lower" else one.low) == (1.0 if side == "lower" else -1.0)
    assert "side" not in whole.pairs[0].to_dict()


def test_one_sided_bound_is_the_normal_one_in_closed_form() -> None:
    tested = paired.Tested(0.05, Student(0.05, 0.02, None), 0.02, Method("t", "a test"))
    (pair,) = judged([("a", "b", 100, tested)], 0.01, 0.95, True, True, side="lower")
    assert pair.low == pytest.approx(0.05 - ndtri(0.95) * 0.02)
    assert pair.p_value == pytest.approx(0.00620966532577613)  # P[z ≥ 2.5]
    several = judged([("a", "b", 100, tested), ("a", "c", 100, tested)], 0.01, 0.95, True, True, side="lower")
    assert several[0].low == pytest.approx(0.05 - ndtri(0.975) * 0.02)
    assert several[0].p_adjusted == pytest.approx(2 * pair.p_value)


def test_one_sided_estimates_in_closed_form(study: Any) -> None:
    scores, experiment = study
    (weak,) = [one for one in scores if one.name == "weak"]
    plain = estimate(weak, experiment, measure=RecognitionRate(1), design=Binomial())
    n, hits = plain.facts.n_probes, plain.rests_on.events
    found = estimate(weak, experiment, measure=RecognitionRate(1), design=Binomial(), one_sided="lower")
    z = ndtri(0.95)
    p = hits / n
    wilson = (p + z * z / (2 * n) - z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    assert found.low == pytest.approx(wilson, rel=1e-9)
    assert (found.high, found.confidence_level, found.to_dict()["side"]) == (1.0, 0.95, "lower")
    exact = estimate(
        weak, experiment, measure=RecognitionRate(1), design=Binomial("clopper-pearson"), one_sided="upper"
    )
    assert binom.cdf(hits, n, exact.high) == pytest.approx(0.05, rel=1e-6)  # the p-value of the bound itself
    assert exact.low == 0.0
    drawn = estimate(
        weak,
        experiment,
        measure="median-rank@10",
        design=Bootstrap("subject", n_resamples=500),
        one_sided="lower",
    )
    assert drawn.high == float("inf")
    assert drawn.to_dict()["high"] is None
    assert drawn.extended(1000).side == "lower"
    with pytest.raises(UsageError, match=r"above 0\.5"):
        estimate(weak, experiment, measure=RecognitionRate(1), one_sided="lower", confidence_level=0.4)


def test_evaluations_are_bounded_at_every_rank(study: Any) -> None:
    scores, experiment = study
    found = evaluate(scores, experiment, by="sex", one_sided="lower")
    both = evaluate(scores, experiment, by="sex", confidence_level=0.9)
    assert found.categories == (None, "sex f", "sex m")
    for one, other in zip(found.entries, both.entries, strict=True):
        np.testing.assert_array_equal(one.band.low, other.band.low)
        assert (one.band.high == 1).all()
        assert one.to_dict()["side"] == "lower"


def test_verification_by_group_is_that_of_the_command(study: Any) -> None:
    scores, experiment = study
    found = verify(scores[0], experiment, fmr=0.1, n_resamples=0, by="sex")
    (groups,) = found.groups
    assert [one.group for one in groups.groups] == ["f", "m"]
    assert found.to_dict()["groups"][0]["column"] == "sex"
    assert "groups" not in verify(scores[0], experiment, fmr=0.1, n_resamples=0).to_dict()
