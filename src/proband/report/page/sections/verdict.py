"""The sentence to remember: who leads, or how good the only one is; below it who stands where, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation, OutcomeComparison, OutcomeRate, VirtualExperiments
from proband.inference.comparisons.comparison import Standings
from proband.inference.covariates.results import CovariateStudy
from proband.inference.strata.study import StratStudy
from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.verification import Verification, VerificationPoint
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.protocols.running.results import ProtocolRun
from proband.report.analyses.audits import verdict as audit_verdict
from proband.report.analyses.comparisons import given_twice, weighted_by
from proband.report.analyses.covariates import verdict_of
from proband.report.analyses.protocols import epd_statements
from proband.report.leading import (
    best_first,
    leading,
    leading_group,
    lowest_fnmr_first,
    main_comparison,
    main_evaluation,
)
from proband.report.page.model import Badges, Block, Folded, Paragraph, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.pair_verdict import best_two, pair_verdict, what_would_decide
from proband.report.page.sections.protocol import key_badges
from proband.report.page.sections.standings import first_standings, standings_table
from proband.results.base import Answers
from proband.results.difference import margin_of
from proband.results.estimate import which_rate
from proband.words import Note, Sentence, as_sentence, counted

if TYPE_CHECKING:
    from proband.study.findings import Findings

_MANY_TIES = 0.1  # of the probes: with more, the tie policy decides
_FEWEST_SEARCHES = 30  # for people not enrolled: with fewer, no false positive rate is measured
_MOST_NAMED = 6
_MOST_LISTED = 4

_RATE = Sentence("verdict.rate", "note", "{algorithm} {rate:rate} [{low:rate}, {high:rate}]")
_RATE_OF = Sentence(
    "verdict.rate-of-items",
    "note",
    "{algorithm}: {of} {rate:rate} [{low:rate}, {high:rate}] over {n:count sample}",
)
_CHOSEN_PAIRS = Sentence(
    "verdict.chosen-pairs",
    "note",
    "{apart:count} of {n:count chosen pair} {apart:word differs/differ} significantly in {of}",
)
_LEADS = Sentence(
    "verdict.leads", "note", "{leader} leads: its {of} is significantly better than that of {other}"
)
_LEADS_ALL = Sentence(
    "verdict.leads-all",
    "note",
    "{leader} leads: its {of} is significantly better than those of the {others:count} others",
)
_LEAD = "{names} lead in {of}; "
_LEAD_TWO = Sentence("verdict.lead-two", "note", _LEAD + "they are not significantly different")
_LEAD_SOME = Sentence("verdict.lead-some", "note", _LEAD + "no two of them are significantly different")
_LEAD_ALIKE = Sentence("verdict.lead-equivalent", "note", _LEAD + "they are equivalent within {margin}")
_SAME_TWO = Sentence("verdict.same-two", "note", "{names} are not significantly different in {of}")
_SAME_ALL = Sentence(
    "verdict.same-all",
    "note",
    "No algorithm leads: no two of the {n:count} are significantly different in {of}",
)
_SAME_ALIKE = Sentence("verdict.same-equivalent", "note", "{names} are equivalent in {of} within {margin}")
_LISTED = Sentence("verdict.listed", "note", "{names:list}")
_LISTED_OF_MORE = Sentence("verdict.listed-of-more", "note", "{names:row} and {more:count} others")
_NAMES = Sentence("verdict.names", "note", "{names:row}")
_NAMES_OF_MORE = Sentence("verdict.names-of-more", "note", "{names:row} and {more:count} more")
_TIED = Sentence("verdict.tied", "note", "{algorithm} {tied:count} of {probes:count}")
_TIES = "Probes tied with a non-mate: {tied}; "
_TIES_OF_ONE = Sentence(
    "verdict.ties-of-one", "caution", _TIES + "its result rests on the tie policy ({policy})"
)
_TIES_OF_SOME = Sentence("verdict.ties", "caution", _TIES + "their results rest on the tie policy ({policy})")
_LOWER = Sentence("verdict.lower-fnmr", "note", "{names} has the lower FNMR")
_LOWEST = Sentence("verdict.lowest-fnmr", "note", "{names} {few:word has/have} the lowest FNMR")
_HIGHEST_BY_PERSON = Sentence(
    "verdict.highest-person-weighted",
    "note",
    "{names} {few:word has/have} the highest person-weighted recognition rate",
)
_OTHERWISE_WEIGHTED = Sentence("verdict.otherwise-weighted", "caution", "{first} against {second}: {told}")
_OTHERWISE = "In verification at an FMR of {fmr:given}, {ahead} ({rates:row}): not tested here"
_IN_VERIFICATION = Sentence("verdict.in-verification", "caution", _OTHERWISE)
_STUDY_IN_VERIFICATION = Sentence(
    "verdict.study-in-verification",
    "caution",
    _OTHERWISE + "; add [[comparison]] fnmr_at = {fmr:given} to the study",
)
_VARIES = Sentence(
    "verdict.varies", "note", "What varies behind the intervals: {varying}. Held fixed: {fixed}"
)
_ASSUMED = Sentence("verdict.assumed", "note", "Assumed: {assuming}")
_OF_PROBES = "at {rank}, of {probes:count probe} of {people:count person/people}"
_EVALUATED = Sentence(
    "verdict.evaluated",
    "note",
    "{algorithm}: recognition rate {rate:rate} [{low:rate}, {high:rate}] " + _OF_PROBES,
)
_EVALUATED_TWICE = Sentence(
    "verdict.evaluated-twice",
    "note",
    "{algorithm}: recognition rate {rate:rate} [{low:rate}, {high:rate}] "
    + _OF_PROBES
    + "; person-weighted {other:rate} [{other_low:rate}, {other_high:rate}]",
)
_EVALUATED_ALONE = Sentence(
    "verdict.evaluated-without-interval", "note", "{algorithm}: recognition rate {rate:rate} " + _OF_PROBES
)
_HIGHEST_RATE = Sentence(
    "verdict.highest-rate",
    "note",
    "Of {n:count algorithm} {names} {few:word has/have} the highest recognition rate at {rank}; differences were not tested",
)
_VERIFIED = "{algorithm}: FNMR {rate:rate} [{low:rate}, {high:rate}] at "
_AT_FMR = Sentence("verdict.fnmr-at-fmr", "note", _VERIFIED + "an FMR of {fmr:given}")
_AT_THRESHOLD = Sentence(
    "verdict.fnmr-at-threshold", "note", _VERIFIED + "the threshold {threshold:threshold}"
)
_LOWEST_OF = Sentence(
    "verdict.lowest-fnmr-of",
    "note",
    "Of {n:count algorithm} {names} {few:word has/have} the lowest FNMR at an FMR of {fmr:given}; differences were not tested",
)
_THIS_FPIR = Sentence("verdict.this-fpir", "note", "this FPIR")
_AN_FPIR = Sentence("verdict.an-fpir", "note", "an FPIR of {fpir:given}")
_FEW_SEARCHES = Sentence("verdict.few-searches", "note", "at least {n:count} are needed")
_COARSE = Sentence(
    "verdict.coarse-fpir", "note", "one false positive among them is a rate of {rate:small} already"
)
_SEARCHES = "{searches:count non-mated search/non-mated searches}"
_NOT_MEASURABLE = Sentence(
    "verdict.not-measurable", "caution", f"Misses at {{asked}} are not measurable here: {_SEARCHES}; {{why}}"
)
_SEARCHED = Sentence(
    "verdict.searched",
    "note",
    "{algorithm}: {rate:rate} [{low:rate}, {high:rate}] of the searches for enrolled people fail at {asked} (measured: {fpir:small}, of "
    f"{_SEARCHES})",
)
_FEWEST_MISSES = Sentence(
    "verdict.fewest-misses",
    "caution",
    "None of the {n:count} algorithms misses fewer here; they were not tested against each other",
)
_CHOSEN = Sentence(
    "verdict.chosen",
    "note",
    "{algorithm}: mean rate {rate:rate} at rank 1 over choices of images, {level:level} of them within [{low:rate}, {high:rate}]",
)


@dataclass(frozen=True)
class Summary:
    """What a study found: the sentence to remember, what varied behind it, which rate to quote, and what else belongs to it."""

    headline: Note
    answers: Answers | None = None
    rest: tuple[Note, ...] = ()
    weights: tuple[Note, ...] = ()


@section("verdict", 5)
def verdict_section(found: Findings) -> Section | None:
    """One screen: the headline, who stands where, three facts, and what varies; the rest is folded."""
    told = summary(found)
    if told is None:
        return None
    blocks: list[Block] = [Paragraph(as_sentence(told.headline), strong=True)]
    table = standings_table(found)
    first, every = (None, None) if table is None else first_standings(table)
    blocks += [] if first is None else [first]
    counts = key_badges(found)
    blocks += [Badges(counts)] if counts else []
    blocks += said(told.weights)
    folded = [note for note in told.rest if note.level != "caution"]
    if told.answers is not None:
        blocks += said([_VARIES(varying=told.answers.varying, fixed=told.answers.fixed)])
        folded.append(_ASSUMED(assuming=told.answers.assuming))
    blocks += said([note for note in told.rest if note.level == "caution"])
    blocks += [] if every is None else [Folded(f"All {counted(len(every.rows), 'algorithm')}", (every,))]
    blocks += [Folded("More about the verdict", tuple(said(folded)))] if folded else []
    return Section("verdict", "Verdict", tuple(blocks))


def summary(found: Findings) -> Summary | None:
    """What was found; None where nothing was measured that could be summed up."""
    comparison, evaluation = main_comparison(found), main_evaluation(found)
    if comparison is None and found.gate is not None:
        return None  # the gate's own section is the verdict
    if comparison is not None:
        told = _compared(comparison)
    elif evaluation is not None:
        told = _evaluated(evaluation)
    elif found.verification:
        told = _verified(found.verification)
    elif found.searches:
        told = _searched(found.searches)
    elif found.choices is not None:
        told = _chosen(found.choices, found.confidence_level)
    elif found.strat is not None:
        told = Summary(_stratified(found.strat))
    elif found.classification is not None:
        told = _of_items(found.classification.comparison, found.classification.rates[0])
    elif found.outcomes is not None:
        told = _of_items(found.outcomes, found.outcomes.estimates[0])
    elif found.covariates is not None:
        told = _explained(found.covariates)
    elif found.protocol is not None:
        told = _under_protocols(found.protocol)
    elif found.audits:
        told = Summary(audit_verdict(found.audits[0]))
    elif found.datasets is not None:
        told = Summary(found.datasets.sentences()[0], found.datasets.answers)
    else:
        return None
    return replace(told, rest=(*_ties(comparison, evaluation), *_other_way(found), *told.rest))


def _explained(study: CovariateStudy) -> Summary:
    """Which covariates matter, and by how much."""
    head, rest = verdict_of(study)
    return Summary(head, study.answers, rest)


def _stratified(study: StratStudy) -> Note:
    """Whether galleries differ, which sensor is better, or how good the only algorithm is."""
    if study.effects:
        return study.effects[0].sentence()
    if study.sensors:
        return study.sensors[0].people.sentences()[0]
    one = study.estimates[0]
    return _RATE_OF(
        algorithm=one.facts.algorithm, of=one.answers.of, rate=one.value, low=one.low, high=one.high, n=one.facts.size
    )  # fmt: skip


def _compared(comparison: Comparison) -> Summary:
    if not comparison.all_pairs:
        return _of_chosen(comparison)
    pair = best_two(comparison)
    rest = (pair_verdict(pair, comparison), *what_would_decide(pair, comparison))
    return Summary(headline(comparison), comparison.answers, rest, _weights(comparison))


def _weights(comparison: Standings) -> tuple[Note, ...]:
    """Which rate to quote, and the pairs of which the other one says something else."""
    if not given_twice(comparison):
        return ()
    leaders = leading_group(comparison)
    apart = [
        _OTHERWISE_WEIGHTED(first=pair.first, second=pair.second, told=told)
        for pair in comparison.pairs
        if pair.first in leaders or pair.second in leaders
        for told in pair.of_people()
    ]
    return (which_rate(*weighted_by(comparison.estimates[0])), *apart)


def _under_protocols(run: ProtocolRun) -> Summary:
    """The first protocol's verdict, or the accuracy of the only classifier; and by EPD how it was estimated."""
    first = run.findings[0]
    told = first.verdicts()[0] if first.verdicts() else first.results[0].sentence()
    return Summary(told, first.results[0].interval.answers, tuple(epd_statements(run)))


