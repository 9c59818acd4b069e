"""Run the analysis of image choices: by trials, exactly, or over training sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.analyses.choices.request import ChoicesRequest
from proband.designs import ImageChoice, TrainingSets
from proband.inference import Estimate, VirtualExperiments, estimate, permute
from proband.inference.comparisons.chosen_pairs import chosen_pairs
from proband.inference.image_choice.estimates import exact_over_choices
from proband.inference.image_choice.exact import ExactChoice
from proband.inference.image_choice.listing import trial_choices
from proband.measures import RecognitionRate, measure_named
from proband.results.serializing import Written
from proband.samples import Pool
from proband.scores import pool_over
from proband.study.context import Context
from proband.study.designs import chosen_of
from proband.study.findings import Parts
from proband.study.requests import Request


@dataclass(frozen=True, eq=False)
class Choices(Parts):
    """Results for the choice of images.

    Attributes
    ----------
    choices, exact_choices, trainings
        By trials, as exact means by algorithm, and over training sets (`trained`).
    pool
        The images available for choice.
    trial_choices
        The images chosen in the listed trials.
    confidence_level, rank
        Level of the intervals over trials, and rank of the tables.
    """

    written = Written(
        {"trials": "choices_at_level", "exact": "exact_choices"},
        also=("training_values",),
        without=("choices", "pool", "trained", "trial_choices", "confidence_level", "rank"),
    )

    choices: VirtualExperiments | None = None
    exact_choices: Mapping[str, ExactChoice] = field(default_factory=dict)
    trainings: Estimate | None = None
    pool: Pool | None = None
    trained: tuple[str, ...] = ()
    trial_choices: pl.DataFrame | None = None
    confidence_level: float = 0.95
    rank: int = 1

    @property
    def choices_at_level(self) -> VirtualExperiments | None:
        """The choices of images, with intervals at the study's level."""
        return None if self.choices is None else self.choices.at_level(self.confidence_level)

    @property
    def training_values(self) -> npt.NDArray[np.float64] | None:
        """The value of each training set."""
        return None if self.trainings is None else self.trainings.replicates


def prepare(request: ChoicesRequest, context: Context) -> Pool:
    """Make the pool of images; raise an error for unknown pairs of algorithms."""
    chosen_pairs(context.names, **chosen_of(request, context.names))
    return context.once(
        ("pool", request.model_dump_json()),
        lambda: pool_over(
            context.scores,
            context.samples,
            groups=request.groups or None,
            image_pairs=request.image_pairs,
            where=context.origin.condition(request.where),
            gallery=context.origin.condition(request.gallery),
            probes=context.origin.condition(request.probes),
            distractors=request.distractors,
        ),
    )


def run(request: ChoicesRequest, context: Context) -> Choices:
    """Run the trials, compute exact means, or compare training sets."""
    pool, ties, output = prepare(request, context), context.request.experiment.ties, context.output
    if request.exact:
        exact = {
            one.name: exact_over_choices(one, pool, ties=ties, max_rank=request.max_rank)
            for one in context.scores
        }
        return Choices(exact_choices=exact, pool=pool, rank=request.rank)
    if request.trainings:
        made = estimate(
            context.scores,
            pool,
            measure=RecognitionRate(request.rank),
            design=TrainingSets(),
            confidence_level=output.confidence_level,
            seed=output.seed,
        )
        assert isinstance(made, Estimate)
        return Choices(trainings=made, trained=tuple(one.name for one in context.scores), pool=pool)
    trials: VirtualExperiments = context.step(
        "choices",
        {"request": request.model_dump(), "ties": ties, **context.judging},
        lambda: permute(
            context.scores, pool, design=ImageChoice(request.n_resamples, request.balanced), max_rank=request.max_rank,
            measures=[measure_named(name) for name in request.measures], **chosen_of(request, context.names),
            ties=ties, seed=output.seed, threads=context.threads, progress=context.progress,
            keep_on_interrupt=context.keep_on_interrupt,
        ),
    )  # fmt: skip
    listed = None
    if request.list_trials:
        listed = trial_choices(
            pool,
            design=trials.design,
            trials=request.list_trials,
            seed=trials.seed,
            pseudonyms=output.pseudonyms,
        )
    return Choices(
        trials, pool=pool, trial_choices=listed, confidence_level=output.confidence_level, rank=request.rank
    )


def exit_code(found: Choices, request: Request) -> int | None:
    """130, as after any interrupt, if the trials were stopped early."""
    asked: ChoicesRequest = request.section("choices")[0]
    stopped = found.choices is not None and found.choices.n_trials < asked.n_resamples
    return 130 if stopped else None
