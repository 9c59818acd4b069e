"""bob.measure's numbers: ``python -m tests.peers.bob_measure FILE``, in an environment that has it."""

from __future__ import annotations

import numpy as np
from bob import measure
from bob.measure import calibration
from tests.peers.data import FMRS, PAIRS, PRIORS, RANKS, SEARCH_THRESHOLDS, SEARCHED, Pairs
from tests.peers.writing import write

NOTES = {
    "farfrr": "A comparison is accepted when its score reaches the threshold, as ours.",
    "eer": "The mean of FMR and FNMR at the threshold where they are closest, between any two scores. Ours is the same, but where FMR "
    "passes FNMR between two genuine scores it is that FNMR, whatever steps impostor scores make there.",
    "at_fmr": "The threshold is an impostor score, or just above the highest, with FMR not above the one asked for. Ours is the lowest "
    "score, genuine or impostor, above the next lower impostor score: the same false matches, and the FNMR that bob has just above that impostor.",
    "weighted_error": "The least (1 − p)·FMR + p·FNMR; our minDCF is that over min(p, 1 − p).",
    "min_cllr": "bob.measure 6.1.1 has the function and raises NotImplementedError, and so do those of the convex hull; nothing to "
    "compare with.",
    "cmc": "A tied non-mate stands before the mate, as ours (pessimistic); of several mates the best one counts.",
    "detection_identification": "One image of every enrolled person; ours counts people.",
}


def _of_pairs(one: Pairs) -> dict[str, object]:
    negatives, positives = one.impostors, one.genuine
    eer, far, frr = measure.eer(negatives, positives, also_farfrr=True)
    ratios, other_ratios = one.log_ratios
    return {
        "farfrr": [measure.farfrr(negatives, positives, threshold) for threshold in one.thresholds],
        "eer": {"eer": eer, "fmr": far, "fnmr": frr},
        "at_fmr": {fmr: _at_fmr(negatives, positives, fmr) for fmr in FMRS},
        "weighted_error": {p: _least_error(negatives, positives, p) for p in PRIORS},
        "cllr": calibration.cllr(other_ratios, ratios),
    }


def _at_fmr(negatives: np.ndarray, positives: np.ndarray, fmr: float) -> dict[str, float]:
    threshold = measure.far_threshold(negatives, positives, fmr)
    lower = np.nextafter(negatives[negatives < threshold].max(), np.inf)
    far, frr = measure.farfrr(negatives, positives, threshold)
    same, least = measure.farfrr(negatives, positives, lower)
    return {"fmr": far, "fnmr": frr, "fmr_above_next": same, "fnmr_above_next": least}


def _least_error(negatives: np.ndarray, positives: np.ndarray, p: float) -> float:
    threshold = measure.min_weighted_error_rate_threshold(negatives, positives, 1 - p)
    far, frr = measure.farfrr(negatives, positives, threshold)
    return (1 - p) * far + p * frr


def _of_searches() -> dict[str, object]:
    mated, people = SEARCHED.probes_with_mates.splits(), SEARCHED.first_images.splits()
    return {
        "cmc": measure.cmc(mated),
        "recognition_rate": {rank: measure.recognition_rate(mated, rank=rank) for rank in RANKS},
        "detection_identification": {
            rank: [measure.detection_identification_rate(people, one, rank) for one in SEARCH_THRESHOLDS]
            for rank in RANKS
        },
        "false_alarm": [measure.false_alarm_rate(people, one) for one in SEARCH_THRESHOLDS],
    }


if __name__ == "__main__":
    write(
        ("bob.measure",),
        1e-12,
        NOTES,
        {
            "pairs": {name: _of_pairs(one) for name, one in PAIRS.items()},
            "searches": _of_searches(),
        },
    )
