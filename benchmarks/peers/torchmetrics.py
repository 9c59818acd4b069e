"""TorchMetrics: the exact equal error rate, which takes its exact ROC."""

from __future__ import annotations

import torch
from torchmetrics.functional import classification


def binary_eer(genuine, impostors):
    scores = torch.cat([torch.from_numpy(genuine), torch.from_numpy(impostors)])
    mated = (torch.arange(len(scores)) < len(genuine)).long()
    return lambda: classification.binary_eer(scores, mated), lambda found: {"eer": float(found)}
