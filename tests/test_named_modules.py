"""What the documents for developers say of the tree is there: every module, file and folder that they name."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import proband

ROOT = Path(proband.__file__).parent
TOP = ROOT.parents[1]
ROOMS = "|".join(path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py")
DOTTED = re.compile(rf"`(?:proband\.)?((?:{ROOMS})\.[a-z_.]+)`")
PATHS = re.compile(r"`([\w./-]+/[\w./-]*)`")
GROUPS = ("proband.formats", "proband.recognizers", "proband.sections", "proband.classifiers")
"""Entry points, which are called like modules."""
MADE = {".venv/peers", "dist/"}
"""What commands make."""
DOCUMENTS = ("docs/reference/architecture.md", "CONTRIBUTING.md")


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or something of one."""
    *modules, last = name.split(".")
    try:
        import_module(f"proband.{name}")
    except ImportError:
        return bool(modules) and hasattr(import_module(f"proband.{'.'.join(modules)}"), last)
    return True


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_module_is_there(document: str) -> None:
    text = (TOP / document).read_text(encoding="utf-8")
    named = {name for name in DOTTED.findall(text) if f"proband.{name}" not in GROUPS}
    assert [name for name in sorted(named) if not is_there(name)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_is_there(document: str) -> None:
    text = (TOP / document).read_text(encoding="utf-8")
    homes = [TOP, ROOT, *(path for path in ROOT.iterdir() if path.is_dir())]
    named = set(PATHS.findall(text)) - MADE
    assert [name for name in sorted(named) if not any((home / name).exists() for home in homes)] == []
