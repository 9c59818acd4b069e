"""Is A better than B? Two or more algorithms on the same probes, or two on independent people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from proband.designs import (
    Binomial,
    Bootstrap,
    Clustered,
    ImageChoice,
    PairedDesign,
    SignFlip,
    StratifiedDesign,
)
from proband.errors import DesignError, UsageError, first_few
from proband.inference.comparisons.cochran import cochran_q
from proband.inference.comparisons.comparison import Comparison, PairComparison
from proband.inference.comparisons.paired import Pair, Tested, paired
from proband.inference.comparisons.verdicts import judged
from proband.inference.estimates.closed import effective_size, people_in
from proband.inference.estimates.estimation import (
    Auto,
    choice_of_images,
    dependence,
    estimate,
    identification_within,
    verification_data,
)
from proband.inference.proportions import Interval, check_level, check_seed, normal_quantile
from proband.inference.strata.estimates import answers_of
from proband.inference.verification.drawings import Drawings
from proband.measures import Outcomes, RecognitionRate
from proband.measures.identification import outcomes_of
from proband.measures.verification import AUC, FNMR
from proband.results.base import Answers
from proband.results.estimate import Estimate
from proband.results.targets import ALGORITHMS_AND_GALLERY, OTHER_PEOPLE, OTHER_PROBES, derived
from proband.samples import Experiment, Pool, Samples
from proband.scores import Scores
from proband.words import Method, Note, Sentence, Target, counted

DEFAULT_MARGIN = 0.01
_FEW_DISCORDANT = 20  # people; below, tests and intervals were simulated to be rough

_INDEPENDENT = Method(
    "two-proportions",
    "two-proportion score test, Newcombe interval, effective sample sizes",
    "a two-proportion score test with Newcombe's interval, counting with effective sample sizes",
    ("newcombe1998", "rao1992"),
)
_BOTH_SETS = Target("people-in-both-sets", "other people in both sets")
_ALGORITHMS_AND_GALLERIES = Target("algorithms-and-galleries", "the algorithms and the galleries")
_APART = Target("people-apart", "people are independent; nobody is in both sets, by their names")
_PERHAPS_SHARED = Target(
    "people-perhaps-shared", "people are independent; whether anybody is in both sets is not known"
)
_EXCHANGEABLE = {
    unit: Target(
        f"{unit}-exchangeable",
        f"{unit} are independent, and without a difference each could as well have gone the other way",
    )
    for unit in ("probes", "people")
}

_SHARED_NAMES = Sentence(
    "comparison.shared-names",
    "caution",
    "{n:count name is/names are} in both tables ({first}); whether they are the same people is not known",
)
_SEVERAL_PROBES = Sentence(
    "comparison.people-are-units", "note", "people have several probes, so people are the units of the tests"
)
_ONE_PROBE = Sentence(
    "comparison.one-probe-each", "note", "each person has one probe, so the test over people is McNemar's"
)
_SWAPPED = Sentence(
    "comparison.swapped",
    "note",
    "the {measure} has no counts to test, so outcomes are swapped and drawn by person",
)
_FRACTIONS = Sentence(
    "comparison.fractions",
    "note",
    "fractions of a success have no counts to test, so outcomes are swapped and drawn by person",
)
_PROBES_AS_UNITS = Sentence(
    "comparison.probes-are-units",
    "caution",
    "probes of one person are taken for independent here, so true null hypotheses are rejected too often",
)
_WORST_DEPENDENCE = Sentence(
    "comparison.dependence", "note", "the rate of {algorithm} by itself: {dependence}"
)
_FEW = Sentence(
    "comparison.few-discordant",
    "caution",
    "fewer than {few:count} people tell these apart, so little can be said: {pairs}",
)

Algorithms = Sequence[Outcomes | Scores] | Mapping[str, Outcomes | Scores]


def compare(
    measure: Any,
    algorithms: Algorithms,
    within: Experiment | Samples | Pool | None = None,
    design: PairedDesign | StratifiedDesign | ImageChoice | Auto = "auto",
    *,
    margin: float | None = None,
    confidence_level: float = 0.95,
    rng: int = 0,
) -> Comparison:
    """Compare two or more algorithms on the same probes.

    Rates are compared by turning each *person's* difference around (a sign-flip permutation test, mid-p): with one probe
    for each person it is McNemar's, with several it stays right where McNemar's rejects far too often. The interval of a
    difference is Tango's score interval, with counts divided by the design effect of the differences. Other measures are
    compared by swapping the algorithms' outcomes person by person, with a paired bootstrap interval. p-values are
    adjusted by Holm's method.

    Parameters
    ----------
    measure
        A recognition rate, a median rank, or a `RankStatistic`.
    algorithms, within
        Outcomes of the same experiment, or scores to be ranked in it; a mapping names them. Or scores and a `Pool`.
    design
        `SignFlip`, `ClusteredMcNemar`, `Binomial` (McNemar over probes), `Bootstrap`, a stratified design (`BRR`, …: both
        algorithms under the same replicates), or ``"auto"``. Over a pool:
        `ImageChoice`, whose intervals are over choices of images while the p-values stay over people.
    margin
        The smallest difference worth having, for the verdict and for the number of people needed: 0.01 for rates, and
        to be declared for other measures.
    """
    check_level(confidence_level)
    check_seed(rng)
    is_rate = isinstance(measure, RecognitionRate)
    worth = _margin(margin, is_rate)
    if isinstance(measure, FNMR | AUC):
        return _by_verification(
            measure, algorithms, within, design, margin or DEFAULT_MARGIN, confidence_level, rng
        )
    if isinstance(within, Pool) or isinstance(design, ImageChoice):
        return _over_choices(measure, algorithms, within, design, worth, confidence_level, rng)
    outcomes = _named_outcomes(algorithms, identification_within(within))
    _require_same(outcomes)
    chosen, why = _chosen(measure, outcomes) if design == "auto" else (design, ())
    estimates = tuple(_own(measure, one, chosen, confidence_level, rng) for one in outcomes)
    upward = bool(getattr(measure, "larger_is_better", False))
    found = [
        (a.algorithm, b.algorithm, people_in(a), paired(chosen, Pair(measure, a, b, confidence_level, rng)))
        for a, b in combinations(outcomes, 2)
    ]
    pairs = judged(found, worth, confidence_level, upward, is_rate)
    overall = None
    if is_rate and len(outcomes) > 2 and not any(one.fractional for one in outcomes):
        subjects = np.unique(outcomes[0].subjects, return_inverse=True)[1].astype(np.intp)
        overall = cochran_q(np.column_stack([o.success(measure.rank) for o in outcomes]), subjects, rng)
    binomial = isinstance(chosen, Binomial)
    notes = (*why, *_warned(chosen, outcomes[0]), *_few(pairs), *_dependence(estimates, binomial))
    answers = _answers(measure.estimand, chosen)
    return Comparison(estimates, pairs, overall, worth, confidence_level, answers, notes, upward)


def _by_verification(
    measure: FNMR | AUC,
    algorithms: Algorithms,
    within: Experiment | Samples | Pool | None,
    design: object,
    margin: float,
    level: float,
    seed: int,
) -> Comparison:
    from proband.inference.verification.auc import compare_auc
    from proband.inference.verification.fnmr import compare_fnmr

    named, pairs_within = verified_by_name(algorithms, within, design)
    if isinstance(measure, AUC):
        return compare_auc(measure, named, pairs_within, margin, level)
    (made,) = compare_fnmr([measure], named, pairs_within, [margin], level, Drawings(seed))
    return made


def verified_by_name(
    algorithms: Algorithms, within: Experiment | Samples | Pool | None, design: object = "auto"
) -> tuple[dict[str, Scores], Experiment | Samples]:
    """Check that algorithms can be compared by their comparisons of pairs, and name them."""
    data = list(algorithms.values()) if isinstance(algorithms, Mapping) else list(algorithms)
    scores, pairs_within = verification_data(data, within, design)
    names = list(algorithms) if isinstance(algorithms, Mapping) else [one.name for one in scores]
    if len(scores) < 2 or len(set(names)) < len(names):
        raise UsageError("A comparison needs at least two algorithms, with names of their own.")
    return dict(zip(names, scores, strict=True)), pairs_within


def _over_choices(
    measure: Any,
    algorithms: Algorithms,
    within: Experiment | Samples | Pool | None,
    design: object,
    margin: float | None,
    level: float,
    seed: int,
) -> Comparison:
    from proband.inference.image_choice.estimates import compare_over_choices

    data = algorithms.values() if isinstance(algorithms, Mapping) else algorithms
    scores, pool, chosen = choice_of_images(list(data), within, design)
    names = list(algorithms) if isinstance(algorithms, Mapping) else [one.name for one in scores]
    if len(scores) < 2 or len(set(names)) < len(names):
        raise UsageError("A comparison needs at least two algorithms, with names of their own.")
    return compare_over_choices(
        measure, dict(zip(names, scores, strict=True)), pool, chosen, margin, level, seed
    )


def compare_independent(
    measure: RecognitionRate,
    first: Outcomes,
    second: Outcomes,
    *,
    margin: float = DEFAULT_MARGIN,
    confidence_level: float = 0.95,
) -> Comparison:
    """Compare the rates of two sets of *different* people, such as one algorithm on two data sets.

    A two-proportion score test, and Newcombe's hybrid of two Wilson intervals, with effective sample sizes where people
    have several probes. Nothing is paired, so on the same probes use `compare`, which sees far more.

    Sets drawn from one table must not share people. Names of two tables may mean the same people or others, so names in both
    are reported as what is not known.
    """
    if not isinstance(measure, RecognitionRate):
        raise DesignError(f"The {measure.estimand} of independent people cannot be compared; rates can.")
    if first.experiment.fingerprint == second.experiment.fingerprint:
        raise DesignError("Both were measured on the same probes, which are not independent.", "use compare.")
    assumed, notes = _apart(first, second)
    design = Clustered()
    estimates = [
        estimate(measure, one, design=design, confidence_level=confidence_level) for one in (first, second)
    ]
    tested = _independent(estimates[0], estimates[1], confidence_level)
    people = people_in(first) + people_in(second)
    if first.algorithm == second.algorithm:
        names = (f"{first.algorithm} (first set)", f"{second.algorithm} (second set)")
        estimates = [
            replace(one, facts=replace(one.facts, algorithm=name))
            for one, name in zip(estimates, names, strict=True)
        ]
    pairs = judged(
        [(estimates[0].facts.algorithm, estimates[1].facts.algorithm, people, tested)],
        _margin(margin, True),
        confidence_level,
        True,
        True,
    )
    answers = Answers(_difference(measure.estimand), _BOTH_SETS, _ALGORITHMS_AND_GALLERIES, assumed)
    return Comparison(tuple(estimates), pairs, None, margin, confidence_level, answers, notes)


def _difference(of: Target) -> Target:
    return derived("difference", "difference of {}s", of)


def _apart(first: Outcomes, second: Outcomes) -> tuple[Target, tuple[Note, ...]]:
    """What is known of whether anybody is in both sets; people of one table are refused if somebody is."""
    tables = [one.experiment.samples for one in (first, second)]
    names = [
        {table.subjects[place] for place in np.unique(one.subjects)}
        for table, one in zip(tables, (first, second), strict=True)
    ]
    shared = sorted(names[0] & names[1])
    one_table = tables[0] is tables[1] or (
        tables[0].ids == tables[1].ids and list(tables[0].subjects) == list(tables[1].subjects)
    )
    if shared and one_table:
        raise DesignError(
            f"{counted(len(shared), 'person is', 'people are')} in both sets, which are then not independent: "
            f"{first_few(shared)}.",
            "leave them out of one set; on the same probes use compare.",
        )
    if shared:
        return _PERHAPS_SHARED, (_SHARED_NAMES(n=len(shared), first=first_few(shared)),)
    return _APART, ()


def _independent(first: Estimate, second: Estimate, level: float) -> Tested:
    from scipy.special import ndtr

    sizes = [
        one.facts.n_probes if one.clusters is None else effective_size(one.clusters)
        for one in (first, second)
    ]
    difference = first.value - second.value
    pooled = (first.value * sizes[0] + second.value * sizes[1]) / sum(sizes)
    variance = pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1])
    p_value = 1.0 if variance == 0 else min(1.0, float(2 * ndtr(-abs(difference) / np.sqrt(variance))))
    interval = _newcombe(first, second)
    # Half as wide in the tails: the two one-sided tests of the margin.
    narrow = normal_quantile(2 * level - 1) / normal_quantile(level) if level > 0.5 else 1.0
    one_sided = Interval(
        difference - narrow * (difference - interval.low), difference + narrow * (interval.high - difference)
    )
    error = (interval.high - interval.low) / (2 * normal_quantile(level))
    return Tested(difference, interval, one_sided, error, p_value, _INDEPENDENT)


def _newcombe(first: Estimate, second: Estimate) -> Interval:
    """Newcombe's hybrid: the distances from each rate to the ends of its interval, added in squares."""
    a, b = first.value, second.value
    low = a - b - float(np.hypot(a - first.low, second.high - b))
    high = a - b + float(np.hypot(first.high - a, b - second.low))
    return Interval(max(-1.0, low), min(1.0, high))


