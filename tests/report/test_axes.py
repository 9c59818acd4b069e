"""Results are drawn into axes that somebody gives, wherever their figure has one panel."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tests.hostile.public import World

import proband as pb
from proband.engine.rendering import Shown
from proband.errors import UsageError


@pytest.fixture(scope="module")
def drawable(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A result of every kind that has a figure."""
    found = {}
    for kind, result in World(tmp_path_factory.mktemp("world")).instances.items():
        if isinstance(result, Shown):
            with suppress(UsageError):  # which says that it has none
                result.plot()
                found[kind.__name__] = result
    return found


def panels(figure: Figure) -> list[Axes]:
    return [axis for axis in figure.axes if axis.get_label() != "<colorbar>" and axis.get_visible()]


def drawn(axis: Axes) -> int:
    return len(axis.lines) + len(axis.patches) + len(axis.collections) + len(axis.images)


def test_every_kind_is_drawn_into_axes_or_says_how_many_it_needs(drawable: dict[str, Any]) -> None:
    into, several = set(), set()
    for kind, result in drawable.items():
        alone = panels(result.plot())
        whole = Figure(figsize=(10, 5))
        other, ax = whole.subplots(1, 2)
        if len(alone) > 1:
            with pytest.raises(UsageError, match=r"has \d+ panels, but ax is a single panel"):
                result.plot(ax=ax)
            several.add(kind)
            continue
        assert result.plot(ax) is whole, kind
        assert drawn(ax) == drawn(alone[0]), kind
        assert (ax.get_xlabel().splitlines() or [""])[0] == (alone[0].get_xlabel().splitlines() or [""])[0], (
            kind
        )
        assert drawn(other) == 0, kind
        whole.savefig(io.BytesIO(), format="png")
        into.add(kind)
    assert {"Band", "Estimate", "Verification", "Evaluation", "Coverage", "McNemarTable"} & into
    assert len(into) > 20
    assert several


def test_a_named_figure_is_drawn_into_axes(drawable: dict[str, Any]) -> None:
    ax = Figure().subplots()
    drawable["Verification"].plot(ax, "roc", title="mine")
    assert ax.get_ylabel().startswith("true accept rate")
    assert "mine" in (ax.get_title(), ax.get_title(loc="left"))
    ax = Figure().subplots()
    drawable["Classification"].plot(ax, which="confusion", algorithm="y")
    assert ax.images


def test_a_figure_that_was_meant_is_named(drawable: dict[str, Any]) -> None:
    for kind, wrong, meant in (
        ("Verification", "rok", "roc"),
        ("Classification", "confusions", "confusion"),
        ("DatasetComparison", "rank", "ranks"),
        ("VirtualExperiments", "difference", "differences"),
    ):
        with pytest.raises(UsageError, match=f"no figure '{wrong}'(.|\\n)*did you mean '{meant}'"):
            drawable[kind].plot(which=wrong)


def test_axes_are_axes_and_have_their_width(drawable: dict[str, Any]) -> None:
    estimate = drawable["Estimate"]
    with pytest.raises(UsageError, match="ax should be Matplotlib axes; got 'here'"):
        estimate.plot(ax="here")
    with pytest.raises(UsageError, match="already has a width"):
        estimate.plot(ax=Figure().subplots(), width=3.5)
    part = Figure().subfigures(1, 2)[0]
    assert estimate.plot(ax=part.subplots()) is part.figure
    assert isinstance(estimate, pb.results.Estimate)
