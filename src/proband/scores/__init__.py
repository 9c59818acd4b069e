"""Scores of queries with targets, embeddings that behave as scores, their orientation, and files of them."""

from proband.engine.arguments import publish
from proband.scores.alignment import axis_positions, experiment_over, pool_over, present_in
from proband.scores.base import DenseScores, MissingPolicy, Orientation, Scores
from proband.scores.embeddings import Embeddings, Metric
from proband.scores.orientation import OrientationCheck, check_orientation, require_orientation

__all__ = [
    "DenseScores",
    "Embeddings",
    "Metric",
    "MissingPolicy",
    "Orientation",
    "OrientationCheck",
    "Scores",
    "axis_positions",
    "check_orientation",
    "experiment_over",
    "pool_over",
    "present_in",
    "require_orientation",
]

publish(__name__)
