"""Sparse codes against another solver, and against the conditions that any solution must meet."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.linear_model import lars_path_gram

from proband.algorithms import SRC, Crops
from proband.errors import InputError, UsageError
from proband.samples import Ids

Make = Callable[..., Crops]
PENALTY = 0.01


def area_means(size: int, wanted: int) -> np.ndarray:
    """How much of each old pixel goes into each new one, along one axis."""
    edges = np.arange(wanted + 1) * size / wanted
    overlap = np.minimum(edges[1:, None], np.arange(1, size + 1)) - np.maximum(
        edges[:-1, None], np.arange(size)
    )
    return np.maximum(overlap, 0) / (size / wanted)


def objective(codes: np.ndarray, faces: np.ndarray, atoms: np.ndarray, penalty: float) -> np.ndarray:
    return 0.5 * ((faces - codes @ atoms) ** 2).sum(axis=1) + penalty * np.abs(codes).sum(axis=1)


def by_least_angles(faces: np.ndarray, atoms: np.ndarray, penalty: float) -> np.ndarray:
    """Follow the exact path of lasso solutions down to the penalty."""
    gram = atoms @ atoms.T
    return np.array(
        [
            lars_path_gram(atoms @ face, gram, n_samples=1, method="lasso", alpha_min=penalty)[2][:, -1]
            for face in faces
        ]
    )


def left_unexplained(
    codes: np.ndarray, faces: np.ndarray, atoms: np.ndarray, whose: np.ndarray
) -> np.ndarray:
    return np.stack(
        [
            [
                np.linalg.norm(face - code[whose == p] @ atoms[whose == p])
                for face, code in zip(faces, codes, strict=True)
            ]
            for p in range(whose.max() + 1)
        ],
        axis=1,
    )


@pytest.fixture(scope="module")
def solved(faces) -> dict[str, np.ndarray]:
    codes, vectors, atoms = SRC().fit(None).codes(faces.query, faces.target)
    return {
        "codes": codes,
        "faces": vectors,
        "atoms": atoms,
        "exact": by_least_angles(vectors, atoms, PENALTY),
        "whose": faces.target.classes("the test")[1],
    }


@pytest.mark.parametrize("size", [(44, 36), (150, 130), (60, 52), (23, 19)])
def test_images_are_reduced_by_area_means_to_unit_length(random_crops: Make, size: tuple[int, int]) -> None:
    crops = random_crops(3, *size)
    down, across = area_means(size[0], 22), area_means(size[1], 18)
    small = np.array([(down @ image @ across.T).ravel() for image in crops.images.astype(np.float64)])
    expected = small / np.linalg.norm(small, axis=1, keepdims=True)
    assert np.allclose(SRC().fit(None).represent(crops), expected, atol=1e-5)


def test_codes_reach_the_least_value_there_is(solved) -> None:
    faces, atoms = solved["faces"], solved["atoms"]
    got = objective(solved["codes"], faces, atoms, PENALTY)
    least = objective(solved["exact"], faces, atoms, PENALTY)
    assert solved["codes"].shape == (len(faces), len(atoms))
    assert (got >= least * (1 - 1e-9)).all()
    assert np.allclose(got, least, rtol=1e-3)


def test_codes_are_sparse(solved) -> None:
    assert (np.count_nonzero(solved["codes"], axis=1) < len(solved["atoms"]) / 2).all()


def test_codes_meet_the_conditions_of_a_solution(solved) -> None:
    """An atom in use correlates with the rest exactly as much as the penalty, and no atom more."""
    codes = solved["codes"]
    slope = (solved["faces"] - codes @ solved["atoms"]) @ solved["atoms"].T
    assert (np.abs(slope) <= PENALTY * 1.03).all()
    used = codes != 0
    assert np.allclose(slope[used], PENALTY * np.sign(codes[used]), rtol=0.03)


# Regression: the solver stops at a duality gap of 1e-4, a hundredth of the objective: residuals are off by up to
# 0.007, and people change places. With tol=1e-8 the order is the exact one, at half as much time again.
def test_people_are_ordered_as_by_the_exact_codes(faces, solved) -> None:
    closeness, _ = SRC().fit(None).class_scores(faces.query, faces.target)
    exact = left_unexplained(solved["exact"], solved["faces"], solved["atoms"], solved["whose"])
    assert np.allclose(-closeness, exact, atol=1e-4)
    assert np.array_equal(
        np.argsort(-closeness, axis=1, kind="stable"), np.argsort(exact, axis=1, kind="stable")
    )


def test_people_score_by_what_they_leave_unexplained(faces, solved) -> None:
    closeness, people = SRC().fit(None).class_scores(faces.query, faces.target)
    expected = left_unexplained(solved["codes"], solved["faces"], solved["atoms"], solved["whose"])
    assert np.allclose(-closeness, expected, atol=1e-9)
    assert people == list(dict.fromkeys(faces.target.subjects))


def test_a_larger_penalty_uses_fewer_images(faces) -> None:
    few, many = (
        np.count_nonzero(SRC(penalty=penalty).fit(None).codes(faces.query, faces.target)[0])
        for penalty in (0.1, 0.003)
    )
    assert few < many


@pytest.mark.parametrize(("n_queries", "n_gallery"), [(1, 1), (1, 5), (4, 1)])
def test_one_query_or_one_image_is_enough(random_crops: Make, n_queries: int, n_gallery: int) -> None:
    query, gallery = random_crops(n_queries, seed=1), random_crops(n_gallery, people=n_gallery, seed=2)
    codes, vectors, atoms = SRC().fit(None).codes(query, gallery)
    assert codes.shape == (n_queries, n_gallery)
    assert np.allclose(codes, by_least_angles(vectors, atoms, PENALTY), atol=0.02)


def test_a_black_picture_is_refused_by_name(random_crops: Make) -> None:
    images = random_crops(3).images.copy()
    images[1] = 0
    with pytest.raises(InputError, match="'night'"):
        SRC().fit(None).represent(Crops(images, Ids(["a", "night", "c"])))


def test_settings_that_are_none_are_refused() -> None:
    for wrong in ({"penalty": 0.0}, {"penalty": -1.0}, {"height": 0}, {"width": 0}):
        with pytest.raises(UsageError, match="SRC needs"):
            SRC(**wrong)


def test_codes_that_do_not_settle_are_refused(faces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proband.kernels.lasso._MOST_ROUNDS", 0)
    with pytest.raises(InputError, match="did not converge"):
        SRC(penalty=1e-5).fit(None).codes(faces.query, faces.target)


def test_src_needs_no_extra(random_crops: Callable[..., Crops], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skimage.transform", None)
    model = SRC().fit(random_crops(4, people=2))
    assert np.linalg.norm(model.represent(random_crops(3)), axis=1) == pytest.approx(1, abs=1e-6)
