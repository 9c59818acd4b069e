"""Plans against closed forms, brute force, and simulated studies of the size planned."""

from __future__ import annotations

import json
import re
from itertools import count, product
from math import ceil, inf

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

import proband as pb
from proband.errors import DesignError, UsageError
from proband.inference.comparisons.testing.mcnemar import mcnemar, tango_counts
from proband.inference.comparisons.testing.sign_flip import sign_flip
from proband.inference.estimates.clusters import cluster_statistics
from proband.inference.estimates.weighting import PeopleSums, rates_of_people
from proband.inference.planning.planning import plan_difference, plan_error_rate, plan_half_width
from proband.inference.planning.sizes import LARGEST
from proband.inference.planning.widths import MOST_PROBES, _misses, dealt
from proband.inference.proportions import difference_of_independent, t_quantile, wilson_interval
from proband.scores import DenseScores


def half_width(rate, people, level):
    """The interval's half-width from its definition: the rates that a score test does not reject."""
    z = stats.norm.ppf((1 + level) / 2)

    def gap(p):
        return (rate - p) ** 2 * people - z * z * p * (1 - p)

    low = 0.0 if rate == 0 else optimize.brentq(gap, 0.0, rate - 1e-12, xtol=1e-15)
    high = 1.0 if rate == 1 else optimize.brentq(gap, rate + 1e-12, 1.0, xtol=1e-15)
    return (high - low) / 2


@pytest.mark.parametrize(
    ("rate", "wanted", "level"), [(0.95, 0.05, 0.95), (0.5, 0.06, 0.9), (0.0, 0.02, 0.95), (0.7, 0.1, 0.99)]
)
def test_fewest_people_for_a_half_width(rate, wanted, level):
    found = plan_half_width(rate, wanted, confidence_level=level)
    widths = (half_width(rate, people, level) for people in count(1))
    fewest = next(people for people, width in enumerate(widths, 1) if width <= wanted)
    assert (found.subjects, found.probes, found.found) == (fewest, fewest, "subjects")
    assert found.half_width == pytest.approx(half_width(rate, fewest, level), rel=1e-9)
    again = plan_half_width(rate, subjects=fewest, confidence_level=level)
    assert (again.half_width, again.found) == (found.half_width, "half-width")
    assert (again.high - again.low) / 2 == again.half_width


def kept(rate, people, numbers, icc, wanted, level=0.95, sets=600, seed=1):
    """In how many tests of new people the interval of `estimate` is as narrow, each person drawn by itself."""
    rng, sizes = np.random.default_rng(seed), np.resize(numbers, people)
    who = np.repeat(np.arange(people), sizes)
    narrow = 0
    for _ in range(sets):
        if icc > 0:
            own = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, people)
        else:
            own = np.full(people, rate)
        success = (rng.random(len(who)) < own[who]).astype(float)
        low, high = rates_of_people(PeopleSums.of(success, who)).ends(level)
        narrow += (high - low) / 2 <= wanted
    return narrow / sets


@pytest.mark.parametrize("assurance", [None, 0.8])
@pytest.mark.parametrize(
    ("rate", "wanted", "numbers", "icc"),
    [
        (0.9, 0.06, [5], 0.2),
        (0.95, 0.04, [3], 0.4),
        (0.8, 0.06, [1, 2, 12], 0.2),
        (0.9, 0.06, [1] * 9 + [40], 0.2),
        (0.8, 0.07, [40, 20, 13, 10, 8, 7, 6, 5, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1], 0.3),
        (0.7, 0.06, [4], 0.0),
    ],
)
@pytest.mark.long
def test_a_planned_half_width_is_kept_as_often_as_planned(rate, wanted, numbers, icc, assurance):
    found = plan_half_width(rate, wanted, probes_per_subject=numbers, icc=icc, assurance=assurance)
    share = kept(rate, found.subjects, numbers, icc, wanted)
    assert share == pytest.approx(assurance or 0.5, abs=0.075)  # 3.5 Monte Carlo errors
    assert (found.high - found.low) / 2 == pytest.approx(found.half_width)
    assert found.half_width <= wanted
    again = plan_half_width(
        rate, subjects=found.subjects, probes_per_subject=numbers, icc=icc, assurance=assurance
    )
    assert again.half_width == found.half_width


