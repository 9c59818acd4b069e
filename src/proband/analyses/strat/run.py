"""Run a stratified evaluation."""

from __future__ import annotations

from dataclasses import replace

from proband.analyses.strat.request import StratRequest
from proband.inference.galleries.effect import ImageColumns
from proband.inference.strata.study import StratStudy, strat_study
from proband.samples import Experiment
from proband.study.context import Context, digest_of
from proband.study.designs import stratified_design
from proband.study.requests import ExperimentDesign


def prepare(request: StratRequest, context: Context) -> Experiment | None:
    """Make the fixed gallery and its probes, if requested; otherwise check that people have enough images."""
    design = stratified_design(request)
    if request.gallery is None:
        if request.n_images is not None or request.order_by is not None:
            ImageColumns.of(
                context.samples, context.scores, request.n_images, order_by=request.order_by, design=design
            )
        return None
    return context.experiment_over(ExperimentDesign(gallery=request.gallery, probes=request.probes))


def run(request: StratRequest, context: Context) -> StratStudy:
    """Replicate within strata."""
    experiment, output = prepare(request, context), context.output
    policies = {
        name: value for name, value in context.ranking.items() if name != "counting"
    }  # one image each
    made: StratStudy = context.step(
        "strat",
        {"request": request.model_dump(), "experiment": experiment and digest_of(experiment), **policies, **context.judging},
        lambda: strat_study(
            context.scores, experiment, samples=None if experiment else context.samples, n_images=request.n_images, sensors=request.sensors, rank=request.rank,
            design=stratified_design(request), order_by=request.order_by,
            confidence_level=output.confidence_level, seed=output.seed, progress=context.progress, **policies,
        ),
        given={"samples": context.samples},
    )  # fmt: skip
    return replace(made, relative_ranks=request.relative_ranks)
