"""Run identification: rates and curves by category, other measures, and overlap of the sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proband.analyses.identification.request import IdentificationRequest
from proband.errors import Hint, UsageError
from proband.inference import Estimate, Evaluation, estimate
from proband.inference.estimates.evaluate import evaluate_sets
from proband.inference.estimates.overlap import SetOverlap, set_overlap
from proband.measures import Measure, Outcomes, measure_named
from proband.measures.base import weighted
from proband.results.serializing import Written
from proband.samples import Experiment, Samples
from proband.scores import Scores
from proband.study.context import Context, digest_of
from proband.study.designs import design_of, ranks_anew, require_answer
from proband.study.findings import Parts


@dataclass(frozen=True, eq=False)
class Identified(Parts):
    """Results of identification.

    Attributes
    ----------
    evaluation
        Rates and curves with bands, by probe category.
    measured
        Other requested measures with intervals, for every algorithm, by measure and category.
    overlap
        Images and people shared by gallery and probe sets, if requested.
    relative_ranks
        Whether curves use rank / people in the gallery.
    """

    written = Written({"measures": "measured"}, without=("relative_ranks",))

    evaluation: Evaluation
    measured: tuple[Estimate, ...] = ()
    overlap: SetOverlap | None = None
    relative_ranks: bool = False


_CLOSED = ("proportion", "clusters")  # what designs with closed forms can do


def prepare(request: IdentificationRequest, context: Context) -> None:
    """Raise an error for measures unsuitable for the design or for a finite population."""
    for measure in _measures(request):
        require_answer(request, measure, context)
        _require_closed(request, measure)
        if measure.view != "pairs" and ranks_anew(request):
            _scores_to_rank(request.design, context)


def _require_closed(request: IdentificationRequest, measure: Measure) -> None:
    """Refuse a finite population where the interval has no closed form that allows for it."""
    design = design_of(request)
    closed = design == "auto" or design.capability in _CLOSED
    if request.population is not None and not (closed and measure.form == "share"):
        raise UsageError(
            f"A finite population is supported for rates with closed-form intervals, not for the {measure.estimand} under the design {request.design}.",
            Hint("omit it, or request only rates: {option:design=clustered}"),
        )


def run(request: IdentificationRequest, context: Context) -> Identified:
    """Measure every algorithm on all probes and on the probes of every category."""
    evaluation = evaluate_sets(
        context.outcomes,
        context.outcome_sets,
        context.set_notes,
        request.ranks,
        confidence_level=context.output.confidence_level,
        weights=request.weights,
        one_sided=request.one_sided,
        population=request.population,
    )
    overlap = set_overlap(context.experiment, categories=context.categories) if request.overlap else None
    return Identified(evaluation, _measured(request, context), overlap, request.relative_ranks)


def _measured(request: IdentificationRequest, context: Context) -> tuple[Estimate, ...]:
    """Every other measure that is asked for, of all probes and of every category, or of all pairs."""
    made: list[Estimate] = []
    for measure in _measures(request):
        if measure.view == "pairs":
            made += _estimates(measure, context.scores, context.verified, request, context)
            continue
        for category, outcomes in context.outcome_sets.items():
            data = _scores_to_rank(request.design, context) if ranks_anew(request) else outcomes
            each = _estimates(measure, data, outcomes[0].experiment, request, context)
            made += [replace(own, who=replace(own.who, category=category or "")) for own in each]
    return tuple(made)


def _measures(request: IdentificationRequest) -> list[Measure]:
    return [weighted(measure_named(one), request.weights) for one in request.measured]


def _estimates(
    measure: Measure,
    data: Sequence[Outcomes | Scores],
    within: Experiment | Samples,
    request: IdentificationRequest,
    context: Context,
) -> tuple[Estimate, ...]:
    """A measure of every algorithm, with its interval."""
    return context.step(
        "measure",
        {
            "measure": measure.code,
            "design": request.design,
            "options": request.design_options,
            "side": request.one_sided,
            "population": request.population,
            "within": digest_of(within),
            **context.ranking,
            **context.judging,
        },
        lambda: tuple(
            estimate(
                one, within, measure=measure, design=design_of(request),
                confidence_level=context.output.confidence_level, seed=context.output.seed, one_sided=request.one_sided,
                population=request.population,
            )
            for one in data
        ),
    )  # fmt: skip


def _scores_to_rank(design: str, context: Context) -> list[Scores]:
    """The scores, for a design that re-ranks them; only the default policies are supported."""
    ranked = context.request.experiment
    if (ranked.ties, ranked.counting, ranked.on_failure) != ("pessimistic", "images", "miss"):
        raise UsageError(
            f"{design} re-ranks the scores, always with pessimistic ties, ranks counting images, and failures as misses.",
            Hint("keep these options at their defaults, or use another design: {option:design=bootstrap}"),
        )
    return context.scores