@pytest.mark.parametrize("numbers", [[1, 2, 12], [2, 3, 8], [2, 4, 4, 5, 6, 9]])
@pytest.mark.long
def test_mean_and_variation_stand_for_numbers_that_do_not_vary_much(numbers):
    mean, cv = float(np.mean(numbers)), float(np.std(numbers) / np.mean(numbers))
    by_moments = plan_half_width(0.9, 0.05, probes_per_subject=mean, probes_cv=cv, icc=0.2)
    by_numbers = plan_half_width(0.9, 0.05, probes_per_subject=numbers, icc=0.2)
    assert by_moments.subjects == pytest.approx(by_numbers.subjects, rel=0.12)
    assert by_moments.notes == ()
    wild = plan_half_width(0.9, 0.05, probes_per_subject=5.0, probes_cv=2.4, icc=0.2)
    assert [note.code for note in wild.notes] == ["plan.numbers-vary-much"]


def test_what_people_miss_is_beta_binomial():
    sizes, people = dealt([3, 7, 7], 5)
    assert (sizes.tolist(), people.tolist()) == ([3, 7], [2, 3])
    for size, icc in product((2, 7), (0.0, 0.3, 1.0)):
        chances, moments = _misses(size, 0.2, icc)
        f = np.arange(size + 1)
        if icc in (0, 1):
            expected = stats.binom.pmf(f, size, 0.2) if icc == 0 else np.array([0.8, *[0] * (size - 1), 0.2])
        else:
            expected = stats.betabinom.pmf(f, size, 0.2 * (1 - icc) / icc, 0.8 * (1 - icc) / icc)
        f, expected = f[expected > 0], expected[expected > 0]
        assert chances == pytest.approx(expected)
        assert moments == pytest.approx(np.stack([f**power for power in (1, 2, 3, 4)]))
    # in bins the mean is kept whatever their width, and the spread nearly
    chances, moments = _misses(5_000, 0.1, 0.2)
    assert len(chances) < 100
    assert chances @ moments[0] == pytest.approx(500)
    variance = 5_000 * 0.1 * 0.9 * (1 + 4_999 * 0.2)
    assert chances @ moments[1] - 500**2 == pytest.approx(variance, rel=1e-9)


def test_half_width_of_many_people_is_the_normal_one():
    found = plan_half_width(0.9, 0.001, probes_per_subject=4, icc=0.25)
    assert found.design_effect == 1.75
    normal = stats.norm.ppf(0.975) ** 2 * 0.09 / 0.001**2 * 1.75 / 4
    assert found.subjects == pytest.approx(normal, rel=1e-4)


def test_people_with_copies_of_one_probe_count_once():
    copies = plan_half_width(0.9, 0.02, probes_per_subject=10, icc=1)
    assert copies.effective_probes == copies.subjects
    assert copies.subjects - plan_half_width(0.9, 0.02).subjects in range(5)  # Student's t


def test_paired_difference_is_connor_s():
    # Connor 1987, Biometrics 43:207: (z√D + z'√(D - δ²))²/δ²
    z, power = stats.norm.ppf([0.975, 0.8])
    for discordant, margin in ((0.06, 0.01), (0.3, 0.1), (0.2, 0.15), (1.0, 0.2)):
        n = (z * np.sqrt(discordant) + power * np.sqrt(discordant - margin**2)) ** 2 / margin**2
        assert plan_difference(margin, discordant=discordant).subjects == ceil(n)
        clustered = plan_difference(margin, discordant=discordant, probes_per_subject=5, icc=0.25)
        assert clustered.subjects == max(5, ceil(n * 2 / 5))


