"""Probes divided by difficulty, and what the selection does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

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
    with pytest.raises(ProbandError, match="One algorithm cannot be evaluated"):
        pb.partition(scores[0], experiment, judges="algorithms")
    with pytest.raises(ProbandError, match="0 probes are of people with several"):
        pb.partition(scores[0], experiment)
    with pytest.raises(ProbandError, match="too few for 4 parts"):
        pb.partition(scores, experiment, parts=4)
    with pytest.raises(ProbandError, match="at least 2 parts"):
        pb.partition(scores, experiment, parts=1)
    frame = experiment.samples.frame.with_columns(partition=pl.lit("x"))
    taken = pb.Experiment(pb.Samples(frame), gallery=[f"g{k}" for k in range(6)])
    with pytest.raises(ProbandError, match="already has a column 'partition'"):
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


def hardness_by_hand(values: np.ndarray, people: list[str], owners: list[str]) -> list[Fraction]:
    """The share of the other probes that are closer to their mates, equals half; in exact numbers."""
    mates = [row[owners.index(person)] for row, person in zip(values, people, strict=True)]
    return [
        Fraction(2 * sum(other > own for other in mates) + sum(other == own for other in mates) - 1, 2 * (len(mates) - 1))
        for own in mates
    ]  # fmt: skip


def parts_by_hand(hardness: dict[int, Fraction], parts: int) -> dict[int, int]:
    """Equally many in each, the easiest first; of equals those that come first are the easier."""
    order = sorted(hardness, key=lambda k: (hardness[k], k))
    return {k: place * parts // len(order) for place, k in enumerate(order)}


@pytest.mark.parametrize("judges", ["algorithms", "images"])
@pytest.mark.parametrize("levels", [3, 30])
def test_parts_and_rates_by_hand(judges: Any, levels: int) -> None:
    """Coarse scores, so that many probes are as hard; people with one to four probes."""
    rng = np.random.default_rng(levels)
    owners = [f"p{k:02d}" for k in range(25)]
    people = [name for name in owners for _ in range(int(rng.integers(1, 5)))]
    ids = [f"{name}-{k}" for k, name in enumerate(people)]
    own = np.array([[name == owner for owner in owners] for name in people])
    values = {
        name: np.round(levels * (rng.random(own.shape) + 0.45 * own)).astype(float)
        for name in ("a", "b", "c")
    }
    samples = pb.Samples({"id": owners + ids, "subject": owners + people})
    scores = [
        pb.Scores.from_array(v, ids, owners, orientation="similarity", name=n) for n, v in values.items()
    ]
    divided = pb.partition(scores, pb.Experiment(samples, gallery=owners), judges=judges)
    hard = {name: hardness_by_hand(v, people, owners) for name, v in values.items()}
    n = len(ids)
    together = {k: sum((hard[name][k] for name in values), Fraction()) / 3 for k in range(n)}
    assert divided.probes["difficulty"].to_list() == pytest.approx(
        [float(mean) for mean in together.values()]
    )
    whole = parts_by_hand(together, 3)
    assert divided.probes["partition"].to_list() == [divided.parts[whole[k]] for k in range(n)]
    for name, v in values.items():
        right = [
            all(row[owner] < row[owners.index(person)] for owner in range(25) if owners[owner] != person)
            for row, person in zip(v, people, strict=True)
        ]
        if judges == "algorithms":
            others = {k: (3 * together[k] - hard[name][k]) / 2 for k in range(n)}
            held, helped = parts_by_hand(others, 3), whole
        else:
            several = [k for k in range(n) if people.count(people[k]) > 1]
            others = {}
            for k in several:
                same = [hard[name][j] for j in range(n) if people[j] == people[k] and j != k]
                others[k] = sum(same, Fraction()) / len(same)
            held, helped = parts_by_hand(others, 3), parts_by_hand({k: hard[name][k] for k in several}, 3)
        for place, part in enumerate(divided.parts):
            rate, naive, selection = divided.of(name, part)
            shares = [
                np.mean([right[k] for k, at in division.items() if at == place])
                for division in (held, helped)
            ]
            assert (rate.value, naive.value) == pytest.approx(shares)
            assert selection.value == pytest.approx(shares[1] - shares[0])
