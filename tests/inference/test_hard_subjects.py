"""Whom errors fall on: the tests against loops, and where people are alike."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.special import ndtri

from proband.inference.verification.groups import hard_subjects_of
from proband.inference.verification.people.hard_subjects import ImageErrors, _apart, _wedges
from proband.measures.verification import OperatingPoint
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores


def some_images(rng: np.random.Generator, symmetric: bool) -> ImageErrors:
    queries = rng.integers(0, 5, 12)
    targets = queries if symmetric else rng.integers(0, 5, 9)
    one, other = np.nonzero(queries[:, None] != targets)
    if symmetric:
        one, other = one[one < other], other[one < other]
    wrong = rng.random(len(one)) < 0.3
    nothing = np.empty(0, dtype=np.int64)
    return ImageErrors(queries, targets, symmetric, (one[wrong], other[wrong]), (nothing, nothing))


def looped(images: ImageErrors) -> list[float]:
    """T_i over every two comparisons that share nothing but the person."""
    own = list(images.queries) if images.symmetric else [*images.queries, *images.targets]
    offset = 0 if images.symmetric else len(images.queries)
    errors = set(zip(images.matched[0].tolist(), (images.matched[1] + offset).tolist(), strict=True))
    made = [
        (a, b)
        for a in range(len(images.queries))
        for b in range(offset, len(own))
        if own[a] != own[b] and (a < b or not images.symmetric)
    ]
    p = len(errors) / len(made)
    ends = [(*pair, (pair in errors) - p) for pair in made] + [
        (b, a, ((a, b) in errors) - p) for a, b in made
    ]
    sums = [0.0] * 5
    for (a, x, e), (b, y, f) in permutations(ends, 2):
        if own[a] == own[b] and a != b and own[x] != own[y]:
            sums[own[a]] += e * f
    return sums


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_wedges_against_every_two_comparisons(seed, symmetric):
    images = some_images(np.random.default_rng(seed), symmetric)
    assert _wedges(images, 5) == pytest.approx(np.array(looped(images)))


@pytest.mark.parametrize("symmetric", [True, False])
def test_comparisons_that_share_no_image(symmetric):
    images = some_images(np.random.default_rng(0), symmetric)
    people, query, target = _apart(images)
    assert (images.queries[query] == people).all()
    assert (images.targets[target] == people).all()
    used = np.concatenate([query, target if symmetric else target + 12])
    assert len(np.unique(used)) == len(used)
    counts = [np.bincount(side, minlength=5) for side in (images.queries, images.targets)]
    assert (np.bincount(people, minlength=5) == (counts[0] // 2 if symmetric else np.minimum(*counts))).all()


def rejections(n_sets: int, goat: float, lamb: float, seed: int = 0) -> np.ndarray:
    """How often each test rejects, for people with four images, each of which has a quality of its own."""
    rng, people, each = np.random.default_rng(seed), 30, 4
    own = np.repeat(np.arange(people), each)
    ids = [f"{k}" for k in range(len(own))]
    samples = Samples({"id": ids, "subject": [f"{k}" for k in own]})
    same = own[:, None] == own
    found = []
    for _ in range(n_sets):
        poor, close = rng.normal(0, 0.6, len(own)), rng.normal(0, 0.6, len(own))
        steady, alike = goat * rng.normal(size=people)[own], lamb * rng.normal(size=people)[own]
        noise = np.triu(rng.normal(0, 0.7, same.shape), 1)
        genuine = 3 + poor[:, None] + poor + 2 * steady
        values = np.where(same, genuine, close[:, None] + close + alike[:, None] + alike) + noise + noise.T
        scores = Scores.from_array(values, ids, orientation="similarity")
        hard = hard_subjects_of(scores, samples, OperatingPoint(1.8, 1, 10, 1, 10, 0, 0))
        found.append((hard.goats_p <= 0.05, hard.lambs_p <= 0.05))
    return np.mean(found, axis=0)


def test_people_who_are_alike_are_no_goats_or_lambs(monkeypatch):
    """Errors that share an image or a person were taken for independent, which rejected 40 to 100 in 100."""
    monkeypatch.setattr("proband.inference.verification.people.hard_subjects._DRAWS", 199)
    assert (rejections(40, 0.0, 0.0) <= 0.15).all()
    assert (rejections(15, 0.9, 0.5) >= 0.6).all()


@pytest.mark.long
def test_levels_and_powers():
    assert (rejections(2000, 0.0, 0.0) <= 0.065).all()
    assert rejections(300, 0.9, 0.5)[0] >= 0.7


@pytest.mark.long
@pytest.mark.xfail(reason="the test of lambs keeps a level of 1% where 5% would do, and so finds 62%")
def test_the_power_to_find_lambs():
    assert rejections(300, 0.9, 0.5)[1] >= 0.7


def test_one_image_each_is_refused():
    ids = [f"{side}{k}" for side in "gp" for k in range(20)]
    samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    rng = np.random.default_rng(0)
    scores = Scores.from_array(rng.normal(size=(20, 20)), ids[20:], ids[:20], orientation="similarity")
    point = OperatingPoint(float(ndtri(0.9)), 1, 10, 1, 10, 0, 0)
    found = hard_subjects_of(scores, Experiment(samples, gallery=ids[:20]), point)
    assert found.goats_p is None
    assert found.lambs_p is not None  # the probe and the gallery image of a person are two
    assert [note.level for note in found.sentences()] == ["caution", "note"]
    alone = Samples({"id": ids[:20], "subject": [*range(19), 0]})
    square = Scores.from_array(rng.normal(size=(20, 20)), ids[:20], orientation="similarity")
    assert hard_subjects_of(square, alone, point).goats_p is None


def test_embeddings_are_as_their_scores():
    rng = np.random.default_rng(2)
    ids = [f"{k}" for k in range(60)]
    samples = Samples({"id": ids, "subject": [f"{k // 5}" for k in range(60)]})
    vectors = np.repeat(rng.normal(size=(12, 8)), 5, axis=0) + rng.normal(size=(60, 8))
    embedded = Embeddings(vectors, ids, metric="cosine")
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = Scores.from_array(unit @ unit.T, ids, orientation="similarity")
    point = OperatingPoint(0.4, 1, 10, 1, 10, 0, 0)
    one, other = (hard_subjects_of(each, samples, point) for each in (embedded, scores))
    assert one.lambs_p == pytest.approx(other.lambs_p)
    assert one.goats_p == other.goats_p
    assert one.people.equals(other.people)
