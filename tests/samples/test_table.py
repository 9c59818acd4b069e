"""The table of samples: ids and subjects as text, failures, selections, parts."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from proband.errors import InputError, UsageError
from proband.samples import Samples

NAN = float("nan")


def columns() -> dict[str, list]:
    return {"id": ["007", "8", "x"], "subject": ["01", "1", "01"], "session": [1, 2, None]}


@pytest.mark.parametrize(
    "make",
    [
        columns,
        lambda: pl.DataFrame(columns()),
        lambda: pl.LazyFrame(columns()),
        lambda: pd.DataFrame(columns()),
        lambda: [dict(zip(columns(), row, strict=True)) for row in zip(*columns().values(), strict=True)],
        lambda: {name: np.array(values) for name, values in columns().items() if name != "session"},
        lambda: pl.DataFrame(columns()).cast({"id": pl.Categorical, "subject": pl.Enum(["01", "1"])}),
    ],
    ids=["dict", "polars", "lazy", "pandas", "rows", "arrays", "categorical"],
)
def test_every_source_gives_the_same_table(make):
    samples = Samples(make())
    assert list(samples.ids) == ["007", "8", "x"]
    assert list(samples.subjects) == ["01", "1"]
    assert samples.codes.tolist() == [0, 1, 0]
    assert samples.codes.dtype == np.int32
    assert samples.counts.tolist() == [2, 1]
    assert len(samples) == 3
    assert not samples.failed.any()


def test_pandas_missing_values_of_every_kind_are_null():
    frame = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "subject": [1, 2, 2],
            "number": [1.0, np.nan, 3.0],
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "day": pd.to_datetime(["2000-01-01", None, "2001-01-01"]),
            "kind": pd.Categorical(["x", None, "y"]),
            "text": ["x", None, "y"],
        },
        index=[7, 7, 9],
    )
    samples = Samples(frame)
    for name in ("number", "whole", "flag", "day", "kind", "text"):
        assert samples.frame[name].is_null().to_list() == [False, True, False], name
    assert samples.select("whole == 3 and not flag").positions.tolist() == [2]
    assert samples.select("day >= date('2000-06-01')").positions.tolist() == [2]


def test_pandas_whole_numbers_with_a_gap_keep_their_names():
    """pandas makes floats of whole numbers when one is missing; subject 7.0 is still subject 7."""
    frame = pd.DataFrame({"id": [10.0, 11.0], "subject": [7.0, 8.0]})
    assert list(Samples(frame).ids) == ["10", "11"]
    assert list(Samples(frame).subjects) == ["7", "8"]
    assert list(Samples({"id": ["a", "b"], "subject": [7.5, 8.0]}).subjects) == ["7.5", "8.0"]


def test_row_numbers_as_ids():
    samples = Samples({"subject": ["a", "b", "a"]}, id_column="#")
    assert list(samples.ids) == ["0", "1", "2"]
    assert samples.select("id == '2'").positions.tolist() == [2]
    with_ids = Samples(columns(), id_column="#")
    assert list(with_ids.ids) == ["0", "1", "2"]
    assert with_ids.select("id == '007'").positions.tolist() == [0]


def test_other_columns_as_id_and_subject():
    samples = Samples({"file": ["a", "b"], "who": [1, 2]}, id_column="file", subject_column="who")
    assert list(samples.ids) == ["a", "b"]
    assert samples.select("subject == '2' and who == '2'").positions.tolist() == [1]
    assert samples.select("id == 'a' and file == 'a'").positions.tolist() == [0]


def test_one_column_as_id_and_subject():
    samples = Samples({"id": ["a", "b"]}, subject_column="id")
    assert list(samples.ids) == list(samples.subjects) == samples.frame["subject"].to_list() == ["a", "b"]


def test_the_users_own_columns_keep_their_meaning():
    samples = Samples(
        {"file": ["a", "b"], "who": ["x", "y"], "id": [5, 6]}, id_column="file", subject_column="who"
    )
    assert samples.select("id == 6").positions.tolist() == [1]


def test_subjects_stand_in_order_of_appearance():
    assert list(Samples({"id": range(5), "subject": list("cabac")}).subjects) == ["c", "a", "b"]


@pytest.mark.parametrize("option", ["id_column", "subject_column"])
def test_an_absent_column_is_named(option):
    with pytest.raises(
        UsageError, match="no column 'nobody'; the columns are 'id', 'subject', 'session'"
    ) as caught:
        Samples(columns(), **{option: "nobody"})
    assert caught.value.hint == f"pass {option}={option.removesuffix('_column')!r}."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"id": [], "subject": []}, "no rows"),
        ({}, "no column 'id'"),
        ({"id": ["a", "a"], "subject": ["x", "y"]}, "1 of 2 sample ids repeats an earlier one: 'a'"),
        ({"id": ["a", None, None], "subject": ["x", "y", "z"]}, "2 rows have no id, the first is row 2"),
        ({"id": ["a", ""], "subject": ["x", "y"]}, "id at position 1 is empty"),
        ({"id": ["a", "b"], "subject": ["x", None]}, "1 of 2 samples has no subject: 'b'"),
        ({"id": ["a", "b"], "subject": ["x", ""]}, "empty"),
        ({"id": ["a", "b"], "subject": ["x"]}, "differ in length"),
    ],
)
def test_what_is_no_table_of_samples(data, message):
    with pytest.raises((InputError, UsageError), match=message):
        Samples(data)


@pytest.mark.parametrize("data", [3, "file.csv", None, {1, 2}])
def test_what_is_no_table_at_all(data):
    with pytest.raises(
        UsageError, match=r"Cannot make a table from|Expected a table, got 'file.csv'(.|\n)*read_csv"
    ):
        Samples(data)


@pytest.mark.parametrize("column", ["id", "subject"])
def test_nan_is_no_name(column):
    data = {"id": [1.0, 2.0, 3.0], "subject": [1.0, 1.0, 2.0]}
    data[column] = [NAN, 2.0, 3.0]
    with pytest.raises(InputError, match=r"(has|have) no"):
        Samples({name: np.array(values) for name, values in data.items()})


# Regression: 9007199254740993 in a column of floats is 9007199254740992, another person.
@pytest.mark.parametrize("value", [1e19, 2.0**53 + 2, -(2.0**60)])
def test_floats_that_cannot_tell_ids_apart_are_refused(value):
    with pytest.raises(InputError, match=r"'subject'.*too large to represent distinct"):
        Samples({"id": ["a", "b"], "subject": [value, 2.0]})
    with pytest.raises(InputError, match=r"'id'.*too large to represent distinct"):
        Samples({"id": [value, 2.0], "subject": ["a", "b"]})


def test_lists_are_no_ids():
    with pytest.raises(InputError):
        Samples({"id": [[1], [2]], "subject": ["x", "y"]})


@pytest.mark.parametrize("condition", ["age > 30", "age >= 30", "age == age", "not age < 30", "age != 3"])
def test_nan_leaves_a_condition_undecided(condition):
    samples = Samples({"id": ["a", "b"], "subject": ["x", "y"], "age": np.array([40.0, NAN])})
    selection = samples.select(condition)
    assert selection.positions.tolist() == [0]
    assert selection.unknown == 1


def test_nan_is_none():
    samples = Samples({"id": ["a", "b"], "subject": ["x", "y"], "age": np.array([40.0, NAN])})
    assert samples.select("age is None").positions.tolist() == [1]


def test_selections_count_what_a_missing_value_leaves_undecided():
    samples = Samples(columns())
    selection = samples.select("session == 1")
    assert selection.positions.tolist() == [0]
    assert selection.rule == "session == 1"
    assert selection.unknown == 1
    assert samples.select("session == 1 or subject == '01'").unknown == 0
    assert samples.evaluate("session == 1").to_list() == [True, False, None]
    assert samples.select("True").positions.tolist() == [0, 1, 2]
    assert samples.select("1 > 2").positions.tolist() == []


def test_selected_positions_cannot_be_changed():
    selection = Samples(columns()).select("True")
    with pytest.raises(ValueError, match="read-only"):
        selection.positions[0] = 1


@pytest.mark.parametrize("name", ["codes", "failed", "counts"])
def test_arrays_cannot_be_changed(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(Samples(columns()), name)[0] = 1


def test_failures():
    data = {"id": ["a", "b", "c"], "subject": list("xyz"), "detected": [True, False, True], "size": [9, 9, 1]}
    samples = Samples(data, failed="not detected or size < 5")
    assert samples.failed.tolist() == [False, True, True]
    assert samples.failure_rule == "not detected or size < 5"
    assert "2 failed to acquire" in repr(samples)
    assert not Samples(data).failed.any()
    assert Samples(data, failed="False").failed.tolist() == [False] * 3


def test_whether_a_sample_failed_must_be_known():
    data = {"id": ["a", "b", "c"], "subject": list("xyz"), "detected": [True, None, None]}
    with pytest.raises(
        InputError, match="Cannot tell from 'not detected' whether 2 samples failed: 'b', 'c'"
    ):
        Samples(data, failed="not detected")
    assert Samples(data, failed="detected is None").failed.tolist() == [False, True, True]


@pytest.mark.parametrize("failed", ["detectd", "detected == 'no'", "1 + 1", "import os"])
def test_a_bad_failure_condition_is_refused(failed):
    with pytest.raises(UsageError):
        Samples({"id": ["a"], "subject": ["x"], "detected": [True]}, failed=failed)


def test_take():
    samples = Samples(
        {"id": list("abcd"), "subject": list("xyxz"), "bad": [False, True, False, True]}, failed="bad"
    )
    part = samples.take([3, 0, 2])
    assert list(part.ids) == ["d", "a", "c"]
    assert list(part.subjects) == ["z", "x"]
    assert part.codes.tolist() == [0, 1, 1]
    assert part.counts.tolist() == [1, 2]
    assert part.failed.tolist() == [True, False, False]
    assert part.failure_rule == "bad"
    assert part.select("subject == 'x'").positions.tolist() == [1, 2]
    assert len(samples) == 4
    assert not part.codes.flags.writeable
    with pytest.raises(InputError, match="repeat"):
        samples.take([0, 0])


def test_take_keeps_row_numbers():
    part = Samples({"subject": list("xyz")}, id_column="#").take(np.array([2, 1]))
    assert list(part.ids) == ["2", "1"]


def test_repr():
    assert repr(Samples(columns())) == "Samples(3 samples of 2 subjects; columns: id, subject, session)"
    wide = Samples({"id": ["a"], "subject": ["x"], **{f"c{k}": [k] for k in range(9)}})
    assert repr(wide).endswith("c4, c5, …)")


def test_the_callers_frame_is_left_alone():
    frame = pl.DataFrame({"file": [1, 2], "subject": [3, 4], "day": [datetime.date(2000, 1, 1)] * 2})
    before = frame.clone()
    Samples(frame, id_column="file")
    assert frame.equals(before)
    assert frame.schema == before.schema
