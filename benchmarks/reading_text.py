"""Read a four-column score list of 1.1 million lines, against reading it line by line."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.job import Row, best_of
from proband.scores.formats import read_file

QUERIES, TARGETS = 2_200, 500


def run() -> list[Row]:
    rng = np.random.default_rng(2)
    scores = rng.standard_normal(QUERIES * TARGETS)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "scores-dev"
        lines = (
            f"{k % TARGETS} {k // TARGETS % TARGETS} probe/{k // TARGETS} {score:.8f}\n"
            for k, score in enumerate(scores)
        )
        path.write_text("".join(lines))
        ours, found = best_of(2, lambda: next(iter(read_file(path).as_matrix().matrices.values())))
        naive, expected = best_of(1, lambda: _line_by_line(path))
    equal = np.array_equal(found, expected)
    return [Row("reading 1.1 M lines of bob's four columns", ours, naive, None, "", "–", None, equal)]


def _line_by_line(path: Path) -> np.ndarray:
    rows: dict[str, int] = {}
    columns: dict[str, int] = {}
    cells = []
    with path.open() as file:
        for line in file:
            claimed, _, label, score = line.split()
            row, column = rows.setdefault(label, len(rows)), columns.setdefault(claimed, len(columns))
            cells.append((row, column, float(score)))
    matrix = np.empty((len(rows), len(columns)))
    for row, column, score in cells:
        matrix[row, column] = score
    return matrix
