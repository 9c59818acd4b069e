"""Run a classifier twice, with one thing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.analyses._learning import finished_splits, found_from, learned_from
from proband.analyses.what_if.request import WhatIfRequest
from proband.errors import InputError
from proband.protocols.audit.losses import read_exclusions
from proband.protocols.running.classifiers import named_classifiers
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.what_if import WhatIf, what_if
from proband.protocols.splits.plans import make_plans
from proband.study.context import Context


def prepare(request: WhatIfRequest, context: Context) -> tuple[dict[str, Any], FeatureTable]:
    """Find the classifier and read the data, once; raise an error for an unknown classifier or protocol, or a missing column."""
    assert request.classifier is not None  # as the request made sure
    classifiers = named_classifiers(
        [found_from(context.origin, request.classifier)], mask=request.eyes is not None
    )
    data = context.once(("features", request.model_dump_json()), lambda: learned_from(request, context))
    about: dict[str, Any] = {"task": request.settled_task, "label": request.label}
    make_plans(
        [request.protocol], data.labelled(**about).samples, seed=context.output.seed,
        stratify=True, missing="error", **about,
    )  # fmt: skip
    return classifiers, data


def run(request: WhatIfRequest, context: Context) -> WhatIf:
    """Run the classifier on both sides of the question."""
    classifiers, data = prepare(request, context)
    table = context.request.samples
    dropped = (
        {}
        if request.exclusions is None
        else _reasons(context.origin.find(request.exclusions), "id" if table is None else table.id_column)
    )
    return what_if(
        classifiers,
        data,
        request.question,
        request.protocol,
        task=request.settled_task,
        label=request.label,
        exclusions=dropped,
        seed=context.output.seed,
        confidence_level=context.output.confidence_level,
        threads=context.threads,
        progress=context.progress,
        cache=finished_splits(context),
    )


def _reasons(path: Path, id_column: str) -> dict[str, str | None]:
    """Read why each sample was dropped; None if no reason is given."""
    frame = read_exclusions(path, id_column)
    if "id" not in frame.columns or frame["id"].null_count():
        raise InputError(f"{path.name} has rows without a sample ID.", "give a column 'id'.")
    names = frame["id"].to_list()
    reasons = frame["reason"].to_list() if "reason" in frame.columns else [None] * len(names)
    return dict(zip(names, reasons, strict=True))
