"""The EPD verdict by what the paper says of each protocol, on cards and in runs."""

from __future__ import annotations

import numpy as np
import pytest

from proband.protocols.cards.card import FORMAT, ProtocolCard
from proband.protocols.cards.comparability import compare_cards
from proband.protocols.cards.literature import literature
from proband.protocols.epd import epd_verdict
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.samples import Samples

ATTRIBUTE = [
    ("10×10f CV+", "yes", "yes"),
    ("20×5f CV+", "yes", "yes"),
    ("10×10f CV mixed", "no", "yes"),
    ("10×10f CV", "not stated", "yes"),
    ("10f CV+", "yes", "no"),
    ("10f CV mixed", "no", "no"),
    ("10×CV+", "yes", "not stated"),
    ("80-20 HO mixed", "no", "no"),
    ("80-20 HO+", "yes", "no"),
    ("50×80-20 HO+", "yes", "no"),
    ("13-13 HO*", "no", "no"),
    ("HO(female:30, male:30)+", "yes", "no"),
    ("LOSO", "yes", "yes"),
    ("LOO mixed", "no", "no"),
    ("LOO+", "yes", "yes"),
    ("LOO(100,500)+", "yes", "yes"),
    ("LOO(100,500) mixed", "no", "no"),
    ("train(CK+) test(JAFFE)+", "yes", "no"),
    ("not stated", "not stated", "not stated"),
]


@pytest.mark.parametrize(("notation", "experiments", "protocol"), ATTRIBUTE)
def test_attributes_are_recognised_in_new_people_by_repeated_folds(
    notation: str, experiments: str, protocol: str
) -> None:
    found = epd_verdict(notation, task="attribute", std=0.01)
    assert found.answers == (experiments, protocol, "not stated")


@pytest.mark.parametrize("notation", ["10×10f CV mixed", "10×10f CV", "13-13 HO*", None])
def test_identities_cannot_be_recognised_in_new_people(notation: str | None) -> None:
    found = epd_verdict(notation, task="identity")
    assert (found.experiments.answer, found.experiments.reasons[0].code) == ("yes", "epd.subjects-must-meet")


def test_without_a_task_only_disjoint_splits_are_known_to_be_right() -> None:
    answers = [
        epd_verdict(one, task=None).experiments.answer for one in ("10f CV+", "10f CV mixed", "10f CV")
    ]
    assert answers == ["yes", "not stated", "not stated"]


def test_a_mean_and_its_deviation_are_asked_for() -> None:
    told = {
        statistic: epd_verdict("10×10f CV+", task="attribute", statistic=statistic, std=std).protocol
        for statistic, std in (("mean", None), ("maximum", 0.1))
    }
    assert {one.answer for one in told.values()} == {"no"}
    assert [one.reasons[0].code for one in told.values()] == ["epd.no-spread", "epd.not-a-mean"]


@pytest.mark.parametrize(
    ("stated", "answer"),
    [
        ({}, "not stated"),
        ({"collected": 213, "used": 213}, "stated"),
        ({"collected": 213}, "not stated"),
        ({"collected": 213, "excluded": {}}, "stated"),
        ({"collected": 219, "used": 213}, "not stated"),
        ({"collected": 219, "used": 213, "excluded": {"blurred": 6}}, "stated"),
        ({"collected": 219, "used": 213, "excluded": {"blurred": 5}}, "not stated"),
        ({"collected": 219, "used": 213, "excluded": {"blurred": None}}, "not stated"),
        ({"used": 213, "excluded": {"blurred": 6}}, "not stated"),
    ],
)
def test_every_lost_sample_has_a_reason(stated: dict[str, object], answer: str) -> None:
    assert epd_verdict("LOSO", task="attribute", **stated).data.answer == answer  # type: ignore[arg-type]


def test_a_justification_changes_no_answer() -> None:
    bare = epd_verdict("80-20 HO mixed", task="attribute")
    justified = epd_verdict("80-20 HO mixed", task="attribute", justification="fixed by the challenge")
    assert justified.answers == bare.answers == ("no", "no", "not stated")
    assert not justified.met
    assert str(justified.sentences()[-1]) == "Justification, as stated: fixed by the challenge"
    assert justified.to_dict()["justification"] == "fixed by the challenge"


