"""Splits audited."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("audit")(
    Analysis(
        key="audit",
        place=160,
        after=("protocol",),
        request="proband.analyses.audit.request:AuditRequest",
        run="proband.analyses.audit.run:run",
        view="proband.analyses.audit.view:AuditsView",
        result="proband.analyses.audit.run:Audits",
        moved={"audits": "audits"},
        prepare="proband.analyses.audit.run:prepare",
    )
)
