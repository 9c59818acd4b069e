"""Compare algorithms by ranks or compared pairs, over all probes and within categories, or on two sets of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import cast

from proband.analyses.comparison.request import ComparisonRequest
from proband.analyses.comparison.second_set import prepared_set, ranked_set
from proband.errors import DesignError
from proband.inference import Comparison, compare
from proband.inference.comparisons.by_category import too_small
from proband.inference.comparisons.chosen_pairs import chosen_pairs
from proband.inference.comparisons.compare import DEFAULT_MARGIN, comparison_of, shown_together
from proband.inference.comparisons.independent import compare_independent
from proband.inference.procedures import Question
from proband.inference.verification.measures.fnmr import compare_at_rates
from proband.measures import FNMR, Outcomes
from proband.scores.several import by_name
from proband.study.context import Context, digest_of
from proband.study.designs import chosen_of, design_of, require_answer
from proband.study.findings import Parts
from proband.words import Sentence

_NOT_COMPARED = Sentence("comparison.not-done", "note", "No comparison of {of}: {reason}")


@dataclass(frozen=True, eq=False)
class ComparedAlgorithms(Parts):
    """Results of comparisons.

    Attributes
    ----------
    comparisons
        Comparisons by key: code of the measure, with ``/category`` for a category of probes (``rank-1``, ``rank-1/dup1``). The
        verdict uses the first.
    """

    comparisons: Mapping[str, Comparison]

    @property
    def titles(self) -> dict[str, str]:
        """Title of each comparison: its measure, its probes, and a number if the title is not unique."""
        named = {key: _title(one) for key, one in self.comparisons.items()}
        seen: Counter[str] = Counter()
        for key, title in named.items():
            seen[title] += 1
            named[key] = title if seen[title] == 1 else f"{title} ({seen[title]})"
        return named


def _title(comparison: Comparison) -> str:
    measure = str(comparison.estimates[0].answers.of)
    return measure if comparison.category is None else f"{measure}, {comparison.category}"


def prepare(requests: Sequence[ComparisonRequest], context: Context) -> None:
    """Raise an error for unknown algorithms, a design unsuitable for the measure, or an unreadable second set."""
    if _is_idle(context):
        return
    for request in requests:
        if request.with_scores:
            prepared_set(request, context)
            continue
        chosen_pairs(context.names, **chosen_of(request, context.names))
        require_answer(request, request.measured, context, comparing=True)


def _is_idle(context: Context) -> bool:
    """Whether there is nothing to compare and no comparison was requested."""
    return len(context.names) < 2 and not context.request.says("comparison")


def run(requests: Sequence[ComparisonRequest], context: Context) -> ComparedAlgorithms | None:
    """Run all requested comparisons."""
    made: dict[str, Comparison] = {}
    if context.inputs.lists:
        made = {one.measured.code: _of_lists(one, context) for one in requests if one.of_pairs}
        return ComparedAlgorithms(made) if made else None
    if _is_idle(context):
        return None
    for request in requests:
        context.progress.begin("comparisons of algorithms", 0)
        for comparison in _compared(request, requests, context):
            made[_key(request.measured.code, comparison.category, made)] = comparison
    made |= _by_error_rate(context)
    return ComparedAlgorithms(made) if made else None


def _by_error_rate(context: Context) -> dict[str, Comparison]:
    """FNMR at the first target FMR of verification, compared by default because algorithms equal at rank 1 may differ there."""
    targets = [fmr for asked in context.siblings("verification") for fmr in asked.fmr if asked.pairs is None]
    if context.request.says("comparison") or not targets:
        return {}
    request = ComparisonRequest(measure=f"fnmr@{targets[0]!r}")
    try:
        return {request.measured.code: _of_pairs(request, [request], context)}
    except DesignError as none:  # what nobody asked for is left out, and the rank-1 comparison stands
        context.note(_NOT_COMPARED(of=request.measured.estimand, reason=none.message.rstrip(".")))
        return {}


def _key(measure: str, category: str | None, taken: Mapping[str, object]) -> str:
    """Key of a comparison: code of the measure (without slash), a number if used before, and the category."""
    numbered = (measure if number == 1 else f"{measure}#{number}" for number in count(1))
    keys = (one if category is None else f"{one}/{category}" for one in numbered)
    return next(key for key in keys if key not in taken)


def _compared(
    request: ComparisonRequest, requests: Sequence[ComparisonRequest], context: Context
) -> Iterator[Comparison]:
    """One measure, over all probes or pairs, and over every category if that is asked for; or of two sets of people."""
    if request.with_scores:
        yield _independent(request, context)
        return
    if request.of_pairs:
        yield _of_pairs(request, requests, context)
        return
    sets = context.outcome_sets if request.by_category else {None: context.outcomes}
    large = {
        category: outcomes
        for category, outcomes in sets.items()
        if _is_large(category, outcomes, request, context)
    }
    for category, outcomes in large.items():
        families = 1 if category is None else len(large) - 1
        yield replace(_of_ranks(request, outcomes, families, context), category=category)


def _is_large(
    category: str | None, outcomes: Sequence[Outcomes], request: ComparisonRequest, context: Context
) -> bool:
    """Whether there are people enough to compare algorithms by; a category that has not is noted."""
    why = None if category is None else too_small(category, outcomes[0], design_of(request))
    if why is not None:
        context.note(why)
    return why is None


def _of_ranks(
    request: ComparisonRequest, outcomes: Sequence[Outcomes], families: int, context: Context
) -> Comparison:
    """Algorithms compared by their ranks; in one of several categories, adjusted for their number."""

    def make() -> Comparison:
        asked = Question.of(
            request.measured, by_name(outcomes), None, design_of(request),
            context.output.confidence_level, context.output.seed,
        )  # fmt: skip
        asked = replace(asked, chosen=chosen_pairs(asked.names, **chosen_of(request, asked.names)))
        return comparison_of(
            asked, shown_together(asked), request.margin, request.adjust, request.one_sided, families
        )

    return context.step(
        "comparison",
        {
            "request": request.model_dump(),
            "families": families,
            "experiment": digest_of(outcomes[0].experiment),
            **context.ranking,
            **context.judging,
        },
        make,
    )


def _of_pairs(
    request: ComparisonRequest, requests: Sequence[ComparisonRequest], context: Context
) -> Comparison:
    """Compare algorithms by compared pairs; people are resampled once for all comparisons of FNMR."""
    within = context.verified

    def make() -> Comparison:
        together = [one for one in requests if _is_drawn_together(one)]
        if request not in together:
            made: Comparison = compare(
                context.scores, within, measure=request.measured, design=design_of(request), margin=request.margin,
                confidence_level=context.output.confidence_level, seed=context.output.seed, adjust=request.adjust,
                one_sided=request.one_sided, **chosen_of(request, context.names),
            )  # fmt: skip
            return made
        at_rates = context.once(
            "comparisons at rates",
            lambda: compare_at_rates(
                [cast("FNMR", one.measured) for one in together],
                context.scores,
                within,
                [(one.margin, one.adjust) for one in together],
                context.output.confidence_level,
                context.drawings,
            ),
        )
        return at_rates[together.index(request)]

    return context.step(
        "comparison",
        {"request": request.model_dump(), "within": digest_of(within), **context.judging},
        make,
    )


def _is_drawn_together(request: ComparisonRequest) -> bool:
    """Whether its people are resampled together with others: FNMR of all pairs, two-sided."""
    chooses = bool(request.pairs) or request.against is not None or request.one_sided is not None
    return isinstance(request.measured, FNMR) and request.design == "auto" and not chooses


def _of_lists(request: ComparisonRequest, context: Context) -> Comparison:
    """Algorithms compared by the pairs of their lists."""
    lists = [one.trials for one in context.inputs.lists]
    made: Comparison = compare(
        lists, None, measure=request.measured, design=design_of(request), margin=request.margin,
        confidence_level=context.output.confidence_level, seed=context.output.seed, adjust=request.adjust,
        one_sided=request.one_sided, **chosen_of(request, context.names),
    )  # fmt: skip
    return made


def _independent(request: ComparisonRequest, context: Context) -> Comparison:
    """Algorithms on this set of people and on another."""
    other = prepared_set(request, context)
    ranked = ranked_set(other, context)
    context.note(*other.notes)
    context.more_files.extend(other.files)
    return compare_independent(
        {one.algorithm: one for one in context.outcomes}, ranked, measure=request.measured, pairs=other.pairs,
        margin=DEFAULT_MARGIN if request.margin is None else request.margin,
        confidence_level=context.output.confidence_level, adjust=request.adjust, one_sided=request.one_sided,
    )  # fmt: skip
