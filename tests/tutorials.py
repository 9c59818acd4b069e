"""The tutorials, carried out in a kernel: ``python -m tests.tutorials`` does so and stores their outputs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tutorials"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
SECONDS = 300


def executed(notebook: Any) -> Any:
    """Carry out a copy of a notebook in an empty folder; nothing in it may depend on the run."""
    made = nbformat.from_dict({**notebook})
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            made,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
        )
        client.execute()
    return made


def written(notebook: Any, path: Path) -> None:
    """Store a notebook with its outputs, and without what differs from machine to machine."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        path = FOLDER / f"{name}.ipynb"
        written(executed(nbformat.read(path, as_version=4)), path)
