"""Models as files: what is written is what is read, nothing is pickled, and nothing foreign is believed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.examples import some

from proband.algorithms import LBP, NBNN, PCA, SRC, Crops, Grid, Model, load_model, recognizer, save_model
from proband.algorithms.ica import UNSETTLED
from proband.algorithms.plugins import CallableRecognizer
from proband.algorithms.registry import BUNDLED
from proband.errors import InputError
from proband.samples.npz import write_archive
from proband.words import Sentence

Make = Callable[..., Crops]


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def fitted(name: str, train: Crops) -> Model:
    return recognizer(name).fit(train)


@pytest.mark.parametrize("name", some(BUNDLED, 3))
def test_a_loaded_model_gives_the_same_scores(tmp_path: Path, random_crops: Make, name: str) -> None:
    train, query, target = (
        random_crops(24, people=6),
        random_crops(4, seed=1),
        random_crops(6, people=3, seed=2),
    )
    model = fitted(name, train)
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    assert type(loaded) is type(model)
    assert (loaded.name, loaded.training, loaded.notes) == (model.name, model.training, model.notes)
    one, other = model.scores(query, target), loaded.scores(query, target)
    assert np.array_equal(every(one), every(other))
    assert (one.name, one.orientation, one.notes) == (other.name, other.orientation, other.notes)
    assert np.array_equal(model.represent(query), loaded.represent(query))


# Regression: a fitted basis lay in memory column by column and a loaded one row by row, and BLAS rounds them differently.
@pytest.mark.parametrize("name", list(BUNDLED))
def test_arrays_lie_in_memory_alike_fitted_and_loaded(tmp_path: Path, random_crops: Make, name: str) -> None:
    model = fitted(name, random_crops(24, people=6))
    save_model(model, tmp_path / "model.npz")
    for one in (model, load_model(tmp_path / "model.npz")):
        arrays = [value for value in vars(one).values() if isinstance(value, np.ndarray)]
        assert all(array.flags.c_contiguous for array in arrays)


@pytest.mark.parametrize(
    "made",
    [
        LBP(Grid(3, 2, 1), name="coarse"),
        NBNN(Grid(2, 2, 1), anywhere=False),
        SRC(9, 7, 0.2),
        recognizer("pca:l1", mask=False),
        PCA("whitened-l2", 3),
    ],
    ids=lambda made: made.name,
)
def test_settings_come_back(tmp_path: Path, random_crops: Make, made) -> None:
    model = made.fit(random_crops(12))
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    for field in ("grid", "anywhere", "height", "width", "penalty", "photometry", "shape", "metric", "name"):
        assert getattr(loaded, field, None) == getattr(model, field, None)


def test_notes_come_back(tmp_path: Path, random_crops: Make) -> None:
    told = Sentence("test.of-another-version", "note", "{n:count thing}")
    notes = (UNSETTLED(rounds=3), told(n=2))
    save_model(replace(fitted("ica:2", random_crops(12)), notes=notes), tmp_path / "model.npz")
    del Sentence.every[told.code]
    same, other = load_model(tmp_path / "model.npz").notes
    assert same == notes[0]
    assert str(other) == "2 things"


def test_models_of_earlier_versions_told_their_notes_in_words(tmp_path: Path, random_crops: Make) -> None:
    path = tmp_path / "model.npz"
    save_model(replace(fitted("ica:2", random_crops(12)), notes=(UNSETTLED(rounds=3),)), path)
    arrays = dict(np.load(path))
    stated = json.loads(str(arrays["settings"]))
    stated["settings"]["notes"] = ["one thing"]
    np.savez(path, **{**arrays, "settings": np.array(json.dumps(stated))})
    assert [str(note) for note in load_model(path).notes] == ["one thing"]


@pytest.mark.parametrize("name", ["pca:mahalanobis", "lda:soft", "lbp:nbnn", "src"])
def test_nothing_is_pickled(tmp_path: Path, random_crops: Make, name: str) -> None:
    save_model(fitted(name, random_crops(24, people=6)), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as arrays:
        members = {member: arrays[member] for member in arrays.files}
    assert all(array.dtype.kind in "fU" for array in members.values())
    assert json.loads(members["settings"].item())["settings"]["name"] == name


def test_the_hash_of_training_ids_is_carried_whatever_their_order(tmp_path: Path, random_crops: Make) -> None:
    train = random_crops(12, people=4)
    expected = hashlib.sha256("\n".join(sorted(train.ids)).encode()).hexdigest()
    for crops in (train, train.take(train.ids[::-1])):
        save_model(fitted("pca:l2", crops), tmp_path / "model.npz")
        training = load_model(tmp_path / "model.npz").training
        assert (training.ids_sha256, training.n_images, training.n_subjects) == (expected, 12, 4)
    other = fitted("pca:l2", train.take(train.ids[:11])).training
    assert other.ids_sha256 != expected


def test_the_same_model_is_the_same_bytes(tmp_path: Path, random_crops: Make) -> None:
    for path in ("one.npz", "other.npz"):
        save_model(fitted("lda:angle", random_crops(24, people=6)), tmp_path / path)
    save_model(load_model(tmp_path / "one.npz"), tmp_path / "again.npz")
    content = (tmp_path / "one.npz").read_bytes()
    assert (tmp_path / "other.npz").read_bytes() == content
    assert (tmp_path / "again.npz").read_bytes() == content


def test_a_model_that_is_no_arrays_and_settings_is_refused(tmp_path: Path) -> None:
    model = CallableRecognizer(lambda images: images, "mine").fit(None)
    with pytest.raises(InputError, match="mine cannot be saved"):
        save_model(model, tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_model_is_written_whole_or_not_at_all(tmp_path: Path, random_crops: Make) -> None:
    with pytest.raises(InputError, match="does not exist"):
        save_model(fitted("pca:l2", random_crops(12)), tmp_path / "nowhere" / "model.npz")
    assert list(tmp_path.iterdir()) == []


# Foreign and damaged files


@pytest.fixture
def saved(tmp_path: Path, random_crops: Make) -> Path:
    path = tmp_path / "model.npz"
    save_model(fitted("pca:mahalanobis", random_crops(12)), path)
    return path


def members(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_a_file_that_is_missing_or_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        load_model(tmp_path / "nowhere.npz")
    with pytest.raises(InputError, match="There is no file"):
        load_model(tmp_path)
    (tmp_path / "text.npz").write_text("not an archive")
    with pytest.raises(InputError, match=r"text\.npz"):
        load_model(tmp_path / "text.npz")


@pytest.mark.parametrize(
    "settings",
    [
        None,
        np.array(3.5),
        np.array("not json"),
        np.array("[1, 2]"),
        np.array('{"kind": "LinearModel"}'),
        np.array('{"kind": "Popen", "settings": {"args": "ls"}}'),
        np.array('{"kind": ["LinearModel"], "settings": {}}'),
        np.array('{"kind": "LinearModel", "settings": {"name": "x", "colour": "red"}}'),
        np.array('{"kind": "LinearModel", "settings": 5}'),
        np.array(['{"kind": "LinearModel"}', "twice"]),
    ],
)
def test_a_foreign_archive_is_refused(saved: Path, settings: np.ndarray | None) -> None:
    arrays = members(saved)
    del arrays["settings"]
    write_archive(saved, arrays if settings is None else {**arrays, "settings": settings})
    with pytest.raises(InputError, match=r"model\.npz"):
        load_model(saved)


@pytest.mark.parametrize("change", ["without", "with another"])
def test_an_archive_of_other_arrays_is_refused(saved: Path, change: str) -> None:
    arrays = members(saved)
    if change == "without":
        del arrays["basis"]
    else:
        arrays["more"] = np.zeros(3)
    write_archive(saved, arrays)
    with pytest.raises(InputError, match=r"model\.npz is not a Proband model"):
        load_model(saved)


def test_an_archive_of_pickles_is_refused(saved: Path) -> None:
    np.savez(saved, **{**members(saved), "basis": np.array([{"a": 1}], dtype=object)})
    with pytest.raises(InputError, match="Python objects"):
        load_model(saved)


# Regression: arrays that do not fit together load, and fail later with numpy's ValueError.
def test_arrays_that_do_not_fit_together_are_refused(saved: Path, random_crops: Make) -> None:
    arrays = members(saved)
    write_archive(saved, {**arrays, "basis": arrays["basis"][:, :-1]})
    with pytest.raises(InputError, match=r"model\.npz|do not match"):
        load_model(saved).represent(random_crops(3))


# Regression: settings of the wrong kind come out as AttributeError or TypeError, on loading or on first use.
@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("pca:l2", "photometry", None),
        ("pca:l2", "photometry", "plain"),
        ("pca:l2", "shape", ["high", "wide"]),
        ("pca:l2", "training", "some faces"),
        ("lbp:chi2", "grid", None),
        ("lbp:nbnn", "grid", 7),
        ("src", "height", "high"),
        ("src", "width", -3),
        ("src", "penalty", None),
        ("src", "penalty", -1.0),
    ],
)
def test_settings_of_the_wrong_kind_are_refused(
    tmp_path: Path, random_crops: Make, name: str, setting: str, value: object
) -> None:
    path = tmp_path / "model.npz"
    save_model(fitted(name, random_crops(12)), path)
    arrays = members(path)
    stated = json.loads(arrays["settings"].item())
    stated["settings"][setting] = value
    write_archive(path, {**arrays, "settings": np.array(json.dumps(stated))})
    with pytest.raises(InputError):
        load_model(path)


# Regression: a basis that is one value comes out as an IndexError.
def test_arrays_without_axes_are_refused(saved: Path) -> None:
    write_archive(saved, {**members(saved), "basis": np.array("x")})
    with pytest.raises(InputError):
        load_model(saved)


def test_damage_is_refused_or_harmless(saved: Path, random_crops: Make) -> None:
    content, rng = saved.read_bytes(), np.random.default_rng(0)
    query = random_crops(3, seed=1)
    expected = load_model(saved).represent(query)
    for _ in range(60):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] ^= 1 << rng.integers(8)
        saved.write_bytes(damaged)
        with suppress(InputError):
            assert np.array_equal(load_model(saved).represent(query), expected)
    for length in (0, 1, 30, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"model\.npz"):
            load_model(saved)
