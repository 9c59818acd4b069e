"""Sample sizes: people and probes needed for an interval, a difference or a rare error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import expm1, isclose, log1p
from typing import TYPE_CHECKING, Annotated, Any

from proband.distributions import binomial_cdf
from proband.engine.arguments import published
from proband.engine.limits import Level, Power, Rank, Within
from proband.errors import DesignError, UsageError
from proband.inference.planning.plans import (
    Aim,
    DifferencePlan,
    ErrorRatePlan,
    ErrorTrials,
    HalfWidthPlan,
)
from proband.inference.planning.sizes import (
    LARGEST,
    fewest,
    found_within,
    least_margin,
    open_one,
    people_of,
    test_of,
    whole,
)
from proband.inference.planning.widths import TESTS, interval_of_width
from proband.inference.proportions import (
    normal_quantile,
    proportion_interval,
    t_quantile,
    wilson_interval,
)
from proband.results.base import Interval
from proband.words import Sentence, Target, count, size_of as worth_of

if TYPE_CHECKING:
    from proband.inference.planning.pilot import PilotData
    from proband.measures import Outcomes

_HALF_WIDTH = Target("half-width", "half-width of the interval of a rate")
_TRIALS = Target("trials-for-rare-errors", "trials to estimate the rate of a rare error")
_RATE = Sentence("plan.rate-expected", "note", "the rate is {rate:given}")
_SIMULATED = Sentence(
    "plan.simulated",
    "note",
    "the half-width is met in {chance:level} of {n:count} simulated tests, in which the rates of people "
    "have a beta distribution",
)
_SHAPE = Sentence(
    "plan.numbers-vary-much",
    "caution",
    "with numbers of probes this variable, their mean and coefficient of variation do not determine the "
    "width of the interval: specify the numbers of probes per person",
)
_DECLARED = Sentence("plan.margin-declared", "note", "the margin is fixed before the test")
_ROUGH = Sentence(
    "plan.rough", "caution", "with fewer than {few:count} people the normal approximation is rough"
)
_INDEPENDENT = Sentence(
    "plan.independent-trials",
    "note",
    "the rules are for independent trials; trials that share a person are not independent: for them, "
    "multiply the number of trials by the design effect",
)
_SUPPOSED = Sentence(
    "plan.no-error-counts-people",
    "note",
    "without errors, the correlation within people cannot be estimated: estimate takes it from the other "
    "rates of the call, or assumes 0.5, so its interval may be wider than the rule",
)
_NOT_RARE = Sentence("plan.not-rare", "caution", "the rules of 3 and 30 apply to rare errors only")

_FEW = 30  # the normal approximation of a difference is rough with fewer people
_RARE = 0.1  # the rules of 3 and 30 are for rates below
_SLACK = 1e-12  # tolerance for rounding
_LARGE_CV = 1.0  # above this, intervals depend on more than the coefficient of variation
_SIMULATED_TO = 0.002  # the relative precision of the simulated number of people
_TYPICAL = 0.5  # the probability of the half-width without an assurance


_SHARE = "write 0.95 for 95%."
ExpectedRate = Annotated[
    float, Within(ge=0, le=1, said="An expected rate must be between 0 and 1", hint=_SHARE)
]
Discordant = Annotated[
    float, Within(ge=0, le=1, said="A share of probes must be between 0 and 1", hint=_SHARE)
]
HalfWidth = Annotated[
    float,
    Within(
        gt=0,
        lt=0.5,
        said="A half-width must be between 0 and 0.5",
        hint="for example, 0.01 is one percentage point.",
    ),
]
PlannedMargin = Annotated[
    float,
    Within(
        gt=0, lt=1, said="A margin must be between 0 and 1", hint="for example, 0.01 is one percentage point."
    ),
]
Assurance = Annotated[
    float, Within(ge=0.5, lt=1, said="An assurance must be between 0.5 and 1", hint="use 0.8, for example.")
]
ErrorRate = Annotated[
    float,
    Within(
        gt=0, lt=1, said="An error rate must be between 0 and 1", hint="for example, 0.001 is one in 1,000."
    ),
]


@published
def plan_half_width(
    rate: ExpectedRate | None = None,
    half_width: HalfWidth | None = None,
    *,
    pilot: Outcomes | None = None,
    rank: Rank = 1,
    subjects: int | None = None,
    probes_per_subject: float | Sequence[int] | None = None,
    probes_cv: float = 0.0,
    icc: float | None = None,
    assurance: Assurance | None = None,
    confidence_level: Level = 0.95,
) -> HalfWidthPlan:
    """Plan the interval of a rate: the number of people for a half-width, or the half-width for a number of people.

    The interval is the default of `estimate`. With one probe per person it is Wilson's (1927) at the expected rate. With
    several probes per person its half-width varies from test to test, and the plan is for the median of 4,000 simulated tests.

    Parameters
    ----------
    rate
        The expected rate.
    half_width, subjects
        One of the two; the other is computed.
    pilot, rank
        Instead of the rate: outcomes of an algorithm on some people, and the rank of a success. The rate, the probes per person
        and their intraclass correlation are taken from the pilot unless given explicitly. The plan reports their uncertainty.
    probes_per_subject, probes_cv, icc
        The probes per person (default: one), and their intraclass correlation, required for several probes. If people differ in
        their number of probes, pass the numbers, which are assigned in turn; or their mean and coefficient of variation
        (standard deviation over mean): the number beyond the first is then assumed to have a gamma distribution.
    assurance
        The probability that the half-width is not exceeded, instead of about one half: with one probe per person the observed
        rate varies (binomial), with several the variance is also estimated (simulated).
    confidence_level
        The level of the interval, or 1 minus the significance level of the test.

    Returns
    -------
    HalfWidthPlan
        The plan with its inputs.

    Examples
    --------
    >>> plan = plan_half_width(0.95, 0.01, probes_per_subject=5, icc=0.2)
    >>> plan.subjects, plan.design_effect, round(plan.half_width, 4)
    (661, 1.8, 0.01)
    >>> round(plan_half_width(0.8, subjects=20).half_width, 4)  # Wilson's [0.5840, 0.9193]
    0.1677
    >>> plan_half_width(0.95, 0.01, probes_per_subject=5, icc=0.2, assurance=0.9).subjects
    777
    >>> plan_half_width(0.95, 0.01, probes_per_subject=[1, 2, 12], icc=0.2).subjects
    1061
    """
    if (half_width is None) == (subjects is None):
        raise UsageError(
            "A plan for an interval needs either the half-width or the number of people, not both.",
            "pass one of the two; the other is computed.",
        )
    if pilot is not None:
        taken = _taken(pilot, rank, rate is None, confidence_level)
        own = _of_people(taken, probes_per_subject, icc)
        return taken.plan(
            lambda expected: plan_half_width(
                expected,
                half_width,
                subjects=subjects,
                probes_cv=probes_cv,
                assurance=assurance,
                confidence_level=confidence_level,
                **own,
            )
        )
    if rate is None:
        raise UsageError(
            "The interval of a rate depends on the rate expected.",
            "pass the rate, or a pilot.",
        )
    people = people_of(probes_per_subject, icc, rate in (0.0, 1.0), probes_cv)
    chance = _TYPICAL if assurance is None else assurance
    level = confidence_level

    def expected(subjects: int) -> Interval:
        """Wilson's interval at the expected rate or, with one probe per person, at the rate for the assurance."""
        worth = people.worth(subjects)
        if people.is_several:
            return wilson_interval(rate, worth, t_quantile(level, subjects - 1))
        seen = rate if assurance is None else _observed(rate, subjects, assurance)
        return wilson_interval(seen, worth, normal_quantile(level))

    def width_expected(subjects: int) -> float:
        low, high = expected(subjects)
        return (high - low) / 2

    def attained(subjects: int) -> float:
        if people.is_several:
            return people.half_width(subjects, rate, chance, level)
        return width_expected(subjects)

    if half_width is not None:
        wanted, what = half_width * (1 + _SLACK), f"An interval of ±{worth_of(half_width)}"
        guess = found_within(fewest(lambda s: width_expected(s) <= wanted), what)
        tolerance = _SIMULATED_TO if people.is_several else 0.0
        number = found_within(fewest(lambda s: attained(s) <= wanted, guess, tolerance), what)
    else:
        number = whole(subjects, "number of people")
    reached = attained(number)
    low, high = interval_of_width(rate, reached) if people.is_several else expected(number)
    said = (_SIMULATED(chance=chance, n=TESTS),) if people.is_several else ()
    unsettled = people.probes_cv > _LARGE_CV and not people.numbers
    return HalfWidthPlan(
        found="half-width" if half_width is None else "subjects",
        confidence_level=level,
        answers=people.answers(_HALF_WIDTH, False, _RATE(rate=rate), *said),
        **people.facts(_SHAPE() if unsettled else None),
        **people.sizes(number),
        rate=rate,
        low=low,
        high=high,
        half_width=reached,
        assurance=assurance,
    )


