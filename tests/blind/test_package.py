from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from proband.blind import Key, Package
from proband.errors import InputError

Make = Callable[..., tuple[Package, Key]]


@pytest.fixture
def small(make: Make) -> Package:
    return make(
        target="session == 1 and subject < 'Subject-002'", query="subject < 'Subject-002'", control=2
    )[0]


def files(package: Package) -> list[str]:
    return sorted(
        path.relative_to(package.path).as_posix() for path in package.path.rglob("*") if path.is_file()
    )


def test_every_file_is_listed_with_its_digest(small: Package) -> None:
    stated = json.loads((small.path / "package.json").read_bytes())
    assert sorted([*stated["files"], "package.json"]) == files(small)
    for name, digest in stated["files"].items():
        assert hashlib.sha256((small.path / name).read_bytes()).hexdigest() == digest
    assert hashlib.sha256((small.path / "package.json").read_bytes()).hexdigest() == small.digest
    assert stated["counts"]["targets"] == len(small.targets)
    assert repr(small).startswith("Package('blind test', fully automatic: 10 queries × 6 targets")


def test_any_file_changed_removed_or_added_is_named(small: Package) -> None:
    for name in files(small):
        if name == "package.json":
            continue
        path = small.path / name
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(
            InputError, match=f"^{name} of the package test has been changed since it was handed out"
        ):
            Package.read(small.path)
        path.unlink()
        with pytest.raises(InputError, match=f"^{name} is missing"):
            Package.read(small.path)
        path.write_bytes(content)
        extra = path.with_name("extra" + path.name)
        extra.write_bytes(b"")
        with pytest.raises(InputError, match=f"^{extra.relative_to(small.path).as_posix()} does not belong"):
            Package.read(small.path)
        extra.unlink()
    assert Package.read(small.path).digest == small.digest


def test_a_changed_description_has_another_digest_so_that_the_key_does_not_fit(make: Make) -> None:
    package, key = make()
    mark = package.path / "package.json"
    stated = json.loads(mark.read_bytes())
    (package.path / "queries.csv").write_text("id\nfirst\n", encoding="utf-8")
    stated["files"]["queries.csv"] = hashlib.sha256(b"id\nfirst\n").hexdigest()
    mark.write_text(json.dumps(stated), encoding="utf-8")
    with pytest.raises(InputError, match="does not belong to the package"):
        key.require(Package.read(package.path))


def test_links_and_empty_directories_are_changes(small: Package, tmp_path: Path) -> None:
    path = small.path / "README.md"
    content = path.read_bytes()
    (tmp_path / "elsewhere.md").write_bytes(content)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(InputError, match=r"^README\.md of the package test is a link"):
        Package.read(small.path)
    path.unlink()
    path.write_bytes(content)
    for extra in ("more", "images/more"):
        (small.path / extra).mkdir()
        with pytest.raises(InputError, match=f"^{extra}/ does not belong"):
            Package.read(small.path)
        (small.path / extra).rmdir()
        (small.path / extra).symlink_to(tmp_path)
        with pytest.raises(InputError, match=f"^{extra} of the package test is a link"):
            Package.read(small.path)
        (small.path / extra).unlink()
    mark = small.path / "package.json"
    mark.rename(tmp_path / "package.json")
    mark.symlink_to(tmp_path / "package.json")
    with pytest.raises(InputError, match=r"package\.json of the package test is a link"):
        Package.read(small.path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("targets.csv", "id\n", "no targets, or no queries"),
        ("control_queries.csv", "id\n", "one of the two control sets"),
        ("targets.csv", None, "repeat an earlier one"),
    ],
)
def test_lists_that_cannot_be_are_refused(small: Package, name: str, content: str | None, words: str) -> None:
    mark = small.path / "package.json"
    stated = json.loads(mark.read_bytes())
    text = (small.path / "queries.csv").read_text() if content is None else content
    (small.path / name).write_text(text)
    stated["files"][name] = hashlib.sha256(text.encode()).hexdigest()
    mark.write_text(json.dumps(stated))
    with pytest.raises(InputError, match=words):
        Package.read(small.path)
    mark.write_text(json.dumps(stated | {"version": "by hand"}))
    with pytest.raises(InputError, match="the unknown version 'by hand'"):
        Package.read(small.path)


def test_without_verifying_only_the_lists_are_read(small: Package) -> None:
    (small.path / "README.md").unlink()
    assert Package.read(small.path, verify=False).targets == small.targets
    (small.path / "targets.csv").unlink()
    with pytest.raises(InputError, match=r"targets\.csv is missing"):
        Package.read(small.path, verify=False)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": "proband blind test 9"}', '{"format": "proband blind test 1"}']
)
def test_what_is_no_package_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"has no package\.json"):
        Package.read(tmp_path)
    (tmp_path / "package.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"package\.json"):
        Package.read(tmp_path)
