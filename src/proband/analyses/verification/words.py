"""Sentences on verification: notes on the rates, verdict, diagnostics and methods paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from proband.analyses.verification.run import Verified
from proband.inference.verification.groups import Differential
from proband.inference.verification.people.hard_subjects import SIGNIFICANCE, HardSubjects
from proband.inference.verification.results import Verification, VerificationPoint
from proband.measures.pair_measures import AUC, EER
from proband.measures.verification import SUPPORTED
from proband.report.charts.makers.concentration import Concentration, shared_errors
from proband.report.kinds.verdicts import listed
from proband.report.methods_text import MethodsText
from proband.report.notes import UNSUPPORTED, answered, is_caution
from proband.report.scene import Scene
from proband.report.standings import Standing
from proband.report.view import Summary
from proband.results.compared import metrics_statement
from proband.results.estimate import Estimate
from proband.words import Note, Sentence, as_sentence, given, p_value

_VERIFIED = "{algorithm}: FNMR {rate:rate} [{low:rate}, {high:rate}] at "
_AT_FMR = Sentence("verdict.fnmr-at-fmr", "note", _VERIFIED + "an FMR of {fmr:given}")
_AT_THRESHOLD = Sentence(
    "verdict.fnmr-at-threshold", "note", _VERIFIED + "the threshold {threshold:threshold}"
)
_LOWEST_OF = Sentence(
    "verdict.lowest-fnmr-of",
    "note",
    "Of {n:count algorithm}, {names} {few:word has/have} the lowest FNMR at an FMR of {fmr:given}; differences were not tested",
)
_RATE = Sentence("verdict.rate", "note", "{algorithm} {rate:rate} [{low:rate}, {high:rate}]")
_LOWER = Sentence("verdict.lower-fnmr", "note", "{names} has the lower FNMR")
_LOWEST = Sentence("verdict.lowest-fnmr", "note", "{names} {few:word has/have} the lowest FNMR")
_IN_VERIFICATION = Sentence(
    "verdict.in-verification",
    "caution",
    "In verification at an FMR of {fmr:given}, {ahead} ({rates:row}); not tested",
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
    "For FNMR at a target FMR, the threshold is re-estimated in every bootstrap replicate of people",
)
_RULE_OF_30 = Sentence("methods.rule-of-30", "note", "Rates that rest on fewer than 30 errors are marked")
_GROUPS = Sentence(
    "methods.groups",
    "note",
    "Error rates by {columns:names} use a common threshold and only comparisons within a group",
)
_CONCENTRATION = Sentence(
    "methods.concentration",
    "note",
    "Concentration of errors on people was tested by reassigning errors at random",
)
_VERIFICATION = Sentence("diagnostics.verification", "note", "verification, {algorithm}")
_NOTED = Sentence("diagnostics.rate", "note", "{algorithm}, {rate}")
_NOTED_AT = Sentence("diagnostics.rate-at", "note", "{algorithm}, {rate} at FMR {fmr:given}")
_UNSUPPORTED_AT_TARGET = Sentence(
    "verification.rates-of-few-errors-at-target",
    "mark",
    "* based on fewer than {least} errors, or on a threshold set by fewer than {least} false matches (rule of {least})",
)
_NOTED_BY = Sentence(
    "diagnostics.rate-by", "note", "{algorithm}, {rate} at the threshold {threshold:threshold}"
)
_COMPARISONS = Sentence(
    "verification.comparisons",
    "note",
    "{people:count person/people}; a comparison is accepted if its score reaches the threshold",
)
_PAIRS = Sentence(
    "verification.pairs-of-nobody",
    "note",
    "Pairs without subject IDs; a comparison is accepted if its score reaches the threshold",
)
_EER = Sentence(
    "verification.eer",
    "note",
    "{algorithm}: EER {eer:rate} (FMR = FNMR, or their mean where they are closest), AUC {auc:rate}",
)
_EER_AND_AREA = Sentence(
    "verification.eer-and-area",
    "note",
    "{algorithm}: EER {eer:rate} (FMR = FNMR, or their mean where they are closest), AUC {auc:rate} [{auc_low:rate}, {auc_high:rate}], "
    "assuming independent pairs",
)
_EER_INTERVAL = Sentence(
    "verification.eer-interval",
    "note",
    "{algorithm}: EER {eer:rate} [{eer_low:rate}, {eer_high:rate}] (FMR = FNMR, or their mean where they are closest), AUC {auc:rate} "
    "[{auc_low:rate}, {auc_high:rate}], over people",
)
_OF_SUMMARY = Sentence("verification.of-summary", "caution", "{algorithm}, {which}: {note}")
_OF_RATE = Sentence("verification.of-rate", "caution", "{rate}: {note}")
_FAILED = Sentence(
    "verification.failures-to-acquire",
    "caution",
    "Failures to acquire: {genuine:count} genuine and {impostor:count impostor comparison} {impostor:word is/are} missing. FMR and FNMR "
    "leave them out; counting them, the false reject rate at the first operating point is {frr:rates_of}",
)
_WHICH_RATE = Sentence(
    "verification.which-rate",
    "mark",
    "People differ in their number of comparisons: quote FNMR for the comparisons of this test and FNMR by person for new people",
)
_NO_FALSE_MATCH = Sentence(
    "verification.no-false-match", "note", "{algorithm}: no false match was observed; {notes:parts}"
)
_NO_FALSE_MATCH_BELOW = Sentence(
    "verification.no-false-match-below",
    "note",
    "{algorithm}: no false match was observed; the rate is below {high:small}",
)
_INTERVALS = Sentence(
    "verification.intervals",
    "note",
    "Intervals: {level:level}; of FNMR at a target FMR with the threshold re-estimated in resamples of "
    "people, all others at a fixed threshold. What varies: {varying}. Held fixed: {fixed}. Assumed: "
    "{assuming}",
)
_INTERVALS_OF_PAIRS = Sentence(
    "verification.intervals-of-pairs",
    "note",
    "Intervals: {level:level}, at the threshold held fixed. What varies: {varying}. Held fixed: {fixed}. "
    "Assumed: {assuming}",
)


_FOLDS = Sentence("verification.folds", "note", "Each fold's threshold is chosen on the other folds")
_FOLDS_ERROR = Sentence(
    "verification.folds-error",
    "note",
    "The standard error is the protocol's, over folds; it does not account for people who are in several pairs",
)


_FNMR_AT = "fnmr@"
_OF_PAIRS = (_FNMR_AT, AUC.key, EER.key)


def lowest_fnmr_first(results: Sequence[Verification]) -> list[tuple[Verification, VerificationPoint]]:
    """Every algorithm at the first target FMR, lowest FNMR first; empty if only thresholds were requested."""
    points = [(one, next((p for p in one.points if p.target_fmr is not None), None)) for one in results]
    made = [(one, point) for one, point in points if point is not None]
    return sorted(made, key=lambda pair: pair[1].fnmr.value)


def summary_of(results: Sequence[Verification]) -> Summary:
    """The lowest FNMR, or the FNMR of a single algorithm."""
    ordered = lowest_fnmr_first(results)
    if not ordered:  # thresholds differ in what they mean, so the first speaks for itself
        result, point = results[0], results[0].points[0]
        at = _AT_THRESHOLD(algorithm=result.algorithm, **_fnmr(point), threshold=point.threshold)
        return Summary(at, result.answers, precedence=40)
    result, point = ordered[0]
    if len(ordered) == 1:
        alone = _AT_FMR(algorithm=result.algorithm, **_fnmr(point), fmr=point.target_fmr)
        return Summary(alone, result.answers, precedence=40)
    lowest = [one.algorithm for one, other in ordered if other.fnmr.value == point.fnmr.value]
    told = _LOWEST_OF(names=listed(lowest), few=len(lowest), fmr=point.target_fmr, n=len(ordered))
    return Summary(told, result.answers, precedence=40)


def other_way(results: Sequence[Verification], scene: Scene) -> list[Note]:
    """What verification adds to identification, if it separates the best algorithms or favours another."""
    leader_of = scene.standings
    if leader_of is None and not scene.judged:
        return []
    if leader_of is not None and leader_of.estimates[0].answers.of.key.startswith(_OF_PAIRS):
        return []
    compared = (one.answers.of.key for view, part in scene.parts.values() for one in view.replicated(part))
    if any(key.startswith(_FNMR_AT) for key in compared):
        return []
    best = {one.algorithm: (one, point) for one, point in lowest_fnmr_first(results)}
    leaders = [name for name in scene.order if name in best][:2]
    if len(leaders) < 2:
        return []
    lowest, leader = next(iter(best)), leaders[0]
    fnmr = {name: point.fnmr.value for name, (_, point) in best.items()}
    if fnmr[lowest] == fnmr[leader]:
        lowest = leader  # nobody is ahead of it
    if lowest == leader and fnmr[leaders[0]] == fnmr[leaders[1]]:
        return []
    asked = best[lowest][1].target_fmr
    assert asked is not None  # points of thresholds are not among the best
    told = leaders if lowest == leader else [lowest, leader]
    rates = tuple(_RATE(algorithm=name, **_fnmr(best[name][1])) for name in told)
    tied = [name for name in best if fnmr[name] == fnmr[lowest]]
    ahead = _LOWEST(names=listed(tied), few=len(tied)) if len(best) > 2 else _LOWER(names=lowest)
    return [_IN_VERIFICATION(fmr=asked, ahead=ahead, rates=rates)]


def _fnmr(point: VerificationPoint) -> dict[str, float]:
    return {"rate": point.fnmr.value, "low": point.fnmr.low, "high": point.fnmr.high}


def standing_estimates(results: Sequence[Verification]) -> tuple[str, list[Standing]] | None:
    """The algorithms in order at the first false match rate, where there are several."""
    ordered = lowest_fnmr_first(results)
    if len(ordered) < 2:
        return None
    rows = [
        Standing(
            one.algorithm,
            point.fnmr.value,
            point.fnmr.low,
            point.fnmr.high,
            one.answers,
        )
        for one, point in ordered
    ]
    asked = ordered[0][1].target_fmr
    return (f"FNMR at an FMR of {given(asked)}" if asked is not None else "FNMR"), rows


def noted(results: Sequence[Verification]) -> list[tuple[Note, Sequence[Note | str]]]:
    """Notes on each algorithm and on each of its rates."""
    made: list[tuple[Note, Sequence[Note | str]]] = [
        (_VERIFICATION(algorithm=one.algorithm), one.notes) for one in results
    ]
    for result in results:
        for point in result.points:
            made += [
                (_rate_at(result, name, point), one.notes)
                for name, one in (("FMR", point.fmr), ("FNMR", point.fnmr))
            ]
    return made


def say_methods(found: Verified, text: MethodsText) -> None:
    """Describe how error rates were estimated."""
    if found.verification:
        first = found.verification[0]
        counts = first.rates.counts
        text.say(
            _OVER(genuine=counts.n_genuine, impostor=counts.n_impostor, people=first.n_subjects),
            "iso19795-1", "martin1997",
        )  # fmt: skip
        points = [point for one in found.verification for point in one.points]
        text.say_methods(_FMR_INTERVALS, (point.fmr.method for point in points))
        text.say_methods(_FNMR_INTERVALS, (point.fnmr_at_threshold.method for point in points))
        if any(point.re_estimated is not None for point in points):
            text.say(_RE_ESTIMATED(), "efron1979")
        text.say(_RULE_OF_30(), "doddington2000")
    if found.groups:
        columns = dict.fromkeys(one.column for one in found.groups)
        text.say(_GROUPS(columns=tuple(columns)), "iso19795-10")
    if found.hard_subjects:
        text.say(_CONCENTRATION(), "doddington1998")


def _rate_at(result: Verification, rate: str, point: VerificationPoint) -> Note:
    """Which rate of which algorithm, and where."""
    whose = {"algorithm": result.algorithm, "rate": rate}
    if point.target_fmr is None:
        return _NOTED(**whose) if point.threshold is None else _NOTED_BY(**whose, threshold=point.threshold)
    return _NOTED_AT(**whose, fmr=point.target_fmr)


def folds_statements() -> list[Note]:
    """Explain accuracies over folds of pairs, one note each."""
    return [_FOLDS(), _FOLDS_ERROR()]


def verification_statements(results: Sequence[Verification]) -> list[Note]:
    """Explain the numbers, one note each."""
    first = results[0]
    counts = first.rates.counts
    said: list[Note] = [
        _COMPARISONS(people=first.n_subjects) if first.n_subjects else _PAIRS(),
        *dict.fromkeys(one.compared.statement() for one in results),
        metrics_statement((one.algorithm, one.compared.metric) for one in results),
        *map(_summary, results),
        *(note for one in results for note in (*_of_summaries(one), *_of_rates(one))),
    ]
    if counts.n_failed_genuine or counts.n_failed_impostor:
        frr = tuple((one.algorithm, one.points[0].counts.frr) for one in results)
        said.append(_FAILED(genuine=counts.n_failed_genuine, impostor=counts.n_failed_impostor, frr=frr))
    said += few_errors_marks([point for one in results for point in one.points])
    if any(point.by_person is not None for one in results for point in one.points):
        said.append(_WHICH_RATE())
    for one in results:
        unmatched = next((point.fmr for point in one.points if point.counts.false_matches == 0), None)
        if unmatched is not None:
            said.append(_nothing(one.algorithm, unmatched))
    intervals = _INTERVALS if first.n_subjects else _INTERVALS_OF_PAIRS
    said.append(answered(first.answers, intervals, level=first.confidence_level))
    return said + list(dict.fromkeys(note for one in results for note in one.notes))


def few_errors_marks(points: Sequence[VerificationPoint]) -> list[Note]:
    """Meaning of the asterisk in a table of operating points, if used."""
    if all(rate.supported for point in points for _, rate in _shown(point)):
        return []
    by_threshold = any(not at.fnmr.supported and at.fnmr_at_threshold.supported for at in points)
    return [(_UNSUPPORTED_AT_TARGET if by_threshold else UNSUPPORTED)(least=SUPPORTED)]


def _shown(point: VerificationPoint) -> list[tuple[str, Estimate]]:
    """The rates that are shown first: FNMR, and FMR at a requested threshold."""
    return [("FNMR", point.fnmr), *([("FMR", point.fmr)] if point.target_fmr is None else [])]


def _of_rates(one: Verification) -> list[Note]:
    """Cautions on the rates that are shown first, of which several may be on one rate."""
    return [
        _OF_RATE(rate=_rate_at(one, name, point), note=note)
        for point in one.points
        for name, rate in _shown(point)
        for note in rate.notes
        if is_caution(note)
    ]


def _summary(one: Verification) -> Note:
    eer, auc = one.eer, one.auc
    values = {"algorithm": one.algorithm, "eer": eer.value, "auc": auc.value}
    if not eer.has_interval and auc.has_interval and auc.rests_on.n_units is None:
        return _EER_AND_AREA(**values, auc_low=auc.low, auc_high=auc.high)
    if not eer.has_interval or not auc.has_interval:
        return _EER(**values)
    return _EER_INTERVAL(**values, eer_low=eer.low, eer_high=eer.high, auc_low=auc.low, auc_high=auc.high)


def _of_summaries(one: Verification) -> list[Note]:
    """Cautions on the intervals of whole curves."""
    return [
        _OF_SUMMARY(algorithm=one.algorithm, which=which, note=note)
        for which, summary in (("EER", one.eer), ("AUC", one.auc))
        if summary.has_interval  # why there is none is said of the verification
        for note in summary.notes
    ]


def _nothing(algorithm: str, rate: Estimate) -> Note:
    if rate.notes:
        return _NO_FALSE_MATCH(algorithm=algorithm, notes=tuple(rate.notes))
    return _NO_FALSE_MATCH_BELOW(algorithm=algorithm, high=rate.high)


def group_marks(found: Sequence[Differential]) -> list[Note]:
    """Meaning of the asterisk in a table of groups, if used."""
    rates = [rate for one in found for group in one.groups for rate in (group.fnmr, group.fmr)]
    few = any(rate is not None and not rate.supported for rate in rates)
    return [UNSUPPORTED(least=SUPPORTED)] if few else []


def concentration_statements(name: str, one: HardSubjects) -> list[str]:
    """State whether errors fall on some people more often than expected by chance."""
    told = []
    for what, p, test, found, errors, comparisons in (
        ("false non-matches", one.goats_p, one.goats_test, "some people are rejected more often than expected by chance", "false_non_matches", "genuine"),
        ("false matches", one.lambs_p, one.lambs_test, "some people take part in more of them than expected by chance", "false_matches", "impostor"),
    ):  # fmt: skip
        if p is None:
            continue
        shown = p_value(p, test.floor)
        if p > SIGNIFICANCE:
            found = "no evidence of concentration on people"
        elif one.people[errors].sum() > one.people[comparisons].sum() / 2:
            found = "people differ more than expected by chance; most comparisons are errors, so the difference shows in people with few errors, not in people with many"
        elif not _gathered(one, errors, comparisons):
            found += ", although half of the errors fall on no fewer people than expected by chance"
        told.append(f"{name}, {what}: {found} (p {shown}).")
    return told + [f"{name}: {as_sentence(note)}" for note in one.sentences() if note.level == "caution"]


def _gathered(one: HardSubjects, errors: str, comparisons: str) -> bool:
    """Whether half of the errors falls on fewer people than by chance, to the digits that the chart's summary gives."""
    shared = shared_errors(one, errors, comparisons)
    if shared is None:
        return False
    half, expected = Concentration("", *shared).halves()
    return round(half, 3) < round(expected, 3)
