"""Delimited text is read in chunks, and one cannot tell."""

from __future__ import annotations

import polars as pl
import pytest
from tests.examples import some

from proband.engine import Silent
from proband.errors import InputError
from proband.scores.formats import ReadOptions, chunks, read_file

LINES = [f"s{k % 3} m{k % 3} s{k // 3} p{k // 3} {k / 7!r}" for k in range(30)]


class Listener(Silent):
    def __init__(self):
        self.stages, self.done = [], 0

    def begin(self, what, total):
        self.stages.append((what, total))

    def advance(self, steps):
        self.done += steps


@pytest.mark.parametrize("size", some([1, 7, 100, 25, 26, 10_000], 3))
@pytest.mark.parametrize("end", ["\n", "\r\n", "  \n"])
@pytest.mark.parametrize("last", [True, False])
def test_chunks_of_any_size(tmp_path, monkeypatch, size, end, last):
    path = tmp_path / "harbour.txt"
    path.write_bytes((end.join(LINES) + (end if last else "")).encode())
    monkeypatch.setattr(chunks, "_CHUNK", size)
    listener = Listener()
    frame = read_file(path, ReadOptions(progress=listener)).trials[0].frame
    assert frame["query"].to_list() == [f"p{k // 3}" for k in range(30)]
    assert frame["score"].to_list() == [k / 7 for k in range(30)]
    assert listener.stages == [("reading harbour.txt", path.stat().st_size)]
    assert listener.done == path.stat().st_size


@pytest.mark.parametrize("size", [1, 50, 10_000])
def test_lists_of_csv_in_chunks(tmp_path, monkeypatch, size):
    path = tmp_path / "harbour.csv"
    frame = pl.DataFrame(
        {"query": ["p"] * 20, "target": [f"g,{k}" for k in range(20)], "score": [k / 7 for k in range(20)]}
    )
    frame.write_csv(path)
    monkeypatch.setattr(chunks, "_CHUNK", size)
    assert read_file(path).trials[0].frame.select("query", "target", "score").equals(frame)


@pytest.mark.parametrize("size", [1, 60, 10_000])
@pytest.mark.parametrize("bad", ["s1 m1 s1 p1 many", "s1 m1 s1 p1", "s1 m1 s1 p1 1 2"])
def test_the_line_is_named_whatever_the_size(tmp_path, monkeypatch, size, bad):
    path = tmp_path / "harbour.txt"
    path.write_text("\n".join([*LINES[:20], bad, *LINES[20:]]), encoding="utf-8")
    monkeypatch.setattr(chunks, "_CHUNK", size)
    with pytest.raises(InputError, match=r"harbour\.txt, line 21"):
        read_file(path)


def test_a_line_without_end_is_not_gathered(tmp_path, monkeypatch):
    path = tmp_path / "harbour.txt"
    path.write_bytes(b"s1 m1 s1 p1 1\n" * 3 + b"x" * 5000)
    monkeypatch.setattr(chunks, "_CHUNK", 100)
    monkeypatch.setattr(chunks, "_LONGEST_LINE", 1000)
    with pytest.raises(InputError, match=r"harbour\.txt has a line of more than 1,000 bytes"):
        read_file(path)