def _of_chosen(comparison: Standings) -> Summary:
    """Pairs that were chosen: how many differ, and the verdict of each."""
    apart = sum(pair.told_apart for pair in comparison.pairs)
    of = comparison.estimates[0].answers.of
    told = _CHOSEN_PAIRS(n=len(comparison.pairs), apart=apart, of=of)
    every = tuple(pair_verdict(pair, comparison) for pair in comparison.pairs)
    return Summary(told, comparison.answers, every, _weights(comparison))


def _of_items(comparison: OutcomeComparison | None, first: OutcomeRate) -> Summary:
    """Several models or systems, or the only one."""
    if comparison is None:
        shown = {
            "algorithm": first.facts.algorithm,
            "rate": first.value,
            "low": first.low,
            "high": first.high,
        }
        return Summary(_RATE_OF(**shown, of=first.answers.of, n=first.facts.size), first.answers)
    if not comparison.all_pairs:
        return _of_chosen(comparison)
    rest = (pair_verdict(best_two(comparison), comparison),)
    return Summary(headline(comparison), comparison.answers, rest, _weights(comparison))


def headline(comparison: Standings) -> Note:
    """Name the leading group: those that no algorithm is significantly better than."""
    group, n = leading_group(comparison), len(comparison.estimates)
    of = comparison.estimates[0].answers.of
    if len(group) == 1:
        leader = group[0]
        if n == 2:
            other = comparison.ordered[1].facts.algorithm
            return _LEADS(leader=leader, of=of, other=other)
        return _LEADS_ALL(leader=leader, of=of, others=n - 1)
    among = [pair for pair in comparison.pairs if pair.first in group and pair.second in group]
    told = {"names": _listed(group), "of": of}
    if comparison.margin is not None and all(pair.verdict == "equivalent" for pair in among):
        margin = margin_of(comparison.margin, among[0].in_points)
        return (_SAME_ALIKE if len(group) == n else _LEAD_ALIKE)(**told, margin=margin)
    if len(group) == n:
        return _SAME_TWO(**told) if n == 2 else _SAME_ALL(n=n, of=of)
    return (_LEAD_TWO if len(group) == 2 else _LEAD_SOME)(**told)


