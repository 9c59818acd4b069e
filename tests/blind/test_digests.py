"""Digests of packages, keys, submissions and receipts, recomputed by the rule of docs/how-to/blind.md: hashlib, json and files, and nothing of ours.

`recomputed` and what it calls are written from the document alone; the product only makes what they are tried on, and judges what was changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proband.blind import Key, Package, Receipts, receive
from proband.blind.checking.submission import Submission
from proband.errors import InputError

Make = Callable[..., tuple[Package, Key]]
Answer = Callable[..., Path]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file by its path, in the order of the bytes of the paths."""
    held = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    return dict(sorted(held.items(), key=lambda item: item[0].encode()))


def one_way(content: Any) -> bytes:
    """JSON with sorted keys, without spaces, in UTF-8."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def package_digest(folder: Path) -> str:
    """The digest of package.json, if it lists exactly the files that are there, each with its own digest."""
    files = files_below(folder)
    description = files.pop("package.json")
    assert json.loads(description)["files"] == {name: sha256(content) for name, content in files.items()}
    return sha256(description)


def commitment(key: Path) -> str:
    return sha256(one_way(json.loads(key.read_bytes())["secret"]))


def seal(key: Path) -> str:
    return sha256(
        one_way({name: part for name, part in json.loads(key.read_bytes()).items() if name != "seal"})
    )


def submission_digest(folder: Path) -> str:
    return sha256(
        "".join(f"{sha256(content)}  {name}\n" for name, content in files_below(folder).items()).encode()
    )


def receipt_digests(log: Path) -> list[str]:
    """The digest of every line, once each is seen to hold that of the line before."""
    digests = ["0" * 64]
    for number, line in enumerate(log.read_bytes().splitlines(keepends=True), 1):
        stated = json.loads(line)
        assert (stated["number"], stated["previous"]) == (number, digests[-1])
        digests.append(sha256(line))
    return digests[1:]


@pytest.fixture
def desk(make: Make, answer: Answer, tmp_path: Path) -> Path:
    """A test with its key, two submissions, one with a file in a folder of its own, and the log of both."""
    package, key = make(
        target="session == 1 and subject < 'Subject-012'",
        query="subject < 'Subject-012'",
        control=4,
        deadline="2026-12-01T13:00+01:00",
    )
    for name, at in (("near", "2026-12-01T10:00Z"), ("far", "2026-12-01T11:00Z")):
        path = answer(package, key, name=name).rename(tmp_path / name)
        (path / "Zusätze").mkdir()
        (path / "Zusätze" / "a.txt").write_text("über das Verfahren", encoding="utf-8")
        (path / "a.txt").write_text("there was no training", encoding="utf-8")
        receive(package, path, tmp_path / "receipts.jsonl", at=at)
    return tmp_path


def test_every_digest_is_what_the_document_says(desk: Path) -> None:
    package, key = Package.read(desk / "test"), Key.read(desk / "test.key")
    assert package.digest == key.package == package_digest(desk / "test")
    assert package.commitment == key.commitment == commitment(desk / "test.key")
    assert json.loads((desk / "test.key").read_bytes())["seal"] == seal(desk / "test.key")
    receipts = Receipts.read(desk / "receipts.jsonl").receipts
    assert [receipt.digest for receipt in receipts] == receipt_digests(desk / "receipts.jsonl")
    for name, receipt in zip(("near", "far"), receipts, strict=True):
        assert Submission.read(desk / name).digest == receipt.submission == submission_digest(desk / name)
        assert receipt.files == {path: sha256(content) for path, content in files_below(desk / name).items()}
        assert receipt.package == package_digest(desk / "test")


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum and GNU find")
def test_the_commands_of_the_document_give_the_same(desk: Path) -> None:
    def printed(command: str, where: Path) -> str:
        done = subprocess.run(["bash", "-c", command], cwd=where, capture_output=True, text=True, check=True)
        return done.stdout.split()[0]

    text = (Path(__file__).parents[2] / "docs" / "how-to" / "blind.md").read_text(encoding="utf-8")
    of_package, of_submission, of_receipt = (
        line.partition("$ ")[2] for line in text.splitlines() if line.startswith("$ ") and "sha256sum" in line
    )
    assert printed(of_package, desk) == Package.read(desk / "test").digest
    receipts = Receipts.read(desk / "receipts.jsonl").receipts
    assert printed(of_submission.replace("answers/pca", "near"), desk) == receipts[0].submission
    assert printed(of_receipt.replace("3p", "2p"), desk) == receipts[1].digest


def changes(folder: Path) -> Iterator[str]:
    """Change one thing after another below a folder, say what, and put it back: a byte of each file, its name, its place, two files."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in files:
        content = path.read_bytes()
        for place in {0, len(content) // 2, len(content) - 1}:
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            yield f"byte {place} of {path.name}"
        path.write_bytes(content[:-1])
        yield f"the end of {path.name}"
        path.write_bytes(content + b"\n")
        yield f"one more byte in {path.name}"
        path.write_bytes(content)
        renamed = path.rename(path.with_name(f"{path.name}~"))
        yield f"the name of {path.name}"
        renamed.rename(path)
        lines = content.splitlines(keepends=True)
        if path.suffix in (".csv", ".jsonl") and len(lines) > 2:
            path.write_bytes(b"".join([*lines[:-2], lines[-1], lines[-2]]))
            yield f"the order of {path.name}"
            path.write_bytes(content)
    one, other = files[:2]
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    yield "two files that change places"
    one.write_bytes(contents[0])
    other.write_bytes(contents[1])


def test_whatever_is_changed_in_a_package_is_noticed(desk: Path) -> None:
    folder = desk / "test"
    package, key = Package.read(folder), Key.read(desk / "test.key")
    n = 0
    for what in changes(folder):
        n += 1
        with pytest.raises(InputError):
            key.require(Package.read(folder))
        try:
            same = package_digest(folder) == package.digest
        except (AssertionError, KeyError, ValueError):  # not listed, not there, or no JSON
            same = False
        assert not same, what
    assert n > 5 * 40
    assert package_digest(folder) == Package.read(folder).digest == package.digest


def test_whatever_is_changed_in_a_key_is_noticed(desk: Path) -> None:
    path = desk / "test.key"
    content = path.read_bytes()
    for place in range(0, len(content) - 1, 97):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(InputError):
            Key.read(path).require(Package.read(desk / "test"))


def test_whatever_is_changed_in_a_submission_is_noticed(desk: Path) -> None:
    package, log = Package.read(desk / "test"), Receipts.read(desk / "receipts.jsonl")
    before = submission_digest(desk / "near")
    for what in changes(desk / "near"):
        assert submission_digest(desk / "near") != before, what
        with pytest.raises(InputError):
            log.of(package, Submission.read(desk / "near"))
    (desk / "near" / "empty.txt").touch()
    with pytest.raises(
        InputError, match=r"^empty\.txt of near has changed since it was received at 2026-12-01 10:00 UTC"
    ):
        log.of(package, Submission.read(desk / "near"))


def test_whatever_is_changed_in_the_log_is_noticed(desk: Path, tmp_path: Path) -> None:
    log = desk / "receipts.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    last = receipt_digests(log)[-1]
    changed = [
        [lines[1], lines[0]],
        [lines[1]],
        [*lines, lines[1]],
        [lines[0].replace(b"T10", b"T09"), lines[1]],
    ]
    changed += [[lines[0], lines[1][:-1]], [b"\n", *lines], [lines[0].replace(b",", b", ", 1), lines[1]]]
    for content in changed:
        log.write_bytes(b"".join(content))
        with pytest.raises(InputError):
            Receipts.read(log)
    # What a log alone cannot show: that its end is missing, or was written again. The participant's receipt does.
    for content in ([lines[0]], [lines[0], lines[1].replace(b"T11", b"T09")]):
        log.write_bytes(b"".join(content))
        assert Receipts.read(log).receipts[-1].digest == receipt_digests(log)[-1] != last
