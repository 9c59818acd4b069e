"""Tables that are odd, wide or long, and names that no file can have: read in little time, or refused in words."""

from __future__ import annotations

import os
import random
import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.examples import TIMES
from tests.hostile.tables import COMMANDS, ENDINGS, IDS, ODD, PEOPLE, TWICE, prepared, written

from proband.algorithms import Pictures, load_model, read_picture
from proband.blind import BlindTest, Key, Package
from proband.blind.checking.submission import Submission
from proband.engine.files.files import make_directory, written_whole
from proband.engine.files.placing import settle
from proband.errors import InputError, ProbandError
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.splits.files import read_splits
from proband.report.directory import whole_directory
from proband.samples import Samples
from proband.scores import Scores
from proband.scores.formats import read_file, read_image_list, write_image_list, write_scores
from proband.scores.inspection import inspect_file
from proband.scores.pair_lists import read_pairs
from proband.scores.vector_files import models_in
from proband.study.caching import Cache
from proband.study.reading import read_study

Run = Callable[..., Any]
resource = pytest.importorskip("resource")
NAMES = (*ODD, *TWICE)
# What was once a traceback.
FOUND = (
    ("no columns", "arrow", "inspect T --json"),
    ("no rows", "arrow", "evaluate -e T -s samples.csv -g one_per_subject --json"),
    ("lists for ids", "parquet", "classify T --truth subject --predicted id --json"),
    ("records", "arrow", "verify scores.npz -s T --orientation similarity --by x --json"),
    ("bytes", "arrow", "compare T --outcomes --item id --algorithm subject --success x --json"),
    ("bytes", "parquet", "init T samples.csv scores.npz --out made.toml"),
    ("spans of time", "ipc", "init T samples.csv scores.npz --out made.toml"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    prepared(tmp_path)
    monkeypatch.setenv("PROBAND_TRACEBACK", "1")
    return tmp_path


def tried(run: Run, folder: Path, name: str, ending: str, command: str) -> None:
    """Read an odd table; whatever comes of it, it is no traceback."""
    path = written(name, ending, folder)
    if path is None:
        return
    words = [word.replace("T", path.name) if word[-1] == "T" else word for word in shlex.split(command)]
    done = run(*words, cwd=folder)
    assert done.returncode in (0, 1, 2, 3), (name, command)
    assert "No such option" not in done.stderr, command


@pytest.mark.parametrize(("name", "ending", "command"), FOUND)
def test_what_was_once_a_traceback(run: Run, folder: Path, name: str, ending: str, command: str) -> None:
    tried(run, folder, name, ending, command)


def test_odd_tables_on_some_ways_in(run: Run, folder: Path) -> None:
    rng = random.Random(os.environ.get("PROBAND_FUZZ_SEED", "0"))
    for name in rng.sample(NAMES, len(NAMES)) * max(1, TIMES):
        tried(run, folder, name, rng.choice(ENDINGS), rng.choice(COMMANDS))
        for made in folder.glob("made*"):
            made.rename(folder / f"{rng.random()}")


@pytest.mark.long
@pytest.mark.parametrize("ending", ENDINGS)
def test_odd_tables_on_every_way_in(run: Run, folder: Path, ending: str) -> None:
    for number, (name, command) in enumerate((name, command) for name in NAMES for command in COMMANDS):
        tried(run, folder, name, ending, command)
        for made in folder.glob("made*"):
            made.rename(folder / f"{number}-{made.name}")


@pytest.mark.parametrize("ending", ENDINGS[:4])
@pytest.mark.parametrize(
    "read",
    [
        Samples.read,
        read_file,
        inspect_file,
        lambda path: read_pairs(path, TABLE),
        lambda path: models_in(path, None, None),
    ],
)
def test_a_table_without_columns_is_refused(tmp_path: Path, ending: str, read: Callable[[Path], Any]) -> None:
    path = written("no columns", ending, tmp_path)
    assert path is not None
    with pytest.raises(ProbandError):
        read(path)


# Size


def timed(read: Callable[[], Any], seconds: float = 5) -> Any:
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        return read()
    except ProbandError as error:
        return error
    finally:
        assert time.process_time() - start < seconds
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000


def test_a_matrix_of_many_targets_is_read_whole(tmp_path: Path) -> None:
    """A thousand columns and more: polars takes some ways of giving them for rows."""
    values = np.random.default_rng(0).random((3, 2_500))
    targets = [f"t{k}" for k in range(2_500)]
    scores = Scores.from_array(values, ["q0", "q1", "q2"], targets, orientation="similarity")
    for name, form in (("m.csv", "csv-matrix"), ("m.parquet", "parquet-matrix")):
        write_scores(tmp_path / name, scores, samples=None, format=form)
        file = timed(lambda name=name: read_file(tmp_path / name))
        np.testing.assert_array_equal(np.asarray(file.matrices["m"]), values)
        assert list(file.targets) == targets


WIDE = 10_000


@pytest.mark.parametrize(
    "ending",
    [*(pytest.param(one, marks=pytest.mark.long) for one in ("csv", "parquet", "jsonl")), "tsv", "arrow"],
)
def test_tables_of_many_columns(tmp_path: Path, ending: str) -> None:
    wide = WIDE if TIMES or ending == "csv" else WIDE // 4
    frame = pl.DataFrame({**PEOPLE, **{f"c{k}": [k % 7, 1, None, 2] for k in range(wide)}})
    path = tmp_path / f"wide.{ending}"
    match ending:
        case "parquet":
            frame.write_parquet(path)
        case "arrow":
            frame.write_ipc(path)
        case "jsonl":
            frame.write_ndjson(path)
        case _:
            frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    table = timed(lambda: Samples.read(path))
    assert table.frame.width == wide + 2
    assert table.frame["c3"].to_list() == [3, 1, None, 2]


def test_an_archive_of_many_arrays(tmp_path: Path) -> None:
    n = WIDE if TIMES else WIDE // 5
    arrays = {f"k{k}": np.eye(2) for k in range(n)}
    np.savez(tmp_path / "many.npz", query_ids=IDS[:2], target_ids=IDS[2:], **arrays)
    assert len(timed(lambda: read_file(tmp_path / "many.npz"), 5 if TIMES else 2).matrices) == n


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "id,subject\n" + "".join(f"{k},{k % 1000}\n" for k in range(10**6)),
        f"id,subject\n{'a' * 10**8},b\n",
        "a" * 10**8,
        "," * 10**7,
        f"a b c {'1' * 10**8}",
        "\n" * 10**6,
        '"' * 10**7,
    ],
    ids=["lines", "a long cell", "a long line", "commas", "a long number", "blank lines", "quotation marks"],
)
def test_long_texts(tmp_path: Path, text: str) -> None:
    (tmp_path / "long.csv").write_text(text)
    for read in (Samples.read, read_file):
        start = time.process_time()
        with suppress(ProbandError):
            read(tmp_path / "long.csv")
        assert time.process_time() - start < 10


