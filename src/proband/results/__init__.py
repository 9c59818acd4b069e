"""What was found: numbers with their intervals, and the four answers that each carries."""

from proband.engine.arguments import publish
from proband.results.band import Band, Curve
from proband.results.base import Answers, Facts, Interval, Result
from proband.results.difference import Difference
from proband.results.estimate import Clusters, Estimate, Measurement

__all__ = [
    "Answers",
    "Band",
    "Clusters",
    "Curve",
    "Difference",
    "Estimate",
    "Facts",
    "Interval",
    "Measurement",
    "Result",
]

publish(__name__)
