"""How long a user waits for the first output, and for kernels at first use: with an empty cache of compiled code, minus a second run.

Compiling uses one thread and is measured in CPU seconds, so that other load on the machine matters little.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.job import Row, best_of

FIRST_USE = 2.0  # seconds of compilation that a plain job may take


def run() -> list[Row]:
    return [*_first_words(), *_first_uses()]


def _first_words() -> list[Row]:
    rows = []
    for job, goal, command in (
        ("proband --help", 0.5, [sys.executable, "-m", "proband", "--help"]),
        ("import proband", 0.3, [sys.executable, "-c", "import proband"]),
    ):
        bare, _ = best_of(5, lambda: subprocess.run([sys.executable, "-c", ""], check=True))
        seconds, done = best_of(
            5, lambda command=command: subprocess.run(command, capture_output=True, check=True)
        )
        rows.append(
            Row(job, seconds, None, bare, "bare Python", f"< {goal} s", seconds < goal, done.returncode == 0)
        )
    return rows


def _first_uses() -> list[Row]:
    """A plain evaluation and a plain verification, of a matrix and of embeddings."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        directory.chmod(0o700)  # code is kept only where nobody else can write
        _write_data(directory)
        for job, arguments in (
            ("evaluate, matrix", ["evaluate", "scores.npz", "--orientation", "similarity"]),
            ("verify, matrix", ["verify", "scores.npz", "--orientation", "similarity"]),
            (
                "evaluate, embeddings",
                ["evaluate", "-e", "vectors.npy", "--metric", "l2", "-g", "one_per_subject"],
            ),
            ("verify, embeddings", ["verify", "-e", "vectors.npy", "--metric", "l2"]),
        ):
            command = [sys.executable, "-m", "proband", *arguments, "-s", "samples.csv", "--json"]
            cache = directory / job
            environment = {
                **os.environ,
                "NUMBA_CACHE_DIR": str(cache),
                "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
            }

            def ask(
                command: list[str] = command, environment: dict[str, str] = environment
            ) -> tuple[float, bytes]:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.run(
                    command, cwd=directory, env=environment, capture_output=True, check=True
                )
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
                return took, done.stdout

            cold, first = ask()
            warm, again = min(ask() for _ in range(3))
            compiling = max(cold - warm, 1e-3)
            goal, reached = f"≤ {FIRST_USE:.0f} s CPU", compiling <= FIRST_USE
            rows.append(
                Row(f"first use: {job}", compiling, None, warm, "a run", goal, reached, first == again)
            )
    return rows


def _write_data(directory: Path) -> None:
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(200), 4)
    ids = [f"i{place}" for place in range(len(people))]
    vectors = rng.standard_normal((200, 64))[people] + rng.standard_normal((len(people), 64))
    scores = (vectors @ vectors.T).astype(np.float32)
    every = np.arange(len(people))
    first = every % 4 == 0
    np.savez(
        directory / "scores.npz",
        scores=scores[np.ix_(~first, first)],
        query_ids=[ids[place] for place in every[~first]],
        target_ids=[ids[place] for place in every[first]],
    )
    np.save(directory / "vectors.npy", vectors.astype(np.float32))
    rows = [f"{name},{person}" for name, person in zip(ids, people, strict=True)]
    (directory / "samples.csv").write_text("\n".join(["id,subject", *rows]) + "\n", encoding="utf-8")
