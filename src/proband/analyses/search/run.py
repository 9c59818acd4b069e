"""Run open-set identification: searches for people who may not be enrolled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from proband.analyses.search.request import SearchRequest
from proband.inference.verification.open_set import SearchEstimates, searches_with_intervals
from proband.measures.open_set import Searches, require_both, search
from proband.results.serializing import Written
from proband.samples import Experiment
from proband.scores.sampling import sampled
from proband.study.context import Context, digest_of
from proband.study.findings import Parts
from proband.study.inputs import Algorithm
from proband.study.requests import ExperimentDesign


@dataclass(frozen=True, eq=False)
class Searched(Parts):
    """Open-set results of each algorithm, and results for smaller galleries if requested."""

    written = Written({"by_gallery_size": "gallery_sizes"})

    searches: tuple[SearchEstimates, ...]
    by_gallery_size: tuple[pl.DataFrame, ...] = ()

    @property
    def gallery_sizes(self) -> tuple[dict[str, Any], ...]:
        """Results for smaller galleries, as rows."""
        return tuple(row for frame in self.by_gallery_size for row in frame.to_dicts())


def prepare(request: SearchRequest, context: Context) -> Experiment:
    """Make the gallery and the probes, which must include people enrolled and not enrolled."""
    made = context.experiment_over(ExperimentDesign(gallery=request.gallery, probes=request.probes))
    require_both(context.names[0], int(made.mated.sum()), int((~made.mated).sum()))
    return made


def run(request: SearchRequest, context: Context) -> Searched:
    """Search with every algorithm."""
    experiment = prepare(request, context)
    made = [_searched(one, request, experiment, context) for one in context.inputs.algorithms]
    return Searched(tuple(found for found, _ in made), tuple(sizes for _, sizes in made if sizes is not None))


def _searched(
    algorithm: Algorithm, request: SearchRequest, experiment: Experiment, context: Context
) -> tuple[SearchEstimates, pl.DataFrame | None]:
    def make() -> tuple[SearchEstimates, pl.DataFrame | None]:
        made = search(
            algorithm.scores,
            experiment,
            fusion=request.fusion,
            threads=context.threads,
            progress=context.progress,
        )
        found = searches_with_intervals(
            made, request.fpir, request.ranks, context.output.confidence_level,
            seed=context.output.seed, threads=context.threads, sampling=sampled(algorithm.scores, experiment),
        )  # fmt: skip
        return found, _by_size(algorithm, request, experiment, made, context) if request.sizes else None

    depends_on = {"request": request.model_dump(), "experiment": digest_of(experiment), **context.judging}
    return context.step("search", depends_on, make, algorithms=[algorithm])


def _by_size(
    algorithm: Algorithm, request: SearchRequest, experiment: Experiment, made: Searches, context: Context
) -> pl.DataFrame:
    """Search again, counting who reaches the threshold of the first FPIR."""
    rank = request.ranks[0]
    threshold = made.at_fpir(request.fpir[0], rank).threshold
    again = search(
        algorithm.scores,
        experiment,
        fusion=request.fusion,
        counted_at=() if threshold is None else (threshold,),
        check_orientation=False,
        threads=context.threads,
    )
    return again.by_gallery_size(request.sizes, rank)
