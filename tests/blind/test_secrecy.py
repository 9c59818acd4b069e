"""Nothing in a package tells whose its images are: names, order, sizes, dates, modes, chunks and bytes."""

from __future__ import annotations

import csv
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from scipy import stats

from proband.algorithms import Pictures
from proband.blind import BlindTest, Key, Package
from proband.blind.package.drawing import DrawnSets, draw
from proband.blind.package.sealing import chance, random_names
from proband.errors import UsageError
from proband.faces import Population
from proband.samples import Samples

Make = Callable[..., tuple[Package, Key]]


def chunks(path: Path) -> list[bytes]:
    content, place, found = path.read_bytes(), 8, []
    while place < len(content):
        (length,) = struct.unpack_from(">I", content, place)
        found.append(content[place + 4 : place + 8])
        place += 12 + length
    return found


@pytest.mark.long
@pytest.mark.parametrize("truth", ["subject", "place in the table", "repeated"])
def test_the_order_of_names_is_independent_of_identity(people: Samples, truth: str) -> None:
    """Under independence the p-values of rank correlations over many tests are uniform."""
    sets = DrawnSets.of(people, "session == 1", "all", 10, 10)
    found = []
    for seed in range(200):
        rows = draw(sets, chance(seed)).filter(role="query")
        places = people.ids.positions(rows["sample"])
        value = {
            "subject": people.codes[places],
            "place in the table": places,
            "repeated": rows["repeat_of"].is_not_null().to_numpy(),
        }[truth]
        found.append(stats.spearmanr(np.arange(len(places)), value).pvalue)
    assert stats.kstest(found, "uniform").pvalue > 0.01


def test_names_do_not_tell_sets_or_subjects_apart(people: Samples) -> None:
    """No letter at any place of a name depends on the subject or the role (chi-square over many names)."""
    sets = DrawnSets.of(people, "all", "all", 10, 10)
    tables = [draw(sets, chance(seed)) for seed in range(30)]
    letters = {letter: k for k, letter in enumerate("bcdfghjklmnpqrstvwxz")}
    found = []
    for place in range(12):
        roles, people_too = np.zeros((2, 20)), np.zeros((30, 20))
        for table in tables:
            drawn = [letters[name[place]] for name in table["name"]]
            np.add.at(roles, ((table["role"] == "target").to_numpy().astype(int), drawn), 1)
            np.add.at(people_too, (people.codes[people.ids.positions(table["sample"])], drawn), 1)
        found += [stats.chi2_contingency(roles).pvalue, stats.chi2_contingency(people_too).pvalue]
    assert min(found) > 0.01 / len(found)


def test_files_differ_in_nothing_but_their_pixels(make: Make) -> None:
    package, _ = make()
    images = sorted((package.path / "images").iterdir())
    assert {path.stem for path in images} == {
        *package.targets,
        *package.queries,
        *package.control_targets,
        *package.control_queries,
    }
    told = [path.stat() for path in images]
    assert len({(one.st_size, one.st_mode, one.st_mtime_ns, one.st_uid) for one in told}) == 1
    assert all(chunks(path) == [b"IHDR", b"IDAT", b"IEND"] for path in images)
    headers = {path.read_bytes()[:33] for path in images}
    assert len(headers) == 1
    everything = [package.path, *package.path.rglob("*")]
    assert len({path.stat().st_mtime_ns for path in everything}) == 1
    assert {path.stat().st_mode & 0o777 for path in everything} == {0o644, 0o755}


