"""The page of a study with 50 algorithms, whose 1,225 pairs are all compared by two measures: CPU time and size.

``python -m benchmarks.pages 20`` uses 20 algorithms.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.job import Row, best_of
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.study.reading import read_study
from proband.study.run import run as run_study

ALGORITHMS, PEOPLE, DIMENSION = 50, 300, 64
MOST_SECONDS, MOST_BYTES = 2.0, 2_000_000
STUDY = """
title = "Many algorithms"
[samples]
file = "samples.csv"
id_column = "id"
subject_column = "subject"
[[embeddings]]
file = "nets.npz"
metric = "cosine"
[experiment]
gallery = "one_per_subject"
[identification]
[verification]
[[comparison]]
measure = "rank-1"
[[comparison]]
measure = "fnmr@0.01"
"""


def run(algorithms: int = ALGORITHMS) -> list[Row]:
    found = _found(algorithms)

    def page() -> tuple[float, str]:
        scene = Scene(found)
        _ = scene.plain  # results.json is made of it first, in every run
        seconds, text = best_of(1, lambda: render_page(build_page(scene)), time.process_time)
        return seconds, text

    pages = [page() for _ in range(3)]
    seconds, size = min(took for took, _ in pages), len(pages[0][1].encode())
    goal = f"≤ {MOST_SECONDS:g} s of CPU, ≤ {MOST_BYTES / 1e6:g} MB ({size / 1e6:.2f} MB)"
    reached = seconds <= MOST_SECONDS and size <= MOST_BYTES
    same = all(text == pages[0][1] for _, text in pages)
    return [
        Row(f"page of a study with {algorithms} algorithms", seconds, None, None, "", goal, reached, same)
    ]


def _found(algorithms: int) -> Any:
    """What a study finds of vectors that are noisier from one algorithm to the next."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(PEOPLE), 2)
    people = rng.standard_normal((PEOPLE, DIMENSION))[who]
    nets = {
        f"net-{k:02d}": (people + (0.6 + 1.5 * k / algorithms) * rng.standard_normal(people.shape)).astype(
            np.float32
        )
        for k in range(algorithms)
    }
    with tempfile.TemporaryDirectory() as folder:
        rows = "".join(f"i{k},p{person}\n" for k, person in enumerate(who))
        (Path(folder) / "samples.csv").write_text(f"id,subject\n{rows}", encoding="utf-8")
        np.savez(Path(folder) / "nets.npz", **nets)  # type: ignore[arg-type]
        (Path(folder) / "study.toml").write_text(STUDY, encoding="utf-8")
        return run_study(read_study(Path(folder) / "study.toml"))


if __name__ == "__main__":
    for row in run(int(sys.argv[1]) if len(sys.argv) > 1 else ALGORITHMS):
        print(" | ".join(row.cells()))
