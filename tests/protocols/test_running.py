"""Runs under protocols against scikit-learn's own, at any number of threads, stopped and resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import sleep

import numpy as np
import pytest

from proband.errors import DesignError, UsageError
from proband.inference.cross_validation.intervals import pooled_interval
from proband.protocols.running.classifiers import is_stable, must_run_alone, parse_classifier
from proband.protocols.running.data import BLACK, FeatureTable, _resized
from proband.protocols.running.factors import first_of_each
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.splits import splitter
from proband.samples import Samples

pytest.importorskip("sklearn")

KNN = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
CENTRE = "sklearn.neighbors:NearestCentroid()"
LINEAR = "sklearn.discriminant_analysis:LinearDiscriminantAnalysis()"


@pytest.fixture(scope="module")
def data() -> FeatureTable:
    """Forty-two people with four samples each; sex shifts the features, and so does being somebody."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(42), 4)
    sex = who % 2
    features = rng.normal(size=(42, 6))[who] + 0.7 * rng.normal(size=(168, 6)) + 0.8 * sex[:, None]
    table = Samples(
        {
            "id": [f"s{k}" for k in range(168)],
            "subject": [f"p{k:02d}" for k in who],
            "sex": ["f" if one else "m" for one in sex],
            "session": np.tile([1, 1, 2, 2], 42),
            "dataset": np.where(who < 21, "A+", "B"),
            "mood": [None if k % 84 == 0 else "calm" if k % 3 else "glad" for k in range(168)],
        }
    )
    return FeatureTable(table, features=features, name="toy")


def test_accuracies_are_those_of_scikit_learn(data: FeatureTable) -> None:
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    run = run_protocol({"knn": KNN}, data, "2×5f CV+", task="attribute", label="sex", seed=4)
    cv = splitter("2×5f CV+", seed=4)
    sex = data.samples.frame["sex"].to_numpy()
    expected = cross_val_score(KNeighborsClassifier(1), data.features, sex, groups=data.subjects, cv=cv)
    result = run.of("knn", "2×5f CV+")
    np.testing.assert_allclose(result.predictions.accuracies.ravel(), expected)
    assert result.spread.mean == pytest.approx(expected.mean())
    assert result.spread.std == pytest.approx(expected.reshape(2, 5).mean(axis=1).std(ddof=1))
    assert result.corrected.rests_on.n_units == 42
    alone = pooled_interval(*result.predictions.correct(), disjoint=True, n_models=10)
    assert replace(result.pooled, who=alone.who).to_dict() == alone.to_dict()


# Regression: scikit-learn's threads and ours at once lost the warning filters of the process.
def test_what_has_threads_of_its_own_runs_alone(data: FeatureTable) -> None:
    from sklearn.base import BaseEstimator, ClassifierMixin

    busy: list[int] = []
    most: list[int] = []

    class Watched(ClassifierMixin, BaseEstimator):
        def __init__(self, n_jobs=None):
            self.n_jobs = n_jobs

        def fit(self, X, y):
            busy.append(1)
            sleep(0.02)
            most.append(len(busy))
            busy.pop()
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.repeat(self.classes_[0], len(X))

    run_protocol({"watched": Watched(), "centre": CENTRE}, data, "3×2f CV", threads=3)
    assert most == [1] * 6


@pytest.mark.parametrize(
    ("classifier", "alone"),
    [
        (KNN, True),
        (CENTRE, False),
        ("sklearn.svm:SVC()", False),
        (f"sklearn.preprocessing:StandardScaler()+{KNN}", True),
        (f"lbp:chi2+{KNN}", True),
        ("lbp:chi2+sklearn.svm:SVC()", False),
        ("ica:2", True),
        ("pca:angle", False),
    ],
)
def test_who_must_run_alone(classifier: str, alone: bool) -> None:
    assert must_run_alone(parse_classifier(classifier)[1]) == alone


