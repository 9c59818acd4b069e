"""Recognisers by name: every bundled one from training to ranks, plug-ins, and names that mean nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from proband.algorithms import PCA, Crops, Photometry, Recognizer, family_of, names, recognizer
from proband.algorithms.registry import BUNDLED, FAMILIES
from proband.errors import UsageError
from proband.measures import rank

Importable = Callable[..., None]
PIXELS = [name for name in BUNDLED if not name.startswith(("lbp", "src"))]
OWN = """
import numpy as np
from proband.algorithms import PCA, Photometry, Recognizer

def embed(images):
    pixels = images[:, ::4, ::4].reshape(len(images), -1).astype(np.float64)
    return pixels - pixels.mean(axis=1, keepdims=True)

class Mine(Recognizer):
    name = "mine"
    needs_training = False
    photometry = Photometry()

    def fit(self, train):
        return PCA("l2", photometry=self.photometry).fit(train)

def make():
    return PCA("angle", components=3)

ready = PCA("whitened-l2")
number = 7
"""
ESTIMATORS = """
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

transformer = PCA(12, whiten=True, random_state=0)
classifier = RidgeClassifier(alpha=100.0)
neighbours = KNeighborsClassifier(3)
"""


def rank_one(model, faces) -> float:
    outcomes = rank(model.scores(faces.query, faces.target), faces.experiment, counting="subjects")
    return float((outcomes.ranks == 1).mean())


# The bundled ones


@pytest.mark.parametrize("name", list(BUNDLED))
def test_every_bundled_recogniser_works_end_to_end(faces, name: str) -> None:
    made = recognizer(name)
    assert made.name == name
    model = made.fit(faces.train if made.needs_training else None if name != "correlation" else faces.train)
    assert model.name == name
    assert (model.training is not None) == made.needs_training
    vectors = model.represent(faces.query)
    assert len(vectors) == len(faces.query)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    assert rank_one(model, faces) > 0.6  # by chance it would be one in twelve


# Regression: no faces at all come out as numpy's ValueError; SRC alone returns a table without rows.
@pytest.mark.parametrize("name", ["correlation", "pca:l2", "lbp:chi2", "lbp:nbnn", "src"])
def test_no_faces_are_represented_by_no_rows(random_crops: Callable[..., Crops], name: str) -> None:
    crops = random_crops(6)
    model = recognizer(name).fit(crops)
    assert model.represent(crops.take([])).shape == (0, model.represent(crops).shape[1])


def test_names_lists_the_bundled_recognisers() -> None:
    assert names()[: len(BUNDLED)] == list(BUNDLED)
    assert {"correlation", "pca:mahalanobis", "lda:soft", "ica:1", "lbp:nbnn", "src"} <= set(names())


@pytest.mark.parametrize("name", PIXELS)
def test_without_a_mask_every_pixel_counts(name: str) -> None:
    assert recognizer(name).photometry.mask
    bare = recognizer(name, mask=False)
    assert not bare.photometry.mask
    assert bare.name == name
    assert bare.photometry.equalize == recognizer(name).photometry.equalize


def test_no_mask_reaches_the_model(random_crops: Callable[..., Crops]) -> None:
    train = random_crops(12, people=3)
    for name in ("correlation", "pca:l1", "lda:soft", "ica:2"):
        model = recognizer(name, mask=False).fit(train)
        assert not model.photometry.mask
        assert np.isfinite(model.represent(train)).all()
    assert recognizer("pca:l1", mask=False).fit(train).basis.shape[1] == 24 * 20


@pytest.mark.parametrize("name", ["lbp:chi2", "lbp:nbnn", "src"])
def test_recognisers_without_a_mask_of_their_own_stay_as_they_are(name: str) -> None:
    assert recognizer(name, mask=False) == recognizer(name)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("pca:mahalonobis", "pca:mahalanobis"),
        ("lbp:nbn", "lbp:nbnn"),
        ("correlatoin", "correlation"),
        ("lda:angel", "lda:angle"),
    ],
)
def test_unknown_names_give_near_matches(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"no recogniser '{name}'") as caught:
        recognizer(name)
    assert repr(near) in str(caught.value.hint)


@pytest.mark.parametrize("name", [" ", "zzz", "onnx", "onnx:", ":", "a.b", "a.b:", "zzz:zzz"])
def test_names_like_nothing_else_list_all(name: str) -> None:
    with pytest.raises(UsageError, match="no recogniser") as caught:
        recognizer(name)
    assert "lbp:nbnn" in str(caught.value.hint)


# One's own, by dotted name


@pytest.fixture
def own(importable: Importable) -> None:
    importable({"mypackage/__init__.py": "", "mypackage/own.py": OWN, "mypackage/estimators.py": ESTIMATORS})


@pytest.mark.usefixtures("own")
def test_a_function_from_images_to_vectors(faces) -> None:
    made = recognizer("mypackage.own:embed")
    assert not made.needs_training
    model = made.fit(None)
    assert model.name == "mypackage.own:embed"
    assert rank_one(model, faces) > 0.5
    scores = model.scores(faces.query, faces.target)
    pixels = [crops.images[:, ::4, ::4].reshape(len(crops), -1) for crops in (faces.query, faces.target)]
    expected = np.corrcoef(*pixels)[: len(faces.query), len(faces.query) :]
    assert np.allclose(scores.tile(np.arange(24), np.arange(24)), expected, atol=1e-5)


@pytest.mark.usefixtures("own")
def test_a_recogniser_by_class_or_instance(faces) -> None:
    by_class, by_instance = recognizer("mypackage.own:Mine"), recognizer("mypackage.own:ready")
    assert isinstance(by_class, Recognizer)
    assert by_class.name == "mine"
    assert rank_one(by_class.fit(faces.train), faces) > 0.6
    assert by_instance == PCA("whitened-l2")
    assert recognizer("mypackage.own:ready", mask=False) == PCA(
        "whitened-l2", photometry=Photometry(mask=False)
    )


# Regression: dataclasses.replace is called on a recogniser that is no dataclass.
@pytest.mark.usefixtures("own")
def test_a_recogniser_that_is_no_dataclass_can_do_without_a_mask() -> None:
    made = recognizer("mypackage.own:Mine", mask=False)
    assert not made.photometry.mask
    assert recognizer("mypackage.own:Mine").photometry.mask


# Regression: a factory, which the entry-point group is documented to take, is mistaken for a function from images
# to vectors.
@pytest.mark.usefixtures("own")
def test_a_factory_of_a_recogniser() -> None:
    assert recognizer("mypackage.own:make") == PCA("angle", components=3)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("name", ["transformer", "classifier", "neighbours"])
def test_estimators_of_scikit_learn(faces, name: str) -> None:
    made = recognizer(f"mypackage.estimators:{name}")
    assert made.needs_training
    model = made.fit(faces.train)
    assert model.training.n_images == len(faces.train)
    vectors = model.represent(faces.query)
    assert vectors.shape == (24, 12)  # twelve components, or twelve people to be told apart
    if name == "neighbours":
        assert np.allclose(vectors.sum(axis=1), 1)  # shares of the nearest neighbours
    else:
        assert rank_one(model, faces) > 0.4  # by chance it would be one in twelve


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "name", ["mypackage.own:nothing", "mypackage.nowhere:embed", "no.such.package:embed", "a..b:c"]
)
def test_what_cannot_be_imported_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be imported"):
        recognizer(name)


# Regression: a name that begins with a dot comes out as a TypeError of importlib.
# Regression: a relative name with a second dot (".a.b:c") still comes out as a TypeError of importlib.
@pytest.mark.parametrize("name", [".own:embed", ".:embed", ".mypackage.own:embed", "..mypackage.own:embed"])
def test_relative_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        recognizer(name)


@pytest.mark.usefixtures("own")
def test_what_is_no_recogniser_is_refused() -> None:
    with pytest.raises(UsageError, match="is a int, not a recogniser"):
        recognizer("mypackage.own:number")


# Plug-ins


@pytest.fixture
def plugin(importable: Importable, tmp_path: Path) -> None:
    information = tmp_path / "plugin-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[proband.recognizers]\n"
        "their:class = plugin:Mine\n"
        "their:instance = plugin:ready\n"
        "their:function = plugin:embed\n"
        "their:factory = plugin:make\n"
        "their:broken = plugin.nowhere:made\n"
        "src = plugin:ready\n"
    )
    importable({"plugin.py": OWN})


@pytest.mark.usefixtures("plugin")
def test_plugins_are_listed_after_the_bundled_ones() -> None:
    assert names() == [
        *BUNDLED,
        *sorted(f"their:{what}" for what in ("class", "instance", "function", "factory", "broken")),
    ]


@pytest.mark.usefixtures("plugin")
def test_plugins_are_found_by_name(faces) -> None:
    assert recognizer("their:instance") == PCA("whitened-l2")
    assert recognizer("their:class").name == "mine"
    model = recognizer("their:function").fit(None)
    assert model.name == "their:function"
    assert rank_one(model, faces) > 0.5


@pytest.mark.usefixtures("plugin")
def test_a_plugin_does_not_replace_a_bundled_recogniser() -> None:
    assert recognizer("src").name == "src"


@pytest.mark.usefixtures("plugin")
def test_near_matches_know_plugins() -> None:
    with pytest.raises(UsageError) as caught:
        recognizer("their:clas")
    assert "'their:class'" in str(caught.value.hint)


# Regression: as for dotted names, a factory is mistaken for a function from images to vectors.
@pytest.mark.usefixtures("plugin")
def test_a_plugin_may_be_a_factory() -> None:
    assert recognizer("their:factory") == PCA("angle", components=3)


# Regression: a plug-in that cannot be imported comes out as an ImportError, in the program with a traceback.
@pytest.mark.usefixtures("plugin")
def test_a_broken_plugin_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="their:broken"):
        recognizer("their:broken")


def test_the_family_of_a_recogniser_is_in_the_registry_and_not_in_its_name() -> None:
    assert [family_of(name) for name in BUNDLED] == [
        family for family, members in FAMILIES.items() for _ in members
    ]
    assert all(recognizer(name).name == name for name in BUNDLED)
    assert family_of("pca:mine") is None
