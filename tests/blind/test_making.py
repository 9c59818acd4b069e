from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from proband.algorithms import Pictures
from proband.blind import BlindTest, Key, Package
from proband.blind.package.drawing import DrawnSets, draw
from proband.blind.package.package import FULLY, PARTIALLY
from proband.blind.package.pictures import as_png, padded
from proband.blind.package.sealing import chance
from proband.errors import DesignError, InputError, UsageError
from proband.samples import Samples

Make = Callable[..., tuple[Package, Key]]
EYES = ["left_eye_x", "left_eye_y", "right_eye_x", "right_eye_y"]


def test_every_name_shows_the_sample_the_key_says(make: Make, pictures: Pictures) -> None:
    package, key = make()
    for name, sample in key.table.select("name", "sample").iter_rows():
        shown = np.asarray(Image.open(package.path / "images" / f"{name}.png"))
        original = pictures.load(sample)
        height, width = original.shape
        assert shown.shape == (22, 19)
        np.testing.assert_array_equal(shown[:height, :width], original)
        np.testing.assert_array_equal(
            shown, np.pad(original, ((0, 22 - height), (0, 19 - width)), mode="edge")
        )


def test_the_lists_are_the_sets_and_the_key_knows_the_repeats(make: Make, people: Samples) -> None:
    package, key = make(canaries=5, control=7)
    parts = {role: key.table.filter(role=role) for role in key.table["role"].unique()}
    assert list(package.targets) == parts["target"]["name"].to_list() == sorted(package.targets)
    assert list(package.queries) == parts["query"]["name"].to_list() == sorted(package.queries)
    assert list(package.control_targets) == parts["control target"]["name"].to_list()
    assert list(package.control_queries) == parts["control query"]["name"].to_list()
    assert key.table["name"].n_unique() == key.table.height == 60 + 5 + 120 + 5 + 14
    expected = {"target": people.select("session == 1").positions, "query": np.arange(120)}
    of = dict(key.table.select("name", "sample").iter_rows())
    for role, positions in expected.items():
        first = parts[role].filter(pl.col("repeat_of").is_null())
        assert sorted(first["sample"]) == sorted(people.ids[place] for place in positions)
        repeats = parts[role].filter(pl.col("repeat_of").is_not_null())
        assert repeats["sample"].n_unique() == repeats.height == 5
        control = parts[f"control {role}"]
        assert control["sample"].n_unique() == control.height == 7
        for rows in (repeats, control):
            assert set(rows["repeat_of"]) <= set(first["name"])
            assert [of[name] for name in rows["repeat_of"]] == rows["sample"].to_list()


@pytest.mark.parametrize(("size", "canaries"), [(1, 1), (2, 2), (150, 2), (400, 4), (5_000, 50), (9_000, 50)])
def test_how_many_are_repeated_by_default(size: int, canaries: int) -> None:
    samples = Samples({"id": list(map(str, range(size))), "subject": ["a"] * size})
    sets = DrawnSets.of(samples, "all", "all", None, None)
    assert sets.canaries == {"target": canaries, "query": canaries}
    assert sets.controls == {"target": min(10, size), "query": min(10, size)}
    assert draw(sets, chance(0)).height == 2 * (size + canaries + min(10, size))


def test_none_and_too_many_repeats(make: Make) -> None:
    package, key = make(canaries=0, control=0)
    assert key.table["repeat_of"].null_count() == key.table.height
    assert package.control_targets == package.control_queries == ()
    assert "Score the control sets" not in (package.path / "README.md").read_text(encoding="utf-8")
    for asked in ({"canaries": 61}, {"control": 1000}, {"canaries": -1}):
        with pytest.raises(UsageError, match=r"Cannot repeat|at least 0"):
            make("more", **asked)