def test_no_subject_trains_and_is_tested_where_that_is_asked(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN}, data, ["3f CV+", "3f CV"], task="attribute", label="sex")
    tested = run.of("knn", "3f CV+").predictions.frame.group_by("subject").agg(fold=_first_n_unique())
    assert tested["fold"].max() == 1
    assert run.of("knn", "3f CV mixed").protocol.disjoint is False
    assert any("same people are in training and testing, so" in str(note) for note in run.notes)


def _first_n_unique():
    import polars as pl

    return pl.col("fold").n_unique()


def test_threads_change_nothing(data: FeatureTable) -> None:
    tree = "sklearn.tree:DecisionTreeClassifier(max_features=2)"
    runs = [
        run_protocol({"tree": tree, "knn": KNN}, data, ["3×2f CV", "4×70-30 HO"], threads=n, seed=2)
        for n in (1, 4)
    ]
    for one, other in zip(runs[0].results, runs[1].results, strict=True):
        assert one.predictions.frame.equals(other.predictions.frame)
    assert runs[0].to_dict() == runs[1].to_dict()


def test_all_classifiers_have_the_same_splits(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN, "centre": CENTRE}, data, "3×4f CV")
    one, other = (result.predictions.frame.drop("predicted") for result in run.results)
    assert one.equals(other)
    found = run.findings[0]
    assert found.on_splits.pairs[0].first == "knn"
    assert found.on_people.pairs[0].second == "centre"
    assert found.imbalance.largest == 42


