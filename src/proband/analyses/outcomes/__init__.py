"""Systems compared by the outcomes of a table."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("outcomes")(
    Analysis(
        key="outcomes",
        place=140,
        request="proband.analyses.outcomes.request:OutcomesRequest",
        run="proband.analyses.outcomes.run:run",
        view="proband.analyses.outcomes.view:OutcomesView",
        result="proband.inference.outcomes.results:OutcomeComparison",
    )
)