def _taken(
    pilot: Outcomes | Sequence[Outcomes], rank: int, is_open: bool, confidence_level: float
) -> PilotData:
    """The inputs from a pilot; refused if they are also given explicitly."""
    from proband.inference.planning.pilot import pilot_of

    if not is_open:
        raise UsageError(
            "Expected values were given both directly and by a pilot.", "leave one of the two out."
        )
    return pilot_of(pilot, rank, confidence_level)


def _of_people(
    taken: PilotData, probes_per_subject: float | Sequence[int] | None, icc: float | None
) -> dict[str, Any]:
    """The probes per person and their correlation: as given, or else as in the pilot."""
    return {
        "probes_per_subject": taken.probes_per_subject if probes_per_subject is None else probes_per_subject,
        "icc": taken.facts.icc if icc is None else icc,
    }


def _observed(rate: float, n: int, assurance: float) -> float:
    """The observed rate of n independent probes that is at least this far from ½ with the probability of the assurance."""
    if rate < 0.5:
        return 1 - _observed(1 - rate, n, assurance)
    if rate == 1:
        return rate
    few, enough = (
        -1,
        n,
    )  # the largest count with a smaller cumulative probability, and the next
    while enough - few > 1:
        middle = (few + enough) // 2
        if binomial_cdf(middle, n, rate) < (1 - assurance) * (1 - _SLACK):
            few = middle
        else:
            enough = middle
    return max(0.5, enough / n)


