"""Ways to choose samples: conditions, one per subject, lists of ids, masks, files of ids."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

from proband.errors import DesignError, InputError, UsageError
from proband.samples import OnePerSubject, Pool, Samples, Selection
from proband.samples.choosing import choose


@pytest.fixture
def samples() -> Samples:
    return Samples(
        {
            "id": list("abcdefg"),
            "subject": ["x", "x", "x", "y", "y", "y", "z"],
            "session": [2, 3, 1, None, 5, 4, None],
            "view": ["front", "side", "front", "side", "side", "side", "front"],
            "same": [1, 1, 1, 1, 1, 1, 1],
        }
    )


def chosen(samples: Samples, choice) -> str:
    return "".join(samples.ids[place] for place in choose(samples, choice).positions)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("all", "abcdefg"),
        (" all ", "abcdefg"),
        ("one_per_subject", "adg"),
        ("view == 'front'", "acg"),
        (OnePerSubject(), "adg"),
        (OnePerSubject(last=True), "cfg"),
        (OnePerSubject(order_by="session"), "cfg"),
        (OnePerSubject(order_by="session", last=True), "beg"),
        (OnePerSubject(where="view == 'side'"), "bd"),
        (OnePerSubject(where="view == 'side'", order_by="session"), "bf"),
        (OnePerSubject(where="view == 'side'", last=True), "bf"),
        (OnePerSubject(order_by="same"), "adg"),
        (["g", "a"], "ag"),
        (("c",), "c"),
        ({"b": 1, "a": 2}, "ab"),
        ((name for name in "fed"), "def"),
        (np.array(["a", "d"]), "ad"),
        (np.array([True, False, False, False, False, False, True]), "ag"),
        (Selection(np.array([1, 2]), "made by hand"), "bc"),
    ],
)
def test_choices(samples, choice, expected):
    assert chosen(samples, choice) == expected


def test_table_order_breaks_ties_for_the_last_too(samples):
    assert chosen(samples, OnePerSubject(order_by="same", last=True)) == "cfg"


@pytest.mark.parametrize(
    ("values", "first", "last"),
    [
        (["b", "a", "c", None], 1, 2),
        ([2.5, -1.0, 3.0, None], 1, 2),
        ([True, False, None, True], 1, 3),
        ([datetime.date(2000, 1, day) for day in (2, 1, 4, 3)], 1, 2),
        ([datetime.timedelta(hours=h) for h in (5, 2, 9, 3)], 1, 2),
        (pl.Series(["b", "a", "c", None], dtype=pl.Categorical), 1, 2),
        (np.array([2.0, 1.0, 3.0, np.nan]), 1, 2),
        ([None, None, None, None], 0, 3),
    ],
    ids=["text", "numbers", "truths", "dates", "spans", "categories", "nan", "nothing"],
)
def test_any_column_can_decide_the_order(values, first, last):
    table = Samples({"id": range(4), "subject": ["x"] * 4, "key": values})
    assert choose(table, OnePerSubject(order_by="key")).positions.tolist() == [first]
    assert choose(table, OnePerSubject(order_by="key", last=True)).positions.tolist() == [last]


def test_missing_values_come_last_whichever_end_is_asked_for(samples):
    for last in (False, True):
        picked = chosen(samples, OnePerSubject(order_by="session", last=last))
        assert "d" not in picked
        assert picked.endswith("g")  # there is nothing else of z


def test_undecided_samples_are_counted(samples):
    assert choose(samples, "session > 2").unknown == 2
    assert choose(samples, OnePerSubject(where="session > 2")).unknown == 2
    assert choose(samples, OnePerSubject(order_by="session")).unknown == 0


def test_what_was_asked_is_told():
    assert str(OnePerSubject()) == "the first sample of each subject"
    spelt_out = OnePerSubject(where="session > 1", order_by="date", last=True)
    assert str(spelt_out) == "the last sample of each subject by date where session > 1"


def test_rules(samples, tmp_path):
    (tmp_path / "ids.txt").write_text("a\nb\n")
    assert choose(samples, ["a", "b"]).rule == "2 ids listed"
    assert choose(samples, f"@{tmp_path / 'ids.txt'}").rule == "2 ids in ids.txt"
    assert choose(samples, np.ones(7, dtype=bool)).rule == "a mask of 7 samples"
    assert choose(samples, "session > 1").rule == "session > 1"


@pytest.mark.parametrize("content", ["a\nd\n", "d\na", "a\r\nd\r\n", "\n  a \n\n\td\n\n"])
def test_ids_from_a_file(samples, tmp_path, content):
    path = tmp_path / "my ids.txt"
    path.write_bytes(content.encode())
    assert chosen(samples, f"@{path}") == "ad"


def test_ids_from_a_file_with_a_byte_order_mark(samples, tmp_path):
    (tmp_path / "ids.txt").write_bytes("\ufeffa\nd\n".encode())
    assert chosen(samples, f"@{tmp_path / 'ids.txt'}") == "ad"


def test_files_of_ids_that_cannot_be_used(samples, tmp_path):
    path = tmp_path / "ids.txt"
    with pytest.raises(InputError, match="cannot be read"):
        choose(samples, f"@{path}")
    with pytest.raises(InputError, match="cannot be read"):
        choose(samples, f"@{tmp_path}")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        choose(samples, f"@{path}")
    path.write_text("a\nnobody\nnothing\n")
    with pytest.raises(DesignError, match=r"2 of the 3 ids in ids.txt are not in .*'nobody', 'nothing'"):
        choose(samples, f"@{path}")
    path.write_text("a\nb\na\n")
    with pytest.raises(DesignError, match=r"1 id in ids.txt is listed more than once: 'a'"):
        choose(samples, f"@{path}")


def test_lists_that_cannot_be_used(samples):
    with pytest.raises(DesignError, match="1 of the 2 ids is not in the samples table: 'q'"):
        choose(samples, ["a", "q"])
    with pytest.raises(DesignError, match="listed more than once: 'a'"):
        choose(samples, ["a", "b", "a"])


@pytest.mark.parametrize("shape", [(6,), (8,), (7, 1), (0,)])
def test_a_mask_must_fit(samples, shape):
    with pytest.raises(UsageError, match="there are 7 samples"):
        choose(samples, np.ones(shape, dtype=bool))


def test_an_unknown_column_to_order_by(samples):
    with pytest.raises(UsageError, match="no column 'date' to order by"):
        choose(samples, OnePerSubject(order_by="date"))


def test_choices_cannot_be_changed(samples):
    for choice in ("all", "one_per_subject", ["a"], np.ones(7, dtype=bool)):
        assert not choose(samples, choice).positions.flags.writeable


@pytest.mark.parametrize("part", ["where", "gallery", "probes"])
def test_a_pool_counts_what_is_undecided(part):
    rows = [(f"{s}{k}", s, k, None if k == 2 else 1.0 / k) for s in "abc" for k in (1, 2, 3, 4)]
    names = ("id", "subject", "day", "sharpness")
    samples = Samples(dict(zip(names, zip(*rows, strict=True), strict=True)))
    notes = Pool(samples, "day", **{part: "sharpness / 1 > 0"}).notes
    assert len(notes) == 1
    assert str(notes[0]).startswith("3 samples were left out: 'sharpness / 1 > 0' cannot be decided for them")
