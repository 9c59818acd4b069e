"""The experiment of Efficient (Micheals & Boult 2001) again in plain loops: every column as the gallery, before and after mixing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import proband as pb
from proband.inference.strata.study import strat_study

ORL = Path(__file__).parents[2].parent / "shared" / "data" / "orl" / "similarity.npz"
Floats = npt.NDArray[np.float64]
Grid = list[list[int]]
"""Of each person, the image in every column."""


def ranks_of(values: Floats, grid: Grid, gallery: int) -> Floats:
    """People × probes: one more than the other people's gallery images that are at least as close as the person's own."""
    enrolled = [row[gallery] for row in grid]
    made = []
    for place, row in enumerate(grid):
        probes = sorted(image for column, image in enumerate(row) if column != gallery)
        made.append(
            [1 + sum(values[q, g] >= values[q, enrolled[place]] for g in enrolled if g != enrolled[place]) for q in probes]
        )  # fmt: skip
    return np.array(made, dtype=float)


def mixed(grid: Grid) -> Grid:
    """Person after person one column further on: each new column has an equal share of each old one."""
    n = len(grid[0])
    return [[row[(k + person) % n] for k in range(n)] for person, row in enumerate(grid)]


def check(scores: pb.Scores, samples: pb.Samples, values: Floats, grid: Grid, rank: int) -> None:
    for dealt in (False, True):
        own = mixed(grid) if dealt else grid
        columns = pb.strat.ImageColumns.of(samples, [scores], len(grid[0]), mixed=dealt)
        assert columns.places.tolist() == own
        effect = pb.strat.gallery_effect(
            scores, columns=columns, rank=rank, design=pb.designs.BRR(interval="t")
        )
        people, n = len(own), len(own[0]) - 1
        means = []
        for gallery, (rate, band) in enumerate(zip(effect.estimates, effect.bands, strict=True)):
            ranks = ranks_of(values, own, gallery)
            right = ranks <= rank
            means.append(right.mean(axis=1))
            # Stratified: people are the strata, their images vary.
            error = float(np.sqrt(sum(row.var(ddof=1) / n for row in right)) / people)
            assert rate.value == pytest.approx(right.mean(), rel=1e-12)
            assert rate.standard_error == pytest.approx(error, rel=1e-9)
            reach = stats.t.ppf(0.975, people * (n - 1)) * error
            # Student's interval is symmetric, and may pass 1.
            assert (rate.low, rate.high) == pytest.approx(
                (right.mean() - reach, right.mean() + reach), rel=1e-9
            )
            if rate.high > 1:
                assert "strata.past-limits" in [note.code for note in rate.notes]
            curve = [(ranks <= r).mean() for r in range(1, people + 1)]
            assert band.values == pytest.approx(curve, rel=1e-12)
        by_person = np.column_stack(means)
        # Hotelling's T² is the same for any contrasts: here of every column with the next.
        contrasts = np.diff(by_person, axis=1)
        p = contrasts.shape[1]
        middle = contrasts.mean(axis=0)
        t2 = people * middle @ np.linalg.inv(np.cov(contrasts, rowvar=False)) @ middle
        f = (people - p) / (p * (people - 1)) * t2
        assert (effect.test.statistic, effect.test.p_value) == pytest.approx(
            (f, stats.f.sf(f, p, people - p)), rel=1e-7
        )
        assert effect.range == pytest.approx(np.ptp(by_person.mean(axis=0)))
        raw = []
        for pair, (a, b) in zip(effect.pairs, combinations(range(p + 1), 2), strict=True):
            test = stats.ttest_rel(by_person[:, a], by_person[:, b])
            interval = test.confidence_interval(0.95)
            assert (pair.first, pair.second) == (str(a + 1), str(b + 1))
            assert (pair.value, pair.low, pair.high, pair.p_value) == pytest.approx(
                (by_person[:, a].mean() - by_person[:, b].mean(), interval.low, interval.high, test.pvalue), rel=1e-7, abs=1e-12
            )  # fmt: skip
            raw.append(float(test.pvalue))
        order = np.argsort(raw)
        stepped = np.maximum.accumulate(np.array(raw)[order] * np.arange(len(raw), 0, -1)).clip(max=1)
        assert [effect.pairs[k].p_adjusted for k in order] == pytest.approx(stepped, rel=1e-7)


def invented(people: int = 16, images: int = 4) -> tuple[pb.Scores, pb.Samples, Floats, Grid]:
    """The first image of everybody is the better one to enrol."""
    rng = np.random.default_rng(3)
    ids = [f"s{person:02d}-{k}" for person in range(people) for k in range(images)]
    own = np.repeat(np.arange(people), images)
    better = np.tile(np.arange(images) == 0, people)
    values = rng.normal(size=(len(ids), len(ids))) + (1.3 + 1.5 * better[None]) * (own[:, None] == own)
    values = np.round(values, 1)  # ties abound
    samples = pb.Samples({"id": ids, "subject": [name[:3] for name in ids]})
    grid = [[person * images + k for k in range(images)] for person in range(people)]
    return pb.Scores.from_array(values, ids, orientation="similarity", name="net"), samples, values, grid


@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("images", [3, 4, 5])
def test_columns_as_galleries_of_synthetic_people(images: int, rank: int) -> None:
    check(*invented(images=images), rank)


@pytest.mark.realdata
@pytest.mark.skipif(not ORL.is_file(), reason=f"the ORL data is not at {ORL}")
def test_columns_as_galleries_of_orl() -> None:
    with np.load(ORL, allow_pickle=False) as arrays:
        values = arrays["lbp"].astype(float)
    with np.load(ORL.parent / "images.npz", allow_pickle=False) as arrays:
        subjects, numbers = arrays["subject"], arrays["image_no"]
    taken = np.flatnonzero(numbers <= 4)
    values = values[np.ix_(taken, taken)]
    ids = [f"{subjects[k]}-{numbers[k]}" for k in taken]
    samples = pb.Samples({"id": ids, "subject": [str(subjects[k]) for k in taken]})
    scores = pb.Scores.from_array(values, ids, orientation="similarity", name="lbp")
    check(scores, samples, values, [list(range(4 * k, 4 * k + 4)) for k in range(40)], 1)


def test_errors_by_rank_are_closed_forms() -> None:
    """Figure 3: delete-one over probes is √(p(1 − p)/(N − 1)), whoever they are of; the bootstrap of probes √(p(1 − p)/N), but for chance."""
    scores, samples, values, grid = invented(people=20)
    study = strat_study([scores], samples=samples)
    ranks = ranks_of(values, mixed(grid), 0)  # the first gallery after mixing
    shares = [(ranks <= rank).mean() for rank in range(1, 21)]
    n = 20 * 3
    for key, each in study.errors[scores.name].items():
        rates = np.array(shares[: len(each.by_rank)])
        alone = np.sqrt(rates * (1 - rates))
        if key == "jackknife":
            assert each.by_rank == pytest.approx(alone / np.sqrt(n - 1), rel=1e-9)
        elif key == "bootstrap-of-probes":
            assert each.by_rank == pytest.approx(alone / np.sqrt(n), rel=0.12)
        elif key == "bootstrap-of-people":
            means = [(ranks <= rank).mean(axis=1) for rank in range(1, len(rates) + 1)]
            assert each.by_rank == pytest.approx([own.std() / np.sqrt(20) for own in means], rel=0.12)
        else:
            assert key in ("brr", "jackknife-within-people")
            within = [
                np.sqrt(sum(row.var(ddof=1) / 3 for row in ranks <= rank)) / 20
                for rank in range(1, len(rates) + 1)
            ]
            assert each.by_rank == pytest.approx(within, rel=1e-9), key


def test_galleries_that_differ_by_the_same_for_everybody_are_not_said_to_be_alike() -> None:
    """The third image of everybody is like nobody's: with it as gallery nobody is recognised, with the others half of the probes are."""
    ids = [f"p{p}-{k}" for p in range(12) for k in range(3)]
    people, last = np.arange(36) // 3, np.arange(36) % 3 == 2
    values = np.where(np.equal.outer(people, people), 1.0, 0.0)
    values[last] = values[:, last] = 0.0
    samples = pb.Samples({"id": ids, "subject": [name[:-2] for name in ids]})
    scores = pb.Scores.from_array(values, ids, orientation="similarity", name="net")
    effect = pb.strat.gallery_effect(scores, columns=pb.strat.ImageColumns.of(samples, [scores]))
    assert [rate.value for rate in effect.estimates] == pytest.approx([0.5, 0.5, 0.0])
    note = effect.sentence()
    assert (note.code, note.level) == ("galleries.same-for-all", "caution")
    assert (
        "is not tested, because they differ by the same amount for every person: they span 50.0 points"
        in str(note)
    )
