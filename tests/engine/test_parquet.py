"""Parquet from strangers is read or refused, whatever becomes of the library that reads it."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import proband
from proband.engine.files.parquet import MEMORY_VARIABLE, parquet_columns, read_parquet
from proband.errors import InputError, UsageError
from proband.samples import Samples
from proband.scores.formats import read_file
from proband.scores.pair_lists import read_pairs

# Columns query, target and score of two rows; one bit was flipped, by which the reader asks for 2 EB and aborts its process.
FATAL = zlib.decompress(
    base64.b85decode(
        "c-n<i&2G~`5MDcOR8=`tRdy9iKI9Us6;Vk{eo-sf6t@YasbdjQxcRrKNb1%}6T(v<P8<=Bz#~*VK#x2H;t`nHI28gFM)v%DG"
        "oNQxYm3`us?aRWcEJ!rBzPTEE+uq}ZWZYo-"
        "K1%nCPap;B1tKkX4EQ4Z>qVqtLq?MP{I`EGFPwZ>*Oyo50$?nQ|>2APo4NInBKA7O8OUxKx2^>v61}VNQC@+vb5wW-"
        "B1f84HHegC=LWikM;B$nW!48(F%hi@NT6$_eQ2Ybg8U%+e#coQ(&i=f}CtsAYBb%%p{|&QX5z#J_O%UHFZz_Bx(OT6!tAevq"
        "b+YYya7neNRzF^baZR{)N~NtYIHzrs(Tnvbatz!)^QI)#Hgb48~6Gv-"
        "}XHQQ;sas>TfBcl{(5sTZ72_<^u}{=fo!KF55A^RuMx7)<Le1}CUE_8$z8x`SbhC-"
        "n#&^QAniAr2HroWI7BL(F<cZ|02$h?|HX{n>B#SN#HS;RtPe=#Bl64{jajTZs9@aH5}^12I&qgH&Km+y`X7q_W=QA(#R}`u1"
        "V@&FS+h=llC4*R!IL6HoHnmy78zy4cCjf_QQsUF413@@^@=?Ovac{CquZmJHW_6o$T055tDxmn%lS;gp(=(X57{5!Ri+ZyG!"
        "59^8%PLterqwcyYC1+G}E1^"
    )
)


@pytest.fixture
def fatal(tmp_path: Path) -> Path:
    path = tmp_path / "scores.parquet"
    path.write_bytes(FATAL)
    return path


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "text": ["a", None, "ü"],
            "number": [1.5, float("nan"), None],
            "day": [date(2020, 1, 2), None, None],
            "list": [[1], [], None],
            "kind": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        }
    )
    path = tmp_path / "odd [name]*.parquet"
    frame.write_parquet(path)
    assert parquet_columns(path) == frame.columns
    assert read_parquet(path).equals(frame)
    assert read_parquet(path, ["day", "text"]).equals(frame.select("day", "text"))


def test_columns_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    assert parquet_columns(path) == ["a"]
    pl.DataFrame({"other": [1, 2]}).write_parquet(path)
    assert parquet_columns(path) == ["other"]


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(read_file, id="scores"),
        pytest.param(
            lambda path: Samples.read(path, id_column="query", subject_column="target"),
            marks=pytest.mark.long,
            id="samples",
        ),
        pytest.param(
            lambda path: read_pairs(path, Samples({"id": ["a"], "subject": ["b"]})),
            marks=pytest.mark.long,
            id="pairs",
        ),
    ],
)
def test_a_file_that_ends_its_reader_is_refused(fatal: Path, read: Callable[[Path], Any]) -> None:
    with pytest.raises(InputError, match=r"scores\.parquet cannot be read as Parquet"):
        read(fatal)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1", FATAL[:-300], FATAL[300:]])
def test_what_is_no_parquet_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"table\.parquet"):
        read_parquet(path)


def test_memory_is_bounded_and_the_bound_can_be_lifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "packed.parquet"
    pl.DataFrame({"score": pl.zeros(20_000_000, pl.Float64, eager=True)}).write_parquet(path)
    assert path.stat().st_size < 1 << 20
    monkeypatch.setenv(MEMORY_VARIABLE, "0.1")
    with pytest.raises(InputError, match="cannot be read as Parquet") as refused:
        read_parquet(path)
    assert MEMORY_VARIABLE in (refused.value.hint or "")
    monkeypatch.delenv(MEMORY_VARIABLE)
    assert read_parquet(path).height == 20_000_000
    monkeypatch.setenv(MEMORY_VARIABLE, "much")
    with pytest.raises(UsageError, match="much"):
        read_parquet(path)


def test_there_is_no_other_way_to_read_parquet() -> None:
    home = Path(proband.__file__).parent
    users = [
        path.name
        for path in home.rglob("*.py")
        if re.search(r"pl\.(read|scan)_parquet|ParquetFile", path.read_text(encoding="utf-8"))
    ]
    assert users == ["parquet_child.py"]
