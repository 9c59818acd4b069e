"""Other choices of images of the same people."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("choices")(
    Analysis(
        key="choices",
        commands=("permute",),
        place=80,
        request="proband.analyses.choices.request:ChoicesRequest",
        run="proband.analyses.choices.run:run",
        view="proband.analyses.choices.view:ChoicesView",
        result="proband.analyses.choices.run:Choices",
        propose="proband.analyses.choices.proposal:propose",
        prepare="proband.analyses.choices.run:prepare",
    )
)
