"""Top-1 and top-5 accuracy of 50,000 samples of 1,000 classes from their scores, against scikit-learn.

Measured in CPU seconds. Proband's time is of `classify`, which also computes intervals, macro averages, every class and the
confusions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

import proband as pb
from benchmarks.job import Row, best_of
from benchmarks.peers import compare, handed

SAMPLES, CLASSES = 50_000, 1_000


def run(n_samples: int = SAMPLES, n_classes: int = CLASSES) -> list[Row]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_classes, n_samples)
    logits = rng.standard_normal((n_samples, n_classes), dtype=np.float32)
    logits[np.arange(n_samples), truth] += 3
    ours, found = best_of(2, lambda: pb.classify(truth, {"made up": logits}), time.process_time)

    def agrees(numbers: Mapping[str, Any]) -> bool:
        return all(abs(value - found.rate("made up", k).value) <= 1e-12 for k, value in numbers.items())

    job = f"top-1 and top-5 accuracy, {n_samples:,} samples × {n_classes:,} classes"
    with handed(truth=truth, logits=logits) as folder:
        return [compare(job, ours, "scikit-learn", "top_k_accuracy", folder, agrees, "both rates to 1e-12")]
