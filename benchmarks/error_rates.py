"""ROC, EER and AUC of 1 M genuine and 10 M impostor scores in memory, against NumPy and packages that others use.

CPU seconds. Ours is of the whole way from two arrays: the list of comparisons made, checked and counted at every genuine score,
EER and AUC. A peer's is of its own call alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

import proband as pb
from benchmarks.job import Row, best_of
from benchmarks.peers import compare, handed
from benchmarks.peers.crossing import equal_error_rate
from proband.measures.pairs.counts import count_trials
from proband.measures.verification import ErrorRates

GENUINE, IMPOSTORS = 1_000_000, 10_000_000
APART = 0.175  # of standard deviations of 0.05: an equal error rate of 4 %, and scores between 0 and 1, as some peers need them


def run(n_genuine: int = GENUINE, n_impostor: int = IMPOSTORS) -> list[Row]:
    rng = np.random.default_rng(0)
    genuine = rng.normal(0.45 + APART, 0.05, n_genuine)
    impostors = rng.normal(0.45, 0.05, n_impostor)
    _ours(genuine[:10], impostors[:10])  # compile first
    ours, (rates, eer, auc) = best_of(2, lambda: _ours(genuine, impostors), time.process_time)
    job = f"ROC and EER of {n_genuine:,} genuine and {n_impostor:,} impostor scores in memory"
    comparison = 1 / n_genuine
    exact = f"EER to one comparison, {comparison:.0e}"

    def same_eer(numbers: Mapping[str, Any]) -> bool:
        return abs(numbers["eer"] - eer) <= comparison

    def same_auc(numbers: Mapping[str, Any]) -> bool:
        return abs(numbers["auc"] - auc) <= 1e-9

    plain, crossed = best_of(2, lambda: _sorted(genuine, impostors), time.process_time)
    rows = [
        Row(job, ours, None, plain, f"numpy {np.__version__} sort and searchsorted", "≥ 1×", plain >= ours,
            same_eer({"eer": crossed}), exact)
    ]  # fmt: skip
    with handed(genuine=genuine, impostors=impostors) as folder:
        rows += [
            compare(job, ours, "scikit-learn", "roc_curve", folder, same_eer, exact),
            compare(job, ours, "scikit-learn", "det_curve", folder, same_eer, exact),
            compare("its AUC", ours, "scikit-learn", "roc_auc_score", folder, same_auc, "AUC to 1e-9"),
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
    scores = np.concatenate([genuine, impostors])
    mated = np.arange(len(scores)) < len(genuine)
    trials = pb.Trials(pl.DataFrame({"score": scores, "mated": mated}), "similarity")
    rates = ErrorRates("made up", True, count_trials(trials))
    return rates, rates.eer().value, rates.auc()


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
