"""Commands that train pass through BLAS, whose kernels round differently: their rates are held to a few probes.

``python -m tests.golden.test_trained`` writes them anew.
"""

from __future__ import annotations

import csv
import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from proband.cli import main

EXPECTED = Path(__file__).parent / "expected" / "trained.json"
TOLERANCE = 0.04  # less than three probes
CASES = {
    "demo --subjects 16": "leaderboard.csv",
    "reproduce beveridge2001 --people 16 --training 24 --trials 200": "rates.csv",
}


def rates(words: str, file: str, folder: Path) -> dict[str, float]:
    """The rates of a table, by row and column."""
    with pytest.raises(SystemExit) as stop, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        main([*words.split(), "--out", str(folder / "made"), "--quiet"])
    assert stop.value.code == 0
    (path,) = sorted((folder / "made").rglob(file))[:1]
    means: dict[str, float] = {}
    with path.open(encoding="utf-8") as text:
        for number, row in enumerate(csv.DictReader(text)):
            for column, value in row.items():
                if column == "value":  # the mean over choices
                    means[f"{number} mean"] = float(value)
                elif column.startswith("rank_") and column.count("_") == 1 and value:
                    means[f"{number} {column}"] = float(value)
    return means


@pytest.mark.long
@pytest.mark.parametrize("words", CASES)
def test_rates(words: str, tmp_path: Path) -> None:
    expected = json.loads(EXPECTED.read_text())[words]
    made = rates(words, CASES[words], tmp_path)
    assert len(expected) > 10
    assert made == pytest.approx(expected, abs=TOLERANCE)


if __name__ == "__main__":
    made = {}
    for words, file in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            made[words] = rates(words, file, Path(folder))
    EXPECTED.write_text(json.dumps(made, indent=0) + "\n")