class Interrupting:
    """Stops a run after some splits, as Ctrl-C would."""

    def __init__(self, after: int) -> None:
        self.left = after

    def begin(self, what: str, total: int) -> None:
        pass

    def advance(self, steps: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_a_run_that_was_stopped_goes_on(data: FeatureTable, tmp_path: Path, monkeypatch) -> None:
    asked = {"knn": KNN, "centre": CENTRE}
    whole = run_protocol(asked, data, "2×5f CV")
    with pytest.raises(KeyboardInterrupt):
        run_protocol(asked, data, "2×5f CV", cache=tmp_path, progress=Interrupting(6), threads=2)
    lines = [len(file.read_text().splitlines()) for file in tmp_path.iterdir()]
    assert len(lines) == 2
    assert 0 < min(lines) < 10
    trained = count_fits(monkeypatch)
    again = run_protocol(asked, data, "2×5f CV", cache=tmp_path, threads=2)
    assert len(trained) == 2 * (10 - lines[0])
    assert again.to_dict() == whole.to_dict()
    trained.clear()
    run_protocol(asked, data, "2×5f CV", cache=tmp_path)
    assert trained == []
    run_protocol(asked, data, "2×5f CV", cache=tmp_path, seed=1)
    assert len(trained) == 20


def count_fits(monkeypatch) -> list[str]:
    from proband.protocols.running import learning

    fits: list[str] = []
    usual = learning._Estimator.predict

    def predict(self, split, seed):
        fits.append(self.name)
        return usual(self, split, seed)

    monkeypatch.setattr(learning._Estimator, "predict", predict)
    return fits


def test_changed_data_find_nothing_in_the_cache(data: FeatureTable, tmp_path: Path, monkeypatch) -> None:
    run_protocol({"knn": KNN}, data, "3f CV", cache=tmp_path)
    changed = data.features.copy()
    changed[5, 2] += 1e-9
    trained = count_fits(monkeypatch)
    run_protocol({"knn": KNN}, FeatureTable(data.samples, features=changed), "3f CV", cache=tmp_path)
    assert len(trained) == 3


def test_a_strangers_classifier_is_not_kept(data: FeatureTable, tmp_path: Path) -> None:
    from sklearn.neighbors import NearestCentroid

    class Mine(NearestCentroid):
        pass

    run = run_protocol({"mine": Mine()}, data, "2f CV", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert "mine is not cached" in str(run.notes[0])


def test_a_full_journal_that_is_of_no_use_is_no_obstacle(data: FeatureTable, tmp_path: Path) -> None:
    whole = run_protocol({"knn": KNN}, data, "2f CV", cache=tmp_path)
    journal = next(tmp_path.iterdir())
    journal.write_text("[1,1,0,[]]\n[1,2,0,[]]\n")
    assert run_protocol({"knn": KNN}, data, "2f CV", cache=tmp_path).to_dict() == whole.to_dict()


def test_auto_says_what_it_chose(data: FeatureTable) -> None:
    run = run_protocol({"centre": CENTRE}, data, task="attribute", label="sex")
    assert str(run.findings[0].protocol) == "LOSO"
    assert run.results[0].spread.n_runs == 42
    assert any(str(note).startswith("LOSO was chosen because") for note in run.notes)
    assert run.results[0].protocol.is_disjoint


def test_samples_without_a_label_are_left_out_and_counted(data: FeatureTable) -> None:
    run = run_protocol({"centre": CENTRE}, data, "2f CV+", task="attribute", label="mood")
    assert len(run.setting.data) == 166
    assert "2 of 168 samples are left out: no value of 'mood'" in map(str, run.notes)
    card = run.card(run.results[0])
    assert (card.selection.collected, card.dataset.samples) == (168, 166)
    moods = data.samples.frame["mood"].drop_nulls().to_list()
    assert dict(card.task.classes) == {mood: moods.count(mood) for mood in ("calm", "glad")}
    assert card.value.pooled_low < card.value.pooled_estimate < card.value.pooled_high


def test_conditions_are_conditions_on_the_table(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN}, data, "2×5f CV [train: session == 1; test: session == 2]")
    predictions = run.results[0].predictions
    sessions = dict(zip(data.samples.ids, data.samples.frame["session"], strict=True))
    assert {sessions[name] for name in predictions.frame["id"]} == {2}
    assert max(one.n_train for one in predictions.folds) < 84
    with pytest.raises(UsageError, match="neither a condition"):
        run_protocol({"knn": KNN}, data, "5f CV [train: session one; test: session two]")


def test_one_data_set_trains_and_another_is_tested(data: FeatureTable) -> None:
    run = run_protocol({"c": CENTRE}, data, "train(A+) test(B)+", task="attribute", label="sex")
    facts = run.results[0].predictions.folds[0]
    assert (facts.n_train, facts.n_test) == (84, 84)
    assert not run.results[0].corrected.has_interval
    assert run.card(run.results[0]).value.pooled_uncertainty == run.results[0].pooled.method.key


def test_who_has_too_few_samples_is_refused_or_left_out(data: FeatureTable) -> None:
    uneven = data.take(np.arange(1, 168), "lost")
    with pytest.raises(DesignError, match="too few samples: 'p00'"):
        run_protocol({"knn": KNN}, uneven, "2-2 HO*")
    run = run_protocol({"knn": KNN}, uneven, "2-2 HO*", missing="drop")
    assert any("leaves out 1 subject " in str(note) and "'p00'" in str(note) for note in run.notes)
    assert "3 of 168 samples are left out: too few samples of the subject for 2-2 HO*" in map(str, run.notes)
    card = run.card(run.results[0])
    assert (card.dataset.samples, card.dataset.subjects, card.task.n_classes) == (164, 41, 41)
    assert card.dataset.images_per_subject == (4, 4)
    assert card.selection.collected == 168
    assert dict(card.selection.excluded) == {
        "lost": 1,
        "too-few-for: 2-2 HO*": 3,
    }
    assert "lost 1, too few samples of the subject for 2-2 HO* 3" in card.to_text()
    without = run_protocol({"knn": KNN}, data.take(np.arange(4, 168), "lost"), "2-2 HO*")
    assert card.dataset == without.card(without.results[0]).dataset
    assert run.findings[0].imbalance == without.findings[0].imbalance
    assert run.results[0].predictions.frame.equals(without.results[0].predictions.frame)


def test_who_has_too_few_for_one_protocol_is_left_out_of_all(data: FeatureTable) -> None:
    uneven = data.take(np.arange(1, 168), "lost")
    run = run_protocol({"knn": KNN}, uneven, ["2-2 HO*", "2f CV"], missing="drop")
    assert {one.predictions.roster.labels.size for one in run.results} == {164}
    cells = run_protocol({"knn": KNN}, data, "1-1 HO*/class", task="attribute", label="mood", missing="drop")
    counts = cells.setting.data.samples.frame.group_by("subject", "mood").len()["len"]
    assert counts.min() >= 2
    assert len(cells.setting.data) == counts.sum() < 166
    with pytest.raises(DesignError, match="All subjects have too few"):
        run_protocol({"knn": KNN}, data, "9-9 HO*", missing="drop")


def test_validation_samples_are_told_of(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN}, data, "50-25-25 HO")
    assert any("validation samples are used neither" in str(note) for note in run.notes)
    assert not run.results[0].corrected.has_interval