def test_versions_are_packages_of_the_same_images_with_names_of_their_own(
    people: Samples, pictures: Pictures, tmp_path: Path
) -> None:
    test = BlindTest(people, "session == 1", "all", pictures, versions=(PARTIALLY, FULLY), keep=["yaw_deg"])
    made = test.make(tmp_path / "test", tmp_path / "secret" / "test.key")
    assert [package.path.name for package in made.packages] == ["test-partially", "test-fully"]
    assert [path.name for path in made.keys] == ["test-partially.key", "test-fully.key"]
    keys = [Key.read(path) for path in made.keys]
    for key, package in zip(keys, made.packages, strict=True):
        key.require(Package.read(package.path))
    assert not set(keys[0].table["name"]) & set(keys[1].table["name"])
    assert keys[0].samples.frame.equals(keys[1].samples.frame)
    with pytest.raises(InputError, match="does not belong to the package"):
        keys[0].require(made.packages[1])
    partially, fully = (pl.read_csv(package.path / "queries.csv") for package in made.packages)
    assert partially.columns == ["id", "yaw_deg", *EYES]
    assert fully.columns == ["id", "yaw_deg"]
    # What is told of a name is what the table says of its sample.
    told = partially.join(keys[0].table, left_on="id", right_on="name").join(
        people.frame, left_on="sample", right_on="id", suffix="_original"
    )
    assert told.height == partially.height
    for column in ("yaw_deg", *EYES):
        assert told[column].equals(told[f"{column}_original"], check_names=False)


def test_a_seed_repeats_the_test_and_says_so(people: Samples, pictures: Pictures, tmp_path: Path) -> None:
    made = [
        BlindTest(people, "all", "all", pictures, seed=seed).make(tmp_path / name, tmp_path / f"{name}.key")
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    names = [Package.read(one.packages[0].path).queries for one in made]
    assert names[0] == names[1] != names[2]
    assert all(one.packages[0].rehearsal for one in made)
    assert "This is a rehearsal" in (made[0].packages[0].path / "README.md").read_text()
    # What is published beside the names must not help to guess the seed.
    assert (
        len({one.packages[0].training_salt for one in made})
        == len({one.packages[0].commitment for one in made})
        == 3
    )
    assert "anyone who guesses it has the key" in str(made[0].notes[0])


def test_lists_only(people: Samples, tmp_path: Path) -> None:
    made = BlindTest(people, "session == 1", "session == 2").make(tmp_path / "test", tmp_path / "my.key")
    package, key = Package.read(tmp_path / "test"), Key.read(tmp_path / "my.key")
    assert not (package.path / "images").exists()
    names = tmp_path / "my-names.csv"
    assert names.stat().st_mode & 0o777 == 0o600
    assert pl.read_csv(names).equals(key.table)
    assert made.notes[0]["file"] == str(names)
    (tmp_path / "my.key").unlink()
    with pytest.raises(InputError, match=r"my-names\.csv already exists"):
        BlindTest(people, "session == 1", "session == 2").make(tmp_path / "test2", tmp_path / "my.key")


def test_shapes_can_be_kept(make: Make, people: Samples, pictures: Pictures, tmp_path: Path) -> None:
    test = BlindTest(people, "all", "all", pictures, keep_shapes=True)
    made = test.make(tmp_path / "test", tmp_path / "key")
    assert "sizes" in str(made.notes[0])
    for name, sample in Key.read(tmp_path / "key").table.select("name", "sample").iter_rows():
        shown = np.asarray(Image.open(tmp_path / "test" / "images" / f"{name}.png"))
        np.testing.assert_array_equal(shown, pictures.load(sample))


@pytest.mark.parametrize("key", ["test/key", "test/images/key", "link/key", "test"])
def test_a_key_inside_the_package_is_refused(people: Samples, tmp_path: Path, key: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "test")
    with pytest.raises(UsageError, match="handed out with it"):
        BlindTest(people, "all", "all").make(tmp_path / "test", tmp_path / key)
    assert not (tmp_path / "test").exists()


def test_nothing_is_overwritten(make: Make, tmp_path: Path) -> None:
    make()
    before = (tmp_path / "test.key").read_bytes()
    with pytest.raises(InputError, match="already exists"):
        make()
    (tmp_path / "test").rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"test\.key already exists"):
        make()
    assert (tmp_path / "test.key").read_bytes() == before


