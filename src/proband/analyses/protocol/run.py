"""Classifiers trained and tested under protocols."""

from __future__ import annotations

from proband.analyses.epd_options import LearningRequest
from proband.analyses.protocol.request import ProtocolRequest
from proband.protocols.running.cache import Journals
from proband.protocols.running.classifiers import named_classifiers
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.scores.reading import KEY_MARK
from proband.study.context import Context
from proband.study.definition import Origin

SPLITS = "splits"
"""The directory of finished splits in a cache."""
_ONNX = "onnx:"


def run(request: ProtocolRequest, context: Context) -> ProtocolRun:
    """Train and test the classifiers of a request under its protocols."""
    named = [found_from(context.origin, classifier) for classifier in request.classifiers]
    classifiers = named_classifiers(named, mask=request.eyes is not None)
    data = learned_from(request, context, request.name, request.shape, request.eyes)
    where = context.origin.condition(request.where)
    return run_protocol(
        classifiers,
        data if where is None else data.where(where),
        list(request.protocols),
        task=request.settled_task,
        label=request.label,
        seed=context.output.seed,
        stratify=request.stratify,
        missing=request.missing,
        confidence_level=context.output.confidence_level,
        margin=request.margin,
        justification=request.justification,
        subjects=request.subjects,
        images_each=request.images_each,
        draws=request.draws,
        threads=context.threads,
        progress=context.progress,
        cache=finished_splits(context),
    )


def learned_from(
    request: LearningRequest,
    context: Context,
    name: str | None = None,
    size: tuple[int, int] | None = None,
    eyes: str | None = None,
) -> FeatureTable:
    """What classifiers learn from: what is in memory under the name of the file, or the file."""
    file = request.file or ""
    if file in context.inputs.features:
        return context.inputs.features[file]
    path = str(context.origin.find(file))
    return FeatureTable.read(
        path if request.key is None else f"{path}{KEY_MARK}{request.key}",
        context.samples,
        name=name,
        size=size,
        eyes=eyes,
        file_column=request.file_column,
        threads=context.threads,
        progress=context.progress,
    )


def finished_splits(context: Context) -> Journals | None:
    """Where finished splits are kept and found again; when a run is over, those it had no use for are forgotten."""
    place = context.cache.directory
    return None if place is None else context.once("finished splits", lambda: _journals(context))


def _journals(context: Context) -> Journals:
    assert context.cache.directory is not None  # asked before
    kept = Journals(context.cache.directory / SPLITS)
    context.cache.at_finish.append(kept.forget_others)
    return kept


def found_from(origin: Origin, classifier: str) -> str:
    """A classifier, its ONNX model looked up from the study file."""
    name, mark, spec = (
        classifier.rpartition("=") if classifier.partition("=")[2].startswith(_ONNX) else ("", "", classifier)
    )
    return (
        f"{name}{mark}{_ONNX}{origin.find(spec.removeprefix(_ONNX))}"
        if spec.startswith(_ONNX)
        else classifier
    )