def test_a_sample_may_be_tested_many_times(data: FeatureTable) -> None:
    run = run_protocol({"centre": CENTRE}, data, "LOO(60,200)", task="attribute", label="sex")
    assert run.results[0].predictions.accuracies.shape == (1, 200)
    assert run.results[0].pooled.rests_on.n <= 168


def test_five_by_two_and_posteriors(data: FeatureTable) -> None:
    run = run_protocol({"l": LINEAR, "c": CENTRE}, data, "5×2f CV", margin=0.01)
    pair, posterior = run.findings[0].five_by_two.pairs[0], run.findings[0].bayes[0]
    assert (pair.degrees_of_freedom, pair.denominator_degrees_of_freedom) == (10, 5)
    assert (posterior.first, posterior.second) == ("l", "c")


@pytest.mark.parametrize("unstable", [KNN, "sklearn.tree:DecisionTreeClassifier(random_state=0)"])
def test_of_the_method_of_unstable_learners_nothing_is_claimed(data: FeatureTable, unstable: str) -> None:
    classifiers = {"u": unstable, "l": LINEAR, "c": CENTRE}
    (found,) = run_protocol(
        classifiers, data, "5×2f CV+", task="attribute", label="sex", margin=0.05
    ).findings
    by_name = {one.classifier: one for one in found.results}
    assert not by_name["u"].corrected.has_interval
    assert by_name["u"].pooled.has_interval
    assert by_name["l"].corrected.has_interval
    assert found.on_splits is not None
    for pair in found.on_splits.pairs:
        if "u" in (pair.first, pair.second):
            assert (pair.p_value, pair.low, pair.high, pair.verdict) == (1.0, -1.0, 1.0, "undecided")
    assert [(one.first, one.second) for one in found.five_by_two.pairs] == [("l", "c")]
    assert [(one.first, one.second) for one in found.bayes] == [("l", "c")]
    assert found.on_people is not None


def test_stability_is_known_of_what_is_bundled() -> None:
    named = {
        "sklearn.neighbors:KNeighborsClassifier()": False,
        "sklearn.neighbors:NearestCentroid()": True,
        "sklearn.linear_model:LogisticRegression()": True,
        "sklearn.svm:SVC()": None,
        "lbp:nbnn": False,
        "src": False,
        "lbp:chi2+sklearn.discriminant_analysis:LinearDiscriminantAnalysis()": True,
    }
    assert {text: is_stable(parse_classifier(text)[1]) for text in named} == named


def test_few_people_claim_nothing(data: FeatureTable) -> None:
    few = data.where("subject < 'p12'")
    run = run_protocol({"knn": KNN}, few, "3×2f CV")
    assert any(str(note).startswith("with 12 subjects") for note in run.notes)
    assert any(str(note).startswith("120 of 168 samples are left out: not: subject") for note in run.notes)


def test_what_cannot_be_asked(data: FeatureTable) -> None:
    for wrong, message in (
        ({"protocol": ["5f CV", "5-f cv mixed"]}, "given twice"),
        ({"protocol": []}, "No protocol"),
        ({"task": "attribute"}, "column of labels"),
        ({"label": "sex"}, "no column of labels"),
        ({"task": "attribute", "label": "age"}, "no column 'age'"),
        ({"task": "gender"}, "task must be"),
    ):
        with pytest.raises(UsageError, match=message):
            run_protocol({"knn": KNN}, data, **{"protocol": "2f CV"} | wrong)
    with pytest.raises(DesignError, match="among one person is always correct"):
        run_protocol({"knn": KNN}, data, "LOSO")
    for margin in (0, -0.1, 1, float("nan")):
        with pytest.raises(UsageError, match="margin"):
            run_protocol({"knn": KNN}, data, "2f CV", margin=margin)
    with pytest.raises(DesignError, match="100,002 splits"):
        run_protocol({"knn": KNN}, data, "50001×2f CV")
    with pytest.raises(UsageError, match="was not run"):
        run_protocol({"knn": KNN}, data, "2f CV").of("knn", "3f CV")


