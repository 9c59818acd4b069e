"""Release gates: whether a new algorithm may replace a baseline."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Decide whether a new algorithm may replace the baseline.

Pass (exit 0), fail (3) or undecided (4). Pass: the new algorithm is shown not to be worse by the margin or more, for new people. Fail: it is shown to be worse by more than the margin.

[bold]Examples[/bold]

  proband gate new.npz --baseline old.npz -s samples.csv --orientation similarity --margin 0.005 --save baseline.json

A later release against the same baseline:

  proband gate newer.npz --baseline baseline.json -s samples.csv --orientation similarity --measure fnmr@0.001
"""

ANALYSES.register("gate")(
    Analysis(
        key="gate",
        command=AnalysisCommand(
            "gate",
            help=_HELP,
            job="Evaluate scores",
            title="Gate",
            prepare="proband.analyses.gate.baseline:with_baseline",
            more="proband.analyses.gate.files:GateFiles",
            code="proband.analyses.gate.files:exit_code",
            frames=("gate",),
            figures=("gate",),
            card=True,
        ),
        place=75,
        request="proband.analyses.gate.request:GateRequest",
        run="proband.analyses.gate.run:run",
        view="proband.analyses.gate.view:GateView",
        result="proband.inference.comparisons.gate:Gate",
        prepare="proband.analyses.gate.run:prepare",
    )
)
