"""What-if comparisons of a classifier."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Compare a classifier with itself: subjects mixed or disjoint, or exclusions kept or dropped.

[bold]Examples[/bold]

  proband protocol what-if mixed -i images.npz -s samples.csv -c lbp:nbnn --label expression -p "10f CV"

  proband protocol what-if dropped -i images.npz -s collected.csv --exclusions dropped.csv -c lbp:nbnn --label sex
"""

ANALYSES.register("what_if")(
    Analysis(
        key="what_if",
        command=AnalysisCommand(
            "protocol what-if",
            help=_HELP,
            job="Classifiers and their protocols",
            title="What if",
            reads="proband.cli.protocols.inputs:WhatIfInputs",
            experiment=(),
            frames=("what_if",),
        ),
        place=155,
        request="proband.analyses.what_if.request:WhatIfRequest",
        run="proband.analyses.what_if.run:run",
        prepare="proband.analyses.what_if.run:prepare",
        view="proband.analyses.what_if.view:WhatIfView",
        result="proband.protocols.running.what_if:WhatIf",
    )
)
