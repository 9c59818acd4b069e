"""Splits audited: those that are named, those of every protocol, or the samples themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from proband.algorithms import Pictures
from proband.analyses.audit.request import AuditRequest
from proband.protocols.audit.audit import audit
from proband.protocols.audit.findings import Audit
from proband.protocols.audit.rows import rows_of
from proband.protocols.running.results import ProtocolRun
from proband.protocols.splits.files import read_splits
from proband.samples.reading import read_frame
from proband.scores.reading import read_features
from proband.study.context import Context
from proband.study.findings import Parts
from proband.study.sources import read_table


@dataclass(frozen=True, eq=False)
class Audits(Parts):
    """Audits of splits."""

    audits: tuple[Audit, ...]


def prepare(request: AuditRequest, context: Context) -> None:
    """Read the splits that are named, and what else is; splits that are yet to be made cannot be looked at."""
    if request.splits is None and context.siblings("protocol"):
        return
    splits = None if request.splits is None else read_splits(context.origin.find(request.splits))
    task = request.task or ("identity" if request.label is None else "attribute")
    rows_of(splits, context.samples, task, request.label, request.protocol)
    _sources(request, context)


def run(request: AuditRequest, context: Context) -> Audits:
    """Audit the splits that a request names, or else those of every protocol that was run; without any, the samples themselves."""
    whole, protocols = context.request, context.part("protocol")
    found: tuple[Audit, ...] = context.step(
        "audit",
        {
            "audit": request.model_dump(),
            "samples": whole.samples and whole.samples.model_dump(),
            "protocol": [one.model_dump() for one in context.siblings("protocol")],
            "seed": context.output.seed,
            "files": [(one.name, one.sha256) for one in context.inputs.files],
        },
        lambda: _audited(request, protocols, context),
        algorithms=[],
    )
    return Audits(found)


def _audited(request: AuditRequest, protocols: ProtocolRun | None, context: Context) -> tuple[Audit, ...]:
    held: dict[str, Any] = {"threads": context.threads, "progress": context.progress}
    if request.splits is None and protocols is not None:
        setting = protocols.setting
        return tuple(
            replace(
                audit(
                    list(one.plan.splits()),
                    setting.data.samples,
                    task=setting.task,
                    label=setting.label,
                    protocol=one.protocol,
                    features=setting.data,
                    **held,
                ),
                source=f"splits of {one.protocol}",
            )
            for one in protocols.findings
        )
    found = audit(
        None if request.splits is None else read_splits(context.origin.find(request.splits)),
        context.samples,
        task=request.task or ("identity" if request.label is None else "attribute"),
        label=request.label,
        protocol=request.protocol,
        **_sources(request, context),
        **held,
    )
    return (found,)


def _sources(request: AuditRequest, context: Context) -> Mapping[str, Any]:
    """Where copies are sought, and what is known of losses."""
    table, find = context.request.samples, context.origin.find
    assert table is not None  # where the samples are from
    found: dict[str, Any] = {}
    if request.images is not None:
        found["images"] = Pictures.of(find(request.images), context.samples, request.file_column)
    if request.embeddings is not None:
        found["embeddings"] = read_features(str(find(request.embeddings)), context.samples)
    if request.collected is not None:
        found["collected"] = read_table(
            find(request.collected),
            table.id,
            table.subject,
            table.failed,
            table.missing_values,
            request.reads.labels,
        )
    if request.exclusions is not None:
        frame = read_frame(find(request.exclusions), text_columns=("id", table.id, "reason"))
        named = table.id in frame.columns and "id" not in frame.columns
        found["exclusions"] = frame.rename({table.id: "id"}) if named else frame
    return found
