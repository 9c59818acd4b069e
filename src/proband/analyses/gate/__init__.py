"""May a new algorithm replace a baseline?"""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("gate")(
    Analysis(
        key="gate",
        commands=("gate",),
        place=30,
        request="proband.analyses.gate.request:GateRequest",
        run="proband.analyses.gate.run:run",
        view="proband.analyses.gate.view:GateView",
        result="proband.inference.comparisons.gate:Gate",
        prepare="proband.analyses.gate.run:prepare",
    )
)
