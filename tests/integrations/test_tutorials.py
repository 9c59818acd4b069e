"""The tutorials run as they stand, and their stored outputs are those of the present code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

from tests.tutorials import FOLDER, NAMES, executed  # noqa: E402

ALL = ("feret-study", "gate-in-ci", "pairs-and-threshold", "stratified-evaluation", "two-embeddings")


def shown(notebook: Any) -> Iterator[tuple[str, str]]:
    """What every cell shows: kinds of output, and the text without its numbers, whose last digits vary between machines."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                yield output.name, masked(output.text)
            else:
                yield " ".join(sorted(output.data)), masked(output.data["text/plain"])


def masked(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[-−+]?\d[\d.,e×⁻-]*", "#", text))


def test_all_tutorials_are_there() -> None:
    assert tuple(NAMES) == ALL


@pytest.mark.parametrize("name", ALL)
def test_outputs_are_stored_without_traces_of_a_machine(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert {output.output_type for cell in code for output in cell.outputs} <= {"execute_result", "stream"}
    assert "stderr" not in {output.get("name") for cell in code for output in cell.outputs}
    assert str(Path.home()) not in text
    assert not re.search(r"/(tmp|home|usr|root)/", text)
    if name != "gate-in-ci":
        assert '"image/png"' in text


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_a_tutorial_runs_as_it_stands(name: str) -> None:
    stored = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert list(shown(executed(stored))) == list(shown(stored))
