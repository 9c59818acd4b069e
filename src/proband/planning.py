"""Planning before data collection: sample sizes, and the coverage of intervals for a design."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.planning.planning import (
        plan_difference as plan_difference,
        plan_error_rate as plan_error_rate,
        plan_half_width as plan_half_width,
    )
    from proband.inference.simulation.coverage import (
        coverage as coverage,
    )
    from proband.inference.simulation.halves import (
        compare_halves as compare_halves,
    )

_HOMES = {
    "proband.inference.planning.planning": "plan_difference plan_error_rate plan_half_width",
    "proband.inference.simulation.coverage": "coverage",
    "proband.inference.simulation.halves": "compare_halves",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
