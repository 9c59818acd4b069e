"""Output that is whole or not there, and files that cannot be read or written at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from proband.engine import written_whole
from proband.errors import InputError, ProbandError, UsageError
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import FORMATS, format_of, read_file, write_scores
from proband.scores.reading import read_scores

try:
    import resource
except ImportError:  # not a Unix
    resource = None

MAY_DO_ANYTHING = not hasattr(os, "geteuid") or os.geteuid() == 0
limited = pytest.mark.skipif(resource is None, reason="files cannot be limited in size here")
permitted = pytest.mark.skipif(MAY_DO_ANYTHING, reason="permissions do not bind this user")

WRITTEN = [
    name for name in FORMATS.names() if FORMATS.find(name).write is not None
]  # test_shards.py has the other
ENDINGS = {
    "npy": ".npy",
    "npz": ".npz",
    "bee": ".mtx",
    "csv-long": ".csv",
    "csv-matrix": ".csv",
    "parquet-long": ".parquet",
    "parquet-matrix": ".parquet",
    "arrow-long": ".arrow",
    "arrow-matrix": ".feather",
    "csu": "",
    "bob5": ".txt",
    "bob4": ".txt",
}


def test_every_format_is_tested_here():
    assert set(WRITTEN) == set(ENDINGS)


# written_whole


def test_a_file_appears_when_it_is_done(tmp_path):
    path = tmp_path / "out.txt"
    with written_whole(path) as draft:
        draft.write_text("whole", encoding="utf-8")
        assert not path.exists()
        assert tmp_path in draft.parents  # so that a rename is enough
    assert path.read_text(encoding="utf-8") == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_appears_when_it_is_done(tmp_path):
    path = tmp_path / "out"
    for name in ("first", "second"):
        with written_whole(path) as draft:
            draft.mkdir()
            (draft / name).touch()
        assert [entry.name for entry in path.iterdir()] == [name]
    assert list(tmp_path.iterdir()) == [path]


def begin_and_fail(path, error, folder=False):
    with written_whole(path) as draft:
        if folder:
            draft.mkdir()
            draft = draft / "new"
        draft.write_text("half", encoding="utf-8")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("old", [None, "old"])
def test_nothing_is_left_of_a_failure(tmp_path, error, old):
    path = tmp_path / "out.txt"
    if old is not None:
        path.write_text(old, encoding="utf-8")
    with pytest.raises(error):
        begin_and_fail(path, error)
    assert [entry.read_text(encoding="utf-8") for entry in tmp_path.iterdir()] == (
        [] if old is None else [old]
    )


def test_an_old_directory_survives_a_failure(tmp_path):
    path = tmp_path / "out"
    path.mkdir()
    (path / "old").touch()
    with pytest.raises(ValueError):
        begin_and_fail(path, ValueError, folder=True)
    assert [entry.name for entry in path.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_does_not_replace_a_directory(tmp_path):
    (tmp_path / "out" / "kept").mkdir(parents=True)
    with pytest.raises(InputError, match="out cannot be written"), written_whole(tmp_path / "out") as draft:
        draft.touch()
    assert (tmp_path / "out" / "kept").is_dir()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_directory_does_not_replace_a_file(tmp_path):
    (tmp_path / "out").write_text("kept", encoding="utf-8")
    with pytest.raises(InputError, match="out cannot be written"), written_whole(tmp_path / "out") as draft:
        draft.mkdir()
    assert (tmp_path / "out").read_text(encoding="utf-8") == "kept"
    assert len(list(tmp_path.iterdir())) == 1


def test_no_directory_to_write_to(tmp_path):
    (tmp_path / "file").touch()
    for parent in (tmp_path / "absent", tmp_path / "file"):
        with pytest.raises(InputError, match=f"{parent.name} does not exist"), written_whole(parent / "out"):
            pass


def test_a_directory_that_does_not_let_us_write(tmp_path, monkeypatch):
    def forbid(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbid)
    message = r"out\.txt cannot be written: Permission denied"
    with pytest.raises(InputError, match=message), written_whole(tmp_path / "out.txt"):
        pass


@permitted
def test_a_directory_that_is_read_only(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="cannot be written"), written_whole(tmp_path / "out.txt"):
            pass
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_a_place_that_holds_no_files(small):
    with pytest.raises(InputError, match="cannot be written"):
        write_scores("/proc/harbour.npz", small[0])


# Every format


class Interrupted(Scores):
    """Scores whose last row cannot be had."""

    def __init__(self, inner):
        self.name, self.notes, self.orientation = inner.name, (), inner.orientation
        self.queries, self.targets, self.inner = inner.queries, inner.targets, inner

    def tile(self, rows, columns):
        if len(self.queries) - 1 in rows:
            raise InputError("The last row is gone.")
        return self.inner.tile(rows, columns)


@contextmanager
def small_disk(size):
    """No file may grow beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def large():
    n = 60
    values = np.random.default_rng(0).normal(size=(n, n))
    queries, targets = [f"q{k}" for k in range(n)], [f"t{k}" for k in range(n)]
    samples = Samples({"id": queries + targets, "subject": [f"s{k}" for k in range(n)] * 2})
    return Scores.from_array(values, queries, targets, orientation="distance"), samples


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("old", [False, True])
def test_a_failure_in_the_middle_of_writing(tmp_path, monkeypatch, name, old, small):
    scores, samples = small
    path = tmp_path / f"out{ENDINGS[name]}"
    tame = Scores.from_array([[1.0, 2.0]], ["q1"], ["t1", "t2"], orientation="distance")
    if old:
        write_scores(path, tame, samples=samples, format=name)
    before = contents(tmp_path)
    for module in ("numpy_files", "bee"):
        monkeypatch.setattr(f"proband.scores.formats.{module}._ROWS_AT_ONCE_CELLS", 2)  # row by row
    with pytest.raises(InputError, match="last row is gone"):
        write_scores(path, Interrupted(scores), samples=samples, format=name)
    assert contents(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == len({key.partition("/")[0] for key in before})


@limited
@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_disk(tmp_path, name, large):
    scores, samples = large
    path = tmp_path / f"out{ENDINGS[name]}"
    with pytest.raises(ProbandError, match=r"out.*cannot be written"), small_disk(1000):
        write_scores(path, scores, samples=samples, format=name)
    assert not list(tmp_path.iterdir())


@limited
@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_disk_leaves_nothing_behind(tmp_path, name, large):
    scores, samples = large
    with pytest.raises(Exception, match=r"(?i)too large|cannot be written"), small_disk(1000):
        write_scores(tmp_path / f"out{ENDINGS[name]}", scores, samples=samples, format=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", WRITTEN)
def test_nowhere_to_write(tmp_path, name, small):
    scores, samples = Scores.from_array([[1.0]], ["q1"], ["t1"], orientation="distance"), small[1]
    with pytest.raises(InputError, match="absent does not exist"):
        write_scores(tmp_path / "absent" / f"out{ENDINGS[name]}", scores, samples=samples, format=name)


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "csu"])
def test_a_directory_in_the_place_of_the_output(tmp_path, name, small):
    scores, samples = Scores.from_array([[1.0]], ["q1"], ["t1"], orientation="distance"), small[1]
    path = tmp_path / f"out{ENDINGS[name]}"
    (path / "kept").mkdir(parents=True)
    with pytest.raises(InputError, match=r"out.*cannot be written"):
        write_scores(path, scores, samples=samples, format=name)
    assert (path / "kept").is_dir()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_is_not_there(tmp_path, name):
    path = tmp_path / f"harbour{ENDINGS[name]}"
    with pytest.raises(InputError, match="harbour"):
        read_file(path)
    with pytest.raises(InputError, match="harbour"):
        read_file(path, format=name)


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "csu"])
def test_a_directory_where_a_file_is_expected(tmp_path, name):
    path = tmp_path / f"harbour{ENDINGS[name]}"
    path.mkdir()
    with pytest.raises(InputError, match="harbour"):
        read_file(path)
    with pytest.raises(InputError, match="harbour"):
        read_file(path, format=name)


