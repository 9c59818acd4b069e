"""Many algorithms, and evidence that leaves nothing open: what is certain is said, and p-values have no floor above 5 %."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import proband as pb
from proband.designs import Bootstrap
from proband.distributions import normal_cdf
from proband.inference import compare
from proband.inference.comparisons.paired import Tested as Found
from proband.inference.comparisons.testing.adjustment import SingleStep
from proband.inference.comparisons.testing.curves import Percentiles, Score, Skewed, Student, agreeing
from proband.inference.comparisons.testing.sign_flip import Flips, sign_flip
from proband.inference.comparisons.testing.tails import scale_of, unseen
from proband.inference.comparisons.verdicts import judged
from proband.inference.galleries.orders import orders_of
from proband.inference.procedures import Question
from proband.inference.verification.intervals.paired_people import Apart
from proband.measures import FNMR, MedianCensoredRank, RankStatistic, RecognitionRate
from proband.results.base import Interval
from proband.samples import Samples
from proband.scores import Scores
from proband.words import Method


def people(n: int, images: int = 2) -> tuple[list[str], Samples, np.ndarray]:
    ids = [f"{k}.{image}" for k in range(n) for image in range(images)]
    subjects = [name.split(".")[0] for name in ids]
    return ids, Samples({"id": ids, "subject": subjects}), np.equal.outer(subjects, subjects).astype(float)


def algorithms(n: int, ids: list[str], same: np.ndarray, widest: float) -> list[Scores]:
    rng = np.random.default_rng(n)
    made = []
    for place in range(n):
        noise = rng.normal(0, 0.05 + widest * place / n, same.shape)
        made.append(
            Scores.from_array(same + noise + noise.T, ids, orientation="similarity", name=f"a{place:02d}")
        )
    return made


@pytest.mark.long
def test_thirty_algorithms_are_told_apart_by_verification():
    ids, samples, same = people(30)
    found = compare(algorithms(30, ids, same, 0.8), samples, measure=FNMR(0.02))
    assert len(found.pairs) == 435
    (far,) = [one for one in found.pairs if (one.first, one.second) == ("a00", "a29")]
    assert (far.verdict, far.high < -0.3) == ("better", True)
    assert far.p_adjusted <= 0.01
    assert max(one.high - one.low for one in found.pairs) < 1.8
    for one in found.pairs:
        assert one.told_apart == (one.p_adjusted <= 0.05) == (one.low > 0 or one.high < 0)
        assert one.p_adjusted >= one.p_value
    both = orders_of(None, found, found, 0.95)
    assert both.tau.low > -0.5  # it was −1 where no p-value could be small enough


def test_adjusted_p_values_have_the_floor_of_the_draws_alone():
    rng = np.random.default_rng(0)
    draws = np.abs(rng.normal(size=(999, 435)))
    among = SingleStep.of(list(draws.T))
    assert among.p_value(1e-9) == pytest.approx(435e-9)  # Bonferroni's, and smaller than any share of draws
    assert among.p_value(1e-5) <= 0.005
    # 435 independent ones: Šidák's level, which is far below what the ranks of 999 draws can tell.
    assert among.level(0.05) == pytest.approx(1 - 0.95 ** (1 / 435), rel=0.5)
    for p in (1e-6, 1e-4, 0.01, 0.3):
        assert p <= among.p_value(p) <= min(1.0, 435 * p)


def test_max_t_is_that_of_its_definition():
    """The share of draws whose largest studentised statistic is as large, for normal statistics."""
    rng = np.random.default_rng(1)
    base = rng.normal(size=(9_999, 8)) * np.arange(1, 9)
    drawn = [np.abs(base[:, a] - base[:, b]) for a, b in combinations(range(8), 2)]
    largest = np.max([one / np.sqrt(np.mean(one**2)) for one in drawn], axis=0)
    among = SingleStep.of(drawn)
    for z in (2.5, 3.0, 3.4):
        assert among.p_value(2 * stats.norm.sf(z)) == pytest.approx((largest >= z).mean(), abs=0.012)


def test_few_people_have_the_family_of_their_own_signs():
    """Sums of few signs have shorter tails than normal ones: adjusted as if normal, their small p-values would count too much."""
    rng = np.random.default_rng(2)
    signs = rng.integers(0, 2, (4_999, 10)) * 2.0 - 1
    apart = rng.integers(0, 2, (10, 40)).astype(float)
    drawn = np.abs(signs @ apart)
    among = SingleStep.of(list(drawn.T))
    mid = [2.0 ** -int(one.sum()) for one in apart.T]  # all in one direction
    exact = np.array([[sign_flip(row * column).p_mid for column in apart.T] for row in signs[:120]])
    smallest = exact.min(axis=1)
    assert np.mean([among.p_value(p) <= 0.05 for p in smallest]) <= 0.09
    assert among.p_value(min(mid)) >= min(mid)


def test_beyond_its_draws_a_curve_goes_on_and_agrees():
    draws = np.random.default_rng(3).normal(0.3, 0.05, 99)
    curve = Percentiles(0.3, draws, 1e-9, 50)
    assert curve.p_value < 1e-6
    ends = [curve.interval(alpha) for alpha in (0.2, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-12)]
    for wide, narrow in zip(ends[1:], ends[:-1], strict=True):
        assert wide.low <= narrow.low <= narrow.high <= wide.high
    for alpha, one in zip((0.2, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-12), ends, strict=True):
        assert (one.low > 0) == (curve.p_value <= alpha)
    assert ends[4].low == pytest.approx(0.3 - stats.norm.isf(0.5e-4) * draws.std(), abs=0.01)


def test_too_few_draws_are_a_caution_and_no_wide_interval():
    draws = np.random.default_rng(4).normal(0.3, 0.02, 9)
    method = Method("t", "a test", draws=9)
    found = Found(0.3, Percentiles(0.3, draws, 1e-9, 50), 0.02, method)
    (pair,) = judged([("a", "b", 50, found)], 0.01, 0.95, upward=True, in_points=True)
    assert (pair.verdict, pair.low, pair.p_value) == ("undecided", 0.0, 0.1)
    assert pair.high < 0.5
    assert "use more resamples" in str(pair.sentence())


def test_medians_far_apart_are_told_apart(outcomes_of):
    """Every resample agrees; the interval is what people who were not seen could change."""
    subjects = np.repeat(np.arange(60), 2)
    rng = np.random.default_rng(5)
    good = outcomes_of(np.where(rng.random(120) < 0.97, 0, 4), subjects, "good")
    poor = outcomes_of(np.where(rng.random(120) < 0.2, 0, 4), subjects, "poor")
    (pair,) = compare([good, poor], measure=MedianCensoredRank(2)).pairs
    assert (pair.value, pair.low, pair.high, pair.verdict) == (-1.0, -1.0, -1.0, "better")
    assert pair.p_value <= 0.002
    (pair,) = compare({"a": good, "b": good}, measure=MedianCensoredRank(2)).pairs
    assert (pair.verdict, pair.p_value, pair.varies) == ("undecided", 1.0, False)
    two = [outcomes_of(np.full(4, at), np.repeat([0, 1], 2), name) for at, name in ((0, "a"), (5, "b"))]
    (pair,) = compare(two, measure=MedianCensoredRank(9)).pairs  # two people say next to nothing of others
    assert (pair.verdict, pair.low <= 0 <= pair.high, pair.p_value > 0.05) == ("undecided", True, True)


def test_people_who_were_not_seen_widen_a_statistic_that_does_not_vary(outcomes_of):
    """Everybody has rank 1 and rank 5. Of 20 people, ⌈20u/(1 − u)⌉ more could be as the other algorithm: a mean moves by that share."""
    good, poor = (outcomes_of(np.full(20, at), np.arange(20), name) for at, name in ((0, "a"), (4, "b")))
    measure = RankStatistic(np.mean, "mean rank")
    (pair,) = compare([good, poor], measure=measure, design=Bootstrap("subject", n_resamples=200)).pairs
    share = unseen(0.05, 20)
    more = np.ceil(20 * share / (1 - share))
    expected = (1 * 20 + 5 * more) / (20 + more) - (5 * 20 + 1 * more) / (20 + more)
    assert (pair.value, pair.low) == (-4.0, -4.0)
    assert pair.high == pytest.approx(expected)
    assert pair.verdict == "better" if not measure.larger_is_better else "worse"


@pytest.mark.parametrize("units", [5, 6, 12, 40])
@pytest.mark.parametrize("difference", [1.0, 0.4, -0.05])
def test_what_everybody_shows_is_a_binomial_bound(units, difference):
    """People who differ wholly the other way, of whom none is seen with the chance α/2, are at most a share u: (1 − u)^K = α/2."""
    for curve in (
        Student(difference, 0.0, None, units=units),
        Percentiles(difference, np.full(9, difference), 0.0, units),
    ):
        u = abs(difference) / (1 + abs(difference))  # makes up for the difference
        assert curve.p_value == pytest.approx(min(1.0, 2 * (1 - u) ** units))
        low, high = curve.interval(0.05)
        assert (low > 0 or high < 0) == (curve.p_value <= 0.05)
        if curve.p_value <= 0.05:
            share = 1 - 0.025 ** (1 / units)
            assert low == pytest.approx(difference - share * (1 + difference))
    assert Student(1.0, 0.0, None, units=units).p_value == pytest.approx(sign_flip(np.ones(units)).p_value)


def test_an_end_is_never_shown_as_zero_beside_better():
    """McNemar rejects zero which Tango's interval holds: the end is the test's own, and is printed as more than zero."""
    assert agreeing(-0.01, 0.2, 0.1, 0.05, 0.05) == Interval(1e-4, 0.2)
    low, high = agreeing(-0.2, 0.01, -0.1, 0.01, 0.05)
    assert (low, high) == pytest.approx((-0.2, -0.1 * (1 - stats.norm.isf(0.025) / stats.norm.isf(0.005))))
    for p in (0.05, 0.0499999, 0.049, 0.01):
        curve = Score(7, 1, 5000, None, p)
        found = Found(curve.difference, curve, 0.001, Method("t", "a test"))
        (pair,) = judged([("a", "b", 5000, found)], 0.01, 0.95, upward=True, in_points=True)
        assert pair.verdict == "better"
        assert "[+0.00," not in str(pair.effect)
        assert "[0.00," not in str(pair.effect)
        assert pair.low <= pair.bound_low
    assert pb.words.effect_interval(2e-7, 0.3) == "[+0.00002, +30.00]"


def hall(apart: np.ndarray, sizes: np.ndarray, delta: float) -> float:
    """Hall's transformation as it is written down."""
    n, d = len(sizes), apart.sum() / sizes.sum()
    e = apart - d * sizes
    error = np.sqrt(n / (n - 1) * (e**2).sum()) / sizes.sum()
    g, t = (e**3).sum() / (e**2).sum() ** 1.5, (d - delta) / error
    carriers = (e**2).sum() ** 2 / (e**4).sum()
    h = t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6
    return float(2 * stats.t.sf(abs(h), 2 * carriers / (1 - carriers / n)))


