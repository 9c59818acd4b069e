"""Classifiers under protocols."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("protocol")(
    Analysis(
        key="protocol",
        place=150,
        request="proband.analyses.protocol.request:ProtocolRequest",
        run="proband.analyses.protocol.run:run",
        view="proband.analyses.protocol.view:ProtocolView",
        result="proband.protocols.running.results:ProtocolRun",
        prepare="proband.analyses.protocol.run:prepare",
    )
)
