"""The sentence to remember: what the best two algorithms show, or how good the only one is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation, VirtualExperiments
from proband.inference.comparison import PairComparison, Verdict
from proband.inference.evaluation import Entry
from proband.inference.searching import SearchEstimates
from proband.inference.verifying import Verification
from proband.measures.results import Answers
from proband.report.page import cells
from proband.report.page.model import Block, Paragraph, Section

if TYPE_CHECKING:
    from proband.report.page.build import Found

_TURNED: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}


def main_comparison(found: Found) -> Comparison | None:
    """The comparison the verdict is about; a stratified or FERET study brings its own."""
    if found.comparisons:
        return next(iter(found.comparisons.values()))
    if found.strat is not None:
        return found.strat.comparison
    return None if found.feret is None else found.feret.results[0].comparison


def main_evaluation(found: Found) -> Evaluation | None:
    """The evaluation of the study, or the one within a FERET study."""
    if found.evaluation is not None:
        return found.evaluation
    return None if found.feret is None else found.feret.evaluation


def leading(found: Found) -> tuple[str, ...]:
    """Every algorithm, the best first as far as that was measured."""
    comparison, evaluation = main_comparison(found), main_evaluation(found)
    named: list[str] = []
    if comparison is not None:
        named += [one.facts.algorithm for one in comparison.ordered]
    if evaluation is not None:
        named += [entry.algorithm for entry in _ordered(evaluation)]
    return tuple(dict.fromkeys([*named, *found.algorithms]))


def _ordered(evaluation: Evaluation) -> list[Entry]:
    rank = evaluation.ranks[0]
    entries = evaluation.of(evaluation.categories[0])
    return sorted(entries, key=lambda entry: -entry.curve.at(rank))


def verdict_section(found: Found) -> Section | None:
    """What was found, in a few sentences."""
    comparison, evaluation = main_comparison(found), main_evaluation(found)
    blocks: list[Block] = []
    if comparison is not None:
        blocks += _compared(comparison)
    elif evaluation is not None:
        blocks += _evaluated(evaluation)
    elif found.verification:
        blocks += _verified(found.verification[0])
    elif found.searches:
        blocks += _searched(found.searches[0])
    elif found.choices is not None:
        blocks += _chosen(found.choices, found.confidence_level)
    elif found.strat is not None:
        blocks += [Paragraph(found.strat.effects[0].sentence(), strong=True)]
    return Section("verdict", "Verdict", tuple(blocks)) if blocks else None


def best_two(comparison: Comparison) -> PairComparison:
    """The best against the second best, the best first."""
    best, second = (one.facts.algorithm for one in comparison.ordered[:2])
    pair = next(one for one in comparison.pairs if {one.first, one.second} == {best, second})
    return pair if pair.first == best else turned(pair)


def turned(pair: PairComparison) -> PairComparison:
    """The same pair seen from the second; how often it wins over choices of images is not known from this side."""
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=0.0 - pair.difference,
        low=0.0 - pair.high,
        high=0.0 - pair.low,
        n_sf=pair.n_fs,
        n_fs=pair.n_sf,
        verdict=_TURNED.get(pair.verdict, pair.verdict),
        not_inferior=None,
        not_won=None,
    )


def _compared(comparison: Comparison) -> list[Block]:
    pair = best_two(comparison)
    lines = [pair_verdict(pair, comparison), _rates(comparison), _field(comparison)]
    strong, *rest = [line for line in lines if line]
    decide = what_would_decide(pair, comparison)
    return [Paragraph(strong, strong=True), *cells.said([*rest, *decide, _varied(comparison.answers)])]


def pair_verdict(pair: PairComparison, comparison: Comparison) -> str:
    """What the interval and the adjusted test say of two algorithms."""
    of = comparison.estimates[0].answers.of
    unit = " points" if pair.in_points else ""
    shown = f"{cells.effect(pair.difference, pair.in_points)}{unit} {cells.effect_interval(pair.low, pair.high, pair.in_points)}"
    adjusted = cells.p_value(pair.p_adjusted, cells.floor_of(pair.method), len(comparison.pairs))
    tested = f"{of} {shown}, {'adjusted ' if len(comparison.pairs) > 1 else ''}p {adjusted}"
    if pair.n_trials is not None:
        settled = (
            "tells them apart" if pair.p_adjusted <= comparison.significance else "does not tell them apart"
        )
        return (
            f"Over choices of images of these people, {pair.first} against {pair.second}: {of} {shown}. The test over people "
            f"{settled} (p {adjusted})."
        )
    if pair.verdict in ("better", "worse"):
        if pair.p_adjusted <= comparison.significance:
            return f"{pair.first} is {pair.verdict} than {pair.second}: {tested}."
        return (
            f"{pair.first} is ahead of {pair.second}, but not beyond doubt: {tested}. By itself the difference stands out; among "
            f"{len(comparison.pairs):,} comparisons it may be chance."
        )
    if pair.verdict == "equivalent" and comparison.margin is not None:
        worth = cells.size_of(comparison.margin, pair.in_points)
        return f"{pair.first} and {pair.second} are equivalent within {worth}: {of} {shown}."
    return f"Whether {pair.first} or {pair.second} is better is undecided: {tested}."


def what_would_decide(pair: PairComparison, comparison: Comparison) -> list[str]:
    """For an undecided pair: the people it takes, or the margin that is missing."""
    if pair.verdict != "undecided" or pair.n_trials is not None:
        return []
    if comparison.margin is None:
        return [
            "No difference worth having was declared, so equivalence cannot be shown: name a margin to decide it."
        ]
    worth = cells.size_of(comparison.margin, pair.in_points)
    said = []
    if pair.not_inferior:
        said.append(f"{pair.first} is not worse than {pair.second} by {worth} or more.")
    if pair.subjects_needed is not None:
        people = comparison.estimates[0].facts.n_probe_subjects
        said.append(
            f"What would decide it: about {pair.subjects_needed:,} people would settle a true difference of {worth}; here are "
            f"{people:,}."
        )
    return said or [
        f"What would decide it: more people than these; a true difference of {worth} is looked for."
    ]


def _rates(comparison: Comparison) -> str:
    best, second = comparison.ordered[:2]
    shown = " and ".join(
        f"{one.facts.algorithm} {cells.rate(one.value)} {cells.interval(one.low, one.high)}"
        for one in (best, second)
    )
    return (
        f"By themselves ({best.answers.of}, {cells.percent(comparison.confidence_level)} intervals): {shown}."
    )


def _field(comparison: Comparison) -> str:
    """How the best stands against all others."""
    n_others = len(comparison.estimates) - 1
    if n_others < 2:
        return ""
    best = comparison.ordered[0].facts.algorithm
    beaten = comparison.beaten_by(best)
    apart = [one.facts.algorithm for one in comparison.ordered[1:] if one.facts.algorithm not in beaten]
    said = f"{best} is significantly better than {len(beaten):,} of the {n_others:,} others"
    shown = ", ".join(apart[:6]) + (f" and {len(apart) - 6:,} more" if len(apart) > 6 else "")
    return said + (f"; not told apart from it: {shown}." if apart else ".")


def _varied(answers: Answers) -> str:
    return f"Intervals and tests speak of {answers.varying}. Held fixed: {answers.fixed}. Assumed: {answers.assuming}."


def _evaluated(evaluation: Evaluation) -> list[Block]:
    rank, entries = evaluation.ranks[0], _ordered(evaluation)
    best = entries[0]
    found = best.interval(rank)
    shown = "" if found is None else f" {cells.interval(*found)}"
    facts = best.curve.facts
    strong = (
        f"{best.algorithm}: recognition rate {cells.rate(best.curve.at(rank))}{shown} at rank {rank}, of "
        f"{cells.plural(facts.n_probes, 'probe')} of {cells.plural(facts.n_probe_subjects, 'person', 'people')}."
    )
    rest = [_varied(evaluation.answers)]
    if len(entries) > 1:
        rest.insert(
            0,
            f"It has the highest rate of {len(entries):,} algorithms here; whether it is better was not tested.",
        )
    return [Paragraph(strong, strong=True), *cells.said(rest)]


def _verified(result: Verification) -> list[Block]:
    point = result.points[0]
    p, anew = point.point, point.fnmr_at_fmr
    ends = (point.fnmr.low, point.fnmr.high) if anew is None else anew
    at = (
        f"at the threshold {cells.threshold(p.threshold)}" if p.asked is None else f"at an FMR of {p.asked:g}"
    )
    strong = f"{result.algorithm}: FNMR {cells.rate(p.fnmr)} {cells.interval(*ends)} {at}."
    return [Paragraph(strong, strong=True), *cells.said([_varied(result.answers)])]


def _searched(result: SearchEstimates) -> list[Block]:
    one = result.points[0]
    strong = (
        f"{result.algorithm}: {cells.rate(one.point.fnir)} {cells.interval(*one.fnir)} of the searches for enrolled people fail at "
        f"an FPIR of {cells.small(one.point.fpir)}."
    )
    return [Paragraph(strong, strong=True), *cells.said([_varied(result.answers)])]


def _chosen(result: VirtualExperiments, level: float) -> list[Block]:
    best = max(result.algorithms, key=lambda name: result.rate(name).mean)
    spread = result.rate(best)
    strong = (
        f"{best}: mean rate {cells.rate(spread.mean)} at rank 1 over choices of images, {cells.percent(level)} of them within "
        f"{cells.interval(*spread.interval(level))}."
    )
    return [Paragraph(strong, strong=True), *cells.said([_varied(result.answers)])]
