"""Exact moments of virtual experiments against every virtual experiment there is, carried out one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from tests.examples import some

from proband.errors import DesignError, InputError, UsageError
from proband.inference.image_choice import exact as module
from proband.inference.image_choice.exact import exact_choice
from proband.kernels import poisson_binomial
from proband.samples import Samples
from proband.samples.pool import Pool

TIES = ["pessimistic", "optimistic"]
RULES = ["between", "within"]
MOST_TRIALS = 4_000


class World:
    """A few people with a few images, scores full of ties, and some failures; `days` says who has which images."""

    def __init__(self, days, rule, rng, *, failures=True, levels=4, genuine=1):
        self.days = [(s, day) for s, own in enumerate(days) for day in own]
        self.rule = rule
        size = len(self.days)
        people = np.array([s for s, _ in self.days])
        scores = rng.integers(0, levels, (size, size)) + genuine * (people[:, None] == people[None, :])
        self.scores = scores.astype(np.float64)
        self.failed = rng.random(size) < (0.12 if failures else 0.0)

    @property
    def options(self):
        columns = {
            "id": [f"i{k}" for k in range(len(self.days))],
            "subject": [f"s{s}" for s, _ in self.days],
            "day": [day for _, day in self.days],
        }
        return Pool(Samples(columns), "day", image_pairs=self.rule).options

    def exact(self, ties, **asked):
        options = self.options
        images = options.images
        return exact_choice(options, self.scores[np.ix_(images, images)], self.failed[images], ties, **asked)

    def pairs(self):
        """Each person's (gallery, probe) pairs, of those who have any."""
        found = {}
        for (g, (s, a)), (p, (t, b)) in product(enumerate(self.days), repeat=2):
            if s == t and g != p and (a == b) == (self.rule == "within"):
                found.setdefault(s, []).append((g, p))
        return list(found.values())

    def recognised(self, trial, ties):
        """How many people are recognised at each rank in one experiment."""
        counts = [0] * len(trial)
        for s, (mate, probe) in enumerate(trial):
            if self.failed[mate] or self.failed[probe]:
                continue
            rank = 1
            for t, (rival, _) in enumerate(trial):
                if t == s or self.failed[rival]:
                    continue
                theirs, own = self.scores[probe, rival], self.scores[probe, mate]
                rank += theirs > own or (theirs == own and ties == "pessimistic")
            for tau in range(rank, len(trial) + 1):
                counts[tau - 1] += 1
        return counts

    def enumerated(self, ties):
        """The mean CMC and the variance at rank 1 over all experiments, in fractions."""
        pairs = self.pairs()
        trials = [self.recognised(trial, ties) for trial in product(*pairs)]
        n, size = len(pairs), len(trials)
        cmc = [Fraction(sum(column), n * size) for column in zip(*trials, strict=True)]
        square = Fraction(sum(trial[0] ** 2 for trial in trials), n**2 * size)
        return [float(value) for value in cmc], float(square - cmc[0] ** 2)


def tiny(seed, rule):
    """People with one to four images on up to three days, at least two of whom can take part."""
    rng = np.random.default_rng([seed, RULES.index(rule)])
    while True:
        days = [rng.integers(1, 4, rng.integers(1, 5)).tolist() for _ in range(rng.integers(2, 5))]
        world = World(days, rule, rng, failures=bool(seed % 2), genuine=seed % 3)
        pairs = world.pairs()
        if len(pairs) >= 2 and prod(map(len, pairs)) <= MOST_TRIALS:
            return world


def assert_enumerated(world, ties):
    exact = world.exact(ties, variance=True)
    cmc, variance = world.enumerated(ties)
    assert exact.values == pytest.approx(cmc, abs=1e-12)
    assert exact.variance_rank_1 == pytest.approx(variance, abs=1e-12)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", some(range(25), 3))
def test_every_experiment_there_is(seed, rule, ties):
    assert_enumerated(tiny(seed, rule), ties)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    "days",
    [
        [[1, 1, 2, 2]] * 4,  # the paper's layout
        [[1, 2, 2, 2], [1, 1, 2, 2], [1, 2], [1, 2, 3]],  # gallery images in unequally many choices
        [[1, 2]] * 9,
    ],
)
def test_every_experiment_of_some_layouts(days, ties):
    assert_enumerated(World(days, "between", np.random.default_rng(len(days)), levels=6), ties)