@published
def plan_difference(
    margin: PlannedMargin | None = None,
    *,
    discordant: Discordant | None = None,
    rate: ExpectedRate | None = None,
    pilot: Outcomes | Sequence[Outcomes] | None = None,
    rank: Rank = 1,
    power: Power | None = None,
    subjects: int | None = None,
    aim: Aim = "difference",
    probes_per_subject: float | Sequence[int] | None = None,
    probes_cv: float = 0.0,
    icc: float | None = None,
    confidence_level: Level = 0.95,
) -> DifferencePlan:
    """Plan a comparison of two algorithms: from two of margin, power and number of people, compute the third.

    Parameters
    ----------
    margin
        The smallest difference that matters. Do not use an observed difference.
    discordant, rate
        One of the two. For two algorithms on the same probes, the share of probes that only one of them recognises; for two
        independent data sets of equal size, the rate of one algorithm (the other is closer to ½ by the margin).
    pilot, rank
        Instead of these: outcomes of two algorithms on the same probes, or of one for two independent data sets, and the rank
        of a success. The share or rate, the probes per person and their intraclass correlation are taken from the pilot unless
        given explicitly; the margin is not. The plan reports these numbers and their uncertainty.
    power
        The power; 0.8 by default, or computed if `margin` and `subjects` are given.
    aim
        ``difference``: detect a true difference of the margin, two-sided at 1 − `confidence_level`. ``equivalence`` and
        ``non-inferiority``: show that a true difference of 0 is within the margin (in both directions; in the worse direction),
        each side tested at 1 − `confidence_level` (Schuirmann 1987).
    probes_per_subject, probes_cv, icc
        As for `plan_half_width`; on the same probes, the correlation is of the *differences* within a person.
    subjects
        The number of people, to compute the power or the margin.
    confidence_level
        The level of the interval, or 1 minus the significance level of the test.

    Returns
    -------
    DifferencePlan
        The plan with its inputs.

    Notes
    -----
    Normal approximation to the score test (McNemar 1947; Tango 1998): under the null hypothesis the variance is that of the
    test; under the alternative it is (discordant − margin²) × design effect / probes. For equivalence of independent rates it
    is Newcombe's (1998) interval.

    Examples
    --------
    With ψ discordant and a margin δ, n = ((1.96 √ψ + 0.8416 √(ψ − δ²))/δ)²:

    >>> from math import ceil, sqrt
    >>> plan = plan_difference(0.01, discordant=0.06)
    >>> plan.subjects, round(plan.power, 4)
    (4707, 0.8)
    >>> ceil(((1.959964 * sqrt(0.06) + 0.841621 * sqrt(0.06 - 0.01**2)) / 0.01) ** 2)
    4707
    """
    if pilot is not None:
        taken = _taken(pilot, rank, discordant is None and rate is None, confidence_level)
        own = _of_people(taken, probes_per_subject, icc)
        paired = len(taken.facts.algorithms) == 2
        return taken.plan(
            lambda expected: plan_difference(
                margin,
                discordant=expected if paired else None,
                rate=None if paired else expected,
                power=power,
                subjects=subjects,
                aim=aim,
                probes_cv=probes_cv,
                confidence_level=confidence_level,
                **own,
            )
        )
    test = test_of(aim, discordant, rate, confidence_level)
    people = people_of(probes_per_subject, icc, test.indistinct, probes_cv)
    wanted = open_one(margin, power, subjects)

    def attained(margin: float, subjects: int) -> float:
        return test.power(margin, people.worth(subjects)) if subjects >= test.fewest else 0.0

    if margin is None:
        found, number = "margin", whole(subjects, "number of people")
        margin = least_margin(lambda m: attained(m, number) >= wanted, test.largest, number)
    else:
        chosen = test.check(margin)
        if subjects is None:
            found, what = "subjects", f"A margin of {worth_of(margin)}"
            number = found_within(fewest(lambda s: attained(chosen, s) >= wanted), what)
        else:
            found, number = "power", whole(subjects, "number of people")
    power_of = Target(f"power-of-{aim}", f"power of a test of {aim}")
    answers = people.answers(power_of, True, test.expected, _DECLARED(), differences=rate is None)
    return DifferencePlan(
        found=found,
        confidence_level=confidence_level,
        answers=answers,
        **people.facts(_ROUGH(few=_FEW) if number < _FEW else None),
        **people.sizes(number),
        aim=aim,
        margin=margin,
        power=attained(margin, number),
        discordant=discordant,
        rate=rate,
    )


