from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.examples import some

import proband as pb
from proband.designs.image_choice import TRIALS_A_BLOCK, draw_choices
from proband.errors import AlignmentError, DesignError, UsageError
from proband.inference.comparisons.testing.sign_flip import sign_flip


def pool_of(rng, people: int, images: tuple[int, ...] = (2, 2), uneven: bool = False) -> pb.Pool:
    rows = [
        (f"{s}.{g}.{k}", f"s{s}", g)
        for s in range(people)
        for g, size in enumerate(images)
        for k in range(size + (int(rng.integers(0, 3)) if uneven else 0))
    ]
    ids, subjects, days = zip(*rows, strict=True)
    return pb.Pool(pb.Samples({"id": ids, "subject": subjects, "day": days}), "day")


def scores_over(rng, pool: pb.Pool, levels: int | None, name="net", orientation="similarity"):
    """Random scores; with few `levels` they are full of ties."""
    ids = list(pool.samples.ids)
    values = rng.standard_normal((len(ids), len(ids)))
    codes = pool.samples.codes
    values += 1.5 * (codes[:, None] == codes[None, :])
    if levels:
        values = np.rint(values * levels / 4)
    if orientation == "distance":
        values = -values
    return pb.Scores.from_array(values, ids, orientation=orientation, name=name)


def by_argsort(scores, pool, choices, ties: str, n_ranks: int) -> np.ndarray:
    """Successes at each rank in each trial, the naive way: one sorted row for each probe."""
    options = pool.options
    names = [pool.samples.ids[place] for place in options.images]
    rows, columns = scores.queries.positions(names), scores.targets.positions(names)
    values = scores.values[np.ix_(rows, columns)] * (1 if scores.orientation == "similarity" else -1)
    found = np.zeros((len(choices), n_ranks))
    for t, trial in enumerate(choices):
        chosen = options.starts[:-1] + trial
        matrix = values[np.ix_(options.probe[chosen], options.gallery[chosen])]
        for s, row in enumerate(matrix):
            closer, tied = int((row > row[s]).sum()), int((row == row[s]).sum()) - 1
            if ties == "mean":
                found[t] += np.clip((np.arange(1, n_ranks + 1) - closer) / (tied + 1), 0, 1)
                continue
            # A stable sort leaves ties in the order given: put the mate last (first) among its equals.
            others = np.delete(row, s)
            order = np.r_[others, row[s]] if ties == "pessimistic" else np.r_[row[s], others]
            place = len(others) if ties == "pessimistic" else 0
            rank = int(np.flatnonzero(np.argsort(-order, kind="stable") == place)[0])
            found[t, rank:] += 1
    return found


CASES = [
    (8, (2, 2), False),
    (13, (2, 2), False),
    (9, (1, 1), False),
    (11, (2, 1, 2), False),
    (17, (1, 2), True),
    (6, (5, 4), True),
]


@pytest.mark.parametrize(("people", "images", "uneven"), some(CASES, 2))
@pytest.mark.parametrize("ties", ["pessimistic", "optimistic", "mean"])
@pytest.mark.parametrize("levels", [pytest.param(None, marks=pytest.mark.long), 3])
def test_every_kernel_equals_argsort_trial_by_trial(people, images, uneven, ties, levels):
    rng = np.random.default_rng([people, len(images), levels or 0])
    pool = pool_of(rng, people, images, uneven)
    scores = [scores_over(rng, pool, levels, "a"), scores_over(rng, pool, levels, "b", "distance")]
    trials = 30
    for balanced in (True, False):
        choices = draw_choices(pool.options, balanced, 3, 0)[:trials]
        low = min(people, 10)
        naive = [by_argsort(one, pool, choices, ties, people) for one in scores]
        kernels = ["bitset", "numpy", "auto"] + (["bit-sliced"] if ties != "mean" else [])
        for kernel in kernels:
            found = pb.permute(
                scores,
                pool,
                design=pb.designs.ImageChoice(trials, balanced),
                ties=ties,
                seed=3,
                keep=True,
                kernel=kernel,
                max_rank=10 if kernel == "bit-sliced" else None,
                threads=2,
            )
            for a, (one, expected) in enumerate(zip(scores, naive, strict=True)):
                assert found.replicates[a] * people == pytest.approx(expected[:, :low], abs=1e-9)
                for rank in range(1, found.n_ranks + 1):
                    assert found.rate(one.name, rank).mean == pytest.approx(
                        expected[:, rank - 1].mean() / people
                    )
                    if ties != "mean":
                        counts = np.bincount(expected[:, rank - 1].astype(int), minlength=people + 1)
                        assert np.array_equal(found.rate(one.name, rank).counts, counts)
            apart = found.replicates[0] - found.replicates[1]
            for rank in range(1, low + 1):
                assert found.not_won("a", "b", rank) == int((apart[:, rank - 1] <= 1e-9).sum())
                assert found.not_won("b", "a", rank) == int((apart[:, rank - 1] >= -1e-9).sum())
                assert found.difference("a", "b", rank).mean == pytest.approx(
                    apart[:, rank - 1].mean(), abs=1e-9
                )
                turned = found.difference("b", "a", rank)
                assert turned.mean == pytest.approx(-apart[:, rank - 1].mean(), abs=1e-9)
            assert found.successes[:, :, :low].mean(axis=1) == pytest.approx(found.replicates.mean(axis=1))


