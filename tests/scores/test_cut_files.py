"""Lists and matrices in text: cut off, uneven, rounded or not numbers, they are refused, or else a note says what may be wrong."""

from __future__ import annotations

import csv
import io
import math
import random

import polars as pl
import pytest
from tests.examples import TIMES, damaged

from proband.errors import InputError, ProbandError
from proband.samples import Samples
from proband.scores.formats import read_file
from proband.scores.pair_lists import read_pairs
from proband.scores.reading import read_scores
from proband.scores.trials import Trials, read_lfw_pairs

TEXTS = {
    "list.csv": "query,target,score\np1,g1,0.125\np1,g2,-2.5\np2,g1,0.75\np2,g2,0.9312\n",
    "more.csv": "query,target,score,remark\np1,g1,0.125,x\np1,g2,-2.5,\np2,g1,0.75,y z\np2,g2,0.9312,w\n",
    "quoted.csv": 'remark,query,target,score\n"a, b",p1,g1,0.125\n"",p1,g2,-2.5\nx,p2,g1,0.75\ny,p2,g2,0.9312\n',
    "matrix.tsv": "id\tg1\tg2\np1\t0.125\t-2.5\np2\t0.75\t0.9312\n",
    "bob5.txt": "s1 g1 s1 p1 0.125\ns2 g2 s1 p1 -2.5\ns1 g1 s2 p2 0.75\ns2 g2 s2 p2 0.9312\n",
    "bob4.txt": "s1 s1 p1 0.125\ns2 s1 p1 -2.5\ns1 s2 p2 0.75\ns2 s2 p2 0.9312\n",
}
WHOLE = [[0.125, -2.5], [0.75, 0.9312]]


@pytest.mark.parametrize("name", TEXTS)
def test_whole_files_have_no_note(tmp_path, name):
    path = tmp_path / name
    path.write_text(TEXTS[name])
    (scores,) = read_scores(path, orientation="similarity").values()
    assert scores.values.tolist() == WHOLE
    assert not any("line break" in str(note) for note in scores.notes)


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_that_is_cut_off_is_refused_or_noted(tmp_path, name):
    path, whole = tmp_path / name, TEXTS[name]
    for size in range(1, len(whole), 1 if TIMES else 3):
        path.write_text(whole[:size])
        try:
            scores = list(read_scores(path, orientation="similarity").values())
        except ProbandError:
            continue
        # Whole lines are a whole list; anything else must be said.
        said = [any("does not end with a line break" in str(note) for note in one.notes) for one in scores]
        assert all(said) != whole[:size].endswith("\n"), whole[:size]


PIECES = b'0123456789 ,\n"\'\r\t;\xc3\xa9""\0'


def by_the_book(content: bytes) -> list[tuple[str, str, float | None]]:
    """Query, target and score as Python's own reader has them."""
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    header, *filled = [row for row in rows if row]
    assert all(len(row) == len(header) for row in filled)
    query, target, score = (header.index(name) for name in ("query", "target", "score"))
    scores = [float(row[score]) for row in filled if any(row)]
    kept = [None if math.isnan(one) else one for one in scores]
    return [(row[query], row[target], one) for row, one in zip(filter(any, filled), kept, strict=True)]


# Regression: polars drops a carriage return at the end of a value, and whole rows over a misplaced quotation mark.
@pytest.mark.parametrize("name", ["list.csv", "more.csv", "quoted.csv"])
def test_a_damaged_list_is_refused_or_read_to_the_letter(tmp_path, name):
    rng, path, n_read = random.Random(name), tmp_path / name, 0
    for _ in range(max(80, 600 * TIMES)):
        content = damaged(TEXTS[name].encode(), rng, PIECES)
        path.write_bytes(content)
        try:
            found = read_file(path, format="csv-long").trials[0].frame.select("query", "target", "score")
        except ProbandError:
            continue
        n_read += 1
        assert found.rows() == by_the_book(content), content
    assert n_read > 5


def test_a_row_that_lacks_what_is_passed_over_is_refused(tmp_path, refusal):
    path = tmp_path / "harbour.csv"
    for remark in ("remark", '"a remark"'):
        path.write_text(f"query,target,score,{remark}\np1,g1,1,x\np1,g2,2\n")
        assert "line 3: 'p1,g2,2' is not a row of a list: it has 3 columns, but 4 are expected" in refusal(
            path, orientation="similarity"
        )


# Regression: 9007199254740993 and 9007199254740992 are one float, so that two scores were tied.
@pytest.mark.parametrize(
    "number", ["9007199254740993", "-9007199254740993", "+12345678901234567890", " 9007199254740993"]
)
@pytest.mark.parametrize("name", TEXTS)
def test_whole_numbers_that_would_be_rounded_are_refused(tmp_path, refusal, name, number):
    path = tmp_path / name
    if number.startswith(" ") and not name.endswith("v"):
        return  # columns are parted by blanks
    path.write_text(TEXTS[name].replace("0.75", number))
    assert "more digits than a score can store" in refusal(path, orientation="similarity")


@pytest.mark.parametrize("number", ["9007199254740992", "9007199254740994", "1e300", "123456789012345678.5"])
@pytest.mark.parametrize("name", TEXTS)
def test_large_numbers_that_floats_hold_are_read(tmp_path, name, number):
    path = tmp_path / name
    path.write_text(TEXTS[name].replace("0.75", number))
    (scores,) = read_scores(path, orientation="similarity").values()
    assert scores.values[1, 0] == float(number)


