"""Runs under protocols against scikit-learn's own, at any number of threads, stopped and resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.errors import DesignError, UsageError
from proband.inference.cross_validation import pooled_interval
from proband.protocols.data import FeatureTable, _resized
from proband.protocols.running import run_protocol
from proband.protocols.splits import splitter
from proband.samples import Samples

pytest.importorskip("sklearn")

KNN = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
CENTRE = "sklearn.neighbors:NearestCentroid()"


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
    assert result.corrected.n_subjects == 42
    assert result.pooled == pooled_interval(*result.predictions.correct(), disjoint=True)


def test_no_subject_trains_and_is_tested_where_that_is_asked(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN}, data, ["3f CV+", "3f CV"], task="attribute", label="sex")
    tested = run.of("knn", "3f CV+").predictions.frame.group_by("subject").agg(fold=_first_n_unique())
    assert tested["fold"].max() == 1
    assert run.of("knn", "3f CV mixed").protocol.disjoint is False
    assert any("same people train and are tested" in note for note in run.notes)


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
    whole = run_protocol(asked, data, "4×5f CV")
    with pytest.raises(KeyboardInterrupt):
        run_protocol(asked, data, "4×5f CV", cache=tmp_path, progress=Interrupting(9), threads=2)
    lines = [len(file.read_text().splitlines()) for file in tmp_path.iterdir()]
    assert len(lines) == 2
    assert 0 < min(lines) < 20
    trained = count_fits(monkeypatch)
    again = run_protocol(asked, data, "4×5f CV", cache=tmp_path, threads=2)
    assert len(trained) == 2 * (20 - lines[0])
    assert again.to_dict() == whole.to_dict()
    trained.clear()
    run_protocol(asked, data, "4×5f CV", cache=tmp_path)
    assert trained == []
    run_protocol(asked, data, "4×5f CV", cache=tmp_path, seed=1)
    assert len(trained) == 40


def count_fits(monkeypatch) -> list[str]:
    from proband.protocols import learning

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
    assert "mine is not kept" in run.notes[0]


def test_a_full_journal_that_is_of_no_use_is_no_obstacle(data: FeatureTable, tmp_path: Path) -> None:
    whole = run_protocol({"knn": KNN}, data, "2f CV", cache=tmp_path)
    journal = next(tmp_path.iterdir())
    journal.write_text("[1,1,0,[]]\n[1,2,0,[]]\n")
    assert run_protocol({"knn": KNN}, data, "2f CV", cache=tmp_path).to_dict() == whole.to_dict()


def test_auto_says_what_it_chose(data: FeatureTable) -> None:
    run = run_protocol({"centre": CENTRE}, data, task="attribute", label="sex")
    assert str(run.findings[0].protocol) == "LOSO"
    assert run.results[0].spread.n_runs == 42
    assert any(note.startswith("LOSO was chosen because") for note in run.notes)
    assert run.results[0].corrected.disjoint


def test_samples_without_a_label_are_left_out_and_counted(data: FeatureTable) -> None:
    run = run_protocol({"centre": CENTRE}, data, "2f CV+", task="attribute", label="mood")
    assert len(run.setting.data) == 166
    assert "2 of 168 samples are left out: no value of 'mood'" in run.notes
    card = run.card(run.results[0])
    assert (card.selection.collected, card.dataset.samples) == (168, 166)
    moods = data.samples.frame["mood"].drop_nulls().to_list()
    assert dict(card.task.classes) == {mood: moods.count(mood) for mood in ("calm", "glad")}
    assert card.value.low < card.value.estimate < card.value.high


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
    assert run.results[0].corrected.low is None
    assert run.card(run.results[0]).value.uncertainty == run.results[0].pooled.method


def test_who_has_too_few_samples_is_refused_or_left_out(data: FeatureTable) -> None:
    uneven = data.take(np.arange(1, 168), "lost")
    with pytest.raises(DesignError, match="too few samples: 'p00'"):
        run_protocol({"knn": KNN}, uneven, "2-2 HO*")
    run = run_protocol({"knn": KNN}, uneven, "2-2 HO*", missing="drop")
    assert any("leaves out 1 subjects" in note and "'p00'" in note for note in run.notes)


def test_validation_samples_are_told_of(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN}, data, "50-25-25 HO")
    assert any("validation samples are neither" in note for note in run.notes)
    assert run.results[0].corrected.low is None


def test_a_sample_may_be_tested_many_times(data: FeatureTable) -> None:
    run = run_protocol({"centre": CENTRE}, data, "LOO(60,300)", task="attribute", label="sex")
    assert run.results[0].predictions.accuracies.shape == (1, 300)
    assert run.results[0].pooled.n_values <= 168


def test_five_by_two_and_posteriors(data: FeatureTable) -> None:
    run = run_protocol({"knn": KNN, "c": CENTRE}, data, "5×2f CV", margin=0.01)
    assert run.findings[0].five_by_two[0].degrees_of_freedom == (10, 5)
    assert run.findings[0].bayes[0][:2] == ("knn", "c")


def test_few_people_claim_nothing(data: FeatureTable) -> None:
    few = data.where("subject < 'p12'")
    run = run_protocol({"knn": KNN}, few, "3×2f CV")
    assert any(note.startswith("with 12 subjects") for note in run.notes)
    assert any(note.startswith("120 of 168 samples are left out: not: subject") for note in run.notes)


def test_what_cannot_be_asked(data: FeatureTable) -> None:
    for wrong, message in (
        ({"protocol": ["5f CV", "5-f cv mixed"]}, "asked for twice"),
        ({"protocol": []}, "No protocol"),
        ({"task": "attribute"}, "column of labels"),
        ({"label": "sex"}, "no column of labels"),
        ({"task": "attribute", "label": "age"}, "no column 'age'"),
        ({"task": "gender"}, "A task is"),
    ):
        with pytest.raises(UsageError, match=message):
            run_protocol({"knn": KNN}, data, **{"protocol": "2f CV"} | wrong)
    with pytest.raises(DesignError, match="nobody can be recognised"):
        run_protocol({"knn": KNN}, data, "5f CV+")
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
    assert read.left_out == (("b2", "no usable picture"),)
    np.save(tmp_path / "v.npy", np.arange(8.0).reshape(4, 2))
    assert FeatureTable.read(tmp_path / "v.npy", table).features.shape == (4, 2)
    with pytest.raises(UsageError, match="holds features"):
        FeatureTable.read(tmp_path / "v.npy", table, size=(4, 4))
