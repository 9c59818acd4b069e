"""Frames of rows: the types of all rows count, and there is one place that makes them."""

import ast
from pathlib import Path

import pytest

import proband
from proband.engine.frames import frame_of_rows
from proband.samples import Samples

_SOURCES = Path(proband.__file__).parent
# What is a mapping, an array or a list of series although it does not look like one.
_NO_ROWS = (
    "columns",
    "columns()",
    "columns)",
    "columns()]",
    "in found]",
    "in texts]",
    "*told]",
    "data",
    "['table']",
)


@pytest.mark.parametrize("first", [None, 1])
@pytest.mark.parametrize("shape", [lambda value: {"x": value}, lambda value: (value,)])
def test_what_comes_after_many_rows_keeps_its_value(first, shape):
    rows = [shape(first)] * 150 + [shape(1.5)]
    assert frame_of_rows(rows, ["x"])["x"].to_list() == [first] * 150 + [1.5]


def test_a_table_of_samples_made_of_rows_cuts_no_number():
    rows = [{"id": str(n), "subject": str(n), "blur": 0} for n in range(150)]
    rows.append({"id": "last", "subject": "last", "blur": 0.75})
    assert Samples(rows).frame["blur"][-1] == 0.75


def _calls(path):
    makers = ("pl.DataFrame", "pl.from_dicts", "pl.from_records")
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text) if any(name in text for name in makers) else ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in makers:
            yield node.args[0]


def test_rows_become_a_frame_in_one_place():
    elsewhere = [
        f"{path.name}: {ast.unparse(given)}"
        for path in _SOURCES.rglob("*.py")
        if path.name != "frames.py"
        for given in _calls(path)
        if not ast.unparse(given).startswith("{") and not ast.unparse(given).endswith(_NO_ROWS)
    ]
    assert elsewhere == []
