"""pyeer's numbers: ``python -m tests.peers.pyeer FILE``, in an environment that has it."""

from __future__ import annotations

import numpy as np
from pyeer.cmc_stats import get_cmc_curve
from pyeer.eer_info import get_eer_stats
from tests.peers.data import PAIRS, SEARCHED, Pairs
from tests.peers.writing import write

NOTES = {
    "rates": "Thresholds are scores, and a comparison is accepted when it reaches one, as ours; that everything may be rejected is left "
    "out.",
    "auc": "The area from the highest score on to rejecting everything is left out, half of FMR × TAR there: it is less than ours "
    "where an impostor has the highest score.",
    "eer": "The middle of FMR and FNMR at the score before they cross or at the one after, whichever has the smaller sum of the two. Ours "
    "is the middle where they are closest, and where FMR passes FNMR between two genuine scores that FNMR.",
    "at_fmr": "FNMR at the score whose FMR is nearest to the one asked for, above or below. Ours is never above: it is the least FNMR of "
    "pyeer's own points whose FMR is not.",
    "cmc": "Of tied scores the one that is listed first stands first. With mates listed last it is our pessimistic curve, with mates "
    "listed first our optimistic one. Several mates of a probe count several times, so one image of a person is enrolled.",
}


def _of_pairs(one: Pairs) -> dict[str, object]:
    found = get_eer_stats(one.genuine, one.impostors)
    names = {0.1: "fmr10", 0.05: "fmr20", 0.01: "fmr100", 0.001: "fmr1000"}
    answer: dict[str, object] = {
        "auc": found.auc,
        "eer": {"eer": found.eer, "low": found.eer_low, "high": found.eer_high, "threshold": found.eer_th},
        "at_fmr": {
            fmr: {"fnmr": getattr(found, name), "threshold": getattr(found, f"{name}_th")}
            for fmr, name in names.items()
        },
        "zero_fmr": found.fmr0,
        "last": {"fmr": found.fmr[-1], "fnmr": found.fnmr[-1]},
    }
    if len(found.thrs) < 100:
        answer["rates"] = {"thresholds": found.thrs, "fmr": found.fmr, "fnmr": found.fnmr}
    return answer


def _cmc(mates_first: bool) -> list[float]:
    """Candidates are sorted as pyeer's own reader sorts them: by score alone, so that equal ones stay as they are listed."""
    data = SEARCHED.first_images.probes_with_mates
    queries = {}
    for probe, (who, row) in enumerate(zip(data.probes.tolist(), data.scores, strict=True)):
        listed = sorted(range(len(row)), key=lambda k: (data.gallery[k] == who) != mates_first)
        scores = [(str(data.gallery[k]), float(row[k])) for k in listed]
        queries[probe] = ([str(who)], sorted(scores, key=lambda one: one[1], reverse=True))
    return get_cmc_curve(queries, len(np.unique(data.gallery)))


if __name__ == "__main__":
    write(
        ("pyeer",),
        1e-12,
        NOTES,
        {
            "pairs": {name: _of_pairs(one) for name, one in PAIRS.items()},
            "searches": {
                "cmc_mates_last": _cmc(mates_first=False),
                "cmc_mates_first": _cmc(mates_first=True),
            },
        },
    )