@pytest.mark.parametrize(
    ("rate", "other", "expected"), [(0.6, 0.5, 388), (0.9, 0.8, 199), (0.1, 0.2, 199), (1.0, 0.9, 74)]
)
def test_independent_difference_is_the_textbook_s(rate, other, expected):
    # Fleiss, Levin & Paik 2003, without the correction for continuity
    z, power = stats.norm.ppf([0.975, 0.8])
    mean = (rate + other) / 2
    spread = np.sqrt(rate * (1 - rate) + other * (1 - other))
    n = (z * np.sqrt(2 * mean * (1 - mean)) + power * spread) ** 2 / (rate - other) ** 2
    found = plan_difference(abs(rate - other), rate=rate)
    assert found.subjects == ceil(n - 1e-9) == expected


def constrained_variance(discordant, delta):
    """The variance of a paired difference where its likelihood is greatest, if it were `delta` and 0 was seen."""

    def likelihood(q):
        terms = ((discordant / 2, q + delta), (discordant / 2, q), (1 - discordant, 1 - 2 * q - delta))
        return -sum(share * np.log(p) for share, p in terms if share)

    ends = (1e-12, (1 - delta) / 2 - 1e-12)
    q = optimize.minimize_scalar(likelihood, bounds=ends, method="bounded", options={"xatol": 1e-13}).x
    return 2 * q + delta - delta**2


@pytest.mark.parametrize(("discordant", "margin"), [(0.06, 0.05), (0.3, 0.1), (0.02, 0.1), (1.0, 0.3)])
def test_equivalence_on_the_same_probes(discordant, margin):
    z = stats.norm.ppf(0.95)
    under = np.sqrt(constrained_variance(discordant, margin))
    for aim, quantile in (("equivalence", stats.norm.ppf(0.9)), ("non-inferiority", stats.norm.ppf(0.8))):
        n = ((z * under + quantile * np.sqrt(discordant)) / margin) ** 2
        found = plan_difference(margin, discordant=discordant, aim=aim)
        assert found.subjects == pytest.approx(n, abs=1)
        assert found.subjects >= n - 1e-3


def test_equivalence_without_discordant_probes_is_tango_s_interval():
    found = plan_difference(0.01, discordant=0.0, aim="equivalence", probes_per_subject=3, icc=0.1)
    assert (
        tango_counts(0, 0, found.subjects, 0.9).high < 0.01 < tango_counts(0, 0, found.subjects - 1, 0.9).high
    )
    assert (found.design_effect, found.power) == (3.0, 1.0)


@pytest.mark.parametrize(("rate", "margin"), [(0.95, 0.05), (1.0, 0.01), (0.3, 0.1)])
def test_equivalence_of_independent_data_sets(rate, margin):
    found = plan_difference(margin, rate=rate, aim="equivalence")

    def chance(n):
        interval, _ = difference_of_independent(rate * n, n, rate * n, n, 0.9)
        error = np.sqrt(2 * rate * (1 - rate) / n)
        if error == 0:
            return float(interval.high < margin)
        return 2 * stats.norm.cdf((margin - interval.high) / error) - 1

    assert chance(found.subjects) >= 0.8 > chance(found.subjects - 1)
    assert found.power == pytest.approx(chance(found.subjects))


