"""Every option of every stratified design changes what comes out, or is refused: none is taken and ignored."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from tests.examples import some

import proband as pb
from proband.designs.strata import Strata
from proband.errors import DesignError, ProbandError, UsageError
from proband.inference import compare, estimate, estimate_cmc, estimate_weighted
from proband.measures import MedianCensoredRank, Outcomes, RecognitionRate
from proband.samples import Experiment, Samples

NINE = np.array(
    [
        [int(mark) for mark in row]
        for row in ["0000", "1012", "2021", "0111", "1120", "2102", "0222", "1201", "2210"]
    ]
)
TURNED = NINE[:, ::-1].copy()
UNBALANCED = NINE.copy()
UNBALANCED[0, 0] = 1
OTHERS: dict[str, tuple[Any, ...]] = {
    "strata": ("site",),
    "units": ("half",),
    "weights": ({"0": 0.4, "1": 0.3, "2": 0.2, "3": 0.1} | {str(k): 0.0 for k in range(4, 12)},),
    "centre": ("mean",),
    "degrees_of_freedom": ("cochran", 3.0),
    "interval": ("t", "logit"),
    "array": (TURNED, UNBALANCED),
    "sample": (4,),
    "rho": (0.2,),
    "kind": ("JK1",),
    "n_resamples": (150,),
    "by": ("age",),
}
DESIGNS = (
    pb.designs.BRR(),
    pb.designs.Fay(),
    pb.designs.Enumeration(),
    pb.designs.Jackknife(),
    pb.designs.RaoWu(n_resamples=200),
    pb.designs.CollapsedStrata(weights={str(k): (k + 1) / 78 for k in range(12)}),
)
LINEAR = ("rate", "band", "mean rank", "compared")
# The replicates of a linear statistic have the estimate for their mean, and the textbook variance under any balanced array and
# any rho: what such an option changes is the replicates, where they are kept. A mean that many carry has Student's interval by auto too.
EQUAL = {(name, door) for name in ("centre", "rho", "array") for door in LINEAR} | {("interval", "mean rank")}


def outcomes_over(sizes: list[int], name: str = "net", seed: int = 0) -> Outcomes:
    """Probes of people at two sites, hits and misses at random."""
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(len(sizes)), sizes)
    ids = [f"g{k}" for k in range(len(sizes))] + [f"p{k}" for k in range(len(people))]
    table = Samples(
        {
            "id": ids,
            "subject": [str(k) for k in (*range(len(sizes)), *people)],
            "site": ["a"] * len(sizes) + ["ab"[k % 2] for k in range(len(people))],
            "half": ["x"] * len(sizes) + [f"{p}{k % 2}" for k, p in enumerate(people)],
            "age": [0.0] * len(sizes) + (20 + np.random.default_rng(7).permutation(len(people))).tolist(),
        }
    )
    experiment = Experiment(table, gallery=ids[: len(sizes)])
    n = len(people)
    closer = rng.integers(0, 9, n) * (rng.random(n) < 0.6)
    return Outcomes(
        algorithm=name, experiment=experiment, probes=experiment.probes.copy(), closer=closer,
        tied=np.zeros(n, dtype=np.int64), best_mates=np.ones(n, dtype=np.int64), failed=np.zeros(n, dtype=bool),
        ties="pessimistic", counting="images", on_failure="miss", n_ranks=9, n_unmated=0, n_gallery_failed=0,
    )  # fmt: skip


def numbers(one: Any) -> list[Any]:
    kept = [one.value, one.low, one.high, one.standard_error, one.degrees_of_freedom]
    return [*kept, None if one.replicates is None else np.sort(one.replicates).tolist()]


def opened(door: str, design: Any) -> list[Any]:
    """What a design gives at one of the doors."""
    alone = isinstance(design, pb.designs.CollapsedStrata)
    # A band shows ends alone, and with few people they are the widest possible, whatever the replicates' variance is.
    n_people = 30 if door == "band" and isinstance(design, pb.designs.RaoWu) else 4
    sizes = [1] * 12 if alone else [3] * n_people
    a, b = (outcomes_over(sizes, name, seed) for name, seed in (("a", 1), ("b", 2)))
    if door == "band":
        band = estimate_cmc(a, design=design)
        return [band.values.tolist(), band.low.tolist(), band.high.tolist()]
    if door == "compared":
        b = replace(b, experiment=a.experiment)
        found = compare([a, b], measure=RecognitionRate(1), design=design)
        (pair,) = found.pairs
        return [pair.value, pair.low, pair.high, pair.p_value, *map(numbers, found.estimates)]
    measures = {
        "rate": RecognitionRate(1),
        "median": MedianCensoredRank(10),
        "mean rank": pb.measures.RankStatistic(
            lambda r, w: float(w @ r / w.sum()), "mean rank", weighted=True
        ),
    }
    return numbers(estimate(a, measure=measures[door], design=design))


def test_the_walk_knows_every_option():
    assert {field.name for design in DESIGNS for field in fields(design)} == set(OTHERS)


@pytest.mark.parametrize("door", some(["rate", "median", "mean rank", "band", "compared"], 2))
@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: type(one).__name__)
def test_an_option_matters_or_is_refused(design, door):
    try:
        usual = opened(door, design)
    except DesignError:
        assert (type(design), door) == (pb.designs.Jackknife, "median")
        return
    for field in fields(design):
        for value in OTHERS[field.name]:
            try:
                other = opened(door, replace(design, **{field.name: value}))
            except ProbandError:
                continue
            assert value is not UNBALANCED
            may_be_equal = (field.name, door) in EQUAL and (
                field.name == "interval" or not isinstance(design, pb.designs.RaoWu)
            )
            alone = (
                isinstance(design, pb.designs.CollapsedStrata) and field.name == "units"
            )  # of one probe each
            assert other != usual or may_be_equal or alone, f"{field.name}={value!r} is ignored"


@pytest.mark.parametrize("door", ["rate", "median", "mean rank", "band", "compared"])
def test_an_array_that_is_not_balanced_is_refused_at_every_door(door):
    with pytest.raises(DesignError, match="not balanced"):
        opened(door, pb.designs.BRR(array=UNBALANCED))


@pytest.mark.parametrize("seed", range(4))
def test_some_replicates_are_some_of_all(seed):
    """Drawn without replacement from the whole array, and their variance by the formula over those drawn."""
    outcomes = outcomes_over([3] * 12, seed=seed)
    whole = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR())
    some = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(sample=5), seed=seed)
    assert len(some.replicates) == 5
    assert {round(one, 9) for one in some.replicates} <= {round(one, 9) for one in whole.replicates}
    assert some.standard_error**2 == pytest.approx(((some.replicates - some.value) ** 2).sum() / (5 * 2))
    again = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(sample=5), seed=seed + 1)
    assert not np.array_equal(some.replicates, again.replicates)
    assert any("drawn at random" in str(note) for note in some.notes)
    more = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(sample=10_000))
    assert more.standard_error == pytest.approx(whole.standard_error)
    band = estimate_cmc(outcomes, design=pb.designs.BRR(sample=5), seed=seed)
    assert (band.low[0], band.high[0]) == pytest.approx((max(0, some.low), min(1, some.high)))


def test_replicates_drawn_at_random_are_unbiased():
    """Over all seeds the variance is that of the whole array, up to the noise of so many seeds."""
    outcomes = outcomes_over([3] * 12)
    whole = estimate(outcomes, measure=RecognitionRate(1), design=pb.designs.BRR()).standard_error ** 2
    drawn = [
        estimate(
            outcomes, measure=RecognitionRate(1), design=pb.designs.BRR(sample=9), seed=seed
        ).standard_error
        ** 2
        for seed in range(150)
    ]
    assert np.mean(drawn) == pytest.approx(whole, abs=4 * np.std(drawn) / np.sqrt(150))


@pytest.mark.parametrize("options", [{"sample": 1}, {"sample": 5, "centre": "mean"}])
def test_samples_that_would_mislead_are_refused(options):
    with pytest.raises(UsageError):
        pb.designs.BRR(**options)


@pytest.mark.parametrize(
    "design",
    [
        pb.designs.BRR(strata="site"),
        pb.designs.BRR(weights="equal"),
        pb.designs.Jackknife(interval="logit"),
        pb.designs.CollapsedStrata(by="age"),
        pb.designs.RaoWu(degrees_of_freedom="cochran"),
    ],
    ids=str,
)
def test_what_does_not_apply_to_given_units_is_refused(design):
    units = [1, 2, 3, 4] if isinstance(design, pb.designs.CollapsedStrata) else [1, 1, 2, 2]
    with pytest.raises(UsageError):
        estimate_weighted(lambda w: w @ np.arange(4.0), units, design=design)


def naive_collapsed(values, weights, groups):
    """The estimate and the variance of collapsed strata, straight from the definition."""
    estimate = sum(w * y for w, y in zip(weights, values, strict=True))
    variance = 0.0
    for group in groups:
        terms = [weights[h] * (values[h] - estimate) for h in group]
        middle = sum(terms) / len(terms)
        variance += len(terms) / (len(terms) - 1) * sum((term - middle) ** 2 for term in terms)
    return estimate, variance


@pytest.mark.parametrize("n", [4, 7, 8, 13])
@pytest.mark.parametrize("seed", range(5))
def test_collapsing_strata_leaves_the_estimate_alone(n, seed):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(n))
    given = {str(h): float(w) for h, w in enumerate(weights)}
    outcomes = outcomes_over([1] * n, seed=seed)
    ages = np.array(outcomes.experiment.samples.frame["age"].to_list())[outcomes.probes]
    for by, order in ((None, np.arange(n)), ("age", np.argsort(ages))):
        pairs = [order[k : k + 2].tolist() for k in range(0, n - n % 2, 2)]
        if n % 2:
            pairs[-1].append(int(order[-1]))
        design = pb.designs.CollapsedStrata(weights=given, by=by)
        for rank in (1, 2):
            values = outcomes.success(rank)
            value, variance = naive_collapsed(values, weights, pairs)
            found = estimate(outcomes, measure=RecognitionRate(rank), design=design)
            assert found.value == pytest.approx(value)
            assert found.standard_error == pytest.approx(np.sqrt(variance), abs=1e-12)
        band = estimate_cmc(outcomes, design=design)
        assert band.values[1] == pytest.approx(found.value)
        assert band.low[1] == pytest.approx(max(0.0, found.low))
        mean = pb.measures.RankStatistic(lambda r, w: float(w @ r / w.sum()), "mean rank", weighted=True)
        assert estimate(outcomes, measure=mean, design=design).value == pytest.approx(
            weights @ outcomes.ranks
        )


def test_collapsed_strata_beside_whole_ones():
    """Strata of several units keep the textbook variance; only those of one unit are put together."""
    sizes = [1, 3, 1, 2, 1, 4, 1]
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.ones(len(sizes)))
    outcomes = outcomes_over(sizes, seed=3)
    values = np.split(outcomes.success(1), np.cumsum(sizes)[:-1])
    expected = float(sum(w * own.mean() for w, own in zip(weights, values, strict=True)))
    single = [k for k, size in enumerate(sizes) if size == 1]
    variance = sum(
        w**2 * own.var(ddof=1) / len(own) for w, own in zip(weights, values, strict=True) if len(own) > 1
    )
    for a, b in zip(single[::2], single[1::2], strict=True):
        gap = weights[a] * (values[a][0] - expected) - weights[b] * (values[b][0] - expected)
        variance += gap**2
    design = pb.designs.CollapsedStrata(weights={str(k): float(w) for k, w in enumerate(weights)})
    found = estimate(outcomes, measure=RecognitionRate(1), design=design)
    assert (found.value, found.standard_error**2) == pytest.approx((expected, variance))


@pytest.mark.parametrize("seed", range(6))
def test_errors_are_zero_exactly_where_nothing_varies(seed):
    """Sums over ranks that go up and come down again leave no rounding behind, and agree with the textbook elsewhere."""
    from proband.inference.strata.bands import rates_and_errors

    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, 40).tolist()
    outcomes = outcomes_over(sizes, seed=seed)
    shares = rng.dirichlet(np.ones(40))
    strata = Strata(Strata.of(outcomes.subjects).codes, shares, tuple(map(str, range(40))))
    for design in (
        pb.designs.Jackknife(),
        pb.designs.RaoWu(n_resamples=30),
        pb.designs.Jackknife(kind="JK1", weights="equal"),
    ):
        errors = rates_and_errors(outcomes, design, strata, 9).errors
        for rank in range(1, 10):
            success = outcomes.success(rank)
            alike = all(np.ptp(success[strata.codes == h]) == 0 for h in range(40))
            assert (errors[rank - 1] == 0) == alike
            if design == pb.designs.Jackknife():
                textbook = sum(
                    shares[h] ** 2 * success[strata.codes == h].var(ddof=1) / sizes[h] for h in range(40)
                )
                assert errors[rank - 1] == pytest.approx(np.sqrt(textbook), abs=1e-12)
    assert errors[-1] == 0
