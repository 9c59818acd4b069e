"""Run a FERET evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from proband.analyses.feret.request import FeretRequest
from proband.designs import Galleries
from proband.designs.galleries import dated_column
from proband.inference.galleries.feret_study import FeretStudy, feret_study
from proband.inference.galleries.participants import fill_in, participants_of, read_participants
from proband.inference.galleries.rejection import Rejection
from proband.inference.galleries.versions import Improvement, Version, require_known
from proband.study.context import Context, digest_of

RANDOM = "random"
"""The order of galleries that chance makes."""


def prepare(request: FeretRequest, context: Context) -> dict[str, Any]:
    """Read the inputs in addition to the scores; raise an error for unknown names."""
    made = feret_arguments(request, context.origin.find, context.output.seed)
    runs = {
        algorithm.name: algorithm.run.facts(algorithm.name)
        for algorithm in context.inputs.algorithms
        if algorithm.run is not None
    }
    made["participants"] = fill_in(made["participants"], runs)
    for pair in (*made["versions"], *made["improvements"]):
        require_known(astuple(pair)[:2], context.names)
    participants_of(made["participants"], context.names, {}, {})
    for galleries in made["galleries"]:
        galleries.parts(context.experiment)
        if made["ages"] is not None:
            dated_column(context.samples, made["ages"], "compute ages from")
    return made


def run(request: FeretRequest, context: Context) -> FeretStudy:
    """Evaluate every category and gallery."""
    asked, experiment = prepare(request, context), context.experiment
    depends_on = {
        "request": request.model_dump(),
        "participants": [asdict(participant) for participant in asked["participants"]],
        "experiment": digest_of(experiment),
        "categories": [asdict(one) for one in context.categories],
        **context.ranking,
        **context.judging,
    }
    return context.step(
        "feret",
        depends_on,
        lambda: feret_study(
            context.scores, experiment, categories=context.categories, ranked=context.outcomes,
            confidence_level=context.output.confidence_level, threads=context.threads, progress=context.progress,
            **asked, **context.ranking,
        ),
        given={"experiment": experiment, "samples": experiment.samples},
    )  # fmt: skip


def feret_arguments(request: FeretRequest, find: Callable[[str], Path], seed: int) -> dict[str, Any]:
    """Arguments of `feret_study` that are known before scores are read; `find` locates files."""
    orders = dict.fromkeys(request.order or (RANDOM,))
    galleries = [
        Galleries(request.galleries, order=None if name == RANDOM else name, seed=seed)
        for name in orders
        if request.galleries is not None
    ]
    return {
        "galleries": galleries,
        "ages": request.ages or next((name for name in request.order if name != RANDOM), None),
        "sizes": request.sizes,
        "rejection": None if request.reject is None else Rejection(request.reject, request.fpir),
        "versions": [Version(one.fully, one.partially) for one in request.versions],
        "improvements": [
            Improvement(one.earlier, one.later, one.earlier_date, one.later_date)
            for one in request.improvements
        ],
        "participants": () if request.participants is None else read_participants(find(request.participants)),
        "verification": request.verification,
        "ranks": request.ranks,
        "power": request.power,
        "seed": seed,
    }
