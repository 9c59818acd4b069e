"""Warnings are errors, also those given while somebody has swapped the filters."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def test_none_escapes(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(
        "import warnings\n"
        "def test_it():\n"
        "    with warnings.catch_warnings():\n"
        "        warnings.resetwarnings()\n"
        "        warnings.warn('let through')\n"
    )
    words = [
        "-q",
        "-W",
        "error",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:hypothesispytest",
        "--rootdir",
        tmp_path,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, tmp_path], capture_output=True, text=True, check=False
    )
    assert "1 passed" in done.stdout
    assert done.returncode == 1
    assert "escaped the filters: test_it.py::test_it: let through" in done.stdout
