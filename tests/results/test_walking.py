"""One walk makes the JSON, the tables and the schema of every result."""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from tests.report.page import finding
from tests.schema import closed

import proband
import proband as pb
from proband.engine.files.documents import as_json
from proband.errors import UsageError
from proband.protocols.cards.literature import literature
from proband.protocols.cards.schema import faults
from proband.protocols.running.data import FeatureTable
from proband.protocols.running.running import run_protocol
from proband.results.base import Count, Interval, Rate, Record, Result
from proband.results.schema import schema_of
from proband.results.serializing import Written, entries, is_record, paths
from proband.study.findings import Findings, results_schema
from proband.words import Method, Note, Sentence

# Formats of files that are read back, and what stands below the results: each has a JSON of its own.
OWN_JSON = {
    "ProtocolCard": "a file format with a schema and a digest of its own",
    "CardSection": "part of a protocol card",
    "Inspection": "of the scores, below the results",
    "Training": "kept with a model",
    "Several": "results by name: a dictionary",
    "Note": "words",
    "Target": "words",
    "Method": "words",
}
WITHIN = {
    "IntervalFound": "what a procedure hands to an estimate",
    "SignedRanks": "what a test hands to a pair over data sets",
    "Joint": "what a procedure hands to estimates and comparisons",
    "Standardizer": "what makes standardised rates",
    "Value": "part of a protocol card",
}
SAID = Sentence("test.results-said", "note", "{n:count probe}")


def every_class() -> Iterator[type]:
    for one in pkgutil.walk_packages(proband.__path__, "proband."):
        if one.name not in ("proband.__main__", "proband.engine.files.parquet_child"):
            module = import_module(one.name)
            yield from (kind for kind in vars(module).values() if _of(kind, one.name))


def _of(kind: Any, module: str) -> bool:
    return isinstance(kind, type) and kind.__module__ == module


KINDS = sorted(set(every_class()), key=lambda one: one.__qualname__)
RESULTS = [one for one in KINDS if issubclass(one, Result) and is_dataclass(one)]


def test_nobody_writes_a_to_dict_by_hand() -> None:
    by_hand = {one.__name__ for one in KINDS if "to_dict" in vars(one) and one is not Record}
    assert by_hand == set(OWN_JSON)


def test_what_carries_the_four_answers_is_a_result() -> None:
    below_report = [one for one in KINDS if not one.__module__.startswith("proband.report.")]
    others = [one for one in below_report if is_dataclass(one) and not issubclass(one, Result)]
    found = {one.__name__ for one in others for field in fields(one) if field.name in ("answers", "low")}
    assert found == set(WITHIN)


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_every_result_has_a_schema(kind: type) -> None:
    made = schema_of(kind, kind.__name__)
    assert made["properties"]
    assert json.loads(as_json(made)) == made


# Who states the level of an interval that does not say it itself.
LEVEL_OF = {}


def test_low_and_high_are_an_interval_of_confidence() -> None:
    without_level = {
        kind.__name__
        for kind in RESULTS
        if {"low", "high"} & set(paths(kind)) and "confidence_level" not in paths(kind)
    }
    assert without_level == set(LEVEL_OF)


@dataclass(frozen=True)
class Leaf(Result):
    written = Written({"ends": "interval", "twice": "double"}, also=("name",))

    value: float
    interval: Interval | None
    n: Count = 3

    @property
    def name(self) -> str:
        return "leaf"

    def double(self) -> float:
        return 2 * self.value


@dataclass(frozen=True, eq=False)
class Tree(Result):
    """A tree."""

    written = Written(
        {"first": "leaves_by_name.a"},
        spread=("whole",),
        without=("hidden",),
        if_any=("more",),
        versioned=True,
    )

    whole: Leaf
    kind: Literal["x", "y"]
    leaves: tuple[Leaf, ...]
    share: Rate | None
    values: np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
    method: Method
    notes: tuple[Note, ...] = ()
    hidden: object = None
    more: tuple[int, ...] = ()

    @property
    def leaves_by_name(self) -> Named:
        return Named(*self.leaves)


@dataclass(frozen=True)
class Named:
    a: Leaf
    b: Leaf


LEAF = Leaf(0.5, Interval(0.25, float("inf")))
TREE = Tree(
    LEAF,
    "x",
    (LEAF, Leaf(float("nan"), None)),
    None,
    np.array([1.0, np.inf]),
    Method("m", "by m"),
    (SAID(n=2),),
)


