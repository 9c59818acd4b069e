"""What can be called is documented: measures, designs and inference say what they compute, and what users can import is shown."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from itertools import pairwise
from types import FunctionType, ModuleType

import pytest
from tests.hostile.public import methods_of, published

import proband.designs
import proband.inference
import proband.measures
from proband.results.base import Result

ROOMS = (proband.measures, proband.designs, proband.inference)

# Records that functions return, and are shown with.
RETURNED = {
    "algorithms.Acquired",
    "algorithms.LinearModel",
    "algorithms.Training",
    "blind.Key",
    "blind.Made",
    "blind.Meeting",
    "blind.Package",
    "blind.Receipt",
    "blind.TimeLeft",
    "results.Several",
    "results.Interval",
    "results.Answers",
    "results.Facts",
    "measures.Outcomes",
    "data.Representation",
    "data.Selection",
    "data.OrientationCheck",
}
# What takes pictures, trained models, files of predictions or a study, or minutes: the documentation shows it.
SHOWN_IN_DOCS = {
    "Request",
    "algorithms.CascadeDetector",
    "algorithms.DlibDetector",
    "algorithms.acquire",
    "algorithms.detector",
    "algorithms.load_model",
    "algorithms.read_picture",
    "algorithms.save_model",
    "algorithms.score",
    "algorithms.train",
    "blind.Receipts",
    "blind.receive",
    "blind.time_left",
    "papers.reproduce_beveridge2001",
    "papers.reproduce_feret2000",
    "papers.reproduce_mery2016",
    "papers.reproduce_micheals_boult2001",
    "protocols.compare_predictions",
    "protocols.paired_test",
    "protocols.what_if",
    "read_study",
    "report.cmc_figure",
    "report.comparison_table",
    "report.evaluation_figure",
    "report.evaluation_tables",
    "report.statements",
    "run",
    "save_figure",
    *(f"survey.{name}" for name in ("Function", "Mean", "Quantile", "Ratio", "Total", "Variance")),
}


def modules() -> Iterator[ModuleType]:
    for room in ROOMS:
        yield room
        for found in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
            yield importlib.import_module(found.name)


def named(kind: type | tuple[type, ...]) -> dict[str, object]:
    """What modules of the rooms define and do not hide, by its full name."""
    return {
        f"{module.__name__}.{name}": value
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, kind) and not name.startswith("_") and value.__module__ == module.__name__
    }


def text(documented: object) -> str:
    return inspect.cleandoc(getattr(documented, "__doc__", None) or inspect.getdoc(documented) or "")


def fields(record: type) -> list[str]:
    """The fields that a record adds to what it derives from; none where it is no record."""
    own = [name for name in inspect.get_annotations(record) if not name.startswith("_")]
    is_record = dataclasses.is_dataclass(record) or hasattr(record, "_fields")
    return own if is_record else []


def shows(documented: object) -> bool:
    return re.search(r"^Examples\n-{8}\n(.*\n)*>>> ", text(documented), re.MULTILINE) is not None


def test_the_walk_finds_what_there_is():
    functions, classes = named(FunctionType), named(type)
    assert "proband.inference.comparisons.testing.mcnemar.mcnemar" in functions
    assert "proband.measures.verification.ErrorRates" in classes
    assert len(functions) > 150
    assert len(classes) > 100


def test_every_public_name_shows_what_it_is():
    """What users can import has an example; results and abstract classes are shown by what makes them."""
    silent = {
        name
        for name, thing in published().items()
        if not shows(thing)
        and not (isinstance(thing, type) and (issubclass(thing, Result) or inspect.isabstract(thing)))
    }
    assert silent == RETURNED | SHOWN_IN_DOCS


def test_every_field_of_a_record_is_explained():
    unsaid = {
        name: missing
        for name, record in named(type).items()
        if (missing := [one for one in fields(record) if not re.search(rf"\b{one}\b", text(record))])
    }
    assert unsaid == {}


def test_every_public_method_says_what_it_does():
    silent = [
        f"{name}.{method}"
        for name, kind in named(type).items()
        for method, value in vars(kind).items()
        if not method.startswith("_")
        and isinstance(value, (FunctionType, property, classmethod, staticmethod))
        and not text(value)
    ]
    assert silent == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_a_room_says_what_lives_where(room):
    """The docstring of a package names every module and package in it."""
    unnamed = {
        package.__name__: missing
        for package in modules()
        if hasattr(package, "__path__") and package.__name__.startswith(room.__name__)
        if (
            missing := [
                one.name
                for one in pkgutil.iter_modules(package.__path__)
                if f"`{one.name}" not in text(package)
            ]
        )
    }
    assert unnamed == {}


def callables() -> Iterator[tuple[str, FunctionType]]:
    """What users call by name: every public function, and every public method of a public class."""
    for name, thing in published().items():
        if isinstance(thing, FunctionType):
            yield name, thing
        else:
            named = (method for method in methods_of(thing) if not method.startswith("_"))
            yield from ((f"{name}.{method}", getattr(thing, method)) for method in named)


def entries(function: object, section: str) -> str | None:
    """The names that a section of a docstring explains, or None where there is no such section."""
    lines = text(function).splitlines()
    rule = "-" * len(section)
    if not any(pair == (section, rule) for pair in pairwise(lines)):
        return None
    rest = lines[lines.index(section) + 2 :]
    rules = [place for place, line in enumerate(rest) if line and set(line) == {"-"}]
    own = rest[: rules[0] - 1] if rules else rest
    return " ".join(line for line in own if line and not line[0].isspace())


def test_every_argument_and_what_is_returned_is_explained():
    unsaid = []
    for name, function in callables():
        signature = inspect.signature(function)
        listed = re.findall(r"\w+", entries(function, "Parameters") or "")
        own = [one for one in signature.parameters if one not in ("self", "cls")]
        unsaid += [f"{name}({one})" for one in own if one not in listed]
        if signature.return_annotation not in (None, "None") and entries(function, "Returns") is None:
            unsaid.append(f"{name} -> {signature.return_annotation}")
    assert unsaid == []


def test_help_begins_with_what_a_function_does_in_one_plain_sentence():
    for name, function in callables():
        first = text(function).splitlines()[0]
        assert first.endswith((".", "?")), name
        assert not re.search(r"\(.*\b(1[89]|20)\d\d\)|\[\d+\]_", first), (name, first)  # no citation


def test_measures_are_listed_where_they_are_asked_for():
    for name, function in callables():
        if "measure" in inspect.signature(function).parameters and name in ("compare", "estimate", "gate"):
            assert all(f'"{one}"' in text(function) for one in ("rank-1", "fnmr@0.001", "auc")), name