@pytest.mark.parametrize("seed", range(4))
def test_kernels_as_plain_python(seed, monkeypatch):
    for name in ("count_beating", "at_most", "covariances"):
        monkeypatch.setattr(module, name, getattr(poisson_binomial, name).py_func)
    for rule, ties in product(RULES, TIES):
        assert_enumerated(tiny(seed, rule), ties)


@pytest.mark.parametrize("rule", RULES)
def test_order_of_people_and_images_does_not_matter(rule):
    rng = np.random.default_rng(5)
    days = [rng.integers(1, 3, rng.integers(3, 7)).tolist() for _ in range(30)]
    world = World(days, rule, rng, levels=40, genuine=35)
    before = world.exact("pessimistic", variance=True)
    order, names = rng.permutation(len(world.days)), rng.permutation(30)
    world.days = [(int(names[world.days[k][0]]), world.days[k][1]) for k in order]
    world.scores = world.scores[np.ix_(order, order)]
    world.failed = world.failed[order]
    after = world.exact("pessimistic", variance=True)
    assert 0.1 < before.values[0] < 0.9
    assert before.variance_rank_1 > 1e-4
    assert after.values == pytest.approx(before.values, abs=1e-12)
    assert after.variance_rank_1 == pytest.approx(before.variance_rank_1, abs=1e-12)


def test_random_trials_agree():
    rng = np.random.default_rng(11)
    n, n_trials = 20, 20_000
    world = World([[1, 1, 2, 2]] * n, "between", rng, levels=40, genuine=30)
    world.scores[:, ::20] += 25  # images that are close to everybody: if picked, many fail together
    exact = world.exact("pessimistic", variance=True)
    pairs = np.array(world.pairs())
    chosen = pairs[np.arange(n), rng.integers(0, 8, (n_trials, n))]
    gallery, probe = chosen[..., 0], chosen[..., 1]
    scores = world.scores[probe[:, :, None], gallery[:, None, :]]
    own = np.diagonal(scores, axis1=1, axis2=2)
    ahead = (scores >= own[:, :, None]) & ~world.failed[gallery][:, None, :]
    ahead[:, np.arange(n), np.arange(n)] = False
    ranks = np.where(world.failed[gallery] | world.failed[probe], n + 1, 1 + ahead.sum(axis=2))
    rates = (ranks[:, :, None] <= np.arange(1, n + 1)).mean(axis=1)
    error = rates.std(axis=0) / np.sqrt(n_trials)
    assert (np.abs(rates.mean(axis=0) - exact.values) <= 4 * error).all()
    squares = (rates[:, 0] - exact.values[0]) ** 2
    assert abs(squares.mean() - exact.variance_rank_1) <= 4 * squares.std() / np.sqrt(n_trials)
    # The people are not independent, and it shows.
    single = (ranks == 1).mean(axis=0)
    assert abs(single @ (1 - single) / n**2 - exact.variance_rank_1) > 20 * squares.std() / np.sqrt(n_trials)


def convolved(beating, sizes):
    """The plain way: multiply out the polynomials."""
    chances = np.ones(1)
    for yes in beating / sizes:
        chances = np.convolve(chances, [1 - yes, yes])
    return np.cumsum(chances)


