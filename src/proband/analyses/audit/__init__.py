"""Audits of splits."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Audit splits or a data set for leaks, copies and losses.

Exit code 3 if the audit fails. Every finding names the first few samples or subjects concerned and a remedy. A leak (a sample, a subject or a copy in both training and
testing) and a fault must be fixed; warnings and notes leave the exit code at 0. A data set without splits is searched for copies
under two names, labels or subjects: the same pixels, or compressed, resized, mirrored, cut or brightened.

[bold]Examples[/bold]

  proband audit splits.csv -s samples.csv --label expression --images images.npz

  proband audit folds -s samples.csv --protocol "10f CV" --collected all.csv --exclusions dropped.csv

  proband audit yale --names "subject{subject}.{condition}" --csv copies=pairs.csv
"""

ANALYSES.register("audit")(
    Analysis(
        key="audit",
        command=AnalysisCommand(
            "audit",
            help=_HELP,
            job="Classifiers and their protocols",
            title="Audit",
            reads="proband.cli.protocols.inputs:AuditInputs",
            experiment=(),
            output=("formats",),
            frames=("audit", "audit_copies"),
            prepare="proband.cli.protocols.inputs:find_out",
            code="proband.analyses.audit.run:exit_code",
        ),
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