def test_the_order_of_writing_is_that_of_the_names(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    write = Path.write_bytes
    monkeypatch.setattr(
        Path, "write_bytes", lambda self, content: (written.append(self.stem), write(self, content))[1]
    )
    package, _ = make()
    pictures = [name for name in written if (package.path / "images" / f"{name}.png").exists()]
    assert pictures == sorted(pictures)
    assert len(pictures) == len(list((package.path / "images").iterdir()))


def test_lists_have_no_columns_but_those_asked_for(make: Make) -> None:
    package, _ = make(keep=["yaw_deg", "glasses"])
    for name in ("targets", "queries", "control_targets", "control_queries"):
        with (package.path / f"{name}.csv").open(encoding="utf-8") as file:
            assert next(csv.reader(file)) == ["id", "yaw_deg", "glasses"]


def test_two_tests_of_the_same_images_share_no_name(make: Make) -> None:
    (one, key), (other, other_key) = make("one", seed=None), make("other", seed=None)
    assert one.digest != other.digest
    assert one.commitment != other.commitment
    assert key.salt != other_key.salt
    assert not set(key.table["name"]) & set(other_key.table["name"])


def test_an_image_in_both_sets_has_two_names(make: Make) -> None:
    _, key = make(target="all", query="all")
    assert key.table.group_by("sample").len()["len"].min() >= 2
    assert key.table["name"].n_unique() == key.table.height


def test_no_original_name_and_no_secret_is_in_the_package(make: Make, people: Samples) -> None:
    package, key = make(keep=["yaw_deg"], training={"t": {"either": ["Trained-On"]}})
    content = b"\n".join(
        path.relative_to(package.path).as_posix().encode() + path.read_bytes()
        for path in package.path.rglob("*")
        if path.is_file()
    )
    secrets = [*people.ids, *people.subjects, "Subject", "picture-", key.salt, "Trained-On", "session"]
    assert [text for text in secrets if text.encode() in content] == []


def test_metadata_of_photographs_does_not_enter(people: Samples, tmp_path: Path) -> None:
    """JPEG files with EXIF, a comment and a thumbnail of text come out as bare pixels."""
    (tmp_path / "photos").mkdir()
    rng = np.random.default_rng(0)
    for name in people.ids:
        exif = Image.Exif()
        exif[0x010E] = f"portrait of {name}"
        exif[0x013B] = "Photographer-Name"
        photo = Image.fromarray(rng.integers(0, 256, (16, 16, 3), dtype=np.uint8))
        photo.save(tmp_path / "photos" / f"{name}.jpg", exif=exif, comment=f"Comment on {name}")
    pictures = Pictures.of(tmp_path / "photos", people)
    BlindTest(people, "all", "all", pictures).make(tmp_path / "test", tmp_path / "key")
    for path in (tmp_path / "test" / "images").iterdir():
        assert chunks(path) == [b"IHDR", b"IDAT", b"IEND"]
        content = path.read_bytes()
        assert all(
            text not in content for text in (b"Exif", b"Subject", b"Photographer", b"Comment", b"JFIF")
        )
        with Image.open(path) as picture:
            assert not picture.getexif()
            assert not picture.info


def test_a_population_of_faces_can_be_handed_out(tmp_path: Path) -> None:
    population = Population(n_subjects=4, plan="grid", sessions=2, images_per_session=1)
    samples = Samples(population.columns())
    rendered = dict(zip(samples.ids, population.render(), strict=True))
    test = BlindTest(
        samples, "session == 1", "all", Pictures(rendered.__getitem__), versions=("partially automatic",)
    )
    test.make(tmp_path / "test", tmp_path / "key")
    package, key = Package.read(tmp_path / "test"), Key.read(tmp_path / "key")
    name, sample = key.table.select("name", "sample").row(0)
    np.testing.assert_array_equal(
        np.asarray(Image.open(package.path / "images" / f"{name}.png")), rendered[sample]
    )


# What kept columns tell to somebody who has the table that the images are from


def named_by_values(given: pl.DataFrame, source: pl.DataFrame, columns: list[str]) -> list[str]:
    """For each image of a list the person with most images of these values in the source."""
    most = Counter(source.select(*columns, "subject").rows())
    best: dict[tuple[object, ...], str] = {}
    for (*values, person), _ in sorted(most.items(), key=lambda one: one[1]):
        best[tuple(values)] = person
    return [best[row] for row in given.select(columns).rows()]


def named_by_order(given: pl.DataFrame, source: pl.DataFrame, columns: list[str]) -> list[str]:
    """For each image of a list the person at that place of the source, if the columns are sorted as the source is."""
    places = given.with_row_index("at").sort(columns)["at"]
    people = [""] * given.height
    for rank, place in enumerate(places):
        people[place] = source["subject"][rank * source.height // given.height]
    return people


def most_named(people: Samples, columns: list[str], folder: Path) -> tuple[int, int]:
    """How many queries of a package the better of both attacks names, and how many there are."""
    made = BlindTest(people, "session == 1", "all", keep=columns).make(folder / "test", folder / "key")
    given = pl.read_csv(made.packages[0].path / "queries.csv", infer_schema=False)
    source = pl.read_csv(people.frame.write_csv().encode(), infer_schema=False)
    key = Key.read(made.keys[0]).table
    truth = dict(zip(key["name"], people.codes[people.ids.positions(key["sample"])], strict=True))
    names = [people.subjects[truth[name]] for name in given["id"]]
    numbers = [pl.col(one).cast(pl.Float64, strict=False).fill_null(0) for one in columns]
    found = (
        named_by_values(given, source, columns),
        named_by_order(given.with_columns(numbers), source, columns),
    )
    return max(sum(map(str.__eq__, names, one)) for one in found), given.height


@pytest.fixture(scope="module")
def known(people: Samples) -> Samples:
    """The people with columns of all kinds."""
    rng = np.random.default_rng(8)
    n, code = len(people), pl.Series(people.codes)
    return Samples(
        people.frame.with_columns(
            frame=pl.Series(range(n)),
            shuffled=pl.Series(rng.permutation(n)),
            some_twice=pl.Series(np.arange(n) // 2 * 2),
            blurred=pl.Series(rng.normal(size=n)),
            moment=pl.datetime(2020, 1, 1) + pl.duration(minutes=pl.Series(range(n))),
            born=pl.date(1980, 1, 1) + pl.duration(days=97 * code),
            alias=code * 7,
            household=code // 2,
            block=pl.Series(np.arange(n) // 8),
            film=pl.Series([f"film {k // 10}" for k in range(n)]),
            sex=code % 2,
            rare=pl.Series([k == 5 for k in range(n)]),
            pose=pl.Series(rng.choice(["left", "right"], n)),
            light=pl.Series(rng.choice(["dim", "bright", "flash"], n)),
        )
    )


TELLING = [
    *("frame", "shuffled", "some_twice", "blurred", "moment", "born", "alias", "household", "block", "film"),
    *("rare", ["sex", "taken"], ["pose", "light", "glasses", "yaw_deg"]),
]


@pytest.mark.parametrize("columns", TELLING, ids=str)
def test_columns_that_number_or_order_images_are_refused(
    known: Samples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str | list[str]
) -> None:
    columns = [columns] if isinstance(columns, str) else columns
    with pytest.raises(UsageError, match=r"reveals? who is in the images.* of (60|120) images"):
        most_named(known, columns, tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("proband.blind.package.making.refuse_telling", lambda *_: None)
    found, n = most_named(known, columns, tmp_path)
    assert found > (0 if columns == ["rare"] else n / 5)


@pytest.mark.parametrize(
    "columns", [["sex"], ["pose"], ["light"], ["glasses", "yaw_deg"], ["sex", "pose"]], ids=str
)
def test_columns_that_many_people_share_tell_little(
    known: Samples, tmp_path: Path, columns: list[str]
) -> None:
    found, n = most_named(known, columns, tmp_path)
    assert found <= n / 5


def test_in_large_sets_values_of_a_few_people_are_refused(tmp_path: Path) -> None:
    """A hundred groups of ten people: no value names anyone, but the search is a hundredth of what it should be."""
    code = np.arange(1_000)
    people = Samples(
        pl.DataFrame({"id": [f"i{k}" for k in code], "subject": code, "town": code % 100, "sex": code % 2})
    )
    with pytest.raises(UsageError, match="'town' reveals who"):
        BlindTest(people, "all", "all", keep=["town"]).make(tmp_path / "a", tmp_path / "a.key")
    BlindTest(people, "all", "all", keep=["sex"]).make(tmp_path / "b", tmp_path / "b.key")


def test_random_names_by_example() -> None:
    names = random_names(1000, chance(None))
    assert (len(set(names)), {len(name) for name in names}) == (1000, {12})
