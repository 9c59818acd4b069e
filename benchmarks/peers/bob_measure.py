"""bob.measure: the equal error rate, and an ROC of 1,000 points."""

from __future__ import annotations

from bob import measure

POINTS = 1_000


def eer(genuine, impostors):
    return lambda: measure.eer(impostors, genuine), lambda found: {"eer": found}


def roc(genuine, impostors):
    return lambda: measure.roc(impostors, genuine, POINTS), lambda found: {
        "fmr": found[0],
        "fnmr": found[1],
    }
