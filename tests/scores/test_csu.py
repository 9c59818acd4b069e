"""Directories of CSU distance files, and image lists."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from tests.examples import examples

from proband.errors import InputError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import read_file, read_image_list, write_image_list, write_scores
from proband.scores.reading import read_scores

P1 = "g1.sfi\t1.5000000000000000e+00\ng2.sfi\t-2.5000000000000000e-01\n"


@pytest.fixture
def directory(tmp_path):
    """Make a directory of distance files."""

    def make(files):
        folder = tmp_path / "harbour"
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return make


# What is read


def test_files_may_list_the_targets_in_any_order(directory):
    path = directory({"p2.sfi": "g2.sfi\t4\ng1.sfi\t3\n", "p1.sfi": P1, ".hidden": "no distances"})
    (path / "deeper").mkdir()
    scores = read_scores(path)["harbour"]
    assert scores.orientation == "distance"
    assert scores.queries[:] == ("p1.sfi", "p2.sfi")
    assert scores.targets[:] == ("g1.sfi", "g2.sfi")
    assert scores.values.tolist() == [[1.5, -0.25], [3, 4]]


@pytest.mark.parametrize("text", [P1.replace("\n", "\r\n"), P1.rstrip("\n"), P1])
def test_line_ends(directory, text):
    assert read_scores(directory({"p": text}))["harbour"].values.tolist() == [[1.5, -0.25]]


def test_a_blank_line_at_the_end(directory):
    assert read_scores(directory({"p": P1 + "\n"}))["harbour"].values.tolist() == [[1.5, -0.25]]


def test_an_image_list_among_the_files(directory):
    path = directory({"p": "g1\t1\ng2\t2\n", "people.srt": "p g1\n\ng2 other\n"})
    file = read_file(path)
    assert file.subjects.frame.select("id", "subject").rows() == [
        ("p", "s1"),
        ("g1", "s1"),
        ("g2", "s2"),
        ("other", "s2"),
    ]
    assert tuple(map(str, file.notes)) == ("subjects are read from people.srt",)
    assert file.queries[:] == ("p",)


def test_names_are_text(directory):
    scores = read_scores(directory({"007": '"g,1"\t1\nZoë 写真\t2\n'}))["harbour"]
    assert (scores.queries[:], scores.targets[:]) == (("007",), ('"g,1"', "Zoë 写真"))


# What is refused


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"p1": P1, "p2": "g1.sfi\t1\ng3.sfi\t2\n"},
            "p2 lists different images from the first file: 'g3.sfi' is new",
        ),
        (
            {"p1": P1, "p2": "g1.sfi\t1\n"},
            "p2 lists different images from the first file: 'g2.sfi' is not there",
        ),
        ({"p1": P1, "p2": ""}, "p2"),
        ({"p1": P1, "p2": "g1.sfi\tmany\ng2.sfi\t1\n"}, "many"),
        ({"p1": "g1 1\ng2 2\n"}, "p1"),
        ({"p1": "g1\t1\t2\n"}, "p1"),
        ({"p1": "g1\t1\ng2\t1\t2\n"}, "p1"),
        ({"p1": "g1\t1\ng2\n"}, "p1"),
        ({"p1": "\t1\n"}, "p1"),
        ({"p1": b"g\xe9\t1\n"}, "p1"),
        ({"p1": b"\0" * 100}, "p1"),
        ({"p1": P1, "x.srt": b"g\xe9\n"}, "x.srt"),
        ({"p1": P1, "x.srt": " \n"}, "x.srt"),
        ({"p1": "g1\t1\ng2\tnan\n"}, "query 'p1' and target 'g2'"),
        ({"p1": "g1\t1\ng2\tinf\n"}, "query 'p1' and target 'g2'"),
        ({"x.srt": "a b\n"}, "harbour"),
        ({}, "harbour"),
        ({"p1": ""}, "p1"),
        ({"p1": "g1\t1\ng1\t2\n"}, "p1"),
        ({"p1": P1, "p2": "g1.sfi\t1\ng1.sfi\t2\n"}, "p2"),
        ({"p1": P1, "x.srt": "a a\n"}, "x.srt"),
    ],
)
def test_broken_directories(directory, refusal, files, words):
    assert words in refusal(directory(files), names=words)


def test_distances_are_not_similarities(directory, refusal):
    assert "states distance as its orientation" in refusal(directory({"p": P1}), orientation="similarity")


# Image lists


def test_image_list(tmp_path):
    path = tmp_path / "people.srt"
    path.write_bytes(b"a1.sfi  a2.sfi\r\n\r\nb1.sfi\t\r\n\r\n")
    samples = read_image_list(path)
    assert samples.ids[:] == ("a1.sfi", "a2.sfi", "b1.sfi")
    assert samples.frame["subject"].to_list() == ["s1", "s1", "s2"]


def test_image_list_round_trip(tmp_path):
    path = tmp_path / "people.srt"
    samples = Samples({"id": ["a1", "b1", "ä2", "c1"], "subject": ["ann", "bo", "ann", "cy"]})
    write_image_list(path, samples)
    assert path.read_text(encoding="utf-8") == "a1 ä2\nb1\nc1\n"
    again = read_image_list(path)
    assert dict(zip(again.ids, again.frame["subject"], strict=True)) == {
        "a1": "s1",
        "ä2": "s1",
        "b1": "s2",
        "c1": "s3",
    }


@pytest.mark.parametrize("content", [b"", b"\n\n", b"g\xe9\n", b"a b\na\n"])
def test_broken_image_lists(tmp_path, content):
    path = tmp_path / "people.srt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"people\.srt"):
        read_image_list(path)


def test_an_image_list_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"people\.srt"):
        read_image_list(tmp_path / "people.srt")


# Round trips


matrices = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=4),
    elements={"allow_nan": False, "allow_infinity": False},
)


@examples(30)
@given(values=matrices)
def test_round_trip(values):
    n_rows, n_columns = values.shape
    queries, targets = [f"é {k}" for k in range(n_rows)], [f'"{k}",写' for k in range(n_columns)]
    scores = Scores.from_array(values, queries, targets, orientation="distance")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "distances")
        write_scores(path, scores, samples=None, format="csu")
        again = read_scores(path)["distances"]
    assert (list(again.queries), list(again.targets)) == (queries, targets)
    assert again.values.tobytes() == values.tobytes()


def test_subjects_come_back(tmp_path, small, pairs_of_subjects):
    scores, samples = small
    write_scores(tmp_path / "harbour", scores, samples=samples, format="csu")
    assert sorted(entry.name for entry in (tmp_path / "harbour").iterdir()) == [
        "images.srt",
        "q1",
        "q2",
        "q3",
    ]
    assert pairs_of_subjects(tmp_path / "harbour").tolist() == [[True, False], [False, True], [True, False]]


def test_written_text(tmp_path):
    scores = Scores.from_array([[0.1, 2.0]], ["p"], ["g", "h"], orientation="distance")
    write_scores(tmp_path / "out", scores, samples=None, format="csu")
    assert (tmp_path / "out" / "p").read_text(encoding="utf-8") == (
        "g\t1.0000000000000001e-01\nh\t2.0000000000000000e+00\n"
    )


def test_an_older_directory_is_replaced(tmp_path, small):
    scores, _ = small
    write_scores(tmp_path / "out", scores, samples=None, format="csu")
    other = Scores.from_array([[1.0]], ["new"], ["t"], orientation="distance")
    write_scores(tmp_path / "out", other, samples=None, format="csu")
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["new"]


def test_a_directory_of_other_things_is_not_wiped_out(tmp_path, small):
    (tmp_path / "home" / "letters").mkdir(parents=True)
    (tmp_path / "home" / "letters" / "dear").write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match="home"):
        write_scores(tmp_path / "home", small[0], samples=None, format="csu")
    assert (tmp_path / "home" / "letters" / "dear").exists()


def distances(queries, targets, **options):
    values = np.ones((len(queries), len(targets)))
    return Scores.from_array(values, queries, targets, orientation="distance", **options)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (distances(["a/b"], ["t"]), "'a/b'"),
        (distances([".."], ["t"]), "'..'"),
        (distances([".hidden"], ["t"]), "'.hidden'"),
        (distances(["a\tb"], ["t"]), "file name"),
        (distances(["q"], ["t"], cells=np.array([[1]], dtype=np.uint8)), "cannot store"),
        (Scores.from_array([[1.0]], ["q"], ["t"], orientation="similarity"), "similarities"),
        (distances(["q"], ["tab\there"]), "tab"),
        (distances(["q"], ["line\nbreak"]), "line"),
        (distances(["q", "r.srt"], ["t"]), "srt"),
        (distances(["nul\0"], ["t"]), "nul"),
        (distances(["q" * 300], ["t"]), "qqq"),
    ],
    ids=[
        "slash",
        "dots",
        "hidden",
        "tab",
        "cells",
        "similarity",
        "target tab",
        "target line",
        "srt",
        "nul",
        "long",
    ],
)
def test_what_cannot_be_written(tmp_path, scores, words):
    with pytest.raises(InputError, match=words):
        write_scores(tmp_path / "out", scores, samples=None, format="csu")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "samples",
    [Samples({"id": ["q"], "subject": ["a"]}), Samples({"id": ["q", "two words"], "subject": ["a", "b"]})],
    ids=["absent", "blanks"],
)
def test_nothing_is_left_of_a_directory_that_fails_at_the_end(tmp_path, samples):
    with pytest.raises(InputError, match="two words"):
        write_scores(tmp_path / "out", distances(["q"], ["two words"]), samples=samples, format="csu")
    assert not list(tmp_path.iterdir())
