"""Statistics behind the main functions, and less common functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.inference.comparisons.independent import (
        compare_independent as compare_independent,
    )
    from proband.inference.comparisons.mcnemar_table import (
        mcnemar_table as mcnemar_table,
    )
    from proband.inference.comparisons.testing.mcnemar import (
        PairedOutcomes as PairedOutcomes,
        newcombe_interval as newcombe_interval,
        tango_interval as tango_interval,
    )
    from proband.inference.covariates.outcomes import (
        explain_outcomes as explain_outcomes,
    )
    from proband.inference.estimates.clusters import (
        cluster_statistics as cluster_statistics,
    )
    from proband.inference.estimates.cmc_bands import (
        estimate_cmc as estimate_cmc,
    )
    from proband.inference.estimates.overlap import (
        set_overlap as set_overlap,
    )
    from proband.inference.proportions import (
        difference_of_independent as difference_of_independent,
        proportion_interval as proportion_interval,
    )

_HOMES = {
    "proband.inference.comparisons.independent": "compare_independent",
    "proband.inference.comparisons.mcnemar_table": "mcnemar_table",
    "proband.inference.comparisons.testing.mcnemar": "PairedOutcomes newcombe_interval tango_interval",
    "proband.inference.covariates.outcomes": "explain_outcomes",
    "proband.inference.estimates.clusters": "cluster_statistics",
    "proband.inference.estimates.cmc_bands": "estimate_cmc",
    "proband.inference.estimates.overlap": "set_overlap",
    "proband.inference.proportions": "difference_of_independent proportion_interval",
}
__all__ = [name for names in _HOMES.values() for name in names.split()]
__getattr__, __dir__ = lazily(__name__, _HOMES, published=True)