def _listed(names: Sequence[str]) -> Note:
    """Names as a sentence has them: all of few, and the first of many."""
    if len(names) <= _MOST_LISTED:
        return _LISTED(names=tuple(names))
    shown = tuple(names[: _MOST_LISTED - 1])
    return _LISTED_OF_MORE(names=shown, more=len(names) - len(shown))


def _few(names: Sequence[Note | str]) -> Note:
    """The first few of many."""
    shown, more = tuple(names[:_MOST_NAMED]), len(names) - _MOST_NAMED
    return _NAMES_OF_MORE(names=shown, more=more) if more > 0 else _NAMES(names=shown)


def _ties(comparison: Comparison | None, evaluation: Evaluation | None) -> list[Note]:
    """A warning where ties decide: of the probes that the verdict is about."""
    if comparison is not None:
        facts = [one.facts for one in comparison.estimates]
    else:
        facts = [] if evaluation is None else [entry.curve.facts for entry in best_first(evaluation)]
    many = [one for one in facts if one.n_tied > _MANY_TIES * one.n_probes]
    if not many:
        return []
    tied = [_TIED(algorithm=one.algorithm, tied=one.n_tied, probes=one.n_probes) for one in many]
    said = _TIES_OF_ONE if len(many) == 1 else _TIES_OF_SOME
    return [said(tied=_few(tied), policy=many[0].ties)]


