from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from proband.blind import BlindTest, Key, Package
from proband.errors import InputError
from proband.samples import Samples

Make = Callable[..., tuple[Package, Key]]


def test_the_key_comes_back_as_it_was(make: Make, people: Samples, tmp_path: Path) -> None:
    package, key = make()
    key.require(package)
    assert (tmp_path / "test.key").stat().st_mode & 0o777 == 0o600
    assert key.table.columns == ["name", "role", "sample", "repeat_of"]
    used = people.take(people.ids.positions(key.samples.ids))
    assert key.samples.frame.equals(used.frame)
    assert key.samples.frame.schema == used.frame.schema
    assert key.samples.select("taken < date('2020-01-05')").positions.size
    (tmp_path / "again.key").touch(0o644)
    key.write(tmp_path / "again.key")
    assert (tmp_path / "again.key").read_bytes() == (tmp_path / "test.key").read_bytes()
    assert (tmp_path / "again.key").stat().st_mode & 0o777 == 0o600


def test_every_type_of_column_and_other_id_columns_survive(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "file": ["007", "008", "009"],
            "person": ["1", "1", "2"],
            "id": ["x", "x", "y"],
            "when": [datetime(2020, 1, 1, 12, 30), None, datetime(2021, 1, 1)],
            "far": [1.5, float("inf"), None],
            "kind": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "found": [True, False, True],
            "count": pl.Series([1, 2, None], dtype=pl.UInt16),
        }
    )
    samples = Samples(frame, id_column="file", subject_column="person", failed="not found")
    BlindTest(samples, "all", "all").make(tmp_path / "test", tmp_path / "key")
    again = Key.read(tmp_path / "key").samples
    assert list(again.ids) == ["007", "008", "009"]
    assert list(again.subjects) == ["1", "2"]
    assert again.failed.tolist() == [False, True, False]
    expected = samples.frame.with_columns(pl.col("kind").cast(pl.String))
    assert again.frame.equals(expected)
    assert again.frame.schema == expected.schema


def test_numbered_rows_can_be_ids_unless_another_column_claims_the_name(tmp_path: Path) -> None:
    samples = Samples({"subject": ["a", "a", "b"]}, id_column="#")
    BlindTest(samples, ["2", "0"], ["1"]).make(tmp_path / "test", tmp_path / "key")
    assert sorted(Key.read(tmp_path / "key").samples.ids) == ["0", "1", "2"]
    twice = Samples({"subject": ["a", "a", "b"], "id": ["x", "y", "z"]}, id_column="#")
    with pytest.raises(InputError, match="with other values"):
        BlindTest(twice, "all", "all").make(tmp_path / "test2", tmp_path / "key2")
    assert not (tmp_path / "test2").exists()
    assert not (tmp_path / "key2").exists()


def test_a_changed_key_is_noticed(make: Make, tmp_path: Path) -> None:
    make()
    path = tmp_path / "test.key"
    content = json.loads(path.read_bytes())
    content["secret"]["table"]["sample"][0] = content["secret"]["table"]["sample"][1]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="seal does not match"):
        Key.read(path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "proband blind key 1"}', "\x00\x01"])
def test_what_is_no_key_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="key"):
        Key.read(path)


def test_a_sealed_forgery_and_another_packages_key_do_not_fit(make: Make, tmp_path: Path) -> None:
    package, key = make()
    other, other_key = make("other")
    with pytest.raises(InputError, match="does not belong to the package"):
        other_key.require(package)
    mine, theirs = "Subject-001-picture-0", "Subject-007-picture-0"
    exchanged = key.table["sample"].replace([mine, theirs], [theirs, mine])
    forged = replace(key, table=key.table.with_columns(sample=exchanged))
    forged.write(tmp_path / "forged.key")
    with pytest.raises(InputError, match="commitment"):
        Key.read(tmp_path / "forged.key").require(package)
    with pytest.raises(InputError, match="commitment"):
        replace(other_key, package=package.digest).require(package)
    other_key.require(other)


def test_a_right_guess_cannot_be_confirmed_without_the_salt(make: Make) -> None:
    package, key = make()
    # All that is secret but the salt: the commitment of a perfect guess differs.
    assert replace(key, salt="0" * 64).commitment != package.commitment
    assert len(key.salt) == 64
    assert key.commitment == package.commitment


def test_the_commitment_is_the_digest_of_the_secret(make: Make, tmp_path: Path) -> None:
    package, _ = make()
    secret = json.loads((tmp_path / "test.key").read_bytes())["secret"]
    text = json.dumps(secret, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == package.commitment


def resealed(package: Package, path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a key's secret and make all digests fit, the package's commitment included."""

    def digest(content: object) -> str:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    content = json.loads(path.read_bytes())
    del content["seal"]
    change(content["secret"])
    mark = package.path / "package.json"
    mark.write_text(json.dumps({**json.loads(mark.read_bytes()), "commitment": digest(content["secret"])}))
    content["package"] = hashlib.sha256(mark.read_bytes()).hexdigest()
    path.write_text(json.dumps({**content, "seal": digest(content)}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s["table"].update(name=5), "missing or duplicate names"),
        (lambda s: s["table"]["name"].__setitem__(0, s["table"]["name"][1]), "duplicate names"),
        (
            lambda s: [values.pop() for values in s["table"].values()],
            "do not name the same images|which is not a target",
        ),
        (lambda s: s["table"]["sample"].pop(), "cannot be read as the key"),
        (lambda s: s["table"]["sample"].__setitem__(3, "nobody"), "which is not in its table of samples"),
        (lambda s: s["table"]["role"].__setitem__(3, "king"), "the unknown role 'king'"),
        (lambda s: s["table"]["repeat_of"].__setitem__(0, "zebra"), "repeats 'zebra'"),
        (
            lambda s: s["table"].update(repeat_of=[None] * len(s["table"]["name"])),
            "does not state which image",
        ),
        (lambda s: s.update(table=[]), "key"),
        (lambda s: s.pop("samples"), "lacks 'samples'"),
        (lambda s: s.update(samples=[]), "key"),
        (lambda s: s["samples"].update(columns="abc"), "key"),
        (lambda s: s["samples"]["columns"][1].update(values=[1]), "key"),
        (lambda s: s["samples"]["columns"][1].update(kind="Nonsense"), "unknown kind: 'Nonsense'"),
        (lambda s: s.update(others=[1, 2]), "must be mappings from names to lists"),
        (lambda s: s.update(training=[1, 2]), "must be mappings from names to lists"),
        (lambda s: s.update(salt=1), "'salt' is not text"),
    ],
)
def test_a_forged_key_is_an_input_error_whatever_is_wrong(
    make: Make, tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    package, _ = make(pictures=None)
    resealed(package, tmp_path / "test.key", change)
    with pytest.raises(InputError, match=words):
        Key.read(tmp_path / "test.key").require(Package.read(package.path))


def test_a_directory_is_no_key(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    with pytest.raises(InputError, match=r"^The key .*/s is a directory"):
        Key.read(tmp_path / "s")
