"""Systems compared by the outcomes of a table."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

ANALYSES.register("outcomes")(
    Analysis(
        key="outcomes",
        command=AnalysisCommand(
            "compare",
            help="",
            job="Evaluate scores",
            title="Outcomes",
            reads="files",
            switch=(
                "outcomes",
                "The file is a table of system outcomes (from 0 to 1), not of scores.",
            ),
            experiment=(),
            frames=("outcomes",),
            figures=("outcomes",),
        ),
        place=140,
        request="proband.analyses.outcomes.request:OutcomesRequest",
        run="proband.analyses.outcomes.run:run",
        view="proband.analyses.outcomes.view:OutcomesView",
        result="proband.inference.outcomes.results:OutcomeComparison",
    )
)
