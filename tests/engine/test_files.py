"""Output that is either whole or not there."""

from __future__ import annotations

import pytest

from proband.engine import written_whole
from proband.errors import InputError


def test_a_file_appears_when_it_is_done(tmp_path):
    path = tmp_path / "out.txt"
    with written_whole(path) as draft:
        draft.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def half_way() -> None:
        with written_whole(path) as draft:
            draft.write_text("new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_takes_the_place_of_another(tmp_path):
    path = tmp_path / "report"
    path.mkdir()
    (path / "stale").touch()
    with written_whole(path) as draft:
        draft.mkdir()
        (draft / "page").write_text("new")
    assert [entry.name for entry in path.iterdir()] == ["page"]
    assert list(tmp_path.iterdir()) == [path]


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(InputError, match="does not exist"), written_whole(tmp_path / "no" / "out.txt"):
        pytest.fail("must not be reached")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "something").touch()
    with pytest.raises(InputError, match="cannot be written"), written_whole(taken) as draft:
        draft.write_text("a file cannot replace a directory")
    assert [entry.name for entry in tmp_path.iterdir()] == ["taken"]
