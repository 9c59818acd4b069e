"""Standard errors of a curve by method, and its variance by units: what naive loops over replicates find."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

import proband as pb
from proband.arrays import orthogonal_array
from proband.designs.factors import n_replicates_of
from proband.designs.strata import Strata
from proband.inference.galleries.effect import ImageColumns
from proband.inference.strata.study import StratStudy, errors_by_method, strat_study, variances_by_units
from proband.measures import Outcomes, rank

Floats = np.ndarray


def people(
    n: int, images: int, names: str = "a", strength: float = 1.2
) -> tuple[list[pb.Scores], pb.Samples]:
    """Random scores over people of whom some are recognised more easily than others."""
    ids = [f"s{s:03d}-{k:02d}" for s in range(n) for k in range(images)]
    own = np.array([name[:4] for name in ids])
    rng = np.random.default_rng(n + images)
    easy = np.repeat(rng.exponential(strength, n), images)
    same = own[:, None] == own
    scores = [
        pb.Scores.from_array(rng.normal(size=same.shape) + same * easy[:, None], ids, orientation="similarity", name=name)
        for name in names
    ]  # fmt: skip
    return scores, pb.Samples({"id": ids, "subject": own.tolist()})


def mixed(n: int, images: int) -> tuple[Outcomes, ImageColumns, Floats]:
    """Outcomes with the first mixed gallery, and by a naive count the success of each probe at every rank: people × probes × ranks."""
    (scores,), samples = people(n, images)
    columns = ImageColumns.of(samples, [scores], images, mixed=True)
    values = scores.tile(np.arange(n * images), np.arange(n * images))
    gallery = columns.places[:, 0]
    success = np.zeros((n, images - 1, n))
    for person in range(n):
        for unit in range(images - 1):
            row = values[columns.places[person, unit + 1], gallery]
            better = sum(row[other] >= row[person] for other in range(n) if other != person)
            success[person, unit, better:] = 1.0
    return rank(scores, columns.experiment(0)), columns, success


def textbook(success: Floats) -> Floats:
    """Σ s²/n over people, for their mean, at every rank."""
    return success.var(axis=1, ddof=1).sum(axis=0) / success.shape[1] / len(success) ** 2


def test_brr_and_the_jackknife_within_people_are_loops_over_their_replicates() -> None:
    outcomes, _, success = mixed(13, 4)
    errors = errors_by_method(outcomes)
    n, units, _ = success.shape
    whole = success.mean(axis=(0, 1))
    rows = orthogonal_array(units, n).rows
    halves = np.array([success[np.arange(n), row].mean(axis=0) for row in rows])
    balanced = ((halves - whole) ** 2).sum(axis=0) / (len(rows) * (units - 1))
    assert errors["brr"].by_rank == pytest.approx(np.sqrt(balanced))
    assert errors["brr"].n_replicates == len(rows) == 27
    deleted = np.zeros_like(whole)
    for person in range(n):
        for unit in range(units):
            left = success.mean(axis=1)
            left[person] = np.delete(success[person], unit, axis=0).mean(axis=0)
            deleted += (units - 1) / units * (left.mean(axis=0) - whole) ** 2
    within = errors["jackknife-within-people"]
    assert within.by_rank == pytest.approx(np.sqrt(deleted))
    assert within.n_replicates == n * units
    # Both are the textbook variance of a linear statistic.
    assert np.array_equal(within.by_rank, errors["brr"].by_rank)
    assert within.by_rank == pytest.approx(np.sqrt(textbook(success)))


def test_the_ordinary_jackknife_is_a_loop_over_probes() -> None:
    outcomes, _, success = mixed(12, 4)
    errors = errors_by_method(outcomes)["jackknife"]
    probes = success.reshape(-1, success.shape[2])
    n = len(probes)
    left = np.array([np.delete(probes, probe, axis=0).mean(axis=0) for probe in range(n)])
    naive = (n - 1) / n * ((left - probes.mean(axis=0)) ** 2).sum(axis=0)
    assert errors.by_rank == pytest.approx(np.sqrt(naive))
    assert errors.n_replicates == 36


@pytest.mark.parametrize("over", ["probes", "people"])
def test_the_bootstraps_are_loops_over_draws(over: str) -> None:
    outcomes, _, success = mixed(20, 4)
    errors = errors_by_method(outcomes, seed=3)[f"bootstrap-of-{over}"]
    units = success.reshape(-1, success.shape[2]) if over == "probes" else success.mean(axis=1)
    rng = np.random.default_rng(8)
    n, draws = len(units), 4_000
    naive = np.std([units[rng.integers(0, n, n)].mean(axis=0) for _ in range(draws)], axis=0, ddof=1)
    assert errors.n_replicates == 1_000
    at = naive > 0
    # A standard error of k draws is itself off by about 1/√(2k): 2 % of ours.
    assert errors.by_rank[at] == pytest.approx(naive[at], rel=0.12)
    assert errors.by_rank[at][:3] == pytest.approx(units.std(axis=0)[at][:3] / np.sqrt(n), rel=0.12)


def test_the_variance_ratio_is_over_low_ranks() -> None:
    outcomes, *_ = mixed(40, 4)
    errors = errors_by_method(outcomes)
    base = np.mean(errors["bootstrap-of-probes"].by_rank[:4] ** 2)
    for method in errors.values():
        assert method.variance_ratio == pytest.approx(np.mean(method.by_rank[:4] ** 2) / base)
    assert errors["bootstrap-of-probes"].variance_ratio == 1


@pytest.mark.parametrize("images", [3, 4, 5, 7])
def test_variances_by_units_are_loops_over_choices(images: int) -> None:
    outcomes, columns, success = mixed(15, images)
    variances = variances_by_units(outcomes, columns)
    n = images - 1
    assert {one.units for one in variances} == set(range(2, n + 1))
    for one in variances:
        choices = {chosen: textbook(success[:, chosen, :]) for chosen in combinations(range(n), one.units)}
        if one.left_out is not None:
            kept = tuple(unit for unit in range(n) if unit + 2 != one.left_out)  # the gallery is column 1
            assert one.by_rank == pytest.approx(choices[kept])
            continue
        each = np.array(list(choices.values()))
        assert one.n_choices == comb(n, one.units) == len(each)
        assert one.by_rank == pytest.approx(each.mean(axis=0))
        assert one.by_rank == pytest.approx(n / one.units * variances[0].by_rank)
        if one.n_choices > 1:
            assert one.lowest == pytest.approx(each.min(axis=0))
            assert one.highest == pytest.approx(each.max(axis=0))


def test_three_units_have_two_thirds_of_the_mean_variance_of_two() -> None:
    outcomes, columns, _ = mixed(30, 4)
    three, *twos, mean = variances_by_units(outcomes, columns)
    assert [one.left_out for one in twos] == [4, 3, 2]
    assert np.allclose(
        three.by_rank, 2 / 3 * np.mean([one.by_rank for one in twos], axis=0), rtol=1e-12, atol=0
    )
    assert np.allclose(mean.by_rank, 1.5 * three.by_rank, rtol=1e-12, atol=0)


def test_too_many_choices_have_their_exact_mean() -> None:
    outcomes, columns, success = mixed(4, 15)
    by_units = {one.units: one for one in variances_by_units(outcomes, columns)}
    assert sorted(by_units) == list(range(2, 15))
    assert by_units[7].n_choices == 3432
    assert by_units[7].lowest is None
    assert by_units[7].by_rank == pytest.approx(2 * textbook(success))
    assert by_units[2].lowest is not None


@pytest.mark.parametrize("sizes", [[2] * 9, [3] * 14, [6] * 5, [2, 2, 3, 3, 3, 6], [4] * 30, [12] * 3])
def test_replicates_are_counted_without_being_made(sizes: list[int]) -> None:
    strata = Strata.of(np.repeat(np.arange(len(sizes)), sizes).tolist())
    counted = sum(n_replicates_of(size, sizes.count(size)) for size in set(sizes))
    assert counted == pb.designs.BRR().replicates(strata).n_replicates


def test_the_papers_numbers_of_replicates() -> None:
    """768 and 1,000 as printed; 256 strata of three units take 729 rows here, and not the 256 that the paper says."""
    scores, samples = people(256, 4)
    errors = strat_study(scores, samples=samples, n_images=4).errors["a"]
    assert {key: one.n_replicates for key, one in errors.items()} == {
        "brr": 729,
        "jackknife-within-people": 768,
        "jackknife": 768,
        "bootstrap-of-probes": 1_000,
        "bootstrap-of-people": 1_000,
    }


def test_every_algorithm_has_its_curves() -> None:
    scores, samples = people(20, 4, "ab")
    study = strat_study(scores, samples=samples)
    assert list(study.errors) == list(study.variances) == ["a", "b"]
    assert [band.algorithm for band in study.curves] == ["a", "b"]
    alone: StratStudy = strat_study(scores[1:], samples=samples)
    for key, one in study.errors["b"].items():
        assert np.array_equal(one.by_rank, alone.errors["b"][key].by_rank)
    written = study.to_dict()
    for effects in (written["galleries"], written["mixed_galleries"]):
        assert [len(effect["bands"]) for effect in effects] == [4, 4]
        assert effects[0]["bands"][2]["values"] is not None
    assert written["bands"] == []
