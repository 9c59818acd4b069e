from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import proband as pb
from proband.errors import InputError, UsageError
from proband.inference.comparisons.testing.adjustment import holm
from proband.inference.datasets.comparison import compare_datasets
from proband.inference.datasets.random_effects import paule_mandel, random_effects
from proband.inference.datasets.signed_ranks import friedman, mean_ranks, signed_ranks

FROM_R = json.loads((Path(__file__).parent / "r" / "datasets.json").read_text())
ACCURACIES = np.array(FROM_R["accuracies"]).reshape(8, 4)
TABLE = {"dataset": [f"d{k}" for k in range(8)], **{name: ACCURACIES[:, k] for k, name in enumerate("ABCD")}}


def by_all_signs(differences: np.ndarray) -> float:
    """The two-sided p-value of signed ranks, by going through all signs."""
    kept = differences[differences != 0]
    ranks = stats.rankdata(np.abs(kept))
    observed = ranks[kept > 0].sum()
    sums = np.array([ranks[np.array(signs, bool)].sum() for signs in product((0, 1), repeat=len(kept))])
    return float(min(1.0, 2 * min((sums <= observed + 1e-9).mean(), (sums >= observed - 1e-9).mean())))


@pytest.mark.parametrize("seed", range(6))
def test_signed_ranks_are_exact_with_ties_and_zeros(seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences = np.round(rng.normal(0.02, 0.05, 9), 2 if seed % 2 else 5)
    found = signed_ranks(differences)
    assert found.p_value == pytest.approx(by_all_signs(differences), rel=1e-12)
    if not found.tied and not found.n_zeros:
        peer = stats.wilcoxon(differences, method="exact")
        assert found.p_value == pytest.approx(peer.pvalue, rel=1e-12)
        assert min(found.statistic, 45 - found.statistic) == peer.statistic


def test_many_differences_are_nearly_normal() -> None:
    differences = np.random.default_rng(1).normal(0.05, 1, 700)
    found = signed_ranks(differences)
    peer = stats.wilcoxon(differences, method="approx", correction=True)
    assert not found.exact
    assert found.p_value == pytest.approx(peer.pvalue, rel=1e-9)
    assert signed_ranks(differences[:500]).p_value == pytest.approx(
        stats.wilcoxon(differences[:500], method="exact").pvalue, rel=1e-6
    )


def test_equal_differences_of_rounded_accuracies_are_ties() -> None:
    found = signed_ranks(np.array([0.9, 0.8, 0.7]) - np.array([0.8, 0.7, 0.6]))
    assert found.tied
    assert found.p_value == 0.25


def test_numbers_are_those_of_r() -> None:
    found = compare_datasets(TABLE)
    median = next(one.difference for one in found.pairs if (one.first, one.second) == ("A", "B"))
    assert [median.statistic, median.p_value, median.value, median.low, median.high] == pytest.approx(
        FROM_R["first"], rel=1e-9
    )
    other = signed_ranks(ACCURACIES[:, 1] - ACCURACIES[:, 2], 0.9)
    assert [other.statistic, other.p_value, other.estimate, other.low, other.high] == pytest.approx(
        FROM_R["second"], rel=1e-9
    )
    assert [found.friedman.statistic, found.friedman.p_value] == pytest.approx(FROM_R["friedman"], rel=1e-9)
    pooled = random_effects(FROM_R["differences"], FROM_R["errors"])
    mean, q = pooled.difference, pooled.heterogeneity
    assert [
        mean.value, mean.low, mean.high, mean.standard_error, pooled.tau, q.statistic, q.p_value,
        pooled.prediction_low, pooled.prediction_high,
    ] == pytest.approx(FROM_R["random"], rel=1e-8)  # fmt: skip


def test_friedman_with_ties_is_scipys_and_f_is_iman_and_davenports() -> None:
    values = np.round(np.random.default_rng(2).normal(0.8, 0.05, (9, 4)), 1)
    ranks = np.stack([mean_ranks(row) for row in values])
    assert np.array_equal(ranks, np.stack([stats.rankdata(row) for row in values]))
    tests = friedman(ranks)
    peer = stats.friedmanchisquare(*values.T)
    assert tests is not None
    chi, iman = tests
    assert (chi.statistic, chi.p_value) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-12)
    f = 8 * peer.statistic / (9 * 3 - peer.statistic)
    assert (iman.statistic, iman.p_value) == pytest.approx((f, stats.f.sf(f, 3, 24)), rel=1e-12)
    assert friedman(np.ones((4, 3)) * 2) is None
    same = friedman(np.tile([1.0, 2, 3], (4, 1)))
    assert same is not None
    assert same[1].statistic is None
    assert same[1].p_value == pytest.approx(1 / 6**3)


