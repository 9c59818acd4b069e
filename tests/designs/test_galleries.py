"""People dealt to several galleries: equally many in each, nobody in two, and nobody lost in silence."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.designs import Galleries
from proband.designs.galleries import dated_column
from proband.errors import DesignError, UsageError
from proband.samples import Experiment, Samples


def experiment_of(images: dict[str, list], probes: dict[str, int] | None = None, column: str = "date"):
    """People, the values of their enrolled images, and how many probes each has (one by default)."""
    rows = [(f"{person}g{k}", person, value) for person, own in images.items() for k, value in enumerate(own)]
    gallery = [row[0] for row in rows]
    counts = probes or dict.fromkeys(images, 1)
    rows += [(f"{person}p{k}", person, None) for person, n in counts.items() for k in range(n)]
    names, people, values = zip(*rows, strict=True)
    samples = Samples({"id": names, "subject": people, column: list(values)})
    return Experiment(samples, gallery=gallery)


def people_of(experiment: Experiment, parts) -> list[list[str]]:
    return [[experiment.samples.subjects[code] for code in one.people] for one in parts.galleries]


def test_galleries_are_filled_by_the_earliest_image_and_ties_by_the_table():
    # c's earlier image counts; a and e tie and stand as in the table; d has no date at all; g remains over.
    images = {"g": [9], "a": [3], "c": [8, 1], "d": [None], "e": [3], "f": [5, None], "b": [4]}
    experiment = experiment_of(images)
    parts = Galleries(2, order="date").parts(experiment)
    assert people_of(experiment, parts) == [["c", "a", "e"], ["b", "f", "g"]]
    assert [(one.first, one.last) for one in parts.galleries] == [(1, 3), (4, 9)]
    assert (parts.n_over, parts.n_without, parts.n_unused_probes) == (0, 1, 1)
    parts = Galleries(2, order="date", size=2).parts(experiment)
    assert people_of(experiment, parts) == [["c", "a"], ["e", "b"]]
    assert (parts.n_over, parts.n_without, parts.n_unused_probes) == (2, 1, 3)
    assert tuple(map(str, parts.notes)) == (
        "1 person has no value in 'date' and is not in any gallery",
        "2 people, the last by date, are left over and not in any gallery",
        "3 probes of people outside the galleries were not searched",
    )


def test_dates_are_kept_as_dates():
    day = datetime.date
    images = {"a": [day(1996, 1, 1)], "b": [day(1993, 8, 31)], "c": [day(1994, 1, 1)], "d": [day(1995, 1, 1)]}
    experiment = experiment_of(images)
    parts = Galleries(2, order="date").parts(experiment)
    assert people_of(experiment, parts) == [["b", "c"], ["d", "a"]]
    assert (parts.galleries[0].first, parts.galleries[1].last) == (day(1993, 8, 31), day(1996, 1, 1))


def test_a_part_is_an_experiment_of_its_own_people():
    images = {"a": [1, 2], "b": [3], "c": [4], "d": [5, 6]}
    experiment = experiment_of(images, {"a": 2, "b": 0, "c": 0, "d": 0})
    first, second = Galleries(2, order="date").parts(experiment).galleries
    assert second.experiment is None
    assert len(second.images) == 3
    part = first.experiment
    assert [part.samples.ids[k] for k in part.gallery] == ["ag0", "ag1", "bg0"]
    assert [part.samples.ids[k] for k in part.probes] == ["ap0", "ap1"]
    assert "gallery 1 of 2 galleries of different people, in order of date" in part.gallery_rule


def test_the_deal_does_not_depend_on_the_probes():
    experiment = experiment_of({person: [1] for person in "abcdefgh"})
    fewer = experiment.restricted(probes=experiment.probes[:3])
    for design in (Galleries(3, seed=5), Galleries(3, order="date")):
        assert people_of(experiment, design.parts(experiment)) == people_of(fewer, design.parts(fewer))


def test_random_deals_follow_their_seed_and_favour_nobody():
    experiment = experiment_of({f"s{k}": [1] for k in range(6)})
    assert people_of(experiment, Galleries(3, seed=1).parts(experiment)) == people_of(
        experiment, Galleries(3, seed=1).parts(experiment)
    )
    dealt = [people_of(experiment, Galleries(3, seed=seed).parts(experiment)) for seed in range(600)]
    together = np.mean([any({"s0", "s1"} == set(one) for one in galleries) for galleries in dealt])
    assert abs(together - 1 / 5) < 3 * np.sqrt(0.16 / 600)


@examples(25)
@given(
    people=st.lists(
        st.tuples(
            st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=1, max_size=3), st.integers(0, 3)
        ),
        min_size=8,
        max_size=30,
    ),
    k=st.integers(2, 4),
    size=st.one_of(st.none(), st.just(2)),
    order=st.sampled_from([None, "date"]),
    seed=st.integers(0, 10),
)
def test_nobody_is_split_lost_or_enrolled_twice(people, k, size, order, seed):
    images = {f"s{j}": own for j, (own, _) in enumerate(people)}
    probes = {f"s{j}": n for j, (_, n) in enumerate(people)}
    probes["stranger"] = 1
    experiment = experiment_of(images, probes)
    design = Galleries(k, order=order, size=size, seed=seed)
    try:
        parts = design.parts(experiment)
    except DesignError:
        dated = sum(any(value is not None for value in own) for own in images.values())
        assert order is not None
        assert dated // k < 2
        return
    dealt = np.concatenate([one.people for one in parts.galleries])
    assert len(set(dealt.tolist())) == len(dealt) == k * parts.size
    assert len(dealt) + parts.n_over + parts.n_without == len(images)
    codes = experiment.samples.codes
    for one in parts.galleries:
        assert len(one.people) == parts.size
        own = set(one.people.tolist())
        assert own == set(codes[one.images].tolist())
        assert one.images.tolist() == [place for place in experiment.gallery if codes[place] in own]
        assert one.probes.tolist() == [place for place in experiment.probes if codes[place] in own]
    searched = sum(len(one.probes) for one in parts.galleries)
    assert searched + parts.n_unused_probes + 1 == len(experiment.probes)
    if order is not None:
        ends = [(one.first, one.last) for one in parts.galleries]
        assert ends == sorted(ends)
        assert all(first <= last for first, last in ends)
        assert all(ends[j][1] <= ends[j + 1][0] for j in range(k - 1))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": 1}, "at least 2"),
        ({"k": True}, "whole number"),
        ({"k": 2.5}, "whole number"),
        ({"size": 1}, "at least 2"),
        ({"seed": -1}, "at least 0"),
    ],
)
def test_what_is_no_design_is_refused(options, said):
    with pytest.raises(UsageError, match=said):
        Galleries(**options)


def test_what_cannot_be_dealt_is_refused_with_a_way_out():
    experiment = experiment_of({person: [1] for person in "abcdefg"})
    with pytest.raises(DesignError, match="at most 3 people in each gallery"):
        Galleries(2, size=4).parts(experiment)
    with pytest.raises(DesignError, match="at most 3 galleries"):
        Galleries(4).parts(experiment)
    with pytest.raises(DesignError, match=r"The 7 people .* are too few for 9 galleries"):
        Galleries(9).parts(experiment)
    with pytest.raises(UsageError, match="did you mean 'date'"):
        Galleries(2, order="dates").parts(experiment)
    with pytest.raises(UsageError, match="available: 'id', 'subject', 'date'"):
        Galleries(2, order="xyz").parts(experiment)
    with pytest.raises(UsageError, match="must contain dates or numbers"):
        Galleries(2, order="subject").parts(experiment)


def test_designs_say_what_they_are():
    assert str(Galleries()) == "6 galleries of different people, dealt at random (seed 0)"
    assert str(Galleries(2, "date", 200)) == "2 galleries of 200 different people each, in order of date"


def test_dated_column_by_example() -> None:
    samples = Samples({"id": ["a1", "b1"], "subject": ["a", "b"], "year": [1993, 1996]})
    assert dated_column(samples, "year", "tell ages by").to_list() == [1993, 1996]
