"""Make a release of the last commit in dist/: wheel, sdist, SBOM and checksums.

Everything is built twice, in different places and surroundings, and must have the same bytes both times. Nothing is uploaded.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
SURROUNDINGS = (
    {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
    {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"},
)


def main() -> None:
    """Build, compare, check, and put everything into dist/."""
    epoch = int(_git("log", "-1", "--format=%ct").decode())
    if _git("status", "--porcelain"):
        print("note: changes that are not committed are not in the release.")
    with tempfile.TemporaryDirectory() as folder:
        first, second = (
            build(Path(folder) / name, epoch, surroundings)
            for name, surroundings in zip(("one", "another-place"), SURROUNDINGS, strict=True)
        )
        for name in sorted(first.keys() | second.keys()):
            if first.get(name) != second.get(name):
                sys.exit(f"{name} differs between two builds of the same commit.")
    _require_all_files(first)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for name, content in first.items():
        (DIST / name).write_bytes(content)
    built = [str(DIST / name) for name in first if not name.endswith(".json")]
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(first.items())]
    (DIST / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print("".join(sums), end="")


def build(tree: Path, epoch: int, surroundings: dict[str, str]) -> dict[str, bytes]:
    """Return the files of a release by their names, built in a copy of the last commit; the wheel is built from the sdist."""
    tree.mkdir()
    _unpack(_git("archive", "HEAD"), tree)
    environment = os.environ | surroundings | {"SOURCE_DATE_EPOCH": str(epoch)}

    def hatch(place: Path, kind: str) -> Path:
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(tree / "built")]
        done = subprocess.run(
            command, cwd=place, env=environment, check=False, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        (made,) = (tree / "built").glob({"sdist": "*.tar.gz", "wheel": "*.whl"}[kind])
        return made

    sdist = hatch(tree, "sdist")
    _unpack(sdist.read_bytes(), tree / "from-sdist")
    (unpacked,) = (tree / "from-sdist").iterdir()
    wheel = hatch(unpacked, "wheel")
    bill = sbom(tree, epoch)
    named = f"proband-{bill['metadata']['component']['version']}.cdx.json"
    return {
        sdist.name: sdist.read_bytes(),
        wheel.name: wheel.read_bytes(),
        named: f"{json.dumps(bill, indent=2)}\n".encode(),
    }


@dataclass(frozen=True)
class Locked:
    """A line of a lock file: a version of a package, when it is installed, its files, and what requires it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    via: tuple[str, ...]

    @property
    def ref(self) -> str:
        """The package URL, which identifies it within the SBOM."""
        return f"pkg:pypi/{self.name}@{self.version}"


def locked(text: str) -> list[Locked]:
    """Read a lock file with annotations."""
    found = []
    for part in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        head = re.match(r"([\w.-]+)==([^\s;]+)(?: ; (.*?))? \\$", part, re.MULTILINE)
        if head is None:
            continue
        _, _, notes = part.partition("# via")
        via = tuple(line.strip("# ").strip() for line in notes.splitlines())
        hashes = tuple(sorted(re.findall(r"--hash=sha256:(\w+)", part)))
        found.append(Locked(head[1], head[2], head[3] or "", hashes, tuple(filter(None, via))))
    return found


def sbom(tree: Path, epoch: int) -> dict[str, Any]:
    """Return the software bill of materials (CycloneDX 1.6) of what the lock file installs with the core and the images extra."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(
        r'"(.+)"', (tree / "src/proband/_version.py").read_text(encoding="utf-8").split("=")[-1]
    )
    assert version is not None
    lock = locked((tree / "requirements" / "run.txt").read_text(encoding="utf-8"))
    core = _with_all_they_need(lock, _names(project["dependencies"]))
    shipped = core | _with_all_they_need(lock, _names(project["optional-dependencies"]["images"]))
    own = f"pkg:pypi/proband@{version[1]}"
    packages = [one for one in lock if one.name in shipped]
    components = [
        {
            "type": "library",
            "bom-ref": one.ref,
            "name": one.name,
            "version": one.version,
            "scope": "required" if one.name in core else "optional",
            "purl": one.ref,
            "hashes": [{"alg": "SHA-256", "content": digest} for digest in one.hashes],
            **({"properties": [{"name": "marker", "value": one.marker}]} if one.marker else {}),
        }
        for one in packages
    ]
    dependencies = [
        {
            "ref": own,
            "dependsOn": sorted(one.ref for one in packages if "proband (pyproject.toml)" in one.via),
        },
        *(
            {"ref": one.ref, "dependsOn": sorted(other.ref for other in packages if one.name in other.via)}
            for one in packages
        ),
    ]
    stated = json.dumps([version[1], epoch, components, dependencies])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.UUID(bytes=hashlib.sha256(stated.encode()).digest()[:16], version=4)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": "proband",
                "version": version[1],
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
            },
        },
        "components": components,
        "dependencies": dependencies,
    }


def _names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", one)[0].lower() for one in requirements}  # type: ignore[index]


def _with_all_they_need(lock: list[Locked], names: set[str]) -> set[str]:
    more = names | {one.name for one in lock if names.intersection(one.via)}
    return names if more == names else _with_all_they_need(lock, more)


def _require_all_files(built: dict[str, bytes]) -> None:
    """Refuse an sdist that lacks a file of the repository: its tests could not be run."""
    (content,) = (content for name, content in built.items() if name.endswith(".tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    missing = set(_git("ls-tree", "-r", "--name-only", "-z", "HEAD").decode().split("\0")) - packed - {""}
    if missing:
        sys.exit(f"the sdist lacks {', '.join(sorted(missing))}: see [tool.hatch.build.targets.sdist].")


def _unpack(archive: bytes, into: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(into, filter="data")


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
