from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.blind import Key, Meeting, Package, hashed, met_by, read_training
from proband.errors import DesignError, InputError, UsageError

Make = Callable[..., tuple[Package, Key]]
SOME = "subject < 'Subject-010'"


def test_hashing_is_salt_then_name() -> None:
    assert hashed("a", "salt") == "sha256:" + hashlib.sha256(b"salta").hexdigest()


@pytest.mark.parametrize("hashing", [False, True])
@pytest.mark.parametrize(
    ("entry", "meant"),
    [
        ("Subject-003-picture-1", ("sample", "Subject-003-picture-1")),
        ("Subject-003", ("subject", "Subject-003")),
        ("Subject-003-picture-3", ("subject", "Subject-003")),
    ],
)
def test_training_that_meets_the_test_is_refused_by_name(
    make: Make, tmp_path: Path, entry: str, meant: tuple[str, str], hashing: bool
) -> None:
    declared = hashed(entry, "announced") if hashing else entry
    (tmp_path / "list.txt").write_text(f"Subject-020\n\n{declared}\n", encoding="utf-8")
    name, parts = read_training(f"mine={tmp_path / 'list.txt'}")
    what, who = meant
    said = f"training set 'mine' overlaps the test: '{declared}' (is a sample|belongs to a person)"
    with pytest.raises(DesignError, match=said) as refusal:
        make(
            target=f"{SOME} and session == 1",
            query=f"{SOME} and session == 1",
            training={name: parts},
            training_salt="announced",
        )
    assert who in refusal.value.message
    assert ("is a sample" in refusal.value.message) == (what == "sample")
    assert not (tmp_path / "test").exists()
    assert not (tmp_path / "test.key").exists()


def test_training_on_others_is_recorded_in_full_in_the_key_and_by_digest_in_the_package(
    make: Make, tmp_path: Path
) -> None:
    lines = ["Subject-020", "Subject-021-picture-0", "somebody else"]
    (tmp_path / "plain.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "hashed.txt").write_text("\n".join(hashed(line, "s") for line in lines), encoding="utf-8")
    training = dict(read_training(f"{name}={tmp_path / name}.txt") for name in ("plain", "hashed"))
    package, key = make(target=SOME, query=SOME, training=training, training_salt="s")
    assert key.training == training
    assert key.training["plain"]["either"] == lines
    stated = json.loads((package.path / "package.json").read_bytes())
    assert stated["training"]["plain"] == stated["training"]["hashed"]
    assert stated["training"]["plain"]["count"] == 3
    assert stated["training_salt"] == package.training_salt == key.training_salt == "s"
    assert all(line.encode() not in path.read_bytes() for line in lines for path in package.path.glob("*.*"))


def test_tables_tell_samples_from_subjects(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,subject\n1,7\n2,\n", encoding="utf-8")
    assert read_training(f"t={path}") == ("t", {"samples": ["1", "2"], "subjects": ["7"], "either": []})
    path.write_text("name\nx\n", encoding="utf-8")
    with pytest.raises(InputError, match="neither a column 'id' nor a column 'subject'"):
        read_training(f"t={path}")


def test_malformed_declarations(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="NAME=FILE"):
        read_training("just-a-file.txt")
    with pytest.raises(InputError, match="There is no file"):
        read_training(f"a={tmp_path / 'none.txt'}")
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="is empty"):
        read_training(f"a={tmp_path / 'empty.txt'}")


def test_what_a_submission_declares_is_looked_for_with_the_key(make: Make) -> None:
    package, key = make(target=f"{SOME} and session == 1", query=f"{SOME} and session == 1")
    salt = package.training_salt
    assert len(salt) == 64
    unseen = hashed("Subject-004-picture-2", salt)
    declared = [
        "Subject-020",
        "Subject-001",
        hashed("Subject-002-picture-0", salt),
        unseen,
        hashed("Subject-002", "x"),
    ]
    assert met_by(declared, key) == [
        Meeting("Subject-001", "subject", "Subject-001"),
        Meeting(declared[2], "sample", "Subject-002-picture-0"),
        Meeting(unseen, "subject", "Subject-004"),
    ]
    assert met_by([], key) == []


def test_hashed_names_need_an_announced_salt(make: Make, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(f"somebody\n{hashed('Subject-003', 'old')}\n", encoding="utf-8")
    name, parts = read_training(f"mine={tmp_path / 'list.txt'}")
    with pytest.raises(UsageError, match=r"has hashed names .* no training salt was given") as refused:
        make(target=SOME, query=SOME, training={name: parts})
    assert "announce a salt before" in str(refused.value)
    assert not (tmp_path / "test").exists()
