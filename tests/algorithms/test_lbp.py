"""Local binary patterns: histograms cell by cell, and nearest parts by a triple loop."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from skimage.feature import local_binary_pattern

from proband.algorithms import LBP, NBNN, Crops, Grid
from proband.errors import InputError, UsageError
from proband.measures import rank
from proband.samples import Ids

Make = Callable[..., Crops]


def every(scores) -> np.ndarray:
    return scores.tile(np.arange(scores.shape[0]), np.arange(scores.shape[1]))


def naive_histograms(image: np.ndarray, grid: Grid) -> np.ndarray:
    """Put every pixel into its cell, one at a time."""
    codes = local_binary_pattern(image, 8, grid.radius, method="nri_uniform")
    height, width = image.shape
    counts = np.zeros((grid.rows, grid.columns, 59))
    for row, column in product(range(height), range(width)):
        counts[row * grid.rows // height, column * grid.columns // width, int(codes[row, column])] += 1
    return (counts / counts.sum(axis=2, keepdims=True)).reshape(-1, 59)


@pytest.mark.parametrize(
    ("size", "grid"),
    [
        ((24, 18), Grid()),
        ((25, 19), Grid()),
        ((31, 17), Grid(7, 6, 2)),
        ((12, 12), Grid(1, 1, 1)),
        ((9, 7), Grid(9, 7, 3)),
    ],
    ids=str,
)
def test_histograms_equal_those_counted_pixel_by_pixel(
    random_crops: Make, size: tuple[int, int], grid: Grid
) -> None:
    crops = random_crops(3, *size)
    found = grid.histograms(crops)
    assert found.shape == (3, grid.rows * grid.columns, 59)
    assert np.allclose(found, [naive_histograms(image, grid) for image in crops.images], atol=1e-7)
    assert np.allclose(found.sum(axis=2), 1, atol=1e-6)


def test_there_are_58_uniform_patterns_and_one_bin_for_the_others(random_crops: Make) -> None:
    codes = local_binary_pattern(random_crops(1, 100, 100).images[0], 8, 2, method="nri_uniform")
    assert set(np.unique(codes)) == set(range(59))


def test_more_faces_than_fit_into_a_block_keep_their_order(random_crops: Make) -> None:
    crops = random_crops(75, 12, 12)
    found = Grid(2, 2, 1).histograms(crops)
    for place in (0, 31, 32, 74):
        assert np.allclose(found[place], naive_histograms(crops.images[place], Grid(2, 2, 1)), atol=1e-7)


def test_histograms_are_made_once(random_crops: Make) -> None:
    crops = random_crops(3)
    assert Grid().histograms(crops) is Grid().histograms(crops)
    assert Grid(2, 2).histograms(crops).shape != Grid().histograms(crops).shape


def test_grids_that_are_none_are_refused(random_crops: Make) -> None:
    for wrong in ((0, 6, 2), (6, 0, 2), (6, 6, 0)):
        with pytest.raises(UsageError, match="is not possible"):
            Grid(*wrong)
    with pytest.raises(UsageError, match="24 × 20 cannot be divided into 25 × 3"):
        Grid(25, 3).histograms(random_crops(1))


def test_no_faces_have_no_histograms(random_crops: Make) -> None:
    # Regression: no faces at all come out as numpy's ValueError; SRC returns an empty table.
    none = random_crops(3).take([])
    assert Grid(2, 3).histograms(none).shape == (0, 6, 59)


# Chi-square


def test_scores_are_chi_square_distances_of_all_histograms(random_crops: Make) -> None:
    query, target = random_crops(3, seed=1), random_crops(4, seed=2)
    scores = LBP(Grid(3, 2, 1)).fit(None).scores(query, target)
    x = np.array([naive_histograms(image, Grid(3, 2, 1)).ravel() for image in query.images])
    y = np.array([naive_histograms(image, Grid(3, 2, 1)).ravel() for image in target.images])
    expected = [
        [sum((a - b) ** 2 / (a + b) for a, b in zip(p, q, strict=True) if a + b) for q in y] for p in x
    ]
    assert np.allclose(every(scores), expected, rtol=1e-5)
    assert (scores.name, scores.orientation) == ("lbp:chi2", "distance")


def test_training_is_not_needed_and_ranks_are_good(faces) -> None:
    model = LBP().fit(None)
    assert model.training is None
    outcomes = rank(model.scores(faces.query, faces.target), faces.experiment)
    assert (outcomes.ranks == 1).mean() > 0.75


# Nearest parts


def naive_nearest_parts(query: Crops, gallery: Crops, grid: Grid, anywhere: bool) -> dict[str, np.ndarray]:
    """For each person: over the parts of each face, the squared distance to the person's nearest part."""
    people = dict.fromkeys(gallery.subjects)
    found = {person: np.zeros(len(query)) for person in people}
    for number, image in enumerate(query.images):
        parts = np.sqrt(naive_histograms(image, grid))
        for person in people:
            own = [
                np.sqrt(naive_histograms(other, grid))
                for other, whose in zip(gallery.images, gallery.subjects, strict=True)
                if whose == person
            ]
            for place, part in enumerate(parts):
                candidates = [
                    ((part - other[there]) ** 2).sum()
                    for other in own
                    for there in range(len(other))
                    if anywhere or there == place
                ]
                found[person][number] += min(candidates)
    return found


