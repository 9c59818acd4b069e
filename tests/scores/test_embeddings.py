"""Embeddings that behave as scores, and files of them."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import AlignmentError, InputError, ProbandError, UsageError
from proband.samples import Samples
from proband.scores import Embeddings
from proband.scores.reading import read_embeddings

RNG = np.random.default_rng(11)
VECTORS = RNG.normal(size=(5, 19))
IDS = ["a", "b", "c", "d", "e"]
SAMPLES = Samples({"id": IDS, "subject": [1, 1, 2, 2, 3]})


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<f2", "<i2"])
@pytest.mark.parametrize("metric", ["cosine", "inner", "l2"])
def test_scores_agree_with_plain_arithmetic(metric, dtype):
    vectors = (10 * VECTORS).astype(dtype)
    x = vectors.astype(np.float64)
    expected = {
        "inner": x @ x.T,
        "cosine": x @ x.T / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(x, axis=1)[None, :],
        "l2": np.linalg.norm(x[:, None] - x[None, :], axis=2),
    }[metric]
    made = Embeddings(vectors, IDS, metric=metric)
    rows, columns = np.array([4, 0]), np.array([1, 2, 4])
    assert made.tile(rows, columns) == pytest.approx(expected[np.ix_(rows, columns)], rel=1e-12, abs=1e-12)
    assert made.orientation == ("distance" if metric == "l2" else "similarity")
    assert made.cells(rows, columns) is None


def test_targets_of_their_own():
    made = Embeddings(VECTORS, IDS, metric="inner", targets=VECTORS[:2], target_ids=["x", "y"])
    assert made.shape == (5, 2)
    assert made.tile(np.array([3]), np.array([1]))[0, 0] == pytest.approx(VECTORS[3] @ VECTORS[1])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"metric": "manhattan"}, UsageError, "cosine, inner, l2"),
        ({"targets": VECTORS}, UsageError, "both"),
        ({"target_ids": IDS}, UsageError, "both"),
        ({"targets": VECTORS[:, :4], "target_ids": IDS}, InputError, "19 components"),
        ({"vectors": VECTORS[:4]}, InputError, "4 vectors but 5 ids"),
        ({"vectors": VECTORS[0]}, InputError, "one row per sample"),
        ({"vectors": VECTORS[:, :0]}, InputError, "5 × 0"),
        ({"vectors": VECTORS.astype(str)}, InputError, "matrix of numbers"),
        ({"vectors": VECTORS + 0j}, InputError, "matrix of numbers"),
        ({"ids": ["a", "a", "c", "d", "e"]}, InputError, "'a'"),
    ],
)
def test_what_does_not_fit(options, error, words):
    with pytest.raises(error, match=words):
        Embeddings(**({"vectors": VECTORS, "ids": IDS, "metric": "cosine"} | options))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_components_that_are_not_finite(bad):
    vectors = VECTORS.copy()
    vectors[3, 7] = bad
    with pytest.raises(InputError, match="harbour: the vector of 'd'"):
        Embeddings(vectors, IDS, metric="l2", name="harbour")


def test_a_vector_of_zeros_has_no_cosine():
    vectors = VECTORS.copy()
    vectors[2] = 0
    made = Embeddings(vectors, IDS, metric="cosine", name="harbour")
    assert made.tile(np.array([0]), np.array([1])).shape == (1, 1)
    with pytest.raises(InputError, match=r"harbour: 1 vector is all zeros.*'c'"):
        made.tile(np.array([0]), np.array([1, 2]))
    assert Embeddings(vectors, IDS, metric="inner").tile(np.array([2]), np.array([2]))[0, 0] == 0


def test_a_vector_too_long_for_arithmetic():
    made = Embeddings([[1e200, 1e200], [1.0, 1.0]], ["a", "b"], metric="inner", name="harbour")
    with pytest.raises(InputError, match="harbour: the vector of 'a'"):
        made.tile(np.array([0]), np.array([1]))


# Files


def test_an_array_is_mapped(tmp_path):
    np.save(tmp_path / "net.npy", VECTORS)
    made = read_embeddings(tmp_path / "net.npy", SAMPLES, metric="cosine")["net"]
    assert isinstance(made.query_vectors, np.memmap)
    assert made.queries[:] == tuple(IDS)
    chosen = Embeddings.read(tmp_path / "net.npy", SAMPLES, metric="l2", name="mine")
    assert (chosen.name, chosen.metric) == ("mine", "l2")


def test_rows_may_be_chosen(tmp_path):
    np.save(tmp_path / "net.npy", VECTORS[:2])
    made = read_embeddings(tmp_path / "net.npy", SAMPLES, metric="cosine", rows="subject == '2'")["net"]
    assert made.queries[:] == ("c", "d")


def test_an_archive_of_models(tmp_path):
    path = tmp_path / "nets.npz"
    np.savez(
        path,
        one=VECTORS,
        two=VECTORS[:, :3],
        names=np.array(IDS),
        sex=np.array(list("ffmmf")),
        age=np.arange(5),
    )
    found = read_embeddings(path, SAMPLES, metric="cosine")
    assert {name: made.dimension for name, made in found.items()} == {"one": 19, "two": 3}
    assert found["one"].queries[:] == tuple(IDS)
    assert list(read_embeddings(f"{path}::two", metric="cosine")) == ["two"]
    with pytest.raises(InputError, match=r"nets\.npz holds 2 models: one, two"):
        Embeddings.read(path, metric="cosine")
    with pytest.raises(InputError, match=r"nets\.npz has no embeddings 'three'; it has one, two"):
        read_embeddings(f"{path}::three", metric="cosine")


def test_which_array_holds_the_ids(tmp_path):
    path = tmp_path / "nets.npz"
    np.savez(path, one=VECTORS, names=np.array(IDS), codes=np.array(list("vwxyz")))
    with pytest.raises(InputError, match=r"nets\.npz: any of names, codes"):
        read_embeddings(path, metric="cosine")
    assert read_embeddings(path, metric="cosine", ids="codes")["nets"].queries[:] == tuple("vwxyz")
    np.savez(path, one=VECTORS, names=np.array(list("vwxyz")), ids=np.array(IDS))
    assert read_embeddings(path, metric="cosine")["nets"].queries[:] == tuple(IDS)
    with pytest.raises(InputError, match=r"nets\.npz has no array 'absent' with 5 ids"):
        read_embeddings(path, metric="cosine", ids="absent")


def test_ids_may_be_bytes(tmp_path):
    np.savez(tmp_path / "nets.npz", one=VECTORS, names=np.array(IDS, dtype="S1"))
    assert read_embeddings(tmp_path / "nets.npz", metric="cosine")["nets"].queries[:] == tuple(IDS)


def test_ids_that_are_asked_for_must_tell_rows_apart(tmp_path):
    path = tmp_path / "nets.npz"
    np.savez(path, one=VECTORS, sex=np.array(list("ffmmf")))
    with pytest.raises(InputError, match="repeat"):
        read_embeddings(path, SAMPLES, metric="cosine", ids="sex")


def test_an_array_called_ids_must_tell_rows_apart(tmp_path):
    path = tmp_path / "nets.npz"
    np.savez(path, one=VECTORS, ids=np.array(["e", "d", "c", "b", "b"]))
    with pytest.raises(InputError, match="'b'"):
        read_embeddings(path, SAMPLES, metric="cosine")


def test_ids_that_are_not_in_the_samples(tmp_path):
    np.savez(tmp_path / "nets.npz", one=VECTORS, ids=np.array(["a", "b", "x", "y", "e"]))
    with pytest.raises(AlignmentError, match="2 of 5 sample ids are not in the samples table: 'x', 'y'"):
        read_embeddings(tmp_path / "nets.npz", SAMPLES, metric="cosine")
    made = read_embeddings(tmp_path / "nets.npz", SAMPLES, metric="cosine", missing="drop")["nets"]
    assert tuple(map(str, made.notes)) == (
        "2 of 5 sample ids are not in the samples table: 'x', 'y'; left out",
    )


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"one": VECTORS, "two": VECTORS[:3]}, "single set of samples"),
        ({"one": VECTORS[0]}, "contains no embeddings .*; it has one of"),
        ({"one": VECTORS}, "no sample ids"),
        ({"one": np.where(VECTORS > 1, np.nan, VECTORS), "ids": np.array(IDS)}, "not finite"),
    ],
)
def test_archives_that_hold_no_embeddings(tmp_path, arrays, words):
    np.savez(tmp_path / "nets.npz", **arrays)
    with pytest.raises(ProbandError, match=words):
        read_embeddings(tmp_path / "nets.npz", metric="cosine")


@pytest.mark.parametrize(
    "name", ["absent.npy", "absent.npz", "list.txt", "folder.npy", "folder.npz", "empty.npz"]
)
def test_what_cannot_be_read(tmp_path, name):
    path = tmp_path / name
    if name.startswith("folder"):
        path.mkdir()
    elif not name.startswith("absent"):
        path.touch()
    with pytest.raises(ProbandError, match=name):
        read_embeddings(path, SAMPLES, metric="cosine")
