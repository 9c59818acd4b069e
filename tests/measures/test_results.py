"""What results carry: the four answers, facts, plain values; and that nothing in them can be changed."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import polars as pl
import pytest

from proband._version import __version__
from proband.measures import (
    CMC,
    Curve,
    MedianCensoredRank,
    MedianRelativeRank,
    RecognitionRate,
    average_cmc,
    upper_bound_cmc,
)

INF = float("inf")
MEASURES = [RecognitionRate(), CMC(), MedianCensoredRank(), MedianRelativeRank()]


@pytest.fixture
def outcomes(outcomes_with_ranks):
    return outcomes_with_ranks([1, 2, 3, 3, INF], name="net")


@pytest.fixture
def curve(outcomes) -> Curve:
    return CMC()(outcomes)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
def test_the_four_answers(outcomes, measure):
    answers = measure(outcomes).answers
    assert answers.of == measure.estimand
    for answer in (answers.varying, answers.fixed, answers.assuming):
        assert answer.key
        assert str(answer).strip()


def test_facts(outcomes):
    facts = RecognitionRate()(outcomes).facts
    assert dataclasses.asdict(facts) == {
        "algorithm": "net",
        "n_probes": 5,
        "n_probe_subjects": 5,
        "n_gallery_images": 20,
        "n_gallery_subjects": 20,
        "n_ranks": 20,
        "n_failed": 1,
        "n_gallery_failed": 0,
        "n_unmated": 0,
        "n_tied": 0,
        "ties": "pessimistic",
        "counting": "images",
        "on_failure": "miss",
        "universe": "closed",
        "gallery_rule": "a mask of 20 samples",
        "probe_rule": "all samples that are not in the gallery",
        "experiment": outcomes.experiment.fingerprint,
        "notes": (),
        "metric": None,
        "compared": None,
        "n_probes_marked": 1,
        "version": __version__,
    }


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
def test_results_are_ready_for_json(outcomes, measure):
    plain = json.loads(json.dumps(measure(outcomes).to_dict(), allow_nan=False))
    assert set(plain["answers"]) == {"of", "varying", "fixed", "assuming"}
    assert plain["facts"]["n_probes"] == 5
    assert plain["facts"]["notes"] == []


def test_an_infinite_median_is_ready_for_json_too(outcomes_with_ranks):
    result = MedianRelativeRank()(outcomes_with_ranks([1, INF, INF]))
    assert result.value == INF
    json.dumps(result.to_dict(), allow_nan=False)


def test_json_holds_the_values(outcomes):
    rate = RecognitionRate(2)(outcomes).to_dict()
    assert (rate["value"], rate["events"]) == (0.4, 2.0)
    assert MedianCensoredRank()(outcomes).to_dict()["events"] is None
    assert CMC(4)(outcomes).to_dict()["values"] == [0.2, 0.4, 0.8, 0.8]


def test_reprs_speak_for_themselves(outcomes):
    assert repr(RecognitionRate()(outcomes)) == "net: recognition rate at rank 1 = 0.2 (1 of 5)"
    assert repr(MedianCensoredRank()(outcomes)) == "net: median rank censored at 10 = 3"
    assert repr(CMC()(outcomes)) == "net: CMC of 5 probes, rank 1: 0.2000, rank 5: 0.8000, rank 10: 0.8000"
    assert repr(CMC(7)(outcomes)) == "net: CMC of 5 probes, rank 1: 0.2000, rank 5: 0.8000"
    assert float(RecognitionRate()(outcomes)) == 0.2


def test_curve_as_a_frame(curve):
    frame = curve.to_frame()
    assert frame.schema == {"algorithm": pl.String, "rank": pl.Int64, "value": pl.Float64}
    assert frame["algorithm"].unique().to_list() == ["net"]
    assert frame["rank"].to_list() == list(range(1, 21))
    assert frame["value"].to_list() == curve.values.tolist()


def test_a_curve_under_another_name(curve):
    other = curve.named("other")
    assert (other.facts.algorithm, curve.facts.algorithm) == ("other", "net")
    assert other.values.tolist() == curve.values.tolist()


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
def test_results_are_frozen(outcomes, measure):
    result = measure(outcomes)
    for owner in (result, result.answers, result.facts, measure):
        for field in dataclasses.fields(owner):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(owner, field.name, None)


@pytest.mark.parametrize("make", [lambda c: c, lambda c: average_cmc([c, c]), lambda c: upper_bound_cmc([c])])
def test_the_values_of_a_curve_cannot_be_changed(curve, make):
    with pytest.raises(ValueError, match="read-only"):
        make(curve).values[0] = 1


@pytest.mark.parametrize("ties", ["pessimistic", "mean"])
def test_repeating_a_measurement_gives_the_same_bits(outcomes_with_ranks, ties):
    rng = np.random.default_rng(5)
    ranks = [float(r) for r in rng.integers(1, 21, 200)]
    one, other = (CMC()(outcomes_with_ranks(ranks, ties=ties)).values for _ in range(2))
    assert one.tobytes() == other.tobytes()
