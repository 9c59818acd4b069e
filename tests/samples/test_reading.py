"""Tables from files: every kind, ids kept as text, and files that are not what they should be."""

from __future__ import annotations

import datetime
import json
import time
import zipfile

import numpy as np
import polars as pl
import pytest

from proband.errors import InputError, ProbandError, UsageError
from proband.samples import Samples

ROWS = [
    {"id": "007", "subject": "01", "day": "1996-01-31", "age": 31.5, "detected": True},
    {"id": "7", "subject": "1", "day": "1996-02-01", "age": None, "detected": False},
]


@pytest.fixture
def write(tmp_path):
    def write_scores(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_scores


def delimited(separator: str) -> str:
    lines = [separator.join(ROWS[0])]
    lines += [separator.join("" if value is None else str(value) for value in row.values()) for row in ROWS]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "name", ["t.csv", "t.CSV", "t.tsv", "t.parquet", "t.pq", "t.jsonl", "t.ndjson", "t.npz"]
)
def test_every_kind_of_file(tmp_path, name):
    path = tmp_path / name
    ending = path.suffix.lower()
    frame = pl.DataFrame(ROWS).with_columns(pl.col("day").str.to_date())
    if ending in (".csv", ".tsv"):
        path.write_text(delimited("\t" if ending == ".tsv" else ","))
    elif ending in (".parquet", ".pq"):
        frame.write_parquet(path)
    elif ending == ".npz":
        arrays = {column: np.array([row[column] for row in ROWS]) for column in ("id", "subject", "detected")}
        np.savez(path, day=np.array([row["day"] for row in ROWS], dtype="datetime64[D]"), **arrays)
    else:
        path.write_text("\n".join(json.dumps(row) for row in ROWS))
    samples = Samples.read(path, failed="not detected")
    assert list(samples.ids) == ["007", "7"]
    assert list(samples.subjects) == ["01", "1"]
    assert samples.failed.tolist() == [False, True]
    if ending in (".jsonl", ".ndjson"):
        assert samples.select("day == '1996-01-31'").positions.tolist() == [0]
    else:
        assert samples.frame["day"].to_list() == [datetime.date(1996, 1, 31), datetime.date(1996, 2, 1)]
        assert samples.select("day < date('1996-02-01')").positions.tolist() == [0]
    if ending != ".npz":
        assert samples.select("age > 1").unknown == 1


def test_ids_that_look_like_numbers_dates_or_truths_stay_text(write):
    path = write("t.csv", "id,subject\n007,1e3\n7,1000\n1996-01-31,true\n0x1F,True\n")
    samples = Samples.read(path)
    assert list(samples.ids) == ["007", "7", "1996-01-31", "0x1F"]
    assert list(samples.subjects) == ["1e3", "1000", "true", "True"]


def test_other_columns_are_named(write):
    path = write("t.csv", "file,person,id\n007,01,5\n008,02,6\n")
    samples = Samples.read(path, id_column="file", subject_column="person")
    assert list(samples.ids) == ["007", "008"]
    assert samples.select("id == 6").positions.tolist() == [1]
    numbered = Samples.read(path, id_column="#", subject_column="person")
    assert list(numbered.ids) == ["0", "1"]


@pytest.mark.parametrize(
    "content",
    [
        "id,subject,x\r\n007,01,1\r\n8,02,2\r\n",
        "\ufeffid,subject,x\n007,01,1\n8,02,2\n",
        '"id","subject","x"\n"007","01",1\n"8","02",2\n',
        "id,subject,x\n007,01,1\n8,02,2",
        'id,subject,"a, ""b"""\n007,01,1\n8,02,2\n',
    ],
    ids=["crlf", "byte order mark", "quoted", "no last newline", "odd header"],
)
def test_dialects_of_csv(write, content):
    samples = Samples.read(write("t.csv", content))
    assert list(samples.ids) == ["007", "8"]
    assert list(samples.subjects) == ["01", "02"]


