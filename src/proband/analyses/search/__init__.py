"""Open-set identification."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("search")(
    Analysis(
        key="search",
        commands=("search",),
        place=70,
        request="proband.analyses.search.request:SearchRequest",
        run="proband.analyses.search.run:run",
        view="proband.analyses.search.view:SearchedView",
        result="proband.analyses.search.run:Searched",
        propose="proband.analyses.search.proposal:propose",
        prepare="proband.analyses.search.run:prepare",
    )
)
