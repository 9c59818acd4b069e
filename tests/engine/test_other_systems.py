"""What other systems lack has a fallback: each is tried here by taking away what Linux has."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import errno
import io
import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from itertools import accumulate
from pathlib import Path, PureWindowsPath
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import proband
from proband.blind.package.package import PackageWriter
from proband.cli import console, faults
from proband.engine import workers, written_whole
from proband.engine.files import hidden_drafts, names, parquet_child, placing, system
from proband.engine.files.files import written_together
from proband.engine.files.memory import available_memory
from proband.engine.files.parquet import read_parquet
from proband.errors import InputError
from proband.inference.survey import quantiles
from proband.report.figures.style import save_figure
from proband.scores import DenseScores
from proband.scores.formats import write_scores
from proband.words import as_typed

SOURCES = Path(proband.__file__).parent


def put(path: Path, text: str = "new") -> None:
    with written_whole(path) as draft:
        draft.write_text(text)


def put_folder(path: Path, text: str, n: int = 12) -> None:
    with written_whole(path) as draft:
        draft.mkdir()
        for number in range(n):
            (draft / f"{number}.txt").write_text(text)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """As Windows is: its name, its locks, no directory that can be opened, no C library to ask, files that are held for a moment."""
    fcntl = pytest.importorskip("fcntl")
    locks: Any = ModuleType("msvcrt")
    locks.LK_LOCK, locks.LK_NBLCK = fcntl.LOCK_EX, fcntl.LOCK_EX | fcntl.LOCK_NB
    locks.locking = lambda number, how, n_bytes: fcntl.flock(number, how)
    opened, renamed, held = os.open, Path.replace, set()

    def no_directory(path: Any, *rest: Any, **named: Any) -> int:
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *rest, **named)

    def later(path: Path, place: Any) -> Path:
        if path not in held:
            held.add(path)
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return renamed(path, place)

    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "open", no_directory)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    if hasattr(shutil, "_rmtree_impl"):  # from Python 3.14 on
        monkeypatch.setattr(shutil, "_rmtree_impl", shutil._rmtree_unsafe)
    monkeypatch.setattr(system, "_call", lambda name: None)
    monkeypatch.setattr(Path, "replace", later)
    monkeypatch.setattr(placing, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))


def test_all_modules_and_the_program_do_without_posix(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", Path(__file__).with_name("bare.py"), tmp_path],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        encoding="cp1252",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "FNMR" in done.stdout
    assert "----" in done.stdout  # a rule, in signs that the code page has
    assert b"\r" not in (tmp_path / "report.html").read_bytes()


def test_files_pairs_and_folders_are_written_on_windows(windows: None, tmp_path: Path) -> None:
    for text in ("old", "new"):
        put(tmp_path / "out.txt", text)
        with written_together(tmp_path / "matrix", tmp_path / "truth") as drafts:
            for draft in drafts:
                draft.write_text(text)
        put_folder(tmp_path / "results", text)
    found = {one.name for one in tmp_path.rglob("*") if one.is_file()}
    assert found == {"out.txt", "matrix", "truth", *(f"{number}.txt" for number in range(12))}
    assert {one.read_text() for one in tmp_path.rglob("*") if one.is_file()} == {"new"}


def test_what_a_stopped_program_left_is_finished_on_windows(windows: None, tmp_path: Path) -> None:
    put_folder(tmp_path / "results", "old")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placing, "_finish", lambda leader, record: 1 / 0)
        # A stopped program removes nothing.
        patch.setattr(hidden_drafts, "remove", lambda path: None)
        with pytest.raises(ZeroDivisionError):
            put_folder(tmp_path / "results", "new")
    placing.settle(tmp_path / "results")
    assert {one.read_text() for one in tmp_path.glob("results/*")} == {"new"}


def test_what_stays_held_is_an_error(windows: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    put(tmp_path / "table.csv", "old")

    def refuse(path: Path, place: Any) -> Path:
        raise PermissionError(errno.EACCES, "The file is used by another process", str(place))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match=r"table\.csv cannot be written: The file is used"):
        put(tmp_path / "table.csv")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]


def test_a_folder_is_locked_on_windows_too(windows: None, tmp_path: Path) -> None:
    with placing.alone([tmp_path]):
        number = placing._lockable(tmp_path)
        assert not hidden_drafts.locked(number, wait=False)
    assert hidden_drafts.locked(number, wait=False)
    os.close(number)


def test_without_any_locks_files_are_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    for text in ("old", "new"):
        put(tmp_path / "out.txt", text)
        put_folder(tmp_path / "results", text)
    assert {one.read_text() for one in tmp_path.rglob("*") if one.is_file()} == {"new"}


@pytest.mark.parametrize("lacking", ["open", "fsync"])
def test_a_directory_may_not_be_opened_or_synced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lacking: str
) -> None:
    call = getattr(os, lacking)

    def refuse(what: Any, *rest: Any, **named: Any) -> Any:
        if (os.fstat(what).st_mode & 0o40000) if isinstance(what, int) else Path(what).is_dir():
            raise OSError(errno.EINVAL, "Invalid argument")
        return call(what, *rest, **named)

    monkeypatch.setattr(os, lacking, refuse)
    put(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "new"


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.EPERM, None])
def test_a_system_may_not_exchange_directories(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int | None
) -> None:
    def fail(*_: Any) -> int:
        assert code is not None
        ctypes.set_errno(code)
        return -1

    monkeypatch.setattr(system, "_call", lambda name: None if code is None else fail)
    for text in ("old", "new"):
        put_folder(tmp_path / "results", text)
    assert {one.read_text() for one in tmp_path.rglob("*") if one.is_file()} == {"new"}
    assert [one.name for one in tmp_path.iterdir()] == ["results"]


def test_a_file_system_may_have_no_modes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    put(tmp_path / "out.txt", "old")
    put(tmp_path / "out.txt", "new")
    assert (tmp_path / "out.txt").read_text() == "new"
    package = PackageWriter(tmp_path / "package")
    package.put("targets.csv", "id\n")
    package.close({})


def test_directories_are_replaced_on_macos(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    for text in ("old", "new"):
        put_folder(tmp_path / "results", text)
    assert {one.read_text() for one in tmp_path.rglob("*") if one.is_file()} == {"new"}


def test_memory_and_limits_need_not_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr("proband.engine.files.memory._lines", lambda path: [])
    monkeypatch.setattr(os, "sysconf_names", {}, raising=False)
    assert available_memory() is None
    parquet_child._limit(1, 1)


def test_long_doubles_may_be_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    for weights in (
        np.full(1000, 0.1),
        np.random.default_rng(0).gamma(0.3, size=5000),
        np.geomspace(1e-9, 1e9, 300),
    ):
        exact = [float(one) for one in accumulate(map(Fraction, weights.tolist()))]
        with monkeypatch.context() as patch:
            patch.setattr(np, "longdouble", np.float64)
            assert quantiles._running_sums(weights).tolist() == exact


# Names


@pytest.mark.parametrize(
    "name",
    ["a:b", "CON", "nul.txt", "com1.csv", "LPT².png", "what?", "a\\b", "a/b", "end.", "end ", "<a>", "tab\t"],
)
def test_reserved_names(name: str) -> None:
    assert not names.fits_everywhere(name)
    assert names.fits_everywhere(f"{names.portable_stem(name)}.npz")


@pytest.mark.parametrize("name", ["pca-l2.npz", "console", "com10", "nullius.txt", "é.csv", ".hidden"])
def test_names_for_every_system(name: str) -> None:
    assert names.fits_everywhere(name)
    assert names.portable_stem(name) == name


@pytest.mark.parametrize("name", ["NUL", "scores:matrix.npz", "aux.csv"])
def test_reserved_names_are_refused_where_they_would_vanish(windows: None, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be a file name"):
        put(tmp_path / name)
    placing.require_name(tmp_path / ".." / "*.npz")


def test_ids_that_windows_reserves_are_no_files_of_csu(windows: None, tmp_path: Path) -> None:
    scores = DenseScores(np.eye(2), ["a:1", "b"], ["x", "y"], orientation="distance")
    with pytest.raises(InputError, match="'a:1' cannot be the file name"):
        write_scores(tmp_path / "csu", scores, format="csu")


def test_paths_on_other_drives_are_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert names.relative_path(tmp_path / "a", tmp_path / "b") == "../a"

    def fail(*_: Any) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", fail)
    assert names.relative_path(tmp_path / "a", tmp_path / "b") == (tmp_path / "a").as_posix()
    with written_together(tmp_path / "matrix", tmp_path / "truth") as drafts:
        for draft in drafts:
            draft.write_text("new")
    assert {one.read_text() for one in tmp_path.iterdir()} == {"new"}


def test_files_come_in_one_order_on_all_systems() -> None:
    mixed: Any = [PureWindowsPath(name) for name in ("b.npy", "B.npy", "a.npy", "C/a.npy")]
    assert [one.as_posix() for one in names.in_order(mixed)] == ["B.npy", "C/a.npy", "a.npy", "b.npy"]


# Text


def test_text_files_state_their_encoding_and_line_ends() -> None:
    """In text that is written to stay, Windows would turn line ends; and it reads and writes another encoding than UTF-8."""
    lacking = []
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        tree = ast.walk(ast.parse(text)) if "open(" in text or "_text(" in text else ()
        for node in tree:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            modes = [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
            writes = node.func.attr == "write_text" or (
                node.func.attr == "open" and set(modes) & {"w", "a", "x"}
            )
            wanted = (
                {"encoding", "newline"}
                if writes
                else {"encoding"}
                if node.func.attr == "read_text"
                else set()
            )
            if not wanted <= {one.arg for one in node.keywords}:
                lacking.append(f"{path.relative_to(SOURCES).as_posix()}:{node.lineno}")
    assert not lacking


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_figures_have_the_line_ends_of_no_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str
) -> None:
    from matplotlib.figure import Figure

    opened = []
    open_path = Path.open
    monkeypatch.setattr(Path, "open", lambda self, mode="r", *rest, **named: (
        opened.append(mode), open_path(self, mode, *rest, **named))[1])  # fmt: skip
    save_figure(Figure(), tmp_path / f"plot{ending}")
    assert opened == ["wb"]


def stream(encoding: str) -> tuple[io.BytesIO, io.TextIOWrapper]:
    written = io.BytesIO()
    return written, io.TextIOWrapper(written, encoding)


def test_a_code_page_lacks_signs_but_stays_legible(monkeypatch: pytest.MonkeyPatch) -> None:
    written, text = stream("cp1252")
    monkeypatch.setattr(sys, "stdout", text)
    faults.let_all_be_printed()
    text.write("−0.25 ≤ ½ × é… ── 名")
    text.flush()
    assert written.getvalue().decode("cp1252") == r"-0.25 <= ½ × é… -- \u540d"


def test_a_pipe_of_windows_gets_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    written, text = stream("cp1252")
    monkeypatch.setattr(sys, "stdout", text)
    faults.let_all_be_printed()
    text.write("−0.25 名")
    text.flush()
    assert written.getvalue().decode("utf-8") == "−0.25 名"
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    chosen = stream("cp1252")[1]
    monkeypatch.setattr(sys, "stdout", chosen)
    faults.let_all_be_printed()
    assert chosen.encoding == "cp1252"


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_who_reads_may_go_away(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    unread: Any = faults._Outlived(os.devnull, "w")
    unread.failed = OSError(errno.EINVAL, "Invalid argument")
    with monkeypatch.context() as patch, io.TextIOWrapper(io.BufferedWriter(unread), "utf-8") as text:
        patch.setattr(sys, "platform", platform)
        patch.setattr(sys, "stdout", text)
        with contextlib.nullcontext() if platform == "win32" else pytest.raises(OSError, match="Invalid"):
            faults.require_output()


def test_commands_are_quoted_for_the_shell_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["proband", "run", "my study.toml", "--where=age>30", "C:\\data\\a.csv", "query=a,score=b"]
    assert (
        as_typed(*words) == "proband run 'my study.toml' '--where=age>30' 'C:\\data\\a.csv' query=a,score=b"
    )
    monkeypatch.setattr(sys, "platform", "win32")
    assert as_typed(*words) == r'proband run "my study.toml" "--where=age>30" C:\data\a.csv query=a,score=b'
    monkeypatch.setenv("COLUMNS", "40")
    console.tell_command(as_typed(*words))
    assert "\\\n" not in capsys.readouterr().err


# Processes


def test_windows_waits_for_61_processes_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers.Processes(100).n == 100
    monkeypatch.setattr(sys, "platform", "win32")
    assert workers.Processes(100).n == 61


def test_what_workers_hold_is_removed_when_the_program_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    later: list[Any] = []
    with workers.shared_directory() as folder:
        monkeypatch.setattr(workers.atexit, "register", lambda *given, **named: later.append(given))
    assert not later
    assert not folder.exists()
    with workers.shared_directory() as folder:
        (folder / "task").touch()
        monkeypatch.setattr(tempfile.TemporaryDirectory, "cleanup", lambda made: made._finalizer.detach())
    assert later == [(shutil.rmtree, str(folder))]
    shutil.rmtree(folder)


def test_parquet_leaves_nothing_behind_on_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "score": [0.5, 1.5]})
    frame.write_parquet(tmp_path / "table.parquet")
    asked: list[Any] = []
    read = pl.read_ipc
    monkeypatch.setattr(pl, "read_ipc", lambda source: (asked.append(source), read(source))[1])
    for platform, kind in (("linux", Path), ("win32", bytes)):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "platform", platform)
            assert read_parquet(tmp_path / "table.parquet").equals(frame)
        assert isinstance(asked[-1], kind)
