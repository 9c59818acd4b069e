"""Measures by their names: what tables and JSON write is what can be asked for."""

from __future__ import annotations

import numpy as np
import pytest

import proband as pb
from proband.errors import UsageError
from proband.measures import AUC, EER, FNMR, TAR, MedianCensoredRank, RecognitionRate, measure_named
from proband.measures.base import MEASURES, known_measures, registered_name


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("rank-1", RecognitionRate(1)),
        ("rank@5", RecognitionRate(5)),
        ("Rank 5", RecognitionRate(5)),
        ("recognition rate at rank 7", RecognitionRate(7)),
        ("rank-1-by-person", RecognitionRate(1, "person")),
        ("fnmr@0.001", FNMR(0.001)),
        ("fnmr@1e-3", FNMR(0.001)),
        ("FNMR at FMR 0.01", FNMR(0.01)),
        ("FNMR at an FMR of 0.01", FNMR(0.01)),
        ("FNMR @ 0.01", FNMR(0.01)),
        ("FNMR", FNMR()),
        ("fnmr@0.01-by-person", FNMR(0.01, "person")),
        ("tar@0.01", TAR(0.01)),
        ("TAR at an FMR of 0.01", TAR(0.01)),
        ("eer", EER()),
        ("EER", EER()),
        ("auc", AUC()),
        ("area under the ROC", AUC()),
        ("median-rank@50", MedianCensoredRank(50)),
        ("median-rank-50", MedianCensoredRank(50)),
    ],
)
def test_a_measure_is_known_by_what_is_written(text, measure):
    assert measure_named(text) == measure
    assert MEASURES.find(registered_name(text)) is type(measure)


def test_codes_and_words_of_every_measure_are_accepted():
    for name in known_measures():
        measure = measure_named(name)
        assert measure_named(measure.code) == measure
        assert measure_named(str(measure.estimand)) == measure
        person = measure_named(f"{measure.code}-by-person") if measure.view == "pairs" else measure
        assert person.code.startswith(measure.code)


@pytest.mark.parametrize("text", ["rnak-1", "fnmr 0.001", "tpr@0.001", "recall"])
def test_what_is_not_known_is_answered_with_all_there_is(text):
    with pytest.raises(UsageError, match=f"no measure '{text}'") as refused:
        measure_named(text)
    assert all(name in str(refused.value) for name in known_measures())


def test_a_near_name_is_offered():
    with pytest.raises(UsageError, match="did you mean 'rank-1'"):
        measure_named("rnak-1")


def world(seed: int = 3, people: int = 30, images: int = 3):
    rng = np.random.default_rng(seed)
    ids = [f"{person}-{image}" for person in range(people) for image in range(images)]
    samples = pb.Samples({"id": ids, "subject": [name.partition("-")[0] for name in ids]})
    same = np.array([[a.partition("-")[0] == b.partition("-")[0] for b in ids] for a in ids])
    noise = {name: rng.normal(size=same.shape) for name in ("a", "b")}
    return samples, {
        name: pb.Scores.from_array(
            gap * same + (noise[name] + noise[name].T) / 2, ids, orientation="similarity", name=name
        )
        for name, gap in (("a", 2.2), ("b", 1.8))
    }


DESIGNS = ["auto", "bootstrap"]


@pytest.mark.parametrize("weights", ["probe", "person"])
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_tar_is_one_minus_fnmr(design, weights):
    """The share of genuine pairs at or above the threshold, with the mirrored interval of FNMR."""
    samples, scores = world()
    missed = pb.estimate(scores["a"], samples, measure=FNMR(0.05, weights), design=design)
    found = pb.estimate(scores["a"], samples, measure=TAR(0.05, weights), design=design)
    assert found.value == pytest.approx(1 - missed.value, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((1 - missed.high, 1 - missed.low), abs=1e-12)
    assert found.standard_error == missed.standard_error
    assert found.answers.of == TAR(0.05, weights).estimand
    if found.replicates is not None:
        assert found.replicates == pytest.approx(1 - missed.replicates)


def test_tar_by_hand():
    samples, scores = world()
    everything = np.arange(len(samples))
    values = scores["a"].tile(everything, everything).astype(float)
    people = np.array([name.partition("-")[0] for name in samples.ids])
    upper = np.triu_indices(len(people), 1)
    same = (people[:, None] == people[None, :])[upper]
    genuine, impostor = values[upper][same], values[upper][~same]
    allowed = int(np.floor(0.05 * len(impostor) + 1e-9))
    threshold = np.nextafter(np.sort(impostor)[::-1][allowed], np.inf)
    found = pb.estimate(scores["a"], samples, measure="tar@0.05")
    assert found.value == pytest.approx(float((genuine >= threshold).mean()))
    assert found.rests_on.events == (genuine >= threshold).sum()
    assert TAR(0.05)(scores["a"], samples).value == found.value


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_a_difference_of_tar_is_that_of_fnmr_turned_around(design):
    samples, scores = world()
    fnmr = pb.compare(scores, samples, measure="fnmr@0.05", design=design)
    tar = pb.compare(scores, samples, measure="tar@0.05", design=design)
    (missed,), (found,) = fnmr.pairs, tar.pairs
    assert (found.first, found.second) == (missed.first, missed.second) == ("a", "b")
    assert found.value == pytest.approx(-missed.value)
    assert (found.low, found.high) == pytest.approx((-missed.high, -missed.low))
    assert found.p_value == pytest.approx(missed.p_value)
    assert found.verdict == missed.verdict
    assert (tar.larger_is_better, fnmr.larger_is_better) == (True, False)
    assert pb.gate(scores["a"], samples, baseline=scores["b"], measure="tar@0.05").decision == (
        pb.gate(scores["a"], samples, baseline=scores["b"], measure="fnmr@0.05").decision
    )


def test_sides_and_chosen_pairs_of_tar():
    samples, scores = world()
    (lower,) = pb.compare(scores, samples, measure="tar@0.05", one_sided="lower", pairs=[("b", "a")]).pairs
    (upper,) = pb.compare(scores, samples, measure="fnmr@0.05", one_sided="upper", pairs=[("b", "a")]).pairs
    assert lower.low == pytest.approx(-upper.high)
    assert lower.p_value == pytest.approx(upper.p_value)
    bound = pb.estimate(scores["a"], samples, measure="tar@0.05", one_sided="lower")
    assert bound.low == pytest.approx(
        1 - pb.estimate(scores["a"], samples, measure="fnmr@0.05", one_sided="upper").high
    )
