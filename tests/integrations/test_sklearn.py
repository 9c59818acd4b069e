"""Scorers that scikit-learn takes, and its splitters and estimators in runs under protocols."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, top_k_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import proband as pb
from proband.errors import DesignError, InputError, UsageError
from proband.inference.cross_validation.intervals import corrected_resampled_interval, pooled_interval
from proband.protocols.splits.given import described

RNG = np.random.default_rng(3)
WHO = np.repeat(np.arange(60), 4)
SEX = np.where(WHO % 2, "f", "m")
X = RNG.normal(size=(60, 6))[WHO] + 0.7 * RNG.normal(size=(240, 6)) + 0.8 * (WHO % 2)[:, None]


@pytest.mark.parametrize(
    ("cv", "notation"),
    [
        (GroupKFold(5), "5f CV+"),
        (KFold(5, shuffle=True, random_state=0), "5f CV mixed"),
        (RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0), "3×4f CV mixed"),
        (LeaveOneGroupOut(), "LOSO"),
        (LeaveOneOut(), "LOO mixed"),
        (GroupShuffleSplit(7, test_size=0.2, random_state=0), "7×80-20 HO+"),
        (ShuffleSplit(3, test_size=0.25, random_state=0), "3×75-25 HO mixed"),
        (PredefinedSplit(np.where(WHO < 20, 0, -1)), "66.7-33.3 HO+"),
        (TimeSeriesSplit(3), "3×HO mixed"),
    ],
    ids=str,
)
def test_splits_are_named_by_the_protocol_that_describes_them(cv: Any, notation: str) -> None:
    if notation == "3×HO mixed":
        pairs = list(cv.split(X[:60]))
        assert str(described(pairs, np.arange(60) // 7)) == notation
    else:
        groups = WHO if "Group" in str(cv) else None
        assert str(described(list(cv.split(X, SEX, groups)), WHO)) == notation


def test_accuracies_are_those_of_scikit_learn() -> None:
    theirs = cross_validate(LogisticRegression(), X, SEX, groups=WHO, cv=GroupKFold(5))["test_score"]
    (result,) = pb.sklearn.cross_validate(LogisticRegression(), X, SEX, groups=WHO, cv=GroupKFold(5)).results
    assert result.classifier == "LogisticRegression"
    assert list(result.accuracies[0]) == pytest.approx(list(theirs))


def test_it_is_the_run_under_the_protocol() -> None:
    table = {"id": range(240), "subject": WHO, "class": SEX}
    data = pb.protocols.FeatureTable(pb.Samples(table), features=X)
    both = {"linear": LogisticRegression(), "bayes": GaussianNB()}
    run = pb.protocols.run_protocol(both, data, "3×5f CV+", task="attribute", label="class")
    splitter = pb.protocols.splitter("3×5f CV+")
    splits = list(splitter.split(X, SEX, WHO.astype(str)))
    for cv in ("3×5f CV+", pb.protocols.Protocol.parse("3×5f CV+"), splitter, splits):
        found = pb.sklearn.cross_validate(both, X, SEX, groups=WHO, cv=cv)
        assert found.to_frame().equals(run.to_frame())
        assert repr(found.findings[0].comparison) == repr(run.findings[0].comparison)
    assert any("the list of splits" in str(note) for note in found.notes)
    procedure = found.card(found.results[0]).protocol
    assert (procedure.seed, procedure.generator_version, procedure.stratified) == (None, None, None)
    assert procedure.notation == "3×5f CV+"
    procedure = run.card(run.results[0]).protocol
    assert (procedure.seed, procedure.generator_version, procedure.stratified) == (0, 1, True)


def test_people_are_the_units_and_repeats_are_corrected_for() -> None:
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=5, random_state=1)
    (result,) = pb.sklearn.cross_validate(GaussianNB(), X, SEX, groups=WHO, cv=cv).results
    corrected = corrected_resampled_interval(
        result.accuracies, n_train=180, n_test=60, disjoint=False, n_subjects=60, stable=True
    )
    assert (result.corrected.low, result.corrected.high) == pytest.approx((corrected.low, corrected.high))
    right, whose = result.predictions.correct()
    pooled = pooled_interval(right, whose, disjoint=False, n_models=20)
    assert (result.pooled.low, result.pooled.high) == pytest.approx((pooled.low, pooled.high))
    spread = np.std(np.mean(result.accuracies, axis=1), ddof=1)
    assert result.interval.high - result.interval.low > 4 * spread


def test_a_number_of_folds_keeps_people_apart() -> None:
    run = pb.sklearn.cross_validate([GaussianNB(), KNeighborsClassifier()], X, SEX, groups=WHO, cv=4)
    assert str(run.findings[0].protocol) == "4f CV+"
    assert [one.classifier for one in run.results] == ["GaussianNB", "KNeighborsClassifier"]
    assert run.findings[0].comparison is run.findings[0].on_people  # nearest neighbours are not stable


def test_without_groups_every_sample_is_a_person() -> None:
    run = pb.sklearn.cross_validate(GaussianNB(), X, SEX, cv=StratifiedKFold(4))
    assert any("No groups were given" in str(note) for note in run.notes)
    assert run.data_used.n_subjects == 240


def test_people_who_are_classes_are_recognised() -> None:
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    run = pb.sklearn.cross_validate(KNeighborsClassifier(1), X, WHO, groups=WHO, cv=cv)
    assert run.setting.task == "identity"
    assert run.results[0].accuracy > 0.3
    apart = make_pipeline(PCA(4), KNeighborsClassifier(1))
    run = pb.sklearn.cross_validate(apart, X, WHO, groups=WHO, cv=GroupKFold(5))
    assert run.findings[0].enrolment is not None
    with pytest.raises(UsageError, match="can only name people it was trained on"):
        pb.sklearn.cross_validate(LogisticRegression(), X, WHO, groups=WHO, cv=GroupKFold(5))


def test_what_is_no_split_is_refused() -> None:
    everyone = np.arange(240)
    for cv, error, said in (
        ([(everyone, everyone)], InputError, "tests samples that it trains on"),
        ([(everyone[:9], [240])], InputError, "positions from 0 to 239"),
        ([(everyone[:9], [])], InputError, "positions from 0 to 239"),
        ([], UsageError, "cv has no splits"),
        ([everyone], UsageError, "not a pair"),
        (None, UsageError, "makes no splits"),
        (2.5, UsageError, "makes no splits"),
    ):
        with pytest.raises(error, match=said):
            pb.sklearn.cross_validate(GaussianNB(), X, SEX, groups=WHO, cv=cv)
    with pytest.raises(UsageError, match="of one type"):
        pb.sklearn.cross_validate([GaussianNB(), GaussianNB()], X, SEX, groups=WHO)
    with pytest.raises(UsageError, match="not a classifier"):
        pb.sklearn.cross_validate(PCA(), X, SEX, groups=WHO)
    with pytest.raises(DesignError, match="predict classes"):
        pb.sklearn.cross_validate(Ridge(), X, WHO % 2, groups=WHO)


def test_scorers_of_classes_are_those_of_scikit_learn() -> None:
    features, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(features[::2], y[::2])
    test, truth = features[1::2], y[1::2]
    assert pb.sklearn.scorer("top-1")(model, test, truth) == pytest.approx(model.score(test, truth))
    expected = top_k_accuracy_score(truth, model.predict_proba(test), k=2)
    assert pb.sklearn.scorer("top-2")(model, test, truth) == pytest.approx(expected)
    some = truth < 2
    expected = balanced_accuracy_score(truth[some], model.predict(test[some]))
    assert pb.sklearn.scorer("macro-top-1")(model, test[some], truth[some]) == pytest.approx(expected)
    model = LinearSVC().fit(features[::2], y[::2])  # scores without chances
    expected = top_k_accuracy_score(truth, model.decision_function(test), k=2)
    assert pb.sklearn.scorer("top-2")(model, test, truth) == pytest.approx(expected)
    with pytest.raises(UsageError, match="no scores of classes"):
        pb.sklearn.scorer("top-2")(PCA().fit(features), features, y)


def test_scorers_of_embeddings_are_the_measures() -> None:
    model = PCA(5).fit(X)
    samples = pb.Samples({"id": range(240), "subject": WHO, "shot": np.arange(240) % 4})
    embeddings = pb.Embeddings(model.transform(X), samples.ids, metric="cosine", name="PCA")
    experiment = pb.Experiment(samples, gallery="shot == 0")
    for name, within in (("rank-1", experiment), ("auc", samples), ("fnmr@0.01", samples)):
        value = pb.estimate(embeddings, within, measure=name).value
        sign = -1 if name.startswith("fnmr") else 1
        assert pb.sklearn.scorer(name)(model, X, WHO) == pytest.approx(sign * value)
    with pytest.raises(UsageError, match="makes no embeddings"):
        pb.sklearn.scorer("auc")(GaussianNB().fit(X, SEX), X, WHO)
    with pytest.raises(UsageError, match="no measure"):
        pb.sklearn.scorer("rang-1x")


def test_scorers_serve_a_grid_search_and_travel() -> None:
    scoring = pb.sklearn.scorer("auc", metric="l2")
    assert pickle.loads(pickle.dumps(scoring)) == scoring
    search = GridSearchCV(PCA(), {"n_components": [1, 6]}, scoring=scoring, cv=GroupKFold(3))
    assert search.fit(X, WHO, groups=WHO).best_params_ == {"n_components": 6}
    found = cross_validate(
        LogisticRegression(), X, SEX, groups=WHO, cv=GroupKFold(3), scoring={"top": pb.sklearn.scorer()}
    )
    assert found["test_top"].min() > 0.6


def test_scikit_learn_is_loaded_when_it_is_used() -> None:
    program = "import sys, proband as pb; pb.sklearn; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
