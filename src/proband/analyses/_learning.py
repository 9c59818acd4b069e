"""Shared by analyses of classifiers: training data, finished splits, and classifiers by name."""

from __future__ import annotations

from proband.analyses._epd_options import LearningRequest
from proband.protocols.running.cache import Journals
from proband.protocols.running.data import FeatureTable
from proband.scores.reading import KEY_MARK
from proband.study.context import Context
from proband.study.definition import Origin
from proband.study.requests.data import ONNX

SPLITS = "splits"
"""The directory of finished splits in a cache."""


def learned_from(request: LearningRequest, context: Context, name: str | None = None) -> FeatureTable:
    """Load the training data of the selected samples, from memory if it is there under the file's name, else from the file."""
    data = _read(request, context, name)
    where = context.origin.condition(request.where)
    return data if where is None else data.where(where)


def _read(request: LearningRequest, context: Context, name: str | None) -> FeatureTable:
    file = request.file or ""
    if file in context.inputs.features:
        return context.inputs.features[file]
    path = str(context.origin.find(file))
    return FeatureTable.read(
        path if request.key is None else f"{path}{KEY_MARK}{request.key}",
        context.samples,
        name=name,
        size=request.shape,
        eyes=request.eyes,
        file_column=request.file_column,
        threads=context.threads,
        progress=context.progress,
    )


def finished_splits(context: Context) -> Journals | None:
    """Cache finished splits; when a run ends, splits it did not use are removed."""
    place = context.cache.directory
    return None if place is None else context.once("finished splits", lambda: _journals(context))


def _journals(context: Context) -> Journals:
    assert context.cache.directory is not None  # asked before
    kept = Journals(context.cache.directory / SPLITS)
    context.cache.at_finish.append(kept.forget_others)
    return kept


def found_from(origin: Origin, classifier: str) -> str:
    """Find a classifier, with its ONNX model located relative to the study file."""
    name, mark, spec = (
        classifier.rpartition("=") if classifier.partition("=")[2].startswith(ONNX) else ("", "", classifier)
    )
    return (
        f"{name}{mark}{ONNX}{origin.find(spec.removeprefix(ONNX))}" if spec.startswith(ONNX) else classifier
    )
