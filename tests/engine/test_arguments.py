"""What is behind every public callable: limits, labels, marks and registries, by themselves."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from proband.engine.foreign import is_missing
from proband.engine.kinds import Axes, expected, fits, is_open
from proband.engine.labels import labels_of
from proband.engine.limits import Within
from proband.engine.registry import Registry
from proband.engine.source_digest import package_digest
from proband.marks import Needs, Unless, why_idle


def test_is_missing_by_example() -> None:
    assert [
        is_missing(one) for one in (None, float("nan"), np.datetime64("NaT", "s"), np.ma.masked, 0, "nan")
    ] == [True, True, True, True, False, False]


def test_labels_of_by_example() -> None:
    assert (labels_of(pd.Series([1, 2], index=["a", "b"])), labels_of(pd.Series([1, 2]))) == (
        ("a", "b"),
        None,
    )


def test_within_by_example() -> None:
    assert (str(Within(gt=0, lt=1)), Within(ge=1).holds(0), Within(ge=1).holds(2)) == (
        "above 0 and below 1",
        False,
        True,
    )
    assert str(Within(ge=1).refusal("rank", 0)) == "rank must be at least 1, got 0."


def test_registry_register_by_example() -> None:
    shapes = Registry("shape", "example.shapes")
    assert (shapes.register("square", "quadratic")(4), shapes.find("square"), shapes.names()) == (
        4,
        4,
        ["square", "quadratic"],
    )


def test_package_digest_by_example() -> None:
    assert package_digest("json.decoder") == package_digest("json.encoder") != package_digest("csv")


def test_why_idle_by_example() -> None:
    marks, defaults = [Needs("reject", "galleries"), Unless("exact=on")], {"reject": None, "galleries": None}
    assert (
        "; ".join(map(str, why_idle(marks, defaults.get, defaults)))
        == "has no effect without reject or galleries; leave it out, or add reject or galleries."
    )
    assert (
        "; ".join(map(str, why_idle(marks, {"reject": 0.2, "exact": True}.get, defaults)))
        == "has no effect with exact=True; leave one of them out."
    )
    assert why_idle(marks, {"reject": 0.2}.get, defaults) is None


def _arrays() -> list[Any]:
    """Two spellings of arrays of whole numbers: NumPy's, which 2.5 made a name of a type, and a name where Python has them."""
    named = getattr(typing, "TypeAliasType", None)
    written = npt.NDArray[np.integer]
    return [written] if named is None else [written, named("Whole", written)]


@pytest.mark.parametrize("kind", _arrays())
def test_a_type_with_a_name_is_what_it_stands_for(kind: Any) -> None:
    assert not is_open(kind)
    assert expected(kind) == "an array of whole numbers"
    assert (fits(np.array([1, 2]), kind), fits(np.array([0.5]), kind)) == (True, False)
    assert Axes(1).within(kind).of is np.integer
    assert not fits("a text", kind | None)