def test_a_file_where_a_directory_is_expected(tmp_path):
    (tmp_path / "harbour").touch()
    with pytest.raises(InputError, match="harbour"):
        read_file(tmp_path / "harbour", format="csu")


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "csu"])
def test_an_empty_file(tmp_path, name):
    path = tmp_path / f"harbour{ENDINGS[name]}"
    path.touch()
    for told in (None, name):
        with pytest.raises(InputError, match="harbour"):
            read_file(path, format=told)


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "csu"])
@pytest.mark.parametrize(
    "content",
    [bytes(200), b"\xff" * 200, b"\x93NUMPY", b"PK\x03\x04" + bytes(60), b"hello\n"],
    ids=["zeros", "ones", "array", "archive", "text"],
)
def test_nonsense(tmp_path, name, content):
    path = tmp_path / f"harbour{ENDINGS[name]}"
    path.write_bytes(content)
    for told in (None, name):
        with pytest.raises(InputError, match="harbour"):
            read_scores(path, orientation="similarity", format=told)


@permitted
@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "csu"])
def test_a_file_that_may_not_be_read(tmp_path, name):
    path = tmp_path / f"harbour{ENDINGS[name]}"
    path.write_text("query,target,score\n", encoding="utf-8")
    path.chmod(0)
    for told in (None, name):
        with pytest.raises(InputError, match="harbour"):
            read_file(path, format=told)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "harbour.txt")
    with pytest.raises(InputError, match="harbour"):
        read_file(tmp_path / "harbour.txt")


