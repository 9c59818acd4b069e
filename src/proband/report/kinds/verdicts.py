"""Verdicts of comparisons in sentences: leaders, pairs, and data needed to decide."""

from __future__ import annotations

from collections.abc import Sequence

from proband.inference import Comparison, Estimate
from proband.inference.comparisons.comparison import Standings
from proband.inference.planning.sizes import POWER
from proband.report.kinds.comparisons import given_twice, weighted_by
from proband.report.view import Summary
from proband.results.difference import NOTHING_VARIES, Difference, margin_of, turned
from proband.results.estimate import which_rate
from proband.words import Note, Sentence

_TESTED = Sentence("verdict.tested", "note", "{of} {effect}, p {p:p}")
_ADJUSTED = Sentence("verdict.tested-adjusted", "note", "{of} {effect}, adjusted p {p:p}")
_TELLS_APART = Sentence(
    "verdict.choices-apart",
    "note",
    "Over choices of images of these people, {first} against {second}: {of} {effect}. The test over people finds a "
    "significant difference (p {p:p})",
)
_NOT_APART = Sentence(
    "verdict.choices-not-apart",
    "note",
    "Over choices of images of these people, {first} against {second}: {of} {effect}. The test over people finds no "
    "significant difference (p {p:p})",
)
_DECIDED = Sentence("verdict.decided", "note", "{first} is {verdict} than {second}: {tested}")
_WITHIN = Sentence(
    "verdict.within-margin", "note", "The difference is real but smaller than {margin} ({bounds})"
)
_EQUIVALENT = Sentence(
    "verdict.equivalent",
    "note",
    "{first} and {second} are equivalent within {margin}: {of} {effect}, {bounds}",
)
_UNDECIDED = Sentence(
    "verdict.undecided", "note", "Whether {first} or {second} is better is undecided: {tested}"
)
_NO_MARGIN = Sentence(
    "verdict.no-margin",
    "note",
    "No margin was declared, so equivalence cannot be shown",
)
_NOT_WORSE = Sentence(
    "verdict.not-worse", "note", "{first} is not worse than {second} by {margin} or more ({bounds})"
)
_NEEDED = Sentence(
    "verdict.units-needed",
    "note",
    "About {n:count} {units} would be needed to detect a true difference of {margin} with a power of "
    "{power:level}; this study has {have:count}",
)
_LARGER = Sentence(
    "verdict.larger-test",
    "note",
    "A larger test is needed to decide; the smallest difference of interest is {margin}",
)
_MOST_LISTED = 4
_MOST_TOLD = 2  # pairs whose verdict depends on the weights, each in a sentence of its own
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
_OF_PAIR = Sentence("verdict.of-pair", "caution", "{first} against {second}: {told}")
_OF_PAIRS = Sentence(
    "verdict.of-pairs",
    "caution",
    "{unit:capital}-weighted, {n:count comparison} with the leading group would have a different verdict: {pairs}",
)
_PAIR = Sentence("verdict.pair", "note", "{first} against {second}")
_RATE_OF = Sentence(
    "verdict.rate-of-items",
    "note",
    "{algorithm}: {of} {rate:rate} [{low:rate}, {high:rate}] over {n:count sample}",
)


def best_two(comparison: Standings) -> Difference:
    """The best against the second best."""
    best, second = (one.algorithm for one in comparison.ordered[:2])
    pair = next(one for one in comparison.pairs if {one.first, one.second} == {best, second})
    return pair if pair.first == best else turned(pair)


def pair_verdict(pair: Difference, comparison: Standings) -> Note:
    """The verdict on two algorithms from the interval and the adjusted test."""
    both = {"first": pair.first, "second": pair.second}
    n_pairs = len(comparison.pairs)
    shown = {"of": comparison.estimates[0].answers.of, "effect": pair.effect}
    p = pair.p_with_floor
    if pair.n_trials is not None:
        shown["effect"] = pair.effect_over_choices
        return (_TELLS_APART if pair.told_apart else _NOT_APART)(**both, **shown, p=p)
    tested = (_ADJUSTED if n_pairs > 1 else _TESTED)(**shown, p=p)
    if pair.verdict in ("better", "worse"):
        return _DECIDED(**both, verdict=pair.verdict, tested=tested)
    if pair.verdict == "equivalent" and comparison.margin is not None:
        return _EQUIVALENT(
            **both, **shown, margin=margin_of(comparison.margin, pair.in_points), bounds=pair.bounds
        )
    return _UNDECIDED(**both, tested=tested)


