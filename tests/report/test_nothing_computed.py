"""Nothing statistical is computed while results are shown: views read results, and find there what they tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass
from pathlib import Path

import proband

ROOT = Path(proband.__file__).parent
CARRIED_OUT = {"__init__.py", "request.py", "proposal.py", "run.py", "second_set.py", "standing.py"}
"""Modules of an analysis that show nothing."""
OF_AXES = {"normal_cdf", "normal_inverse"}
"""Distributions by which an axis is drawn."""
LOOKED_UP = {
    "as_table",
    "compared_by",
    "participants_frame",
    "places_of",
    "probes_called",
    "sentences_together",
    "thinned",
}
"""Functions of `proband.inference` that name, arrange or leave out what was found, and find nothing."""
STATISTICS = {"median", "quantile", "percentile", "std", "var", "cov", "corrcoef", "nanmedian", "nanquantile"}
STILL = {
    ("analyses/choices/view.py", "compared"),
    ("report/charts/makers/concentration.py", "binomial_pmf"),
    ("report/charts/makers/concentration.py", "hypergeometric_pmf"),
}
"""What is still computed while it is shown: differences over choices of images, and what chance alone would give."""


def view_side() -> list[Path]:
    shown = (one for one in (ROOT / "analyses").glob("*/*.py") if one.name not in CARRIED_OUT)
    return sorted([*(ROOT / "report").rglob("*.py"), *shown])


def computing(path: Path) -> Iterator[str]:
    """The functions that a module imports to compute with, and the statistics that it calls by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("proband.inference"):
            home = import_module(node.module or "")
            found = {one.name: getattr(home, one.name) for one in node.names}
            yield from (
                name for name, thing in found.items() if _is_function(thing) and name not in LOOKED_UP
            )
        elif isinstance(node, ast.ImportFrom) and node.module == "proband.distributions":
            yield from (one.name for one in node.names if one.name not in OF_AXES)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            )
            yield from (name for name in names if name.partition(".")[0] == "scipy")
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in STATISTICS
        ):
            yield node.func.attr


def _is_function(thing: object) -> bool:
    return callable(thing) and not isclass(thing) and hasattr(thing, "__code__")


def test_views_compute_nothing() -> None:
    found = {(path.relative_to(ROOT).as_posix(), name) for path in view_side() for name in computing(path)}
    assert found == STILL
