"""Figures of stratified evaluations: what is drawn is what was estimated, and says what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from proband.analyses.strat.figures import (
    algorithms_figure,
    gallery_effect_figure,
    standard_errors_figure,
    units_figure,
)
from proband.errors import UsageError
from proband.inference import Band
from proband.inference.galleries.effect import GalleryEffect
from proband.report import save_figure
from proband.report.charts.palette import MOST_COLOURS, colour
from proband.results.base import Answers, Facts
from proband.results.test import Test
from proband.words import Method, Target

PEOPLE = 60
VARYING = "new probe images of these people, as many of each"


def band(
    first: float, name: str = "net", n_ranks: int = PEOPLE, varying: str = VARYING, decay: float = 0.7
) -> Band:
    """A curve that starts at a rate and rises towards 1."""
    values = 1 - (1 - first) * np.arange(1, n_ranks + 1.0) ** -decay
    reach = 0.04 * np.sqrt((1 - values) / (1 - first))
    facts = Facts(
        algorithm=name, n_probes=2 * PEOPLE, n_probe_subjects=PEOPLE, n_gallery_images=PEOPLE, n_gallery_subjects=PEOPLE,
        n_ranks=n_ranks, n_failed=0, n_gallery_failed=0, n_unmated=0, n_tied=0, ties="pessimistic", counting="subjects",
        on_failure="miss", universe="closed", gallery_rule="column 1", probe_rule="columns 2, 3", experiment="e", notes=(),
    )  # fmt: skip
    return Band(
        values, values - reach, np.minimum(values + reach, 1), 0.95, False, Method("brr", "balanced repeated replication", ""), None,
        Answers(*(Target(one, one) for one in ("recognition rate at each rank", varying, "these people", "strata are independent"))), facts,
    )  # fmt: skip


def effect(
    firsts: Sequence[float], mixed: bool = False, name: str = "net", rank: int = 1, p_value: float = 0.0203
) -> GalleryEffect:
    bands = tuple(band(first, name) for first in firsts)
    return GalleryEffect(name, rank, mixed, PEOPLE, 0, (), bands, f_test(4.2, p_value), ())


def f_test(statistic: float, p_value: float) -> Test:
    return Test(
        statistic=statistic,
        degrees_of_freedom=2,
        denominator_degrees_of_freedom=58,
        p_value=p_value,
        method=Method("hotelling", "Hotelling's T²"),
    )


def curves(axis: Axes) -> list[Any]:
    return [line for line in axis.lines if len(line.get_xdata()) > 1]


def said(axis: Axes) -> str:
    return "\n".join(text.get_text() for text in axis.texts)


def legend_of(owner: Any) -> list[str]:
    return [text.get_text() for text in owner.get_texts()]


def everything_fits(figure: Figure) -> bool:
    """No text reaches beyond the figure, and panels keep their room."""
    figure.draw_without_rendering()
    needed = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    drawn = [axis.get_position() for axis in figure.axes if axis.get_visible()]
    columns = len({round(box.x0, 3) for box in drawn})
    return bool(
        needed.x0 >= -0.01
        and needed.y0 >= -0.01
        and needed.x1 <= width + 0.01
        and needed.y1 <= height + 0.01
        and all(box.width > 0.7 / columns and box.height * height > 1.8 for box in drawn)
    )


PAIR = (effect((0.9, 0.8, 0.82)), effect((0.84, 0.85, 0.83), mixed=True, p_value=0.61))


def test_original_and_mixed_galleries_stand_side_by_side() -> None:
    figure = gallery_effect_figure(PAIR, title="The gallery effect")
    left, right = figure.axes
    assert left.get_title(loc="left") == "net, galleries: p = 0.02"
    assert right.get_title(loc="left") == "net, mixed galleries: p = 0.61"
    assert left.get_ylim() == right.get_ylim()
    assert left.get_xscale() == "log"
    assert "60 people, 120 probes for each gallery" in said(left)
    assert "p is for other people: F(2, 58) = 4.20 at rank 1" in said(left)
    assert everything_fits(figure)


def test_curves_and_bands_are_those_of_the_galleries() -> None:
    axis = gallery_effect_figure(PAIR).axes[0]
    last = int(axis.get_xlim()[1])
    for line, shade, one in zip(curves(axis), axis.collections, PAIR[0].bands, strict=True):
        assert np.array_equal(line.get_ydata(), one.values[:last])
        assert shade.get_datalim(axis.transData).ymin == pytest.approx(one.low[0])
    assert legend_of(axis.get_legend()) == ["1  0.9000", "2  0.8000", "3  0.8200"]
    assert axis.get_legend().get_title().get_text() == "column as gallery: rate at rank 1"


def test_bands_say_what_they_vary() -> None:
    figure = gallery_effect_figure(PAIR)
    assert figure.get_supxlabel() == f"bands: 95% at each rank, varying {VARYING}"


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "decay", "n_ranks", "last"),
    [
        (0.5, 0.1, 300, 100),  # never all but there
        (0.5, 1.0, 300, 50),  # 1 - 0.5/50 = 0.99
        (0.999, 1.0, 300, 10),
        (0.999, 1.0, 4, 4),
    ],
)
def test_ranks_go_as_far_as_they_matter(first: float, decay: float, n_ranks: int, last: int) -> None:
    better = band(0.9999, n_ranks=n_ranks)
    bands = (better, band(first, n_ranks=n_ranks, decay=decay), better)
    given = GalleryEffect("net", 1, False, PEOPLE, 0, (), bands, f_test(1.0, 0.5), ())
    assert gallery_effect_figure([given]).axes[0].get_xlim() == (1, last)
    assert algorithms_figure({"fb": bands}).axes[0].get_xlim() == (1, last)


@pytest.mark.long
def test_ten_galleries_have_no_bands_and_those_beyond_the_colours_are_thin_and_grey() -> None:
    ten = [effect(np.linspace(0.6, 0.7, 10), mixed) for mixed in (False, True)]
    figure = gallery_effect_figure(ten)
    for axis in figure.axes:
        assert len(curves(axis)) == 10
        assert not axis.collections
        looks = [(line.get_color(), str(line._dash_pattern)) for line in curves(axis)]
        assert len(set(looks[:MOST_COLOURS])) == MOST_COLOURS
        assert {line.get_color() for line in curves(axis)[MOST_COLOURS:]} == {colour(MOST_COLOURS)}
        assert all(line.get_linewidth() <= 1 for line in curves(axis)[MOST_COLOURS:])
        assert len(legend_of(axis.get_legend())) == 10
    assert figure.get_supxlabel() == ""
    assert everything_fits(figure)


@pytest.mark.long
def test_many_effects_fit_and_the_lowest_curve_is_in_view() -> None:
    names = ("a", "b", "a name that is a good deal longer than the panel it heads")
    every = [
        effect((0.2 + 0.3 * k, 0.3, 0.9), mixed, name)
        for k, name in enumerate(names)
        for mixed in (False, True)
    ]
    figure = gallery_effect_figure(every)
    assert figure.axes[0].get_ylim()[0] < 0.2
    positions = [axis.get_position() for axis in figure.axes]
    assert positions[0].y0 == pytest.approx(positions[1].y0)
    assert positions[0].y0 > positions[2].y0  # a pair in each row
    assert everything_fits(figure)
    three = gallery_effect_figure(every[::2])
    assert len({round(axis.get_position().y0, 3) for axis in three.axes}) == 1
    assert sum(axis.get_visible() for axis in gallery_effect_figure(every[:5]).axes) == 5


def test_the_rank_of_the_test_is_marked() -> None:
    axis = gallery_effect_figure([effect((0.5, 0.6, 0.7), rank=12, p_value=1e-9)]).axes[0]
    dots = [line for line in axis.lines if len(line.get_xdata()) == 1]
    assert [dot.get_xdata()[0] for dot in dots] == [12] * 3
    assert dots[0].get_ydata()[0] == band(0.5).at(12)
    assert axis.get_title(loc="left") == "net, galleries: p = 1e-09"
    assert "rate at rank 12" in axis.get_legend().get_title().get_text()


ERRORS = {
    "BRR: probe images of these people": 0.01 * np.arange(1, 41.0) ** -0.5,
    "delete-one jackknife: other probes, as if independent": 0.012 * np.arange(1, 41.0) ** -0.5,
    "cluster: other people": 0.0213 * np.arange(1, 41.0) ** -0.5,
}


def test_standard_errors_are_drawn_in_points() -> None:
    figure = standard_errors_figure(ERRORS, "net, 120 probes of 60 people", title="Errors")
    axis = figure.axes[0]
    for line, values in zip(curves(axis), ERRORS.values(), strict=True):
        assert np.allclose(line.get_ydata(), 100 * values)
    assert legend_of(figure.legends[0])[0] == "1.00  BRR: probe images of these people"
    assert legend_of(figure.legends[0])[2] == "2.13  cluster: other people"
    assert figure.legends[0].get_title().get_text() == "at rank 1"
    assert "percentage points" in axis.get_ylabel()
    assert said(axis) == "net, 120 probes of 60 people"
    assert axis.get_xscale() == "log"
    assert axis.get_ylim()[0] == 0
    assert everything_fits(figure)


def test_errors_are_drawn_until_none_is_left() -> None:
    ends = np.where(np.arange(40) < 20, 0.01, 1e-18)
    assert standard_errors_figure({"a": ends, "b": ends[:15]}, "").axes[0].get_xlim() == (1, 21)
    assert standard_errors_figure({"a": np.zeros(30)}, "").axes[0].get_xlim() == (1, 10)
    assert standard_errors_figure({"a": ends[:3].tolist()}, "").axes[0].get_xlim() == (1, 3)


@pytest.mark.long
@pytest.mark.parametrize("draw", [lambda e: standard_errors_figure(e, ""), lambda e: units_figure(e)])
@pytest.mark.parametrize("noise", [0.0, 1e-33, 3e-26])
def test_rounding_is_not_drawn(draw: Callable[[dict[str, object]], Figure], noise: float) -> None:
    """What is zero but for rounding is zero on the axis, which says so."""
    axis = draw({"BRR": noise * np.random.default_rng(0).random(30), "other": np.zeros(30)}).axes[0]
    assert all((line.get_ydata() == 0).all() for line in curves(axis))
    assert axis.get_ylim() == (0, 1)
    assert any("nothing varies" in text.get_text() for text in axis.texts)
    some = draw({"BRR": np.linspace(0.01, 0.0, 30), "other": np.full(30, noise)}).axes[0]
    assert not any("nothing varies" in text.get_text() for text in some.texts)


def test_a_standard_error_of_rounding_is_zero() -> None:
    axis = standard_errors_figure({"BRR": np.full(30, 1e-17)}, "").axes[0]
    assert (curves(axis)[0].get_ydata() == 0).all()


def test_choices_of_units_are_drawn_with_their_mean() -> None:
    three = np.linspace(2e-4, 1e-5, 30)
    two = three * np.array([[1.2], [1.5], [1.8]])
    figure = units_figure({"2 units": two, "3 units": three}, "60 strata")
    lines = curves(figure.axes[0])
    assert len(lines) == 5
    assert np.allclose(lines[3].get_ydata(), 1e4 * two.mean(axis=0))
    assert np.allclose(lines[4].get_ydata(), 1e4 * three)
    assert np.allclose(lines[4].get_ydata() / lines[3].get_ydata(), 2 / 3)
    assert legend_of(figure.legends[0]) == [
        "3.00  2 units: mean of 3 choices (thin lines)",
        "2.00  3 units",
    ]
    assert everything_fits(figure)


def test_many_choices_of_units_are_shaded() -> None:
    many = 2e-3 * np.linspace(0.5, 1.5, 36)[:, None] * np.linspace(1, 0.1, 30)
    figure = units_figure({"2 units": many, "9 units": many[0] / 5})
    shade = figure.axes[0].collections[0].get_datalim(figure.axes[0].transData)
    assert shade.ymax == pytest.approx(1e4 * many.max())
    assert legend_of(figure.legends[0]) == [
        "20.0  2 units: mean of 36 choices (shaded: lowest to highest)",
        "\u20072.0  9 units",
    ]
    assert everything_fits(figure)


def test_algorithms_have_their_bands() -> None:
    panels = {
        "2 units": [band(0.5, "F11"), band(0.6, "F12")],
        "3 units": [band(0.7, "F11"), band(0.75, "F12")],
        "none": [],
    }
    figure = algorithms_figure(panels, title="Algorithms")
    assert [axis.get_title(loc="left").strip() for axis in figure.axes] == ["2 units", "3 units"]
    last = int(figure.axes[0].get_xlim()[1])
    assert np.array_equal(curves(figure.axes[0])[1].get_ydata(), panels["2 units"][1].values[:last])
    assert len(figure.axes[0].collections) == 2
    assert figure.axes[0].get_ylim()[0] < 0.46  # the lowest band is in view, whichever panel it is in
    assert figure.legends[0].get_title().get_text() == f"bands vary {VARYING}"
    assert everything_fits(figure)


@pytest.mark.long
def test_one_panel_of_algorithms_says_what_bands_vary_below() -> None:
    figure = algorithms_figure({"fb": [band(0.5, "F11"), band(0.6, "F12", varying="other people")]})
    assert figure.get_supxlabel() == f"bands vary {VARYING} or other people"
    assert everything_fits(figure)
    many = algorithms_figure({"fb": [band(0.5, f"a{k}") for k in range(9)]})  # too many to shade
    assert many.get_supxlabel() == many.legends[0].get_title().get_text() == ""


@pytest.mark.long
def test_long_names_fit() -> None:
    long = "a method with a long name: what it varies takes some words to say, too, and then some more"
    for figure in (
        standard_errors_figure({f"{long} {k}": [0.1, 0.05] for k in range(4)}, f"{long}, {long}", "A title"),
        units_figure({long: np.full((7, 20), 0.01)}, long),
    ):
        assert everything_fits(figure)


MAKERS: tuple[Callable[[], Figure], ...] = (
    lambda: gallery_effect_figure(PAIR, "Galleries"),
    lambda: standard_errors_figure(ERRORS, "net"),
    lambda: units_figure(ERRORS),
    lambda: algorithms_figure({"fb": [band(0.5)], "fc": [band(0.4)]}),
)


@pytest.mark.long
@pytest.mark.parametrize("make", MAKERS)
def test_the_same_bytes_every_time(make: Callable[[], Figure], tmp_path: Path) -> None:
    figure = make()
    for name, one in (("a", figure), ("b", figure), ("c", make())):
        save_figure(one, tmp_path / f"{name}.svg")
    first = (tmp_path / "a.svg").read_bytes()
    assert first == (tmp_path / "b.svg").read_bytes() == (tmp_path / "c.svg").read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_the_same_bytes_in_other_formats(ending: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_figure(gallery_effect_figure(PAIR), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_nothing_to_draw_is_refused() -> None:
    for make in (
        lambda: gallery_effect_figure([]),
        lambda: standard_errors_figure({}, ""),
        lambda: standard_errors_figure({"a": []}, ""),
        lambda: standard_errors_figure({"a": [0.1, np.nan]}, ""),
        lambda: units_figure({"a": [0.1, -0.1]}),
        lambda: algorithms_figure({"a": []}),
    ):
        with pytest.raises(UsageError):
            make()
