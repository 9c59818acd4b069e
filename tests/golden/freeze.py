"""Write the numbers that the goldens hold the program to."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.golden import data
from tests.golden.cases import CASES
from tests.golden.running import answer

from proband.protocols.cards.literature import literature
from proband.samples import Samples
from proband.scores.formats import write_scores
from proband.scores.reading import read_scores

EXPECTED = Path(__file__).parent / "expected"


def file_of(command: str) -> Path:
    """Where the numbers of a command are kept."""
    return EXPECTED / f"{command.replace(' ', '-')}.json"


def fresh(folder: Path) -> None:
    """Everything that cases read."""
    data.write(folder)
    samples = Samples.read(folder / "samples.csv")
    (middling,) = read_scores(folder / "matrix.csv", samples, orientation="similarity").values()
    write_scores(folder / "matrix.mtx", middling, samples=samples)
    for row in (6, 7, 8):
        literature("feret").card(row).write(folder / f"feret-{row}.json")


def main(only: list[str]) -> None:
    """Carry out every case, or those of some commands, and keep their numbers."""
    EXPECTED.mkdir(exist_ok=True)
    kept: dict[str, dict[str, Any]] = {}
    for command, words, as_json in CASES:
        if only and command not in only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            fresh(Path(folder))
            kept.setdefault(command, {})[words] = answer(command, words, Path(folder), as_json)
        sys.stderr.write(f"{command} {words}\n")
    for command, answers in kept.items():
        text = json.dumps(answers, indent=0, ensure_ascii=False)
        file_of(command).write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