def test_skewed_people_are_halls_transformation_and_its_inverse():
    rng = np.random.default_rng(6)
    for sizes in (np.full(25, 8.0), rng.integers(1, 12, 25).astype(float)):
        apart = np.where(rng.random(25) < 0.12, -0.7, 0.1) * sizes + rng.normal(0, 0.3, 25)
        curve = Skewed.of(apart, sizes)
        for delta in (-0.3, 0.0, 0.05, 0.2):
            assert curve.at(delta) == pytest.approx(hall(apart, sizes, delta))
        for alpha in (0.01, 0.05, 0.3):
            for end in curve.interval(alpha):
                assert abs(end) == 1.0 or hall(apart, sizes, end) == pytest.approx(alpha, rel=1e-6)
    assert Skewed.of(np.array([1.0, -1.0, 0.0, 1.0]), np.ones(4)) is None  # one probe each: McNemar's


@pytest.mark.parametrize("skewness", [-0.6, -0.2, 0.0, 0.4])
@pytest.mark.parametrize("difference", [0.06, -0.06, 0.02])
def test_students_t_allows_for_skewness_by_halls_transformation(difference, skewness):
    """p(δ) as it is written down, sought for the ends; the error is another on the side of zero."""
    error, inner, freedom = 0.03, 0.02, 12.0
    curve = Student(difference, error, freedom, inner=inner, skewness=skewness)

    def p(delta: float) -> float:
        nearer = (difference - delta) * difference > 0
        t, g = (difference - delta) / (inner if nearer else error), skewness
        h = ((1 + g * t / 3) ** 3 - 1) / g + g / 6 if g else t
        return float(2 * stats.t.sf(np.clip(abs(h), 0.75 * abs(t), abs(t)), freedom))

    assert curve.p_value == pytest.approx(p(0.0))
    for alpha in (0.01, 0.05, 0.2):
        low, high = curve.interval(alpha)
        for end in (low, high):
            assert p(end) == pytest.approx(alpha, rel=1e-6)
        assert (curve.p_value <= alpha) == (low > 0 or high < 0)