def test_kernels_threads_and_dealers_agree_bit_for_bit():
    rng = np.random.default_rng(0)
    pool = pool_of(rng, 40)
    scores = [scores_over(rng, pool, None, name) for name in "ab"]
    n = 2 * TRIALS_A_BLOCK + 100
    made = [
        pb.permute(
            scores,
            pool,
            design=pb.designs.ImageChoice(n),
            max_rank=10,
            kernel=kernel,
            threads=threads,
            seed=5,
        )
        for kernel, threads in (("bit-sliced", 1), ("bit-sliced", 3), ("bitset", 2), ("numpy", 1))
    ]
    for one in made[1:]:
        assert one.to_dict() == made[0].to_dict()
        assert np.array_equal(one.successes, made[0].successes)
    for balanced in (True, False):
        compiled = draw_choices(pool.options, balanced, 1, 4)
        assert np.array_equal(compiled, draw_choices(pool.options, balanced, 1, 4, compiled=False))


@pytest.mark.parametrize("people", [16, 13, 4])
def test_balanced_choices_use_every_pair_equally(people):
    pool = pool_of(np.random.default_rng(0), people)
    choices = draw_choices(pool.options, True, 0, 0)
    used = np.stack([(choices == option).sum(axis=1) for option in range(8)], axis=1)
    assert used.min() >= people // 8
    assert used.max() <= -(-people // 8)
    # Nobody is tied to a pair: every person takes each about equally often.
    shares = np.stack([(choices == option).mean(axis=0) for option in range(8)])
    assert np.abs(shares - 1 / 8).max() < 0.03


def test_pairs_follow_table_6_of_the_paper():
    pool = pool_of(np.random.default_rng(0), 2)
    own = slice(pool.options.starts[0], pool.options.starts[1])
    pairs = list(zip(pool.options.gallery[own].tolist(), pool.options.probe[own].tolist(), strict=True))
    assert pairs == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)]


@pytest.mark.parametrize("ties", ["pessimistic", "optimistic", "mean"])
def test_sampling_converges_to_enumeration(ties):
    rng = np.random.default_rng(2)
    pool = pool_of(rng, 3, (1, 2))
    scores = scores_over(rng, pool, 3)
    every = np.array(list(product(*(range(size) for size in pool.options.sizes))), dtype=np.uint16)
    truth = by_argsort(scores, pool, every, ties, 3) / 3
    n = 40_000
    found = pb.permute([scores], pool, design=pb.designs.ImageChoice(n, balanced=False), ties=ties)
    for rank in (1, 2, 3):
        spread = found.rate("net", rank)
        error = truth[:, rank - 1].std() / np.sqrt(n)
        assert spread.mean == pytest.approx(truth[:, rank - 1].mean(), abs=4.5 * error + 1e-12)
        assert spread.standard_deviation == pytest.approx(truth[:, rank - 1].std(), rel=0.05, abs=1e-12)