def test_what_is_declared_is_written() -> None:
    assert LEAF.to_dict() == {"value": 0.5, "ends": [0.25, None], "n": 3, "twice": 1.0, "name": "leaf"}
    made = TREE.to_dict()
    assert list(made) == [
        "proband",
        *LEAF.to_dict(),
        "kind",
        "leaves",
        "share",
        "values",
        "method",
        "notes",
        "first",
    ]
    assert made["values"] == [1.0, None]
    assert made["leaves"][1]["value"] is None
    assert made["first"] == LEAF.to_dict()
    assert made["method"]["key"] == "m"
    assert made["notes"][0]["code"] == "test.results-said"
    assert list(faults(made, closed(schema_of(Tree, "Tree")))) == []


def test_the_schema_says_what_is_wrong() -> None:
    schema = closed(schema_of(Tree, "Tree"))
    made = TREE.to_dict()
    for wrong in (
        {"kind": "z"},
        {"share": 2.0},
        {"n": -1},
        {"ends": [0.0]},
        {"other": 1},
        {"values": ["a"]},
        {"leaves": [{}]},
        {"method": None},
    ):
        assert list(faults(made | wrong, schema)), wrong
    assert list(faults({key: value for key, value in made.items() if key != "share"}, schema))


def test_rows_are_of_the_smallest_records() -> None:
    frame = TREE.to_frame()
    assert frame["part"].to_list() == ["leaves", "leaves", "values", "values"]
    assert frame["kind"].to_list() == ["x"] * 4
    assert frame["values"].to_list() == [None, None, 1.0, np.inf]
    leaves = frame.filter(part="leaves")
    assert leaves["value"].is_nan().to_list() == [False, True]
    assert leaves["ends_low"].to_list() == [0.25, None]
    assert leaves["ends_high"].to_list() == [np.inf, None]
    assert "notes" not in frame.columns
    assert frame["method"].to_list() == ["by m"] * 4


def results_in(value: Any) -> Iterator[Result]:
    """Every result in another, itself first."""
    if isinstance(value, Result):
        yield value
    if isinstance(value, Findings):
        inner = list(value.parts.values())
    elif is_record(value):
        inner = list(entries(value).values())
    elif isinstance(value, dict):
        inner = list(value.values())
    else:
        inner = list(value) if isinstance(value, tuple | list) else []
    for one in inner:
        yield from results_in(one)


def protocol_run() -> Result:
    who = np.repeat(np.arange(12), 4)
    table = {
        "id": [f"s{k}" for k in range(48)],
        "subject": [f"p{k}" for k in who],
        "sex": np.where(who % 2, "f", "m"),
    }
    features = np.random.default_rng(3).normal(size=(48, 4)) + who[:, None] % 2
    data = FeatureTable(pb.Samples(table), features=features, name="toy")
    both = {
        name: f"sklearn.neighbors:KNeighborsClassifier(n_neighbors={k})"
        for name, k in (("one", 1), ("five", 5))
    }
    return run_protocol(both, data, "2×3f CV+", task="attribute", label="sex", margin=0.1)


def found() -> dict[str, Result]:
    """A result of nearly every type."""
    whole = (
        finding.whole(),
        finding.feret(),
        finding.labelled(),
        protocol_run(),
        literature("feret"),
        pb.planning.plan_half_width(0.95, half_width=0.02),
        pb.mcnemar(22, 8),
    )
    return {type(one).__name__: one for study in whole for one in results_in(study)}


@pytest.fixture(scope="module")
def studied() -> dict[str, Result]:
    return found()


def test_what_was_found_is_as_its_types_say(studied: dict[str, Result]) -> None:
    assert len(studied) > 40
    for name, one in studied.items():
        schema = closed(results_schema() if isinstance(one, Findings) else schema_of(type(one), name))
        assert list(faults(json.loads(as_json(one.to_dict())), schema)) == [], name


def test_everything_has_a_table(studied: dict[str, Result]) -> None:
    pd = pytest.importorskip("pandas")
    for name, one in studied.items():
        frame = one.to_frame()
        assert frame.width > 0, name
        assert not [dtype for dtype in frame.dtypes if dtype == pl.Object], name
        made = one.to_pandas()
        assert isinstance(made, pd.DataFrame)
        assert list(made.columns) == frame.columns
        assert len(made) == frame.height
        for column in frame.columns:
            assert made[column].isna().tolist() == (frame[column].is_null() | _nan(frame[column])).to_list()


def _nan(column: pl.Series) -> pl.Series:
    return column.is_nan().fill_null(False) if column.dtype.is_float() else column.is_null()


def test_pandas_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pandas") as told:
        LEAF.to_pandas()
    assert "proband[pandas]" in str(told.value.hint)


def test_results_are_few_and_class_names_stand_for_one_thing() -> None:
    """Numbers are leaves; what holds them is a result where somebody gets it by itself, and a record otherwise."""
    assert len(RESULTS) <= 70
    names = [kind.__name__ for kind in KINDS]
    assert {name for name in names if names.count(name) > 1} == set()