def test_a_picture_that_fails_late_leaves_nothing_behind(
    people: Samples, pictures: Pictures, tmp_path: Path
) -> None:
    asked: list[str] = []

    def load(name: str) -> np.ndarray:
        asked.append(name)
        if len(asked) == 200:
            raise InputError("The disk is gone.")
        return pictures.load(name)

    with pytest.raises(InputError, match="disk is gone"):
        BlindTest(people, "all", "all", Pictures(load)).make(tmp_path / "test", tmp_path / "key")
    assert list(tmp_path.iterdir()) == []


def test_unreadable_pictures_are_counted_before_anything_is_written(people: Samples, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for name in people.ids[:-2]:
        Image.fromarray(np.zeros((4, 4), dtype=np.uint8)).save(tmp_path / "photos" / f"{name}.png")
    pictures = Pictures.of(tmp_path / "photos", people)
    with pytest.raises(
        InputError, match="2 of 120 images cannot be read; the first is 'Subject-029-picture-2'"
    ):
        BlindTest(people, "all", "all", pictures).make(tmp_path / "test", tmp_path / "key")
    assert [path.name for path in tmp_path.iterdir()] == ["photos"]


@pytest.mark.parametrize("column", ["id", "subject", "alias", "path"])
def test_columns_that_tell_whose_an_image_is_are_refused(
    people: Samples, tmp_path: Path, column: str
) -> None:
    frame = people.frame.with_columns(alias=pl.Series(people.codes), path="photos/" + pl.col("id"))
    with pytest.raises(UsageError, match=f"'{column}' (reveals who|identifies)"):
        BlindTest(Samples(frame), "all", "all", keep=[column]).make(tmp_path / "test", tmp_path / "key")


def test_requests_that_make_no_test(make: Make, people: Samples) -> None:
    with pytest.raises(DesignError, match="target set is empty"):
        make(target="session == 9")
    with pytest.raises(UsageError, match="no column 'height'"):
        make(keep=["height"])
    with pytest.raises(UsageError, match="eye centre"):
        make(keep=["left_eye_x"])
    with pytest.raises(UsageError, match="'fully automatic'; got"):
        make(versions=("fully",))
    with pytest.raises(UsageError, match="once"):
        make(versions=(FULLY, FULLY))


def test_eyes_must_be_inside_the_pictures_and_may_be_unknown(
    people: Samples, pictures: Pictures, tmp_path: Path
) -> None:
    outside = people.frame.with_columns(
        right_eye_x=pl.when(pl.col("id") == people.ids[7]).then(99).otherwise(12)
    )
    test = BlindTest(Samples(outside), "all", "all", pictures, versions=(PARTIALLY,))
    with pytest.raises(InputError, match="An eye of 'Subject-001-picture-3' is at \\(99, "):
        test.make(tmp_path / "test", tmp_path / "key")
    unknown = people.frame.with_columns(
        right_eye_x=pl.when(pl.col("id") == people.ids[7]).then(None).otherwise(12)
    )
    test = BlindTest(Samples(unknown), "all", "all", pictures, versions=(PARTIALLY,))
    assert "1 image has no eye centres" in str(test.make(tmp_path / "test", tmp_path / "key").notes[0])
    with pytest.raises(InputError, match="no column 'left_eye_x'"):
        BlindTest(Samples(people.frame.drop(EYES)), "all", "all", versions=(PARTIALLY,)).make(
            tmp_path / "test2", tmp_path / "key2"
        )


@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (300, 301)])
def test_png_holds_the_pixels(shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    with Image.open(io.BytesIO(as_png(picture))) as again:
        assert again.mode == "L"
        np.testing.assert_array_equal(np.asarray(again), picture)
    np.testing.assert_array_equal(padded(picture, shape), picture)
