"""Several files as one array: the same numbers as from one file, never put together, and refused where they do not fit."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.cli import main
from proband.engine.files.shards import RowShards
from proband.errors import InputError, ProbandError
from proband.scores.formats import format_of
from proband.study.caching import Cache

N, CUTS = 24, (0, 7, 8, 20, 24)


@pytest.fixture
def samples() -> pb.Samples:
    names = [f"s{k:02d}" for k in range(N)]
    return pb.Samples({"id": names, "subject": [str(k % 8) for k in range(N)]})


@pytest.fixture
def vectors(samples: pb.Samples) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (rng.normal(size=(8, 6))[samples.codes] + 0.8 * rng.normal(size=(N, 6))).astype(np.float32)


def cut(array: np.ndarray, folder: Path, write: Callable[[Path, slice], None]) -> Path:
    folder.mkdir()
    for place, (start, stop) in enumerate(pairwise(CUTS)):
        write(folder / f"part-{place}", slice(start, stop))
    return folder


def as_npy(array: np.ndarray) -> Callable[[Path, slice], None]:
    return lambda path, rows: np.save(path.with_suffix(".npy"), array[rows])


def with_csv(array: np.ndarray, ids: Any) -> Callable[[Path, slice], None]:
    def write(path: Path, rows: slice) -> None:
        np.save(path.with_suffix(".npy"), array[rows])
        pl.DataFrame({"id": list(ids[rows])}).write_csv(path.with_suffix(".csv"))

    return write


def as_npz(array: np.ndarray, ids: Any, save: Any) -> Callable[[Path, slice], None]:
    return lambda path, rows: save(path.with_suffix(".npz"), model=array[rows], ids=np.array(ids[rows]))


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_those_of_the_whole(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=(rng.integers(1, 6), 3)) for _ in range(4)]
    whole, shards = np.concatenate(parts), RowShards(parts, list("abcd"))
    assert shards.shape == whole.shape
    for start in range(len(whole) + 1):
        for stop in range(len(whole) + 2):
            np.testing.assert_array_equal(shards[start:stop], whole[start:stop])
    rows = rng.integers(0, len(whole), 20)
    np.testing.assert_array_equal(shards[rows], whole[rows])
    np.testing.assert_array_equal(shards[::2], whole[::2])
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(shards))), whole)


@pytest.mark.parametrize(
    "kind", ["table order", "csv", "one csv", "npz", "packed npz", "a list", "a pattern"]
)
def test_embeddings_in_parts_are_those_of_one_file(
    kind: str, samples: pb.Samples, vectors: np.ndarray, tmp_path: Path
) -> None:
    ids = samples.ids
    writers = {
        "csv": with_csv(vectors, ids),
        "npz": as_npz(vectors, ids, np.savez),
        "packed npz": as_npz(vectors, ids, np.savez_compressed),
    }
    source: Any = cut(vectors, tmp_path / "model", writers.get(kind, as_npy(vectors)))
    if kind == "one csv":
        pl.DataFrame({"id": ids[::-1]}).write_csv(source / "ids.csv")
    if kind == "a list":
        source = sorted(source.iterdir())[::-1]  # as it is given
        samples = samples.take(np.concatenate([np.arange(a, b) for a, b in list(pairwise(CUTS))[::-1]]))
    if kind == "a pattern":
        source = f"{source}/part-*.npy"
    found = pb.Embeddings.read(source, samples, metric="cosine")
    assert found.name == "model"
    assert isinstance(found.query_vectors, RowShards)
    mapped = [isinstance(part, np.memmap) for part in found.query_vectors.parts]
    assert all(mapped) == (kind != "packed npz")
    expected_ids = ids[::-1] if kind == "one csv" else ids
    whole = pb.Embeddings(vectors, expected_ids, metric="cosine")
    order = found.queries.positions(expected_ids)
    np.testing.assert_array_equal(found.tile(order, order), whole.tile(np.arange(N), np.arange(N)))
    experiment = pb.Experiment(samples, gallery=list(ids[:8]))
    np.testing.assert_array_equal(pb.rank(found, experiment).closer, pb.rank(whole, experiment).closer)


@pytest.mark.parametrize("kind", ["npy", "npy with ids", "npz"])
def test_a_matrix_in_parts_is_that_of_one_file(
    kind: str, samples: pb.Samples, vectors: np.ndarray, tmp_path: Path
) -> None:
    matrix = vectors @ vectors.T

    def write(path: Path, rows: slice) -> None:
        if kind == "npz":
            names = {"query_ids": np.array(samples.ids[rows]), "target_ids": np.array(samples.ids[:])}
            np.savez(path.with_suffix(".npz"), model=matrix[rows], orientation="similarity", **names)
            return
        np.save(path.with_suffix(".npy"), matrix[rows])
        if kind == "npy with ids":
            said = {"orientation": "similarity", "query_ids": samples.ids[rows], "target_ids": samples.ids[:]}
            path.with_suffix(".npy.json").write_text(json.dumps(said))

    folder = cut(matrix, tmp_path / "model", write)
    assert format_of(folder).name == "shards"
    (found,) = pb.read_scores(folder, samples, orientation="similarity").values()
    assert (found.name, found.shape) == ("model", matrix.shape)
    whole = pb.Scores.from_array(matrix, samples.ids, orientation="similarity")
    for scores in (
        found,
        next(
            iter(
                pb.read_scores(
                    sorted(folder.glob("part-?.np[yz]")), samples, orientation="similarity"
                ).values()
            )
        ),
    ):
        np.testing.assert_array_equal(scores.tile(np.arange(N), np.arange(N)), matrix)
        one, other = (pb.verify(each, samples, fmr=[0.1], n_resamples=200) for each in (scores, whole))
        assert one.points[0].counts == other.points[0].counts


def test_a_directory_and_a_pattern_are_named_on_the_command_line_and_in_a_study(
    samples: pb.Samples, vectors: np.ndarray, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    cut(vectors, tmp_path / "model", with_csv(vectors, samples.ids))
    samples.frame.write_csv("samples.csv")
    np.save("model.npy", vectors)
    told = []
    for source in ("model.npy", "model/", "model/part-*.npy", "model=model/*.npy"):
        with pytest.raises(SystemExit) as stop:
            main(
                [
                    "evaluate",
                    "-e",
                    source,
                    "--metric",
                    "cosine",
                    "-s",
                    "samples.csv",
                    "-g",
                    "one_per_subject",
                    "--json",
                    "-q",
                ]
            )
        assert not stop.value.code
        told.append(json.loads(capsys.readouterr().out)["identification"])
    assert all(one == told[0] for one in told[1:])
    Path("study.toml").write_text(
        '[samples]\nfile = "samples.csv"\n[[embeddings]]\nfile = "model/*.npy"\nmetric = "cosine"\n[experiment]\ngallery = "one_per_subject"\n'
    )
    found = pb.run(pb.read_study("study.toml"))
    before = Cache(None).digest(Path("model/*.npy"))
    assert [one.sha256 for one in found.provenance.inputs if one.name == "model/*.npy"] == [before.sha256]
    frame = pl.read_csv("model/part-0.csv")
    frame.reverse().write_csv("model/part-0.csv")
    assert Cache(None).digest(Path("model/*.npy")) != before


def refused(folder: Path, samples: pb.Samples | None) -> str:
    with pytest.raises(ProbandError) as caught:
        pb.Embeddings.read(folder, samples, metric="cosine")
    assert isinstance(caught.value, InputError)
    return str(caught.value)


def test_parts_that_do_not_fit_are_refused(samples: pb.Samples, vectors: np.ndarray, tmp_path: Path) -> None:
    def made(name: str) -> Path:
        return cut(vectors, tmp_path / name, with_csv(vectors, samples.ids))

    other = made("dimension")
    np.save(other / "part-2.npy", vectors[8:20, :4])
    assert "part-2.npy has 4 columns of float32, and part-0.npy 6" in refused(other, samples)
    other = made("type")
    np.save(other / "part-1.npy", vectors[7:8].astype(float))
    assert "part-1.npy has 6 columns of float64" in refused(other, samples)
    other = made("missing")
    (other / "part-3.csv").unlink()
    assert "part-3.npy has no sample ids" in refused(other, samples)
    other = made("twice")
    pl.DataFrame({"id": ["s00"]}).write_csv(other / "part-1.csv")
    assert "1 of 24 sample ids repeats an earlier one: 's00'" in refused(other, samples)
    other = made("short")
    pl.DataFrame({"id": ["s07", "s08"]}).write_csv(other / "part-1.csv")
    assert "part-1.csv has 2 ids for the 1 rows of part-1.npy" in refused(other, samples)
    other = made("no column")
    pl.DataFrame({"name": ["s07"]}).write_csv(other / "part-1.csv")
    assert "part-1.csv has no column 'id'" in refused(other, samples)
    other = made("kinds")
    np.savez(other / "part-9.npz", model=vectors)
    assert "different file types" in refused(other, samples)
    other = cut(vectors, tmp_path / "order", as_npy(vectors))
    (other / "part-3.npy").rename(other / "part-10.npy")
    assert "The order of the files is ambiguous" in refused(other, samples)
    other = cut(vectors[:-1], tmp_path / "fewer", as_npy(vectors[:-1]))
    pl.DataFrame({"id": samples.ids[:]}).write_csv(other / "ids.csv")
    assert "ids.csv has 24 ids for the 23 rows of 4 files" in refused(other, samples)
    (tmp_path / "none").mkdir()
    with pytest.raises(ProbandError, match="none"):
        pb.Embeddings.read(tmp_path / "none", metric="cosine")


def test_matrices_that_do_not_fit_are_refused(
    samples: pb.Samples, vectors: np.ndarray, tmp_path: Path
) -> None:
    matrix = vectors @ vectors.T
    folder = cut(
        matrix,
        tmp_path / "model",
        lambda path, rows: np.savez(
            path.with_suffix(".npz"),
            model=matrix[rows],
            query_ids=samples.ids[rows],
            target_ids=samples.ids[:],
        ),
    )
    np.savez(
        folder / "part-1.npz", model=matrix[7:8], query_ids=samples.ids[7:8], target_ids=samples.ids[::-1]
    )
    with pytest.raises(InputError, match=r"part-1.npz and part-0.npz do not have the same target ids"):
        pb.read_scores(folder, samples, orientation="similarity")
    np.savez(folder / "part-1.npz", other=matrix[7:8], query_ids=samples.ids[7:8], target_ids=samples.ids[:])
    with pytest.raises(InputError, match=r"do not have the same algorithms"):
        pb.read_scores(folder, samples, orientation="similarity")