def test_a_card_keeps_its_digest_and_states_a_justification_only_where_there_is_one() -> None:
    plain = ProtocolCard.from_dict({"format": FORMAT, "protocol": {"notation": "80-20 HO+"}})
    stated = ProtocolCard.from_dict(
        {"format": FORMAT, "protocol": {"notation": "80-20 HO+", "justification": "one camera only"}}
    )
    assert "justification" not in plain.to_dict()["protocol"]
    assert stated.to_dict()["protocol"]["justification"] == "one camera only"
    assert ProtocolCard.from_dict(stated.to_dict()) == stated
    assert plain.digest != stated.digest
    assert "protocol.justification  one camera only" in stated.to_text()
    found = compare_cards(plain, stated)
    assert [one.justification for one in found.epd] == [None, "one camera only"]
    assert "protocol.justification" not in found.having("differ")
    with pytest.raises(Exception, match="justification"):
        ProtocolCard.from_dict({"format": FORMAT, "protocol": {"justification": ""}})


def test_what_was_published_rarely_meets_it() -> None:
    # Counted by hand in Tables 1 to 3: the rows marked +, LOSO and LOO(880,400)+; no row states what was collected.
    for name, n_disjoint, n_proper in (("ar", 33, 0), ("jaffe", 10, 8), ("feret", 10, 1)):
        cards = literature(name).cards
        answers = [card.epd.answers for card in cards]
        assert sum(one[2] == "stated" for one in answers) == 0
        told = (sum(one[0] == "yes" for one in answers), sum(one[1] == "yes" for one in answers))
        assert told == (n_disjoint, n_proper), name


@pytest.fixture(scope="module")
def run() -> ProtocolRun:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(9), 6)
    smile = np.tile(["no", "a bit", "yes"], 18)
    table = Samples(
        {"id": [f"s{k}" for k in range(54)], "subject": [f"p{k}" for k in who], "smile": [None, *smile[1:]]}
    )
    features = rng.normal(size=(54, 4)) + 0.8 * np.eye(4)[np.unique(smile, return_inverse=True)[1]]
    classifiers = {
        "lda": "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()",
        "tree": "sklearn.tree:DecisionTreeClassifier()",
    }
    return run_protocol(
        classifiers, FeatureTable(table, features=features, name="toy"), ["2×3f CV+", "80-20 HO"],
        task="attribute", label="smile", justification="to show it",
    )  # fmt: skip


def test_a_run_and_its_card_have_the_same_verdict(run: ProtocolRun) -> None:
    assert [one.epd.answers for one in run.findings] == [("yes", "yes", "stated"), ("no", "no", "stated")]
    for found in run.findings:
        card = run.card(found.results[0])
        assert card.epd.to_dict() == found.epd.to_dict()
        assert card.protocol.justification == "to show it"
    assert run.to_dict()["protocols"][1]["epd"]["protocol"]["answer"] == "no"
    assert run.to_frame().select("E", "P", "D").rows()[0] == ("yes", "yes", "stated")


def test_classes_are_those_of_scikit_learn(run: ProtocolRun) -> None:
    from sklearn.metrics import (
        accuracy_score,
        balanced_accuracy_score,
        confusion_matrix,
        f1_score,
        precision_score,
        recall_score,
    )

    for found in run.findings:
        made = found.classification
        assert made.comparison is None
        assert made.n_groups == len(
            {one for result in found.results for one in result.predictions.frame["subject"]}
        )
        for one in found.results:
            name, frame = one.classifier, one.predictions.frame
            truth, said = frame["label"].to_numpy(), frame["predicted"].to_numpy()
            assert made.rate(name).value == pytest.approx(accuracy_score(truth, said), abs=1e-12)
            balanced = balanced_accuracy_score(truth, said)
            assert made.rate(name, "macro-top-1").value == pytest.approx(balanced, abs=1e-12)
            labels = list(made.classes)
            np.testing.assert_array_equal(made.confusion(name), confusion_matrix(truth, said, labels=labels))
            rows = [row for row in made.by_class if row.algorithm == name]
            about = {"average": None, "labels": labels, "zero_division": np.nan}
            for score, kind in ((recall_score, "recall"), (precision_score, "precision")):
                expected = score(truth, said, **about)
                got = [np.nan if getattr(row, kind) is None else float(getattr(row, kind)) for row in rows]
                np.testing.assert_allclose(got, expected, atol=1e-12)
            got = [0.0 if row.f1 is None else row.f1 for row in rows]
            np.testing.assert_allclose(got, f1_score(truth, said, average=None, labels=labels), atol=1e-12)


def test_the_weighted_mean_is_that_of_the_splits_by_their_sizes(run: ProtocolRun) -> None:
    for found in run.findings:
        sizes = [one.n_test for one in found.folds]
        for one in found.results:
            expected = np.average(one.predictions.accuracies.ravel(), weights=sizes)
            assert found.classification.rate(one.classifier).value == pytest.approx(expected, abs=1e-12)


