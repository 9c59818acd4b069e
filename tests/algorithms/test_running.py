"""Train and score: who may be trained on, what failures become, and that ranks survive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.examples import some

from proband.algorithms import (
    LBP,
    PCA,
    Acquired,
    Correlation,
    Crops,
    Pictures,
    Sets,
    acquire,
    names,
    recognizer,
    score,
    train,
)
from proband.algorithms.pictures.acquire import NO_FACE, NO_PICTURE, Failure
from proband.algorithms.plugins import CallableRecognizer
from proband.errors import DesignError, InputError
from proband.inference import evaluate
from proband.kernels.codes import FAILED, OK
from proband.measures import rank
from proband.samples import Experiment, Ids, Samples
from proband.scores import DenseScores
from proband.scores.archive import write_score_archive
from proband.scores.reading import read_scores

TABLE = Samples({"id": list("abcdef"), "subject": ["p", "p", "q", "q", "r", "r"]})


def acquired_of(samples: Samples, failures: dict[str, Failure] | None = None) -> Acquired:
    """Random crops of all samples but those that failed."""
    failures = failures or {}
    kept = [name for name in samples.ids if name not in failures]
    images = np.random.default_rng(0).integers(0, 256, (len(kept), 12, 10)).astype(np.uint8)
    return Acquired(Crops.of(images, samples, kept), failures)


# Sets


def test_training_samples_must_not_be_tested_on() -> None:
    with pytest.raises(DesignError, match="1 training sample is a query too: 'b'"):
        Sets(("a", "b", "d"), ("b", "c"), ("d", "e")).check(TABLE)
    with pytest.raises(DesignError, match=r"1 training sample is a target too: 'd'"):
        Sets(("a", "b", "d"), ("c",), ("d", "e")).check(TABLE)
    with pytest.raises(DesignError, match="'a', 'b', 'c' and 1 more"):
        Sets(tuple("abcd"), tuple("abcd"), tuple("abcd")).check(TABLE)


def test_targets_may_be_trained_on_where_that_is_allowed_and_queries_never() -> None:
    """Training on the gallery, T = G (Beveridge et al. 2001)."""
    sets = Sets(("a", "c"), ("b", "d"), ("a", "c", "e"))
    assert sets.trained_targets == ("a", "c")
    met = sets.check(TABLE, allow_training_overlap=True)
    assert (met.code, met.level) == ("scores.trained-on-gallery", "caution")
    assert "2 of 3 targets were in the training set" in str(met)
    with pytest.raises(DesignError, match="1 training sample is a query too: 'a'"):
        Sets(("a",), ("a", "b"), ("a",)).check(TABLE, allow_training_overlap=True)


def test_it_is_said_how_training_and_test_people_meet() -> None:
    assert Sets((), ("a",), ("b",)).check(TABLE).code == "algorithms.no-training"
    met = Sets(("a", "c"), ("b", "e"), ("f",)).check(TABLE)
    assert str(met) == "1 of 2 training people is also tested, with other images"
    apart = Sets(("a", "b"), ("c", "e"), ("d", "f")).check(TABLE)
    assert str(apart) == "trained on 2 images of 1 person, none of whom is tested"


def test_queries_may_be_targets_too() -> None:
    assert Sets(("a", "b"), ("c", "d"), ("c", "d")).check(TABLE).code == "algorithms.training-people-apart"


def test_samples_that_are_not_in_the_table_are_refused() -> None:
    with pytest.raises(InputError, match="'z'"):
        Sets(("a", "z"), ("c",), ("d",)).check(TABLE)


# Training


def test_training_is_on_what_was_acquired_of_the_training_samples() -> None:
    acquired = acquired_of(TABLE, {"b": Failure(NO_FACE)})
    (model,) = train([PCA("l2", 1)], acquired, ["a", "b", "c", "d"])
    assert model.training.n_images == 3
    assert model.training == PCA("l2", 1).fit(acquired.crops.take(["a", "c", "d"])).training


def test_recognisers_in_no_need_of_training_do_without() -> None:
    models = train([Correlation(), LBP()], acquired_of(TABLE), [])
    assert [model.training for model in models] == [None, None]
    assert models[0].shape == (12, 10)
    with pytest.raises(InputError, match="pca:l2 needs at least 3 training faces, got 0"):
        train([PCA("l2")], acquired_of(TABLE), [])
    with pytest.raises(InputError, match="got 0"):
        train([PCA("l2")], acquired_of(TABLE, dict.fromkeys("ab", Failure(NO_FACE))), ["a", "b"])


# Scoring


@pytest.mark.parametrize("name", some(names(), 3))
def test_scores_laid_out_keep_every_rank(faces, name: str) -> None:
    sets = Sets(faces.training, faces.queries, faces.targets)
    acquired = Acquired(faces.crops, {})
    models = train([recognizer(name)], acquired, sets.training)
    (laid_out,) = score(models, acquired, sets)
    direct = models[0].scores(faces.query, faces.target)
    assert laid_out.orientation == "similarity"
    assert (laid_out.queries[:], laid_out.targets[:]) == (faces.queries, faces.targets)
    assert laid_out.cell_codes is None
    ranks = [rank(scores, faces.experiment).ranks for scores in (laid_out, direct)]
    assert np.array_equal(*ranks)
    negated = "distances are stored negated" in map(str, laid_out.notes)
    assert negated == (direct.orientation == "distance")
    sign = -1 if negated else 1
    values = direct.tile(np.arange(24), np.arange(24))
    assert np.allclose(laid_out.values, sign * values, rtol=1e-6, atol=1e-6)


# Regression: scores are laid out in float32, so that those which float64 tells apart tie, and ties count against
# the mate.
def test_scores_that_lie_close_together_keep_their_ranks(faces) -> None:
    def embed(images: np.ndarray) -> np.ndarray:
        pixels = images[:, ::4, ::4].reshape(len(images), -1).astype(np.float64)
        pixels -= pixels.mean(axis=1, keepdims=True)
        return np.column_stack([np.full(len(pixels), 3e6), pixels])

    acquired, sets = Acquired(faces.crops, {}), Sets((), faces.queries, faces.targets)
    model = CallableRecognizer(embed, "mine").fit(None)
    direct = rank(model.scores(faces.query, faces.target), faces.experiment)
    laid_out = rank(score([model], acquired, sets)[0], faces.experiment)
    assert direct.n_tied == 0
    assert np.array_equal(direct.ranks, laid_out.ranks)


def test_more_queries_than_are_scored_at_once() -> None:
    n = 600
    samples = Samples({"id": [f"s{k}" for k in range(n)], "subject": [f"p{k % 7}" for k in range(n)]})
    acquired = acquired_of(samples, dict.fromkeys(("s3", "s400"), Failure(NO_PICTURE, "gone")))
    sets = Sets((), samples.ids[:], samples.ids[:5])
    model = Correlation().fit(acquired.crops)
    (laid_out,) = score([model], acquired, sets)
    kept = [k for k in range(n) if k not in (3, 400)]
    direct = model.scores(acquired.crops, acquired.crops.take(["s0", "s1", "s2", "s4"]))
    expected = direct.tile(np.arange(n - 2), np.arange(4))
    assert np.allclose(laid_out.values[np.ix_(kept, [0, 1, 2, 4])], expected, atol=1e-6)
    assert (laid_out.cell_codes[[3, 400]] == FAILED).all()


def test_failures_become_failed_cells_and_so_misses(faces) -> None:
    lost_query, lost_target = faces.queries[3], faces.targets[0]
    failures = dict.fromkeys((lost_query, lost_target), Failure(NO_FACE))
    kept = [name for name in faces.crops.ids if name not in failures]
    acquired = Acquired(faces.crops.take(kept), failures)
    sets = Sets(faces.training, faces.queries, faces.targets)
    (scores,) = score(train([recognizer("lbp:nbnn")], acquired, sets.training), acquired, sets)
    cells = scores.cell_codes
    assert (cells[3] == FAILED).all()
    assert (cells[:, 0] == FAILED).all()
    assert (np.delete(np.delete(cells, 3, axis=0), 0, axis=1) == OK).all()
    assert "2 failures to acquire: no face was found" in map(str, scores.notes)

    outcomes = evaluate([scores], faces.experiment).entries[0].outcomes
    assert len(outcomes) == len(faces.queries)
    assert outcomes.failed.tolist() == [name == lost_query for name in faces.queries]
    assert np.isinf(outcomes.ranks[3])

    # With one image enrolled of each person, the loss of a target is the loss of its mates.
    one_each = Experiment(faces.samples, gallery=faces.targets[::2], probes=faces.queries)
    owner = dict(zip(faces.samples.ids, faces.samples.codes, strict=True))
    outcomes = rank(scores, one_each)
    expected = [name == lost_query or owner[name] == owner[lost_target] for name in faces.queries]
    assert outcomes.failed.tolist() == expected
    assert not outcomes.success(24)[outcomes.failed].any()


def test_failures_from_pictures_to_rates(faces) -> None:
    """A picture that cannot be read costs its probe, and nothing else."""
    images = dict(zip(faces.samples.ids, faces.pictures, strict=True))
    lost = faces.queries[0]

    def load(name: str) -> np.ndarray:
        if name == lost:
            raise InputError("it was lost.")
        return images[name]

    wanted = [*faces.queries, *faces.targets]
    sets = Sets((), faces.queries, faces.targets)
    rates = []
    for pictures in (Pictures(load), Pictures(images.__getitem__)):
        acquired = acquire(pictures, faces.samples, wanted)
        (scores,) = score(train([Correlation()], acquired, []), acquired, sets)
        rates.append(evaluate([scores], faces.experiment).entries[0].outcomes.success(1))
    assert rates[0][0] == 0
    assert np.array_equal(rates[0][1:], rates[1][1:])


def test_nothing_to_score_is_refused() -> None:
    acquired = acquired_of(TABLE, dict.fromkeys("ab", Failure(NO_FACE)))
    model = LBP().fit(None)
    for sets in (Sets((), ("a", "b"), ("c",)), Sets((), ("c",), ("a", "b"))):
        with pytest.raises(DesignError, match="nothing to score"):
            score([model], acquired, sets)


# The archive of scores


def dense(name: str, cells: np.ndarray | None = None, **changes: object) -> DenseScores:
    values = np.random.default_rng(len(name)).normal(size=(2, 3)).astype(np.float32)
    given = {"orientation": "similarity", "name": name, "cells": cells, **changes}
    return DenseScores(values, Ids(["é1", "q2"]), Ids("abc"), **given)


@pytest.mark.parametrize(
    "cells", [None, np.array([[0, 2, 0], [2, 2, 1]], dtype=np.uint8)], ids=["plain", "cells"]
)
def test_an_archive_of_scores_reads_back(tmp_path: Path, cells: np.ndarray | None) -> None:
    written = [dense("pca:l2", cells), dense("mypackage.own:embed", cells)]
    write_score_archive(tmp_path / "scores.npz", written)
    read = read_scores(tmp_path / "scores.npz")
    assert list(read) == ["pca:l2", "mypackage.own:embed"]
    for one in written:
        other = read[one.name]
        assert np.array_equal(one.values, other.values)
        assert (one.queries, one.targets, one.orientation) == (
            other.queries,
            other.targets,
            other.orientation,
        )
        if cells is None:
            assert other.cell_codes is None
        else:
            assert np.array_equal(other.cell_codes, cells)
    picked = read_scores(f"{tmp_path / 'scores.npz'}::pca:l2")
    assert list(picked) == ["pca:l2"]


def test_an_archive_of_scores_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    for path in ("one.npz", "other.npz"):
        write_score_archive(tmp_path / path, [dense("a"), dense("b")])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()


@pytest.mark.parametrize(
    "other",
    [
        dense("a"),
        dense("cells"),
        dense("query_ids"),
        dense("orientation"),
        dense("a/b"),
        dense("b", orientation="distance"),
        dense("b", cells=np.full((2, 3), 2, dtype=np.uint8)),
        DenseScores(np.zeros((2, 3)), Ids("xy"), Ids("abc"), orientation="similarity", name="b"),
    ],
    ids=["twice", "cells", "query_ids", "orientation", "a path", "distances", "other cells", "other ids"],
)
def test_scores_that_do_not_fit_into_one_archive_are_refused(tmp_path: Path, other: DenseScores) -> None:
    with pytest.raises(InputError, match=other.name):
        write_score_archive(tmp_path / "scores.npz", [dense("a"), other])
    assert list(tmp_path.iterdir()) == []
