"""Classifiers trained and tested under protocols."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.analyses.protocol.request import ProtocolRequest
from proband.inference.cross_validation.comparison import check_margin
from proband.protocols.running.cache import Journals
from proband.protocols.running.classifiers import named_classifiers
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.plans import make_plans
from proband.scores.reading import KEY_MARK
from proband.study.context import Context
from proband.study.definition import Origin

_ONNX = "onnx:"


def prepare(request: ProtocolRequest, context: Context) -> tuple[dict[str, Any], FeatureTable]:
    """Find the classifiers and read the data, once; refused where the protocols cannot be carried out on them."""
    classifiers = named_classifiers(
        [_found(context.origin, one) for one in request.classifiers], mask=request.eyes is not None
    )
    check_margin(request.margin)
    data = context.once(("features", request.model_dump_json()), lambda: _read(request, context))
    about: dict[str, Any] = {"task": request.settled_task, "label": request.label}
    make_plans(
        list(request.protocols), data.labelled(**about).samples, seed=context.output.seed,
        stratify=request.stratify, missing=request.missing, **about,
    )  # fmt: skip
    return classifiers, data


def _read(request: ProtocolRequest, context: Context) -> FeatureTable:
    """The features or pictures, of the samples that are chosen."""
    file = str(context.origin.find(request.file or ""))
    data = FeatureTable.read(
        file if request.key is None else f"{file}{KEY_MARK}{request.key}",
        context.samples,
        name=request.name,
        size=request.shape,
        eyes=request.eyes,
        file_column=request.file_column,
        threads=context.threads,
        progress=context.progress,
    )
    where = context.origin.condition(request.where)
    return data if where is None else data.where(where)


def run(request: ProtocolRequest, context: Context) -> ProtocolRun:
    """Train and test the classifiers of a request under its protocols.

    Every finished split is kept in the cache, and found there again; those of another request are forgotten.
    """
    place = context.cache.directory
    kept = None if place is None else Journals(place / "splits")
    found = under_protocols(request, context, kept)
    if kept is not None:
        kept.forget_others()
    return found


def under_protocols(request: ProtocolRequest, context: Context, cache: Path | Journals | None) -> ProtocolRun:
    """Train and test the classifiers; finished splits are kept in `cache`, and found there again."""
    (classifiers, data), output = prepare(request, context), context.output
    return run_protocol(
        classifiers,
        data,
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
        threads=context.threads,
        progress=context.progress,
        cache=cache,
    )


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
