"""How examples of the documentation run, and what is not read for examples: how it is built, and what is generated."""

from pathlib import Path

import pytest

collect_ignore = ["conf.py", "_ext", "reference/commands", "reference/python"]


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples may write files."""
    monkeypatch.chdir(tmp_path)
