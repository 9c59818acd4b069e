"""What was found: numbers with their intervals, and the four answers that each carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.results.about import RestsOn as RestsOn, Who as Who
    from proband.results.band import Band as Band, Curve as Curve
    from proband.results.base import (
        Answers as Answers,
        Facts as Facts,
        Interval as Interval,
        Result as Result,
    )
    from proband.results.difference import Difference as Difference
    from proband.results.estimate import (
        Clusters as Clusters,
        Estimate as Estimate,
        Measurement as Measurement,
    )
    from proband.results.test import Test as Test

_HOMES = {
    "about": "RestsOn Who",
    "band": "Band Curve",
    "base": "Answers Facts Interval Result",
    "difference": "Difference",
    "estimate": "Clusters Estimate Measurement",
    "test": "Test",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
