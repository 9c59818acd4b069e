from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from proband.errors import InputError, UsageError
from proband.samples import Samples
from proband.samples.directories import DATA_SETS, Naming, data_set_of, pattern_in

NAMES = {
    "jaffe": ["KA.AN1.39.tiff", "NA.SU2.210.tiff"],
    "yale": ["subject01.glasses", "subject15.happy", "subject01.gif"],
    "orl": ["s1/1.pgm", "s40/10.pgm"],
    "feret": ["00019fa010_940128.tif", "1/00002fb001d_931230.tif"],
    "colorferet": ["00001/00001_930831_fa_a.ppm", "00001_930831_fb.ppm"],
    "lfw": ["Ann_Lee/Ann_Lee_0001.jpg", "Bo/Bo_0002.jpg"],
}


def put(folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {".tiff": "TIFF", ".tif": "TIFF", ".pgm": "PPM", ".ppm": "PPM", ".jpg": "JPEG"}
    picture = Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8))
    picture.save(path, format=kinds.get(path.suffix, "GIF"))


@pytest.mark.parametrize("name", DATA_SETS)
def test_names_of_public_data_sets_are_known(tmp_path: Path, name: str) -> None:
    for file in NAMES[name]:
        put(tmp_path, file)
    assert data_set_of(NAMES[name]) == name
    table = Samples.read(tmp_path)
    assert sorted(table.ids) == sorted(NAMES[name])
    assert table.frame["file"].to_list() == list(table.ids)
    assert str(len(NAMES[name])) in str(table.notes[0])


def test_fields_become_columns_and_na_is_a_name(tmp_path: Path) -> None:
    for file in NAMES["jaffe"]:
        put(tmp_path, file)
    (tmp_path / "README").write_text("not a picture")
    (tmp_path / ".DS_Store").write_text("hidden")
    table = Samples.read(tmp_path)
    assert list(table.subjects) == ["KA", "NA"]
    assert table.frame["number"].to_list() == [39, 210]
    assert table.select("expression == 'SU'").positions.tolist() == [1]
    assert [note.code for note in table.notes] == ["samples.read-as", "samples.not-pictures"]
    other = Samples.read(tmp_path / "{subject}.{what}.*")
    assert other.frame["what"].to_list() == ["AN1", "SU2"]


def test_days_and_parts_that_are_absent() -> None:
    feret = Naming(DATA_SETS["feret"])
    assert feret.fields_of("00019fa010_940128.tif") == {
        "subject": "00019", "image_set": "fa", "flags": "010", "date": "940128",
    }  # fmt: skip
    assert Naming("subject{subject:d}[.{condition}]").fields_of("subject01.gif") == {"subject": "01"}


def test_days_are_dates(tmp_path: Path) -> None:
    put(tmp_path, "00019fa010_940128.tif")
    assert Samples.read(tmp_path).frame["date"].to_list() == [datetime.date(1994, 1, 28)]
    put(tmp_path, "00019fa010_941328.tif")
    with pytest.raises(InputError, match="is not a valid date"):
        Samples.read(tmp_path)


def test_what_is_named_otherwise_is_refused(tmp_path: Path) -> None:
    for file in ("a-1.png", "b-2.png"):
        put(tmp_path, file)
    with pytest.raises(UsageError, match="Cannot tell the subjects"):
        Samples.read(tmp_path)
    assert list(Samples.read(tmp_path / "{subject}-{shot:d}").subjects) == ["a", "b"]
    with pytest.raises(InputError, match="1 of 2 images do not match the pattern"):
        Samples.read(tmp_path / "a-{subject}")
    with pytest.raises(UsageError, match="has no column 'subject'"):
        Samples.read(tmp_path / "{person}-{shot}")
    for pattern, match in (
        ("{subject}-{", "cannot be read"),
        ("[{subject}", "not closed"),
        ("{file}-{subject}", "already has a column"),
        ("{1a}-{subject}", "must begin with a letter"),
        ("{subject}-[[x]]", "cannot be read"),
    ):
        with pytest.raises(UsageError, match=match):
            Samples.read(tmp_path / pattern)


def test_a_directory_that_is_not_there_is_no_pattern(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "{subject}"
    assert pattern_in(path) == (path, None)
    with pytest.raises(InputError, match="There is no file"):
        Samples.read(path)