def what_would_decide(pair: Difference, comparison: Comparison) -> list[Note]:
    """For an undecided pair: the number of people or probes needed, or a note that no margin was declared."""
    if pair.told_apart and pair.within_margin:
        return [_WITHIN(margin=margin_of(pair.margin, pair.in_points), bounds=pair.bounds)]
    if pair.verdict != "undecided" or pair.n_trials is not None:
        return []
    if not pair.varies:
        still = NOTHING_VARIES()
        if len(comparison.pairs) > 1:  # other pairs may vary
            still = _OF_PAIR(first=pair.first, second=pair.second, told=still)
        return [still]
    if comparison.margin is None:
        return [_NO_MARGIN()]
    worth = margin_of(comparison.margin, pair.in_points)
    said = (
        [_NOT_WORSE(first=pair.first, second=pair.second, margin=worth, bounds=pair.bounds)]
        if pair.not_inferior
        else []
    )
    if pair.subjects_needed is not None:
        rests_on = comparison.estimates[0].rests_on
        have = rests_on.n if pair.unit == "probe" else rests_on.n_units
        needed = {"n": pair.subjects_needed, "units": pair.units_needed, "have": have}
        said.append(_NEEDED(**needed, margin=worth, power=POWER))
    return said or [_LARGER(margin=worth)]


def summary_of(comparison: Standings, precedence: float) -> Summary:
    """The headline of a comparison: the leader, and the verdict on two algorithms."""
    if not comparison.all_pairs:
        return _of_chosen(comparison, precedence)
    pair = best_two(comparison)
    needed = what_would_decide(pair, comparison) if isinstance(comparison, Comparison) else []
    rest = (pair_verdict(pair, comparison), *needed)
    return Summary(
        headline(comparison),
        comparison.answers,
        rest,
        _weights(comparison),
        precedence,
        compared=comparison,
    )


def _weights(comparison: Standings) -> tuple[Note, ...]:
    """Which rate to quote, and the pairs for which the other rate gives a different verdict."""
    if not given_twice(comparison):
        return ()
    leaders = leading_group(comparison)
    unit, item = weighted_by(comparison.estimates[0])
    apart = [
        pair
        for pair in comparison.pairs
        if (pair.first in leaders or pair.second in leaders) and pair.of_people()
    ]
    if len(apart) > _MOST_TOLD:
        pairs = listed([_PAIR(first=pair.first, second=pair.second) for pair in apart])
        return (which_rate(unit, item), _OF_PAIRS(unit=unit, n=len(apart), pairs=pairs))
    told = [
        _OF_PAIR(first=pair.first, second=pair.second, told=note)
        for pair in apart
        for note in pair.of_people()
    ]
    return (which_rate(unit, item), *told)


def _of_chosen(comparison: Standings, precedence: float) -> Summary:
    """Pairs that were chosen: how many differ, and the verdict of each."""
    apart = sum(pair.told_apart for pair in comparison.pairs)
    of = comparison.estimates[0].answers.of
    told = _CHOSEN_PAIRS(n=len(comparison.pairs), apart=apart, of=of)
    every = tuple(pair_verdict(pair, comparison) for pair in comparison.pairs)
    return Summary(told, comparison.answers, every, _weights(comparison), precedence, compared=comparison)


def headline(comparison: Standings) -> Note:
    """Name the leading group: algorithms that no other is significantly better than."""
    group, n = leading_group(comparison), len(comparison.estimates)
    of = comparison.estimates[0].answers.of
    if len(group) == 1:
        leader = group[0]
        if n == 2:
            other = comparison.ordered[1].algorithm
            return _LEADS(leader=leader, of=of, other=other)
        return _LEADS_ALL(leader=leader, of=of, others=n - 1)
    among = [pair for pair in comparison.pairs if pair.first in group and pair.second in group]
    told = {"names": listed(group), "of": of}
    if comparison.margin is not None and all(pair.verdict == "equivalent" for pair in among):
        margin = margin_of(comparison.margin, among[0].in_points)
        return (_SAME_ALIKE if len(group) == n else _LEAD_ALIKE)(**told, margin=margin)
    if len(group) == n:
        return _SAME_TWO(**told) if n == 2 else _SAME_ALL(n=n, of=of)
    return (_LEAD_TWO if len(group) == 2 else _LEAD_SOME)(**told)


def listed(names: Sequence[str | Note]) -> Note:
    """Join names for a sentence: all if few, otherwise the first."""
    if len(names) <= _MOST_LISTED:
        return _LISTED(names=tuple(names))
    shown = tuple(names[: _MOST_LISTED - 1])
    return _LISTED_OF_MORE(names=shown, more=len(names) - len(shown))


def leading_group(comparison: Standings) -> list[str]:
    """The algorithms that no other is significantly better than, the best first: no two of them differ significantly."""
    places = comparison.places()
    ordered = (one.algorithm for one in comparison.ordered)
    return [name for name in ordered if places[name][0] == 1]


def rate_of_items(one: Estimate) -> Note:
    """The rate of a single model or system."""
    shown = {"algorithm": one.algorithm, "rate": one.value, "low": one.low, "high": one.high}
    return _RATE_OF(**shown, of=one.answers.of, n=one.rests_on.n)
