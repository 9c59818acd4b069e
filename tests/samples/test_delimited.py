"""Delimited tables: read to the letter or refused, whatever happens to the file; types and missing values by plain rules."""

from __future__ import annotations

import csv
import datetime
import io
import json
import random

import polars as pl
import pytest
from tests.examples import TIMES, damaged

from proband.engine.files.files import reading
from proband.errors import InputError, ProbandError
from proband.samples import Experiment, Samples
from proband.samples.delimited import read_texts, without_blank_rows
from proband.samples.reading import read_frame

PLAIN = b"id,subject,age,day\n007,NA,31,1996-01-31\n1e5,x,,\n0x1F, y ,3.5,1996-02-01\n"
QUOTED = (
    b'id,subject,age,day\r\n"0,07","say ""hi""",31,1996-01-31\r\n1e5,"two\nlines",,\r\n"",,,\r\n8,y,1,\r\n'
)
NOON = datetime.datetime(1996, 1, 31, 12)
HALF_A_MINUTE = datetime.timedelta(seconds=30)
PIECES = b"0123456789 ,\n\"'\r\t;\xff\x00\xc3\xa9"


@pytest.fixture
def table(tmp_path):
    def written(content: str | bytes, name: str = "t.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def by_the_book(content: bytes) -> list[list[str | None]]:
    """The cells as Python's own reader has them, None for blank ones; rows of blanks are none."""
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    filled = [row for row in rows if row]
    assert len({len(row) for row in filled}) == 1
    cells = [[cell if cell.strip() else None for cell in row] for row in filled[1:]]
    return [row for row in cells if any(cell is not None for cell in row)]


@pytest.mark.parametrize("whole", [PLAIN, QUOTED], ids=["plain", "quoted"])
def test_a_damaged_table_is_refused_or_read_to_the_letter(table, whole):
    rng = random.Random(7)
    n_read = 0
    for _ in range(max(100, 600 * TIMES)):
        content = damaged(whole, rng, PIECES)
        path = table(content)
        try:
            with reading(path, "a table"):
                found = without_blank_rows(read_texts(path, ","))
        except ProbandError:
            continue
        n_read += 1
        assert [list(row) for row in found.rows()] == by_the_book(content), content
    assert n_read > 15


@pytest.mark.parametrize("whole", [PLAIN, QUOTED], ids=["plain", "quoted"])
def test_a_table_that_is_cut_off_is_refused_or_noted(table, whole):
    for size in range(1, len(whole), 1 if TIMES else 3):
        notes: list[str] = []
        path = table(whole[:size])
        try:
            found = read_frame(path, ("id", "subject"), notes=notes)
        except ProbandError:
            continue
        if whole[size - 1 : size] == b"\n":
            assert not any("line break" in str(note) for note in notes)
        elif found.height:
            assert any("does not end with a line break" in str(note) for note in notes), whole[:size]


# Regression: polars fills short rows up with nulls, in silence.
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("id,subject,age\na,x,1\nb,y\nc,z,3\n", "line 3: the row has 2 values, and there are 3 columns"),
        ("id,subject,age\na,x,1\nb\n", "line 3: the row has 1 value,"),
        ("id,subject\na,x\n\nb,y,1\n", "line 4: the row has 3 values"),
        ('id,subject\n"a\nb",x\nc\n', "line 4: the row has 1 value,"),
        ("id,subject,age,age\na,x,1,2\n", "more than one column 'age'"),
        ("id,subject,age,age \na,x,1,2\n", "more than one column 'age'"),
        ("id,subject,,\na,x,1,2\n", "more than one column ''"),
        ("\nid,subject\na,x\n", "begins with a blank line"),
        ('id,subject\n"a,x\nb,y\n', "t.csv cannot be read as csv"),
        ('id,subject\n"a"b,x\n', "t.csv cannot be read as csv"),
        (b"id,subject\na,x\0\n", "line 2: it has a NUL byte"),
        ("id,subject\na,x\n".encode("utf-16"), "it is UTF-16 text"),
        ("id,subject\ra,x\rb,y\r", "line 1: it has a carriage return that does not end a line"),
        (b"id,subject\na,x\nb,\xe9\n", "line 3: it is not UTF-8 text"),
        ("", "is empty"),
        ("id,subject\n", "no rows"),
        ("id;subject\na;x\n", "no column 'id'"),
    ],
)
def test_strange_tables_are_refused(table, content, words):
    with pytest.raises(InputError, match=r"^t\.csv") as caught:
        Samples.read(table(content))
    assert words in str(caught.value)


