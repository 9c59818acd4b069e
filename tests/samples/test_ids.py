"""Ids: unique, ordered, quick to look up, and never changed."""

from __future__ import annotations

import numpy as np
import pytest

from proband.errors import InputError
from proband.samples import Ids
from proband.samples.ids import plain_names


def test_order_length_and_membership():
    ids = Ids(["b", "a", "007"])
    assert list(ids) == ["b", "a", "007"]
    assert len(ids) == 3
    assert ids[1] == "a"
    assert ids[1:] == ("a", "007")
    assert ids[-1] == "007"
    assert "007" in ids
    assert "7" not in ids
    assert 7 not in ids


def test_what_is_not_text_becomes_text():
    assert list(Ids([1, np.int64(2), 3.5, True])) == ["1", "2", "3.5", "True"]


def test_positions_and_missing():
    ids = Ids(["a", "b", "c"])
    assert ids.positions(["c", "a", "c"]).tolist() == [2, 0, 2]
    assert ids.positions([]).tolist() == []
    assert ids.positions([]).dtype == np.intp
    assert ids.missing(["z", "a", "y"]) == ["z", "y"]
    with pytest.raises(InputError, match="no query with the id 'z'"):
        Ids(["a"], "query").positions(["z"])


def test_repeated_ids_are_named():
    with pytest.raises(InputError, match=r"3 of 6 target ids repeat an earlier one: 'a', 'b', 'a'") as caught:
        Ids(["a", "b", "a", "b", "a", "c"], "target")
    assert caught.value.hint is not None
    with pytest.raises(InputError, match=r"'1', '1', '1' and 6 more"):
        Ids([1] * 10)


def test_ids_that_look_alike_as_numbers_are_different():
    assert len(Ids(["7", "07", "007", " 7", "7.0"])) == 5


def test_an_empty_id_is_refused():
    with pytest.raises(InputError, match="position 2 is empty"):
        Ids(["a", "b", ""])


def test_equality_hash_and_repr():
    assert Ids(["a", "b"]) == Ids(("a", "b"), "query")
    assert Ids(["a", "b"]) != Ids(["b", "a"])
    assert Ids(["a"]) != ["a"]
    assert hash(Ids(["a"])) == hash(Ids(["a"]))
    assert repr(Ids(range(5))) == "Ids('0', '1', '2' and 2 more; 5 in all)"


def test_a_generator_is_read_once():
    assert list(Ids(str(k) for k in range(3))) == ["0", "1", "2"]


def test_items_cannot_be_assigned():
    with pytest.raises(TypeError):
        Ids(["a"])[0] = "b"


# Regression: a missing id became a sample called 'None'.
def test_a_missing_id_is_no_name():
    with pytest.raises(InputError, match="sample id at position 1 is missing"):
        Ids(["a", None, "b"])


@pytest.mark.parametrize(
    ("here", "others", "how"),
    [
        (["a", "b"], ["a.jpg", "b.jpg"], "the ending: 'a.jpg' against 'a'"),
        (["a", "b"], ["a.jpg", "c.jpg"], "the ending: 'a.jpg' against 'a'"),
        (["x/a1.jpg", "x/b1.jpg"], ["y/a1.jpg", "y/b1.jpg"], "the directory: 'y/a1.jpg' against 'x/a1.jpg'"),
        (["x/a1.jpg"], ["a1"], "the directory and the ending: 'a1' against 'x/a1.jpg'"),
        (["007", "8"], ["7", "8"], "leading zeros: '7' against '007'"),
        (["7"], ["7.0"], "the ending: '7.0' against '7'"),
        (["Anna", "Ben"], ["anna"], "capital letters: 'anna' against 'Anna'"),
        (["a b"], ["ab"], "blanks: 'ab' against 'a b'"),
    ],
)
def test_names_that_are_written_otherwise_are_told_how(here, others, how):
    assert Ids(here).difference(others) == f"they differ in {how} here; use the same form on both sides."


@pytest.mark.parametrize(
    ("here", "others"),
    [
        # Folders are people, and files are numbered alike in each.
        (["anna/1.jpg", "anna/2.jpg", "ben/1.jpg"], ["carl/1.jpg", "carl/2.jpg"]),
        (["anna/1.jpg"], ["anna/1.jpg", "ben/1.jpg"]),
        (["anna/1.jpg", "ben/1.jpg"], ["carl/1.jpg"]),
        (["anna/1.jpg"], ["ben/1.jpg", "carl/1.jpg"]),
        # Endings, zeros, capitals and blanks that tell names of one list apart.
        (["a.jpg", "a.png"], ["a.tif"]),
        (["1", "01"], ["001"]),
        (["a", "A"], ["b", "B"]),
        (["ab"], ["a b", "ab"]),
    ],
)
def test_names_of_others_are_not_taken_for_another_spelling(here, others):
    assert Ids(here).difference(others) is None


def test_plain_names_by_example() -> None:
    assert (plain_names(np.array([7.0, 8.0])), plain_names(["a", 3])) == ((7, 8), ("a", 3))