@pytest.mark.parametrize("anywhere", [True, False])
def test_nearest_parts_equal_a_triple_loop(random_crops: Make, anywhere: bool) -> None:
    grid = Grid(2, 3, 1)
    query, gallery = random_crops(19, 13, 10, seed=1), random_crops(8, 13, 10, people=3, seed=2)
    closeness, people = NBNN(grid, anywhere).fit(None).class_scores(query, gallery)
    expected = naive_nearest_parts(query, gallery, grid, anywhere)
    assert people == list(expected)
    assert np.allclose(-closeness, np.stack(list(expected.values()), axis=1), rtol=1e-4, atol=1e-6)


def test_parts_elsewhere_can_only_be_nearer(random_crops: Make) -> None:
    query, gallery = random_crops(4, seed=1), random_crops(6, people=2, seed=2)
    wide, narrow = (
        NBNN(anywhere=choice).fit(None).class_scores(query, gallery)[0] for choice in (True, False)
    )
    assert (wide >= narrow - 1e-9).all()
    assert (wide > narrow).any()


def test_a_face_of_ones_own_is_at_no_distance(random_crops: Make) -> None:
    gallery = random_crops(6, people=3)
    closeness, people = NBNN().fit(None).class_scores(gallery, gallery)
    own = [people.index(name) for name in gallery.subjects]
    assert np.allclose(closeness[np.arange(6), own], 0, atol=1e-6)
    assert closeness.argmax(axis=1).tolist() == own


def test_people_may_stand_in_any_order(random_crops: Make) -> None:
    query, gallery = random_crops(5, seed=1), random_crops(9, people=3, seed=2)
    mixed = gallery.take([gallery.ids[k] for k in (8, 2, 4, 0, 7, 1, 6, 3, 5)])
    model = NBNN().fit(None)
    (one, people), (other, names) = model.class_scores(query, gallery), model.class_scores(query, mixed)
    assert np.allclose(one[:, [people.index(name) for name in names]], other)


def test_people_must_be_known(random_crops: Make) -> None:
    with pytest.raises(InputError, match="lbp:nbnn needs the subject of"):
        NBNN().fit(None).scores(random_crops(2), random_crops(3))


def test_one_query_and_one_gallery_image(random_crops: Make) -> None:
    one = Crops(random_crops(1).images, Ids(["only"]), ("me",))
    closeness, people = NBNN().fit(None).class_scores(one, one)
    assert closeness.shape == (1, 1)
    assert people == ["me"]
