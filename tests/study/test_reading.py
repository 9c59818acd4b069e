from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.analyses.feret.request import ImprovementRequest, VersionRequest
from proband.errors import InputError, ProbandError, UsageError
from proband.study.places import Keys, Places
from proband.study.reading import read_study, study_from_text

BASE = 'title = "T"\n\n[samples]\nfile = "samples.csv"\n\n[[scores]]\nfile = "scores.npz"\norientation = "similarity"\n'
EXAMPLE = (
    Path("docs/reference/study.md").read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("samples.csv", "scores.npz", "networks.npz", "vectors.npy", "scores.mask"):
        (tmp_path / name).touch()
    (tmp_path / "photos").mkdir()
    return tmp_path / "study.toml"


def refused(text: str, place: Path) -> ProbandError:
    with pytest.raises(ProbandError) as caught:
        study_from_text(text, place)
    return caught.value


def test_the_documented_example(place: Path) -> None:
    place.write_text(EXAMPLE, encoding="utf-8")
    study = read_study(place)
    assert study.origin.text == EXAMPLE
    assert study.request.scores[0].key == ("old", "new")
    assert study.request.embeddings[0].name == "candidate"
    assert [one.by for one in study.request.category] == [None, "light"]
    assert [one.of_pairs for one in study.request.comparison] == [False, True]
    assert study.request.verification is not None
    assert study.request.verification.by == ("sex", "age_band")
    assert study.request.feret is not None
    assert study.request.feret.order == ("date", "random")
    assert study.request.choices is not None
    assert study.request.choices.n_resamples == 100_000
    assert (study.request.output.seed, study.request.output.pseudonyms) == (7, True)


def test_text_is_kept_to_the_letter(place: Path) -> None:
    place.write_bytes(BASE.replace("\n", "\r\n").encode())
    assert read_study(place).origin.text == BASE.replace("\n", "\r\n")


def test_numbers_lists_and_tables(place: Path) -> None:
    more = (
        "[verification]\nfmr = 0.5\nthresholds = [1, 2.5]\n"
        '[feret]\nversions = [{fully = "a", partially = "b"}]\n[[feret.improvements]]\nearlier = "a"\nlater = "b"\n'
        '[images]\nfile = "photos"\nalgorithms = "correlation"\n'
    )
    study = study_from_text(BASE + more, place)
    assert study.request.verification is not None
    assert (study.request.verification.fmr, study.request.verification.thresholds) == ((0.5,), (1.0, 2.5))
    assert study.request.feret is not None
    assert (study.request.feret.versions, study.request.feret.improvements) == (
        (VersionRequest(fully="a", partially="b"),),
        (ImprovementRequest(earlier="a", later="b"),),
    )
    assert study.request.images is not None
    assert study.request.images.algorithms == ("correlation",)


@pytest.mark.parametrize(
    ("more", "line", "said", "hint"),
    [
        ('orientaton = "distance"', 9, "no key 'orientaton'", "did you mean 'orientation'?"),
        ("[verfication]", 9, "no section or key 'verfication'", "did you mean 'verification'?"),
        ("[verify]", 9, "no section", "it is called 'verification' here."),
        ("[output]\nthreads = 2", 10, "no key 'threads'", "available: 'directory'"),
        ("[output]\nconfidence_level = 95", 10, "expected a number above 0 and below 1, got 95", None),
        ('[output]\nseed = "1"', 10, 'expected a whole number of at least 0, got "1"', "without quotes"),
        ('[verification]\nfmr = "1%"', 10, 'got "1%"', "write 0.01 for 1%"),
        ('[gate]\nbaseline = "a"\nmargin = "1%"', 11, 'got "1%"', "write 0.01 for 1%"),
        ("[output]\nseed = 1.0", 10, "expected a whole number of at least 0, got 1.0", None),
        ("[output]\nseed = true", 10, "expected a whole number of at least 0, got true", None),
        ("[output]\npseudonyms = 1", 10, "expected true or false, got 1", None),
        ("[output]\ndirectory = 7", 10, "expected text in quotes, got 7", 'in quotes: "7"'),
        ('[output]\ndirectory = ""', 10, 'expected text in quotes, got ""', None),
        ('[output]\nformats = ["csv", "gif"]', 10, "expected 'csv' or 'parquet'", None),
        ("[[output]]\n[[output]]", 10, "one section 'output'", "write [output]"),
        ("[verification]\nfmr = [0.1,\n 0.01,\n 1.0]", 12, "expected a number of at least 0 and below 1, got 1.0", None),
        ("[verification]\nfmr = [0.1, 0.1]", 10, "0.1 appears twice", None),
        ("[verification]\nfmr = [nan]", 10, "got nan", None),
        ("[verification]\nfmr = []", 10, "the list is empty", "leave the key out"),
        ("[verification]\nn_resamples = -1", 10, "a whole number from 0 to 10,000,000, got -1", None),
        ("[identification]\nranks = [0]", 10, "a whole number from 1 to 1,000,000,000, got 0", None),
        ("[feret]\ngalleries = 1", 10, "of at least 2, got 1", None),
        ('[feret]\norder = "date"', 10, "has no effect without galleries", "add galleries"),
        ('[feret]\nversions = [\n {fully = "a"}]', 11, "'partially' is missing", None),
        ("[strat]\nn_images = 2", 10, "of at least 3, got 2", None),
        ("[choices]\nimage_pairs = 'between'", 10, "pairs of images between groups need groups", "groups = …"),
        ('[search]\nfusion = "average"', 10, "expected 'max' or 'mean', got \"average\"", None),
        ("[[comparison]]\nrank = 5", 10, "'rank' is now called 'measure'", 'measure = "rank-5"'),
        ("[comparison]\nmeasure = 'fnmr@0.1'\nby_category = true", 10, "have no probe categories", "omit the categories"),
        ("[comparison]\nmargin = 2", 10, "below 1, got 2", "0.01"),
        ('[[category]]\nname = "x"', 9, "'rule' is missing", "probe.session"),
        ('[[category]]\nby = "x"\ngallery = "y == 1"', 11, "has no effect with by", "leave one"),
        ('[[category]]\nby = "x"\nferet = true', 9, "expected name and rule, or by, or feret", None),
        ('[[category]]\nby = "x"\nlong_after = "feret"', 11, "has no effect without feret = true", "feret = true"),
        ('[[category]]\nname = "x"\nrule = "y"\n[[category]]\nname = "x"\nrule = "z"', 13, "two categories", None),
        ('[experiment]\ngallery = "one_per_subject"\none_per_subject = true', 11, "needs a condition", None),
        ('[[scores]]\nfile = "scores.npz"\nkey = ["a", "b"]\nname = "c"', 12, "cannot share one name", None),
        ('[[scores]]\nfile = "scores.npz"\nformat = "npx"', 11, "no format 'npx'", "did you mean"),
        ('[[scores]]\nfile = "scores.npz::net"', 10, "must be separate keys", 'key = "net"'),
        ('[[scores]]\nfile = "scores.npz"\nqueries = "a"\nquery_ids = "b"', 11, "without ids", "leave one"),
        ("[[scores]]", 9, "'file' is missing", "file = …"),
        ('[images]\nfile = "photos"', 9, "no recogniser was specified", "algorithms"),
        ('[images]\nfile = "photos"\nalgorithms = ["corelation"]', 11, "no recogniser", "correlation"),
        ('[images]\nfile = "photos"\nalgorithms = ["pca:l2"]', 11, "pca:l2 must be trained", "train ="),
        (
            '[images]\nfile = "photos"\nalgorithms = ["correlation"]\nas_they_are = true\ndetect = "dlib"',
            13,
            "detect has no effect",
            None,
        ),
    ],
)  # fmt: skip
def test_what_no_study_may_say(more: str, line: int, said: str, hint: str | None, place: Path) -> None:
    error = refused(BASE + more, place)
    assert isinstance(error, UsageError), error
    assert error.message.startswith(f"study.toml, line {line}, ")
    assert said in error.message
    assert hint is None or hint in (error.hint or "")


@pytest.mark.parametrize(
    ("more", "line", "name", "hint"),
    [
        ('[[scores]]\nfile = "score.npz"', 10, "score.npz", "'scores.npz'"),
        ('[[scores]]\nfile = "elsewhere/x.npz"', 10, "elsewhere/x.npz", "not a directory"),
        ('mask = "zzz.bin"', 9, "zzz.bin", "relative to the directory of study.toml"),
        ('mask = "photos"', 9, "photos", None),
        ('[search]\nprobes = "@people.txt"', 10, "people.txt", None),
        ('[embeddings]\nfile = "' + "x" * 300 + '"', 10, "xxx", None),
        ('[embeddings]\nfile = "a\\u0000b"', 10, "a", None),
    ],
)
def test_files_that_are_not_there(more: str, line: int, name: str, hint: str | None, place: Path) -> None:
    error = refused(BASE + more, place)
    assert isinstance(error, InputError)
    assert f"study.toml, line {line}, " in error.message
    assert name in error.message
    assert hint is None or hint in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "place_said", "said", "hint"),
    [
        ("title = Mine\n", "line 1, column 9", "not TOML", 'title = "Mine"'),
        ('title = "x\n', "line 1", "not TOML", None),
        ("\n\n[samples\n", "line 3", "']'", "[samples"),
        ("[samples]\n[samples]\n", "line 2", "twice", None),
        ("a = 1\na = 2\n", "line 2", "overwrite", None),
        ("x = [1,\n\n", "line 1, at the end", "not TOML", "close the quotation mark"),
    ],
)
def test_text_that_is_not_toml(text: str, place_said: str, said: str, hint: str | None, place: Path) -> None:
    error = refused(text, place)
    assert isinstance(error, UsageError)
    assert error.message.startswith(f"study.toml, {place_said}")
    assert said in error.message
    assert hint is None or hint in (error.hint or "")


