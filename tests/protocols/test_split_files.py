"""Splits written and read: tables and folders, and what is wrong with them by file and line."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.errors import InputError, UsageError
from proband.protocols.splits.files import read_splits, split_frame, write_splits
from proband.protocols.splits.splits import splitter
from proband.samples import Samples

SUBJECTS = np.repeat(np.arange(6), 4)
LABELS = np.arange(24) % 2
IDS = [f"{k:03d}" for k in range(24)]
NAMES = ["splits.csv", "splits.tsv", "splits.parquet", "splits"]


def same(one, other) -> bool:
    def key(split):
        parts = (split.train, split.test, split.validation)
        return split.repeat, split.fold, *(None if part is None else part.tolist() for part in parts)

    return [key(split) for split in one] == [key(split) for split in other]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["2×3f CV+", "60-20-20 HO", "2×80-20 HO", "1-1 HO*", "3f CV"])
def test_what_is_written_is_read(tmp_path, name, text):
    splits = list(splitter(text, all_classes=False).splits(LABELS, SUBJECTS))
    samples = Samples({"id": IDS, "subject": SUBJECTS})
    write_splits(tmp_path / name, samples, splits)
    table = read_splits(tmp_path / name)
    assert same(table.splits(samples), splits)
    assert same(table.splits(IDS), splits)
    assert sorted(table.ids) == IDS
    assert set(table.frame.columns) == {"id", "repeat", "fold", "role"}
    assert f"{len(splits):,} splits of 24 samples" in repr(table)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@given(
    st.lists(
        st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=6),
        min_size=2,
        unique=True,
    )
)
@examples(40)
def test_ids_of_all_kinds_survive(tmp_path_factory, ids):
    splits = list(splitter("LOO").splits([0] * len(ids)))
    for name in NAMES[:3]:
        path = tmp_path_factory.mktemp("ids") / name
        write_splits(path, ids, splits)
        assert same(read_splits(path).splits(ids), splits)


def test_folders_have_levels_only_where_there_are_several(tmp_path):
    for text, expected in (
        ("80-20 HO", "test.txt"),
        ("3f CV", "fold_2/test.txt"),
        ("2×80-20 HO", "repeat_2/test.txt"),
        ("2×3f CV", "repeat_2/fold_3/train.txt"),
    ):
        folder = tmp_path / text.replace(" ", "_")
        write_splits(folder, IDS, splitter(text).splits(LABELS, SUBJECTS))
        assert (folder / expected).is_file()


def test_rows_may_stand_in_any_order_and_unlisted_samples_are_unused(tmp_path):
    splits = list(splitter("2×3f CV").splits(LABELS))
    frame = split_frame(IDS, splits).sample(fraction=1.0, shuffle=True, seed=1)
    frame.write_parquet(tmp_path / "s.parquet")
    assert same(read_splits(tmp_path / "s.parquet").splits(IDS), splits)
    (tmp_path / "s.csv").write_text("id,role\nb,test\na,train\n")
    (one,) = read_splits(tmp_path / "s.csv").splits(["a", "b", "c"])
    assert (one.repeat, one.fold, one.train.tolist(), one.test.tolist()) == (1, 1, [0], [1])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("id,role\na,train\nb,tset\n", r"s\.csv, line 3: the role must be train or .*, got 'tset'"),
        ("id,role\na,train\n\n,test\n", r"s\.csv, line 4: the id must be an id, got None"),
        ("id,fold,role\na,one,train\n", r"s\.csv, line 2: the fold must be a whole number .*, got 'one'"),
        ("id,repeat,role\na,-1,train\n", r"s\.csv, line 2: the repeat must be .*, got '-1'"),
        ("id,part\na,train\n", r"s\.csv has no column 'role'; it has 'id', 'part'"),
        ("id,role\n", r"s\.csv has no rows"),
        ("", r"s\.csv is empty"),
        ("id,fold,role\na,1,train\nb,2\n", r"s\.csv, line 3: the row has 2 values, and there are 3 columns"),
    ],
)
def test_a_table_that_is_wrong_is_refused_by_its_line(tmp_path, text, complaint):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_splits(tmp_path / "s.csv")


def test_two_roles_are_read_for_the_audit_and_refused_as_a_split(tmp_path):
    (tmp_path / "s.csv").write_text("id,role\na,train\n\nb,test\na,test\n")
    table = read_splits(tmp_path / "s.csv")
    assert table.frame.height == 3
    with pytest.raises(
        InputError, match=r"s\.csv, line 5: 'a' already has a role in this fold \(s\.csv, line 2\)"
    ):
        table.splits()
    with pytest.raises(InputError, match=r"s\.csv, line 4: 1 id of the splits matches no sample: 'b'"):
        table.splits(["a"])
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "train.txt").write_text("a\n\nb\n")
    (folder / "test.txt").write_text("c\nb\n")
    with pytest.raises(
        InputError, match=r"f/test\.txt, line 2: 'b' already has a role .* \(f/train\.txt, line 3\)"
    ):
        read_splits(folder).splits()
    table.frame.write_parquet(tmp_path / "s.parquet")
    with pytest.raises(InputError, match=r"s\.parquet, row 3: 'a' already has a role"):
        read_splits(tmp_path / "s.parquet").splits()


def test_a_folder_that_is_wrong_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"has no train\.txt"):
        read_splits(tmp_path)
    (tmp_path / "train.txt").write_text("a\n")
    with pytest.raises(InputError, match=r"has no test\.txt"):
        read_splits(tmp_path)
    (tmp_path / "train.txt").write_text("\n")
    (tmp_path / "test.txt").write_text("\n")
    with pytest.raises(InputError, match="contain no ids"):
        read_splits(tmp_path)
    for name in ("fold_1", "fold_01"):
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="two folders for fold 1"):
        read_splits(tmp_path)
    with pytest.raises(InputError, match="There is no file"):
        read_splits(tmp_path / "nothing.csv")


def test_nothing_is_written_over_or_by_halves(tmp_path):
    splits = list(splitter("80-20 HO").splits(LABELS))
    with pytest.raises(UsageError, match=r"cannot be written to s\.xlsx"):
        write_splits(tmp_path / "s.xlsx", IDS, splits)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        write_splits(tmp_path / "kept", IDS, splits)
    with pytest.raises(InputError, match="line breaks or leading or trailing blanks"):
        write_splits(tmp_path / "lists", [" a", *IDS[1:]], splits)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_unused_samples_are_written_as_such():
    frame = split_frame(IDS, splitter("1-1 HO*").splits(SUBJECTS, SUBJECTS))
    assert dict(frame["role"].value_counts().iter_rows()) == {"train": 6, "test": 6, "unused": 12}
    assert frame.schema["role"] == pl.Enum(["train", "validation", "test", "unused"])
