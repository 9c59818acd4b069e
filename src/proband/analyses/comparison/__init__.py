"""Algorithms compared."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("comparison")(
    Analysis(
        key="comparison",
        commands=("compare",),
        place=20,
        request="proband.analyses.comparison.request:ComparisonRequest",
        run="proband.analyses.comparison.run:run",
        view="proband.analyses.comparison.view:ComparedView",
        result="proband.analyses.comparison.run:ComparedAlgorithms",
        prepare="proband.analyses.comparison.run:prepare",
        propose="proband.analyses.comparison.proposal:propose",
        many=True,
        default=True,
    )
)