def _margin(margin: float | None, is_rate: bool) -> float | None:
    if margin is None:
        return DEFAULT_MARGIN if is_rate else None
    if not margin >= 1e-6 or (is_rate and margin >= 1):
        raise UsageError(
            f"The margin is a difference worth having, above 0 (and of rates below 1), got {margin!r}.",
            "0.01 is one point.",
        )
    return margin


def _named_outcomes(algorithms: Algorithms, within: Experiment | None) -> list[Outcomes]:
    if isinstance(algorithms, Mapping):
        return [replace(outcomes_of(one, within), algorithm=name) for name, one in algorithms.items()]
    return [outcomes_of(one, within) for one in algorithms]


def _require_same(outcomes: Sequence[Outcomes]) -> None:
    if len(outcomes) < 2:
        raise UsageError("A comparison needs at least two algorithms.")
    names = [one.algorithm for one in outcomes]
    if len(set(names)) < len(names):
        raise UsageError(f"Algorithms need names of their own; got {', '.join(names)}.")
    first = outcomes[0]
    for one in outcomes[1:]:
        same = (
            one.experiment.fingerprint == first.experiment.fingerprint
            and np.array_equal(one.probes, first.probes)
            and (one.ties, one.counting, one.on_failure) == (first.ties, first.counting, first.on_failure)
        )
        if not same:
            raise DesignError(
                f"{first.algorithm} and {one.algorithm} were not measured on the same probes in the same way.",
                "for two independent sets of people use compare_independent.",
            )