def test_studies_without_scores_or_people(place: Path) -> None:
    assert "specifies no scores" in refused('title = "x"', place).message
    assert "no subject IDs were given" in refused('[embeddings]\nfile = "vectors.npy"', place).message
    images = '[images]\nfile = "photos"\nalgorithms = "correlation"\n'
    assert "no subject IDs were given" in refused(images, place).message
    assert "samples table" in refused(f'[scores]\nfile = "scores.npz"\n{images}', place).message
    assert "expected a table" in refused(f"output = false\n{BASE}", place).message
    assert "write it below that line" in (refused(f'orientation = "distance"\n{BASE}', place).hint or "")


def test_study_files_that_cannot_be_read(place: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        read_study(place)
    with pytest.raises(InputError, match="is a directory"):
        read_study(place.parent)
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read as a study"):
        read_study(place)
    place.write_text("x = " + "[" * 100_000, encoding="utf-8")
    with pytest.raises(UsageError):
        read_study(place)


def leaves(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """The way to everything in a parsed file."""
    if keys:
        yield keys
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from leaves(part, (*keys, key))


WORDS = st.text("abc[]#='\"{},.\\\n ", max_size=8)
VALUES = st.one_of(
    WORDS.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'),
    WORDS.map(lambda text: '"""' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'),
    st.text("abc[]#={},. ", max_size=8).map(lambda text: f"'{text}'"),
    st.sampled_from(["1", "-2.5e3", "true", "1979-05-27", "[]", "{}", "{ in = [1, {deep = 2}], out = 3 }"]),
    st.lists(st.sampled_from(["1", '"]"', "'#'"]), min_size=1, max_size=3).map(lambda v: "[ # x\n " + ",\n ".join(v) + ",\n]"),
)  # fmt: skip


@examples(200)
@given(st.lists(st.tuples(st.booleans(), st.lists(VALUES, max_size=3)), max_size=4))
def test_every_key_is_found_on_a_line_that_says_it(tables: list[tuple[bool, list[str]]]) -> None:
    """The parser is the oracle: whatever it finds must have a line, and that line must hold the key."""
    parts = []
    for number, (repeated, values) in enumerate(tables):
        parts.append("[[many]]" if repeated else f"[one{number}]  # [not.this]")
        parts += [f"key{k} = {value} # note = 1" for k, value in enumerate(values)]
    text = "\n".join(["# first = 0", *parts, ""])
    lines, places = text.split("\n"), Places.of(text)
    for keys in leaves(tomllib.loads(text)):
        assert keys in places.lines
        if isinstance(keys[-1], str):
            assert keys[-1] in lines[places.line(keys) - 1]
    order = [places.lines[keys] for keys in places.lines]
    assert order == sorted(order)


def test_the_nearest_place_is_named() -> None:
    places = Places.of('a = 1\n[b]\n"c d".e = 2\n[[f]]\n[f.g]\nh = 3\n[[f]]\n')
    assert places.line(("b", "c d", "e")) == 3
    assert places.line(("f", 0, "g", "h")) == 6
    assert places.line(("f", 1, "nothing")) == 7
    assert places.line(("nothing",)) == 1


@pytest.mark.parametrize("place", [".", ".."])
def test_a_directory_is_called_one(place):
    with pytest.raises(InputError) as error:
        read_study(place)
    assert error.value.message == f"{place} is a directory."
