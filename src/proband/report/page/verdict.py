"""The sentence to remember: what the best two algorithms show, or how good the only one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation, VirtualExperiments
from proband.inference.comparison import NO_WIDTH, PairComparison, Verdict
from proband.inference.evaluation import Entry
from proband.inference.planning_sizes import POWER
from proband.inference.searching import SearchEstimates
from proband.inference.verifying import Verification, VerificationPoint
from proband.measures.results import Answers
from proband.measures.verification import AUC, FNMR
from proband.report.page import cells
from proband.report.page.model import Block, Paragraph, Section
from proband.words import Note, as_sentence, count, counted, given

if TYPE_CHECKING:
    from proband.study.findings import Findings

_TURNED: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}
_MANY_TIES = 0.1  # of the probes: with more, the tie policy decides
_FEWEST_SEARCHES = 30  # for people not enrolled: with fewer, no false positive rate is measured
_MOST_NAMED = 6


def main_comparison(found: Findings) -> Comparison | None:
    """The comparison the verdict is about; a stratified or FERET study brings its own."""
    if found.comparisons:
        return next(iter(found.comparisons.values()))
    if found.strat is not None:
        return found.strat.comparison
    return None if found.feret is None else found.feret.results[0].comparison


def main_evaluation(found: Findings) -> Evaluation | None:
    """The evaluation of the study, or the one within a FERET study."""
    if found.evaluation is not None:
        return found.evaluation
    return None if found.feret is None else found.feret.evaluation


def leading(found: Findings) -> tuple[str, ...]:
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


def verdict_section(found: Findings) -> Section | None:
    """What was found, in a few sentences."""
    comparison, evaluation = main_comparison(found), main_evaluation(found)
    blocks: list[Block] = []
    if comparison is not None:
        blocks += _compared(comparison)
    elif evaluation is not None:
        blocks += _evaluated(evaluation)
    elif found.verification:
        blocks += _verified(found.verification)
    elif found.searches:
        blocks += _searched(found.searches)
    elif found.choices is not None:
        blocks += _chosen(found.choices, found.confidence_level)
    elif found.strat is not None:
        blocks += [Paragraph(as_sentence(found.strat.effects[0].sentence()), strong=True)]
    blocks[1:1] = cells.said([*_ties(comparison, evaluation), *_other_way(found)])
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
    adjusted = cells.p_value(pair.p_adjusted, pair.method.floor, len(comparison.pairs))
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
            f"{count(len(comparison.pairs))} comparisons it may be chance."
        )
    if pair.verdict == "equivalent" and comparison.margin is not None:
        worth = cells.size_of(comparison.margin, pair.in_points)
        return f"{pair.first} and {pair.second} are equivalent within {worth}: {of} {shown}."
    return f"Whether {pair.first} or {pair.second} is better is undecided: {tested}."


def what_would_decide(pair: PairComparison, comparison: Comparison) -> list[Note | str]:
    """For an undecided pair: the people it takes, or the margin that is missing."""
    if pair.verdict != "undecided" or pair.n_trials is not None:
        return []
    if not pair.has_width:
        return [NO_WIDTH()]
    if comparison.margin is None:
        return [
            "No difference worth having was declared, so equivalence cannot be shown: name a margin to decide it."
        ]
    worth = cells.size_of(comparison.margin, pair.in_points)
    said: list[Note | str] = []
    if pair.not_inferior:
        said.append(f"{pair.first} is not worse than {pair.second} by {worth} or more.")
    if pair.subjects_needed is not None:
        people = comparison.estimates[0].facts.n_probe_subjects
        needed = counted(pair.subjects_needed, "person", "people")
        said.append(
            f"What would decide it: about {needed} would settle a true difference of {worth} with a power of {cells.percent(POWER)}; "
            f"here {'is' if people == 1 else 'are'} {count(people)}."
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
    said = f"{best} is significantly better than {count(len(beaten))} of the {count(n_others)} others"
    return said + (f"; not told apart from it: {_named(apart)}." if apart else ".")


def _named(names: Sequence[str]) -> str:
    """The first few of many."""
    rest = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {count(rest)} more" if rest > 0 else "")


def _ties(comparison: Comparison | None, evaluation: Evaluation | None) -> list[str]:
    """A warning where ties decide: of the probes that the verdict is about."""
    if comparison is not None:
        facts = [one.facts for one in comparison.estimates]
    else:
        facts = [] if evaluation is None else [entry.curve.facts for entry in _ordered(evaluation)]
    many = [one for one in facts if one.n_tied > _MANY_TIES * one.n_probes]
    if not many:
        return []
    shown = _named([f"{one.algorithm} {count(one.n_tied)} of {count(one.n_probes)}" for one in many])
    rests = "its result rests" if len(many) == 1 else "their results rest"
    return [f"Probes tied with a non-mate: {shown}; {rests} on the tie policy ({many[0].ties})."]


def _other_way(found: Findings) -> list[str]:
    """What verification says where it was done beside identification, if it tells the best apart or names another."""
    comparison = main_comparison(found)
    if comparison is None and main_evaluation(found) is None:
        return []
    if comparison is not None and _measure(comparison) in (FNMR.key, AUC.key):
        return []
    if any(_measure(one) == FNMR.key for one in found.comparisons.values()):
        return []
    best = {one.algorithm: (one, point) for one, point in _by_fnmr(found.verification)}
    leaders = [name for name in leading(found) if name in best][:2]
    if len(leaders) < 2:
        return []
    lowest, leader = next(iter(best)), leaders[0]
    fnmr = {name: point.point.fnmr for name, (_, point) in best.items()}
    if fnmr[lowest] == fnmr[leader]:
        lowest = leader  # nobody is ahead of it
    if lowest == leader and fnmr[leaders[0]] == fnmr[leaders[1]]:
        return []
    asked = best[lowest][1].point.asked
    assert asked is not None  # points of thresholds are not among the best
    told = leaders if lowest == leader else [lowest, leader]
    shown = ", ".join(f"{name} {_fnmr(best[name][1])}" for name in told)
    ahead = f"{lowest} has the lowest FNMR" if len(best) > 2 else f"{lowest} has the lower FNMR"
    add = f"; add [[comparison]] fnmr_at = {given(asked)} to the study" if found.provenance.study else ""
    return [f"In verification at an FMR of {given(asked)}, {ahead} ({shown}): not tested here{add}."]


def _measure(comparison: Comparison) -> str:
    """The key of what algorithms are compared by."""
    return comparison.estimates[0].answers.of.key


def _by_fnmr(results: Sequence[Verification]) -> list[tuple[Verification, VerificationPoint]]:
    """Every algorithm at the first false match rate asked for, the lowest FNMR first; empty where only thresholds were."""
    points = [(one, next((p for p in one.points if p.point.asked is not None), None)) for one in results]
    made = [(one, point) for one, point in points if point is not None]
    return sorted(made, key=lambda pair: pair[1].point.fnmr)


def _fnmr(point: VerificationPoint) -> str:
    ends = (point.fnmr.low, point.fnmr.high) if point.fnmr_at_fmr is None else point.fnmr_at_fmr
    return f"{cells.rate(point.point.fnmr)} {cells.interval(*ends)}"


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
        f"{counted(facts.n_probes, 'probe')} of {counted(facts.n_probe_subjects, 'person', 'people')}."
    )
    rest = [_varied(evaluation.answers)]
    if len(entries) > 1:
        rest.insert(
            0,
            f"It has the highest rate of {count(len(entries))} algorithms here; whether it is better was not tested.",
        )
    return [Paragraph(strong, strong=True), *cells.said(rest)]


def _verified(results: Sequence[Verification]) -> list[Block]:
    ordered = _by_fnmr(results)
    if not ordered:  # thresholds differ in what they mean, so the first speaks for itself
        result, point = results[0], results[0].points[0]
        at = f"at the threshold {cells.threshold(point.point.threshold)}"
    else:
        result, point = ordered[0]
        assert point.point.asked is not None  # as ordered by it
        at = f"at an FMR of {given(point.point.asked)}"
    rest = [_varied(result.answers)]
    if len(ordered) > 1:
        alike = [one.algorithm for one, p in ordered[1:] if p.point.fnmr == point.point.fnmr]
        shared = f" (as has {_named(alike)})" if alike else ""
        rest.insert(
            0,
            f"It has the lowest FNMR of {count(len(ordered))} algorithms here{shared}; not tested against the others.",
        )
    strong = f"{result.algorithm}: FNMR {_fnmr(point)} {at}."
    return [Paragraph(strong, strong=True), *cells.said(rest)]


def _searched(results: Sequence[SearchEstimates]) -> list[Block]:
    result = min(results, key=lambda one: one.points[0].point.fnir)
    one = result.points[0]
    p = one.point
    others = counted(p.n_nonmated, "non-mated search", "non-mated searches")
    asked = "this FPIR" if p.asked is None else f"an FPIR of {given(p.asked)}"
    # Below one false positive among the searches a rate is reached only by having none, which bounds it but does not show it.
    if p.n_nonmated < _FEWEST_SEARCHES or (p.asked is not None and p.asked * p.n_nonmated < 1):
        why = (
            f"at least {_FEWEST_SEARCHES} are needed"
            if p.n_nonmated < _FEWEST_SEARCHES
            else f"one false positive among them is a rate of {cells.small(1 / p.n_nonmated)} already"
        )
        strong = f"Misses at {asked} are not measurable here: {others}; {why}."
        return [Paragraph(strong, strong=True), *cells.said([_varied(result.answers)])]
    strong = (
        f"{result.algorithm}: {cells.rate(p.fnir)} {cells.interval(*one.fnir)} of the searches for enrolled people fail at "
        f"{asked} (measured: {cells.small(p.fpir)}, of {others})."
    )
    rest = [_varied(result.answers)]
    if len(results) > 1:
        rest.insert(
            0,
            f"It misses the fewest of {count(len(results))} algorithms here; not tested against the others.",
        )
    return [Paragraph(strong, strong=True), *cells.said(rest)]


def _chosen(result: VirtualExperiments, level: float) -> list[Block]:
    best = max(result.algorithms, key=lambda name: result.rate(name).mean)
    spread = result.rate(best)
    strong = (
        f"{best}: mean rate {cells.rate(spread.mean)} at rank 1 over choices of images, {cells.percent(level)} of them within "
        f"{cells.interval(*spread.interval(level))}."
    )
    return [Paragraph(strong, strong=True), *cells.said([_varied(result.answers)])]