def test_failures_are_misses_and_nobody_s_rivals():
    rng = np.random.default_rng(1)
    base = pool_of(rng, 12)
    frame = base.samples.frame.with_columns(lost=np.random.default_rng(5).random(len(base.samples)) < 0.2)
    samples = pb.Samples(frame, failed="lost")
    pool = pb.Pool(samples, "day")
    scores = scores_over(rng, pool, None)
    choices = draw_choices(pool.options, True, 0, 0)[:300]
    failed = samples.failed[pool.options.images]
    values = scores.values
    expected = np.zeros(300)
    for t, trial in enumerate(choices):
        chosen = pool.options.starts[:-1] + trial
        g, p = pool.options.gallery[chosen], pool.options.probe[chosen]
        for s in range(12):
            if failed[g[s]] or failed[p[s]]:
                continue
            rivals = [q for q in range(12) if q != s and not failed[g[q]]]
            row = values[pool.options.images[p[s]], pool.options.images[g]]
            expected[t] += all(row[q] < row[s] for q in rivals)
    for kernel in ("bit-sliced", "bitset", "numpy"):
        found = pb.permute(
            [scores], pool, design=pb.designs.ImageChoice(300), keep=True, kernel=kernel, max_rank=10
        )
        assert found.replicates[0, :, 0] * 12 == pytest.approx(expected)
        assert any("as a miss in trials" in str(note) for note in found.notes)
    taken = pb.permute([scores], pool, design=pb.designs.ImageChoice(300), on_failure="as_scored", keep=True)
    assert taken.rate("net").mean > found.rate("net").mean


def test_failed_comparisons_and_dont_care_cells():
    rng = np.random.default_rng(3)
    pool = pool_of(rng, 6)
    whole = scores_over(rng, pool, None)
    cells = np.zeros(whole.shape, dtype=np.uint8)
    ids = list(pool.samples.ids)
    mate = (ids.index("0.1.0"), ids.index("0.0.0"))  # probe of day 2, gallery of day 1
    cells[mate] = 2
    scores = pb.Scores.from_array(whole.values, ids, orientation="similarity", cells=cells, name="net")
    found = pb.permute([scores], pool, design=pb.designs.ImageChoice(500, balanced=False), keep=True)
    before = pb.permute([whole], pool, design=pb.designs.ImageChoice(500, balanced=False), keep=True)
    assert (found.successes[0, 0] <= before.successes[0, 0]).all()
    assert np.array_equal(found.successes[0, 1:], before.successes[0, 1:])
    cells = cells.copy()
    cells[mate] = 1
    with pytest.raises(DesignError, match="don't-care"):
        pb.permute([pb.Scores.from_array(whole.values, ids, orientation="similarity", cells=cells)], pool)


def test_pool_says_who_cannot_take_part():
    samples = pb.Samples(
        {
            "id": list("abcdefg"),
            "subject": ["1", "1", "2", "2", "3", "3", "4"],
            "day": [1, 2, 1, 2, 1, 1, None],
        }
    )
    pool = pb.Pool(samples, "day")
    assert pool.n_subjects == 2
    said = " ".join(map(str, pool.notes))
    assert "1 sample without a value of day" in said
    assert "1 of 3 people cannot take part: they do not have images in two groups" in said
    assert pb.Pool(samples, "day", where="subject != '4'").n_subjects == 2
    with pytest.raises(DesignError, match="Only 1"):
        pb.Pool(samples, "day", image_pairs="within")
    with pytest.raises(UsageError, match="no column"):
        pb.Pool(samples, "month")
    anyhow = pb.Pool(samples)
    assert (anyhow.n_subjects, anyhow.options.sizes.tolist()) == (3, [2, 2, 2])
    with pytest.raises(UsageError, match="needs groups"):
        pb.Pool(samples, image_pairs="between")


def test_pool_over_takes_galleries_from_targets():
    rng = np.random.default_rng(0)
    everyone = pool_of(rng, 5).samples
    queries = [name for name in everyone.ids if name.split(".")[1] == "1"]
    targets = [name for name in everyone.ids if name.split(".")[1] == "0"]
    scores = pb.Scores.from_array(rng.random((10, 10)), queries, targets, orientation="similarity")
    pool = pb.data.pool_over([scores], everyone, groups="day")
    assert (pool.options.sizes == 4).all()  # 2 gallery images of the first day × 2 probe images of the second
    assert pb.permute([scores], pool, design=pb.designs.ImageChoice(10)).n_trials == 10
    with pytest.raises(AlignmentError, match="not among the"):
        pb.permute([scores], pb.Pool(everyone, "day"), design=pb.designs.ImageChoice(10))


