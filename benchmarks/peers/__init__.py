"""Other software in the benchmark: each peer in an environment of its own, asked in a child process.

A peer is one row of `PEERS` and one script beside this file, called like it (``bob_measure.py``). A function of the script takes
arrays by the names of its parameters and returns two functions: the call to be timed, and how to read the answer out of what
that gives, which is not timed. `child` runs it; a script in R does the same by itself. ``python -m benchmarks.peers`` sets
the environments up. This module is imported by every child, so it needs the standard library alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from benchmarks.job import Row

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ABSENT = 3  # the exit code of a child that cannot import its peer
ANSWER = "answer.json"
# One thread each: libraries count CPU time of all threads, and idle ones spin.
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class NotInstalledError(Exception):
    """The peer is not on this machine."""


class BrokenPeerError(Exception):
    """The peer is here, and does not answer as it must."""


@dataclass(frozen=True)
class Peer:
    """Software to be compared with.

    Attributes
    ----------
    name
        As it is published; an environment and a script are called like it.
    requires
        What pip installs for it; nothing where it is a package of R.
    calls
        What can be asked, and the names of the numbers each call answers with.
    """

    name: str
    requires: tuple[str, ...]
    calls: Mapping[str, tuple[str, ...]]

    @property
    def script(self) -> Path:
        """The file that asks it."""
        name = re.sub(r"\W", "_", self.name)
        return HERE / (f"{name}.py" if self.requires else f"{name}.R")

    @property
    def folder(self) -> Path:
        """Its environment."""
        return environments() / self.name

    @property
    def stamp(self) -> Path:
        """A file that says what was installed, written when all of it was."""
        return self.folder / "installed.txt"

    @property
    def is_set_up(self) -> bool:
        """Whether its environment holds what it requires now."""
        return self.stamp.exists() and self.stamp.read_text().split("\n") == list(self.requires)

    @property
    def python(self) -> str:
        """The interpreter of its environment."""
        if not self.is_set_up:
            raise NotInstalledError(self.name)
        return str(self.folder / "bin" / "python")

    @property
    def command(self) -> list[str]:
        """What runs its script."""
        if not self.requires:
            rscript = shutil.which("Rscript")
            if rscript is None:
                raise NotInstalledError(self.name)
            return [rscript, str(self.script)]
        return [self.python, "-m", "benchmarks.peers.child", self.name]


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "faiss-cpu",
            ("faiss-cpu>=1.8", "numpy>=2"),
            {"first_100": ("ranks",), "whole_gallery": ("ranks",)},
        ),
        Peer(
            "scikit-learn",
            ("scikit-learn>=1.5",),
            {
                "roc_curve": ("eer",),
                "det_curve": ("eer",),
                "roc_auc_score": ("auc",),
                "top_k_accuracy": ("top-1", "top-5"),
            },
        ),
        # Of torch the version is fixed: the newest would be taken otherwise, however many gigabytes come with it.
        Peer("torchmetrics", ("torch==2.13.0", "torchmetrics>=1.6"), {"binary_eer": ("eer",)}),
        Peer("bob.measure", ("bob.measure>=6.1", "numpy<2"), {"eer": ("eer",), "roc": ("fmr", "fnmr")}),
        Peer("pyeer", ("pyeer>=0.5.5",), {"get_eer_stats": ("eer", "auc")}),
        Peer("survey", (), {"brr": ("mean", "variance")}),
    )
}


@dataclass(frozen=True)
class Answer:
    """What a peer answered, and the CPU seconds of the call alone."""

    seconds: float
    version: str
    numbers: Mapping[str, Any]


def environments() -> Path:
    """Where the environments are: ``PROBAND_PEERS``, or beside the project's own."""
    return Path(os.environ.get("PROBAND_PEERS", ROOT / ".venv" / "peers"))


@contextmanager
def handed(**arrays: Any) -> Iterator[Path]:
    """A folder that holds the arrays as children read them."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        for name, values in arrays.items():
            np.save(Path(folder) / f"{name}.npy", values)
        yield Path(folder)


def ask(name: str, call: str, folder: Path, repeats: int) -> Answer:
    """Let a peer answer in a process of its own; the arrays it needs lie in the folder."""
    peer = PEERS[name]
    text = run_child(peer, [*peer.command, call, str(folder), str(repeats)], folder / ANSWER)
    return read_answer(text, peer.calls[call])


def run_child(peer: Peer, command: list[str], answer: Path) -> str:
    """Run a command in a peer's environment, in the folder of the file that it answers with, and return what it wrote."""
    answer.unlink(missing_ok=True)
    done = subprocess.run(
        command,
        cwd=answer.parent,
        env=os.environ | THREADS | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == ABSENT:
        raise NotInstalledError(peer.name)
    if done.returncode or not answer.exists():
        raise BrokenPeerError(f"{peer.name} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return answer.read_text()


def read_answer(text: str, names: tuple[str, ...]) -> Answer:
    """Take an answer as a child wrote it, or refuse it.

    Examples
    --------
    >>> read_answer('{"seconds": 0.5, "version": "1.2", "answer": {"eer": 0.01}}', ("eer",)).numbers
    {'eer': 0.01}
    """
    try:
        said = json.loads(text)
        seconds, version, numbers = said["seconds"], said["version"], said["answer"]
        fine = (
            isinstance(seconds, float)
            and 0 <= seconds < float("inf")
            and isinstance(version, str)
            and version != ""
            and tuple(numbers) == names
            and all(map(_is_numeric, numbers.values()))
        )
    except (ValueError, TypeError, KeyError) as error:
        raise BrokenPeerError(f"an answer cannot be read: {text[:200]}") from error
    if not fine:
        raise BrokenPeerError(f"an answer must hold seconds, a version and {', '.join(names)}: {text[:200]}")
    return Answer(seconds, version, numbers)


def _is_numeric(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(type(one) in (int, float) and isfinite(one) for one in values)


def compare(
    job: str,
    ours: float,
    name: str,
    call: str,
    folder: Path,
    agrees: Callable[[Mapping[str, Any]], bool],
    checked: str,
    *,
    least: float = 1.0,
    repeats: int = 2,
    times: float = 1.0,
    bound: float | None = None,
) -> Row:
    """Ask a peer, and make the row: how many times our CPU seconds it took, and whether it agrees.

    Parameters
    ----------
    agrees, checked
        Whether the peer's numbers are ours, and in words what that means.
    least
        The ratio to reach.
    times
        How many times the work that the peer was given the job is.
    bound
        Seconds of what no solution can do without: within a tenth of them, the goal is reached too.
    """
    goal = f"≥ {least:g}×"
    if bound is not None:
        goal += f", or ≤ 1.1× the bound ({ours / bound:.2f}×)"
    label = f"{name} {call}"
    try:
        answer = ask(name, call, folder, repeats)
    except NotInstalledError:
        return Row(job, ours, None, None, f"{label}: not installed", goal, None, None)
    except BrokenPeerError as error:
        print(error, file=sys.stderr)
        return Row(job, ours, None, None, f"{label}: failed", goal, None, False)
    seconds = answer.seconds * times
    label = f"{name} {answer.version} {call}" + ("" if times == 1 else f", a part × {times:g}")
    reached = seconds >= least * ours or (bound is not None and ours <= 1.1 * bound)
    return Row(job, ours, None, seconds, label, goal, reached, agrees(answer.numbers), checked)