def test_formats_that_are_not_known(tmp_path, small):
    (tmp_path / "harbour").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match=r"no format 'excel'(.|\n)*npz"):
        read_file(tmp_path / "harbour", format="excel")
    with pytest.raises(UsageError, match="no format 'excel'"):
        write_scores(tmp_path / "out", small[0], samples=None, format="excel")
    with pytest.raises(UsageError, match=r"\.xlsx does not determine"):
        write_scores(tmp_path / "out.xlsx", small[0])
    with pytest.raises(UsageError, match=r"\(none\) does not determine"):
        write_scores(tmp_path / "out", small[0])
    with pytest.raises(InputError, match="harbour has an unknown format"):
        read_file(tmp_path / "harbour")


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        (".npy", "npy"),
        (".NPZ", "npz"),
        (".csv", "csv-matrix"),
        (".tsv", "csv-matrix"),
        (".pq", "parquet-matrix"),
        (".MTX", "bee"),
    ],
)
def test_the_ending_means_a_format(tmp_path, ending, name):
    scores = Scores.from_array([[1.0]], ["q1"], ["t1"], orientation="distance")
    path = tmp_path / f"out{ending}"
    assert write_scores(path, scores) == name
    assert format_of(path).name == name


@pytest.mark.parametrize("name", WRITTEN)
def test_formats_are_recognised_by_what_is_in_them(tmp_path, name, small):
    scores, samples = Scores.from_array([[1.0, 2.0]], ["q1"], ["t1", "t2"], orientation="distance"), small[1]
    path = tmp_path / f"out{ENDINGS[name]}"
    write_scores(path, scores, samples=samples, format=name)
    assert format_of(path).name == name
    assert read_file(path).format == name


@pytest.mark.parametrize("name", WRITTEN)
def test_scores_may_be_written_over_the_file_they_are_read_from(tmp_path, name, large):
    path = tmp_path / f"out{ENDINGS[name]}"
    scores, samples = large
    write_scores(path, scores, samples=samples, format=name)
    for _ in range(2):
        known = read_file(path, format=name).subjects or large[1]
        (scores,) = read_scores(path, known, orientation="distance", format=name).values()
        before = contents(tmp_path)
        write_scores(path, scores, samples=known, format=name)
    assert contents(tmp_path) == before
