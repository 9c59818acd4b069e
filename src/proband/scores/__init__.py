"""Scores of queries with targets, embeddings used as scores, their orientation, and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.scores.alignment import (
        axis_positions as axis_positions,
        experiment_over as experiment_over,
        pool_over as pool_over,
        present_in as present_in,
    )
    from proband.scores.base import (
        DenseScores as DenseScores,
        MissingPolicy as MissingPolicy,
        Orientation as Orientation,
        Scores as Scores,
    )
    from proband.scores.embeddings import Embeddings as Embeddings, Metric as Metric
    from proband.scores.orientation import (
        OrientationCheck as OrientationCheck,
        check_orientation as check_orientation,
        require_orientation as require_orientation,
    )

_HOMES = {
    "alignment": "axis_positions experiment_over pool_over present_in",
    "base": "DenseScores MissingPolicy Orientation Scores",
    "embeddings": "Embeddings Metric",
    "orientation": "OrientationCheck check_orientation require_orientation",
}
__all__ = sorted(name for names in _HOMES.values() for name in names.split())
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
