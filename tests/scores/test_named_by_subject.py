"""Matrices whose rows and columns are named by subject: the same numbers as with ids of samples and a table."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, UsageError
from proband.samples.ids import SubjectIds

ROWS, COLUMNS = ["anna", "ben", "anna", "cleo", "dora", "dora"], ["anna", "ben", "cleo", "dora", "emil"]
RNG = np.random.default_rng(1)
VALUES = RNG.normal(size=(6, 5)) + 2.0 * (np.array(ROWS)[:, None] == COLUMNS)


def _npz(folder: Path) -> Path:
    np.savez(folder / "m.npz", net=VALUES, query_ids=ROWS, target_ids=COLUMNS)
    return folder / "m.npz"


def _npy(folder: Path) -> Path:
    np.save(folder / "m.npy", VALUES)
    (folder / "m.npy.json").write_text(json.dumps({"query_ids": ROWS, "target_ids": COLUMNS}))
    return folder / "m.npy"


def _csv(folder: Path) -> Path:
    pl.DataFrame({"": ROWS, **{name: VALUES[:, k] for k, name in enumerate(COLUMNS)}}).write_csv(
        folder / "m.csv"
    )
    return folder / "m.csv"


def _parquet(folder: Path) -> Path:
    pl.DataFrame({"id": ROWS, **{name: VALUES[:, k] for k, name in enumerate(COLUMNS)}}).write_parquet(
        folder / "m.parquet"
    )
    return folder / "m.parquet"


def _parts(folder: Path) -> Path:
    (folder / "parts").mkdir()
    for part in range(2):
        rows = slice(3 * part, 3 * part + 3)
        np.savez(folder / "parts" / f"{part}.npz", net=VALUES[rows], query_ids=ROWS[rows], target_ids=COLUMNS)
    return folder / "parts"


def numbers(found: Any) -> Any:
    rates = (rate for point in found.points for rate in (point.fmr, point.fnmr, point.fnmr_at_threshold))
    return [(rate.value, rate.low, rate.high, rate.rests_on) for rate in rates], found.n_subjects


@pytest.mark.parametrize("write", [_npz, _npy, _csv, _parquet, _parts])
def test_it_is_as_with_a_table(write: Any, tmp_path: Path) -> None:
    (found,) = pb.read_scores(write(tmp_path), orientation="similarity", ids="subjects").values()
    samples = found.samples_by_label()
    assert samples.frame["subject"].to_list() == ROWS + COLUMNS
    assert found.queries[:3] == ("query:anna", "query:ben", "query:anna#2")
    ids = [f"q{k}" for k in range(6)], [f"t{k}" for k in range(5)]
    table = pb.Samples({"id": ids[0] + ids[1], "subject": ROWS + COLUMNS})
    plain = pb.Scores.from_array(VALUES, *ids, orientation="similarity")
    for wanted, made in (
        (pb.verify(plain, table, fmr=0.2, n_resamples=100), pb.verify(found, fmr=0.2, n_resamples=100)),
        (
            pb.evaluate(plain, pb.Experiment(table, gallery=ids[1])).entries[0].curve,
            pb.evaluate(found, pb.Experiment(samples, gallery="role == 'target'")).entries[0].curve,
        ),
    ):
        if isinstance(made, type(wanted)) and hasattr(made, "points"):
            assert numbers(made) == numbers(wanted)
        else:
            assert made.values.tolist() == wanted.values.tolist()


def test_arrays_in_memory() -> None:
    square = pb.Scores.from_array(VALUES[:5], COLUMNS, orientation="similarity", ids="subjects")
    assert pb.verify(square, fmr=0.2, n_resamples=0).rates.counts.n_genuine == 5
    other = pb.Scores.from_array(
        VALUES[:5] ** 3, COLUMNS, orientation="similarity", ids="subjects", name="other"
    )
    assert pb.compare([square, other], measure="auc").pairs[0].value == 0.0
    with pytest.raises(UsageError, match="ids='subjects'"):
        pb.verify(pb.Scores.from_array(VALUES[:5], COLUMNS, orientation="similarity"))


def test_names_stay_apart() -> None:
    ids = SubjectIds(["x", "x", "x#2", "x"], "query")
    assert ids[:] == ("query:x", "query:x#3", "query:x#2", "query:x#4")
    again = pickle.loads(pickle.dumps(ids))
    assert (again[:], again.labels, again.place("query:x#3")) == (ids[:], ids.labels, 1)
    with pytest.raises(InputError, match="at position 1 has no subject"):
        SubjectIds(["x", ""], "query")


def test_what_cannot_be_named_so_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", VALUES)
    (tmp_path / "l.csv").write_text("query,target,score\na,b,0.1\n")
    for name, said in (("m.npy", "no row and column names"), ("l.csv", "list of pairs")):
        with pytest.raises(UsageError, match=said):
            pb.read_scores(tmp_path / name, orientation="similarity", ids="subjects")
    with pytest.raises(InputError, match="2 of 6 query ids") as told:
        pb.read_scores(_csv(tmp_path), orientation="similarity")
    assert "--ids subjects" in (told.value.told("command line")[1] or "")
