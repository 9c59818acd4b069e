"""Whole commands, from the prompt to the answer: five algorithms, 515 people, 698 searches in a gallery of 514, synthetic.

Measured in CPU seconds of whole processes, including start-up. The goals are 0.35, 1.2 and 4 s. Machines differ, so each
command is also compared with loading the libraries that every command needs: NumPy, polars, pydantic, typer and rich. Where
loading takes longer than the 0.345 s of the machine for which the goals were set, a command may take longer by the same amount.
The table *Where the time goes* splits the time of each command into libraries, Proband's own modules and the work itself.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.job import Row

LIBRARIES = "import numpy, polars, pydantic, typer, rich.console, rich.progress"
NOISE = {"faceres": 0.9, "dlib": 0.95, "mobileface": 1.15, "lbp": 1.6, "ncc": 2.2}
QUERIES, TARGETS, DIMENSION = 698, 514, 64
# CPU seconds of loading the libraries on the machine that the goals were set for: an AMD EPYC with AVX-512.
REFERENCE = 0.345
_SELF = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")
_READ = ("scores.npz", "-s", "samples.csv", "--orientation", "similarity")


class Command(NamedTuple):
    """What is typed, and the CPU seconds it may take."""

    words: tuple[str, ...]
    seconds: float
    repeats: int = 5


COMMANDS = {
    "proband plan": Command(("plan", "--rate", "0.95", "--half-width", "0.01"), 0.35),
    "proband mcnemar 22 8": Command(("mcnemar", "22", "8"), 0.35),
    "proband evaluate, 5 algorithms": Command(("evaluate", *_READ), 1.2, 3),
    "proband verify, 5 algorithms": Command(("verify", *_READ), 1.2, 3),
    "proband compare, 5 algorithms": Command(("compare", *_READ), 1.2, 3),
    "proband run: page, tables and figures": Command(("run", "study.toml", "--no-cache"), 4, 3),
}


def run() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_data(folder)
        for job, command in COMMANDS.items():
            typed = [sys.executable, "-m", "proband", *command.words]
            first = _cpu(typed, folder)[1]  # compiles what it needs
            # Both in turn, so that what else the machine does falls on both.
            ours, libraries = float("inf"), float("inf")
            for _ in range(command.repeats):
                took, printed = _cpu(typed, folder)
                ours = min(ours, took)
                libraries = min(libraries, _cpu([sys.executable, "-c", LIBRARIES], folder)[0])
            allowed = command.seconds * max(1.0, libraries / REFERENCE)
            goal = f"≤ {allowed:.2g} s of CPU"
            reached = ours <= allowed
            rows.append(
                Row(job, ours, None, libraries, "loading the libraries", goal, reached, first == printed)
            )
    return rows


def details() -> str:
    """Where the CPU seconds of every command go, as a section of the page."""
    heads = ("libraries", "numba", "matplotlib", "Proband's modules", "the work itself", "all")
    lines = [
        "### Where the time goes\n",
        f"| CPU seconds | {' | '.join(heads)} |",
        f"|---|{'---|' * len(heads)}",
    ]
    for job, spent in profiles():
        lines.append(f"| {job} | {' | '.join(f'{spent[head]:.2f}' for head in heads)} |")
    return "\n".join(
        [*lines, "\nLoading is measured by `python -X importtime`, which itself takes some time.\n"]
    )


def profiles() -> Iterator[tuple[str, dict[str, float]]]:
    """CPU seconds of every command by what they are spent on."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_data(folder)
        for job, command in COMMANDS.items():
            typed = [sys.executable, "-X", "importtime", "-m", "proband", *command.words]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                typed, cwd=folder, env=_environment(), capture_output=True, check=True, text=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            whole = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            spent = {"libraries": 0.0, "numba": 0.0, "matplotlib": 0.0, "Proband's modules": 0.0}
            for took, name in _SELF.findall(done.stderr):
                package = name.partition(".")[0]
                kind = {"proband": "Proband's modules", "llvmlite": "numba", "numba": "numba"}.get(
                    package, package
                )
                spent[kind if kind in spent else "libraries"] += int(took) / 1e6
            yield job, {**spent, "the work itself": max(whole - sum(spent.values()), 0.0), "all": whole}


def write_data(folder: Path, noise: dict[str, float] = NOISE) -> None:
    """Scores of several algorithms, a table of samples and a study."""
    rng = np.random.default_rng(0)
    people = rng.standard_normal((TARGETS + 1, DIMENSION))
    who = np.concatenate([np.arange(TARGETS), rng.integers(0, TARGETS, QUERIES - TARGETS - 1), [TARGETS]])
    ids = [f"q{k}" for k in range(QUERIES)], [f"t{k}" for k in range(TARGETS)]
    scores = {}
    for name, spread in noise.items():
        queries = people[who] + spread * rng.standard_normal((QUERIES, DIMENSION))
        targets = people[:TARGETS] + spread * rng.standard_normal((TARGETS, DIMENSION))
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        targets /= np.linalg.norm(targets, axis=1, keepdims=True)
        scores[name] = (queries @ targets.T).astype(np.float32)
    np.savez(folder / "scores.npz", query_ids=ids[0], target_ids=ids[1], **scores)  # type: ignore[arg-type]
    rows = [f"{name},{person}" for name, person in zip(ids[0], who, strict=True)]
    rows += [f"{name},{person}" for person, name in enumerate(ids[1])]
    (folder / "samples.csv").write_text("\n".join(["id,subject", *rows]) + "\n", encoding="utf-8")
    study = '[samples]\nfile = "samples.csv"\n\n[[scores]]\nfile = "scores.npz"\norientation = "similarity"\n'
    (folder / "study.toml").write_text(study, encoding="utf-8")


def _environment() -> dict[str, str]:
    named = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**named, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}


def _cpu(command: list[str], folder: Path) -> tuple[float, bytes]:
    """CPU seconds of a process and those it starts, and what it printed."""
    shutil.rmtree(folder / "study-results", ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout
