"""Identification of people who were not trained on: against a naive re-implementation, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from proband.algorithms import recognizer
from proband.errors import DesignError, InputError, UsageError
from proband.protocols.audit.audit import audit
from proband.protocols.cards.card import FORMAT, ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.levels import Level
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.protocols.running.what_if import what_if
from proband.protocols.splits.files import read_splits, write_splits
from proband.protocols.splits.splits import Split, splitter
from proband.samples import Samples

NEAREST = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
SPACE = f"sklearn.decomposition:PCA(n_components=3)+{NEAREST}"
Floats = npt.NDArray[np.float64]


def table(n_people: int = 12, images: int = 5, few: int = 0) -> FeatureTable:
    """Vectors of people, the last few of whom have two images."""
    rng = np.random.default_rng(4)
    who = np.concatenate(
        [np.repeat(np.arange(n_people), images), np.repeat(np.arange(n_people, n_people + few), 2)]
    )
    vectors = 1.5 * rng.normal(size=(n_people + few, 8))[who] + rng.normal(size=(len(who), 8))
    people = Samples({"id": range(len(who)), "subject": [f"p{k:02d}" for k in who]})
    return FeatureTable(people, features=vectors, name="toy")


def pictures(n_people: int = 9, images: int = 4) -> FeatureTable:
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(n_people), images)
    grey = 60 * rng.normal(size=(n_people, 16, 14))[who] + 40 * rng.normal(size=(len(who), 16, 14)) + 128
    samples = Samples({"id": range(len(who)), "subject": who})
    return FeatureTable(samples, images=np.clip(grey, 0, 255).astype(np.uint8), name="grey")


def principal_axes(train: Floats, n: int) -> tuple[Floats, Floats]:
    """The mean and the leading axes, from the covariance matrix."""
    mean = train.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov((train - mean).T))
    return mean, axes[:, ::-1][:, :n]


def naive(data: FeatureTable, split: Split, n_axes: int) -> float:
    """Learn a space from the training people; enrol and search in it, one probe at a time."""
    mean, axes = principal_axes(data.vectors[split.train], n_axes)
    right = 0
    for probe in split.test:
        code = (data.vectors[probe] - mean) @ axes
        apart = [np.sqrt((((data.vectors[k] - mean) @ axes - code) ** 2).sum()) for k in split.enrolled]
        right += data.subjects[split.enrolled[int(np.argmin(apart))]] == data.subjects[probe]
    return right / len(split.test)


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("protocol", ["2×4f CV+", "3×75-25 HO+"])
def test_accuracies_are_those_of_principal_axes_and_the_nearest_enrolled_image(
    protocol: str, each: int
) -> None:
    data = table()
    run = run_protocol({"space": SPACE}, data, protocol, seed=7, enrolled_each=each)
    made = list(splitter(protocol, seed=7, enrolled_each=each).splits(data.subjects, data.subjects))
    expected = [naive(data, split, 3) for split in made]
    assert np.ravel(run.results[0].accuracies) == pytest.approx(expected)
    assert 0.3 < np.mean(expected) < 1  # otherwise nothing is tried


def test_every_split_enrols_some_images_of_each_held_out_person_and_tests_the_others() -> None:
    data = table(few=2)
    people = data.subjects
    for split in splitter("3×4f CV+", seed=1, enrolled_each=2).splits(people, people):
        assert split.enrolled is not None
        parts = [set(part.tolist()) for part in (split.train, split.enrolled, split.test)]
        assert sum(map(len, parts)) == len(set.union(*parts)) == len(data)
        held_out = set(people[split.enrolled])
        assert not held_out & set(people[split.train])
        assert set(people[split.test]) <= held_out
        for person in held_out:
            n = int((people == person).sum())
            assert (people[split.enrolled] == person).sum() == min(2, n)
    first, again = (
        list(splitter("4f CV+", seed=3, enrolled_each=1).splits(people, people)) for _ in range(2)
    )
    assert [split.mark for split in first] == [split.mark for split in again]
    folds = list(splitter("2×4f CV+", seed=3, enrolled_each=1).splits(people, people))
    assert np.concatenate([split.enrolled for split in folds[:4]]).tolist() != (
        np.concatenate([split.enrolled for split in folds[4:]]).tolist()
    )  # every repeat draws others


@pytest.mark.parametrize("name", ["pca:l2", "lda:l2", "correlation", "lbp:chi2", "lbp:nbnn", "src"])
def test_recognisers_are_fitted_on_other_people_and_search_among_those_enrolled(name: str) -> None:
    data = pictures()
    run = run_protocol([name], data, "3f CV+", seed=2)
    labels = data.subjects
    crops = data.crops(labels, name)
    for split, accuracy in zip(
        splitter("3f CV+", seed=2, enrolled_each=1).splits(labels, labels),
        np.ravel(run.results[0].accuracies),
        strict=True,
    ):
        train, enrolled, test = (
            crops.take([crops.ids[k] for k in part]) for part in (split.train, split.enrolled, split.test)
        )
        closeness, people = recognizer(name, mask=False).fit(train).class_scores(test, enrolled)
        said = np.array(people)[closeness.argmax(axis=1)]
        assert accuracy == pytest.approx((said == labels[split.test]).mean())
        assert set(people) == set(labels[split.enrolled])


def test_a_result_states_among_how_many_people_is_searched() -> None:
    data = table(few=3)
    run = run_protocol({"near": NEAREST, "space": SPACE}, data, ["2×3f CV+", "80-20 HO"], enrolled_each=2)
    apart, mixed = run.findings
    assert apart.enrolment is not None
    assert mixed.enrolment is None
    assert apart.enrolment.images_each == 2
    assert apart.enrolment.people == (5, 5)
    assert apart.enrolment.never_searched == ("p12", "p13", "p14")
    codes = [note.code for note in run.notes]
    for code in ("protocols.enrolled", "protocols.gallery", "protocols.never-searched"):
        assert code in codes
    answers = apart.results[0].pooled.answers
    assert (answers.varying.key, answers.fixed.key) == ("people-searched", "trained-and-enrolled")
    assert apart.on_people is not None
    assert apart.on_people.answers.varying.key == "people-searched"
    assert mixed.results[0].pooled.answers.varying.key == "people-trained-on"
    assert apart.results[0].pooled.rests_on.n_units == 12  # who can be searched for
    assert apart.imbalance.share is None
    assert apart.epd.experiments.answer == "yes"
    assert not run.drops  # fewer people are told apart: nothing to compare
    plain = json.loads(json.dumps(run.to_dict(), allow_nan=False))["protocols"]
    assert plain[0]["enrolment"]["people"] == [5, 5]
    assert plain[0]["sizes"]["enrolled_subjects"] == [5, 5]
    assert "enrolment" not in plain[1]
    assert "n_enrolled" not in plain[1]["sizes"]


def test_results_do_not_depend_on_threads_or_the_cache(tmp_path: Path) -> None:
    data = table()
    runs = [
        run_protocol({"near": NEAREST}, data, "2×3f CV+", enrolled_each=2, threads=threads, cache=cache)
        for threads, cache in ((1, None), (2, tmp_path), (1, tmp_path))
    ]
    assert len({str(run.predictions().rows()) for run in runs}) == 1
    other = run_protocol({"near": NEAREST}, data, "2×3f CV+", cache=tmp_path)
    assert (
        other.predictions().height > runs[0].predictions().height
    )  # fewer are enrolled, so more are searched


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("LOSO", "one person at a time"),
        ("LOO+", "one sample at a time"),
        ("LOO(5,5)+", "one sample at a time"),
        ("20-5 HO**/all+", "counts test samples"),
        ("7f CV+", "one person at a time of 12"),
        ("92-8 HO+", "one person is held out"),
    ],
)
def test_protocols_that_leave_nobody_to_tell_apart_are_refused(protocol: str, said: str) -> None:
    with pytest.raises(DesignError, match=said):
        run_protocol({"near": NEAREST}, table(), protocol)


def test_what_cannot_be_enrolled_is_refused() -> None:
    data = table()
    with pytest.raises(UsageError, match="can only name people it was trained on") as refusal:
        run_protocol({"svm": "sklearn.svm:SVC()"}, data, "3f CV+")
    assert "pca:angle" in refusal.value.told("python")[1]
    with pytest.raises(UsageError, match="so images of other people would decide"):
        run_protocol({"near": "sklearn.neighbors:KNeighborsClassifier(n_neighbors=3)"}, data, "3f CV+")
    with pytest.raises(UsageError, match="can only name"):
        run_protocol({"chain": "sklearn.decomposition:PCA()+sklearn.svm:SVC()"}, data, "3f CV+")
    with pytest.raises(UsageError, match="a subject-disjoint protocol, and no protocol here is one"):
        run_protocol({"near": NEAREST}, data, "3f CV", enrolled_each=2)
    with pytest.raises(DesignError, match="so there are no probes"):
        run_protocol({"near": NEAREST}, data, "3f CV+", enrolled_each=5)
    with pytest.raises(DesignError, match="are not comparable"):
        what_if(NEAREST, data, "mixed", "3f CV", task="identity")
    maker = splitter("3f CV+", enrolled_each=1)
    with pytest.raises(UsageError, match="subjects as the classes"):
        maker.splits(np.tile(["a", "b"], 30), data.subjects)
    with pytest.raises(UsageError, match="no enrolment"):
        maker.split(data.vectors, data.subjects, data.subjects)
    with pytest.raises(UsageError, match="trains on the people it tests"):
        splitter("3f CV", enrolled_each=1)


def test_a_second_data_set_is_enrolled_and_searched() -> None:
    data = table()
    there = np.where(data.samples.codes < 6, "one", "two")
    samples = Samples(data.samples.frame.with_columns(dataset=there))
    run = run_protocol(
        {"space": SPACE}, FeatureTable(samples, features=data.features), "train(one) test(two)+"
    )
    assert run.findings[0].enrolment is not None
    assert run.findings[0].enrolment.people == (6, 6)
    assert set(run.predictions()["predicted"]) <= {f"p{k:02d}" for k in range(6, 12)}


def test_splits_are_written_read_and_audited_with_who_is_enrolled(tmp_path: Path) -> None:
    data = table()
    made = list(splitter("3f CV+", enrolled_each=1).splits(data.subjects, data.subjects))
    for name in ("splits.csv", "splits"):
        write_splits(tmp_path / name, data.samples, made)
        again = read_splits(tmp_path / name).splits(data.samples)
        assert [split.mark for split in again] == [split.mark for split in made]
    found = audit(made, data.samples, protocol="3f CV+")
    assert not [finding for finding in found.findings if finding.severity == "fault"]


def test_estimators_that_are_classifiers_of_their_own_still_need_a_space() -> None:
    # A linear discriminant names people it knows; as a space it serves strangers.
    lda = "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()"
    with pytest.raises(UsageError, match="can only name"):
        run_protocol([lda], table(), "3f CV+")
    run = run_protocol(
        {"fisher": f"{lda}+{NEAREST}", "centre": "sklearn.neighbors:NearestCentroid()"}, table(), "3f CV+"
    )
    assert [result.accuracy > 0.3 for result in run.results] == [True, True]


def test_cards_state_how_many_samples_are_enrolled() -> None:
    data = table()
    one, two = (run_protocol({"near": NEAREST}, data, "3f CV+", enrolled_each=each) for each in (1, 2))
    cards = [run.card(run.results[0]) for run in (one, two)]
    assert [card.protocol.enrolled_each for card in cards] == [1, 2]
    differing = compare_cards(*cards)
    assert differing.level == Level.OTHER_PROTOCOL
    assert differing.having("differ")[0] == "protocol.enrolled_each"
    assert compare_cards(cards[0], cards[0]).level == Level.SAME_PROTOCOL
    unsaid = replace(cards[0], protocol=replace(cards[0].protocol, enrolled_each=None))
    assert compare_cards(cards[0], unsaid).level == Level.ON_THEIR_WORD
    for card, run in zip(cards, (one, two), strict=True):
        assert card.epd == run.findings[0].epd
    assert str(cards[1].epd.experiments.reasons[1]).startswith(
        "2 samples of each held-out person are enrolled"
    )
    mixed = run_protocol({"near": NEAREST}, data, "3f CV")
    assert mixed.card(mixed.results[0]).protocol.enrolled_each is None


@pytest.mark.parametrize(
    "stated",
    [
        {"protocol": {"notation": "3f CV mixed"}},
        {"protocol": {"notation": "3f CV+"}, "task": {"kind": "attribute"}},
    ],
)
def test_a_card_that_enrols_nobody_held_out_is_refused(stated: dict[str, dict[str, object]]) -> None:
    content = {"format": FORMAT, **stated, "protocol": {**stated["protocol"], "enrolled_each": 1}}
    with pytest.raises(InputError, match=r"protocol\.enrolled_each"):
        ProtocolCard.from_dict(content)
