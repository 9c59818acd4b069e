"""Measures: numbers computed from one set of scores, without intervals.

`ranks` (ranks of probes) and `outcomes` (results of probes) support `identification` (rates, CMC, rank
statistics); `pairs/` counts genuine and impostor scores for `verification` (FMR, FNMR, ROC, EER) and `pair_measures` (FNMR at
an FMR, AUC, EER); `open_set` is open-set search;
`folds` is LFW's accuracy. `base` defines measures and their registry; `tallies` prepares them for
resampling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.measures.base import (
        MEASURES as MEASURES,
        MeanMeasure as MeanMeasure,
        Measure as Measure,
        OutcomeMeasure as OutcomeMeasure,
        Share as Share,
        measure_named as measure_named,
    )
    from proband.measures.identification import (
        CMC as CMC,
        MedianCensoredRank as MedianCensoredRank,
        MedianRelativeRank as MedianRelativeRank,
        RankStatistic as RankStatistic,
        RecognitionRate as RecognitionRate,
        RelativeRankRate as RelativeRankRate,
        average_cmc as average_cmc,
        upper_bound_cmc as upper_bound_cmc,
    )
    from proband.measures.open_set import Searches as Searches, search as search
    from proband.measures.outcomes import (
        Counting as Counting,
        FailurePolicy as FailurePolicy,
        Outcomes as Outcomes,
        TiePolicy as TiePolicy,
    )
    from proband.measures.pair_measures import AUC as AUC, EER as EER, FNMR as FNMR, TAR as TAR
    from proband.measures.ranks import rank as rank
    from proband.measures.verification import ErrorRates as ErrorRates, OperatingPoint as OperatingPoint
    from proband.results.band import Curve as Curve

_HOMES = {
    "base": "MEASURES MeanMeasure Measure OutcomeMeasure Share measure_named",
    "identification": "CMC MedianCensoredRank MedianRelativeRank RankStatistic RecognitionRate RelativeRankRate average_cmc upper_bound_cmc",
    "open_set": "Searches search",
    "outcomes": "Counting FailurePolicy Outcomes TiePolicy",
    "pair_measures": "AUC EER FNMR TAR",
    "ranks": "rank",
    "verification": "ErrorRates OperatingPoint",
    "proband.results.band": "Curve",
}
_UNLISTED = {"Curve", "rank", "search"}
__all__ = sorted({name for names in _HOMES.values() for name in names.split()} - _UNLISTED)
__getattr__, _ = lazily(__name__, _HOMES, published=True)


def __dir__() -> list[str]:
    return list(__all__)
