"""Estimates from weighted samples: strata, units within strata, known totals, replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.survey.statistics import (
        Function as Function,
        Mean as Mean,
        Quantile as Quantile,
        Ratio as Ratio,
        Total as Total,
        Variance as Variance,
    )
    from proband.inference.survey.survey import (
        Survey as Survey,
    )
    from proband.inference.survey.weighted import (
        estimate_weighted as estimate_weighted,
    )

_HOMES = {
    "proband.inference.survey.survey": "Survey",
    "proband.inference.survey.statistics": "Function Mean Quantile Ratio Total Variance",
    "proband.inference.survey.weighted": "estimate_weighted",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