def test_mixed_line_ends_and_a_column_without_a_name(table):
    samples = Samples.read(table(",id,subject\r\n0,a,x\n1,b,y\r\n"))
    assert samples.frame.rows() == [(0, "a", "x"), (1, "b", "y")]


@pytest.mark.parametrize(
    "name", ["NA", "NaN", "nan", "null", "None", "-", "007", "1e5", " x", "0x1F", "1,000", "true"]
)
def test_ids_and_subjects_are_text_to_the_letter(table, name):
    samples = Samples.read(table(f'id,subject\n"{name}","{name}"\nb,c\n'))
    assert (samples.ids[0], samples.subjects[0]) == (name, name)


@pytest.mark.parametrize(
    ("cells", "values", "dtype"),
    [
        (["1", "+2", "-3", " 4"], [1, 2, -3, 4], pl.Int64),
        (["1", "2.5", ".5", "1e3"], [1.0, 2.5, 0.5, 1000.0], pl.Float64),
        (["1", "NA", "", "nan"], [1, None, None, None], pl.Int64),
        (["true", "False", "NA", "TRUE"], [True, False, None, True], pl.Boolean),
        (["1996-01-31", "NaN", "", ""], [datetime.date(1996, 1, 31), None, None, None], pl.Date),
        (
            ["1996-01-31 12:00", "1996-01-31T12:00:30", "", ""],
            [NOON, NOON + HALF_A_MINUTE, None, None],
            pl.Datetime("us"),
        ),
        (["f", "m", "NA", "nan"], ["f", "m", None, None], pl.String),
        (["f", "m", "null", "None"], ["f", "m", "null", "None"], pl.String),
        (["", "", "", ""], [None] * 4, pl.String),
        (["9223372036854775807", "0", "0", "0"], [2**63 - 1, 0, 0, 0], pl.Int64),
    ],
)
def test_types_of_columns(table, cells, values, dtype):
    content = "id,subject,x\n" + "".join(f"{k},s,{cell}\n" for k, cell in enumerate(cells))
    samples = Samples.read(table(content))
    assert samples.frame["x"].to_list() == values
    assert samples.frame["x"].dtype == dtype
    assert samples.notes == ()


@pytest.mark.parametrize(
    "strange", ["null", "-", '"1,000"', "0x1F", "inf", "-Infinity", "1_000", "1e999", "٣", "n/a"]
)
def test_a_few_words_among_numbers_leave_text_and_a_note(table, strange):
    path = table(f"id,subject,x\na,s,1\nb,s,2.5\nc,s,{strange}\nd,s,\n")
    samples = Samples.read(path)
    word = strange.strip('"')
    assert samples.frame["x"].to_list() == ["1", "2.5", word, None]
    (note,) = samples.notes
    assert str(note) == f"the column 'x' is read as text: 1 of 3 values cannot be read as numbers: {word!r}"
    told = Samples.read(path, missing_values=[word])
    assert told.frame["x"].to_list() == [1.0, 2.5, None, None]
    assert told.notes == ()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["12345678901234567890", "1", "2"], "whole numbers"),
        (["9007199254740993", "1.5", "2"], "numbers"),
        (["1996-13-01", "1996-01-13", "1996-01-14"], "dates"),
        (["1996-01-31 12:00", "1996-01-31 25:00", "1996-01-31 12:00"], "points in time"),
        (["1996-01-31", "1996-02-30", "1996-03-01"], "dates"),
    ],
)
def test_values_that_look_like_a_kind_and_are_not(table, cells, kind):
    samples = Samples.read(table("id,subject,x\n" + "".join(f"{k},s,{one}\n" for k, one in enumerate(cells))))
    assert samples.frame["x"].to_list() == cells
    assert f"1 of 3 values cannot be read as {kind}" in str(samples.notes[0])


