"""Ids of scores and ids of samples."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import AlignmentError, DesignError
from proband.measures import rank
from proband.samples import Experiment, Ids, Samples
from proband.scores import Scores, axis_positions, experiment_over, present_in
from proband.scores.alignment import check_ids
from proband.scores.reading import read_scores

SAMPLES = Samples({"id": ["a1", "a2", "b1", "b2"], "subject": ["a", "a", "b", "b"], "session": [1, 2, 1, 2]})


def scores(queries, targets, name="harbour"):
    values = np.arange(float(len(queries) * len(targets))).reshape(len(queries), len(targets))
    return Scores.from_array(values, queries, targets, orientation="similarity", name=name)


def test_ids_that_are_all_known():
    assert check_ids(Ids(["b1", "a1"], "query"), SAMPLES, "error") == ()


def test_ids_that_are_not_known():
    ids = Ids(["a1", "x", "y", "z", "w"], "query")
    with pytest.raises(AlignmentError, match=r"4 of 5 query ids .*: 'x', 'y', 'z' and 1 more(.|\n)*drop"):
        check_ids(ids, SAMPLES, "error")
    assert tuple(map(str, check_ids(ids, SAMPLES, "drop"))) == (
        "4 of 5 query ids are not in the samples table: 'x', 'y', 'z' and 1 more; left out",
    )


def test_no_id_is_known():
    ids = Ids(["x"], "target")
    for missing in ("error", "drop"):
        with pytest.raises(AlignmentError, match=r"1 of 1 target ids(.|\n)*id column"):
            check_ids(ids, SAMPLES, missing)


def file_with_strangers(path):
    np.savez(
        path,
        s=np.arange(6.0).reshape(3, 2),
        query_ids=["a2", "x", "b2"],
        target_ids=["a1", "b1"],
        orientation="similarity",
    )
    return path


def test_a_file_with_strangers(tmp_path):
    path = file_with_strangers(tmp_path / "harbour.npz")
    with pytest.raises(AlignmentError, match="1 of 3 query ids is not in the samples table: 'x'"):
        read_scores(path, SAMPLES)


def test_the_complaint_about_strangers_names_the_file(tmp_path):
    path = file_with_strangers(tmp_path / "harbour.npz")
    with pytest.raises(AlignmentError, match="harbour"):
        read_scores(path, SAMPLES)


def test_strangers_may_be_dropped_and_are_counted(tmp_path):
    path = file_with_strangers(tmp_path / "harbour.npz")
    read = read_scores(path, SAMPLES, missing="drop")["harbour"]
    (note,) = read.notes
    assert str(note) == "1 of 3 query ids is not in the samples table: 'x'; left out"
    experiment = experiment_over([read], SAMPLES, missing="drop")
    assert [SAMPLES.ids[place] for place in experiment.probes] == ["a2", "b2"]
    outcomes = rank(read, experiment)
    assert note in outcomes.notes
    assert outcomes.ranks.tolist() == [2, 1]


def test_a_square_matrix_needs_a_choice():
    square = scores(["a1", "b1"], ["a1", "b1"])
    with pytest.raises(DesignError, match="harbour: queries and targets share samples"):
        experiment_over([square], SAMPLES)


def test_the_experiment_that_the_axes_make():
    experiment = experiment_over([scores(["b2", "a2"], ["b1", "a1"])], SAMPLES)
    assert [SAMPLES.ids[place] for place in experiment.gallery] == ["a1", "b1"]
    assert [SAMPLES.ids[place] for place in experiment.probes] == ["a2", "b2"]


def test_rows_and_columns_are_found_by_their_ids():
    made = scores(["b2", "a2"], ["b1", "a1"])
    experiment = Experiment(SAMPLES, gallery="session == 1", probes="session == 2")
    rows, columns = axis_positions(experiment, made)
    assert made.tile(rows, columns).tolist() == [[3, 2], [1, 0]]  # a2, b2 × a1, b1


def test_samples_that_are_not_scored():
    experiment = Experiment(SAMPLES, gallery="session == 1", probes="session == 2")
    made = scores(["a2", "b2"], ["a1"])
    with pytest.raises(AlignmentError, match=r"1 of 2 gallery samples .* target ids of harbour, .*: 'b1'"):
        axis_positions(experiment, made)
    with pytest.raises(AlignmentError, match="'b1'"):
        present_in(experiment, [made])
    kept = present_in(experiment, [made], "drop")
    assert [SAMPLES.ids[place] for place in kept.gallery] == ["a1"]
    assert len(kept.probes) == 2
    assert any("1 of 2 gallery samples" in str(note) and "harbour" in str(note) for note in kept.notes)


def test_what_one_algorithm_lacks_is_left_out_for_all():
    experiment = Experiment(SAMPLES, gallery="session == 1", probes="session == 2")
    both = [scores(["a2", "b2"], ["a1", "b1"], "one"), scores(["b2"], ["a1", "b1"], "two")]
    kept = present_in(experiment, both, "drop")
    assert [SAMPLES.ids[place] for place in kept.probes] == ["b2"]
    assert any("two" in str(note) and "for all algorithms" in str(note) for note in kept.notes)


def test_nothing_is_left():
    experiment = Experiment(SAMPLES, gallery="session == 1", probes="session == 2")
    with pytest.raises(DesignError, match="empty"):
        present_in(experiment, [scores(["x"], ["a1", "b1"])], "drop")


def test_samples_of_people_who_were_not_scored_are_told_as_such():
    names = [f"{person}/{number}.pgm" for person in ("anna", "ben", "carl") for number in (1, 2)]
    table = Samples({"id": names, "subject": [name.partition("/")[0] for name in names]})
    scored = scores(names[2:], names[2:])
    asked = "1 of {} gallery samples are not among the target ids of harbour{}: 'anna/1.pgm'."
    for gallery, others, hint in (
        (
            [0, 2, 4],
            3,
            "gallery samples must be targets of the scores: leave gallery out, or choose among them; pass missing='drop'",
        ),
        ([0], 1, "choose samples that have scores, such as 'ben/1.pgm'."),
    ):
        with pytest.raises(AlignmentError) as caught:
            present_in(Experiment(table, table.take(gallery).ids[:], [names[5]]), [scored])
        assert caught.value.message == asked.format(others, ", nor is any other sample of the same people")
        assert hint in str(caught.value)
    with pytest.raises(AlignmentError) as caught:
        present_in(Experiment(table, [names[0]], [names[1]]), [scores(names[1:], names[1:])])
    assert caught.value.message == asked.format(1, "")
