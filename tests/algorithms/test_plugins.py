"""A user's own functions, estimators and ONNX models: what they may return, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sklearn.cluster import DBSCAN
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from proband.algorithms import Crops, recognizer
from proband.algorithms.plugins import CallableRecognizer, EstimatorRecognizer
from proband.errors import InputError, ProbandError

Make = Callable[..., Crops]


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


# Functions


@pytest.mark.parametrize(
    "function",
    [
        lambda images: None,
        lambda images: np.zeros(len(images)),
        lambda images: np.zeros((1, 3)),
        lambda images: np.zeros((len(images), 2, 2)),
        lambda images: np.zeros((len(images), 3), dtype=int),
        lambda images: np.array([["a"]] * len(images)),
        lambda images: np.array([[None]] * len(images)),
    ],
    ids=["nothing", "one axis", "too few", "three axes", "whole numbers", "text", "objects"],
)
def test_functions_that_return_no_rows_of_floats_are_refused(
    random_crops: Make, function: Callable[..., Any]
) -> None:
    with pytest.raises(InputError, match=r"mine turned 5 faces into .*one row of floats"):
        CallableRecognizer(function, "mine").fit(None).represent(random_crops(5))


# Regression: rows of different lengths come out as numpy's ValueError.
@pytest.mark.parametrize(
    "function",
    [
        lambda images: [[1.0, 2.0]] * (len(images) - 1) + [[1.0]],
        lambda images: np.ones((len(images), len(images))),
    ],
    ids=["within a block", "from block to block"],
)
def test_functions_that_return_rows_of_different_lengths_are_refused(
    random_crops: Make, function: Callable[..., Any]
) -> None:
    with pytest.raises(ProbandError, match="mine"):
        CallableRecognizer(function, "mine").fit(None).represent(random_crops(300, 8, 8))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda images: np.full((len(images), 3), np.nan), "not finite"),
        (lambda images: np.zeros((len(images), 3)), "all zeros"),
        (lambda images: np.zeros((len(images), 0)), "matrix of numbers"),
        (lambda images: np.ones((len(images), len(images))), "components"),
    ],
    ids=["not finite", "zeros", "no components", "queries unlike targets"],
)
def test_vectors_without_a_cosine_are_refused(
    random_crops: Make, function: Callable[..., Any], said: str
) -> None:
    model = CallableRecognizer(function, "mine").fit(None)
    with pytest.raises(InputError, match=f"mine: .*{said}"):
        every(model.scores(random_crops(4), random_crops(5)))


def test_a_function_is_called_block_by_block(random_crops: Make) -> None:
    sizes: list[int] = []

    def embed(images: np.ndarray) -> np.ndarray:
        sizes.append(len(images))
        return images.reshape(len(images), -1).astype(np.float64)

    crops = random_crops(600, 4, 4)
    vectors = CallableRecognizer(embed, "mine").fit(None).represent(crops)
    assert sum(sizes) == 600
    assert max(sizes) <= 256
    assert np.array_equal(vectors, crops.images.reshape(600, 16))


# Estimators


def test_an_estimators_transform_is_of_pixels_between_0_and_1(random_crops: Make) -> None:
    train, test = random_crops(12), random_crops(4, seed=1)
    model = EstimatorRecognizer(PCA(3), "mine").fit(train)
    theirs = PCA(3).fit(train.images.reshape(12, -1) / 255).transform(test.images.reshape(4, -1) / 255)
    assert np.allclose(model.represent(test), theirs, atol=1e-5)


def test_the_estimator_itself_is_left_unfitted(random_crops: Make) -> None:
    estimator = PCA(3)
    EstimatorRecognizer(estimator, "mine").fit(random_crops(12))
    assert not hasattr(estimator, "components_")


def test_a_classifier_learns_people(random_crops: Make) -> None:
    train = random_crops(12, people=3)
    vectors = EstimatorRecognizer(LogisticRegression(), "mine").fit(train).represent(train)
    assert vectors.shape == (12, 3)
    assert vectors.argmax(axis=1).tolist() == [k % 3 for k in range(12)]


def test_estimators_that_represent_nothing_are_refused(random_crops: Make) -> None:
    train = random_crops(12, people=3)
    with pytest.raises(InputError, match="no transform, decision_function or predict_proba"):
        EstimatorRecognizer(DBSCAN(), "mine").fit(train)
    with pytest.raises(InputError, match="one row of floats"):
        EstimatorRecognizer(OneHotEncoder(), "mine").fit(train).represent(train)
    with pytest.raises(InputError, match="at least 2 training faces, got 0"):
        EstimatorRecognizer(PCA(), "mine").fit(None)


# ONNX


def write_onnx(path: Path, shape: list[int | str], outputs: int = 5, dtype: type = np.float32) -> np.ndarray:
    """Write a model that multiplies its flattened input by a matrix, and return the matrix."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed, so there is no model to run")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    helper = onnx.helper
    floats = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    inputs = int(np.prod(shape[1:]))
    weights = np.random.default_rng(0).standard_normal((inputs, outputs)).astype(dtype)
    graph = helper.make_graph(
        [
            helper.make_node("Flatten", ["face"], ["flat"], axis=1),
            helper.make_node("MatMul", ["flat", "weights"], ["vector"]),
        ],
        "projection",
        [helper.make_tensor_value_info("face", floats, shape)],
        [helper.make_tensor_value_info("vector", floats, [shape[0], outputs])],
        [onnx.numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)
    return weights


@pytest.mark.parametrize("channels", [1, 3])
def test_an_onnx_model_embeds_crops(tmp_path: Path, random_crops: Make, channels: int) -> None:
    weights = write_onnx(tmp_path / "net.onnx", ["batch", channels, 24, 20])
    made = recognizer(f"onnx:{tmp_path / 'net.onnx'}")
    assert made.name == "net"
    assert not made.needs_training
    crops = random_crops(7)
    scaled = (crops.images.astype(np.float64) - 127.5) / 127.5
    flat = np.repeat(scaled[:, None], channels, axis=1).reshape(7, -1)
    assert np.allclose(made.fit(None).represent(crops), flat @ weights, rtol=1e-4, atol=1e-3)
    assert every(made.fit(None).scores(crops, crops)).shape == (7, 7)


def test_crops_are_resized_to_the_input_of_an_onnx_model(tmp_path: Path, random_crops: Make) -> None:
    weights = write_onnx(tmp_path / "net.onnx", ["batch", 1, 12, 10])
    crops = random_crops(3)
    small = [
        np.asarray(Image.fromarray(one).resize((10, 12), Image.Resampling.BILINEAR)) for one in crops.images
    ]
    flat = (np.array(small, dtype=np.float64).reshape(3, -1) - 127.5) / 127.5
    got = recognizer(f"onnx:{tmp_path / 'net.onnx'}").fit(None).represent(crops)
    assert np.allclose(got, flat @ weights, rtol=1e-4, atol=1e-3)


# Regression: a model for one face at a time, as many are exported, comes out as an error of onnxruntime's.
def test_an_onnx_model_for_one_face_at_a_time(tmp_path: Path, random_crops: Make) -> None:
    weights = write_onnx(tmp_path / "net.onnx", [1, 1, 24, 20])
    crops = random_crops(4)
    flat = (crops.images.reshape(4, -1) - 127.5) / 127.5
    got = recognizer(f"onnx:{tmp_path / 'net.onnx'}").fit(None).represent(crops)
    assert np.allclose(got, flat @ weights, rtol=1e-4, atol=1e-3)


# Regression: channels that come last are taken for the width, and every face is squeezed into three columns.
# Regression: any other fixed number of faces still comes out as an error of onnxruntime's. Filled up with black
# faces, the last batch could be run.
def test_an_onnx_model_for_four_faces_at_a_time(tmp_path: Path, random_crops: Make) -> None:
    weights = write_onnx(tmp_path / "net.onnx", [4, 1, 24, 20])
    crops = random_crops(6)
    flat = (crops.images.reshape(6, -1) - 127.5) / 127.5
    got = recognizer(f"onnx:{tmp_path / 'net.onnx'}").fit(None).represent(crops)
    assert np.allclose(got, flat @ weights, rtol=1e-4, atol=1e-3)


# Regression: a model that takes something other than float32 comes out as an error of onnxruntime's.
def test_an_onnx_model_of_half_precision_is_run_or_refused(tmp_path: Path, random_crops: Make) -> None:
    write_onnx(tmp_path / "net.onnx", ["batch", 1, 24, 20], dtype=np.float16)
    with suppress(InputError):
        model = recognizer(f"onnx:{tmp_path / 'net.onnx'}").fit(None)
        assert model.represent(random_crops(3)).shape == (3, 5)


def test_an_onnx_model_with_channels_last_is_refused(tmp_path: Path) -> None:
    write_onnx(tmp_path / "net.onnx", ["batch", 24, 20, 3])
    with pytest.raises(InputError, match="batch × channels × height × width"):
        recognizer(f"onnx:{tmp_path / 'net.onnx'}").fit(None)


@pytest.mark.parametrize("shape", [["batch", 480], ["batch", 1, "height", "width"]])
def test_an_onnx_model_of_other_input_is_refused(tmp_path: Path, shape: list) -> None:
    onnx = pytest.importorskip("onnx", reason="onnx is not installed, so there is no model to run")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    floats = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["face"], ["vector"])],
        "identity",
        [onnx.helper.make_tensor_value_info("face", floats, shape)],
        [onnx.helper.make_tensor_value_info("vector", floats, shape)],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "net.onnx")
    with pytest.raises(InputError, match="batch × channels × height × width was expected"):
        recognizer(f"onnx:{tmp_path / 'net.onnx'}").fit(None)


def test_an_onnx_file_that_is_broken_or_missing_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    with pytest.raises(InputError, match=r"broken\.onnx is not a model that can be run"):
        recognizer(f"onnx:{tmp_path / 'broken.onnx'}").fit(None)
    with pytest.raises(InputError, match="There is no file"):
        recognizer(f"onnx:{tmp_path / 'nowhere.onnx'}").fit(None)