def _chosen(measure: Any, outcomes: Sequence[Outcomes]) -> tuple[PairedDesign, tuple[Note, ...]]:
    if isinstance(measure, RecognitionRate):
        if any(one.fractional for one in outcomes):
            return Bootstrap("subject"), (_FRACTIONS(),)
        several = people_in(outcomes[0]) < len(outcomes[0])
        return SignFlip(), (_SEVERAL_PROBES() if several else _ONE_PROBE(),)
    return Bootstrap("subject"), (_SWAPPED(measure=measure.estimand),)


def _own(measure: Any, outcomes: Outcomes, design: object, level: float, seed: int) -> Estimate:
    """Each algorithm's own estimate, under the design of the comparison where that is one for estimates."""
    alone: Any = design if isinstance(design, Binomial | Bootstrap | StratifiedDesign) else "auto"
    return estimate(measure, outcomes, design=alone, confidence_level=level, rng=seed)


def _over_probes(design: object) -> bool:
    return isinstance(design, Binomial) or (isinstance(design, Bootstrap) and design.unit == "probe")


def _warned(design: object, outcomes: Outcomes) -> tuple[Note, ...]:
    several = people_in(outcomes) < len(outcomes)
    return (_PROBES_AS_UNITS(),) if several and _over_probes(design) else ()


