"""Estimates from samples with weights: strata, units within them, known totals, replicates.

`survey` is the description, `layout` how rows were drawn, `statistics` what can be estimated, `estimating` and `intervals` how.
`stages` linearises variances over units within strata; `replication` makes or takes replicate weights (`hadamard`: the half-samples
of R's survey), `sampling` holds both; `adjusting` and `known_totals` make weights agree with a population; `quantiles` has the rules
of quantiles, `columns` reads a table, `results` is what comes out; `weighted` is any function of weights of units.
"""

from proband.inference.survey.results import SurveyEstimates
from proband.inference.survey.statistics import Function, Mean, Quantile, Ratio, Total, Variance
from proband.inference.survey.survey import Survey
from proband.inference.survey.weighted import estimate_weighted

__all__ = [
    "Function",
    "Mean",
    "Quantile",
    "Ratio",
    "Survey",
    "SurveyEstimates",
    "Total",
    "Variance",
    "estimate_weighted",
]
