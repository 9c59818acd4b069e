"""Output that is either whole or not there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
from pathlib import Path

import pytest

import proband.engine.files.placing as placing
from proband.algorithms import load_model, read_picture
from proband.blind import Key
from proband.blind.checking.submission import Declaration
from proband.engine import written_whole
from proband.engine.files.files import written_together
from proband.errors import InputError, ProbandError
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.splits.files import read_splits
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


def put(path, text="new"):
    with written_whole(path) as draft:
        draft.write_text(text)


def put_pair(folder, text="new"):
    with written_together(folder / "matrix", folder / "truth") as drafts:
        for draft in drafts:
            draft.write_text(text)


def leave_half(tmp_path, monkeypatch):
    """A new matrix and an old truth, as a program leaves them that is stopped between two renames."""
    put_pair(tmp_path, "old")
    with monkeypatch.context() as patch:
        replace = Path.replace
        patch.setattr(Path, "replace", lambda self, to: 1 / 0 if to.name == "truth" else replace(self, to))
        with pytest.raises(ZeroDivisionError):
            put_pair(tmp_path)
    assert [(tmp_path / name).read_text() for name in ("matrix", "truth")] == ["new", "old"]


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "store" / "real.txt")
    put(tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "store" / "real.txt").read_text() == "new"
    (tmp_path / "results").symlink_to(tmp_path / "store")
    with written_whole(tmp_path / "results") as draft:
        draft.mkdir()
        (draft / "page").touch()
    assert (tmp_path / "results").is_symlink()
    assert [one.name for one in (tmp_path / "store").iterdir()] == ["page"]


def test_a_pair_may_lie_in_two_folders(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "real").write_text("old")
    (tmp_path / "matrix").symlink_to(tmp_path / "store" / "real")
    put_pair(tmp_path)
    assert [(tmp_path / name).read_text() for name in ("store/real", "truth")] == ["new", "new"]
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["matrix", "real", "store", "truth"]


def test_another_name_of_the_same_file_keeps_the_old_content(tmp_path):
    (tmp_path / "out.txt").write_text("old")
    (tmp_path / "copy.txt").hardlink_to(tmp_path / "out.txt")
    put(tmp_path / "out.txt")
    assert (tmp_path / "copy.txt").read_text() == "old"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_are_kept(tmp_path, mode):
    (tmp_path / "out.txt").write_text("old")
    (tmp_path / "out.txt").chmod(mode)
    put(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == mode
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder").chmod(mode | 0o100)
    with written_whole(tmp_path / "folder") as draft:
        draft.mkdir()
    assert (tmp_path / "folder").stat().st_mode & 0o777 == mode | 0o100


def test_what_is_protected_is_not_replaced(tmp_path):
    (tmp_path / "out.txt").write_text("old")
    (tmp_path / "out.txt").chmod(0o444)
    with pytest.raises(InputError, match="write-protected"):
        put(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "old"


def test_the_second_of_a_pair_is_never_replaced_alone(tmp_path):
    (tmp_path / "truth").write_text("mine")
    with pytest.raises(InputError, match="truth already exists without matrix"):
        put_pair(tmp_path)
    assert [one.read_text() for one in tmp_path.iterdir()] == ["mine"]


def test_a_failure_between_two_renames_is_made_good(tmp_path, monkeypatch):
    put_pair(tmp_path, "old")
    replace = Path.replace

    def once(self, target):
        if Path(target).name == "truth":
            raise OSError(5, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", once)
    with pytest.raises(InputError, match="Input/output error"):
        put_pair(tmp_path)
    with pytest.raises(InputError, match="cannot be completed: Input/output error"):
        placing.settle(tmp_path / "matrix")
    monkeypatch.undo()
    placing.settle(tmp_path / "matrix")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"matrix": "new", "truth": "new"}


@pytest.mark.parametrize("name", ["matrix", "truth"])
def test_files_that_were_changed_since_are_not_mixed_with_what_was_left(tmp_path, monkeypatch, name):
    leave_half(tmp_path, monkeypatch)
    (tmp_path / name).write_text("by hand")
    with pytest.raises(InputError, match="has been changed since"):
        placing.settle(tmp_path / "matrix")
    with pytest.raises(InputError, match="has been changed since"):
        put_pair(tmp_path)
    assert (tmp_path / name).read_text() == "by hand"
    put(tmp_path / "another")  # which has nothing to do with it


def test_the_work_of_living_programs_is_left_alone(tmp_path):
    with written_whole(tmp_path / "slow") as draft:
        draft.write_text("slow")
        put(tmp_path / "quick")
        assert draft.read_text() == "slow"
    assert {one.name for one in tmp_path.iterdir()} == {"slow", "quick"}


def test_nothing_is_cleared_away_but_our_own(tmp_path):
    mine = [".writing-0123456789ab", ".writing-novel", ".writing-0123456789abc"]
    for name in mine:
        (tmp_path / name).mkdir()
        (tmp_path / name / "chapter").touch()
    (tmp_path / ".writing-0123456789ac").mkdir()
    (tmp_path / ".writing-0123456789ac" / "lock").touch()
    put(tmp_path / "out")
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([*mine, "out"])


@pytest.mark.parametrize("can_exchange", [True, False])
def test_what_is_saved_meanwhile_is_kept_and_said(tmp_path, monkeypatch, caplog, can_exchange):
    if not can_exchange:
        monkeypatch.setattr(placing, "exchange", lambda one, other: False)
    path = tmp_path / "results"
    path.mkdir()
    (path / "table.csv").write_text("old")
    for place in ("results.old", "results.old-2"):
        with written_whole(path) as draft:
            draft.mkdir()
            (draft / "table.csv").write_text("new")
            (path / "thesis.tex").write_text("years of work")
        assert (path / "table.csv").read_text() == "new"
        assert (tmp_path / place / "thesis.tex").read_text() == "years of work"
        assert "'thesis.tex'" in caplog.text
        assert str(tmp_path / place) in caplog.text
    with written_whole(path) as draft:
        draft.mkdir()
        (path / "table.csv").write_text("changed by hand")
    assert (tmp_path / "results.old-3" / "table.csv").read_text() == "changed by hand"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc here")
def test_content_is_on_the_disk_before_its_name(tmp_path, monkeypatch):
    done = []

    def synced(number):
        done.append(Path(f"/proc/self/fd/{number}").readlink().name)

    replace = Path.replace
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", lambda self, to: (done.append(f"→ {to.name}"), replace(self, to)))
    put(tmp_path / "out")
    assert done == ["out", "→ out", tmp_path.name]
    done.clear()
    put_pair(tmp_path)
    first = done.index("→ commit.json")
    assert {"matrix", "truth", "commit.json.part"} <= set(done[:first])
    assert done[first + 1].startswith(".writing-")
    assert done[first + 2 :] == ["→ matrix", "→ truth", tmp_path.name]


@pytest.mark.parametrize("kind", ["file", "pair", "folder"])
def test_a_disk_that_is_full_leaves_what_was_there(tmp_path, kind):
    resource = pytest.importorskip("resource")

    def write(text):
        if kind == "file":
            put(tmp_path / "out", text)
        elif kind == "pair":
            put_pair(tmp_path, text)
        else:
            with written_whole(tmp_path / "folder") as draft:
                draft.mkdir()
                (draft / "small").write_text("x")
                (draft / "large").write_text(text)

    def state():
        return {str(one): one.is_file() and one.read_text() for one in tmp_path.rglob("*")}

    write("old")
    before, limits = state(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot be written: File too large"):
            write("new" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert state() == before


@pytest.mark.parametrize("leader", ["", "..", "../..", "../mine", "/", "\0", "../.writing-0123456789ad"])
def test_nothing_is_removed_but_hidden_directories(tmp_path, leader):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work").write_text("mine")
    left = tmp_path / ".writing-0123456789ac"
    left.mkdir()
    (left / "lock").touch()
    (left / "leader").write_text(leader)
    put(tmp_path / "out")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mine", "out"]
    assert [one.name for one in (tmp_path / "mine").iterdir()] == ["work"]


@pytest.mark.parametrize(
    "place", ["../../home/profile", "../sub/profile", "../../profile", "../../../etc/profile"]
)
@pytest.mark.parametrize("draft", ["0/profile", "profile", "../data.txt", "../../home/../profile"])
def test_a_record_from_strangers_moves_nothing_out_of_its_folder(tmp_path, place, draft):
    """A folder that came as an archive may hold a hidden directory made to look like ours."""
    home, folder = tmp_path / "home", tmp_path / "data"
    for one in (home, folder / "sub"):
        one.mkdir(parents=True)
        (one / "profile").write_text("mine")
    (folder / "data.txt").write_text("data")
    left = folder / ".writing-0123456789ac"
    (left / "0").mkdir(parents=True)
    (left / "lock").touch()
    for one in ("0/profile", "profile"):
        (left / one).write_text("theirs")
    target = Path(os.path.normpath(left / place))
    moves = [
        {"draft": draft, "place": place, "new": placing.look(left / draft) or [], "old": placing.look(target)}
    ]
    (left / "commit.json").write_text(json.dumps(moves))
    before = {
        str(one): one.read_text()
        for one in (home / "profile", folder / "sub" / "profile", folder / "data.txt")
    }
    for act in (lambda: placing.settle(folder / "data.txt"), lambda: put(folder / "new.txt")):
        with contextlib.suppress(InputError):
            act()
    assert {path: Path(path).read_text() for path in before} == before
    assert not (tmp_path / "profile").exists()


def test_what_another_user_left_is_not_acted_upon(tmp_path, monkeypatch):
    leave_half(tmp_path, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr("proband.engine.files.hidden_drafts._is_trusted", lambda path: False)
        with pytest.raises(InputError, match="locked by another program or user"):
            placing.settle(tmp_path / "matrix")
        put(tmp_path / "another")
    placing.settle(tmp_path / "matrix")
    assert (tmp_path / "truth").read_text() == "new"


def test_without_locks_files_are_written_and_nothing_is_cleared_away(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def no_locks(*_):
        raise OSError(38, "Function not implemented")

    left = tmp_path / ".writing-0123456789ac"
    left.mkdir()
    (left / "lock").touch()
    monkeypatch.setattr(fcntl, "flock", no_locks)
    put(tmp_path / "out")
    put_pair(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == [left.name, "matrix", "out", "truth"]


def test_a_directory_that_is_taken_while_it_is_cleared_away_stays(tmp_path, monkeypatch):
    left = tmp_path / ".writing-0123456789ac"
    left.mkdir()  # its program was about to make the lock
    removed = placing.remove

    def removed_and_taken(path):
        removed(path)
        monkeypatch.setattr(placing, "remove", removed)
        (path / "0").mkdir(parents=True)
        (path / "lock").touch()

    monkeypatch.setattr(placing, "remove", removed_and_taken)
    placing.clear(tmp_path)
    assert (left / "0").is_dir()


def test_a_disk_without_room_for_a_lock_is_an_error(tmp_path, monkeypatch):
    opened = os.open

    def full(path, *rest, **more):
        if str(path).endswith("lock"):
            raise OSError(28, "No space left on device")
        return opened(path, *rest, **more)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(InputError, match="No space left on device"), written_whole(tmp_path / "out"):
        pytest.fail("must not be reached")
    assert not list(tmp_path.iterdir())


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


def test_a_directory_may_go_while_it_is_looked_at(tmp_path, monkeypatch):
    """Another program moves it away between the look and the opening, and puts another in its place."""
    place = tmp_path / "results"
    place.mkdir()
    (place / "old").touch()
    opened = os.open

    def moved(path, *args, **named):
        if (place / "old").exists():
            place.rename(tmp_path / "aside")
            place.mkdir()
            (place / "new").touch()
            raise FileNotFoundError(path)
        return opened(path, *args, **named)

    monkeypatch.setattr(placing.os, "open", moved)
    with placing.seen(place) as found:
        assert list(found.within) == ["new"]
        assert found.is_still(place)
