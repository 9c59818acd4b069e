"""Recognition rates, cumulative match curves and other measures."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("identification")(
    Analysis(
        key="identification",
        commands=("evaluate",),
        place=10,
        request="proband.analyses.identification.request:IdentificationRequest",
        run="proband.analyses.identification.run:run",
        view="proband.analyses.identification.view:IdentificationView",
        result="proband.analyses.identification.run:Identified",
        prepare="proband.analyses.identification.run:prepare",
        propose="proband.analyses.identification.proposal:propose",
        default=True,
    )
)
