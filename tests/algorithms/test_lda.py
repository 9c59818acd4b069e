"""Linear discriminants against two other ways of solving for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from proband.algorithms import LDA, PCA, Crops
from proband.algorithms.lda import discriminants
from proband.errors import InputError, UsageError
from proband.samples import Ids

Make = Callable[..., Crops]


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def by_whitening(x: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whiten the scatter within people, then find the principal axes of people's means."""
    people = np.unique(codes)
    centre = x.mean(axis=0)
    within = sum(
        (x[codes == p] - x[codes == p].mean(axis=0)).T @ (x[codes == p] - x[codes == p].mean(axis=0))
        for p in people
    )
    between = sum(
        (codes == p).sum()
        * np.outer(x[codes == p].mean(axis=0) - centre, x[codes == p].mean(axis=0) - centre)
        for p in people
    )
    within, between = within / (len(x) - len(people)), between / (len(people) - 1)
    values, axes = np.linalg.eigh(within)
    whiten = axes / np.sqrt(values)
    ratios, turned = np.linalg.eigh(whiten.T @ between @ whiten)
    order = np.argsort(ratios)[::-1][: min(len(people) - 1, x.shape[1])]
    return whiten @ turned[:, order], ratios[order]


def people_in_space(n: int, people: int, dimension: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(people), rng.integers(0, people, n - people)])
    scales = rng.uniform(0.2, 3, dimension)
    return rng.normal(size=(people, dimension))[codes] * 2 + rng.normal(size=(n, dimension)) * scales, codes


@pytest.mark.parametrize(("n", "people", "dimension"), [(60, 6, 9), (40, 12, 5), (30, 2, 4)])
def test_discriminants_equal_whitening_and_rotating(n: int, people: int, dimension: int) -> None:
    x, codes = people_in_space(n, people, dimension, seed=n)
    directions, ratios = discriminants(x, codes)
    wanted, wanted_ratios = by_whitening(x, codes)
    assert directions.shape == (dimension, min(people - 1, dimension))
    assert np.allclose(ratios, wanted_ratios, rtol=1e-8)
    assert (np.diff(ratios) <= 0).all()
    signs = np.sign((directions * wanted).sum(axis=0))
    assert np.allclose(directions * signs, wanted, rtol=1e-6, atol=1e-8)


def test_discriminants_equal_those_of_scikit_learn() -> None:
    x, codes = people_in_space(80, 7, 10, seed=3)
    directions, _ = discriminants(x, codes)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(x, codes).scalings_[:, :6]
    # They divide the scatter within people by n, we by its degrees of freedom.
    factor = np.sqrt((80 - 7) / 80)
    signs = np.sign((directions * theirs).sum(axis=0))
    assert np.allclose(directions * signs, theirs * factor, rtol=1e-6, atol=1e-9)


def test_each_direction_has_unit_variance_within_people() -> None:
    x, codes = people_in_space(70, 5, 6, seed=4)
    projected = x @ discriminants(x, codes)[0]
    means = np.array([projected[codes == p].mean(axis=0) for p in range(5)])
    within = projected - means[codes]
    assert np.allclose(within.T @ within / (70 - 5), np.eye(4), atol=1e-8)


def test_projections_of_faces_are_discriminants_of_their_eigenface_coefficients(random_crops: Make) -> None:
    train, test = random_crops(40, people=8), random_crops(5, seed=9)
    reduced = PCA("l2").fit(train)
    directions, _ = by_whitening(reduced.represent(train).astype(np.float64), train.classes("the test")[1])
    wanted = reduced.represent(test) @ directions
    got = LDA("l2").fit(train).represent(test)
    assert got.shape == (5, 7)
    signs = np.sign((got * wanted).sum(axis=0))
    assert np.allclose(got * signs, wanted, rtol=1e-3, atol=1e-3)


def test_comparisons_of_projections(random_crops: Make) -> None:
    train, query, target = random_crops(40, people=8), random_crops(4, seed=1), random_crops(6, seed=2)
    models = {name: LDA(name).fit(train) for name in ("l1", "l2", "angle", "soft")}
    x, y = (models["l2"].represent(crops).astype(np.float64) for crops in (query, target))
    reduced = PCA("l2").fit(train).represent(train).astype(np.float64)
    _, ratios = by_whitening(reduced, train.classes("the test")[1])
    difference = x[:, None] - y[None]
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y)]
    wanted = {
        "l1": np.abs(difference).sum(axis=2),
        "l2": np.sqrt((difference**2).sum(axis=2)),
        "angle": unit[0] @ unit[1].T,
        "soft": np.sqrt((ratios**0.2 * difference**2).sum(axis=2)),
    }
    for name, model in models.items():
        scores = model.scores(query, target)
        assert np.allclose(every(scores), wanted[name], rtol=1e-3)
        assert scores.orientation == ("similarity" if name == "angle" else "distance")
        assert model.name == scores.name == f"lda:{name}"


def test_the_order_of_training_faces_does_not_matter(random_crops: Make) -> None:
    train, test = random_crops(30, people=5), random_crops(4, seed=1)
    shuffled = train.take(list(np.random.default_rng(0).permutation(train.ids[:])))
    one, other = (every(LDA("soft").fit(crops).scores(test, test)) for crops in (train, shuffled))
    assert np.allclose(one, other, rtol=1e-3, atol=1e-4)


def test_singular_scatter_within_people_is_refused(random_crops: Make) -> None:
    with pytest.raises(InputError, match=r"singular: 12 training faces of 12 people leave 0 .* 4 principal"):
        LDA().fit(random_crops(12, people=12))
    with pytest.raises(InputError, match=r"leave 6 .* for 8") as caught:
        LDA(components=8).fit(random_crops(12, people=6))
    assert "fewer components" in str(caught.value.hint)
    assert LDA(components=6).fit(random_crops(12, people=6)).basis.shape[0] == 5


# Regression: three copies of a face leave rounding errors where the scatter should be nothing, which pass for
# scatter.
@pytest.mark.parametrize("copies", [2, 3, 5, 6, 7])
def test_people_whose_faces_are_all_copies_are_refused(random_crops: Make, copies: int) -> None:
    images = np.repeat(random_crops(10).images, copies, axis=0)
    people = tuple(f"person {k // copies}" for k in range(len(images)))
    with pytest.raises(InputError, match="singular"):
        LDA("soft").fit(Crops(images, Ids(range(len(images))), people))


def test_training_without_people_to_tell_apart_is_refused(random_crops: Make) -> None:
    with pytest.raises(InputError, match="at least two people"):
        LDA().fit(random_crops(12, people=1))
    with pytest.raises(InputError, match="lda:angle needs the subject of"):
        LDA().fit(random_crops(12))
    with pytest.raises(InputError, match="at least 4 training faces, got 3"):
        LDA().fit(random_crops(3, people=2))
    with pytest.raises(UsageError, match="got 'hard'"):
        LDA("hard")
    with pytest.raises(UsageError, match="number of components"):
        LDA(components=-3)
