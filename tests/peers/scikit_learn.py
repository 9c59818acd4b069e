"""scikit-learn's numbers: ``python -m tests.peers.scikit_learn FILE``, in an environment that has it."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import metrics
from tests.peers.data import GUESSES, LABELLED, N_CLASSES, PAIRS, Labelled, Pairs
from tests.peers.writing import write

NOTES = {
    "roc": "A comparison is accepted when its score reaches the threshold, as ours. The first threshold is infinite and left out "
    "here; corners on a straight line are left out by scikit-learn.",
    "top_k": "Of tied classes scikit-learn takes the later one first. Ours are counted against the model (pessimistic), for it "
    "(optimistic) or in expectation (mean); with the same order made explicit in the scores the numbers are equal.",
    "balanced_accuracy": "Classes without a sample are left out, as ours are.",
    "precision": "Of a class that is never said scikit-learn gives 0, and we none.",
}


def _of_pairs(one: Pairs) -> dict[str, object]:
    fpr, tpr, thresholds = metrics.roc_curve(one.mated, one.scores)
    det = metrics.det_curve(one.mated, one.scores)
    return {
        "roc": {"thresholds": thresholds[1:], "fmr": fpr[1:], "tar": tpr[1:]},
        "det": dict(
            zip(("fmr", "fnmr", "thresholds"), (part[np.isfinite(det[2])] for part in det), strict=True)
        ),
        "auc": metrics.roc_auc_score(one.mated, one.scores),
    }


def _of_labels(one: Labelled) -> dict[str, object]:
    classes = np.arange(N_CLASSES)
    with warnings.catch_warnings():
        # One class has no sample, which is meant.
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true")
        balanced = metrics.balanced_accuracy_score(one.truth, one.said)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        one.truth, one.said, labels=classes, zero_division=0
    )
    return {
        "top_k": {
            k: metrics.top_k_accuracy_score(one.truth, one.logits, k=k, labels=classes) for k in GUESSES
        },
        "accuracy": metrics.accuracy_score(one.truth, one.said),
        "balanced_accuracy": balanced,
        "confusion": metrics.confusion_matrix(one.truth, one.said, labels=classes),
        "recall": recall,
        "precision": precision,
        "f1": f1,
    }


if __name__ == "__main__":
    write(
        ("scikit-learn",),
        1e-12,
        NOTES,
        {
            "pairs": {name: _of_pairs(one) for name, one in PAIRS.items()},
            "labelled": {name: _of_labels(one) for name, one in LABELLED.items()},
        },
    )
