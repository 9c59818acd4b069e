"""Audit the splits named in the request, the splits of every protocol, or the samples themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from proband.algorithms import Pictures
from proband.analyses.audit.request import AuditRequest
from proband.protocols.audit.audit import audit
from proband.protocols.audit.findings import Audit
from proband.protocols.audit.losses import read_exclusions
from proband.protocols.audit.rows import rows_of
from proband.protocols.running.results import ProtocolRun
from proband.protocols.splits.files import read_splits
from proband.samples import Samples
from proband.samples.directories import data_set_of, picture_files
from proband.scores.reading import read_features
from proband.study.context import Context
from proband.study.findings import Parts
from proband.study.requests import Request, SamplesTable
from proband.study.sources import read_table

FINDING = 3
"""The exit code of a finding."""


@dataclass(frozen=True, eq=False)
class Audits(Parts):
    """Audits of splits."""

    audits: tuple[Audit, ...]


def prepare(request: AuditRequest, context: Context) -> None:
    """Read the splits and other files named in the request; splits that do not exist yet cannot be checked."""
    if request.splits is None and context.siblings("protocol"):
        return
    samples, _ = _samples(request, context)
    splits = None if request.splits is None else read_splits(context.origin.find(request.splits))
    rows_of(splits, samples, request.settled_task, request.label, request.protocol)
    _sources(request, samples, context)


def run(request: AuditRequest, context: Context) -> Audits:
    """Audit the splits named in the request, or the splits of every protocol run, or the samples themselves."""
    whole, protocols = context.request, context.part("protocol")
    if request.splits is None and protocols is not None:
        make = partial(_of_protocols, protocols, context)
    else:
        samples, subjects_known = _samples(request, context)
        context.note(*samples.notes)
        make = partial(_of_samples, request, samples, subjects_known, context)
    found: tuple[Audit, ...] = context.step(
        "audit",
        {
            "audit": request.model_dump(),
            "samples": whole.samples and whole.samples.model_dump(),
            "protocol": [one.model_dump() for one in context.siblings("protocol")],
            "seed": context.output.seed,
            "files": [(one.name, one.sha256) for one in context.inputs.files],
        },
        make,
        algorithms=[],
    )
    return Audits(found)


def _of_protocols(protocols: ProtocolRun, context: Context) -> tuple[Audit, ...]:
    """An audit of the splits of every protocol."""
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
                threads=context.threads,
                progress=context.progress,
            ),
            source=f"splits of {one.protocol}",
        )
        for one in protocols.findings
    )


def _of_samples(
    request: AuditRequest, samples: Samples, subjects_known: bool, context: Context
) -> tuple[Audit, ...]:
    """Audit the splits named in the request, or the samples themselves."""
    found = audit(
        None if request.splits is None else read_splits(context.origin.find(request.splits)),
        samples,
        task=request.settled_task,
        label=request.label,
        protocol=request.protocol,
        source=_name(request, context),
        subjects_known=subjects_known,
        threads=context.threads,
        progress=context.progress,
        **_sources(request, samples, context),
    )
    return (found,)


def _samples(request: AuditRequest, context: Context) -> tuple[Samples, bool]:
    """The samples, and whether their subjects are known; for a bare directory, subjects are read from file names if possible."""
    directory = None if request.images is None else context.origin.find(request.images)
    if context.inputs.samples is not None or directory is None or not directory.is_dir():
        return context.samples, True
    files, _ = picture_files(directory)
    if not files or data_set_of(files) is not None:
        return Samples.read(directory, label_columns=request.labels), True
    return Samples({"id": files, "file": files, "subject": ["unknown"] * len(files)}), False


def _name(request: AuditRequest, context: Context) -> str:
    """Name a data set without splits after its images or its table."""
    table = context.request.samples
    named = request.images or (None if table is None else table.file)
    return "the data set" if named is None else Path(named).name


def _sources(request: AuditRequest, samples: Samples, context: Context) -> Mapping[str, Any]:
    """Sources to search for copies, and known losses."""
    find = context.origin.find
    table = context.request.samples or SamplesTable(file="samples")
    found: dict[str, Any] = {}
    if request.images is not None:
        found["images"] = Pictures.of(find(request.images), samples, request.file_column)
    if request.embeddings is not None:
        found["embeddings"] = read_features(str(find(request.embeddings)), samples)
    if request.collected is not None:
        found["collected"] = read_table(
            find(request.collected),
            table.id_column,
            table.subject_column,
            table.failed,
            table.missing_values,
            request.labels,
        )
    if request.exclusions is not None:
        found["exclusions"] = read_exclusions(find(request.exclusions), table.id_column)
    return found


def exit_code(found: Audits, request: Request) -> int:
    """3 if any audit fails."""
    return 0 if all(one.is_sound for one in found.audits) else FINDING
