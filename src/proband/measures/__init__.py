"""One set of scores in, numbers out: ranks, recognition rates, the cumulative match characteristic."""

from proband.measures.identification import (
    CMC,
    MedianCensoredRank,
    MedianRelativeRank,
    RecognitionRate,
    average_cmc,
    upper_bound_cmc,
)
from proband.measures.outcomes import Counting, FailurePolicy, Outcomes, TiePolicy
from proband.measures.ranks import rank
from proband.measures.results import Answers, Curve, Facts, Measurement

__all__ = [
    "CMC",
    "Answers",
    "Counting",
    "Curve",
    "Facts",
    "FailurePolicy",
    "Measurement",
    "MedianCensoredRank",
    "MedianRelativeRank",
    "Outcomes",
    "RecognitionRate",
    "TiePolicy",
    "average_cmc",
    "rank",
    "upper_bound_cmc",
]
