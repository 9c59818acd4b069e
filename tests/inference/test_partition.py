"""Probes divided by difficulty, and what the selection does."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import proband as pb
from proband.errors import ProbandError


def world(n: int = 60, images: int = 3, seed: int = 0) -> tuple[list[pb.Scores], pb.Experiment]:
    """Three algorithms whose mistakes are their own: nothing is hard for all."""
    rng = np.random.default_rng(seed)
    gallery = [f"g{k}" for k in range(n)]
    probes = [f"p{k}-{i}" for k in range(n) for i in range(images)]
    samples = pb.Samples(
        {"id": gallery + probes, "subject": [name[1:].partition("-")[0] for name in gallery + probes]}
    )
    own = np.repeat(np.eye(n), images, axis=0)
    scores = [
        pb.Scores.from_array(
            rng.normal(size=own.shape) + 2.5 * own, probes, gallery, orientation="similarity", name=name
        )
        for name in "abc"
    ]
    return scores, pb.Experiment(samples, gallery=gallery)


def test_parts_are_equal_and_selection_is_seen() -> None:
    scores, experiment = world()
    found = pb.partition(scores, experiment)
    assert found.probes["partition"].value_counts().sort("partition")["count"].to_list() == [60, 60, 60]
    for name in "abc":
        good, ugly = found.of(name, "good"), found.of(name, "ugly")
        # Mistakes are independent: parts that others make are alike, those it helped to make are not.
        assert abs(good.rate.value - ugly.rate.value) < 0.3
        assert good.naive.value - ugly.naive.value > 0.3
        assert ugly.selection.value == pytest.approx(ugly.naive.value - ugly.rate.value)
        assert ugly.selection.high < 0
        assert ugly.selection.p_value < 0.05


def test_one_algorithm_is_judged_by_other_images() -> None:
    scores, experiment = world(images=2)
    found = pb.partition(scores[0], experiment, parts=2)
    assert (found.judges, found.parts) == ("images", ("part 1", "part 2"))
    by_id = dict(zip(found.probes["id"], found.probes["partition_by_other_images_a"], strict=True))
    hard = found.probes.sort("difficulty")["id"].to_list()[-1]
    person, _, image = hard.partition("-")
    assert by_id[f"{person}-{1 - int(image)}"] == "part 2"


def test_the_naive_rates_are_of_the_same_probes() -> None:
    scores, experiment = world(n=40, images=2)
    gallery, probes = [f"g{k}" for k in range(40)], [f"p{k}-{i}" for k in range(40) for i in range(2)]
    found = pb.partition(scores[0], pb.Experiment(experiment.samples, gallery, probes[:60] + probes[60::2]))
    # Parts of one size and of one set of probes: what one part gains by selection the others lose.
    sizes = [one.rests_on.n for one in found.rates]
    assert sum(sizes) < found.n_probes
    assert sum(n * pair.value for n, pair in zip(sizes, found.selection, strict=True)) == pytest.approx(0)


def test_the_table_has_the_parts_of_probes_and_no_others() -> None:
    scores, experiment = world(n=12)
    found = pb.partition(scores, experiment)
    assert found.table.filter(pl.col("id").str.starts_with("g"))["partition"].null_count() == 12
    again = pb.Samples(found.table)
    part = pb.Experiment(
        again, gallery="id in " + str([f"g{k}" for k in range(12)]), probes="partition_without_a == 'ugly'"
    )
    rate = pb.measures.RecognitionRate(1)(scores[0], part)
    assert rate.value == pytest.approx(found.of("a", "ugly").rate.value)


def test_what_cannot_be_divided_is_refused() -> None:
    scores, experiment = world(n=6, images=1)
    with pytest.raises(ProbandError, match="One algorithm alone cannot be judged"):
        pb.partition(scores[0], experiment, judges="algorithms")
    with pytest.raises(ProbandError, match="0 probes are of people with several"):
        pb.partition(scores[0], experiment)
    with pytest.raises(ProbandError, match="too few for 4 parts"):
        pb.partition(scores, experiment, parts=4)
    with pytest.raises(ProbandError, match="at least 2 parts"):
        pb.partition(scores, experiment, parts=1)
    frame = experiment.samples.frame.with_columns(partition=pl.lit("x"))
    taken = pb.Experiment(pb.Samples(frame), gallery=[f"g{k}" for k in range(6)])
    with pytest.raises(ProbandError, match="has a column 'partition' already"):
        pb.partition(scores, taken)


@pytest.mark.parametrize("rank", [1, 3, 40])
def test_parts_in_which_nothing_varies_have_no_excess(rank: int) -> None:
    scores, experiment = world(n=41, images=3)
    perfect = [
        pb.Scores.from_array(
            np.repeat(np.eye(41), 3, axis=0) * 9 + one.values,
            one.queries[:],
            one.targets[:],
            orientation="similarity",
            name=one.name,
        )
        for one in scores
    ]
    found = pb.partition(perfect, experiment, rank=rank)
    assert {(pair.value, pair.low, pair.high, pair.p_value) for pair in found.selection} == {
        (0.0, 0.0, 0.0, 1.0)
    }
