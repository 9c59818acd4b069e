"""pyeer: all its statistics, which it makes together."""

from __future__ import annotations

from pyeer import eer_info


def get_eer_stats(genuine, impostors):
    return lambda: eer_info.get_eer_stats(genuine, impostors), lambda found: {
        "eer": found.eer,
        "auc": found.auc,
    }
