"""At the edge of what can be known: defined answers, never a NaN, and no error but one that says what is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.examples import some

from proband.designs import Binomial, Bootstrap, Clustered
from proband.errors import DesignError, ProbandError, UsageError
from proband.inference import (
    PairedOutcomes,
    cluster_statistics,
    compare,
    difference_of_independent,
    estimate,
    estimate_cmc,
    mcnemar,
    newcombe_interval,
    proportion_interval,
    tango_interval,
)
from proband.inference.comparisons.testing.cochran import cochran_q
from proband.inference.comparisons.testing.mcnemar import tango_counts
from proband.inference.comparisons.testing.sign_flip import sign_flip
from proband.inference.proportions import t_quantile
from proband.measures import MedianCensoredRank, MedianRelativeRank, RankStatistic, RecognitionRate

LEVELS = [1e-6, 0.3, 0.5, 0.95, 1 - 1e-9]  # from the lowest to the highest there is
HIGHEST_LEVEL = LEVELS[-1]
METHODS = ["wilson", "clopper-pearson", "jeffreys"]
FEW = 200
RATE_DESIGNS = ["auto", *(Binomial(method) for method in METHODS), Clustered()]
BOOTSTRAPS = [
    Bootstrap(unit, interval, FEW)
    for unit in ("probe", "subject")
    for interval in ("percentile", "basic", "bca")
]
# For each: how many non-mates are closer than the mate, and whose probe it is.
PLAIN = {
    "one probe, recognised": ([0], [0]),
    "one probe, missed": ([1], [0]),
    "one person": ([0, 1, 0], [0, 0, 0]),
    "one person without a miss": ([0, 0, 0], [0, 0, 0]),
    "two people": ([0, 1], [0, 1]),
    "all recognised": ([0] * 6, [0, 0, 1, 1, 2, 2]),
    "all missed": ([5] * 6, [0, 0, 1, 1, 2, 2]),
    "people all good or all bad": ([0, 0, 5, 5, 0, 0], [0, 0, 1, 1, 2, 2]),
}
ALIKE = ([0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2])  # everybody has one success and one failure


def plain(value):
    """What JSON can hold: fails on NaN and infinity."""
    return json.loads(json.dumps(value, allow_nan=False))


def check_estimate(found):
    assert not np.isnan([found.value, found.low, found.high]).any()
    assert found.low <= found.value <= found.high
    assert found.standard_error is None or found.standard_error >= 0
    plain(found.to_dict())
    assert "nan" not in repr(found)
    return found


def check_comparison(found):
    for pair in found.pairs:
        assert -1 <= pair.low <= pair.value + 1e-12
        assert pair.value - 1e-12 <= pair.high <= 1
        assert 0 <= pair.p_value <= pair.p_adjusted <= 1
        assert "nan" not in str(pair.sentence())
    plain(found.to_dict())
    assert found.to_frame().height == len(found.pairs)
    return found


def pair_of(outcomes_of, first, second, subjects=None):
    return outcomes_of(first, subjects, "a"), outcomes_of(second, subjects, "b")


# One algorithm


@pytest.mark.parametrize("level", some(LEVELS, 2))
@pytest.mark.parametrize("design", RATE_DESIGNS, ids=str)
@pytest.mark.parametrize("case", PLAIN)
def test_rates(outcomes_of, case, design, level):
    found = estimate(
        outcomes_of(*PLAIN[case]), measure=RecognitionRate(1), design=design, confidence_level=level
    )
    assert not np.isnan([found.value, found.low, found.high, found.standard_error]).any()
    assert 0 <= found.low <= found.high <= 1
    plain(found.to_dict())


@pytest.mark.parametrize("case", PLAIN)
def test_rates_hold_what_they_are_intervals_of(outcomes_of, case):
    for design in RATE_DESIGNS:
        check_estimate(estimate(outcomes_of(*PLAIN[case]), measure=RecognitionRate(1), design=design))


def test_one_person_tells_nothing_about_others(outcomes_of):
    for case in ("one person", "one person without a miss"):
        found = estimate(outcomes_of(*PLAIN[case]), measure=RecognitionRate(1))
        assert (found.low, found.high) == (0.0, 1.0)
    with pytest.raises(DesignError, match="one person"):
        estimate(
            outcomes_of(*PLAIN["one person"]), measure=RecognitionRate(1), design=Bootstrap(n_resamples=FEW)
        )


def test_no_probes(outcomes_of):
    one = outcomes_of([0])
    empty = {name: getattr(one, name)[:0] for name in ("probes", "closer", "tied", "best_mates", "failed")}
    with pytest.raises(DesignError, match="No probe"):
        replace(one, **empty)


@pytest.mark.parametrize("design", BOOTSTRAPS, ids=str)
@pytest.mark.parametrize("case", [name for name, (closer, _) in PLAIN.items() if len(closer) > 1])
def test_bootstraps(outcomes_of, case, design):
    for measure in (
        RecognitionRate(1),
        MedianCensoredRank(3),
        MedianRelativeRank(),
        RankStatistic(np.mean, "mean rank"),
    ):
        outcomes = outcomes_of(*PLAIN[case])
        if design.unit == "subject" and "one person" in case:
            with pytest.raises(DesignError):
                estimate(outcomes, measure=measure, design=design)
            continue
        found = estimate(outcomes, measure=measure, design=design)
        assert not np.isnan([found.value, found.low, found.high]).any()
        assert found.low <= found.high
        plain(found.to_dict())


@pytest.mark.parametrize("interval", ["percentile", "basic"])
def test_bootstrap_of_one_probe(outcomes_of, interval):
    """One probe says nothing of a rate; what has no such bound keeps the one value, and that is said."""
    for measure, value, low, high, said in (
        (RecognitionRate(1), 0.0, 0.0, 1.0, "bootstrap.no-event"),
        (MedianCensoredRank(5), 2.0, 2.0, 2.0, "bootstrap.no-width"),
        (RankStatistic(np.max), 2.0, 2.0, 2.0, "bootstrap.no-width"),
    ):
        found = estimate(outcomes_of([1]), measure=measure, design=Bootstrap("probe", interval, FEW))
        assert (found.value, found.low, found.high, found.standard_error) == (value, low, high, 0.0)
        assert said in [note.code for note in found.notes]


# Regression: leaving out the only probe leaves none, whose median is an IndexError and whose rate is 0/0.
@pytest.mark.parametrize("measure", [RecognitionRate(1), MedianCensoredRank(5)])
def test_bca_of_one_probe(outcomes_of, measure):
    with suppress(ProbandError):
        check_estimate(estimate(outcomes_of([1]), measure=measure, design=Bootstrap("probe", "bca", FEW)))


@pytest.mark.parametrize("failed", [[1] * 6, [1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]])
@pytest.mark.parametrize("unit", ["probe", "subject"])
def test_infinite_ranks(outcomes_of, unit, failed):
    outcomes = outcomes_of([0, 0, 1, 2, 0, 3], [0, 0, 1, 1, 2, 2], failed=np.array(failed, dtype=bool))
    for measure in (MedianCensoredRank(3), MedianRelativeRank(), RankStatistic(np.mean, "mean rank")):
        found = estimate(outcomes, measure=measure, design=Bootstrap(unit, "percentile", FEW))
        assert not np.isnan([found.value, found.low, found.high]).any()
        assert found.low <= found.value <= found.high
        plain(found.to_dict())


# Regression: infinity less infinity: the basic interval is NaN, and BCa's acceleration warns.
@pytest.mark.parametrize("interval", ["basic", "bca"])
@pytest.mark.parametrize("failed", [[1] * 6, [1, 1, 1, 0, 0, 0]])
def test_infinite_ranks_in_other_intervals(outcomes_of, interval, failed):
    outcomes = outcomes_of([0, 0, 1, 2, 0, 3], [0, 0, 1, 1, 2, 2], failed=np.array(failed, dtype=bool))
    with suppress(ProbandError):
        found = estimate(outcomes, measure=MedianRelativeRank(), design=Bootstrap("probe", interval, FEW))
        assert not np.isnan([found.low, found.high]).any()


def test_everybody_alike_varies_less_than_chance():
    found = cluster_statistics(np.array([1.0, 0.0] * 3), np.array([0, 0, 1, 1, 2, 2]))
    assert (found.cluster_se, found.design_effect) == (0.0, 0.0)
    assert found.icc == pytest.approx(-1.0)


def test_estimate_where_everybody_is_alike(outcomes_of):
    for design in RATE_DESIGNS:
        found = estimate(outcomes_of(*ALIKE), measure=RecognitionRate(1), design=design)
        assert 0 < found.low < 0.5 < found.high < 1


# Regression: the effective number of probes is infinite then, and JSON has no infinity: `--json` and results.json would fail.
def test_everybody_alike_is_plain(outcomes_of):
    plain(estimate(outcomes_of(*ALIKE), measure=RecognitionRate(1)).to_dict())


@pytest.mark.parametrize(
    ("success", "people"),
    [([1.0], [0]), ([0.0], [3]), ([1.0, 0.0], [0, 0]), ([1.0, 1.0], [0, 1]), ([1.0, 0.0, 0.0], [0, 1, 1])],
)
def test_clusters(success, people):
    found = cluster_statistics(np.array(success), np.array(people))
    assert np.isfinite(list(found.to_dict().values())).all()
    assert found.effective_n > 0
    assert -1 <= found.icc <= 1


def test_whole_population_still_has_other_images(outcomes_of):
    for method, closer in product(METHODS, ([0] * 6, [1] * 6, [0, 1, 0, 1, 1, 0])):
        found = estimate(
            outcomes_of(closer), measure=RecognitionRate(1), design=Binomial(method), population=6
        )
        assert found.high - found.low > 0.3  # images of these people still vary
        assert found.low <= found.value <= found.high
    with pytest.raises(UsageError, match="at least 1"):
        estimate(outcomes_of([0, 1]), measure=RecognitionRate(1), population=0)


@pytest.mark.parametrize("case", [name for name in PLAIN if not name.startswith("one person")])
def test_bands(outcomes_of, case):
    outcomes = outcomes_of(*PLAIN[case])
    bands = [estimate_cmc(outcomes), estimate_cmc(outcomes, design=Bootstrap("probe", n_resamples=FEW))]
    if len(outcomes) > 1:
        bands.append(estimate_cmc(outcomes, simultaneous=True))
    for found in bands:
        assert (found.low >= 0).all()
        assert (found.low <= found.values).all()
        assert (found.values <= found.high).all()
        assert (found.high <= 1).all()


# Regression: the band divides by one person less one; `estimate` gives the whole range.
def test_band_of_one_person(outcomes_of):
    found = estimate_cmc(outcomes_of(*PLAIN["one person"]))
    assert (found.low.min(), found.high.max()) == (0.0, 1.0)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95, float("nan")])
def test_levels_that_are_none(outcomes_of, level):
    outcomes = outcomes_of([0, 1, 0], name="a")
    for ask in (
        lambda: estimate(outcomes, measure=RecognitionRate(1), confidence_level=level),
        lambda: estimate_cmc(outcomes, confidence_level=level),
        lambda: compare(
            [outcomes, outcomes_of([0, 0, 0], name="b")], measure=RecognitionRate(1), confidence_level=level
        ),
        lambda: proportion_interval(1, 2, confidence_level=level),
        lambda: tango_interval(PairedOutcomes(1, 1, 1, 1), level),
        lambda: newcombe_interval(PairedOutcomes(1, 1, 1, 1), level),
        lambda: difference_of_independent(1, 2, 1, 2, level),
    ):
        with pytest.raises(UsageError, match="confidence level"):
            ask()


def test_bootstrap_at_odd_levels(outcomes_of):
    outcomes = outcomes_of([0, 1, 0, 2, 0], [0, 0, 1, 1, 2])
    for level, design in product(LEVELS, BOOTSTRAPS):
        found = estimate(outcomes, measure=RecognitionRate(1), design=design, confidence_level=level)
        assert found.low <= found.high


# Regression: one less half of the smallest tail rounds to 1, whose normal quantile is infinite; BCa makes NaN of it.
def test_bca_at_the_highest_level(outcomes_of):
    estimate(
        outcomes_of([0, 1, 0, 2, 0]),
        measure=RecognitionRate(1),
        design=Bootstrap("probe", "bca", FEW),
        confidence_level=HIGHEST_LEVEL,
    )


# Regression: numpy refuses a negative seed with a ValueError of its own.
def test_negative_seed(outcomes_of):
    with pytest.raises(UsageError):
        estimate(
            outcomes_of([0, 1]),
            measure=RecognitionRate(1),
            design=Bootstrap("probe", n_resamples=FEW),
            seed=-1,
        )


# Two algorithms on the same probes


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("first", "second", "subjects"),
    [
        ([0], [0], None),
        ([0], [1], None),
        ([0] * 6, [0] * 6, [0, 0, 1, 1, 2, 2]),
        ([1] * 6, [1] * 6, [0, 0, 1, 1, 2, 2]),
        ([0] * 6, [1] * 6, None),
        ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]),
        ([0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]),
    ],
)
def test_comparisons(outcomes_of, first, second, subjects, level):
    check_comparison(
        compare(
            pair_of(outcomes_of, first, second, subjects), measure=RecognitionRate(1), confidence_level=level
        )
    )


def test_nothing_tells_them_apart(outcomes_of):
    for closer in ([0] * 30, [1] * 30):
        (pair,) = compare(
            pair_of(outcomes_of, closer, closer, np.repeat(np.arange(10), 3)), measure=RecognitionRate(1)
        ).pairs
        assert (pair.value, pair.p_value, pair.verdict) == (0.0, 1.0, "undecided")
        assert (pair.n_sf, pair.n_fs, pair.n_discordant_subjects) == (0, 0, 0)
        # Each person counts once, with Student's quantile for so few.
        low, high = tango_counts(0, 0, 10, z=t_quantile(0.95, 9))
        assert (pair.low, pair.high) == pytest.approx((low, high))


def test_three_alike(outcomes_of):
    found = compare([outcomes_of([0, 1], name=name) for name in "abc"], measure=RecognitionRate(1))
    assert (found.overall.statistic, found.overall.p_value) == (0.0, 1.0)
    assert set(found.places().values()) == {(1, 3)}
    check_comparison(found)


# Regression: with one person the design effect is taken as 1, so ten probes of one person make a verdict about people, while the
# p-value is 0.5 and `estimate` gives the whole range.
def test_one_person_settles_nothing(outcomes_of):
    (pair,) = compare(pair_of(outcomes_of, [0] * 10, [1] * 10, [0] * 10), measure=RecognitionRate(1)).pairs
    assert pair.verdict == "undecided"


# Regression: where every probe differs the same way nothing shows how alike a person's probes are, but each probe counts, not each
# person: two people give [0.68, 1] and "better" while p = 0.25. (Where no probe differs each person does count once.)
def test_two_people_settle_nothing(outcomes_of):
    subjects = np.repeat([0, 1], 10)
    (pair,) = compare(pair_of(outcomes_of, [0] * 20, [1] * 20, subjects), measure=RecognitionRate(1)).pairs
    assert pair.low == pytest.approx(tango_counts(2, 0, 2, z=t_quantile(0.95, 1)).low)
    assert pair.verdict == "undecided"


# Regression: the normal quantile is 0 or infinite at such levels, and the number of people needed divides by it.
@pytest.mark.parametrize("level", [LEVELS[0], HIGHEST_LEVEL])
def test_comparison_at_extreme_levels(outcomes_of, level):
    check_comparison(
        compare(
            pair_of(outcomes_of, [0, 0, 1], [0, 1, 0]), measure=RecognitionRate(1), confidence_level=level
        )
    )


COUNTS = list(product((0, 1, 7, 1000), repeat=4))


@pytest.mark.parametrize("interval", [tango_interval, newcombe_interval])
@pytest.mark.parametrize("level", LEVELS)
def test_paired_intervals(interval, level):
    for counts in COUNTS:
        pairs = PairedOutcomes(*counts)
        low, high = interval(pairs, level)
        if pairs.n == 0:
            assert (low, high) == (-1.0, 1.0)
            continue
        difference = (pairs.sf - pairs.fs) / pairs.n
        assert -1 <= low <= difference + 1e-12
        assert difference - 1e-12 <= high <= 1


# Regression: with a normal quantile of exactly 0 both ends are the observed difference, where rounding hides the change of sign.
def test_tango_at_a_level_of_nothing():
    assert tango_interval(PairedOutcomes(0, 2, 0, 1000), LEVELS[0]) == pytest.approx(
        (2 / 1002, 2 / 1002), abs=1e-6
    )


def test_mcnemar_everywhere():
    for n in (*range(40), 1074, 1075, 1076, 5000, 10**9):
        for sf in {0, 1, n // 2, n} - {k for k in (1,) if n == 0}:
            found = mcnemar(sf, n - sf)
            values = (found.p_greater, found.p_less, found.p_value, found.p_mid)
            assert all(0 <= p <= 1 for p in values)
            assert found.p_mid <= found.p_value
    with pytest.raises(UsageError, match="at least 0"):
        mcnemar(-1, 3)


@pytest.mark.parametrize(
    "differences", [[], [0.0], [1.0], [-3.0], [0.5], [1e-300], [1e300, 1e300], [1e5, 1e5, 1.0], [2.0] * 60]
)
def test_sign_flip(differences):
    found = sign_flip(np.array(differences))
    values = (found.p_greater, found.p_less, found.p_value, found.p_mid)
    assert all(0 <= p <= 1 for p in values)
    assert found.rests_on.n == np.count_nonzero(differences)
    turned = sign_flip(-np.array(differences))
    assert (turned.p_greater, turned.p_less) == pytest.approx((found.p_less, found.p_greater), abs=0.01)


def test_sign_flip_of_one_person():
    found = sign_flip(np.array([7.0]))
    assert (found.p_greater, found.p_less, found.p_value, found.p_mid) == (0.5, 1.0, 1.0, 0.5)


# Regression: the sum of all chances is 1.0000000000000004 here.
def test_sign_flip_never_exceeds_one():
    assert sign_flip(np.ones(2000)).p_less <= 1


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_sign_flip_refuses(bad):
    with pytest.raises(UsageError, match="finite"):
        sign_flip(np.array([1.0, bad]))


@pytest.mark.parametrize("success", [np.ones((4, 3)), np.zeros((4, 3)), np.ones((0, 3)), np.ones((1, 3))])
def test_cochran_without_a_difference(success):
    found = cochran_q(success, np.arange(len(success)))
    assert (found.statistic, found.p_value, found.degrees_of_freedom) == (0.0, 1.0, 2)


def test_cochran_of_one_person():
    found = cochran_q(np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]), np.array([0, 0]))
    assert found.p_value == 1.0  # any order of one person's sums is as extreme
    one_probe = cochran_q(np.array([[1.0, 0.0, 0.0]]), np.array([0]))
    assert (one_probe.statistic, one_probe.degrees_of_freedom) == (2.0, 2)
    assert 0 < one_probe.p_value < 1


# Two independent sets, and one proportion


@pytest.mark.parametrize("level", LEVELS)
def test_independent_sets(level):
    for n_a, n_b in product((0, 1, 9, 500), repeat=2):
        for a, b in product({0, n_a // 2, n_a}, {0, n_b // 2, n_b}):
            (low, high), p_value = difference_of_independent(a, n_a, b, n_b, level)
            assert -1 <= low <= high <= 1
            assert 0 <= p_value <= 1
            if n_a == 0 or n_b == 0:
                assert (low, high, p_value) == (-1.0, 1.0, 1.0)
            else:
                assert low - 1e-12 <= a / n_a - b / n_b <= high + 1e-12
    for bad in ((3, 2, 1, 1), (-1, 2, 1, 1), (1, 1, 0, -1)):
        with pytest.raises(UsageError):
            difference_of_independent(*bad)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", LEVELS)
def test_proportions(method, level):
    for n in (1, 2, 40, 10**6, 0.7, 12.5):
        for share in (0.0, 1e-6, 0.5, 1.0):
            low, high = proportion_interval(share * n, n, method, level)
            assert 0 <= low <= high <= 1
            if share == 0.0:
                assert low == 0.0
            if share == 1.0:
                assert high == 1.0