# Names that no file can have


def _written_to(path: Path) -> None:
    with written_whole(path) as draft:
        draft.touch()


def _run_into(path: Path) -> None:
    with whole_directory(path):
        pass


TABLE = Samples(PEOPLE)
SCORES = Scores.from_array(-np.eye(2), IDS[2:], IDS[:2], orientation="distance")
DOORS: dict[str, Callable[[Path], Any]] = {
    "samples": Samples.read,
    "scores": read_file,
    "pairs": lambda path: read_pairs(path, TABLE),
    "embeddings": lambda path: models_in(path, None, None),
    "splits": read_splits,
    "image list": read_image_list,
    "inspection": inspect_file,
    "pictures": lambda path: Pictures.of(path, TABLE),
    "picture": read_picture,
    "model": load_model,
    "study": read_study,
    "card": ProtocolCard.read,
    "key": Key.read,
    "package": Package.read,
    "submission": Submission.read,
    "recovery": settle,
    "directory": make_directory,
    "cache": lambda path: Cache(path).step("a", {}, lambda: 1),
    "file": _written_to,
    "results": _run_into,
    "written list": lambda path: write_image_list(path, TABLE),
    "package made": lambda path: BlindTest(TABLE, "all", "all").make(path, path.with_name("key")),
    "key made": lambda path: BlindTest(TABLE, "all", "all").make(path.with_name("package"), path),
    **{
        f"written {form}": lambda path, form=form: write_scores(path, SCORES, samples=TABLE, format=form)
        for form in ("npz", "npy", "bee", "csv-long", "csv-matrix", "bob5", "parquet-long", "csu")
    },
}


@pytest.mark.parametrize("name", ["x\0y", "x\0y.npz", "\0", "x\ud800y", "x\0y/z.csv"], ids=ascii)
def test_names_that_no_file_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    for door, use in DOORS.items():
        with pytest.raises(ProbandError):
            use(tmp_path / name)
        assert list(tmp_path.iterdir()) == [], door


def test_a_record_from_strangers_names_no_such_file(tmp_path: Path) -> None:
    left = tmp_path / ".writing-0123456789ab"
    (left / "0").mkdir(parents=True)
    (left / "lock").touch()
    (left / "commit.json").write_text(
        '[{"draft": "0/x\\u0000", "place": "../x\\u0000", "new": [], "old": null}]'
    )
    with pytest.raises(InputError, match="was changed since it was written"):
        settle(tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("name", ["commit.json", "leader"])
def test_a_pipe_in_the_place_of_a_record_is_not_waited_for(tmp_path: Path, name: str) -> None:
    left = tmp_path / ".writing-0123456789ab"
    left.mkdir()
    (left / "lock").touch()
    os.mkfifo(left / name)
    _written_to(tmp_path / "out")
    assert (tmp_path / "out").exists()