CASES = [
    *({"discordant": d, "aim": aim} for d, aim in product((0.05, 0.4), ("difference", "equivalence"))),
    {"discordant": 0.1, "aim": "non-inferiority", "probes_per_subject": 4, "icc": 0.5},
    {"rate": 0.8, "aim": "difference"},
    {"rate": 0.2, "aim": "equivalence", "probes_per_subject": 2, "icc": 0.1},
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_people_margin_and_power_agree(case, power):
    found = plan_difference(0.04, power=power, **case)
    fewer = plan_difference(0.04, subjects=found.subjects - 1, **case)
    as_many = plan_difference(0.04, subjects=found.subjects, **case)
    assert fewer.power < power <= as_many.power + 1e-9
    assert (as_many.power, as_many.found) == (found.power, "power")
    detectable = plan_difference(subjects=found.subjects, power=power, **case)
    assert detectable.found == "margin"
    assert detectable.margin <= 0.04 + 1e-9
    assert detectable.power == pytest.approx(power, abs=1e-6)
    smaller = plan_difference(0.98 * detectable.margin, subjects=found.subjects, **case)
    assert smaller.power < power


@pytest.mark.parametrize("case", CASES)
def test_power_grows_with_people_and_margin(case):
    by_people = [plan_difference(0.03, subjects=n, **case).power for n in range(1, 3000, 37)]
    assert (np.diff(by_people) >= 0).all()
    largest = case.get("discordant", 0.8) if case["aim"] == "difference" else 1.0
    margins = np.linspace(0, largest, 60)[1:-1]
    by_margin = np.array([plan_difference(m, subjects=150, **case).power for m in margins])
    reached = by_margin >= 0.5
    assert (np.diff(by_margin[reached]) >= -1e-12).all()
    assert (np.diff(reached.astype(int)) >= 0).all()


@pytest.mark.parametrize(("discordant", "margin"), [(0.06, 0.03), (0.3, 0.1), (0.12, 0.08)])
def test_power_is_about_that_of_mcnemar(discordant, margin):
    n = plan_difference(margin, discordant=discordant).subjects
    share = (1 + margin / discordant) / 2
    total = 0.0
    for k in range(1, n + 1):
        weight = stats.binom.pmf(k, n, discordant)
        if weight > 1e-9:
            wins = [b for b in range(k // 2 + 1, k + 1) if mcnemar(b, k - b).p_mid <= 0.05]
            total += weight * stats.binom.sf(min(wins, default=inf) - 1, k, share)
    assert total == pytest.approx(0.8, abs=0.04)


def test_rules_of_3_and_30():
    found = plan_error_rate(0.001)
    assert (found.no_errors.trials, found.rule_of_3.trials, found.rule_of_30.trials) == (2995, 3000, 30000)
    assert 0.999**2995 <= 0.05 < 0.999**2994
    low, high = stats.binomtest(30, 30000).proportion_ci(0.9, method="exact")
    assert (found.thirty_low, found.thirty_high) == pytest.approx((low / 0.001 - 1, high / 0.001 - 1))
    # "within ±30 %, with 90 %": the normal approximation with the square root of 30
    assert stats.norm.ppf(0.95) / np.sqrt(30) == pytest.approx(0.3, abs=0.001)


@pytest.mark.parametrize("rate", [0.5, 0.05, 0.95, 0.0123, 1e-5])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_no_errors_exactly(rate, level):
    n = plan_error_rate(rate, confidence_level=level).no_errors.trials
    bound = stats.beta.ppf(level, 1, np.array([n, n - 1])) if n > 1 else np.array([level, inf])
    assert bound[0] <= rate * (1 + 1e-9)
    assert bound[1] > rate
    back = plan_error_rate(subjects=n, confidence_level=level)
    assert back.no_errors.error_rate == pytest.approx(bound[0], rel=1e-9)
    assert (back.rule_of_3 is None) == (level != 0.95 or n < 3)
    assert (back.rule_of_30 is None) == (n < 30)


def test_clusters_multiply_the_rules():
    found = plan_error_rate(0.001, probes_per_subject=5, icc=0.2)
    assert [t.subjects for t in (found.no_errors, found.rule_of_3, found.rule_of_30)] == [1079, 1080, 10800]
    assert ceil(2995 * 1.8 / 5) == 1079
    assert found.no_errors.independent_trials >= 2995
    attained = plan_error_rate(subjects=1080, probes_per_subject=5, icc=0.2)
    assert attained.rule_of_3.error_rate == 0.001
    assert attained.no_errors.independent_trials == 3000


def test_results_are_plain_and_say_what_they_assume():
    plans = [
        plan_half_width(0.95, 0.02, probes_per_subject=5, icc=0.2),
        plan_half_width(1.0, subjects=7),
        *(plan_difference(0.05, **case) for case in CASES[1:]),
        plan_error_rate(0.01, probes_per_subject=2, icc=-1),
        plan_error_rate(subjects=2),
        plan_error_rate(1e-8),
    ]
    for plan in plans:
        plain = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
        assert plain["sentence"]["text"] == str(plan.sentence())
        assert set(plain["answers"]) == {"of", "varying", "fixed", "assuming"}
        assert max(map(len, repr(plan).splitlines())) <= 100
    assert "intraclass correlation of 5 probes per person is 0.2" in str(plans[0].answers.assuming)
    assert "fixed before" in str(plan_difference(0.01, discordant=0.1).answers.assuming)
    assert "the differences" in str(plans[5].answers.assuming)
    keys: dict[str, set[str]] = {}
    for plan in plans:
        keys.setdefault(plan.answers.assuming.key, set()).add(
            re.sub(r"[0-9.]+", "#", str(plan.answers.assuming))
        )
    assert all(len(words) == 1 for words in keys.values())
    assert len(keys) > 4
    assert {plan.answers.of.key for plan in plans} >= {"power-of-difference", "power-of-equivalence"}
    assert any("rough" in str(note) for note in plan_difference(0.4, discordant=0.5).notes)
    assert not any(
        "gallery" in f"{plan.answers.varying} {plan.answers.fixed}" for plan in plans
    )  # none is there


def test_says_only_what_holds():
    """The rules need the design effect only where it is not in the plan yet, and an approximate power has two digits."""
    told = {
        m: [note.code for note in plan_error_rate(0.01, probes_per_subject=m, icc=0).notes] for m in (1, 2)
    }
    assert told == {1: ["plan.independent-trials"], 2: ["plan.no-error-counts-people"]}
    found = plan_difference(0.03, discordant=0.06, subjects=47)
    assert 0.1 < found.power < 0.9
    assert f"a power of {100 * found.power:.0f}% (" in str(found.sentence())
    assert "a power of 97.5% (" in str(plan_difference(0.03, discordant=0.06, power=0.975).sentence())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: plan_half_width(1.5, 0.01), "rate must be"),
        (lambda: plan_half_width(float("nan"), 0.01), "rate must be"),
        (lambda: plan_half_width(0.9), "either"),
        (lambda: plan_half_width(0.9, 0.01, subjects=3), "either"),
        (lambda: plan_half_width(0.9, 0.5), "half-width must be"),
        (lambda: plan_half_width(0.9, float("nan")), "half-width must be"),
        (lambda: plan_half_width(0.9, subjects=0), "whole number"),
        (lambda: plan_half_width(0.9, subjects=LARGEST + 1), "whole number"),
        (lambda: plan_half_width(0.9, 0.01, probes_per_subject=0), "whole number"),
        (lambda: plan_half_width(0.9, 0.01, probes_per_subject=2.5, icc=0), "whole number"),
        (lambda: plan_half_width(0.9, 0.01, probes_per_subject=5), "intraclass"),
        (lambda: plan_half_width(0.9, 0.01, probes_per_subject=5, icc=-0.26), "−0.25 and 1"),
        (lambda: plan_half_width(0.9, 0.01, probes_per_subject=5, icc=1.1), "−0.25 and 1"),
        (lambda: plan_half_width(0.9, 0.01, confidence_level=1.0), "confidence level"),
        (lambda: plan_difference(0.05, discordant=0.05), "impossible"),
        (lambda: plan_difference(0.9, rate=0.5), "impossible"),
        (lambda: plan_difference(discordant=0.0, subjects=50), "no difference to detect"),
        (lambda: plan_difference(0.0, discordant=0.05), "margin must be"),
        (lambda: plan_difference(0.01), "on which the two algorithms disagree"),
        (lambda: plan_difference(0.01, discordant=0.1, rate=0.5), "on which the two algorithms disagree"),
        (lambda: plan_difference(0.01, discordant=2.0), "share of probes must be"),
        (lambda: plan_difference(discordant=0.1), "needs two"),
        (lambda: plan_difference(discordant=0.1, power=0.8), "needs two"),
        (lambda: plan_difference(0.01, discordant=0.1, power=0.8, subjects=9), "needs two"),
        (lambda: plan_difference(0.01, discordant=0.1, power=1.0), "power must be between"),
        (lambda: plan_difference(0.01, discordant=0.1, power=0.2), "power must be between"),
        (lambda: plan_difference(0.01, discordant=0.1, aim="better"), "aim must be one of"),
        (
            lambda: plan_difference(0.01, discordant=0.1, aim="equivalence", confidence_level=0.4),
            "above 0.5",
        ),
        (lambda: plan_error_rate(), "either"),
        (lambda: plan_error_rate(0.0), "error rate must be"),
        (lambda: plan_error_rate(1.0), "error rate must be"),
        (lambda: plan_error_rate(0.1, subjects=4), "either"),
    ],
)
def test_wrong_requests_say_so(make, words):
    with pytest.raises(UsageError, match=words):
        make()


