"""Whatever reads a file refuses at once what is none: a pipe waits for ever, a device has no end, a link may lead back to itself."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.algorithms.pictures.pictures import Pictures, read_picture
from proband.algorithms.storage import load_model
from proband.analyses import Request
from proband.blind import Key, read_training
from proband.cli import main
from proband.errors import InputError
from proband.inference.galleries.participants import read_participants
from proband.protocols.audit.losses import read_exclusions
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.running.data import FeatureTable
from proband.protocols.splits.files import read_splits
from proband.samples import Samples
from proband.samples.choosing import choose
from proband.samples.reading import read_frame
from proband.scores.formats import FORMATS, read_file, read_image_list
from proband.scores.inspection import inspect_file
from proband.scores.pair_lists import read_pairs
from proband.scores.reading import read_embeddings, read_scores
from proband.study.init.study_file import initial_study
from proband.study.reading import read_study
from proband.study.run import run

SAMPLES = Samples({"id": ["a", "b"], "subject": ["s", "t"]})
TABLES = (".csv", ".tsv", ".parquet", ".arrow", ".jsonl", ".npz", ".srt")
SCORES = (".csv", ".npz", ".npy", ".mtx", ".txt", ".parquet", "")
READERS: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
    "samples": (TABLES[:-1], Samples.read),
    "a frame": (TABLES[:-1], read_frame),
    "an image list": ((".srt",), read_image_list),
    "scores": (SCORES, lambda path: read_scores(path, SAMPLES, orientation="similarity")),
    "embeddings": (
        (".npz", ".npy", ".safetensors", ".parquet"),
        lambda path: read_embeddings(path, metric="l2"),
    ),
    "inspect": ((*SCORES, *TABLES), lambda path: inspect_file(str(path))),
    "init": ((*SCORES, *TABLES), lambda path: initial_study([path], Path("study.toml"))),
    "a study": ((".toml",), read_study),
    "a study's scores": (SCORES, lambda path: run(Request(scores={"file": str(path)}))),
    "a study's samples": (
        (".csv",),
        lambda path: run(Request(samples={"file": str(path)}, scores={"file": "scores.npz"})),
    ),
    "a study's mask": (
        (".mask",),
        lambda path: run(Request(scores={"file": "scores.npz", "mask": str(path)})),
    ),
    "pairs": ((".csv", ".txt", ".npz"), lambda path: read_pairs(path, SAMPLES)),
    "a selection": ((".txt",), lambda path: choose(SAMPLES, f"@{path}")),
    "a card": ((".json",), ProtocolCard.read),
    "a key": ((".key",), Key.read),
    "training": ((".txt", ".csv"), lambda path: read_training(f"t={path}", "id", "subject")),
    "splits": ((".csv", ".parquet"), read_splits),
    "participants": ((".csv",), read_participants),
    "exclusions": ((".csv",), read_exclusions),
    "a model": ((".npz",), load_model),
    "pictures": ((".npz", ""), lambda path: Pictures.of(path, SAMPLES)),
    "a picture": ((".png",), read_picture),
    "features": ((".npz", ".npy", ""), lambda path: FeatureTable.read(str(path), SAMPLES)),
    **{
        f"the format {name}": (("",), lambda path, name=name: read_file(path, format=name))  # type: ignore[misc]
        for name in FORMATS.names()
    },
}
COMMANDS = [
    "evaluate {} -s samples.csv",
    "evaluate scores.npz -s {}",
    "evaluate -e {} -s samples.csv --metric l2",
    "evaluate scores.npz -s samples.csv -g @{}",
    "verify scores.npz -s samples.csv --pairs {}",
    "compare {} --outcomes",
    "classify --predictions {}",
    "survey {} --mean x",
    "gate scores.npz --baseline {} -s samples.csv",
    "audit {}",
    "audit samples.csv -i {}",
    "recognize {} -s samples.csv -a correlation -o made.npz",
    "alter {} -s samples.csv --change gain:0.5 -o made",
    "protocol run {} -s samples.csv -c lbp:nbnn",
    "convert {} made.csv",
    "init {}",
    "run {}",
    "card show {}",
    "blind score {} package answer",
]


@pytest.fixture
def at_once() -> Iterator[None]:
    """A reader that waits is interrupted, and so fails."""

    def late(*_: Any) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _pipe(path: Path) -> str:
    os.mkfifo(path)
    return "is a pipe"


def _socket(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)  # a path of a socket is short
    return "is a socket"


def _loop(path: Path) -> str:
    path.symlink_to(path.name)
    return "is a symbolic link that points to itself"


def _device(path: Path) -> str:
    path.symlink_to(os.devnull)
    return "is a device"


def _refusal(read: Callable[[Path], object], path: Path) -> Iterator[str]:
    try:
        read(path)
        yield "it is read"
    except InputError as refused:
        yield str(refused)
    except Exception as error:
        yield repr(error)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.savez("scores.npz", a=np.eye(2), query_ids=["a", "b"], target_ids=["a", "b"], orientation="similarity")
    SAMPLES.frame.write_csv("samples.csv")
    return tmp_path


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("make", [_pipe, _socket, _loop, _device])
def test_no_reader_waits(folder: Path, make: Callable[[Path], str]) -> None:
    wrong = []
    for ending in sorted({one for endings, _ in READERS.values() for one in endings}):
        path = folder / f"odd{ending}"
        said = make(path)
        for name, (endings, read) in READERS.items():
            if ending in endings:
                wrong += [f"{name} of {path.name}: {one}" for one in _refusal(read, path) if said not in one]
    assert wrong == []


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("make", [_pipe, _loop])
def test_no_command_waits(
    folder: Path, make: Callable[[Path], str], capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {ending: folder / f"odd{ending}" for ending in (".npz", ".csv")}
    (said,) = {make(path) for path in odd.values()}
    wrong = []
    for command in COMMANDS:
        for path in odd.values():
            with pytest.raises(SystemExit) as ended:
                main(command.format(path.name).split())
            told = capsys.readouterr().err
            wrong += (
                [] if ended.value.code == 1 and said in told else [f"{command.format(path.name)}: {told}"]
            )
    assert wrong == []
    assert sorted(one.name for one in folder.iterdir()) == ["odd.csv", "odd.npz", "samples.csv", "scores.npz"]


def test_files_are_opened_in_one_place() -> None:
    """What a user names is opened by `engine.files`; what we wrote ourselves, and what is beside the code, may be opened anywhere."""
    ours = {"engine", "kernels", "report", "papers", "faces"}
    reads = re.compile(r"\.read_bytes\(\)|\.read_text\(|\.open\(\"rb\"\)")
    source = Path(__file__).parents[1] / "src" / "proband"
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if path.relative_to(source).parts[0] not in ours and reads.search(path.read_text(encoding="utf-8"))
    }
    assert found == {
        "analyses/protocol/tables.py",
        "protocols/cards/literature.py",
        "protocols/cards/schema.py",
        "protocols/running/cache.py",
    }