def test_percentile_interval_counts_from_both_ends():
    from proband.inference.image_choice.distributions import Distribution

    rng = np.random.default_rng(0)
    for n_trials in (10_000, 9_999, 400, 39):
        values = rng.binomial(160, 0.6, n_trials)
        spread = Distribution(0, np.bincount(values, minlength=161), 160)
        ordered, passed = np.sort(values), int(np.floor(0.025 * n_trials + 1e-9))
        assert spread.interval() == pytest.approx((ordered[passed] / 160, ordered[-1 - passed] / 160))
        assert spread.standard_deviation == pytest.approx(values.std(ddof=1) / 160)
        edges, counts = spread.histogram(4)
        assert counts.sum() == n_trials
        assert np.diff(edges) == pytest.approx(4 / 160)


def test_estimates_and_comparisons_speak_of_images():
    rng = np.random.default_rng(8)
    pool = pool_of(rng, 30)
    good, poor = scores_over(rng, pool, None, "good"), scores_over(rng, pool, None, "poor")
    design = pb.designs.ImageChoice(2000)
    one = pb.estimate(good, pool, measure=pb.measures.RecognitionRate(1), design=design)
    found = pb.permute([good, poor], pool, design=design, max_rank=10)
    assert one.value == found.rate("good").mean
    assert (one.low, one.high) == found.rate("good").interval()
    assert "images of these people" in str(one.answers.varying)
    median = pb.estimate(good, pool, measure=pb.measures.MedianCensoredRank(10), design=design)
    mine = pb.estimate(
        good, pool, measure=pb.measures.RankStatistic(lambda r: np.median(np.minimum(r, 10))), design=design
    )
    assert np.array_equal(median.replicates, mine.replicates)
    comparison = pb.compare([good, poor], pool, measure=pb.measures.RecognitionRate(1), design=design)
    (pair,) = comparison.pairs
    assert (pair.not_won, pair.n_trials) == (found.not_won("good", "poor"), 2000)
    people = found.successes[0, :, 0] - found.successes[1, :, 0]
    assert pair.p_value == pytest.approx(sign_flip(np.round(people, 12), 0).p_mid, abs=0.02)
    assert (pair.choices_low, pair.choices_high) == found.difference("good", "poor", 1).interval()
    assert "does not win in" in str(comparison.sentences()[0])
    assert comparison.to_markdown()


def test_refusals():
    rng = np.random.default_rng(8)
    pool = pool_of(rng, 6)
    scores = scores_over(rng, pool, None)
    found = pb.permute([scores, scores_over(rng, pool, None, "b")], pool, design=pb.designs.ImageChoice(10))
    with pytest.raises(UsageError, match="no algorithm"):
        found.rate("x")
    with pytest.raises(UsageError, match="Ranks from 1 to 6"):
        found.rate("net", 7)
    with pytest.raises(UsageError, match="itself"):
        found.difference("net", "net")
    with pytest.raises(UsageError, match="number of trials must be"):
        pb.designs.ImageChoice(0)
    with pytest.raises(DesignError, match="whole successes"):
        pb.permute(
            [scores], pool, design=pb.designs.ImageChoice(10), ties="mean", kernel="bit-sliced", max_rank=10
        )
    with pytest.raises(DesignError, match="pool of images"):
        pb.estimate(scores, None, measure=pb.measures.RecognitionRate(1), design=pb.designs.ImageChoice())
    with pytest.raises(UsageError, match="have different names"):
        pb.permute([scores, scores], pool)


def test_a_stopped_run_keeps_what_was_done():
    rng = np.random.default_rng(8)
    pool = pool_of(rng, 10)
    scores = scores_over(rng, pool, None)

    class Stop:
        def begin(self, what: str, total: int) -> None:
            self.seen = 0

        def advance(self, steps: int) -> None:
            self.seen += steps
            if self.seen >= 2 * TRIALS_A_BLOCK:
                raise KeyboardInterrupt

    design = pb.designs.ImageChoice(100 * TRIALS_A_BLOCK)
    found = pb.permute([scores], pool, design=design, progress=Stop(), keep_on_interrupt=True, threads=1)
    assert found.n_trials == 2 * TRIALS_A_BLOCK
    assert any("stopped after" in str(note) for note in found.notes)
    whole = pb.permute([scores], pool, design=pb.designs.ImageChoice(2 * TRIALS_A_BLOCK))
    assert np.array_equal(whole.rate("net").counts, found.rate("net").counts)
    with pytest.raises(KeyboardInterrupt):
        pb.permute([scores], pool, design=design, progress=Stop(), threads=1)


