"""A FERET evaluation."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("feret")(
    Analysis(
        key="feret",
        commands=("feret",),
        place=100,
        request="proband.analyses.feret.request:FeretRequest",
        run="proband.analyses.feret.run:run",
        view="proband.analyses.feret.view:FeretView",
        result="proband.inference.galleries.feret_results:FeretStudy",
        propose="proband.analyses.feret.proposal:propose",
        prepare="proband.analyses.feret.run:prepare",
    )
)