@pytest.mark.parametrize(
    "word",
    [
        "true",
        "1996-01-31",
        "1.000,5",
        "0x1F",
        "1_000",
        "inf",
        "-Infinity",
        "1e999",
        "NA",
        "null",
        "-",
        "٣",
        "5\0",
    ],
)
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_number_is_no_score(tmp_path, refusal, name, word):
    path = tmp_path / name
    path.write_text(TEXTS[name].replace("0.75", f'"{word}"' if "," in word else word))
    refusal(path, orientation="similarity")


@pytest.mark.parametrize("name", TEXTS)
def test_ids_with_a_nul_byte_are_refused(tmp_path, refusal, name):
    path = tmp_path / name
    path.write_text(TEXTS[name].replace("p2", "p\0", 1))
    assert "NUL" in refusal(path, orientation="similarity")


@pytest.mark.parametrize(
    "values",
    [
        [True, False],
        pl.Series(["1996-01-31", "1996-02-01"]).str.to_date(),
        ["0.5", "1"],
        [2**53 + 1, 1],
        pl.Series([2**64 - 1, 1], dtype=pl.UInt64),
    ],
    ids=["truths", "dates", "texts", "large", "unsigned"],
)
def test_columns_that_are_no_scores(tmp_path, refusal, values):
    names = {"query": ["p1", "p1"], "target": ["g1", "g2"]}
    with pytest.raises(InputError, match="score"):
        Trials(pl.DataFrame({**names, "score": values}))
    for frame in (pl.DataFrame({**names, "score": values}), pl.DataFrame({"id": ["p1", "p2"], "g1": values})):
        frame.write_parquet(tmp_path / "harbour.parquet")
        assert "score" in refusal(tmp_path / "harbour.parquet", orientation="similarity")


@pytest.mark.parametrize(
    ("column", "values"),
    [("mated", [0.5, 1.0]), ("mated", [2, 0]), ("fold", [1.5, 2.0]), ("failed", ["x", "y"])],
)
def test_truths_and_folds_are_not_rounded(column, values):
    frame = pl.DataFrame({"query": ["p", "q"], "target": ["g", "h"], "score": [1.0, 2.0], column: values})
    with pytest.raises(InputError, match=column):
        Trials(frame)


def test_truths_and_folds_in_numbers():
    frame = pl.DataFrame(
        {"query": [7.0, 8.0], "target": [1, 2], "score": [1, 2], "mated": [1, 0], "fold": [1.0, None]}
    )
    rows = Trials(frame).frame.select("query", "target", "mated", "fold").rows()
    assert rows == [("7", "1", True, 1), ("8", "2", False, None)]


def test_csu_files(tmp_path, refusal):
    folder = tmp_path / "harbour"
    folder.mkdir()
    whole = "a.sfi\t0.5\nb.sfi\t0.25\n"
    (folder / "a.sfi").write_text(whole)
    for size in range(1, len(whole)):
        (folder / "b.sfi").write_text(whole[:size])
        try:
            file = read_file(folder)
        except ProbandError:
            continue
        assert tuple(map(str, file.notes)) == (
            "b.sfi does not end with a line break; if it was cut off, its last value may be wrong",
        )
    (folder / "b.sfi").write_text(whole.replace("0.25", "9007199254740993"))
    assert "b.sfi, line 2" in refusal(folder, names="b.sfi")


def test_names_in_image_lists_may_have_blanks_of_other_scripts(tmp_path):
    from proband.scores.formats import read_image_list

    (tmp_path / "t.srt").write_bytes("\ufeffa\u00a0b c\u2028d\r\ne\n".encode())
    assert list(read_image_list(tmp_path / "t.srt").ids) == ["a\u00a0b", "c\u2028d", "e"]


LFW = "1\t2\nAnn\t1\t2\nBob\t1\t12\nAnn\t1\tBob\t2\nCid\t3\tBob\t11\n"


def test_lfw_pairs_that_are_cut_off(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text(LFW)
    whole = read_lfw_pairs(path)
    assert whole["mated"].to_list() == [True, True, False, False]
    for size in range(len(LFW) - 3):  # of the last number, the first digit is a number too
        path.write_text(LFW[:size])
        with pytest.raises(InputError):
            read_lfw_pairs(path)


@pytest.mark.parametrize(
    "change",
    [
        ("Bob\t1\t12", "Bob\t1\tAnn\t12"),
        ("Cid\t3\tBob\t11", "Cid\t3\t11"),
        ("Cid\t3\tBob\t11", "Cid\t3\tCid\t11"),
        ("1\t2\nAnn", "2\t1\nAnn"),
    ],
)
def test_lfw_pairs_that_contradict_the_first_line(tmp_path, change):
    (tmp_path / "pairs.txt").write_text(LFW.replace(*change))
    with pytest.raises(InputError, match=r"pairs\.txt, line"):
        read_lfw_pairs(tmp_path / "pairs.txt")


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_tables_of_pairs_are_read_to_the_letter(tmp_path, ending):
    samples = Samples({"id": ["007", "NA"], "subject": ["a", "b"]})
    path = tmp_path / f"pairs{ending}"
    text = "query,target,mated\n007,NA,false\nNA,007,true\n"
    path.write_text(text.replace(",", "\t") if ending == ".tsv" else text)
    assert read_pairs(path, samples).rows() == [("007", "NA", False), ("NA", "007", True)]
    path.write_text(path.read_text() + "007\n")
    with pytest.raises(InputError, match="line 4: the row has 1 value"):
        read_pairs(path, samples)
