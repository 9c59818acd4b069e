"""Embeddings from safetensors, Parquet and Arrow: the numbers that were written, and damage refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, UsageError

IDS = [f"x{k}" for k in range(6)]
VECTORS = np.random.default_rng(3).normal(size=(6, 4)).astype(np.float32)


def write(path: Path, tensors: dict[str, tuple[str, Any]], **header: Any) -> Path:
    """Write tensors as the format has it: the length of a header, the header, and the numbers."""
    stated: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, (kind, array) in tensors.items():
        data = np.ascontiguousarray(array).tobytes()
        stated[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [len(content), len(content) + len(data)],
        }
        content += data
    stated = {name: {**one, **header} if name != "__metadata__" else one for name, one in stated.items()}
    text = json.dumps(stated).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content)
    return path


def test_safetensors_of_every_type(tmp_path: Path) -> None:
    short = (VECTORS.view(np.uint32) >> 16).astype(np.uint16)
    tensors = {
        "single": ("F32", VECTORS),
        "double": ("F64", VECTORS.astype(np.float64)),
        "half": ("F16", VECTORS.astype(np.float16)),
        "brain": ("BF16", short),
        "bias": ("I64", np.arange(3)),
    }
    path = write(tmp_path / "model.safetensors", tensors)
    pl.DataFrame({"id": IDS}).write_csv(tmp_path / "model.csv")
    found = pb.read_embeddings(path, metric="cosine")
    assert list(found) == ["single", "double", "half", "brain"]
    for name, one in found.items():
        assert one.queries[:] == tuple(IDS)
        wanted = (short.astype(np.uint32) << 16).view(np.float32) if name == "brain" else tensors[name][1]
        assert np.array_equal(one.query_vectors, wanted)
    assert isinstance(found["half"].query_vectors, np.memmap)
    assert list(pb.read_embeddings(f"{path}::half", metric="l2")) == ["half"]
    (tmp_path / "model.csv").unlink()
    samples = pb.Samples({"id": IDS, "subject": list("aabbcc")})
    assert pb.read_embeddings(path, samples, metric="l2")["half"].queries[:] == tuple(IDS)


@pytest.mark.parametrize(
    "header",
    [
        {"data_offsets": [0, 10**9]},
        {"data_offsets": [0, 8]},
        {"data_offsets": [96, 0]},
        {"shape": [2**61, 2**61]},
        {"shape": [-6, 4]},
        {"shape": "6 4"},
        {"shape": [6.0, 4]},
        {"dtype": "F8_E4M3"},
        {"dtype": None},
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, header: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="bad"):
        pb.read_embeddings(
            write(tmp_path / "bad.safetensors", {"net": ("F32", VECTORS)}, **header), metric="l2"
        )


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "net.safetensors", {"net": ("F32", VECTORS)}).read_bytes()
    for length in (0, 5, 8, 40, len(whole) - 1):
        (tmp_path / "net.safetensors").write_bytes(whole[:length])
        with pytest.raises(InputError, match="net"):
            pb.read_embeddings(tmp_path / "net.safetensors", metric="l2")
    (tmp_path / "net.safetensors").write_bytes((2**63).to_bytes(8, "little") + whole[8:])
    with pytest.raises(InputError, match="claims"):
        pb.read_embeddings(tmp_path / "net.safetensors", metric="l2")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_of_vectors_are_models(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"id": IDS, "age": [3] * 6, "new": VECTORS.tolist(), "old": (2 * VECTORS).tolist()})
    frame = frame.with_columns(
        pl.col("new").cast(pl.Array(pl.Float32, 4)), pl.col("old").cast(pl.List(pl.Float32))
    )
    path = tmp_path / f"vectors.{ending}"
    frame.write_parquet(path) if ending == "parquet" else frame.write_ipc(path)
    found = pb.read_embeddings(path, metric="cosine")
    assert np.array_equal(found["new"].query_vectors, VECTORS)
    assert np.array_equal(found["old"].query_vectors, 2 * VECTORS)
    assert found["old"].queries[:] == tuple(IDS)
    assert list(pb.read_embeddings(f"{path}::new", metric="cosine")) == ["new"]
    with pytest.raises(InputError, match="no embeddings 'newer'"):
        pb.read_embeddings(f"{path}::newer", metric="cosine")


def test_columns_of_fractions_are_one_model(tmp_path: Path) -> None:
    path = tmp_path / "wide.feather"
    columns = {f"d{k}": VECTORS[:, k] for k in range(4)}
    pl.DataFrame({"name": IDS, "age": [3] * 6, **columns}).write_ipc(path)
    (found,) = pb.read_embeddings(path, metric="cosine", ids="name").values()
    assert np.array_equal(found.query_vectors, VECTORS)
    assert (found.name, found.notes[0]["n"], found.notes[0]["last"]) == ("wide", 4, "d3")
    for frame, said in (
        (pl.DataFrame({"id": IDS, "v": [[1.0]] * 5 + [[1.0, 2.0]]}), "differ in length"),
        (pl.DataFrame({"id": IDS, "v": [[1.0]] * 5 + [None]}), "empty in row 6"),
        (pl.DataFrame({"id": IDS, "v": [["a"]] * 6}), "not numbers"),
        (pl.DataFrame({"id": IDS, "d0": [1.0] * 5 + [None]}), "empty in row 6"),
        (pl.DataFrame({"id": IDS}), "no column of vectors"),
    ):
        frame.write_ipc(path)
        with pytest.raises(InputError, match=said):
            pb.read_embeddings(path, metric="cosine")


def test_tables_and_scores_from_arrow(tmp_path: Path) -> None:
    table = pl.DataFrame({"id": IDS, "subject": list("aabbcc")})
    table.write_ipc(tmp_path / "samples.arrow")
    samples = pb.Samples.read(tmp_path / "samples.arrow")
    assert samples.ids[:] == tuple(IDS)
    scores = pb.Scores.from_array(VECTORS @ VECTORS.T, IDS, orientation="similarity")
    for kind in ("arrow-matrix", "arrow-long"):
        assert pb.write_scores(tmp_path / "scores.feather", scores, samples=samples, format=kind) == kind
        (again,) = pb.read_scores(tmp_path / "scores.feather", orientation="similarity").values()
        assert np.array_equal(again.values, scores.values)
    (tmp_path / "bad.arrow").write_bytes(b"ARROW1 not so")
    with pytest.raises(InputError, match="cannot be read as Arrow"):
        pb.Samples.read(tmp_path / "bad.arrow")
    (tmp_path / "net.bin").write_bytes(b"x")
    with pytest.raises(UsageError, match="not from"):
        pb.read_embeddings(tmp_path / "net.bin", metric="l2")