# Other measures, chosen pairs, one way


def ranks_in_trials(scores, pool, choices) -> np.ndarray:
    """Pessimistic ranks, trials × people, straight from the matrix of each trial."""
    options = pool.options
    names = [pool.samples.ids[place] for place in options.images]
    rows, columns = scores.queries.positions(names), scores.targets.positions(names)
    found = []
    for trial in choices:
        chosen = options.starts[:-1] + trial
        matrix = scores.values[np.ix_(rows[options.probe[chosen]], columns[options.gallery[chosen]])]
        found.append((matrix >= np.diag(matrix)[:, None]).sum(axis=1))
    return np.array(found, dtype=float)


NAIVE = {
    "rank-2": lambda ranks: (ranks <= 2).mean(axis=1),
    "rank-12": lambda ranks: (ranks <= 12).mean(axis=1),
    "median-rank@3": lambda ranks: np.median(np.minimum(ranks, 3), axis=1),
    "median-relative-rank": lambda ranks: np.median(ranks / ranks.shape[1], axis=1),
    "relative-rank@0.25": lambda ranks: (ranks <= ranks.shape[1] // 4).mean(axis=1),
}


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("levels", [None, 3])
def test_other_measures_equal_the_ranks_of_every_trial(balanced, levels):
    rng = np.random.default_rng(4)
    pool = pool_of(rng, 13)
    scores = [scores_over(rng, pool, levels, name) for name in "abc"]
    design = pb.designs.ImageChoice(200, balanced)
    own = pb.measures.RankStatistic(np.mean, "mean rank", larger_is_better=False)
    found = pb.permute(scores, pool, design=design, seed=5, measures=[*NAIVE, own], pairs=[("c", "a")])
    choices = draw_choices(pool.options, balanced, 5, 0)[:200]
    ranks = {one.name: ranks_in_trials(one, pool, choices) for one in scores}
    naive = [*NAIVE.values(), lambda rows: rows.mean(axis=1)]
    for code, measured, expected in zip(found.measured, found.measured.values(), naive, strict=True):
        for name, rows in ranks.items():
            made = measured.estimates[name]
            assert made.replicates == pytest.approx(expected(rows))
            assert made.value == pytest.approx(expected(rows).mean())
            assert (made.low, made.high) == tuple(np.sort(expected(rows))[[5, -6]])  # the 6th of 200 at 95 %
        apart = expected(ranks["c"]) - expected(ranks["a"])
        (pair,) = measured.differences
        assert (pair.first, pair.second, pair.measure) == ("c", "a", code)
        assert pair.value == pytest.approx(apart.mean())
        assert (pair.low, pair.high) == pytest.approx(tuple(np.sort(apart)[[5, -6]]))
        worse = apart <= 1e-12 if code in ("rank-2", "rank-12", "relative-rank-0.25") else apart >= -1e-12
        assert (pair.not_won, pair.n_trials, pair.p_value) == (int(worse.sum()), 200, None)
        turned = measured.difference("a", "c")
        assert (turned.value, turned.low, turned.high) == pytest.approx((-pair.value, -pair.high, -pair.low))
    assert found.measured["rank-2"].difference("c", "a").value == pytest.approx(
        found.difference("c", "a", 2).mean
    )
    wider = found.at_level(0.8).measured["rank-12"].estimates["a"]
    assert (wider.low, wider.high) == tuple(np.sort(wider.replicates)[[20, -21]])


def test_differences_of_medians_converge_to_enumeration():
    """All choices of four people with two images on each of two days, one way: 4 pairs each, 256 trials."""
    rng = np.random.default_rng(8)
    table = pool_of(rng, 4).samples
    pool = pb.Pool(table, gallery="day == 0", probes="day == 1")
    assert repr(pool) == (
        "Pool(4 people with 16 images, pairs of any two images, gallery images day == 0, probe images day == 1, 4 choices each)"
    )
    scores = [scores_over(rng, pool, None, name) for name in "ab"]
    every = np.array(list(product(range(4), repeat=4)), dtype=np.uint16)
    first, second = (np.median(np.minimum(ranks_in_trials(one, pool, every), 3), axis=1) for one in scores)
    apart = first - second
    design = pb.designs.ImageChoice(60_000, balanced=False)
    found = pb.permute(scores, pool, design=design, measures="median-rank@3").measured["median-rank-3"]
    assert found.estimates["a"].value == pytest.approx(first.mean(), abs=0.015)
    drawn = found.apart("a", "b").replicates
    for value in np.unique(apart):
        assert (drawn == value).mean() == pytest.approx((apart == value).mean(), abs=0.01)
    assert not set(drawn) - set(apart)


def test_pools_that_go_one_way():
    """Gallery images of one day and probes of the other: half of the pairs there are between days, and nobody is turned around."""
    rng = np.random.default_rng(1)
    both = pool_of(rng, 10)
    samples, scores = both.samples, scores_over(rng, both, None)
    days = np.array(samples.frame["day"])
    for pool in (
        pb.Pool(samples, "day", gallery="day == 0", probes="day == 1"),
        pb.data.pool_over(scores, samples, gallery="day == 0", probes="day == 1", check_orientation=False),
    ):
        assert set(pool.options.sizes.tolist()) == {4}
        assert set(days[pool.options.images[pool.options.gallery]]) == {0}
        assert set(days[pool.options.images[pool.options.probe]]) == {1}
    with pytest.raises(DesignError, match="a valid pair of images"):
        pb.Pool(samples, "day", gallery="day == 0", probes="day == 0")


def test_only_chosen_pairs_are_counted_in_their_order():
    rng = np.random.default_rng(2)
    pool = pool_of(rng, 9)
    scores = [scores_over(rng, pool, None, name) for name in "abc"]
    design = pb.designs.ImageChoice(100)
    every = pb.permute(scores, pool, design=design)
    some_pairs = pb.permute(scores, pool, design=design, pairs=[("c", "a"), ("a", "b")])
    assert every.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert some_pairs.pairs == (("c", "a"), ("a", "b"))
    assert [(one.first, one.second) for one in some_pairs.differences()] == [("c", "a"), ("a", "b")]
    for pair in (("c", "a"), ("a", "c"), ("a", "b")):
        assert np.array_equal(some_pairs.difference(*pair).counts, every.difference(*pair).counts)
        assert some_pairs.not_won(*pair) == every.not_won(*pair)
    with pytest.raises(UsageError, match="b and c are not among the selected pairs"):
        some_pairs.difference("b", "c")
    assert pb.permute(scores, pool, design=design, against="b").pairs == (("a", "b"), ("c", "b"))
    with pytest.raises(UsageError, match="differences=False"):
        pb.permute(scores, pool, design=design, against="b", differences=False)
    with pytest.raises(UsageError, match="algorithm 'd'"):
        pb.permute(scores, pool, design=design, pairs=[("a", "d")])


def test_measures_that_choices_cannot_give_are_refused():
    rng = np.random.default_rng(2)
    pool = pool_of(rng, 9)
    scores = [scores_over(rng, pool, 2, name) for name in "ab"]
    with pytest.raises(DesignError, match="from compared pairs"):
        pb.permute(scores, pool, measures="auc")
    with pytest.raises(DesignError, match="ties broken at random"):
        pb.permute(scores, pool, measures="rank-2", ties="mean")
    with pytest.raises(UsageError, match="no measure"):
        pb.permute(scores, pool, measures="rnak-2")


def test_differences_that_are_infinite_in_some_trials_are_left_out_aloud():
    rng = np.random.default_rng(3)
    plain = pool_of(rng, 8)
    samples = pb.Samples(plain.samples.frame, failed="day == 1")
    pool = pb.Pool(samples, "day")
    scores = [scores_over(rng, pool, None, name) for name in "ab"]
    found = pb.permute(
        scores, pool, design=pb.designs.ImageChoice(100), measures=["median-relative-rank", "median-rank@5"]
    )
    assert found.measured["median-relative-rank"].differences == ()
    assert [(one.first, one.second) for one in found.measured["median-rank-5"].differences] == [("a", "b")]
    (told,) = (note for note in found.notes if note.code == "choices.infinite-differences")
    assert "left out: 'a − b'" in str(told) or "left out: a − b" in str(told)
    with pytest.raises(DesignError, match="infinite in some trials"):
        found.measured["median-relative-rank"].difference("a", "b")
