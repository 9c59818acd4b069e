"""From files to aligned scores: what is told, what is found, and that they do not contradict each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.errors import InputError, UsageError
from proband.samples import OnePerSubject, Samples
from proband.scores import Scores
from proband.scores.formats import FORMATS, ScoreFile, write_scores
from proband.scores.reading import read_scores, scores_of, split_key

WRITTEN = [
    name for name in FORMATS.names() if FORMATS.find(name).write is not None
]  # test_shards.py has the other
STATES_IT = {"npy": ".npy", "npz": ".npz", "bee": ".mtx", "csu": ""}
DOES_NOT = {
    "csv-long": ".csv",
    "csv-matrix": ".csv",
    "parquet-long": ".pq",
    "parquet-matrix": ".pq",
    "arrow-long": ".arrow",
    "arrow-matrix": ".feather",
    "bob5": ".txt",
    "bob4": ".txt",
}


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a/b.npz", (Path("a/b.npz"), None)),
        ("a/b.npz::net", (Path("a/b.npz"), "net")),
        (Path("a/b.npz::net"), (Path("a/b.npz"), "net")),
        ("a:b.npz", (Path("a:b.npz"), None)),
        ("b.npz::", (Path("b.npz"), "")),
    ],
)
def test_keys(path, parts):
    assert split_key(path) == parts


@pytest.fixture
def written(tmp_path, small):
    """The small scores in any format, in numbers that every format can hold."""

    def write(name):
        _, samples = small
        scores = Scores.from_array(
            [[0.5, 2.0], [0.0, -3.0], [1.0, 4.0]], *axes(), orientation="distance", name="out"
        )
        path = tmp_path / f"harbour{(STATES_IT | DOES_NOT)[name]}"
        write_scores(path, scores, samples=samples, format=name)
        return path, samples

    return write


def axes():
    return ["q1", "q2", "q3"], ["t1", "t2"]


def test_all_formats_are_here():
    assert set(STATES_IT | DOES_NOT) == set(WRITTEN)


@pytest.mark.parametrize("name", WRITTEN)
def test_every_format_gives_the_same_scores(written, whole, name):
    path, samples = written(name)
    scores = Scores.read(path, orientation="distance", name="mine")
    assert whole(scores).tolist() == [[0.5, 2.0], [0.0, -3.0], [1.0, 4.0]]
    assert (scores.orientation, scores.name, scores.cell_codes) == ("distance", "mine", None)
    if name not in ("bee", "bob4"):  # these have no place for all ids
        assert (list(scores.queries), list(scores.targets)) == axes()
        aligned = read_scores(path, samples, orientation="distance")
        assert all(made.notes == scores.notes for made in aligned.values())


@pytest.mark.parametrize(
    "name",
    [name for name in WRITTEN if name not in ("npy", "npz", "csv-matrix", "parquet-matrix", "arrow-matrix")],
)
def test_formats_that_know_subjects_tell_them(written, pairs_of_subjects, name):
    path, _ = written(name)
    assert pairs_of_subjects(path).tolist() == [[True, False], [False, True], [True, False]]


@pytest.mark.parametrize("name", STATES_IT)
def test_an_orientation_that_contradicts_the_file(written, refusal, name):
    path, _ = written(name)
    assert next(iter(read_scores(path).values())).orientation == "distance"
    message = refusal(path, orientation="similarity")
    assert "states distance as its orientation, but similarity was declared" in message


@pytest.mark.parametrize("name", DOES_NOT)
def test_an_orientation_that_is_missing(written, refusal, name):
    path, _ = written(name)
    assert "does not guess it" in refusal(path)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_orientation_that_is_none(written, name):
    path, _ = written(name)
    with pytest.raises((UsageError, InputError), match="closeness"):
        read_scores(path, orientation="closeness")


def test_a_choice_of_rows_and_columns(tmp_path):
    samples = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": ["a", "a", "b", "b"]})
    np.save(tmp_path / "m.npy", np.arange(4.0).reshape(2, 2))
    scores = read_scores(
        tmp_path / "m.npy",
        samples,
        orientation="similarity",
        queries=OnePerSubject(last=True),
        targets="one_per_subject",
    )["m"]
    assert (scores.queries[:], scores.targets[:]) == (("a2", "b2"), ("a1", "b1"))


def test_a_choice_of_another_length(tmp_path, refusal):
    samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"]})
    np.save(tmp_path / "harbour.npy", np.zeros((2, 2)))
    message = refusal(tmp_path / "harbour.npy", samples, orientation="similarity", queries="subject == 'b'")
    assert "2 rows do not match the 1 samples that meet" in message


def test_what_is_read_may_be_used_without_a_file(small):
    scores, samples = small
    file = ScoreFile("npz", {"one": scores.values}, scores.queries, scores.targets)
    found = scores_of(file, Path("harbour.npz"), samples, "distance")
    assert list(found) == ["one"]
    assert found["one"].values.tolist() == scores.values.tolist()
