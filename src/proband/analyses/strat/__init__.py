"""Stratified evaluation."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("strat")(
    Analysis(
        key="strat",
        commands=("strat",),
        place=90,
        request="proband.analyses.strat.request:StratRequest",
        run="proband.analyses.strat.run:run",
        view="proband.analyses.strat.view:StratView",
        result="proband.inference.strata.study:StratStudy",
        propose="proband.analyses.strat.proposal:propose",
        prepare="proband.analyses.strat.run:prepare",
    )
)
