"""Score files of another tool, checked with parsers of our own that know nothing of the library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from proband.measures import RecognitionRate, rank
from proband.samples import Samples
from proband.scores import experiment_over
from proband.scores.formats import read_file
from proband.scores.reading import read_embeddings, read_scores
from proband.scores.trials import Trials

DATA = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not (DATA / "formats").is_dir(), reason=f"there is no data in {DATA}"),
]


def lines_of(path):
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def bee_body(path):
    """Shape and cells of a little-endian BEE file."""
    head, _, body = path.read_bytes().partition(b"\x78\x56\x34\x12\n")
    cell, rows, columns = head.split(b"\n")[3].split()
    return np.frombuffer(body, dtype="<f4" if cell == b"MF" else "u1").reshape(int(rows), int(columns))


LISTS = [
    "scores-cmc-4col.txt",
    "scores-cmc-5col.txt",
    "scores-nonorm-dev",
    "scores-nonorm-fivecol-dev",
    "scores-nonorm-openset-dev",
    "scores-ztnorm-dev",
    "scores-ztnorm-fivecol-dev",
]


@pytest.mark.parametrize("name", LISTS)
def test_lists(name):
    path = DATA / "formats" / name
    rows = lines_of(path)
    file = read_file(path)
    assert file.format == f"bob{len(rows[0])}"
    assert file.trials[0].frame["score"].to_list() == [float(row[-1]) for row in rows]
    assert file.trials[0].frame["mated"].to_list() == [row[0] == row[-3] for row in rows]
    scores = next(iter(read_scores(path, file.subjects, orientation="similarity").values()))
    probes = list(dict.fromkeys(row[-2] for row in rows))
    models = list(dict.fromkeys(row[1] if len(row) == 5 else row[0] for row in rows))
    assert list(scores.queries) == probes
    assert list(scores.targets) == models
    by_pair = {(row[-2], row[1] if len(row) == 5 else row[0]): float(row[-1]) for row in rows}
    assert scores.values.tolist() == [[by_pair[probe, model] for model in models] for probe in probes]


@pytest.mark.parametrize("name", ["dev-4col.txt", "test-4col.txt"])
def test_lists_whose_labels_tell_nothing(name):
    path = DATA / "formats" / name
    rows = lines_of(path)
    trials = read_file(path).trials[0]
    assert trials.frame["score"].to_list() == [float(row[3]) for row in rows]
    assert trials.frame["mated"].sum() == sum(row[0] == row[1] for row in rows)
    assert trials.frame["query"].null_count() == len(rows)


@pytest.mark.parametrize("name", ["scores-cmc-4col.txt", "scores-cmc-5col.txt"])
def test_ranks_of_a_list(name):
    path = DATA / "formats" / name
    rows = lines_of(path)
    ranks = []
    for probe in dict.fromkeys(row[-2] for row in rows):
        own = max(float(row[-1]) for row in rows if row[-2] == probe and row[0] == row[-3])
        ranks.append(1 + sum(float(row[-1]) >= own for row in rows if row[-2] == probe and row[0] != row[-3]))
    samples = read_file(path).subjects
    scores = next(iter(read_scores(path, samples, orientation="similarity").values()))
    outcomes = rank(scores, experiment_over([scores], samples))
    assert sorted(outcomes.ranks.tolist()) == sorted(ranks)


@pytest.mark.parametrize("name", ["scores", "search"])
def test_matrices(name, whole, pairs_of_subjects):
    path = DATA / "formats" / f"{name}.mtx"
    values, mask = bee_body(path), bee_body(path.with_suffix(".mask"))
    scores = read_scores(path)[name]
    assert scores.orientation == "similarity"
    assert scores.shape == values.shape
    assert np.array_equal(scores.values, values, equal_nan=True)
    assert np.array_equal(whole(scores)[mask != 0], values[mask != 0])
    cells = np.zeros(mask.shape) if scores.cell_codes is None else scores.cell_codes
    assert np.array_equal(cells == 1, mask == 0)
    assert np.array_equal(pairs_of_subjects(path) & (mask != 0), mask == 0xFF)


def test_a_matrix_and_a_list_of_the_same_scores():
    folder = DATA / "formats"
    matrix = read_scores(folder / "scores.mtx")["scores"].values
    listed = next(iter(read_scores(folder / "scores-cmc-4col.txt", orientation="similarity").values())).values
    assert sorted(matrix.ravel()) == pytest.approx(sorted(listed.ravel()), rel=1e-6)


@pytest.mark.skipif(not (DATA / "meds").is_dir(), reason="there is no data of MEDS")
def test_an_archive_of_five_algorithms():
    path = DATA / "meds" / "similarity_query_x_target.npz"
    with np.load(path, allow_pickle=False) as arrays:
        plain = {name: arrays[name] for name in arrays if arrays[name].ndim == 2}
        texts = {
            name: arrays[name].tolist()
            for name in arrays
            if arrays[name].ndim == 1 and arrays[name].dtype.kind == "U"
        }
    samples = Samples.read(DATA / "meds" / "samples.csv", id_column="filename", failed="not detected")
    found = read_scores(path, samples, orientation="similarity")
    assert set(found) == set(plain)
    for name, scores in found.items():
        assert scores.shape == (698, 514)
        assert np.array_equal(scores.values, plain[name])
        assert list(scores.queries) in texts.values()
        assert list(scores.targets) in texts.values()
    experiment = experiment_over([found["dlib"]], samples)
    rate = RecognitionRate(1)(rank(found["dlib"], experiment, on_failure="as_scored"))
    assert rate.value == pytest.approx(0.966, abs=0.0006)


@pytest.mark.skipif(not (DATA / "lfw").is_dir(), reason="there is no data of LFW")
def test_pairs_of_embeddings():
    path = DATA / "lfw" / "embeddings.npz"
    with np.load(path, allow_pickle=False) as arrays:
        vectors, subject, number = arrays["dlib"].astype(np.float64), arrays["subject"], arrays["image_no"]
        left, right, same, fold = (arrays[name] for name in ("pair_a", "pair_b", "pair_same", "pair_fold"))
    ids = np.array([f"{person}_{image}" for person, image in zip(subject, number, strict=True)])
    samples = Samples({"id": ids, "subject": subject})
    found = read_embeddings(f"{path}::dlib", samples, metric="l2")["dlib"]
    trials = Trials.from_pairs(
        pl.DataFrame({"query": ids[left], "target": ids[right], "mated": same, "fold": fold}), found
    )
    expected = np.linalg.norm(vectors[left] - vectors[right], axis=1)
    assert trials.frame["score"].to_numpy() == pytest.approx(expected)
    assert trials.frame["mated"].to_list() == (subject[left] == subject[right]).tolist()
    assert trials.frame["fold"].value_counts()["count"].to_list() == [600] * 10
