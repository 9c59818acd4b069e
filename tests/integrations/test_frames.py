"""Frames of any library: through Arrow's interface, without naming the library."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pandas as pd
import polars as pl
import pytest

import proband as pb
from proband.errors import InputError, UsageError

TABLE = {
    "id": ["a1", "a2", "b1"],
    "subject": ["a", "a", "b"],
    "session": [1, 2, None],
    "age": [20.5, None, 30.0],
}
EXPECTED = pb.Samples(TABLE).frame


class Stream:
    """A frame of which only Arrow's interface is known."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


class Broken:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise ValueError("no such stream")


def test_a_frame_of_which_only_the_interface_is_known() -> None:
    frame = pl.DataFrame(TABLE)
    assert pb.Samples(Stream(frame)).frame.equals(EXPECTED)
    with pytest.raises(InputError, match="The Broken does not make a table: no such stream"):
        pb.Samples(Broken())


@pytest.mark.parametrize("column", [pl.Series(TABLE["id"]), pd.Series(TABLE["id"])], ids=["polars", "pandas"])
def test_a_column_is_no_table(column: Any) -> None:
    with pytest.raises(UsageError, match="Cannot make a table from 'Series'"):
        pb.Samples(column)


def test_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(TABLE)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    for given in (table, table.to_batches()[0], reader, Stream(table)):
        assert pb.Samples(given).frame.equals(EXPECTED)
    with pytest.raises(UsageError, match="Cannot make a table from 'ChunkedArray'"):
        pb.Samples(table["id"])


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    values = "('a1', 'a', 1, 20.5), ('a2', 'a', 2, NULL), ('b1', 'b', NULL, 30.0)"
    relation = duckdb.sql(f"SELECT * FROM (VALUES {values}) t(id, subject, session, age)")
    found = pb.Samples(relation)
    assert found.frame.cast(EXPECTED.schema).equals(EXPECTED)
    assert pb.Experiment(found, gallery="session == 1", probes="session == 2").mated.all()


def test_no_library_is_loaded_to_know_its_frames() -> None:
    program = (
        "import sys, proband as pb\n"
        "pb.Samples({'id': ['a'], 'subject': ['a']})\n"
        "print({'pandas', 'pyarrow', 'duckdb', 'narwhals'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
