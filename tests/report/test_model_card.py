"""Results as model cards: what a YAML parser reads is what was found."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

import proband as pb
from proband.errors import UsageError

N = 12
IDS = [f"{side}{k}" for k in range(N) for side in "gp"]
SUBJECTS = [name[1:] for name in IDS]
SAMPLES = pb.Samples(
    {"id": IDS, "subject": SUBJECTS, "session": [1, 2] * N, "sex": ["m", "m", "f", "f"] * (N // 2)}
)
EXPERIMENT = pb.Experiment(SAMPLES, gallery="session == 1")
AWKWARD = 'b: "x" # \x7f\u2028 #\\ é'


def scores(name, noise):
    values = np.equal.outer(SUBJECTS, SUBJECTS) + np.random.default_rng(3).normal(0, noise, (2 * N, 2 * N))
    return pb.Scores.from_array(values, IDS, orientation="similarity", name=name)


A, B = scores("a", 0.3), scores(AWKWARD, 0.6)


def card(result, dataset="faces"):
    """What the head of a README says, and the section below it."""
    head, section = result.to_model_card(dataset).split("---\n")[1:]
    assert result.to_model_card(dataset, format="yaml") == head
    return yaml.safe_load(head)["model-index"], section


def test_an_evaluation():
    category = pb.Category("men", "probe.sex == 'm'")
    found = pb.evaluate([A, B], EXPERIMENT, categories=category, ranks=[1, 2], confidence_level=0.9)
    models, section = card(found)
    assert [one["name"] for one in models] == ["a", AWKWARD]
    for model in models:
        assert [one["dataset"]["name"] for one in model["results"]] == ["faces", "faces: men"]
        for part, category_name in zip(model["results"], (None, "men"), strict=True):
            (entry,) = [one for one in found.of(category_name) if one.algorithm == model["name"]]
            assert part["task"] == {"type": "identification"}
            for metric, rank in zip(part["metrics"], (1, 2), strict=True):
                assert (metric["type"], metric["args"]["rank"]) == (f"rank-{rank}", rank)
                assert metric["value"] == pytest.approx(entry.curve.at(rank), abs=1e-6)
                ends = metric["args"]["low"], metric["args"]["high"]
                assert ends == pytest.approx(entry.interval(rank), abs=1e-6)
                assert metric["args"]["confidence_level"] == 0.9
                assert metric["args"]["varying"] == str(entry.band.answers.varying)
    assert "90% confidence intervals, for new people" in section
    assert section.count("\n| a |") == 4


def test_a_verification():
    found = pb.verify(A, SAMPLES, fmr=[0.1, 1e-5], thresholds=[0.5], n_resamples=0)
    (model,), section = card(found)
    (part,) = model["results"]
    eer, auc, at, small, fixed = part["metrics"]
    assert eer["value"] == pytest.approx(found.rates.eer().value, abs=1e-6)
    assert auc["value"] == pytest.approx(found.rates.auc(), abs=1e-6)
    assert (auc["args"]["low"], auc["args"]["people"]) == (pytest.approx(found.auc.low, abs=1e-6), N)
    assert (at["type"], at["args"]["fmr"], small["args"]["fmr"]) == (
        "fnmr",
        0.1,
        1e-5,
    )  # a number, not a text
    assert at["value"] == pytest.approx(found.points[0].fnmr.value, abs=1e-6)
    assert fixed["args"]["threshold"] == 0.5
    assert "| a | verification | FNMR at FMR 0.1 |" in section
    assert f"| FNMR at FMR 1e-05 | {found.points[1].fnmr.value:.4f} <sup>*</sup> |" in section
    assert "* based on fewer than 30 errors" in section
    assert "reported at the smallest measurable FMR, not at the target" in section


def test_a_classification():
    truth = np.arange(30) % 3
    said = {"net": np.where(np.arange(30) % 7, truth, 0), "flat": np.zeros(30, int)}
    found = pb.classify(truth, said)
    models, _ = card(found, "digits")
    for model in models:
        for metric in model["results"][0]["metrics"]:
            rate = found.rate(model["name"], metric["type"])
            wanted = (rate.value, rate.low, rate.high)
            got = (metric["value"], metric["args"]["low"], metric["args"]["high"])
            assert got == pytest.approx(wanted, abs=1e-6)


def test_a_gate():
    found = pb.gate(A, EXPERIMENT, baseline=B, margin=0.02)
    (model,), section = card(found)
    value, difference = model["results"][0]["metrics"]
    assert value["args"]["decision"] == found.decision
    assert value["args"]["baseline"] == AWKWARD
    assert difference["value"] == pytest.approx(found.difference.value, abs=1e-6)
    assert f"Gate: {found.decision} (margin 0.02" in section
    assert section.count("confidence intervals, for new people") == 1


def test_it_is_the_same_every_time():
    found = pb.evaluate([A, B], EXPERIMENT)
    assert found.to_model_card() == pb.evaluate([A, B], EXPERIMENT).to_model_card()


def test_what_has_no_card_says_what_has_one():
    with pytest.raises(UsageError, match=r"No model card is available for an Estimate(.|\n)*Evaluation"):
        pb.estimate(A, EXPERIMENT, measure="rank-1").to_model_card()
    with pytest.raises(UsageError, match="markdown or yaml"):
        pb.evaluate(A, EXPERIMENT).to_model_card(format="html")