def _other_way(found: Findings) -> list[Note]:
    """What verification says where it was done beside identification, if it tells the best apart or names another."""
    comparison = main_comparison(found)
    if comparison is None and main_evaluation(found) is None:
        return []
    if comparison is not None and _measure(comparison) in (FNMR.key, AUC.key, EER.key):
        return []
    if any(_measure(one) == FNMR.key for one in found.comparisons.values()):
        return []
    best = {one.algorithm: (one, point) for one, point in lowest_fnmr_first(found.verification)}
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
    rates = tuple(_RATE(algorithm=name, **_fnmr(best[name][1])) for name in told)
    tied = [name for name in best if fnmr[name] == fnmr[lowest]]
    ahead = _LOWEST(names=_listed(tied), few=len(tied)) if len(best) > 2 else _LOWER(names=lowest)
    said = _STUDY_IN_VERIFICATION if found.provenance.study else _IN_VERIFICATION
    return [said(fmr=asked, ahead=ahead, rates=rates)]


def _measure(comparison: Comparison) -> str:
    """The key of what algorithms are compared by."""
    return comparison.estimates[0].answers.of.key


def _fnmr(point: VerificationPoint) -> dict[str, float]:
    low, high = (point.fnmr.low, point.fnmr.high) if point.fnmr_at_fmr is None else point.fnmr_at_fmr
    return {"rate": point.point.fnmr, "low": low, "high": high}