def test_missing_values_in_csv(write):
    path = write("t.csv", "id,subject,age,sex\na,x,,\nb,y,NA,NA\nc,z,nan,f\nd,w,30,m\n")
    samples = Samples.read(path)
    assert samples.select("age > 1").unknown == 3
    assert samples.select("sex is None").positions.tolist() == [0, 1]


def test_types_are_found_from_the_whole_file(write):
    rows = "".join(f"i{k},s,{k}\n" for k in range(2000))
    samples = Samples.read(write("t.csv", "id,subject,x\n" + rows + "last,s,2.5\n"))
    assert samples.select("x == 2.5").positions.tolist() == [2000]


def test_npz_takes_the_arrays_of_the_subject_columns_length(tmp_path):
    np.savez(
        tmp_path / "t.npz",
        id=np.array(["a", "b"]),
        subject=np.array([1, 2]),
        vectors=np.zeros((2, 3)),
        other=np.zeros(7),
        age=np.array([30, 40]),
    )
    samples = Samples.read(tmp_path / "t.npz")
    assert samples.frame.columns == ["id", "subject", "age"]
    assert list(Samples.read(tmp_path / "t.npz", id_column="#").ids) == ["0", "1"]
    with pytest.raises(UsageError, match="no column 'nobody'"):
        Samples.read(tmp_path / "t.npz", subject_column="nobody")
    with pytest.raises(InputError, match="of the same length"):
        Samples.read(tmp_path / "t.npz", id_column="other")


def test_bytes_in_npz_are_text(tmp_path):
    np.savez(tmp_path / "t.npz", id=np.array([b"007", b"8"]), subject=np.array([b"x", b"y"]))
    assert list(Samples.read(tmp_path / "t.npz").ids) == ["007", "8"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", "id,subject\n", "no rows"),
        ("t.csv", "id,subject\na,b,c\n", "line 2: the row has 3 values, and there are 2 columns"),
        ("t.csv", b"id,subject\na,J\xfcrgen\n", "line 2: it is not UTF-8 text"),
        ("t.csv", "id,subject\na,\n", "has no subject"),
        ("t.csv", "id,subject\na,x\na,y\n", "repeat"),
        ("t.csv", "name,subject\na,x\n", "t.csv has no column 'id'"),
        ("t.jsonl", "", "t.jsonl"),
        ("t.jsonl", '{"id": ', "cannot be read as jsonl"),
        ("t.parquet", "PAR1", "cannot be read as Parquet"),
        ("t.npz", "PK", "or is incomplete"),
        ("t.npz", "", "t.npz is empty"),
    ],
)
def test_files_that_are_not_what_they_should_be(write, name, content, message):
    with pytest.raises((InputError, UsageError), match=message):
        Samples.read(write(name, content))


def test_files_that_are_no_tables(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        Samples.read(tmp_path / "absent.csv")
    (tmp_path / "t.xls").touch()
    with pytest.raises(UsageError, match=r"extension is \.xls"):
        Samples.read(tmp_path / "t.xls")
    with pytest.raises(InputError, match="There are no images"):
        Samples.read(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ProbandError):
        Samples.read(tmp_path / "folder.csv")


def test_python_objects_are_never_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    np.savez(tmp_path / "t.npz", id=np.array(["a"]), subject=np.array([Trap()], dtype=object))
    with pytest.raises(InputError, match="Python objects"):
        Samples.read(tmp_path / "t.npz")


def test_an_archive_that_claims_too_much_is_refused_at_once(tmp_path):
    """A header that speaks of a petabyte must not be believed."""
    header = b"\x93NUMPY\x01\x00"
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }"
    text += b" " * (128 - 10 - len(text) - 1) + b"\n"
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("subject.npy", header + len(text).to_bytes(2, "little") + text)
    begun = time.perf_counter()
    with pytest.raises(InputError, match="claims"):
        Samples.read(tmp_path / "t.npz", id_column="#")
    assert time.perf_counter() - begun < 1


def test_archive_members_that_are_no_arrays(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match="not a NumPy array"):
        Samples.read(tmp_path / "t.npz")
