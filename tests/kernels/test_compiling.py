"""Compiled code is unpickled and run, so nobody else may have written it, and a damaged file is compiled anew."""

from __future__ import annotations

import logging
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt
import pytest

from proband.kernels import compiling

posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes and owners are POSIX's")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a directory for temporary files of one's own, and nothing else to be found."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(compiling.tempfile, "tempdir", None)
    return tmp_path


def foreign(path: Path) -> None:
    path.mkdir()
    os.chown(path, 65534, -1)


def linked(path: Path) -> None:
    open_to_all = path.with_name("elsewhere")
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    path.symlink_to(open_to_all)


def mode(bits: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.mkdir()
        path.chmod(bits)

    return make


@posix
@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
@pytest.mark.parametrize(
    "plant",
    [
        mode(0o777),
        mode(0o770),
        mode(0o702),
        linked,
        pytest.param(
            foreign, marks=pytest.mark.skipif("os.geteuid() != 0", reason="only root gives files away")
        ),
    ],
    ids=["open", "group", "other", "link", "foreign"],
)
@pytest.mark.parametrize("depth", ["leaf", "above"])
def test_a_directory_that_others_can_write_to_is_never_used(
    places: Path, monkeypatch: pytest.MonkeyPatch, variable: str, plant: Callable[[Path], None], depth: str
) -> None:
    root = places / "cache"
    (places / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "file"))
    monkeypatch.setenv(variable, str(root))
    if depth == "above":
        plant(root)
    else:
        usual = compiling._cache_directory()
        assert usual.is_relative_to(root)
        shutil.rmtree(usual)
        plant(usual)
    found = compiling._cache_directory()
    assert not found.is_relative_to(root)
    assert found.parent == places / "TMPDIR"
    assert stat.S_IMODE(found.stat().st_mode) == 0o700


@posix
def test_the_directory_is_private_and_stays_the_same(places: Path) -> None:
    found = compiling._cache_directory()
    assert found == compiling._cache_directory()
    assert found.is_relative_to(places / "XDG_CACHE_HOME")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (found, found.parent)} == {0o700}


def test_without_a_home_no_directory_is_predictable(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (places / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "file"))
    assert compiling._cache_directory() != compiling._cache_directory()


def twice(value: float) -> float:
    return value * 2.0


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    changed = bytearray(content)
    for place in range(len(changed) // 4, len(changed), 97):
        changed[place] ^= 0x10
    return bytes(changed)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [cut, flipped, lambda content: b""], ids=["cut", "flipped", "empty"])
def test_a_damaged_cache_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, damage: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert compiling.njit(cache=True)(twice)(1.5) == 3.0
    (kept,) = tmp_path.rglob(f"*.{ending}")
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))
    again = compiling.njit(cache=True)(twice)
    assert again(1.5) == 3.0
    assert sum(again.stats.cache_hits.values()) == 0
    third = compiling.njit(cache=True)(twice)
    assert third(1.5) == 3.0
    assert sum(third.stats.cache_hits.values()) == 1  # it was mended


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "gone"))
    kernel = compiling.njit(cache=True)(twice)
    shutil.rmtree(tmp_path / "gone")
    assert kernel(1.5) == 3.0


def test_a_compilation_is_announced_once_and_a_kept_kernel_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiling._COMPILATIONS, "announced", False)
    caplog.set_level(logging.INFO, "proband")
    numba.njit(twice)(1)  # not ours: nothing to say
    assert not caplog.records
    kernel = compiling.njit(cache=True)(twice)
    assert (kernel(1.5), kernel(2)) == (3.0, 4)  # two signatures
    (said,) = caplog.records
    assert said.getMessage().startswith("compiling kernels for this machine (once")
    assert said.terminal_only  # type: ignore[attr-defined]
    monkeypatch.setattr(compiling._COMPILATIONS, "announced", False)
    assert compiling.njit(cache=True)(twice)(1.5) == 3.0
    assert len(caplog.records) == 1


helper = compiling.njit(cache=True)(twice)


def through_another(value: float) -> float:
    return helper(value) + 1.0


def test_what_is_compiled_on_the_way_to_a_kernel_is_kept_with_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert compiling.njit(cache=True)(through_another)(1.5) == 4.0
    (kept,) = tmp_path.rglob("*.nbi")
    assert "through_another" in kept.name
    again = compiling.njit(cache=True)(through_another)
    assert again(1.5) == 4.0
    assert sum(again.stats.cache_hits.values()) == 1


_USE = """
import sys
import numpy as np
from proband.kernels import choices, vectors
vectors.norms(np.ones((3, 5), np.float32))
choices.order_levels(
    np.eye(2), 0, 1, np.array([0, 1]), np.array([1]), np.array([0]), np.zeros(1, np.bool_), 0, np.empty(1, np.int64),
    np.empty(1, np.bool_),
)
print(*(name in sys.modules for name in ("numba.np.arraymath", "scipy.linalg")))
"""


def test_kept_kernels_are_loaded_without_the_compiler_and_nothing_without_linear_algebra(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o700)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def loaded() -> list[str]:
        command = [sys.executable, "-c", _USE]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.split()

    assert loaded() == ["True", "False"]  # compiled: the compiler is there
    assert loaded() == ["False", "False"]


def test_numba_still_has_linear_algebra() -> None:
    @numba.njit
    def product(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.dot(x, np.linalg.inv(x))

    compiling.njit(cache=False)(twice)(1.5)
    assert np.allclose(product(np.array([[2.0, 1.0], [1.0, 3.0]])), np.eye(2))