def _evaluated(evaluation: Evaluation) -> Summary:
    rank, entries = evaluation.ranks[0], best_first(evaluation)
    best = entries[0]
    others = [entry.by_person[rank] for entry in entries]
    called = best.weighted_rate(rank)
    which: tuple[Note, ...] = () if others[0] is None else (which_rate(),)
    if len(entries) > 1:
        tied = [entry.algorithm for entry in entries if entry.curve.at(rank) == best.curve.at(rank)]
        told = _HIGHEST_RATE(names=_listed(tied), few=len(tied), rank=called, n=len(entries))
        by_person = [other.value for other in others if other is not None]
        if by_person:
            ahead = [
                entry.algorithm
                for entry, value in zip(entries, by_person, strict=True)
                if value == max(by_person)
            ]
            which += () if ahead == tied else (_HIGHEST_BY_PERSON(names=_listed(ahead), few=len(ahead)),)
        return Summary(told, evaluation.answers, weights=which)
    facts, ends, other = best.curve.facts, best.interval(rank), others[0]
    shown = {"algorithm": best.algorithm, "rate": best.curve.at(rank), "rank": called}
    shown |= {"probes": facts.n_probes, "people": facts.n_probe_subjects}
    if ends is None:
        return Summary(_EVALUATED_ALONE(**shown), evaluation.answers, weights=which)
    shown |= {"low": ends.low, "high": ends.high}
    if other is None:
        return Summary(_EVALUATED(**shown), evaluation.answers)
    beside = {"other": other.value, "other_low": other.low, "other_high": other.high}
    return Summary(_EVALUATED_TWICE(**shown, **beside), evaluation.answers, weights=which)


def _verified(results: Sequence[Verification]) -> Summary:
    ordered = lowest_fnmr_first(results)
    if not ordered:  # thresholds differ in what they mean, so the first speaks for itself
        result, point = results[0], results[0].points[0]
        at = _AT_THRESHOLD(algorithm=result.algorithm, **_fnmr(point), threshold=point.point.threshold)
        return Summary(at, result.answers)
    result, point = ordered[0]
    if len(ordered) == 1:
        alone = _AT_FMR(algorithm=result.algorithm, **_fnmr(point), fmr=point.point.asked)
        return Summary(alone, result.answers)
    lowest = [one.algorithm for one, other in ordered if other.point.fnmr == point.point.fnmr]
    told = _LOWEST_OF(names=_listed(lowest), few=len(lowest), fmr=point.point.asked, n=len(ordered))
    return Summary(told, result.answers)


def _searched(results: Sequence[SearchEstimates]) -> Summary:
    result = min(results, key=lambda one: one.points[0].point.fnir)
    one = result.points[0]
    p = one.point
    asked = _THIS_FPIR() if p.asked is None else _AN_FPIR(fpir=p.asked)
    few = p.n_nonmated < _FEWEST_SEARCHES
    # Below one false positive among the searches a rate is reached only by having none, which bounds it but does not show it.
    if few or (p.asked is not None and p.asked * p.n_nonmated < 1):
        why = _FEW_SEARCHES(n=_FEWEST_SEARCHES) if few else _COARSE(rate=1 / p.n_nonmated)
        return Summary(_NOT_MEASURABLE(asked=asked, searches=p.n_nonmated, why=why), result.answers)
    low, high = one.fnir
    told = _SEARCHED(
        algorithm=result.algorithm,
        rate=p.fnir,
        low=low,
        high=high,
        asked=asked,
        fpir=p.fpir,
        searches=p.n_nonmated,
    )
    untested = (_FEWEST_MISSES(n=len(results)),) if len(results) > 1 else ()
    return Summary(told, result.answers, untested)


def _chosen(result: VirtualExperiments, level: float) -> Summary:
    best = max(result.algorithms, key=lambda name: result.rate(name).mean)
    spread = result.rate(best)
    low, high = spread.interval(level)
    told = _CHOSEN(algorithm=best, rate=spread.mean, level=level, low=low, high=high)
    return Summary(told, result.answers)
