"""McNemar's exact test."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("mcnemar")(
    Analysis(
        key="mcnemar",
        commands=("mcnemar",),
        place=40,
        request="proband.analyses.mcnemar.request:McNemarRequest",
        run="proband.analyses.mcnemar.run:run",
        view="proband.analyses.mcnemar.view:McNemarView",
        result="proband.inference.comparisons.mcnemar_table:McNemarTable",
        prepare="proband.analyses.mcnemar.run:prepare",
    )
)
