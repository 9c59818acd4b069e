"""The sentence to remember: what the best two algorithms show, or how good the only one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from proband.inference import Comparison, Evaluation, OutcomeComparison, OutcomeRate, VirtualExperiments
from proband.inference.comparisons.comparison import Standings
from proband.inference.estimates.evaluation import Entry
from proband.inference.verification.open_set import SearchEstimates
from proband.inference.verification.verification import Verification, VerificationPoint
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.report.page.model import Paragraph, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.pair_verdict import best_two, pair_verdict, what_would_decide
from proband.results.base import Answers
from proband.words import Note, Sentence, as_sentence

if TYPE_CHECKING:
    from proband.study.findings import Findings

_MANY_TIES = 0.1  # of the probes: with more, the tie policy decides
_FEWEST_SEARCHES = 30  # for people not enrolled: with fewer, no false positive rate is measured
_MOST_NAMED = 6

_RATE = Sentence("verdict.rate", "note", "{algorithm} {rate:rate} [{low:rate}, {high:rate}]")
_RATE_OF = Sentence(
    "verdict.rate-of-items",
    "note",
    "{algorithm}: {of} {rate:rate} [{low:rate}, {high:rate}] over {n:count sample}",
)
_BY_THEMSELVES = Sentence(
    "verdict.by-themselves", "note", "By themselves ({of}, {level:level} intervals): {best} and {second}"
)
_BEST_OF = "{best} is significantly better than {beaten:count} of the {others:count} others"
_BEST = Sentence("verdict.best", "note", _BEST_OF)
_BEST_BUT = Sentence("verdict.best-but", "note", _BEST_OF + "; not told apart from it: {names}")
_NAMES = Sentence("verdict.names", "note", "{names:row}")
_NAMES_OF_MORE = Sentence("verdict.names-of-more", "note", "{names:row} and {more:count} more")
_TIED = Sentence("verdict.tied", "note", "{algorithm} {tied:count} of {probes:count}")
_TIES = "Probes tied with a non-mate: {tied}; "
_TIES_OF_ONE = Sentence(
    "verdict.ties-of-one", "caution", _TIES + "its result rests on the tie policy ({policy})"
)
_TIES_OF_SOME = Sentence("verdict.ties", "caution", _TIES + "their results rest on the tie policy ({policy})")
_LOWER = Sentence("verdict.lower-fnmr", "note", "{algorithm} has the lower FNMR")
_LOWEST = Sentence("verdict.lowest-fnmr", "note", "{algorithm} has the lowest FNMR")
_OTHERWISE = "In verification at an FMR of {fmr:given}, {ahead} ({rates:row}): not tested here"
_IN_VERIFICATION = Sentence("verdict.in-verification", "caution", _OTHERWISE)
_STUDY_IN_VERIFICATION = Sentence(
    "verdict.study-in-verification",
    "caution",
    _OTHERWISE + "; add [[comparison]] fnmr_at = {fmr:given} to the study",
)
_VARIED = Sentence(
    "verdict.varied",
    "note",
    "Intervals and tests speak of {varying}. Held fixed: {fixed}. Assumed: {assuming}",
)
_OF_PROBES = "at rank {rank}, of {probes:count probe} of {people:count person/people}"
_EVALUATED = Sentence(
    "verdict.evaluated",
    "note",
    "{algorithm}: recognition rate {rate:rate} [{low:rate}, {high:rate}] " + _OF_PROBES,
)
_EVALUATED_ALONE = Sentence(
    "verdict.evaluated-without-interval", "note", "{algorithm}: recognition rate {rate:rate} " + _OF_PROBES
)
_HIGHEST_RATE = Sentence(
    "verdict.highest-rate",
    "caution",
    "It has the highest rate of {n:count} algorithms here; whether it is better was not tested",
)
_VERIFIED = "{algorithm}: FNMR {rate:rate} [{low:rate}, {high:rate}] at "
_AT_FMR = Sentence("verdict.fnmr-at-fmr", "note", _VERIFIED + "an FMR of {fmr:given}")
_AT_THRESHOLD = Sentence(
    "verdict.fnmr-at-threshold", "note", _VERIFIED + "the threshold {threshold:threshold}"
)
_OF_ALGORITHMS = "It has the lowest FNMR of {n:count} algorithms here"
_LOWEST_OF = Sentence("verdict.lowest-fnmr-of", "caution", _OF_ALGORITHMS + "; not tested against the others")
_LOWEST_SHARED = Sentence(
    "verdict.lowest-fnmr-shared",
    "caution",
    _OF_ALGORITHMS + " (as has {names}); not tested against the others",
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
    "It misses the fewest of {n:count} algorithms here; not tested against the others",
)
_CHOSEN = Sentence(
    "verdict.chosen",
    "note",
    "{algorithm}: mean rate {rate:rate} at rank 1 over choices of images, {level:level} of them within [{low:rate}, {high:rate}]",
)


@dataclass(frozen=True)
class Summary:
    """What a study found: the sentence to remember, and those that belong to it."""

    headline: Note
    rest: tuple[Note, ...] = ()


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


@section("verdict", 5)
def verdict_section(found: Findings) -> Section | None:
    """What was found, in a few sentences."""
    told = summary(found)
    if told is None:
        return None
    blocks = [Paragraph(as_sentence(told.headline), strong=True), *said(told.rest)]
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
        told = Summary(found.strat.effects[0].sentence())
    elif found.classification is not None:
        told = _of_items(found.classification.comparison, found.classification.rates[0])
    elif found.outcomes is not None:
        told = _of_items(found.outcomes, found.outcomes.estimates[0])
    else:
        return None
    return replace(told, rest=(*_ties(comparison, evaluation), *_other_way(found), *told.rest))


def _compared(comparison: Comparison) -> Summary:
    pair = best_two(comparison)
    rest = [_rates(comparison), *_field(comparison), *what_would_decide(pair, comparison)]
    return Summary(pair_verdict(pair, comparison), (*rest, _varied(comparison.answers)))


def _of_items(comparison: OutcomeComparison | None, first: OutcomeRate) -> Summary:
    """The best two models or systems, or the only one."""
    if comparison is None:
        shown = {
            "algorithm": first.facts.algorithm,
            "rate": first.value,
            "low": first.low,
            "high": first.high,
        }
        return Summary(_RATE_OF(**shown, of=first.answers.of, n=first.facts.size), (_varied(first.answers),))
    pair = best_two(comparison)
    rest = (_rates(comparison), *_field(comparison), _varied(comparison.answers))
    return Summary(pair_verdict(pair, comparison), rest)


def _rates(comparison: Standings) -> Note:
    best, second = comparison.ordered[:2]
    alone = [
        _RATE(algorithm=one.facts.algorithm, rate=one.value, low=one.low, high=one.high)
        for one in (best, second)
    ]
    return _BY_THEMSELVES(
        of=best.answers.of, level=comparison.confidence_level, best=alone[0], second=alone[1]
    )


def _field(comparison: Standings) -> list[Note]:
    """How the best stands against all others, where there are more than one."""
    n_others = len(comparison.estimates) - 1
    if n_others < 2:
        return []
    best, *others = (one.facts.algorithm for one in comparison.ordered)
    beaten = comparison.beaten_by(best)
    apart = [name for name in others if name not in beaten]
    stands = {"best": best, "beaten": len(beaten), "others": n_others}
    return [_BEST_BUT(**stands, names=_few(apart)) if apart else _BEST(**stands)]


def _few(names: Sequence[Note | str]) -> Note:
    """The first few of many."""
    shown, more = tuple(names[:_MOST_NAMED]), len(names) - _MOST_NAMED
    return _NAMES_OF_MORE(names=shown, more=more) if more > 0 else _NAMES(names=shown)


def _ties(comparison: Comparison | None, evaluation: Evaluation | None) -> list[Note]:
    """A warning where ties decide: of the probes that the verdict is about."""
    if comparison is not None:
        facts = [one.facts for one in comparison.estimates]
    else:
        facts = [] if evaluation is None else [entry.curve.facts for entry in _ordered(evaluation)]
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
    rates = tuple(_RATE(algorithm=name, **_fnmr(best[name][1])) for name in told)
    ahead = (_LOWEST if len(best) > 2 else _LOWER)(algorithm=lowest)
    said = _STUDY_IN_VERIFICATION if found.provenance.study else _IN_VERIFICATION
    return [said(fmr=asked, ahead=ahead, rates=rates)]


def _measure(comparison: Comparison) -> str:
    """The key of what algorithms are compared by."""
    return comparison.estimates[0].answers.of.key


def _by_fnmr(results: Sequence[Verification]) -> list[tuple[Verification, VerificationPoint]]:
    """Every algorithm at the first false match rate asked for, the lowest FNMR first; empty where only thresholds were."""
    points = [(one, next((p for p in one.points if p.point.asked is not None), None)) for one in results]
    made = [(one, point) for one, point in points if point is not None]
    return sorted(made, key=lambda pair: pair[1].point.fnmr)


def _fnmr(point: VerificationPoint) -> dict[str, float]:
    low, high = (point.fnmr.low, point.fnmr.high) if point.fnmr_at_fmr is None else point.fnmr_at_fmr
    return {"rate": point.point.fnmr, "low": low, "high": high}


def _varied(answers: Answers) -> Note:
    return _VARIED(varying=answers.varying, fixed=answers.fixed, assuming=answers.assuming)


def _evaluated(evaluation: Evaluation) -> Summary:
    rank, entries = evaluation.ranks[0], _ordered(evaluation)
    best = entries[0]
    facts, ends = best.curve.facts, best.interval(rank)
    shown = {"algorithm": best.algorithm, "rate": best.curve.at(rank), "rank": rank}
    shown |= {"probes": facts.n_probes, "people": facts.n_probe_subjects}
    headline = (
        _EVALUATED_ALONE(**shown) if ends is None else _EVALUATED(**shown, low=ends.low, high=ends.high)
    )
    untested = [_HIGHEST_RATE(n=len(entries))] if len(entries) > 1 else []
    return Summary(headline, (*untested, _varied(evaluation.answers)))


def _verified(results: Sequence[Verification]) -> Summary:
    ordered = _by_fnmr(results)
    if not ordered:  # thresholds differ in what they mean, so the first speaks for itself
        result, point = results[0], results[0].points[0]
        headline = _AT_THRESHOLD(algorithm=result.algorithm, **_fnmr(point), threshold=point.point.threshold)
        return Summary(headline, (_varied(result.answers),))
    result, point = ordered[0]
    headline = _AT_FMR(algorithm=result.algorithm, **_fnmr(point), fmr=point.point.asked)
    alike = [one.algorithm for one, other in ordered[1:] if other.point.fnmr == point.point.fnmr]
    untested = []
    if len(ordered) > 1:
        n = len(ordered)
        untested = [_LOWEST_SHARED(n=n, names=_few(alike)) if alike else _LOWEST_OF(n=n)]
    return Summary(headline, (*untested, _varied(result.answers)))


def _searched(results: Sequence[SearchEstimates]) -> Summary:
    result = min(results, key=lambda one: one.points[0].point.fnir)
    one = result.points[0]
    p = one.point
    asked = _THIS_FPIR() if p.asked is None else _AN_FPIR(fpir=p.asked)
    varied = _varied(result.answers)
    few = p.n_nonmated < _FEWEST_SEARCHES
    # Below one false positive among the searches a rate is reached only by having none, which bounds it but does not show it.
    if few or (p.asked is not None and p.asked * p.n_nonmated < 1):
        why = _FEW_SEARCHES(n=_FEWEST_SEARCHES) if few else _COARSE(rate=1 / p.n_nonmated)
        return Summary(_NOT_MEASURABLE(asked=asked, searches=p.n_nonmated, why=why), (varied,))
    low, high = one.fnir
    headline = _SEARCHED(
        algorithm=result.algorithm,
        rate=p.fnir,
        low=low,
        high=high,
        asked=asked,
        fpir=p.fpir,
        searches=p.n_nonmated,
    )
    untested = [_FEWEST_MISSES(n=len(results))] if len(results) > 1 else []
    return Summary(headline, (*untested, varied))


def _chosen(result: VirtualExperiments, level: float) -> Summary:
    best = max(result.algorithms, key=lambda name: result.rate(name).mean)
    spread = result.rate(best)
    low, high = spread.interval(level)
    headline = _CHOSEN(algorithm=best, rate=spread.mean, level=level, low=low, high=high)
    return Summary(headline, (_varied(result.answers),))