def test_samples_are_the_units_where_people_are_the_classes() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(4), 5)
    data = FeatureTable(
        Samples({"id": range(20), "subject": who}),
        features=rng.normal(size=(4, 3))[who] + rng.normal(size=(20, 3)),
    )
    found = run_protocol({"c": "sklearn.neighbors:NearestCentroid()"}, data, "3×5f CV").findings[0]
    assert not found.people_are_units
    assert (found.classification.n_samples, found.classification.n_groups) == (60, 20)


def _toy(sizes: list[int]) -> FeatureTable:
    rng = np.random.default_rng(2)
    who = np.repeat(np.arange(len(sizes)), sizes)
    table = Samples(
        {
            "id": range(len(who)),
            "subject": [f"p{k}" for k in who],
            "smile": ["no" if k % 2 else "yes" for k in range(len(who))],
            "place": np.arange(len(who)),
        }
    )
    return FeatureTable(table, features=rng.normal(size=(len(who), 2)))


@pytest.mark.parametrize(
    ("protocol", "sizes", "divisions", "answer", "codes"),
    [
        ("3×3f CV+", [4, 4, 4], 1, "no", ["epd.same-repeats", "epd.as-loso"]),
        ("3f CV+", [4, 4, 4], 1, "no", ["epd.one-cross-validation", "epd.as-loso"]),
        ("LOSO", [4, 4, 4], 3, "yes", ["epd.each-subject"]),
        ("LOSO [test: subject == 'p0']", [4, 4, 4], 1, "no", ["epd.one-split"]),
        ("3×8f CV", [4, 4], 1, "no", ["epd.same-repeats"]),
        ("3×4f CV", [8, 8], 3, "yes", ["epd.repeated-folds", "epd.other-folds"]),
        # Four people make three pairs of halves, so that nine repeats are not all different.
        ("9×2f CV+", [4] * 4, 3, "yes", ["epd.repeated-folds", "epd.other-folds", "epd.some-same-repeats"]),
        # Of people as unlike as these there is one way to make folds alike.
        ("3×2f CV+", [12, 4, 4, 4], 1, "no", ["epd.same-repeats"]),
        ("3×4-4 HO* [train: place < 8; test: place >= 8]", [16], 3, "no", ["epd.hold-outs"]),
        (
            "3×8-8 HO* [train: place < 8; test: place >= 8]",
            [16],
            1,
            "no",
            ["epd.one-hold-out", "epd.same-repeats"],
        ),
        ("9×50-50 HO+", [4, 4], 2, "no", ["epd.hold-outs", "epd.some-same-repeats"]),
        ("LOO+", [4, 4], 8, "yes", ["epd.sampled-apart"]),
        ("LOO(4,9)+ [test: place == 0]", [4, 4], 1, "no", ["epd.one-split"]),
        ("LOO(2,9)+", [4, 4], None, "yes", ["epd.sampled-apart"]),
    ],
)
def test_repeats_that_do_not_differ_are_no_repeats(
    protocol: str, sizes: list[int], divisions: int | None, answer: str, codes: list[str]
) -> None:
    pytest.importorskip("sklearn")
    run = run_protocol(
        {"c": "sklearn.dummy:DummyClassifier()"}, _toy(sizes), protocol, task="attribute", label="smile"
    )
    (found,) = run.findings
    # Counted anew: a repeat is what it trains and tests, in any order of folds.
    whole: dict[int, set[tuple[tuple[int, ...], ...]]] = {}
    for split in found.plan.splits():
        whole.setdefault(split.repeat, set()).add((tuple(split.train), tuple(split.test)))
    repeats = {frozenset(one) for one in whole.values()}
    counted = len(frozenset().union(*repeats)) if protocol.startswith("LO") else len(repeats)
    assert run.results[0].predictions.n_divisions == counted
    assert divisions in (None, counted)
    assert found.epd.protocol.answer == answer
    assert [one.code for one in found.epd.protocol.reasons] == codes
    card = run.card(run.results[0])
    assert card.epd.to_dict() == found.epd.to_dict()


def test_a_card_shows_by_its_counts_that_there_is_no_choice() -> None:
    stated = {"format": FORMAT, "dataset": {"samples": 213, "subjects": 10}, "value": {"std": 0.0}}
    for notation, answer in (("10×10f CV+", "no"), ("10×5f CV+", "yes"), ("3×213f CV mixed", "no")):
        card = ProtocolCard.from_dict({**stated, "protocol": {"notation": notation}})
        assert card.epd.protocol.answer == answer, notation
        assert "divisions" not in card.to_dict()["protocol"]
