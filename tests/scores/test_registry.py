"""Formats by name: those of the modules here, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.engine import registry
from proband.errors import UsageError
from proband.scores import Scores
from proband.scores.formats import FORMATS, format_of, read_file, write_scores

PLUGIN = """
import json
from proband.samples import Ids
from proband.scores.formats import Format, ScoreFile

def read(path, options):
    import numpy as np
    found = json.loads(path.read_text().removeprefix("#toy "))
    return ScoreFile("toy", {path.stem: np.array(found["scores"])}, Ids(found["rows"]), Ids(found["columns"]))

def write(path, scores, samples):
    import numpy as np
    every = [np.arange(n) for n in scores.shape]
    found = {"scores": scores.tile(*every).tolist(), "rows": list(scores.queries), "columns": list(scores.targets)}
    path.write_text("#toy " + json.dumps(found))

toy = Format("toy", "a toy", (".toy",), lambda path, head: head.startswith(b"#toy "), read, write)
number = 7
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    information = tmp_path / "toys-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[proband.formats]\ntoy = toys:toy\nnpy = toys:toy\n")
    (tmp_path / "toys.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def scores() -> Scores:
    return Scores.from_array(np.eye(2) / 4, ["a", "b"], ["c", "d"], orientation="similarity")


@pytest.mark.usefixtures("plugin")
def test_a_package_adds_a_format(scores: Scores, tmp_path: Path) -> None:
    assert FORMATS.names()[-1] == "toy"
    path = tmp_path / "scores.toy"
    assert write_scores(path, scores) == "toy"
    assert format_of(path).name == "toy"
    found = read_file(path)
    assert np.array_equal(found.matrices["scores"], np.eye(2) / 4)
    assert list(found.targets or ()) == ["c", "d"]


@pytest.mark.usefixtures("plugin")
def test_a_package_does_not_replace_a_format() -> None:
    assert FORMATS.find("npy").title.startswith("NumPy")


def test_what_is_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a function, not a format"):
        format_of(tmp_path, "importlib.metadata:entry_points")


def test_an_unknown_format_is_refused_with_what_was_meant(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no format 'csv-lnog'") as caught:
        format_of(tmp_path, "csv-lnog")
    assert "'csv-long'" in str(caught.value.hint)


def test_packages_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes some hundredths of a second, and a run reads many files."""
    calls: list[Any] = []
    real: Callable[..., Any] = registry.entry_points
    monkeypatch.setattr(registry, "entry_points", lambda **group: calls.append(group) or real(**group))
    registry._entry_points.cache_clear()
    for _ in range(5):
        FORMATS.names()
    assert len(calls) == 1
