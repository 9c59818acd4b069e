"""The rooms of verification touch only what their docstrings say, and no folder of inference is crowded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import proband.inference

HERE = Path(proband.inference.__file__).parent
VERIFICATION = "proband.inference.verification."
TOP = tuple(path.stem for path in (HERE / "verification").glob("*.py") if path.stem != "__init__")
MAY_TOUCH = {
    "people": ("people",),
    "intervals": ("people", "intervals"),
    ".": ("people", "intervals", *TOP),
    "measures": ("people", "intervals", *TOP, "measures"),
    "thresholds": ("people", "intervals", *TOP, "thresholds"),
}
MOST_MODULES = 15


@pytest.mark.parametrize(("room", "allowed"), MAY_TOUCH.items())
def test_a_room_touches_only_those_beneath_it(room: str, allowed: tuple[str, ...]) -> None:
    found = [
        f"{path.name} → {node.module}"
        for path in (HERE / "verification" / room).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
        if node.module.removeprefix(VERIFICATION).partition(".")[0] not in allowed
        if node.module.startswith(VERIFICATION)
    ]
    assert found == []


def test_no_folder_is_crowded() -> None:
    folders = {path.parent for path in HERE.rglob("*.py")}
    sizes = {
        str(folder.relative_to(HERE)): len([one for one in folder.glob("*.py") if one.stem != "__init__"])
        for folder in folders
    }
    assert {folder: n for folder, n in sizes.items() if n > MOST_MODULES} == {}