@pytest.mark.parametrize("kernel", [poisson_binomial.at_most, poisson_binomial.at_most.py_func])
@pytest.mark.parametrize("kind", ["mixed", "none", "all", "rare", "nearly all", "even"])
def test_number_of_rivals(kernel, kind):
    rng = np.random.default_rng(3)
    n = 400
    sizes = rng.integers(1, 9, n)
    beating = rng.integers(0, sizes + 1)
    if kind == "none":
        beating[:] = 0
    elif kind == "all":
        beating = sizes.copy()
    elif kind in ("rare", "nearly all"):
        sizes = rng.integers(10**3, 10**9, n)
        beating = np.ones_like(sizes) if kind == "rare" else sizes - 1
    elif kind == "even":
        sizes = np.full(n, 2)
        beating = np.ones(n, dtype=np.int64)
    wanted = convolved(beating, sizes)
    for ranks in (n + 1, n // 2, 3, 1):
        found = np.full(ranks, np.nan)
        kernel(beating, sizes, found)
        assert found == pytest.approx(wanted[:ranks], abs=1e-13)
        assert (np.diff(found) >= 0).all()
        if ranks > n:
            assert found[-1] == 1.0


def test_number_of_thousands_of_rivals():
    from scipy.stats import binom

    n = 5_000
    found = np.empty(n + 1)
    for k, size in [(1, 3), (1, 8), (1, 100_000), (99_999, 100_000)]:
        poisson_binomial.at_most(np.full(n, k), np.full(n, size), found)
        assert found == pytest.approx(binom.cdf(np.arange(n + 1), n, k / size), abs=2e-12)


@pytest.mark.parametrize("ties", TIES)
def test_rows_are_asked_for_one_person_at_a_time(ties):
    world = World([[1, 1, 2, 2]] * 12, "between", np.random.default_rng(2), levels=30, genuine=20)
    asked = []

    def rows(places):
        asked.append(places // 4)
        return world.scores[places].astype(np.float32)

    found = exact_choice(world.options, rows, world.failed, ties, variance=True, threads=2)
    whole = world.exact(ties, variance=True, threads=1)
    assert found.values.tolist() == whole.values.tolist()
    assert found.variance_rank_1 == whole.variance_rank_1
    assert all(len(np.unique(people)) == 1 for people in asked)
    assert len(asked) == 12


def test_ranks_asked_for():
    world = World([[1, 2, 2]] * 7, "between", np.random.default_rng(4))
    whole = world.exact("pessimistic")
    assert len(whole.values) == 7
    assert whole.variance_rank_1 is None
    assert world.exact("pessimistic", max_rank=3).values == pytest.approx(whole.values[:3], abs=1e-14)
    assert world.exact("pessimistic", max_rank=100).values.tolist() == whole.values.tolist()


@pytest.mark.parametrize("ties", TIES)
def test_certain_outcomes_do_not_vary(ties):
    world = World([[1, 1, 2, 2]] * 10, "between", np.random.default_rng(0), failures=False, genuine=9)
    exact = world.exact(ties, variance=True)
    assert exact.values.tolist() == [1.0] * 10
    assert exact.variance_rank_1 == 0.0
    world.failed[:] = True
    exact = world.exact(ties, variance=True)
    assert exact.values.tolist() == [0.0] * 10
    assert exact.variance_rank_1 == 0.0


def test_two_people_who_rarely_succeed_and_only_together():
    """Both succeed if all thirty others pick their second image, and the others always do."""
    n = 32
    world = World([[1, 2]] * n, "between", np.random.default_rng(0), failures=False, levels=1, genuine=1)
    world.scores[:4, 4::2] = 9
    exact = world.exact("pessimistic", variance=True)
    rare = 2.0**-30
    assert exact.values[0] == pytest.approx((30 + 2 * rare) / n, rel=1e-15)
    assert exact.variance_rank_1 == pytest.approx(4 * rare * (1 - rare) / n**2, rel=1e-12)


def test_scores_that_are_not_needed_may_be_missing():
    world = World([[1, 1, 2, 2]] * 5, "between", np.random.default_rng(1))
    world.failed[3] = True
    wanted = world.exact("pessimistic", variance=True)
    world.scores[:, world.failed] = world.scores[world.failed] = np.nan
    np.fill_diagonal(world.scores, np.nan)
    found = world.exact("pessimistic", variance=True)
    assert found.values.tolist() == wanted.values.tolist()
    assert found.variance_rank_1 == wanted.variance_rank_1
    there = np.flatnonzero(~world.failed)
    world.scores[there[0], there[-1]] = np.inf
    with pytest.raises(InputError, match="non-finite"):
        world.exact("pessimistic")


def test_refusals(monkeypatch):
    world = World([[1, 2]] * 3, "between", np.random.default_rng(0), failures=False)
    with pytest.raises(DesignError, match="broken at random"):
        world.exact("mean")
    with pytest.raises(UsageError, match="ties"):
        world.exact("fair")
    with pytest.raises(InputError, match="one failure mark"):
        exact_choice(world.options, world.scores, world.failed[1:])
    with pytest.raises(InputError, match="shape"):
        exact_choice(world.options, world.scores[1:], world.failed)
    with pytest.raises(InputError, match="shape"):
        exact_choice(world.options, lambda places: world.scores[places, 1:], world.failed)
    monkeypatch.setattr(module, "MOST_CHOICES", 5)
    with pytest.raises(DesignError, match="3 people have 6"):
        world.exact("optimistic", variance=True)
    assert len(world.exact("optimistic").values) == 3
