"""What a notebook shows: results as tables, figures as pictures, progress as a bar that needs no widgets."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from proband.report.progress import ProgressBar


class Displayed:
    """What IPython would show, one display after another, each with what it was in turn."""

    def __init__(self) -> None:
        self.shown: list[list[dict[str, str]]] = []

    def display(self, data: dict[str, str], raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        states = [data]
        self.shown.append(states)
        return SimpleNamespace(update=lambda data, raw: states.append(data))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Displayed:
    displayed = Displayed()
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=displayed.display))
    monkeypatch.setattr("proband.report.progress._BETWEEN", 0.0)
    return displayed


def test_a_notebook_has_one_bar_which_changes_and_goes(notebook: Displayed) -> None:
    with ProgressBar() as progress:
        progress.begin("ranking <b>", 3)
        for _ in range(3):
            progress.advance(1)
        progress.begin("writing", 0)
    (states,) = notebook.shown
    assert [one["text/plain"] for one in states] == [
        *(f"ranking <b> {k} of 3" for k in range(4)),
        "writing",
        "",
    ]
    assert (
        states[2]["text/html"]
        == '<div><progress value="2" max="3"></progress> ranking &lt;b&gt; 2 of 3</div>'
    )
    assert states[4]["text/html"] == "<div><progress></progress> writing</div>"
    assert states[5]["text/html"] == ""


def test_it_is_shown_now_and_then_and_at_the_end(
    notebook: Displayed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proband.report.progress._BETWEEN", 1e9)
    progress = ProgressBar()
    progress.begin("ranking", 1000)
    for _ in range(1000):
        progress.advance(1)
    assert [one["text/plain"] for one in notebook.shown[0]] == [
        "ranking 0 of 1,000",
        "ranking 1,000 of 1,000",
    ]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_has_a_line_and_a_pipe_nothing(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(sys, "stderr", written)
    with ProgressBar() as progress:
        progress.begin("ranking", 2)
        progress.advance(2)
    lines = ["", "ranking 0 of 2", "ranking 2 of 2", ""]
    assert written.getvalue() == ("\r\x1b[K".join(lines) if terminal else "")


CELLS = """
import numpy as np
import proband as pb
ids = [f"{side}{k}" for side in "gp" for k in range(40)]
samples = pb.Samples({"id": ids, "subject": [name[1:] for name in ids]})
scores = pb.Scores.from_array(np.eye(40), ids[40:], ids[:40], orientation="similarity", name="net")
experiment = pb.Experiment(samples, gallery=ids[:40])
---
found = pb.evaluate(scores, experiment, progress=pb.report.ProgressBar())
found
---
found.plot()
---
pb.verify(scores, samples, fmr=0.1, progress=pb.report.ProgressBar())
"""


@pytest.mark.long
def test_a_kernel_shows_tables_pictures_and_progress() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(one.strip()) for one in CELLS.split("---")]
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()
    shown = [[set(one.data) for one in cell.outputs if "data" in one] for cell in made.cells]
    assert shown[0] == []
    assert {"text/plain", "text/html"} in shown[1]
    assert "<table" in made.cells[1].outputs[-1].data["text/html"]
    assert shown[2] == [{"text/plain", "image/png"}]
    bars = [one.data["text/html"] for one in made.cells[3].outputs if one.output_type == "display_data"]
    assert len(bars) == 1
    assert bars[0].startswith("<div><progress")
    assert not any(one.output_type == "stream" for cell in made.cells for one in cell.outputs)
