"""An analysis is one row: nothing outside its folder imports it or knows its key, and analyses ask each other by the `Context` alone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import proband
from proband.study.analysis import ANALYSES, analysis_keys
from proband.study.requests import request_type

ROOT = Path(proband.__file__).parent
HOME = "proband.analyses"
ENFORCED = ("study", "report", "cli")
KEYS = frozenset(analysis_keys())

SHOWING = frozenset({"Badge", "Column", "Section", "columns", "derived", "sort"})
"""Calls whose texts are words for people, or columns of a frame: some are words that an analysis is called by too."""
ALIKE = {
    "cli/help.py": {"choices"},  # an attribute of a type of options
    "cli/images/faces.py": {"feret"},  # a kind of sheet
    "cli/protocols/literature.py": {"feret"},  # a data set
    "cli/protocols/protocol.py": {"protocol"},  # a group of commands
    "cli/analyses/request_options.py": {"feret"},  # an option for categories of probes
    "report/charts/makers/errors.py": {"search"},  # the id of a chart
    "report/charts/makers/histograms.py": {"threshold"},  # what a line in a chart is called
    "report/kinds/evaluation.py": {"identification"},  # the kind of test that a model card names
    "report/kinds/searches.py": {"search", "threshold"},  # a figure, and the heading of a column
    "report/plotting.py": {"protocol"},  # a column of frames
}
"""Words that are no keys, by module."""
SHARED = {("partition", "covariates"), ("protocol", "classification")}
"""Analyses that still show their results by tables and charts of another."""
ASKING = frozenset({"get", "only", "part", "says", "section", "siblings"})
"""Calls that name an analysis by its key."""


def modules(layer: str) -> list[Path]:
    place = ROOT / layer
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every analysis that a module imports anything of, by its key."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value.partition(":")[0]]  # module:attribute
        for name in names:
            key = name.removeprefix(f"{HOME}.").partition(".")[0]
            if name.startswith(f"{HOME}.") and key in KEYS:
                yield getattr(node, "lineno", 0), key


def called(node: ast.AST) -> str:
    """What a call calls, without what it is called on."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def keys_in(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts that are the key of an analysis; words for people, and docstrings, are looked through."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Constant) and node.value in KEYS:
        yield node.lineno, str(node.value)
    inside = [node.func] if isinstance(node, ast.Call) and called(node) in SHOWING else None  # type: ignore[attr-defined]
    for one in ast.iter_child_nodes(node) if inside is None else inside:
        yield from keys_in(one)


def asked_for(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The analyses that are asked for by key: of a context, of a request or of findings."""
    for node in ast.walk(tree):
        asking = node.args[:1] if isinstance(node, ast.Call) and called(node) in ASKING else []
        asking += [node.slice] if isinstance(node, ast.Subscript) else []
        for one in asking:
            if isinstance(one, ast.Constant) and one.value in KEYS:
                yield one.lineno, str(one.value)


def faults(path: Path) -> list[str]:
    """Where a module knows an analysis by name."""
    tree, name = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix()
    known = [(line, f"imports {key}") for line, key in imported(tree)]
    known += [(line, f"says {key!r}") for line, key in keys_in(tree) if key not in ALIKE.get(name, ())]
    return [f"{name}:{line} {what}" for line, what in known]


@pytest.mark.parametrize("layer", ENFORCED)
def test_no_layer_knows_an_analysis_by_name(layer: str) -> None:
    assert [fault for path in modules(layer) for fault in faults(path)] == []


def test_words_that_are_called_like_an_analysis_are_still_there() -> None:
    for name, words in ALIKE.items():
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
        assert words <= {key for _, key in keys_in(tree)}, name


@pytest.mark.parametrize("key", sorted(KEYS))
def test_an_analysis_knows_others_only_as_its_record_declares(key: str) -> None:
    after = ANALYSES.find(key).after
    assert set(after) <= KEYS - {key}
    asked: set[str] = set()
    for path in modules(f"analyses/{key}"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        others = {other for _, other in imported(tree)} - {key}
        assert {(key, other) for other in others} <= SHARED, path
        asked |= {other for _, other in asked_for(tree)} - {key}
    assert asked == set(after)


def test_what_an_analysis_comes_after_is_carried_out_before_it() -> None:
    place = {key: ANALYSES.find(key).place for key in KEYS}
    assert all(place[other] < place[key] for key in KEYS for other in ANALYSES.find(key).after)


def questions_of_parts(layer: str) -> Iterator[str]:
    """Where a module asks whether a part of findings, or a section of a request, is None."""
    sections = "|".join(request_type().model_fields)
    for path in modules(layer):
        request = "self" if path.name == "request.py" else r"(context\.)?request"
        part = re.compile(rf"found\[.*\](\.\w+)?|found\.get\(.*\)|{request}\.({sections})")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            asks = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot)
            if asks and part.fullmatch(ast.unparse(node.left)):  # type: ignore[attr-defined]
                yield f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"  # type: ignore[attr-defined]


def test_hardly_anything_asks_whether_a_part_is_there() -> None:
    assert list(questions_of_parts("report")) == []
    assert len(list(questions_of_parts("study"))) <= 4
    assert len([one for layer in ("study", "report", "cli") for one in questions_of_parts(layer)]) <= 10


@pytest.mark.parametrize("layer", ["analyses", *ENFORCED])
def test_no_folder_has_more_modules_than_can_be_looked_over(layer: str) -> None:
    folders = Counter(path.parent for path in modules(layer) if path.name != "__init__.py")
    assert {folder.name: n for folder, n in folders.items() if n > 15} == {}