@published
def plan_error_rate(
    error_rate: ErrorRate | None = None,
    *,
    subjects: int | None = None,
    probes_per_subject: float | Sequence[int] = 1,
    probes_cv: float = 0.0,
    icc: float | None = None,
    confidence_level: Level = 0.95,
) -> ErrorRatePlan:
    """Plan for rare errors: the trials needed to bound a rate without errors, or to estimate it from 30 errors; or the rates for a number of people.

    Without an error in n independent trials, the rate is at most 1 − α^(1/n), about 3/n at 95 % (Hanley & Lippman-Hand 1983).
    With 30 errors it is estimated to within about ±30% at 90% confidence (Doddington et al. 2000).

    Parameters
    ----------
    error_rate, subjects
        One of the two; the other is computed.
    probes_per_subject, probes_cv, icc
        The trials per person (their mean and coefficient of variation), and their intraclass correlation: the rules are for
        independent trials and are multiplied by the design effect.
    confidence_level
        The level of the interval, or 1 minus the significance level of the test.

    Returns
    -------
    ErrorRatePlan
        The plan with its inputs.

    Examples
    --------
    >>> plan = plan_error_rate(0.001)
    >>> plan.no_errors.trials, plan.rule_of_3.trials, plan.rule_of_30.trials
    (2995, 3000, 30000)
    >>> round(plan.thirty_low, 2), round(plan.thirty_high, 2)
    (-0.28, 0.36)
    """
    logarithm = log1p(-confidence_level)
    people = people_of(probes_per_subject, icc, probes_cv=probes_cv)
    if (error_rate is None) == (subjects is None):
        raise UsageError(
            "A plan for rare errors needs either the error rate or the number of people, not both.",
            "pass one of the two; the other is computed.",
        )
    given = None if subjects is None else whole(subjects, "number of people")

    def worth(subjects: int) -> int:
        return int(people.worth(subjects) * (1 + _SLACK))

    def trials(bound: Callable[[int], float]) -> ErrorTrials | None:
        """The trials for a rate, or the rate for the trials, with `bound` the rate for independent trials."""
        rate, number = error_rate, given
        if rate is not None:
            goal = rate * (1 + _SLACK)
            number = fewest(lambda s: bound(worth(s)) <= goal)
        if number is None:
            return None
        rate = bound(worth(number)) if rate is None else rate
        return (
            ErrorTrials(rate, number, round(number * people.probes_per_subject), worth(number))
            if rate <= 1
            else None
        )

    exact = trials(lambda n: -expm1(logarithm / n))
    if exact is None:
        raise DesignError(
            f"An error rate of {error_rate!r} would need more than {count(LARGEST)} people.",
            "use a larger error rate.",
        )
    three = trials(lambda n: 3 / n) if isclose(confidence_level, 0.95) else None
    thirty = trials(lambda n: 30 / n)
    low, high = None, None
    if thirty is not None:
        n = thirty.independent_trials
        ends = proportion_interval(30, n, "clopper-pearson", 0.9)
        low, high = ends.low * n / 30 - 1, ends.high * n / 30 - 1
    common = max(one.error_rate for one in (exact, three, thirty) if one is not None) > _RARE
    return ErrorRatePlan(
        found="error rate" if error_rate is None else "subjects",
        confidence_level=confidence_level,
        answers=people.answers(_TRIALS, False),
        **people.facts(
            _SUPPOSED() if people.is_several else _INDEPENDENT(),
            _NOT_RARE() if common else None,
        ),
        no_errors=exact,
        rule_of_3=three,
        rule_of_30=thirty,
        thirty_low=low,
        thirty_high=high,
    )
