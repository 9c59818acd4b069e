"""Galleries and probe sets: disjoint, not empty, and with the universe told."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import DesignError
from proband.samples import Experiment, OnePerSubject, Samples
from proband.words import Sentence


@pytest.fixture
def samples() -> Samples:
    return Samples(
        {
            "id": ["a1", "a2", "a3", "b1", "b2", "c1"],
            "subject": ["a", "a", "a", "b", "b", "c"],
            "session": [1, 2, 3, 1, 2, 2],
            "age": [1, None, 3, 4, 5, 6],
        }
    )


def test_probes_are_all_others_unless_chosen(samples):
    experiment = Experiment(samples, gallery="session == 1")
    assert experiment.gallery.tolist() == [0, 3]
    assert experiment.probes.tolist() == [1, 2, 4, 5]
    assert experiment.mated.tolist() == [True, True, True, False]
    assert experiment.universe == "open"
    assert experiment.n_gallery_subjects == 2
    assert experiment.probe_rule == "all samples that are not in the gallery"


def test_closed_universe(samples):
    experiment = Experiment(samples, "session == 1", "session > 1 and subject != 'c'")
    assert experiment.universe == "closed"
    assert experiment.mated.all()
    assert "closed universe" in repr(experiment)


def test_several_images_of_a_person_are_one_subject(samples):
    experiment = Experiment(samples, ["a1", "a2", "b1"], ["a3"])
    assert experiment.n_gallery_subjects == 2
    assert len(experiment.gallery) == 3


def test_shared_samples_are_refused_and_named(samples):
    with pytest.raises(
        DesignError, match="2 samples are in the gallery and in the probe set: 'a2', 'b2'"
    ) as caught:
        Experiment(samples, gallery=["a2", "b2", "a1"], probes="session == 2")
    assert "disjoint" in caught.value.hint


@pytest.mark.parametrize(
    ("gallery", "probes", "message"),
    [
        ("session == 9", None, "The gallery is empty: 'session == 9' selects no sample"),
        ([], None, "The gallery is empty"),
        (np.zeros(6, dtype=bool), None, "The gallery is empty"),
        ("session == 1", "session == 9", "The probe set is empty: 'session == 9' selects no sample"),
        ("all", None, "The probe set is empty"),
    ],
)
def test_empty_sets_are_refused(samples, gallery, probes, message):
    with pytest.raises(DesignError, match=message):
        Experiment(samples, gallery, probes)


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("sex == 'f'", "the column 'sex' has no 'f'; did you mean 'F'?"),
        ("sex == 'other' and session == 1", "the column 'sex' has no 'other'; available: 'F', 'M'."),
        ("session in [7, 9]", "the column 'session' has no 7; available: 1 and 2."),
        ("9 == col('session')", "the column 'session' has no 9; available: 1 and 2."),
        (OnePerSubject(where="sex == 'f'"), "the column 'sex' has no 'f'; did you mean 'F'?"),
        ("sex == 'F' and sex == 'M'", None),
        ("session > 5", None),
    ],
)
def test_a_condition_that_nothing_meets_is_answered_with_the_values_there_are(condition, hint):
    made = {"id": list("abcd"), "subject": list("ppqq"), "session": [1, 2, 1, 2], "sex": list("FFMM")}
    with pytest.raises(DesignError, match=r"The gallery is empty: .* selects no sample") as caught:
        Experiment(Samples(made), condition)
    assert caught.value.hint == hint


def test_a_gallery_of_all_leaves_no_probes(samples):
    with pytest.raises(DesignError, match="every sample to search for is in the gallery") as caught:
        Experiment(samples, "all")
    assert "gallery='one_per_subject'" in str(caught.value)


def test_an_empty_set_for_want_of_values_says_so(samples):
    with pytest.raises(DesignError, match="The gallery is empty") as caught:
        Experiment(samples, gallery="age > 100")
    assert "1 sample was left out of the gallery set" in caught.value.hint


def test_undecided_samples_are_noted(samples):
    experiment = Experiment(samples, gallery="age <= 4", probes="age > 4")
    assert tuple(map(str, experiment.notes)) == (
        "1 sample was left out of the gallery set: 'age <= 4' cannot be decided for it, since a value is missing or cannot be calculated",
        "1 sample was left out of the probe set: 'age > 4' cannot be decided for it, since a value is missing or cannot be calculated",
    )
    assert Experiment(samples, OnePerSubject()).notes == ()


def test_restricted(samples):
    whole = Experiment(samples, OnePerSubject())
    part = whole.restricted(probes=[1], note=Sentence("test.only", "note", "only one")())
    assert part.probes.tolist() == [1]
    assert part.gallery.tolist() == whole.gallery.tolist()
    assert tuple(map(str, part.notes)) == ("only one",)
    assert whole.notes == ()
    assert whole.restricted(gallery=iter([0])).gallery.tolist() == [0]
    for bad in ({"probes": []}, {"gallery": [1]}):
        with pytest.raises(DesignError):
            whole.restricted(**bad)


def test_arrays_cannot_be_changed(samples):
    experiment = Experiment(samples, OnePerSubject())
    for array in (
        experiment.gallery,
        experiment.probes,
        experiment.mated,
        experiment.restricted(probes=[1]).probes,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_repr(samples):
    assert repr(Experiment(samples, "session == 1")) == (
        "Experiment(gallery: 2 samples of 2 subjects; probes: 4 samples of 3 subjects; "
        "open universe: 1 probe has no mate)"
    )
    assert "2 probes have no mate" in repr(Experiment(samples, ["c1"], ["a1", "b1"]))
