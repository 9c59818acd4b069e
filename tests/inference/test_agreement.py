"""Interval, p-value, bounds and verdict of a comparison are of one computation: they never disagree, whatever is compared."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.examples import some

from proband import Pool, Samples, Scores
from proband.designs import BRR, Binomial, Bootstrap, ClusteredMcNemar, ImageChoice, Jackknife, SignFlip
from proband.inference import compare, compare_independent
from proband.inference.comparisons.paired import Tested as Found
from proband.inference.comparisons.paired_rates import person_curve
from proband.inference.comparisons.testing.adjustment import SingleStep
from proband.inference.comparisons.testing.curves import Hybrid, Percentiles, Score, Student
from proband.inference.comparisons.testing.mcnemar import PairedOutcomes, mcnemar, tango_interval
from proband.inference.comparisons.testing.sign_flip import Flips, sign_flip
from proband.inference.comparisons.testing.tails import quantile
from proband.inference.comparisons.verdicts import judged
from proband.measures import AUC, FNMR, MedianCensoredRank, RecognitionRate
from proband.results.base import Interval
from proband.words import Method

METHOD = Method("t", "a test")


def agrees(pair) -> None:
    """What must hold of any difference, whatever made it."""
    upper, significant = pair.high < 0, pair.p_adjusted <= pair.significance
    assert pair.low <= pair.high
    assert (pair.low > 0 or upper) == significant == (pair.verdict in ("better", "worse")) == pair.told_apart
    assert pair.p_adjusted >= pair.p_value
    if significant:
        assert pair.value != 0
        assert (pair.value > 0) == (pair.low > 0)
    if pair.bound_low is not None:
        assert pair.low <= pair.bound_low <= pair.bound_high <= pair.high
        within = pair.varies and -pair.margin < pair.bound_low and pair.bound_high < pair.margin
        assert pair.within_margin == within
        assert (pair.verdict == "equivalent") == (within and not significant)
    if not pair.varies:
        assert (pair.verdict, pair.p_value) == ("undecided", 1.0)
    if pair.by_person is not None:
        one = pair.by_person
        significant = one.p_adjusted <= pair.significance
        assert (one.low > 0 or one.high < 0) == significant == (one.verdict in ("better", "worse"))
        assert one.p_adjusted >= one.p_value


def random_curve(rng) -> tuple[float, object]:
    """One of any kind, with round numbers among them, where boundaries are met exactly."""
    kind = rng.choice(7, p=[0.3, 0.2, 0.2, 0.098, 0.2, 0.001, 0.001])
    found = float(rng.choice([0.0, 0.1, -0.25, rng.normal(0, 0.1)]))
    error = float(rng.choice([0.0, 0.05, abs(rng.normal(0, 0.05))]))
    if kind == 0:
        freedom = rng.choice([None, 0.0, 1.0, 7.5, 40.0])
        inner = rng.choice([None, error, 0.8 * error])
        return found, Student(found, error, freedom, units=float(rng.choice([1, 30])), inner=inner)
    if kind == 1:
        return found, Student(found, 0.0, None, units=float(rng.choice([1, 9, 40])))
    if kind == 2:
        draws = np.round(rng.normal(found, error, rng.choice([19, 99])), rng.choice([1, 6]))
        return found, Percentiles(found, draws, float(rng.uniform(0, 0.2)), rng.choice([None, 9.0]))
    gained, lost = (int(one) for one in rng.integers(0, rng.choice([3, 15, 60]), 2))
    n = gained + lost + int(rng.integers(1, 60))
    if kind == 3:
        return (gained - lost) / n, Score(gained, lost, n, None, mcnemar(gained, lost).p_mid)
    if kind == 4:
        spread = abs(rng.normal(0, 0.2))
        p = float(rng.uniform(0, 0.2)) if found else 1.0
        reach = lambda alpha: spread * quantile(alpha, None) / quantile(0.05, None)  # noqa: E731
        return found, Hybrid(found, lambda alpha: Interval(found - reach(alpha), found + reach(alpha) / 2), p)
    people = int(rng.integers(2, 8))
    sizes = rng.integers(1, 6, people).astype(float)
    sums = np.column_stack([rng.binomial(sizes.astype(int), 0.7) for _ in range(2)]).astype(float)
    if kind == 5:
        means = (sums[:, 0] - sums[:, 1]) / sizes
        return float(means.mean()), person_curve(means, 0)[0]
    flips, apart = Flips.of(sums, sizes), sums[:, 0] - sums[:, 1]
    at = (lambda delta: flips.p_value(0, 1, delta)) if apart.any() else None
    effect = rng.uniform(1, 3)
    counts = (apart[apart > 0].sum() / effect, -apart[apart < 0].sum() / effect, sizes.sum() / effect)
    p = flips.p_value(0, 1, 0.0) if apart.any() else 1.0
    return float(apart.sum() / sizes.sum()), Score(*counts, people - 1.0, p, at)


def comparisons_agree(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = 0
    while made < n:
        names = "abcd"[: rng.choice([2, 2, 3, 4])]
        found = []
        shared = bool(rng.random() < 0.99)
        for first, second in ((a, b) for a, b in product(names, names) if a < b):
            value, curve = random_curve(rng)
            statistics = np.abs(rng.normal(size=60)) if shared else None
            error = float(rng.choice([0.0, abs(rng.normal(0, 0.05))]))
            method = replace(METHOD, draws=rng.choice([None, None, 9, 99]))
            found.append((first, second, 20, Found(value, curve, error, method, statistics=statistics)))
        level = float(rng.choice([0.95, 0.9, 0.99, 0.4]))
        adjust = str(rng.choice(["single-step", "none"]))
        for pair in judged(
            found, float(rng.choice([0.01, 0.1, 0.5])), level, bool(rng.integers(0, 2)), True, adjust
        ):
            agrees(pair)
            assert made % 20 or str(pair.sentence())
            made += 1


def test_thousands_of_comparisons_agree():
    comparisons_agree(3_000, 0)


@pytest.mark.long
def test_a_hundred_thousand_comparisons_agree():
    comparisons_agree(100_000, 1)


PEOPLE = np.repeat(np.arange(12), [1, 2, 3, 1, 4, 2, 2, 6, 1, 1, 3, 5])


@pytest.mark.parametrize(
    "design",
    ["auto", SignFlip(), ClusteredMcNemar(), Binomial(), Bootstrap("subject", n_resamples=100)],
    ids=str,
)
@pytest.mark.parametrize("n_algorithms", some([3, 2], 2))
def test_rates_agree_by_every_design(outcomes_of, design, n_algorithms):
    rng = np.random.default_rng(3)
    for level in (0.95, 0.8):
        hard = rng.random(len(PEOPLE))
        made = [
            outcomes_of(np.where(rng.random(len(PEOPLE)) + hard < limit, 0, 4), PEOPLE, name)
            for name, limit in zip("abc"[:n_algorithms], rng.uniform(0.3, 1.8, 3), strict=False)
        ]
        for pair in compare(made, measure=RecognitionRate(1), design=design, confidence_level=level).pairs:
            agrees(pair)


@pytest.mark.parametrize("design", [BRR(), Jackknife()], ids=str)
def test_strata_and_medians_agree(outcomes_of, design):
    rng = np.random.default_rng(4)
    people = np.repeat(np.arange(8), 2)
    for _ in range(2):
        made = [outcomes_of(rng.integers(0, 5, 16) * rng.integers(0, 2, 16), people, name) for name in "abc"]
        for pair in compare(made, measure=RecognitionRate(1), design=design).pairs:
            agrees(pair)
        swapped = Bootstrap("subject", n_resamples=100)
        for pair in compare(made, measure=MedianCensoredRank(4), design=swapped, margin=1.0).pairs:
            agrees(pair)


@pytest.mark.parametrize("measure", [FNMR(0.05), AUC()], ids=str)
def test_verification_agrees(measure):
    rng = np.random.default_rng(5)
    ids = [f"{person}{image}" for person in "abcdefghij" for image in "123"]
    samples = Samples({"id": ids, "subject": [name[0] for name in ids]})
    same = np.array([[x[0] == y[0] for y in ids] for x in ids], dtype=float)
    for _ in range(2):
        scores = []
        for name in ("x", "y", "z"):
            noise = rng.normal(0, rng.uniform(0.2, 0.6), same.shape)
            values = same + (noise + noise.T) / 2
            scores.append(Scores.from_array(values, ids, orientation="similarity", name=name))
        for pair in compare(scores, samples, measure=measure).pairs:
            agrees(pair)
        alike = {"one": scores[0], "other": scores[0]}
        (pair,) = compare(alike, samples, measure=measure).pairs
        agrees(pair)
        assert pair.low < 0 < pair.high


def test_choices_of_images_and_independent_people_agree(outcomes_of):
    rng = np.random.default_rng(6)
    rows = [(f"{s}{k}", s, k) for s in "abcdefghijklm" for k in range(3)]
    samples = Samples(dict(zip(("id", "subject", "day"), zip(*rows, strict=True), strict=True)))
    same = np.array([[x[1] == y[1] for y in rows] for x in rows], dtype=float)
    for width in (0.1, 0.6):
        scores = [
            Scores.from_array(
                same + rng.normal(0, w, same.shape), samples.ids, orientation="similarity", name=n
            )
            for n, w in (("good", width), ("poor", 1.5), ("fair", 0.8))
        ]
        for pair in compare(
            scores, Pool(samples, "day"), measure=RecognitionRate(1), design=ImageChoice(n_resamples=50)
        ).pairs:
            agrees(pair)
            assert pair.choices_low <= pair.value <= pair.choices_high
    for share in (0.0, 0.2, 0.9):
        first = outcomes_of(np.zeros(30), np.arange(30), "first")
        second = outcomes_of(np.where(np.arange(40) < 40 * share, 3, 0), np.arange(40), "second")
        agrees(compare_independent(first, second, measure=RecognitionRate(1)).pairs[0])


def test_one_probe_each_stays_mcnemar_and_tango(outcomes_of):
    """Tango's interval to all its digits, but for the end at zero where McNemar's mid-p says otherwise."""
    for gained, lost, n in product((0, 1, 5, 6, 12), (0, 2, 3), (20, 80)):
        a = np.arange(n) < gained
        b = (np.arange(n) >= gained) & (np.arange(n) < gained + lost)
        first, second = (
            outcomes_of(np.where(one, 4, 0), np.arange(n), name) for one, name in ((b, "x"), (a, "y"))
        )
        (pair,) = compare([first, second], measure=RecognitionRate(1)).pairs
        assert pair.p_value == pytest.approx(mcnemar(gained, lost).p_mid, rel=1e-9)
        low, high = tango_interval(PairedOutcomes(n - gained - lost, gained, lost, 0))
        if (low > 0 or high < 0) == (pair.p_value <= 0.05):
            assert (pair.low, pair.high) == pytest.approx((low, high), abs=1e-10)
        else:
            assert min(abs(pair.low), abs(pair.high)) == 0.0
        agrees(pair)


def by_hand(apart, sizes, delta) -> float:
    """The sign flip on ratio residuals as it is written down, one pattern after the other."""
    left, total = apart - delta * sizes, sizes.sum()

    def statistic(signs):
        turned = signs * left
        spread = ((turned - sizes * turned.sum() / total) ** 2).sum()
        return abs(turned.sum()) / np.sqrt(spread) if spread > 1e-12 else (np.inf if turned.sum() else 0.0)

    all_signs = [np.array(signs) for signs in product((1, -1), repeat=len(sizes))]
    observed, flipped = statistic(np.ones(len(sizes))), np.array([statistic(one) for one in all_signs])
    same = np.isclose(flipped, observed, rtol=1e-9)
    return float(((flipped > observed) & ~same).mean() + same.mean() / 2)


def test_flips_equal_enumeration():
    rng = np.random.default_rng(7)
    for people in (2, 5, 8):
        sizes = rng.integers(1, 7, people)
        sums = np.column_stack([rng.binomial(sizes, 0.6) for _ in range(2)]).astype(float)
        flips = Flips.of(sums, sizes.astype(float))
        for delta in (-0.3, 0.0, 0.05, 0.4):
            expected = by_hand(sums[:, 0] - sums[:, 1], sizes, delta)
            assert flips.p_value(0, 1, delta) == pytest.approx(expected, abs=1e-12)


def test_flips_of_equal_people_are_the_sign_flip_of_sums():
    rng = np.random.default_rng(8)
    for people, slack in ((9, 1e-12), (40, 0.02)):
        sums = rng.integers(0, 4, (people, 2)).astype(float)
        drawn = Flips.of(sums, np.full(people, 3.0)).p_value(0, 1, 0.0)
        assert drawn == pytest.approx(sign_flip(sums[:, 0] - sums[:, 1]).p_mid, abs=slack)


def test_one_large_person_does_not_decide_alone():
    """Totals let the many probes of one person outvote everybody; what the ratio leaves of each does not."""
    sizes = np.array([1.0] * 9 + [60.0] + [50.0])
    apart = np.array([0.0] * 9 + [30.0] + [25.0])
    flips = Flips.of(np.column_stack([apart, np.zeros(11)]), sizes)
    assert flips.p_value(0, 1, 0.0) == 0.25
    assert Score(55, 0, 119, 10.0, 0.25, lambda d: flips.p_value(0, 1, d)).interval(0.05).low <= 0


def test_the_interval_holds_what_the_flips_do_not_reject():
    rng = np.random.default_rng(9)
    sizes = rng.integers(1, 9, 11).astype(float)
    sums = np.column_stack([rng.binomial(sizes.astype(int), p) for p in (0.9, 0.5)]).astype(float)
    flips, apart = Flips.of(sums, sizes), sums[:, 0] - sums[:, 1]
    curve = Score(
        *(apart[apart > 0].sum() / 2, -apart[apart < 0].sum() / 2, sizes.sum() / 2),
        10.0, flips.p_value(0, 1, 0.0), lambda delta: flips.p_value(0, 1, delta),
    )  # fmt: skip
    for alpha in (0.02, 0.05, 0.2):
        low, high = curve.interval(alpha)
        held = [delta for delta in np.linspace(-1, 1, 401) if flips.p_value(0, 1, delta) > alpha]
        assert low <= held[0] + 0.02
        assert high >= held[-1] - 0.02


def test_single_step_is_bonferroni_at_worst_and_dunnett_like_where_comparisons_hang_together():
    rng = np.random.default_rng(11)
    base = rng.normal(size=(9_999, 6))
    contrasts = [np.abs(base[:, i] - base[:, j]) for i in range(6) for j in range(i)]
    among = SingleStep.of(contrasts)
    tukey = float(stats.studentized_range.sf(3.2 * np.sqrt(2), 6, np.inf))
    assert among.p_value(2 * stats.norm.sf(3.2)) == pytest.approx(tukey, abs=0.006)
    assert among.level(0.05) == pytest.approx(2 * stats.norm.sf(4.030 / np.sqrt(2)), abs=0.0012)
    assert among.p_value(1e-9) == pytest.approx(15e-9)
    for alpha in (0.01, 0.05, 0.2):
        level = among.level(alpha)
        assert among.p_value(level) <= alpha < among.p_value(level * 1.01 + 1e-4)


def test_unadjusted_ones_are_by_request_and_say_so(outcomes_of):
    rng = np.random.default_rng(12)
    made = [outcomes_of(rng.integers(0, 2, 30) * 3, np.arange(30), name) for name in "abc"]
    together, alone = (
        compare(made, measure=RecognitionRate(1), adjust=one).pairs for one in ("single-step", "none")
    )
    for one, other in zip(together, alone, strict=True):
        assert one.low <= other.low
        assert one.high >= other.high
        assert other.p_adjusted == other.p_value == one.p_value
        assert "unadjusted p" in str(other.sentence())
        assert "unadjusted" not in str(one.sentence())


def test_better_and_equivalent_at_once_is_said():
    tested = Found(0.005, Student(0.005, 0.001, None), 0.001, METHOD)
    (pair,) = judged([("a", "b", 100, tested)], 0.01, 0.95, upward=True, in_points=True)
    assert (pair.verdict, pair.within_margin) == ("better", True)
    assert "smaller than" in str(pair.sentence())
    assert "one-sided bounds" in str(pair.sentence())


def test_opposite_weights_are_said(outcomes_of):
    """One person with many probes against many with one each: probes and people point opposite ways."""
    people = np.concatenate([np.arange(20), np.full(40, 20), np.full(40, 21)])
    first = np.concatenate([np.repeat([0, 4], [20, 0]), np.full(80, 4)])
    second = np.concatenate([np.repeat([4, 0], [12, 8]), np.zeros(80, dtype=int)])
    (pair,) = compare(
        [outcomes_of(first, people, "x"), outcomes_of(second, people, "y")], measure=RecognitionRate(1)
    ).pairs
    agrees(pair)
    assert pair.value < 0 < pair.by_person.value
    assert pair.by_person.value == pytest.approx((12 - 2) / 22)
    assert pair.people_disagree
    assert "erson-weighted instead of probe-weighted" in str(pair.sentence())
