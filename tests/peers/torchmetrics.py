"""TorchMetrics' numbers: ``python -m tests.peers.torchmetrics FILE``, in an environment that has it."""

from __future__ import annotations

import torch
from tests.peers.data import GUESSES, LABELLED, N_CLASSES, PAIRS, Labelled, Pairs
from tests.peers.writing import write
from torchmetrics.functional import classification

NOTES = {
    "tolerance": "TorchMetrics counts in single precision.",
    "eer": "The mean of FMR and FNMR at the threshold where they are closest, of all scores. Ours is the same, but where FMR passes "
    "FNMR between two genuine scores it is that FNMR, whatever steps impostor scores make there.",
    "top_k": "Of tied classes torch takes any; only scores without ties are compared.",
    "macro_accuracy": "A class without a sample that is said of others counts as 0; ours leaves it out.",
    "precision": "Of a class that is never said TorchMetrics gives 0, and we none.",
}


def _of_pairs(one: Pairs) -> dict[str, object]:
    scores, mated = torch.from_numpy(one.scores), torch.from_numpy(one.mated)
    fpr, tpr, thresholds = classification.binary_roc(scores, mated)
    found: dict[str, object] = {
        "auc": float(classification.binary_auroc(scores, mated)),
        "eer": float(classification.binary_eer(scores, mated)),
    }
    if len(thresholds) < 100:
        curve = {"thresholds": thresholds, "fmr": fpr, "tar": tpr}
        found["roc"] = {name: values[1:].numpy() for name, values in curve.items()}
    return found


def _of_labels(one: Labelled, tied: bool) -> dict[str, object]:
    truth, said, logits = (torch.from_numpy(part) for part in (one.truth, one.said, one.logits))
    every = {"num_classes": N_CLASSES, "average": "none"}
    found: dict[str, object] = {
        "accuracy": float(classification.multiclass_accuracy(said, truth, N_CLASSES, average="micro")),
        "macro_accuracy": float(classification.multiclass_accuracy(said, truth, N_CLASSES, average="macro")),
        "confusion": classification.multiclass_confusion_matrix(said, truth, N_CLASSES).numpy(),
        "recall": classification.multiclass_recall(said, truth, **every).numpy(),
        "precision": classification.multiclass_precision(said, truth, **every).numpy(),
        "f1": classification.multiclass_f1_score(said, truth, **every).numpy(),
    }
    if not tied:
        found["top_k"] = {
            k: float(classification.multiclass_accuracy(logits, truth, N_CLASSES, average="micro", top_k=k))
            for k in GUESSES
        }
    return found


if __name__ == "__main__":
    write(
        ("torchmetrics", "torch"),
        1e-6,
        NOTES,
        {
            "pairs": {name: _of_pairs(one) for name, one in PAIRS.items()},
            "labelled": {name: _of_labels(one, name == "tied") for name, one in LABELLED.items()},
        },
    )
