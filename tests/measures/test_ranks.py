"""Ranks in examples small enough to be worked out by hand, and what `rank` refuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from proband.errors import AlignmentError, DesignError, InputError, ProbandError, UsageError
from proband.measures import CMC, MedianCensoredRank, MedianRelativeRank, RecognitionRate, rank
from proband.samples import Experiment, Samples
from proband.scores import Embeddings, Scores
from proband.words import Sentence


def one_row(scores: list[float], subjects: str, cells: list[int] | None = None, **columns: list[bool]):
    """A probe of subject 'a' against a gallery; `subjects` names the people of the columns."""
    names = [f"g{k}" for k in range(len(subjects))]
    samples = Samples(
        {
            "id": ["p", *names],
            "subject": ["a", *subjects],
            "bad": columns.get("bad", [False] * (len(names) + 1)),
        },
        failed="bad",
    )
    matrix = Scores.from_array(
        [scores],
        ["p"],
        names,
        orientation="similarity",
        cells=None if cells is None else np.array([cells], dtype=np.uint8),
    )
    return matrix, Experiment(samples, gallery=names, probes=["p"])


def ranks_of(scores, experiment, **options) -> list[float]:
    return rank(scores, experiment, check_orientation=False, threads=1, **options).ranks.tolist()


def test_rank_is_the_place_of_the_first_mate():
    case = one_row([0.1, 0.9, 0.5, 0.7], "abcd")
    assert ranks_of(*case) == [4]
    assert ranks_of(*one_row([0.8, 0.9, 0.5, 0.7], "abcd")) == [2]


def test_the_best_of_several_mates_counts_and_mates_do_not_hinder_one_another():
    case = one_row([0.6, 0.9, 0.7, 0.8, 0.5], "abaca")
    assert ranks_of(*case) == [3]
    case = one_row([0.9, 0.5, 0.9, 0.9], "abaa")
    assert ranks_of(*case) == ranks_of(*case, ties="optimistic") == ranks_of(*case, ties="mean") != [2]


@pytest.mark.parametrize(("ties", "expected"), [("pessimistic", 4), ("optimistic", 2), ("mean", 3)])
def test_one_closer_and_two_tied(ties, expected):
    assert ranks_of(*one_row([5, 5, 5, 9, 1], "abcde"), ties=ties) == [expected]


def test_successes_under_mean_are_the_chances_of_random_order():
    one_mate = rank(*one_row([5, 5, 5, 9], "abcd"), ties="mean", check_orientation=False)
    assert [one_mate.success(t)[0] for t in range(1, 6)] == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    # Two mates and two others share the best score: C(4, 2) = 6 ways for the mates to fall.
    two_mates = rank(*one_row([5, 5, 5, 5, 9], "abcae"), ties="mean", check_orientation=False)
    assert [two_mates.success(t)[0] for t in range(1, 5)] == pytest.approx([0, 3 / 6, 5 / 6, 1])
    assert two_mates.ranks[0] == pytest.approx(float(1 + Fraction(3 * 1 + 2 * 2 + 1 * 3, 6)))


def test_counting_subjects_counts_each_by_its_best_image():
    case = one_row([5, 9, 8, 7, 5, 5, 4], "abbbcca")
    assert ranks_of(*case) == [6]
    assert ranks_of(*case, counting="subjects") == [3]
    assert ranks_of(*case, counting="subjects", ties="optimistic") == [2]
    assert ranks_of(*case, counting="subjects", ties="mean") == [2.5]
    assert rank(*case, counting="subjects", check_orientation=False).n_ranks == 3
    assert rank(*case, check_orientation=False).n_ranks == 7


def test_a_subject_ahead_and_level_counts_once_and_as_ahead():
    assert ranks_of(*one_row([5, 6, 5, 5], "abbb"), counting="subjects", ties="optimistic") == [2]
    assert ranks_of(*one_row([5, 6, 5, 5], "abbb"), counting="subjects") == [2]


def test_failed_gallery_samples_are_no_rivals_and_no_mates():
    bad = [False, False, True, False, True]
    case = one_row([0.5, 0.9, 0.7, 0.99], "abca", bad=bad)
    assert ranks_of(*case) == [2]
    assert ranks_of(*case, on_failure="as_scored") == [1]
    outcomes = rank(*case, check_orientation=False)
    assert (outcomes.n_gallery_failed, outcomes.n_ranks) == (2, 2)


@pytest.mark.parametrize("bad", [[True, False, False], [False, True, False]], ids=["probe", "every mate"])
def test_failures_stay_in_the_denominator_at_rank_infinity(bad):
    case = one_row([9, 1], "ab", bad=bad)
    outcomes = rank(*case, check_orientation=False)
    assert outcomes.ranks.tolist() == [np.inf]
    assert outcomes.failed.tolist() == [True]
    assert len(outcomes) == 1
    assert CMC()(outcomes).values.max() == 0
    assert ranks_of(*case, on_failure="as_scored") == [1]


def test_when_the_whole_gallery_failed():
    outcomes = rank(*one_row([9, 1], "ab", bad=[False, True, True]), check_orientation=False)
    assert outcomes.ranks.tolist() == [np.inf]
    assert outcomes.n_ranks == 0
    assert CMC()(outcomes).values.tolist() == [0.0]
    assert RecognitionRate()(outcomes).value == 0


def test_cells():
    # don't care: neither mate nor rival; failed: no rival either, and no mate.
    assert ranks_of(*one_row([5, 9, 9, 9], "abcd", cells=[0, 1, 2, 0])) == [2]
    assert ranks_of(*one_row([5, 9, 4, 8], "abaa", cells=[0, 0, 0, 2])) == [2]
    assert ranks_of(*one_row([5, 9, 4, 8], "abaa", cells=[2, 0, 1, 2])) == [np.inf]
    for policy in ("miss", "as_scored"):
        assert ranks_of(*one_row([5, 9], "ab", cells=[2, 0]), on_failure=policy) == [np.inf]


def test_values_behind_cell_codes_are_never_looked_at():
    case = one_row([5, np.nan, np.inf, 4], "abcd", cells=[0, 1, 2, 0])
    assert ranks_of(*case) == [1]


def test_probes_with_only_dont_care_mates_leave_the_denominator_and_are_counted():
    samples = Samples({"id": ["g1", "g2", "p1", "p2"], "subject": list("abab")})
    scores = Scores.from_array(
        [[1, 2], [3, 4]],
        ["p1", "p2"],
        ["g1", "g2"],
        orientation="similarity",
        cells=np.array([[1, 0], [0, 0]], dtype=np.uint8),
    )
    outcomes = rank(scores, Experiment(samples, ["g1", "g2"]), check_orientation=False)
    assert [samples.ids[place] for place in outcomes.probes] == ["p2"]
    assert tuple(map(str, outcomes.notes)) == ("1 probe with only don't-care cells for mates was left out",)


@pytest.mark.parametrize(
    "measure",
    [RecognitionRate(), CMC(), MedianCensoredRank(), MedianRelativeRank()],
    ids=lambda m: type(m).__name__,
)
def test_when_every_probe_has_only_dont_care_mates(measure):
    scores, experiment = one_row([5, 9], "ab", cells=[1, 0])
    with pytest.raises(DesignError):
        measure(rank(scores, experiment, check_orientation=False))


def test_unmated_probes_have_no_rank_and_are_counted():
    samples = Samples({"id": ["g", "p", "stranger"], "subject": ["a", "a", "z"]})
    scores = Scores.from_array([[1.0], [2.0]], ["p", "stranger"], ["g"], orientation="similarity")
    outcomes = rank(scores, Experiment(samples, ["g"]), check_orientation=False)
    assert outcomes.n_unmated == 1
    assert len(outcomes) == 1
    with pytest.raises(DesignError, match="No probe has a mate"):
        rank(scores, Experiment(samples, ["g"], ["stranger"]))


@pytest.mark.parametrize(("first", "second"), [(0.0, -0.0), (2, 2), (1e-320, 1e-320)])
def test_equal_values_are_ties(first, second):
    assert ranks_of(*one_row([first, second], "ab")) == [2]
    assert ranks_of(*one_row([first, second], "ab"), ties="optimistic") == [1]


def test_the_smallest_difference_is_no_tie():
    for dtype in (np.float16, np.float32, np.float64):
        one = dtype(1)
        row = np.array([one, np.nextafter(one, dtype(2))])
        scores, experiment = one_row([0, 0], "ab")
        scores = Scores.from_array(row[None, :], ["p"], ["g0", "g1"], orientation="similarity")
        assert ranks_of(scores, experiment, ties="optimistic") == [2]
        scores = Scores.from_array(row[None, :], ["p"], ["g0", "g1"], orientation="distance")
        assert ranks_of(scores, experiment) == [1]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_whole_numbers_are_told_apart_or_refused(dtype):
    values = np.array([[2**53, 2**53 + 1]], dtype=dtype)
    experiment = one_row([0, 0], "ab")[1]
    try:
        scores = Scores.from_array(values, ["p"], ["g0", "g1"], orientation="similarity")
    except InputError:
        return
    assert ranks_of(scores, experiment, ties="optimistic") == [2]


@pytest.mark.parametrize("code", [3, 7, 256, -1])
def test_unknown_cell_codes_are_refused(code):
    with pytest.raises(ProbandError):
        Scores.from_array([[1.0]], ["p"], ["g"], orientation="similarity", cells=np.array([[code]]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_layout_and_strides_do_not_matter(order):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (30, 30)).astype(np.float32)
    samples = Samples({"id": range(30), "subject": [k % 6 for k in range(30)]})
    experiment = Experiment(samples, gallery="one_per_subject")
    wide = np.zeros((60, 60), dtype=np.float32, order=order)
    wide[::2, ::2] = values
    plain, strided = (
        rank(
            Scores.from_array(array, samples.ids, orientation="similarity"),
            experiment,
            check_orientation=False,
            threads=1,
        )
        for array in (values, wide[::2, ::2])
    )
    assert plain.ranks.tolist() == strided.ranks.tolist()


def test_memory_mapped_scores(tmp_path):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (40, 40)).astype(">f8")
    np.save(tmp_path / "m.npy", values)
    samples = Samples({"id": range(40), "subject": [k % 9 for k in range(40)]})
    experiment = Experiment(samples, gallery="one_per_subject")
    mapped = np.load(tmp_path / "m.npy", mmap_mode="r")
    one, other = (
        rank(
            Scores.from_array(array, samples.ids, orientation="distance"),
            experiment,
            check_orientation=False,
            threads=1,
        )
        for array in (values, mapped)
    )
    assert one.ranks.tolist() == other.ranks.tolist()


@pytest.mark.parametrize("counting", ["images", "subjects"])
def test_any_number_of_threads_gives_the_same(monkeypatch, counting):
    monkeypatch.setattr("proband.measures.ranks._TILE_CELLS", 100)
    rng = np.random.default_rng(2)
    samples = Samples({"id": range(120), "subject": [k % 25 for k in range(120)]})
    scores = Scores.from_array(
        rng.integers(0, 9, (120, 120)).astype(np.float32), samples.ids, orientation="similarity"
    )
    experiment = Experiment(samples, gallery=np.arange(120) < 60)
    one, two, seven = (
        rank(scores, experiment, counting=counting, threads=threads, check_orientation=False)
        for threads in (1, 2, 7)
    )
    for name in ("closer", "tied", "best_mates", "ranks", "failed"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist() == getattr(seven, name).tolist()


@pytest.mark.parametrize("option", ["ties", "counting", "on_failure"])
def test_unknown_policies_are_refused(option):
    with pytest.raises(UsageError, match=f"{option} must be "):
        rank(*one_row([1, 2], "ab"), **{option: "random"})


@pytest.mark.parametrize("threads", [0, -3])
@pytest.mark.parametrize("kind", ["matrix", "embeddings"])
def test_a_bad_number_of_threads_is_refused(threads, kind):
    scores, experiment = one_row([1, 2], "ab")
    if kind == "embeddings":
        scores = Embeddings(np.ones((3, 2)), ["p", "g0", "g1"], metric="inner")
    with pytest.raises(UsageError, match="threads"):
        rank(scores, experiment, threads=threads, check_orientation=False)


def test_samples_without_scores_are_named():
    experiment = one_row([1, 2], "ab")[1]
    fewer = Scores.from_array([[1.0]], ["p"], ["g0"], orientation="similarity")
    with pytest.raises(AlignmentError, match="'g1'"):
        rank(fewer, experiment)


def test_a_reversed_orientation_is_refused_unless_asked_for():
    people = 40
    samples = Samples({"id": range(2 * people), "subject": [k % people for k in range(2 * people)]})
    names = samples.ids[:]
    scores = Scores.from_array(np.eye(people), names[people:], names[:people], orientation="distance")
    experiment = Experiment(samples, gallery=names[:people])
    with pytest.raises(InputError, match="genuine pairs look worse"):
        rank(scores, experiment)
    assert ranks_of(scores, experiment) == [people] * people


@pytest.mark.parametrize("name", ["probes", "closer", "tied", "best_mates", "failed", "ranks"])
def test_outcomes_cannot_be_changed(name):
    outcomes = rank(*one_row([5, 9, 1], "abc"), check_orientation=False)
    with pytest.raises(AttributeError):
        setattr(outcomes, name, None)
    with pytest.raises(ValueError, match="read-only"):
        getattr(outcomes, name)[0] = 0


def test_notes_of_scores_and_experiment_are_carried_along():
    samples = Samples({"id": ["g", "h", "p"], "subject": ["a", "a", "a"], "session": [1, None, 2]})
    scores = Scores.from_array([[1.0]], ["p"], ["g"], orientation="similarity")
    read = Sentence("test.read", "note", "read with care")()
    scores.notes = (read,)
    outcomes = rank(scores, Experiment(samples, "session == 1", "session == 2"), check_orientation=False)
    assert outcomes.notes[0] == read
    assert "1 sample was left out of the gallery set" in str(outcomes.notes[1])
    assert "1 sample was left out of the probe set" in str(outcomes.notes[2])