def test_what_people_add_makes_the_skewness_of_a_difference():
    rng = np.random.default_rng(9)
    adds = np.where(np.arange(40) < 2, -0.02, 0.001) + rng.normal(0, 0.001, 40)
    adds -= adds.mean()
    found = Apart.over_people(0.01, adds, adds, np.arange(40))
    assert found.curve.skewness == pytest.approx(float(stats.skew(adds)) / np.sqrt(40))
    assert found.curve.interval(0.05).low < replace(found.curve, skewness=0.0).interval(0.05).low


def asymmetric(rng: np.random.Generator, n: int, probes: int, few: float, much: float) -> np.ndarray:
    """People of whom a few are recognised much better by the second, and the others a little better by the first."""
    apart = np.where(rng.random(n) < few, -much, few * much / (1 - few))
    return (rng.binomial(probes, 0.8 + apart) - rng.binomial(probes, 0.8, n)).astype(float)


def test_few_who_differ_much_the_other_way_are_allowed_for():
    rng, rejected, flipped = np.random.default_rng(7), 0, 0
    for _ in range(400):
        apart = asymmetric(rng, 50, 20, 0.06, 0.8)
        p = sign_flip(apart).p_mid
        flipped += p <= 0.05
        rejected += max(p, Skewed.of(apart, np.full(50, 20.0)).at(0.0)) <= 0.05
    assert rejected <= 0.08 * 400
    assert rejected < flipped


