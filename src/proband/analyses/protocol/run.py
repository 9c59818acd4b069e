"""Train and test classifiers under protocols."""

from __future__ import annotations

from typing import Any

from proband.analyses._learning import finished_splits, found_from, learned_from
from proband.analyses.protocol.request import ProtocolRequest
from proband.inference.cross_validation.comparison import check_margin
from proband.protocols.running.classifiers import named_classifiers, require_enrolment
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.results import ProtocolRun
from proband.protocols.running.running import run_protocol
from proband.protocols.splits.plans import make_plans
from proband.study.context import Context


def prepare(request: ProtocolRequest, context: Context) -> tuple[dict[str, Any], FeatureTable]:
    """Find the classifiers and read the data, once; raise an error if the protocols cannot be applied."""
    named = [found_from(context.origin, classifier) for classifier in request.classifiers]
    classifiers = named_classifiers(named, mask=request.eyes is not None)
    check_margin(request.margin)
    data = context.once(
        ("features", request.model_dump_json()), lambda: learned_from(request, context, request.name)
    )
    about: dict[str, Any] = {"task": request.settled_task, "label": request.label}
    _, plans = make_plans(
        list(request.protocols), data.labelled(**about).samples, seed=context.output.seed, stratify=request.stratify,
        missing=request.missing, enrolled_each=request.enrolled_each, **about,
    )  # fmt: skip
    require_enrolment(classifiers, plans)
    return classifiers, data


def run(request: ProtocolRequest, context: Context) -> ProtocolRun:
    """Train and test the classifiers of a request under its protocols."""
    classifiers, data = prepare(request, context)
    return run_protocol(
        classifiers,
        data,
        list(request.protocols),
        task=request.settled_task,
        label=request.label,
        seed=context.output.seed,
        stratify=request.stratify,
        missing=request.missing,
        enrolled_each=request.enrolled_each,
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