def _dependence(estimates: Sequence[Estimate], this_is_binomial: bool) -> tuple[Note, ...]:
    """What is to be said of the algorithm for which shared people matter most, by name."""
    shared = [(one.clusters, one.facts.algorithm) for one in estimates if one.clusters is not None]
    if not shared:
        return ()
    clusters, name = max(shared, key=lambda one: one[0].design_effect)
    said = dependence(clusters, this_is_binomial)
    return tuple(_WORST_DEPENDENCE(algorithm=name, dependence=one) for one in said)


def _few(pairs: Sequence[PairComparison]) -> tuple[Note, ...]:
    few = [
        f"{pair.first} and {pair.second} ({pair.n_discordant_subjects})"
        for pair in pairs
        if pair.n_discordant_subjects is not None and pair.n_discordant_subjects < _FEW_DISCORDANT
    ]
    if not few:
        return ()
    return (_FEW(few=_FEW_DISCORDANT, pairs=first_few(few)),)


def _answers(of: Target, design: object) -> Answers:
    if isinstance(design, StratifiedDesign):
        return replace(answers_of(of, design), of=_difference(of))
    over_probes = _over_probes(design)
    return Answers(
        _difference(of),
        OTHER_PROBES if over_probes else OTHER_PEOPLE,
        ALGORITHMS_AND_GALLERY,
        _EXCHANGEABLE["probes" if over_probes else "people"],
    )
