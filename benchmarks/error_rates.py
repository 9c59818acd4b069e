"""ROC, EER and AUC of 1 M genuine and 10 M impostor scores in memory, against NumPy and other packages.

Measured in CPU seconds; Proband uses one thread. Proband's time covers everything from two arrays: making and checking the list
of comparisons, counting at every genuine score, EER and AUC. A peer's time is of its own call alone. The bound is a compiled loop
that sorts the genuine scores and counts every impostor once in equal cells, as many as there are genuine scores; it checks
nothing, is given the range, and settles nothing within a cell. The goal is half of NumPy's time, or at most 1.1 times the bound.

A list of 10 M named pairs is verified in a process of its own, which measures the peak memory beyond the list itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numba import njit

import proband as pb
from benchmarks.job import Row, best_of
from benchmarks.peers import compare, handed
from benchmarks.peers.crossing import equal_error_rate
from proband.engine.threads import THREADS_VARIABLE
from proband.measures.pairs.counts import count_trials
from proband.measures.verification import ErrorRates

GENUINE, IMPOSTORS = 1_000_000, 10_000_000
PEOPLE, IMAGES = 895, 5  # whose images are compared each with each: 10 M pairs
MOST_MEMORY = 1000  # MB beyond the list
_RUN = 1 << 12
APART = 0.175  # of standard deviations of 0.05: an equal error rate of 4 %, and scores between 0 and 1, as some peers need them


def run(n_genuine: int = GENUINE, n_impostor: int = IMPOSTORS) -> list[Row]:
    rng = np.random.default_rng(0)
    genuine = rng.normal(0.45 + APART, 0.05, n_genuine)
    impostors = rng.normal(0.45, 0.05, n_impostor)
    with _threads(1):
        rows = _rows(genuine, impostors)
        single, in_single = genuine.astype(np.float32), impostors.astype(np.float32)
        rows.append(_beside_numpy("ROC and EER of as many float32 scores", single, in_single)[0])
    return [*rows, _with_two_threads(genuine, impostors), _pair_list()]


def _beside_numpy(
    job: str, genuine: np.ndarray, impostors: np.ndarray
) -> tuple[Row, tuple[ErrorRates, float, float]]:
    """Take turns with numpy, so that both have the machine as it happens to be."""
    ours = plain = least = float("inf")
    for _ in range(5):
        taken, (rates, eer, auc) = best_of(1, lambda: _ours(genuine, impostors), time.process_time)
        alone, crossed = best_of(1, lambda: _sorted(genuine, impostors), time.process_time)
        ours, plain = min(ours, taken), min(plain, alone)
        least = min(least, best_of(1, lambda: _bound(genuine, impostors), time.process_time)[0])
    job = f"{job} (bound {least:.3f} s)"
    comparison = 1 / len(genuine)
    reached = plain >= 2 * ours or ours <= 1.1 * least
    row = Row(job, ours, None, plain, f"numpy {np.__version__} sort and searchsorted", "≥ 2×, or ≤ 1.1× the bound", reached,
              abs(crossed - eer) <= comparison, f"EER to one comparison, {comparison:.0e}")  # fmt: skip
    return row, (rates, eer, auc)


def _rows(genuine: np.ndarray, impostors: np.ndarray) -> list[Row]:
    n_genuine, n_impostor = len(genuine), len(impostors)
    job = f"ROC and EER of {n_genuine:,} genuine and {n_impostor:,} impostor scores in memory"
    row, (rates, eer, auc) = _beside_numpy(job, genuine, impostors)
    ours, rows, comparison = row.ours, [row], 1 / n_genuine
    exact = f"EER to one comparison, {comparison:.0e}"

    def same_eer(numbers: Mapping[str, Any]) -> bool:
        return abs(numbers["eer"] - eer) <= comparison

    def same_auc(numbers: Mapping[str, Any]) -> bool:
        return abs(numbers["auc"] - auc) <= 1e-9

    with handed(genuine=genuine, impostors=impostors) as folder:
        rows += [
            compare(job, ours, "scikit-learn", "roc_curve", folder, same_eer, exact),
            compare(job, ours, "scikit-learn", "det_curve", folder, same_eer, exact),
            compare(
                f"AUC of {n_genuine:,} genuine and {n_impostor:,} impostor scores in memory",
                ours,
                "scikit-learn",
                "roc_auc_score",
                folder,
                same_auc,
                "AUC to 1e-9",
            ),
            compare(job, ours, "torchmetrics", "binary_eer", folder, same_eer, exact, repeats=1),
            compare(
                job,
                ours,
                "bob.measure",
                "eer",
                folder,
                same_eer,
                f"{exact}; its EER is the mean of FMR and FNMR at the threshold where they are closest",
            ),
            compare(
                job,
                ours,
                "bob.measure",
                "roc",
                folder,
                lambda numbers: _on_curve(rates, numbers),
                "its 1,000 points lie on our curve, to 1e-12; they have no EER",
            ),
            compare(
                job,
                ours,
                "pyeer",
                "get_eer_stats",
                folder,
                lambda numbers: same_eer(numbers) and same_auc(numbers),
                f"{exact}, AUC to 1e-9; its EER is the middle of the interval in which FMR and FNMR pass each other",
                repeats=1,
            ),
        ]
    return rows


def _ours(genuine: np.ndarray, impostors: np.ndarray) -> tuple[ErrorRates, float, float]:
    kinds = ((genuine, True), (impostors, False))
    frames = [pl.DataFrame({"score": scores}).with_columns(mated=pl.lit(mated)) for scores, mated in kinds]
    trials = pb.Trials(pl.concat(frames), "similarity")
    rates = ErrorRates("made up", True, count_trials(trials))
    return rates, rates.eer().value, rates.auc()


def _bound(genuine: np.ndarray, impostors: np.ndarray) -> None:
    np.sort(genuine)
    cells = np.zeros(1 << len(genuine).bit_length(), dtype=np.uint32)
    _count_cells(impostors, impostors.dtype.type(len(cells)), np.empty(_RUN, dtype=np.int32), cells)


@njit(nogil=True)
def _count_cells(values, slope, places, cells):
    """Count scores between 0 and 1 in equal cells, a run at a time: the places of a run are found in vectors."""
    last = np.int32(len(cells) - 1)
    for start in range(0, len(values), len(places)):
        n = min(len(places), len(values) - start)
        for j in range(n):
            places[j] = min(last, max(np.int32(0), np.int32(values[start + j] * slope)))
        for j in range(n):
            cells[places[j]] += np.uint32(1)


def _sorted(genuine: np.ndarray, impostors: np.ndarray) -> float:
    mates, others = np.sort(genuine), np.sort(impostors)
    fmr = 1 - np.searchsorted(others, mates) / len(others)
    return equal_error_rate(fmr, np.arange(len(mates)) / len(mates))


def _on_curve(rates: ErrorRates, numbers: Mapping[str, Any]) -> bool:
    """Whether every point lies on a step of our curve, or between its corners on a line where FNMR does not change."""
    fmr, fnmr = rates.curve
    points = np.array(numbers["fmr"])
    left, right = np.searchsorted(fmr, points, "left"), np.searchsorted(fmr, points, "right")
    least, most = fnmr[np.where(right > left, right - 1, left)], fnmr[left]
    theirs = np.array(numbers["fnmr"])
    return bool(((theirs >= least - 1e-12) & (theirs <= most + 1e-12)).all())


def _with_two_threads(genuine: np.ndarray, impostors: np.ndarray) -> Row:
    """Count with one thread and with two, on the wall."""
    trials = pb.Trials(
        pl.DataFrame(
            {
                "score": np.concatenate([genuine, impostors]),
                "mated": np.repeat([True, False], [len(genuine), len(impostors)]),
            }
        ),
        "similarity",
    )
    least = {1: float("inf"), 2: float("inf")}
    found = {}
    for _ in range(5):
        for threads in least:
            with _threads(threads):
                taken, found[threads] = best_of(1, lambda: count_trials(trials))
            least[threads] = min(least[threads], taken)
    one, two = found[1], found[2]
    equal = all(
        np.array_equal(getattr(one, name), getattr(two, name))
        for name in ("edges", "genuine_at", "impostor_ge", "impostor_gt")
    )
    return Row("counting them, seconds on the wall with two threads", least[2], None, least[1], "ours with one thread",
               "≥ 1.4×", least[1] >= 1.4 * least[2], equal, "all counts")  # fmt: skip


@contextmanager
def _threads(n: int) -> Iterator[None]:
    """Have so many threads."""
    before = os.environ.get(THREADS_VARIABLE)
    os.environ[THREADS_VARIABLE] = str(n)
    try:
        yield
    finally:
        os.environ.pop(THREADS_VARIABLE)
        if before is not None:
            os.environ[THREADS_VARIABLE] = before


def _pair_list() -> Row:
    """Verify a list of pairs with names in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.error_rates"], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout.splitlines()[-1])
    job = f"verify_pairs of a list of {told['n']:,} named pairs, 1,000 replicates, {told['memory']:.0f} MB beyond the list"
    return Row(job, told["seconds"], None, None, "", f"< {MOST_MEMORY} MB", told["memory"] < MOST_MEMORY,
               abs(told["eer"] - told["crossed"]) <= 1 / told["n_genuine"], "EER to one comparison, of sorted scores")  # fmt: skip


