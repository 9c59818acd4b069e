"""Thresholds to deploy."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("threshold")(
    Analysis(
        key="threshold",
        commands=("threshold",),
        place=60,
        request="proband.analyses.threshold.request:ThresholdRequest",
        run="proband.analyses.threshold.run:run",
        view="proband.analyses.threshold.view:ThresholdsView",
        result="proband.analyses.threshold.run:Thresholds",
    )
)