def test_one_probe_each_stays_mcnemar_among_many(outcomes_of):
    rng = np.random.default_rng(8)
    made = [outcomes_of(rng.integers(0, 2, 30) * 3, np.arange(30), name) for name in "abcdef"]
    for one in compare(made, measure=RecognitionRate(1)).pairs:
        assert one.p_value == pytest.approx(pb.mcnemar(one.n_sf, one.n_fs).p_mid, rel=1e-9)


def smallest_by_sorting(statistics: list[np.ndarray]) -> np.ndarray:
    """The least p-value of every draw, each statistic put in order anew."""
    each = []
    for sizes in statistics:
        scale, ordered = scale_of(sizes), np.sort(sizes)
        below, up_to = (np.searchsorted(ordered, sizes, side) for side in ("left", "right"))
        ranked = 1.0 - (below + up_to) / (2 * len(sizes))
        each.append(np.minimum(ranked, 2 * normal_cdf(-sizes / scale)) if scale > 0 else np.ones(len(sizes)))
    return np.sort(np.min(each, axis=0))


@pytest.mark.parametrize("images", [1, 3, "several"])
@pytest.mark.parametrize("n", [1, 2, 9, 40, 300])
@pytest.mark.parametrize("share", [False, True])
def test_statistics_of_all_pairs_are_those_of_each(images: int | str, n: int, share: bool) -> None:
    """Of two that are alike, of one that is right about everybody, and of one about nobody, too."""
    rng = np.random.default_rng(n)
    sizes = rng.integers(1, 5, n).astype(float) if images == "several" else np.full(n, float(images))
    values = rng.binomial(sizes.astype(int)[:, None], [0.5, 0.5, 0.9, 0.1, 0.0, 1.0]).astype(float)
    values[:, 1] = values[:, 0]
    if share:
        values, sizes = values / sizes[:, None], np.ones(n)
    flips = Flips.of(values, sizes, 3)
    found, expected = [], []
    for a, b in combinations(range(values.shape[1]), 2):
        ranked = flips.sizes_of(a, b)
        found.append(ranked)
        people = float(flips.counts @ flips.sizes) ** 2 / float(flips.counts @ flips.sizes**2)
        with np.errstate(divide="ignore"):
            expected.append(1 / np.sqrt(1 / flips.statistics(a, b, 0.0)[1] + 1 / people))
        assert (np.diff(ranked.values) > 0).all()
        np.testing.assert_array_equal(ranked.values[ranked.places], expected[-1])
    least = smallest_by_sorting(expected)
    for given in (found, expected):
        np.testing.assert_array_equal(SingleStep.of(given).least, least)