def test_images_are_brought_to_a_size_by_area_averages() -> None:
    transform = pytest.importorskip("skimage.transform")
    images = np.random.default_rng(0).integers(0, 256, (3, 23, 17), dtype=np.uint8)
    for size in ((11, 9), (30, 40), (23, 17)):
        made = _resized(images, size).astype(float)
        expected = [transform.resize_local_mean(image, size, preserve_range=True) for image in images]
        assert np.abs(made - np.stack(expected)).max() <= 0.5 + 1e-6


def test_pictures_that_cannot_be_used_are_left_out(tmp_path: Path) -> None:
    images = np.random.default_rng(1).integers(0, 256, (3, 8, 8), dtype=np.uint8)
    np.savez(tmp_path / "images.npz", images=images, ids=np.array(["a1", "a2", "b1"]))
    table = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": ["a", "a", "b", "b"]})
    read = FeatureTable.read(tmp_path / "images.npz", table, size=(4, 4))
    assert read.images.shape == (3, 4, 4)
    assert [(name, why.key) for name, why in read.left_out] == [("b2", "picture")]
    np.save(tmp_path / "v.npy", np.arange(8.0).reshape(4, 2))
    assert FeatureTable.read(tmp_path / "v.npy", table).features.shape == (4, 2)
    np.savez(
        tmp_path / "v.npz", embeddings=np.arange(8.0).reshape(4, 2), ids=np.array(["a1", "a2", "b1", "x"])
    )
    read = FeatureTable.read(tmp_path / "v.npz", table)
    assert [(name, why.key) for name, why in read.left_out] == [("b2", "no-features")]
    assert tuple(map(str, read.notes)) == ("1 of 4 rows of features matches no sample in the table: 'x'",)
    with pytest.raises(UsageError, match="contains features"):
        FeatureTable.read(tmp_path / "v.npy", table, size=(4, 4))


TWO_SESSIONS = "[train: session == 1; test: session == 2]"


@pytest.mark.parametrize(
    ("protocol", "why"),
    [
        (f"5×1-2 HO* {TWO_SESSIONS}", "test samples are the same in every split"),
        (f"5×1-1 HO* {TWO_SESSIONS}", "the samples allowed in testing differ from those allowed in training"),
        (f"5×2f CV {TWO_SESSIONS}", "the samples allowed in testing differ from those allowed in training"),
        (
            "2×2f CV [test: session == 2]",
            "the samples allowed in testing differ from those allowed in training",
        ),
    ],
)
def test_splits_that_show_no_other_test_samples_decline(data: FeatureTable, protocol: str, why: str) -> None:
    run = run_protocol({"knn": KNN, "c": CENTRE}, data, protocol, task="attribute", label="sex", margin=0.01)
    found, result = run.findings[0], run.of("knn", protocol)
    assert (found.on_splits, found.five_by_two, found.bayes) == (None, None, ())
    assert not result.corrected.has_interval
    assert any(
        why in str(note) and "give no information about other test samples" in str(note) for note in run.notes
    )
    value = run.card(result).value
    assert (value.low, value.high, value.uncertainty) == (None, None, None)
    assert (value.pooled_low, value.pooled_high) == (result.pooled.low, result.pooled.high)
    assert value.pooled_uncertainty == result.pooled.method.key


@pytest.mark.parametrize(
    "protocol", ["3×80-20 HO", "2×2f CV", "3×1-2 HO*", "2×2f CV [train: session == 1; test: session == 1]"]
)
def test_splits_of_one_pool_do_not_decline(data: FeatureTable, protocol: str) -> None:
    run = run_protocol({"l": LINEAR, "c": CENTRE}, data, protocol, task="attribute", label="sex")
    assert run.results[0].corrected.has_interval
    assert run.findings[0].on_splits is not None


