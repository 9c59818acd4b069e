"""Classifiers under protocols and audits of splits, as a request asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proband.algorithms import Pictures
from proband.engine import Progress
from proband.errors import InputError
from proband.inference.cross_validation.comparison import check_margin
from proband.protocols.audit.audit import audit
from proband.protocols.audit.findings import Audit
from proband.protocols.running.cache import Journals
from proband.protocols.running.classifiers import named_classifiers
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.files import read_splits
from proband.samples import Samples
from proband.samples.reading import read_frame
from proband.scores.reading import KEY_MARK, read_features
from proband.study.definition import Origin
from proband.study.requests import AuditRequest, Output, ProtocolRequest, SamplesTable
from proband.study.sources import read_table

_ONNX = "onnx:"


def protocols_run(
    request: ProtocolRequest,
    samples: Samples | None,
    origin: Origin,
    output: Output,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    cache: Path | Journals | None = None,
) -> ProtocolRun:
    """Train and test the classifiers of a request under its protocols.

    Finished splits are kept in `cache`, and found there again.
    """
    check_margin(request.margin)
    classifiers = named_classifiers(
        [_found(origin, one) for one in request.classifiers], mask=request.eyes is not None
    )
    file = str(origin.find(request.file or ""))
    data = FeatureTable.read(
        file if request.key is None else f"{file}{KEY_MARK}{request.key}",
        _needed(samples),
        name=request.name,
        size=request.shape,
        eyes=request.eyes,
        file_column=request.file_column,
        threads=threads,
        progress=progress,
    )
    where = origin.condition(request.where)
    return run_protocol(
        classifiers,
        data if where is None else data.where(where),
        list(request.protocols),
        task=request.settled_task,
        label=request.label,
        seed=output.seed,
        stratify=request.stratify,
        missing=request.missing,
        confidence_level=output.confidence_level,
        margin=request.margin,
        justification=request.justification,
        subjects=request.subjects,
        images_each=request.images_each,
        draws=request.draws,
        threads=threads,
        progress=progress,
        cache=cache,
    )


def audited(
    request: AuditRequest,
    samples: Samples | None,
    table: SamplesTable | None,
    origin: Origin,
    run: ProtocolRun | None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Audit, ...]:
    """Audit the splits that a request names, or else those of every protocol that was run; without any, the samples themselves."""
    held: dict[str, Any] = {"threads": threads, "progress": progress}
    if request.splits is None and run is not None:
        setting = run.setting
        return tuple(
            replace(
                audit(
                    list(found.plan.splits()),
                    setting.data.samples,
                    task=setting.task,
                    label=setting.label,
                    protocol=found.protocol,
                    features=setting.data,
                    **held,
                ),
                source=f"splits of {found.protocol}",
            )
            for found in run.findings
        )
    known = _needed(samples)
    assert table is not None  # where the samples are from
    found = audit(
        None if request.splits is None else read_splits(origin.find(request.splits)),
        known,
        task=request.task or ("identity" if request.label is None else "attribute"),
        label=request.label,
        protocol=request.protocol,
        **_sources(request, known, table, origin),
        **held,
    )
    return (found,)


def _sources(
    request: AuditRequest, samples: Samples, table: SamplesTable, origin: Origin
) -> Mapping[str, Any]:
    """Where copies are sought, and what is known of losses."""
    found: dict[str, Any] = {}
    if request.images is not None:
        found["images"] = Pictures.of(origin.find(request.images), samples, request.file_column)
    if request.embeddings is not None:
        found["embeddings"] = read_features(str(origin.find(request.embeddings)), samples)
    if request.collected is not None:
        found["collected"] = read_table(
            origin.find(request.collected),
            table.id,
            table.subject,
            table.failed,
            table.missing_values,
            labels_in([request]),
        )
    if request.exclusions is not None:
        frame = read_frame(origin.find(request.exclusions), text_columns=("id", table.id, "reason"))
        named = table.id in frame.columns and "id" not in frame.columns
        found["exclusions"] = frame.rename({table.id: "id"}) if named else frame
    return found


def labels_in(requests: Sequence[ProtocolRequest | AuditRequest | None]) -> tuple[str, ...]:
    """The columns whose values are classes."""
    return tuple(one.label for one in requests if one is not None and one.label is not None)


def _needed(samples: Samples | None) -> Samples:
    if samples is None:
        raise InputError(
            "Whose the samples are is not known.",
            "add [samples] with file = …: a table, or a directory of pictures whose names say who is on them.",
        )
    return samples


def _found(origin: Origin, classifier: str) -> str:
    """A classifier, its ONNX model looked up from the study file."""
    name, mark, spec = (
        classifier.rpartition("=") if classifier.partition("=")[2].startswith(_ONNX) else ("", "", classifier)
    )
    return (
        f"{name}{mark}{_ONNX}{origin.find(spec.removeprefix(_ONNX))}"
        if spec.startswith(_ONNX)
        else classifier
    )
