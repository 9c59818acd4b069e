"""Output that is either whole or not there."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest

from proband.algorithms import load_model, read_picture
from proband.blind import Key
from proband.blind.submission import Declaration
from proband.engine import written_whole
from proband.errors import InputError, ProbandError
from proband.protocols.card import ProtocolCard
from proband.protocols.split_files import read_splits
from proband.samples import Samples
from proband.samples.choosing import choose
from proband.scores.formats import read_file, read_image_list
from proband.scores.formats.numpy_files import open_npy
from proband.scores.pair_lists import read_pairs
from proband.study.reading import read_study

TABLE = Samples({"id": ["a", "b"], "subject": ["p", "q"]})


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


def pipe(path):
    os.mkfifo(path)


def null(path):
    path.symlink_to("/dev/null")


def endless(path):
    path.symlink_to("/dev/zero")


def socket_at(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


READERS = {
    "samples.csv": Samples.read,
    "samples.parquet": Samples.read,
    "samples.jsonl": Samples.read,
    "samples.npz": Samples.read,
    "scores.npy": read_file,
    "scores.npz": read_file,
    "scores.mtx": read_file,
    "scores.csv": read_file,
    "scores.parquet": read_file,
    "scores.txt": read_file,
    "list.srt": read_image_list,
    "pairs.txt": lambda path: read_pairs(path, TABLE),
    "pairs.parquet": lambda path: read_pairs(path, TABLE),
    "ids.txt": lambda path: choose(TABLE, f"@{path}"),
    "study.toml": read_study,
    "face.png": read_picture,
    "model.npz": load_model,
    "card.json": ProtocolCard.read,
    "splits.csv": read_splits,
    "test.key": Key.read,
    "vectors.npy": open_npy,
    "submission.toml": Declaration.read,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices are files on POSIX only")
@pytest.mark.parametrize("make", [pipe, null, endless, socket_at])
@pytest.mark.parametrize("name", READERS)
def test_no_reader_waits_for_a_pipe_or_reads_a_device(tmp_path, monkeypatch, name, make):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    make(Path(name))
    with pytest.raises(ProbandError, match=re.escape(Path(name).stem)):
        READERS[name](Path(name))