def test_no_answer_says_so():
    for make in (
        lambda: plan_half_width(0.5, 1e-9),
        lambda: plan_difference(1e-6, discordant=0.5),
        lambda: plan_difference(1e-6, rate=0.5, aim="equivalence"),
        lambda: plan_error_rate(1e-10),
        lambda: plan_difference(discordant=0.05, subjects=3),
    ):
        with pytest.raises(DesignError, match=r"more than|too few"):
            make()


@pytest.mark.parametrize("level", [1e-6, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("probes", [1, 2, LARGEST])
def test_absurd_values_have_finite_answers(level, probes):
    people = {"probes_per_subject": probes, "icc": 1.0, "confidence_level": level}
    for rate, subjects in product((0.0, 1e-300, 0.5, 1.0), (1, 2, LARGEST)):
        found = [
            plan_half_width(
                rate, subjects=subjects, **{**people, "probes_per_subject": min(probes, MOST_PROBES)}
            ),
            plan_difference(0.25, rate=rate, subjects=subjects, **people),
            plan_difference(0.25, discordant=0.5, subjects=subjects, **people),
            plan_error_rate(subjects=subjects, **people),
        ]
        for plan in found:
            json.dumps(plan.to_dict(), allow_nan=False)
            assert plan.sentence()
    few = {**people, "probes_per_subject": min(probes, 100)}
    assert plan_half_width(0.5, 0.25, **few).half_width <= 0.25 + 1e-9


def own_shares(rng, people, shares, icc):
    """Every person's own chances of several outcomes, with the given mean and intraclass correlation."""
    return rng.dirichlet(np.array(shares) * (1 - icc) / icc, people)


@pytest.mark.parametrize(("rate", "wanted", "probes", "icc"), [(0.9, 0.03, 5, 0.2), (0.8, 0.06, 10, 0.5)])
def test_a_study_of_the_planned_size_has_the_half_width(rate, wanted, probes, icc):
    planned = plan_half_width(rate, wanted, probes_per_subject=probes, icc=icc)
    rng = np.random.default_rng(5)
    subjects = np.repeat(np.arange(planned.subjects), probes)
    widths = []
    for _ in range(400):
        own = own_shares(rng, planned.subjects, [rate, 1 - rate], icc)[:, 0]
        success = (rng.random(len(subjects)) < own[subjects]).astype(float)
        seen = cluster_statistics(success, subjects)
        worth = seen.n / max(1.0, seen.design_effect)
        low, high = wilson_interval(seen.rate, worth, t_quantile(0.95, planned.subjects - 1))
        widths.append((high - low) / 2)
    assert np.mean(widths) == pytest.approx(wanted, rel=0.03)


@pytest.mark.long
@pytest.mark.parametrize(
    ("margin", "discordant", "probes", "icc"), [(0.06, 0.2, 5, 0.1), (0.05, 0.12, 3, 0.3)]
)
def test_a_comparison_of_the_planned_size_has_the_power(margin, discordant, probes, icc):
    planned = plan_difference(margin, discordant=discordant, probes_per_subject=probes, icc=icc)
    same = plan_difference(
        margin, discordant=discordant, aim="equivalence", probes_per_subject=probes, icc=icc
    )
    rng = np.random.default_rng(6)
    flipped, scored, within = 0, 0, 0
    sets = 1000
    for _ in range(sets):
        wins, losses = paired(rng, planned.subjects, probes, margin, discordant, icc)
        flipped += (wins - losses).sum() > 0 and sign_flip(wins - losses).p_mid <= 0.05
        scored += tango(wins, losses, probes, 0.95).low > 0
        interval = tango(*paired(rng, same.subjects, probes, 0.0, discordant, icc), probes, 0.9)
        within += -margin < interval.low and interval.high < margin
    assert flipped / sets == pytest.approx(0.8, abs=0.04)
    assert scored / sets == pytest.approx(0.8, abs=0.04)
    assert within / sets == pytest.approx(0.8, abs=0.04)


def paired(rng, people, probes, difference, discordant, icc):
    """For each person, how many probes only the first, and only the second algorithm recognises."""
    first, second = (discordant + difference) / 2, (discordant - difference) / 2
    own = own_shares(rng, people, [first, second, 1 - discordant], icc)
    counts = rng.multinomial(probes, own)
    return counts[:, 0].astype(float), counts[:, 1].astype(float)


def tango(wins, losses, probes, level):
    """Tango's interval with the design effect that the people show."""
    people, n = len(wins), len(wins) * probes
    difference = (wins - losses).sum() / n
    residuals = wins - losses - difference * probes
    clustered = people / (people - 1) * residuals @ residuals / n
    effect = max(1.0, clustered / ((wins + losses).sum() / n - difference**2))
    return tango_counts(wins.sum() / effect, losses.sum() / effect, n / effect, level)


def test_independent_data_sets_of_the_planned_size_have_the_power():
    planned = plan_difference(0.1, rate=0.9)
    rng = np.random.default_rng(7)
    first, second = rng.binomial(planned.subjects, [[0.9], [0.8]], (2, 2000))
    found = [
        difference_of_independent(int(a), planned.subjects, int(b), planned.subjects)[1]
        for a, b in zip(first, second, strict=True)
    ]
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("numbers", [(1, 2, 12), (3, 3, 3, 9), (1, 1, 1, 1, 40)])
def test_unequal_probes_cost_the_design_effect_of_their_squares(numbers):
    """Kish: a rate of unequal clusters has the design effect 1 + (Σm²/Σm − 1)ρ, which mean and variation give exactly."""
    mean, cv = float(np.mean(numbers)), float(np.std(numbers) / np.mean(numbers))
    found = plan_half_width(0.9, subjects=300, probes_per_subject=mean, probes_cv=cv, icc=0.3)
    squares = sum(n * n for n in numbers) / sum(numbers)
    assert found.design_effect == pytest.approx(1 + (squares - 1) * 0.3)
    assert found.probes == 300 * sum(numbers) // len(numbers)


def test_unequal_probes_in_simulated_tests():
    numbers = np.resize([1, 2, 12], 300)
    own = np.random.default_rng(5).beta(0.8 * 4, 0.2 * 4, (4_000, 300))
    rates = np.random.default_rng(6).binomial(numbers, own).sum(axis=1) / numbers.sum()
    found = plan_half_width(
        0.8, subjects=300, probes_per_subject=5, probes_cv=float(np.std(numbers) / 5), icc=0.2
    )
    assert rates.var() == pytest.approx(0.16 * found.design_effect / found.probes, rel=0.1)


@pytest.mark.parametrize("rate", [0.2, 0.8, 0.97])
@pytest.mark.parametrize("assurance", [0.6, 0.8, 0.95])
def test_the_half_width_of_one_probe_each_is_kept_with_the_assurance(rate, assurance):
    """By the chance of every count."""
    found = plan_half_width(rate, 0.03, assurance=assurance)

    def chance(people):
        counts = np.arange(people + 1)
        widths = np.array([half_width(k / people, people, 0.95) for k in counts])
        return stats.binom.pmf(counts, people, rate)[widths <= 0.03].sum()

    assert chance(found.subjects) >= assurance - 1e-9
    assert chance(int(0.97 * found.subjects)) < assurance


@pytest.mark.parametrize(
    "wrong",
    [
        {"probes_cv": -0.1},
        {"probes_per_subject": [1, 3], "probes_cv": 0.5},
        {"probes_per_subject": [0, 3]},
        {"probes_per_subject": []},
        {"probes_per_subject": [2, 200_000]},
        {"probes_cv": 0.5, "probes_per_subject": 1},
        {"assurance": 0.3},
        {"assurance": 1.0},
    ],
    ids=str,
)
def test_what_is_no_variation_and_no_assurance(wrong):
    with pytest.raises(UsageError):
        plan_half_width(0.9, 0.05, **{"probes_per_subject": 3, "icc": 0.1, **wrong})


def pilot(n: int = 40, m: int = 3) -> list[pb.measures.Outcomes]:
    """Two algorithms on the same probes of n people, who differ in how hard they are; the last has one probe only."""
    rng = np.random.default_rng(11)
    people = np.repeat(np.arange(n), m)[: n * m - (m - 1)]
    ids = [f"g{k}" for k in range(n)] + [f"p{k}" for k in range(len(people))]
    samples = pb.Samples(pl.DataFrame({"id": ids, "subject": [f"s{k}" for k in (*range(n), *people)]}))
    experiment = pb.Experiment(samples, [f"g{k}" for k in range(n)])
    hard = rng.uniform(0.2, 1, n)[people]
    made = []
    for name in ("a", "b"):
        values = rng.uniform(0, 0.5, (len(people), n))
        values[np.arange(len(people)), people] = rng.uniform(size=len(people)) < hard
        made.append(
            pb.rank(DenseScores(values, ids[n:], ids[:n], orientation="similarity", name=name), experiment)
        )
    return made


def test_a_pilot_is_what_can_be_counted_by_hand():
    first, second = pilot()
    success = [one.success(1) for one in (first, second)]
    plan = plan_difference(0.05, pilot=[first, second])
    assert plan.pilot is not None
    assert plan.discordant == pytest.approx(float((success[0] != success[1]).mean()))
    people = first.subjects
    numbers = np.bincount(people)
    assert plan.probes_per_subject == pytest.approx(numbers.mean())
    # The analysis of variance of differences, written out.
    apart = success[0] - success[1]
    means = np.array([apart[people == one].mean() for one in np.unique(people)])
    k, n = len(means), len(apart)
    between = (numbers * (means - apart.mean()) ** 2).sum() / (k - 1)
    within = ((apart - means[people]) ** 2).sum() / (n - k)
    usual = (n - (numbers**2).sum() / n) / (k - 1)
    assert plan.icc == pytest.approx(max(0.0, (between - within) / (between + (usual - 1) * within)))
    same = plan_difference(
        0.05, discordant=plan.discordant, icc=plan.icc, probes_per_subject=numbers.tolist()
    )
    assert (plan.subjects, plan.power) == (same.subjects, same.power)
    assert (
        plan.pilot.at_high
        == plan_difference(
            0.05, discordant=plan.pilot.high, icc=plan.icc, probes_per_subject=numbers.tolist()
        ).subjects
    )


def test_the_interval_of_a_pilot_is_that_of_its_estimate():
    first, _ = pilot()
    plan = plan_half_width(half_width=0.05, pilot=first)
    found = pb.estimate(first, measure="rank-1")
    assert plan.pilot is not None
    assert (plan.rate, plan.pilot.low, plan.pilot.high) == pytest.approx((found.value, found.low, found.high))
    assert plan.to_dict()["pilot"]["algorithms"] == ["a"]
    assert "pilot" not in plan_half_width(0.9, 0.05).to_dict()


def test_where_an_end_of_the_pilot_allows_no_plan():
    plan = plan_difference(0.33, pilot=pilot())
    assert plan.pilot is not None
    assert (plan.pilot.at_low, plan.pilot.at_high is not None) == (None, True)
    assert "upper limit" in str(plan.pilot.sentences(plan.found)[1])


def test_what_is_no_pilot_is_refused():
    first, second = pilot()
    for wrong, told in (
        ([], "one or two algorithms"),
        ([first, second, second], "select one or two"),
        ([first, pilot(30)[0]], "same probes"),
        ("scores.npz", "pilot"),
    ):
        with pytest.raises(pb.errors.ProbandError, match=told):
            plan_difference(0.05, pilot=wrong)