@pytest.mark.parametrize("n", [1, 2, 3, 19, 20, 999, 5000])
def test_statistics_with_ties_count_for_what_they_count_when_sorted(n: int) -> None:
    rng = np.random.default_rng(n)
    drawn = [
        np.zeros(n),
        np.full(n, 2.0),
        np.abs(rng.standard_normal(n)),
        rng.integers(0, 4, n).astype(float),
        np.abs(rng.standard_cauchy(n)),
        np.where(rng.random(n) < 0.9, 0.0, 5e-324),
    ]
    np.testing.assert_array_equal(SingleStep.of(drawn).least, smallest_by_sorting(drawn))


@pytest.mark.parametrize("most", [1, 4])
def test_sums_that_are_kept_are_those_of_every_pattern(most: int) -> None:
    rng = np.random.default_rng(most)
    for n in (1, 2, 7, 11, 7, 1, 11):
        moving = rng.integers(1, most + 1, n) * rng.choice([-1, 1], n)
        signs = 1 - 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
        sums = signs @ np.abs(moving)
        above, same = (sums >= moving.sum()).mean(), (sums == moving.sum()).mean()
        found = sign_flip(moving.astype(float))
        assert found.p_greater == pytest.approx(above, abs=1e-12)
        assert found.p_mid == pytest.approx(
            min(1.0, 2 * min(above, (sums <= moving.sum()).mean()) - same), abs=1e-12
        )


def test_each_algorithm_is_ranked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from proband.inference import procedures

    ids, samples, same = people(40)
    experiment = pb.Experiment(samples, gallery=ids[::2])
    ranked: list[str] = []
    real = procedures.outcomes_of

    def counted(data: object, within: object) -> object:
        ranked.append(data.name)
        return real(data, within)

    monkeypatch.setattr(procedures, "outcomes_of", counted)
    given = algorithms(4, ids, same, 0.8)
    for measure in ("rank-1", "median-rank@5"):
        ranked.clear()
        compare(given, experiment, measure=measure)
        assert sorted(ranked) == ["a00", "a01", "a02", "a03"]
    other = pb.Experiment(samples, gallery=ids[1::2])
    question = Question.of("rank-1", given, experiment, "auto", 0.95, 0)
    here = question.outcomes
    there = replace(question, within=other).outcomes
    assert all(one.experiment is experiment for one in here)
    assert all(one.experiment is other for one in there)
    assert replace(question, seed=1).outcomes[0] is here[0]