def test_two_do_not_depend_on_the_others_but_by_holm() -> None:
    whole = compare_datasets(TABLE)
    two = compare_datasets({name: TABLE[name] for name in ("dataset", "B", "C")})
    medians = [one.difference for one in whole.pairs]
    pair = next(one for one in medians if {one.first, one.second} == {"B", "C"})
    alone = two.pairs[0].difference
    assert pair.p_value == alone.p_value == alone.p_adjusted
    assert [one.p_adjusted for one in medians] == holm([one.p_value for one in medians])
    assert two.friedman is None


def test_groups_join_what_is_not_significantly_different() -> None:
    rng = np.random.default_rng(4)
    base = rng.uniform(0.6, 0.9, 14)
    table = {"dataset": [f"d{k}" for k in range(14)], "best": base + 0.05, "good": base + rng.normal(0, 0.01, 14),
             "alike": base + rng.normal(0, 0.01, 14), "worst": base - 0.1}  # fmt: skip
    found = compare_datasets(table)
    assert found.algorithms[0] == "best"
    assert found.algorithms[-1] == "worst"
    assert [set(group) for group in found.groups] == [{"good", "alike"}]
    assert found.average_ranks[0] == 1.0


def test_no_spread_between_data_sets_is_the_mean_by_precision() -> None:
    d, s = np.array([0.02, 0.03, 0.025]), np.array([0.02, 0.01, 0.03])
    found = random_effects(d, s)
    weights = 1 / s**2
    assert found.tau == 0
    assert found.difference.value == pytest.approx((weights @ d) / weights.sum())
    assert found.difference.standard_error == pytest.approx(
        weights.sum() ** -0.5
    )  # never less, however alike they are
    assert random_effects(d[:2], s[:2]).prediction_low is None


def test_outcomes_have_errors_over_people() -> None:
    rng = np.random.default_rng(6)
    rows = [
        {"set": f"s{k}", "who": f"p{person}", "model": model, "right": int(rng.random() < share)}
        for k in range(4)
        for person in range(6 + 5 * k)
        for shot in range(1 + person % 3)
        for model, share in (("new", 0.8), ("old", 0.6))
    ]
    frame = pl.DataFrame(rows)
    found = compare_datasets(frame, dataset="set", algorithm="model", success="right", cluster="who")
    own = frame.filter(pl.col("set") == "s2")
    values = {name: own.filter(pl.col("model") == name) for name in ("new", "old")}
    first, second = found.pairs[0].first, found.pairs[0].second
    assert found.by_dataset[2].value == pytest.approx(
        values[first]["right"].mean() - values[second]["right"].mean()
    )
    people = sorted(set(own["who"]))
    sizes = np.array([values["new"].filter(pl.col("who") == name).height for name in people], float)
    sums = [
        np.array([values[model].filter(pl.col("who") == name)["right"].sum() for name in people])
        for model in (first, second)
    ]
    apart = sums[0] - sums[1]
    ratio = apart.sum() / sizes.sum()
    n = len(people)
    error = np.sqrt(n / (n - 1) * ((apart - sizes * ratio) ** 2).sum()) / sizes.sum()
    assert found.by_dataset[2].standard_error == pytest.approx(error)
    assert found.by_dataset[2].rests_on.n_units == n
    assert found.pairs[0].pooled is not None
    assert found.to_frame()["pooled_tau"][0] == found.pairs[0].pooled.tau
    text = found.to_latex()
    assert "another" in text


def test_nobody_differs_is_as_if_one_did() -> None:
    rows = [
        {"dataset": f"s{k}", "who": f"p{person}", "model": model, "right": int(k > 0 and model == "new" and person == 0)}
        for k in range(3) for person in range(10) for model in ("new", "old")
    ]  # fmt: skip
    found = compare_datasets(pl.DataFrame(rows), algorithm="model", success="right", cluster="who")
    assert found.by_dataset[0].standard_error == pytest.approx(1 / 10)
    assert "datasets.as-if-one" in {note.code for note in found.notes}