def test_words_for_missing_values_hold_in_every_column(table):
    path = table("id,subject,sex,age\na,NA,NA,1\nb,x,-,nan\n")
    samples = Samples.read(path)
    assert list(samples.subjects) == ["NA", "x"]
    assert samples.frame["sex"].to_list() == [None, "-"]
    with pytest.raises(InputError, match="1 of 2 samples has no subject: 'a'"):
        Samples.read(path, missing_values=("NA",))
    only_dashes = Samples.read(path, missing_values=("-",))
    assert only_dashes.frame["sex"].to_list() == ["NA", None]
    assert Samples.read(path, missing_values=()).frame["sex"].to_list() == ["NA", "-"]


def test_a_row_of_such_words_is_still_a_row(table):
    with pytest.raises(InputError, match="row 2"):
        Samples.read(table("id,subject\na,x\nNA,NA\n\n,\n"), missing_values=("NA",))


def test_subjects_that_differ_only_in_blanks_are_noted(table):
    samples = Samples.read(table("id,subject\na,x\nb,x \nc,y\nd, x\n"))
    assert len(samples.subjects) == 4
    assert tuple(map(str, samples.notes)) == (
        "3 subjects differ from another only in leading or trailing blanks: 'x', 'x ', ' x'",
    )


def test_words_for_missing_values_in_other_files(tmp_path):
    rows = [{"id": "a", "subject": "NA", "sex": "NA"}, {"id": "b", "subject": "x", "sex": "-"}]
    lines, columns = tmp_path / "t.jsonl", tmp_path / "t.parquet"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(rows).write_parquet(columns)
    for path in (lines, columns):
        assert Samples.read(path).frame["sex"].to_list() == ["NA", "-"]
        assert Samples.read(path, missing_values=["-"]).frame["sex"].to_list() == ["NA", None]


# Regression: columns that first appear after a hundred lines were left out, and ids were read as floats.
def test_all_lines_of_json_are_looked_at(tmp_path):
    path = tmp_path / "t.jsonl"
    lines = [json.dumps({"id": k, "subject": 9007199254740993}) + "\n" for k in range(150)]
    path.write_text("".join(lines) + '{"id": "007", "subject": 1.5, "late": 1}\n')
    samples = Samples.read(path)
    assert samples.ids[-1] == "007"
    assert list(samples.subjects) == ["9007199254740993", "1.5"]
    assert samples.select("late == 1").positions.tolist() == [150]


def test_notes_of_reading_reach_the_experiment(table):
    samples = Samples.read(table("id,subject,x\na,s,1\nb,s,2"))
    assert tuple(map(str, samples.notes)) == (
        "t.csv does not end with a line break; if it was cut off, its last value may be wrong",
    )
    assert samples.take([0, 1]).notes == samples.notes
    assert Experiment(samples, gallery=["a"]).notes == samples.notes


def test_long_cells_are_shortened_in_messages(table):
    long = "x" * 100_000
    for content in (f"id,subject\n{long},s\n{long},t\n", f"{long},subject\na,s\n", f"id,subject\n{long},\n"):
        with pytest.raises(ProbandError) as caught:
            Samples.read(table(content))
        assert len(str(caught.value)) < 1_000
        assert "(100,000 characters)" in str(caught.value)


def test_texts_are_read_without_types(table):
    assert read_texts(table("a,b\n1,\n\n2,NA\n"), ",").rows() == [("1", None), (None, None), ("2", "NA")]
