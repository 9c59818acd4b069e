"""Verification in words: the verdict, diagnostics and the methods paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from proband.analyses.verification.run import Verified
from proband.inference.verification.results import Verification, VerificationPoint
from proband.measures.pair_measures import AUC, EER, FNMR
from proband.report import cells
from proband.report.kinds.verdicts import listed
from proband.report.methods_text import MethodsText
from proband.report.scene import Scene
from proband.report.standings import Standing
from proband.report.table import Table
from proband.report.view import Summary
from proband.words import Note, Sentence, given

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
_RATE = Sentence("verdict.rate", "note", "{algorithm} {rate:rate} [{low:rate}, {high:rate}]")
_LOWER = Sentence("verdict.lower-fnmr", "note", "{names} has the lower FNMR")
_LOWEST = Sentence("verdict.lowest-fnmr", "note", "{names} {few:word has/have} the lowest FNMR")
_OTHERWISE = "In verification at an FMR of {fmr:given}, {ahead} ({rates:row}): not tested here"
_IN_VERIFICATION = Sentence("verdict.in-verification", "caution", _OTHERWISE)
_STUDY_IN_VERIFICATION = Sentence(
    "verdict.study-in-verification",
    "caution",
    _OTHERWISE + "; add [[comparison]] fnmr_at = {fmr:given} to the study",
)
_OVER = Sentence(
    "methods.verification",
    "note",
    "Verification over {genuine:count} genuine and {impostor:count impostor comparison} of {people:count person/people}, every "
    "comparison counted; error rates leave out failures to acquire",
)
_FMR_INTERVALS = Sentence("methods.fmr-intervals", "note", "Intervals of FMR: {methods:parts}")
_FNMR_INTERVALS = Sentence("methods.fnmr-intervals", "note", "Intervals of FNMR: {methods:parts}")
_RE_ESTIMATED = Sentence(
    "methods.fnmr-at-fmr",
    "note",
    "FNMR at a target FMR re-estimates the threshold in every bootstrap replicate of people",
)
_RULE_OF_30 = Sentence("methods.rule-of-30", "note", "Rates that rest on fewer than 30 errors are marked")
_GROUPS = Sentence(
    "methods.groups",
    "note",
    "Error rates by {columns:names} use one threshold for all groups, and comparisons within a group",
)
_CONCENTRATION = Sentence(
    "methods.concentration",
    "note",
    "Concentration of errors on people was tested by reassigning errors at random",
)
_INTERVALS = Sentence("diagnostics.intervals", "note", "{rate}: {method}")
_VERIFICATION = Sentence("diagnostics.verification", "note", "verification, {algorithm}")
_NOTED = Sentence("diagnostics.rate", "note", "{algorithm}, {rate}")
_NOTED_AT = Sentence("diagnostics.rate-at", "note", "{algorithm}, {rate} at FMR {fmr:given}")


def lowest_fnmr_first(results: Sequence[Verification]) -> list[tuple[Verification, VerificationPoint]]:
    """Every algorithm at the first false match rate asked for, the lowest FNMR first; empty where only thresholds were."""
    points = [(one, next((p for p in one.points if p.point.asked is not None), None)) for one in results]
    made = [(one, point) for one, point in points if point is not None]
    return sorted(made, key=lambda pair: pair[1].point.fnmr)


def summary_of(results: Sequence[Verification]) -> Summary:
    """The lowest FNMR, or that of the only algorithm."""
    ordered = lowest_fnmr_first(results)
    if not ordered:  # thresholds differ in what they mean, so the first speaks for itself
        result, point = results[0], results[0].points[0]
        at = _AT_THRESHOLD(algorithm=result.algorithm, **_fnmr(point), threshold=point.point.threshold)
        return Summary(at, result.answers, precedence=40)
    result, point = ordered[0]
    if len(ordered) == 1:
        alone = _AT_FMR(algorithm=result.algorithm, **_fnmr(point), fmr=point.point.asked)
        return Summary(alone, result.answers, precedence=40)
    lowest = [one.algorithm for one, other in ordered if other.point.fnmr == point.point.fnmr]
    told = _LOWEST_OF(names=listed(lowest), few=len(lowest), fmr=point.point.asked, n=len(ordered))
    return Summary(told, result.answers, precedence=40)


def other_way(results: Sequence[Verification], scene: Scene) -> list[Note]:
    """What verification says where it was done beside identification, if it tells the best apart or names another."""
    leader_of = scene.standings
    if leader_of is None and not scene.judged:
        return []
    if leader_of is not None and leader_of.estimates[0].answers.of.key in (FNMR.key, AUC.key, EER.key):
        return []
    compared = (one.answers.of.key for view, part in scene.parts.values() for one in view.replicated(part))
    if FNMR.key in compared:
        return []
    best = {one.algorithm: (one, point) for one, point in lowest_fnmr_first(results)}
    leaders = [name for name in scene.order if name in best][:2]
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
    ahead = _LOWEST(names=listed(tied), few=len(tied)) if len(best) > 2 else _LOWER(names=lowest)
    said = _STUDY_IN_VERIFICATION if scene.found.provenance.study else _IN_VERIFICATION
    return [said(fmr=asked, ahead=ahead, rates=rates)]


def _fnmr(point: VerificationPoint) -> dict[str, float]:
    low, high = (point.fnmr.low, point.fnmr.high) if point.fnmr_at_fmr is None else point.fnmr_at_fmr
    return {"rate": point.point.fnmr, "low": low, "high": high}


def standing_estimates(results: Sequence[Verification]) -> tuple[str, list[Standing]] | None:
    """The algorithms in order at the first false match rate, where there are several."""
    ordered = lowest_fnmr_first(results)
    if len(ordered) < 2:
        return None
    rows = [
        Standing(
            one.algorithm,
            point.point.fnmr,
            *(point.fnmr_at_fmr or (point.fnmr.low, point.fnmr.high)),
            one.answers,
        )
        for one, point in ordered
    ]
    asked = ordered[0][1].point.asked
    return (f"FNMR at an FMR of {given(asked)}" if asked is not None else "FNMR"), rows


def noted(results: Sequence[Verification]) -> list[tuple[Note, Sequence[Note | str]]]:
    """What was noted of each algorithm, and of each of its rates."""
    made: list[tuple[Note, Sequence[Note | str]]] = [
        (_VERIFICATION(algorithm=one.algorithm), one.notes) for one in results
    ]
    for result in results:
        for point in result.points:
            made += [
                (rate_of(result, name, point.point.asked), one.notes)
                for name, one in (("FMR", point.fmr), ("FNMR", point.fnmr))
            ]
    return made


def say_methods(found: Verified, text: MethodsText) -> None:
    """How error rates were estimated."""
    if found.verification:
        first = found.verification[0]
        counts = first.rates.counts
        text.say(
            _OVER(genuine=counts.n_genuine, impostor=counts.n_impostor, people=first.n_subjects),
            "iso19795-1", "martin1997",
        )  # fmt: skip
        points = [point for one in found.verification for point in one.points]
        text.say_methods(_FMR_INTERVALS, (point.fmr.method for point in points))
        text.say_methods(_FNMR_INTERVALS, (point.fnmr.method for point in points))
        if any(point.fnmr_at_fmr is not None for point in points):
            text.say(_RE_ESTIMATED(), "efron1979")
        text.say(_RULE_OF_30(), "doddington2000")
    if found.groups:
        columns = dict.fromkeys(one.column for one in found.groups)
        text.say(_GROUPS(columns=tuple(columns)), "iso19795-10")
    if found.hard_subjects:
        text.say(_CONCENTRATION(), "doddington1998")


def shared_people(results: Sequence[Verification]) -> Table:
    """How many independent comparisons the comparisons of verification are worth."""
    rows = []
    for result in results:
        for point in result.points:
            row = [cells.text_cell(result.algorithm), cells.threshold_cell(point.point.threshold)]
            for one in (point.fmr, point.fnmr):
                worth = one.n / one.n_effective if one.n_effective > 0 else None
                row += [
                    cells.count_cell(one.n),
                    cells.fixed_cell(one.n_effective, 0),
                    cells.fixed_cell(worth, 1),
                ]
            rows.append(row)
    heads = cells.columns(
        "algorithm", "threshold", "impostor comparisons", "effective", "design effect", "genuine comparisons", "effective", "design effect"
    )  # fmt: skip
    told = dict.fromkeys(
        _INTERVALS(rate=name, method=one.method)
        for result in results
        for point in result.points
        for name, one in (("FMR", point.fmr), ("FNMR", point.fnmr))
    )
    return cells.table(
        "shared-people", "Comparisons that share a person are not independent", heads, rows, told
    )


def rate_of(result: Verification, rate: str, fmr: float | None) -> Note:
    """Which rate of which algorithm."""
    whose = {"algorithm": result.algorithm, "rate": rate}
    return _NOTED(**whose) if fmr is None else _NOTED_AT(**whose, fmr=fmr)
