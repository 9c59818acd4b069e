"""One set of scores in, numbers out; nothing here has an interval.

`ranks` (probes into ranks) and `outcomes` (what became of each probe) stand under `identification` (rates, CMC, rank
statistics); `pairs/` counts genuine and impostor scores under `verification` (FMR, FNMR, ROC, EER) and `pair_measures` (FNMR at
an FMR, AUC, EER); `open_set` searches for
strangers; `folds` is LFW's accuracy. `base` says what a measure is and keeps their registry; `tallies` makes them fit for
resampling.
"""

from proband.engine.arguments import publish
from proband.measures.base import MEASURES, MeanMeasure, Measure, OutcomeMeasure, Share, measure_named
from proband.measures.identification import (
    CMC,
    MedianCensoredRank,
    MedianRelativeRank,
    RankStatistic,
    RecognitionRate,
    RelativeRankRate,
    average_cmc,
    upper_bound_cmc,
)
from proband.measures.open_set import Searches, search as search
from proband.measures.outcomes import Counting, FailurePolicy, Outcomes, TiePolicy
from proband.measures.pair_measures import AUC, EER, FNMR, TAR
from proband.measures.ranks import rank as rank
from proband.measures.verification import ErrorRates, OperatingPoint
from proband.results.band import Curve as Curve

__all__ = [
    "AUC",
    "CMC",
    "EER",
    "FNMR",
    "MEASURES",
    "TAR",
    "Counting",
    "ErrorRates",
    "FailurePolicy",
    "MeanMeasure",
    "Measure",
    "MedianCensoredRank",
    "MedianRelativeRank",
    "OperatingPoint",
    "OutcomeMeasure",
    "Outcomes",
    "RankStatistic",
    "RecognitionRate",
    "RelativeRankRate",
    "Searches",
    "Share",
    "TiePolicy",
    "average_cmc",
    "measure_named",
    "upper_bound_cmc",
]

publish(__name__)
