"""Classifiers by name, and learners that do the common part once against those that do all of it in every split."""

from __future__ import annotations

import numpy as np
import pytest

from proband.algorithms import LBP, NBNN, PCA, SRC, Correlation, Grid
from proband.algorithms.plugins import CallableRecognizer
from proband.errors import DesignError, UsageError
from proband.protocols.running.classifiers import Chain, fingerprint, named_classifiers, parse_classifier
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.learning import learner
from proband.protocols.splits.splits import Split
from proband.samples import Samples

pytest.importorskip("sklearn")
pytest.importorskip("skimage")

N, SIDE = 40, 24


@pytest.fixture(scope="module")
def faces() -> FeatureTable:
    """Ten people with four noisy images each."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(10), 4)
    smooth = np.kron(rng.uniform(30, 220, (10, 6, 6)), np.ones((4, 4)))
    images = np.clip(smooth[who] + rng.normal(0, 45, (N, SIDE, SIDE)), 0, 255).astype(np.uint8)
    table = Samples({"id": [f"i{k}" for k in range(N)], "subject": [f"p{k}" for k in who]})
    return FeatureTable(table, images, None, "faces")


@pytest.fixture(scope="module")
def split() -> Split:
    order = np.random.default_rng(1).permutation(N)
    return Split(1, 1, np.sort(order[:24]), np.sort(order[24:]))


def test_a_setting_reaches_the_estimator() -> None:
    name, made = parse_classifier("big = sklearn.svm:SVC(C=10, kernel='linear', class_weight={'a': 2.5})")
    assert name == "big"
    assert (made.C, made.kernel, made.class_weight) == (10, "linear", {"a": 2.5})


def test_a_name_is_optional_and_a_call_too() -> None:
    assert parse_classifier("sklearn.svm:LinearSVC")[0] == "sklearn.svm:LinearSVC"
    assert isinstance(parse_classifier("lbp:nbnn")[1], NBNN)


@pytest.mark.parametrize(
    "text",
    [
        "x=sklearn.svm:SVC(C=__import__('os').system('true'))",
        "sklearn.svm:SVC(C=open('x'))",
        "sklearn.svm:SVC(*[1])",
        "sklearn.svm:SVC(**{'C': 1})",
        "sklearn.svm:SVC(10)",
        "sklearn.svm:SVC(C=1)(C=2)",
        "sklearn.svm:SVC(C=1",
        "sklearn.svm:SVC(D=1)",
        "sklearn.svm:nothing()",
        "sklearn.nothing:SVC()",
        "sklearn.datasets:load_iris()",
        "sklearn.utils:os",
        "sklearn_evil:SVC()",
        "lbp:nbm",
        "x=",
        "+lbp:chi2",
        "sklearn.svm:SVC()+lbp:chi2",
        "pca:angle+sklearn.svm:SVC()",
        "lbp:chi2+src+sklearn.svm:SVC()",
        "sklearn.svm:SVC(C=" + "(" * 500 + ")" * 500 + ")",
    ],
)
def test_what_is_no_classifier_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_classifier(text)


def test_parts_of_a_chain_are_joined() -> None:
    made = parse_classifier(
        "lbp:chi2 + sklearn.preprocessing:StandardScaler() + sklearn.svm:SVC(kernel='a+b')"
    )[1]
    assert isinstance(made, Chain)
    assert [type(step).__name__ for _, step in made.estimator.steps] == ["StandardScaler", "SVC"]
    assert made.estimator.steps[-1][1].kernel == "a+b"


def test_names_must_differ_and_things_must_be_classifiers() -> None:
    with pytest.raises(UsageError, match="Two classifiers"):
        named_classifiers(["src", "src"])
    for wrong in (3, NBNN, object()):
        with pytest.raises(UsageError, match="not a classifier"):
            named_classifiers({"a": wrong})
    with pytest.raises(UsageError, match="No classifier"):
        named_classifiers([])


def test_a_fingerprint_tells_settings_apart_and_distrusts_strangers() -> None:
    one, two = (parse_classifier(f"sklearn.svm:SVC(C={c})")[1] for c in (1, 2))
    assert fingerprint(one) != fingerprint(two)
    assert fingerprint(NBNN()) != fingerprint(NBNN(anywhere=False))
    assert fingerprint(CallableRecognizer(np.mean, "mine")) is None

    class Mine(type(one)):
        pass

    assert fingerprint(Mine()) is None
    # Long arrays look alike where they are printed, and functions lie at other addresses in another process.
    wide = [parse_classifier("sklearn.naive_bayes:GaussianNB()")[1] for _ in range(2)]
    for k, one in enumerate(wide):
        one.set_params(priors=np.where(np.arange(5_000) == 2_500 + k, 1.0, 0.0))
    assert fingerprint(wide[0]) != fingerprint(wide[1])
    assert fingerprint(wide[0].set_params(priors=[0.5, 0.5])) is not None
    assert fingerprint(wide[1].set_params(priors=len)) is None
    assert (
        fingerprint(parse_classifier("sklearn.preprocessing:StandardScaler()+sklearn.svm:SVC()")[1])
        is not None
    )


RECOGNISERS = [
    NBNN(Grid(3, 3, 1)),
    NBNN(Grid(3, 3, 1), anywhere=False),
    LBP(Grid(3, 3, 1)),
    SRC(6, 6),
    PCA("angle"),
    Correlation(),
]


@pytest.mark.parametrize("made", RECOGNISERS, ids=lambda made: f"{made.name}-{getattr(made, 'anywhere', '')}")
@pytest.mark.parametrize("kept", [True, False])
def test_learners_agree_with_training_on_the_split_alone(made, kept, faces, split, monkeypatch) -> None:
    if not kept:
        monkeypatch.setattr("proband.protocols.running.learning._MOST_BYTES", 0)
    classes, codes = np.unique(faces.subjects, return_inverse=True)
    found = learner("one", made, faces, classes, codes).predict(split, 0)
    crops = faces.crops(faces.subjects, "one")
    train, test = (crops.take([crops.ids[k] for k in part]) for part in (split.train, split.test))
    closeness, people = made.fit(train).class_scores(test, train)
    expected = np.array(people)[closeness.argmax(axis=1)]
    np.testing.assert_array_equal(classes[found], expected)


def test_an_estimator_in_disguise_is_a_recogniser(faces) -> None:
    from proband.algorithms.classifier import RecognizerClassifier

    assert isinstance(named_classifiers({"a": RecognizerClassifier("src")})["a"], SRC)


def test_a_chain_learns_from_features_of_images(faces, split) -> None:
    from sklearn.svm import SVC

    made = Chain(LBP(Grid(3, 3, 1)), SVC(kernel="linear", C=100))
    classes, codes = np.unique(faces.subjects, return_inverse=True)
    found = learner("chain", made, faces, classes, codes).predict(split, 0)
    vectors = LBP(Grid(3, 3, 1)).fit(None).represent(faces.crops(faces.subjects, "x")).astype(float)
    other = SVC(kernel="linear", C=100).fit(vectors[split.train], codes[split.train])
    np.testing.assert_array_equal(found, other.predict(vectors[split.test]))


def test_open_random_states_are_seeded_and_stated_ones_kept(faces, split) -> None:
    classes, codes = np.unique(faces.subjects, return_inverse=True)

    def said(text: str, seed: int) -> list[int]:
        return learner("t", parse_classifier(text)[1], faces, classes, codes).predict(split, seed).tolist()

    tree = "sklearn.tree:DecisionTreeClassifier(max_features=3)"
    assert said(tree, 1) == said(tree, 1)
    assert any(said(tree, 1) != said(tree, seed) for seed in range(2, 6))
    fixed = "sklearn.tree:DecisionTreeClassifier(max_features=3, random_state=7)"
    assert said(fixed, 1) == said(fixed, 2)


def test_recognisers_need_images() -> None:
    table = Samples({"id": ["a", "b"], "subject": ["x", "y"]})
    data = FeatureTable(table, features=np.eye(2))
    with pytest.raises(DesignError, match="needs images"):
        learner("src", SRC(), data, np.array(["x", "y"]), np.array([0, 1]))


def test_what_fails_in_a_split_is_named(faces, split) -> None:
    classes, codes = np.unique(faces.subjects, return_inverse=True)
    bad = parse_classifier("sklearn.neighbors:KNeighborsClassifier(n_neighbors=999)")[1]
    with pytest.raises(DesignError, match="knn failed in repeat 1, fold 1"):
        learner("knn", bad, faces, classes, codes).predict(split, 0)
    clusters = parse_classifier("sklearn.cluster:KMeans(n_clusters=3)")[1]
    with pytest.raises(DesignError, match="not a classifier"):
        learner("clusters", clusters, faces, classes, codes).predict(split, 0)
