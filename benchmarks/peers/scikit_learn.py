"""scikit-learn: ROC, DET and area of scores in memory, and top-k accuracy."""

from __future__ import annotations

import numpy as np
from sklearn import metrics

from benchmarks.peers.crossing import equal_error_rate


def roc_curve(genuine, impostors):
    mated, scores = _labelled(genuine, impostors)
    return lambda: metrics.roc_curve(mated, scores), lambda found: {
        "eer": equal_error_rate(found[0], 1 - found[1])
    }


def det_curve(genuine, impostors):
    mated, scores = _labelled(genuine, impostors)
    return lambda: metrics.det_curve(mated, scores), lambda found: {
        "eer": equal_error_rate(found[0], found[1])
    }


def roc_auc_score(genuine, impostors):
    mated, scores = _labelled(genuine, impostors)
    return lambda: metrics.roc_auc_score(mated, scores), lambda found: {"auc": found}


def top_k_accuracy(truth, logits):
    classes = np.arange(logits.shape[1])

    def both():
        return [metrics.top_k_accuracy_score(truth, logits, k=k, labels=classes) for k in (1, 5)]

    return both, lambda found: {"top-1": found[0], "top-5": found[1]}


def _labelled(genuine, impostors):
    return np.arange(len(genuine) + len(impostors)) < len(genuine), np.concatenate([genuine, impostors])