def _verify_list(people: int, images: int) -> dict[str, float]:
    """Verify all pairs of some images, after a few of them for what is loaded and compiled first."""
    rng = np.random.default_rng(0)
    n = people * images
    one, other = np.triu_indices(n, 1)
    mated = one // images == other // images
    scores = np.where(mated, rng.normal(0.45 + APART, 0.05, len(one)), rng.normal(0.45, 0.05, len(one)))
    names = pl.Series([f"image{k:05d}" for k in range(n)])
    frame = pl.DataFrame({"a": names.gather(one), "b": names.gather(other), "score": scores, "mated": mated})
    eer = _sorted(scores[mated], scores[~mated])
    n_genuine = int(mated.sum())
    del one, other, mated, scores

    def verified(frame: pl.DataFrame) -> Any:
        samples = frame["a"], frame["b"]
        return pb.verify_pairs(frame["mated"], frame["score"], samples=samples, orientation="similarity")

    verified(frame.sample(min(frame.height, 1 << 19), seed=1))
    Path("/proc/self/clear_refs").write_text("5")  # the most memory from here on
    before = _memory("VmRSS")
    seconds, found = best_of(1, lambda: verified(frame), time.process_time)
    return {
        "n": frame.height,
        "n_genuine": n_genuine,
        "seconds": seconds,
        "memory": _memory("VmHWM") - before,
        "eer": found.rates.eer().value,
        "crossed": eer,
    }


def _memory(which: str) -> float:
    """How much memory this process takes, or took at most, in MB (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which)) / 1024


if __name__ == "__main__":
    print(json.dumps(_verify_list(PEOPLE, IMAGES)))
