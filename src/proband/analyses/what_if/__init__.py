"""The same classifier with one thing changed."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("what_if")(
    Analysis(
        key="what_if",
        commands=("what-if",),
        place=155,
        request="proband.analyses.what_if.request:WhatIfRequest",
        run="proband.analyses.what_if.run:run",
        view="proband.analyses.what_if.view:WhatIfView",
        result="proband.protocols.running.what_if:WhatIf",
    )
)