def test_the_pools_are_seen_in_the_splits_themselves(data: FeatureTable) -> None:
    from proband.protocols.running.summary import _why_not_on_splits

    protocol = f"5×2f CV {TWO_SESSIONS}"
    run = run_protocol({"knn": KNN}, data, protocol)
    silent = replace(run.findings[0].plan, train_on=None, test_on=None)
    assert not silent.has_two_pools
    assert _why_not_on_splits(silent, run.results[0].predictions) is not None


def test_people_are_compared_where_each_sample_is_tested_once_a_repeat(data: FeatureTable) -> None:
    asked = ["2×80-20 HO", "2-2 HO*", "2×2f CV"]
    run = run_protocol({"knn": KNN, "c": CENTRE}, data, asked)
    assert [found.on_people is None for found in run.findings] == [True, True, False]
    assert sum("not compared over people" in str(note) for note in run.notes) == 2
    alone = run_protocol({"knn": KNN}, data, "80-20 HO")
    assert not any("not compared over people" in str(note) for note in alone.notes)


def test_a_result_is_found_by_what_is_left_unsaid(data: FeatureTable) -> None:
    protocol = f"2×2f CV {TWO_SESSIONS}"
    run = run_protocol({"knn": KNN}, data, [protocol, "2-2 HO*"])
    assert run.of("knn", protocol) is run.results[0]
    assert run.of("knn", "2-2 HO*") is run.results[1]
    for other in ("2×2f CV", "not stated", "LOSO"):
        with pytest.raises(UsageError, match="was not run"):
            run.of("knn", other)


def test_black_pictures_are_left_out(tmp_path: Path) -> None:
    images = np.random.default_rng(1).integers(1, 256, (4, 8, 8), dtype=np.uint8)
    images[2] = 0
    np.savez(tmp_path / "images.npz", images=images, ids=np.array(["a1", "a2", "b1", "b2"]))
    table = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": ["a", "a", "b", "b"]})
    assert FeatureTable.read(tmp_path / "images.npz", table).left_out == (("b1", BLACK),)


@pytest.mark.parametrize(
    ("second", "protocol", "interval", "verdict"),
    [
        (LINEAR, "2×4f CV+", "method", "method"),
        (KNN, "2×4f CV+", "fitted-models", "fitted-models"),
        (KNN, "4×75-25 HO+", "fitted-models", "method"),
        (LINEAR, "75-25 HO+", "fitted-models", None),
    ],
)
def test_one_interval_and_one_verdict_are_recommended(
    data: FeatureTable, second: str, protocol: str, interval: str, verdict: str | None
) -> None:
    both = {"one": "sklearn.linear_model:LogisticRegression()", "two": second}
    run = run_protocol(both, data, protocol, task="attribute", label="sex", seed=1)
    (found,) = run.findings
    assert [one.recommended for one in found.results] == [interval] * 2
    for one in found.results:
        assert one.interval is (one.corrected if interval == "method" else one.pooled)
        assert f"[{one.interval.low:.4f}, {one.interval.high:.4f}]" in repr(one)
    assert found.recommended == verdict
    made = {"method": found.on_splits, "fitted-models": found.on_people, None: None}[verdict]
    assert found.comparison is made
    said = [str(one) for one in found.sentences()]
    assert len(said) == 2 + (0 if made is None else 1)
    # Everything that shows itself shows the same.
    assert [str(one) for one in run.sentences()] == said
    for shown in (repr(run), repr(found)):
        assert all(f"{one}" in " ".join(shown.split()) for one in said)
    value = run.card(found.results[0]).value
    quoted = value.low if interval == "method" else value.pooled_low
    assert quoted == found.results[0].interval.low


def test_first_of_each_by_example() -> None:
    assert first_of_each(np.array([0, 0, 1, 1]), np.array([3, 1, 0, 2]), 1).tolist() == [1, 3]