def test_errors_from_a_table() -> None:
    errors = [
        {"dataset": name, "first": "B", "second": "A", "standard_error": 0.01 + 0.001 * k}
        for k, name in enumerate(TABLE["dataset"])
    ]
    found = compare_datasets(TABLE, errors=errors)
    pooled = {(one.first, one.second): one.pooled for one in found.pairs}
    assert pooled["A", "B"] == random_effects(
        np.round(ACCURACIES[:, 0] - ACCURACIES[:, 1], 12),
        [one["standard_error"] for one in errors],
        0.95,
        "A",
        "B",
    )
    assert pooled["A", "C"] is None


@pytest.mark.parametrize(
    ("frame", "more", "error", "match"),
    [
        ({"dataset": ["a", "b"], "x": [1.0, 0.5]}, {}, UsageError, "at least two algorithms"),
        ({"dataset": ["a"], "x": [1.0], "y": [0.5]}, {}, InputError, "only one data set"),
        ({"dataset": ["a", "a"], "x": [1.0, 0.5], "y": [0.1, 0.2]}, {}, InputError, "listed twice"),
        ({"set": ["a", "b"], "x": [1.0, 0.5], "y": [0.1, 0.2]}, {}, UsageError, "no column 'dataset'"),
        ({"dataset": ["a", "b"], "x": [1.0, None], "y": [0.1, 0.2]}, {}, InputError, "no accuracy in 1"),
        ({"dataset": ["a", "b"], "x": [1.0, 0.5], "y": [91.2, 0.2]}, {}, InputError, "'y' has 91.2 in 'a'"),
        ({"dataset": ["a", "b"], "x": [1.0, 0.5], "y": ["u", "v"]}, {}, InputError, "not numeric"),
        ({"dataset": ["a", "b"], "x": [1.0, 0.5], "y": [0.1, 0.2]}, {"cluster": "who"}, UsageError, "has no people"),
        ({"dataset": ["a", "b"], "x": [1.0, 0.5], "y": [0.1, 0.2]}, {"algorithm": "x"}, UsageError, "name both"),
        ({"dataset": ["a", "b"], "x": [1.0, 0.5], "y": [0.1, 0.2]}, {"errors": {"dataset": ["a"]}}, InputError, "table of standard errors"),
        ({"dataset": ["a"], "m": ["x"], "s": [2]}, {"algorithm": "m", "success": "s", "cluster": "dataset"}, InputError, "values other than"),
        ({"dataset": ["a"], "m": ["x"], "s": [1]}, {"algorithm": "m", "success": "s"}, UsageError, "standard error"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(frame: dict, more: dict, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        pb.compare_datasets(frame, **more)


def test_few_data_sets_are_said_to_be_few() -> None:
    found = compare_datasets({"dataset": list("abc"), "x": [0.9, 0.8, 0.7], "y": [0.8, 0.75, 0.6]})
    assert {note.code for note in found.notes} == {"datasets.few", "datasets.no-errors"}
    assert not found.pairs[0].difference.has_interval
    assert found.pairs[0].difference.verdict == "undecided"


@pytest.mark.long
@pytest.mark.parametrize("n", [3, 5, 10])
@pytest.mark.parametrize("tau", [0.0, 0.03])
def test_intervals_over_few_data_sets_of_unequal_sizes_hold(n: int, tau: float) -> None:
    rng = np.random.default_rng(10 * n)
    mean, repeats = 0.02, 2000
    covered = predicted = 0
    for _ in range(repeats):
        errors = 0.3 / np.sqrt(rng.integers(20, 800, n))
        true = rng.normal(mean, tau, n)
        found = random_effects(rng.normal(true, errors), errors)
        covered += found.difference.low <= mean <= found.difference.high
        assert found.prediction_low is not None
        assert found.prediction_high is not None
        predicted += found.prediction_low <= rng.normal(mean, tau) <= found.prediction_high
    assert covered / repeats > 0.94
    assert predicted / repeats > 0.91  # Higgins et al. promise no more with few data sets


@pytest.mark.long
def test_the_variance_between_data_sets_is_found() -> None:
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.01, 0.05, 400)
    assert paule_mandel(rng.normal(0, np.sqrt(0.04**2 + errors**2)), errors) == pytest.approx(
        0.04**2, rel=0.2
    )
