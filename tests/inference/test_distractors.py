"""People who cannot take part stay enrolled: held to a count by hand of what every trial says it chose."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.designs.image_choice import draw_choices
from proband.errors import UsageError
from proband.inference.image_choice.listing import trial_choices

PEOPLE, ALONE, TRIALS = 9, 4, 40


@pytest.fixture(scope="module")
def study() -> tuple[pb.Samples, list[pb.Scores]]:
    """Nine people with images of two days, and four with images of one; those of the four are queries nowhere."""
    rng = np.random.default_rng(8)
    rows = [(f"s{s}-{k}", f"s{s}", k // 2, True) for s in range(PEOPLE) for k in range(4)]
    rows += [(f"x{s}-{k}", f"x{s}", 0, not (s == 1 and k == 0)) for s in range(ALONE) for k in range(2)]
    samples = pb.Samples(
        dict(zip(("id", "subject", "day", "found"), zip(*rows, strict=True), strict=True)), failed="not found"
    )
    ids = list(samples.ids)
    queries = [one for one in ids if one[0] == "s"]
    codes = np.array([one.split("-")[0] for one in ids])
    alike = np.array([[one.split("-")[0] == other for other in codes] for one in queries])
    scores = [
        pb.Scores.from_array(
            np.rint(rng.normal(size=alike.shape) * 2 + 4 * alike),
            queries,
            ids,
            orientation="similarity",
            name=name,
        )
        for name in "ab"
    ]
    return samples, scores


def by_hand(scores: pb.Scores, chosen: pl.DataFrame, n_ranks: int) -> np.ndarray:
    """Successes at each rank, pessimistic, of the people who were searched for."""
    searched = chosen.filter(pl.col("probe").is_not_null())
    found = np.zeros(n_ranks)
    for subject, gallery, probe in searched.select("subject", "gallery", "probe").iter_rows():
        row = {
            name: scores.values[list(scores.queries).index(probe), list(scores.targets).index(name)]
            for name in chosen["gallery"]
        }
        ahead = sum(
            value >= row[gallery] for name, value in row.items() if not name.startswith(f"{subject}-")
        )
        found[ahead:] += 1
    return found


@pytest.mark.parametrize("balanced", [True, False])
def test_every_kernel_counts_what_the_lists_say(study: Any, balanced: bool) -> None:
    samples, scores = study
    pool = pb.data.pool_over(scores, samples, groups="day", distractors=True)
    assert (pool.n_subjects, pool.n_distractors, pool.options.n_subjects) == (PEOPLE, ALONE, PEOPLE + ALONE)
    assert "samples.distractors" in [note.code for note in pool.notes]
    design = pb.designs.ImageChoice(TRIALS, balanced)
    listed = trial_choices(pool, design=design, trials=range(1, TRIALS + 1), seed=5)
    fixed = listed.filter(pl.col("probe").is_null())
    assert set(fixed["gallery"]) == {"x0-0", "x1-1", "x2-0", "x3-0"}  # x1's first image was not acquired
    assert fixed.height == ALONE * TRIALS
    naive = {
        one.name: np.stack(
            [
                by_hand(one, part, PEOPLE + ALONE)
                for (_,), part in listed.group_by("trial", maintain_order=True)
            ]
        )
        for one in scores
    }
    for kernel in ("auto", "bitset", "bit-sliced", "numpy"):
        most = 10 if kernel == "bit-sliced" else None
        found = pb.permute(scores, pool, design=design, seed=5, keep=True, kernel=kernel, max_rank=most)
        assert found.n_distractors == ALONE
        assert found.n_ranks == (most or PEOPLE + ALONE)
        for place, one in enumerate(scores):
            assert found.replicates is not None
            np.testing.assert_allclose(found.replicates[place] * PEOPLE, naive[one.name][:, :10], atol=1e-9)
            for rank in range(1, found.n_ranks + 1):
                assert found.rate(one.name, rank).mean == pytest.approx(
                    naive[one.name][:, rank - 1].mean() / PEOPLE
                )
        assert found.successes.shape[1] == PEOPLE
    assert found.choices(pool, [2, 3]).equals(listed.filter(pl.col("trial").is_in([2, 3])))


def test_distractors_change_no_choice_and_no_rate_for_the_better(study: Any) -> None:
    samples, scores = study
    without, with_them = (
        pb.data.pool_over(scores, samples, groups="day", distractors=one) for one in (False, True)
    )
    for balanced in (True, False):
        both = [draw_choices(pool.options, balanced, 1, 2) for pool in (without, with_them)]
        np.testing.assert_array_equal(both[0], both[1][:, :PEOPLE])
        assert (both[1][:, PEOPLE:] == 0).all()
    plain, more = (
        pb.permute(scores, pool, design=pb.designs.ImageChoice(200)) for pool in (without, with_them)
    )
    assert more.rate("a").mean < plain.rate("a").mean
    assert "n_distractors" not in plain.to_dict()


def test_exact_means_and_other_measures_have_them_too(study: Any) -> None:
    samples, scores = study
    pool = pb.data.pool_over(scores[:1], samples, groups="day", distractors=True)
    exact = pb.choices.exact_over_choices(scores[0], pool)
    drawn = pb.permute(scores[:1], pool, design=pb.designs.ImageChoice(20_000, balanced=False), max_rank=10)
    for rank in (1, 2, 5):
        spread = drawn.rate("a", rank)
        assert exact.values[rank - 1] == pytest.approx(
            spread.mean, abs=5 * spread.standard_deviation / 20_000**0.5
        )
    assert exact.variance_rank_1 == pytest.approx(drawn.rate("a").standard_deviation ** 2, rel=0.06)
    median = pb.estimate(scores[0], pool, measure="median-rank@20", design=pb.designs.ImageChoice(50))
    assert np.isfinite(median.value)
    assert median.facts.n_gallery_subjects == PEOPLE + ALONE


def test_lists_without_names_and_trials_that_are_not_there(study: Any) -> None:
    samples, scores = study
    pool = pb.data.pool_over(scores, samples, groups="day", distractors=True)
    plain = trial_choices(pool, design=pb.designs.ImageChoice(10), trials=3)
    hidden = trial_choices(pool, design=pb.designs.ImageChoice(10), trials=3, pseudonyms=True)
    assert hidden["gallery_day"].equals(plain["gallery_day"])
    assert not set(hidden["subject"]) & set(plain["subject"])
    assert not set(hidden["gallery"]) & set(plain["gallery"])
    for wrong in (0, 11, []):
        with pytest.raises(UsageError):
            trial_choices(pool, design=pb.designs.ImageChoice(10), trials=wrong)


def test_sets_share_what_a_count_by_hand_says(study: Any) -> None:
    samples, _ = study
    experiment = pb.Experiment(samples, gallery="day == 0 and subject < 's8'", probes="day == 1")
    late = pb.Category("early person", "probe.subject < 's3'")
    found = pb.stats.set_overlap(experiment, categories=late, by="subject")
    held = {"gallery": experiment.gallery, "all probes": experiment.probes}
    names = {name: {samples.ids[int(place)] for place in places} for name, places in held.items()}
    names["early person"] = {one for one in names["all probes"] if one < "s3"}
    for a, first in enumerate(found.sets[:3]):
        for b, second in enumerate(found.sets[:3]):
            assert found.images[a][b] == len(names[first] & names[second])
            people = [{one.split("-")[0] for one in names[name]} for name in (first, second)]
            assert found.people[a][b] == len(people[0] & people[1])
    assert found.to_frame().height == len(found.sets) * (len(found.sets) + 1) // 2
