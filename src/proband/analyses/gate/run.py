"""Run a gate: the candidate against the baseline, after checking its digest."""

from __future__ import annotations

from dataclasses import replace

from proband.analyses.gate.request import GateRequest
from proband.analyses.gate.standing import candidate_and_baseline, pinned
from proband.inference.comparisons.gate import Gate, gate
from proband.measures import Outcomes
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.study.context import Context, digest_of
from proband.study.designs import design_of, require_answer


def prepare(request: GateRequest, context: Context) -> None:
    """Raise an error for unknown algorithms, a baseline other than the pinned file, or a design unsuitable for the measure."""
    _, baseline = candidate_and_baseline(request, context.inputs)
    pinned(request, context.inputs.algorithms[baseline], context.inputs)
    require_answer(request, request.measured, context, comparing=True)


def run(request: GateRequest, context: Context) -> Gate:
    """Evaluate the candidate."""
    places = candidate_and_baseline(request, context.inputs)
    new, old = (context.inputs.algorithms[place] for place in places)
    data: tuple[Outcomes | Scores, Outcomes | Scores]
    within: Experiment | Samples
    if request.of_pairs:
        data, within = (new.scores, old.scores), context.verified
    else:
        data, within = (context.outcomes[places[0]], context.outcomes[places[1]]), context.experiment
    made: Gate = context.step(
        "gate",
        {
            "request": request.model_dump(exclude={"baseline", "candidate", "digest"}),
            "within": digest_of(within),
            **context.ranking,
            **context.judging,
        },
        lambda: gate(
            data[0], within, baseline=data[1], measure=request.measured, margin=request.margin, design=design_of(request),
            confidence_level=context.output.confidence_level, seed=context.output.seed,
        ),
        algorithms=(new, old),
    )  # fmt: skip
    return replace(made, pinned=pinned(request, old, context.inputs))
