"""Figures of stratified evaluations: what is drawn is what was estimated, and says what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tests.report.page import finding

import proband as pb
from proband.analyses.strat.figures import (
    algorithms_chart,
    errors_chart,
    galleries_chart,
    gallery_effect_figure,
    plot_study,
    study_figures,
    units_chart,
)
from proband.analyses.strat.tables import errors_table, whose_errors
from proband.analyses.strat.view import StratView
from proband.errors import UsageError
from proband.inference import Band
from proband.inference.galleries.effect import GalleryEffect
from proband.inference.strata.study import StratStudy, strat_study
from proband.report import save_figure
from proband.report.charts.data import data_of
from proband.report.charts.palette import MOST_COLOURS, colour
from proband.report.charts.spec import Chart, Curves, Series
from proband.report.page.model import Folded
from proband.report.scene import Scene
from proband.results.base import Answers, Facts
from proband.results.test import Test
from proband.study.findings import Findings
from proband.words import Method, Target

PEOPLE = 60
VARYING = "new probe images of these people, with the same number per person"


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
        (0.5, 0.1, 300, 300),  # never all but there
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
    assert "bands are drawn for up to 6 galleries" in figure.get_supxlabel()
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


@cache
def study(images: int = 4, strengths: tuple[float, ...] = (1.2,), n: int = 24) -> StratStudy:
    """Random scores of algorithms over people; very strong ones recognise everybody."""
    ids = [f"s{s:02d}-{k:02d}" for s in range(n) for k in range(images)]
    own = np.array([name[:3] for name in ids])
    rng = np.random.default_rng(images)
    same = own[:, None] == own
    scores = [
        pb.Scores.from_array(rng.normal(size=same.shape) + strength * same, ids, orientation="similarity", name=f"a{k}")
        for k, strength in enumerate(strengths)
    ]  # fmt: skip
    return strat_study(scores, samples=pb.Samples({"id": ids, "subject": own.tolist()}), n_images=images)


def drawn(chart: Chart) -> dict[str, Series]:
    assert isinstance(chart.marks, Curves)
    return {one.name: one for one in chart.marks.series}


def test_standard_errors_are_drawn_in_points() -> None:
    found = study()
    errors = found.errors["a0"]
    chart = errors_chart(found, "a0")
    assert list(drawn(chart)) == [
        "BRR (81 replicates)",
        "delete-one jackknife (72 replicates)",
        "bootstrap over probes (1,000 replicates)",
        "bootstrap over people (1,000 replicates)",
    ]
    keys = ("brr", "jackknife", "bootstrap-of-probes", "bootstrap-of-people")
    for one, key in zip(drawn(chart).values(), keys, strict=True):
        assert np.array_equal(one.ys, 100 * errors[key].by_rank[: len(one.ys)])
    assert "same standard errors as BRR" in chart.notes[0]
    axis = plot_study(found, "errors").axes[0]
    assert np.array_equal(
        curves(axis)[0].get_ydata(), 100 * errors["brr"].by_rank[: len(curves(axis)[0].get_ydata())]
    )
    assert "percentage points" in axis.get_ylabel()
    assert "first mixed gallery, 72 probes of 24 people" in said(axis)
    assert axis.get_xscale() == "log"


def test_every_choice_of_two_of_three_units_is_drawn() -> None:
    """Figure 5 of the paper: three units, and without each of the columns."""
    found = study()
    chart = units_chart(found, "a0")
    assert list(drawn(chart)) == ["3 units", *(f"2 units, without column {k}" for k in (4, 3, 2))]
    for one, variance in zip(drawn(chart).values(), found.variances["a0"], strict=False):
        assert np.array_equal(one.ys, 1e4 * variance.by_rank[: len(one.ys)])


@pytest.mark.parametrize("images", [5, 7, 10])
def test_no_number_of_units_is_left_out(images: int) -> None:
    chart = units_chart(study(images, n=9), "a0")
    assert [name.partition(" ")[0] for name in drawn(chart)] == [str(k) for k in range(images - 1, 1, -1)]
    assert all(len(one.low) for name, one in drawn(chart).items() if "choices" in name)
    assert "Shaded: from the lowest to the highest choice of units." in chart.notes


def test_too_many_choices_of_units_are_drawn_without_shade() -> None:
    chart = units_chart(study(15, n=4), "a0")
    assert len(drawn(chart)) == 13
    assert not len(drawn(chart)["7 units: mean of 3,432 choices"].low)
    assert any(note.startswith("Without shading") for note in chart.notes)


def test_curves_end_where_nothing_is_left_and_rounding_is_not_drawn() -> None:
    found = study()
    errors = {
        key: replace(one, by_rank=np.where(np.arange(24) < 12, one.by_rank[0], 1e-18))
        for key, one in found.errors["a0"].items()
    }
    ends = drawn(errors_chart(replace(found, errors={"a0": errors}), "a0"))
    assert {len(one.ys) for one in ends.values()} == {13}
    assert all(one.ys[-1] == 0 for one in ends.values())


def test_what_does_not_vary_is_said() -> None:
    still = study(4, (50.0,))
    chart = errors_chart(still, "a0")
    assert "Zero at every rank: nothing varies." in chart.notes
    assert chart.axes[0][1].high == 1
    assert everything_fits(plot_study(still, "errors"))


def test_the_first_algorithm_that_varies_is_shown() -> None:
    found = study(4, (50.0, 1.2, 0.8))
    assert found.varying_algorithms == ("a1", "a2")
    table = errors_table(found, "a1")
    assert table.caption == "Standard error by method, a1 (the first whose rates vary), first mixed gallery"
    assert "(the first" not in errors_table(found, "a2").caption
    told = [str(note) for note in whose_errors(found)]
    assert "shown for a1, the first of 3 algorithms whose rates vary" in told[0]
    assert "the rates of a0 do not vary" in told[1]
    figure = plot_study(found, "errors")
    assert [axis.get_title(loc="left") for axis in figure.axes] == [
        f"Standard error of the CMC, a{k}" for k in (1, 2)
    ]
    assert "2 of 3 algorithms: those that vary" in figure.legends[0].get_title().get_text()
    assert len(plot_study(found, "galleries").axes) == 6
    assert len(found.plot(which="galleries", algorithm="a0", width=5.0).axes) == 2


@pytest.mark.long
def test_many_algorithms_are_not_dropped_untold() -> None:
    found = study(4, tuple(np.linspace(0.5, 1.5, 8)))
    for which in ("errors", "units"):
        figure = plot_study(found, which)
        assert sum(axis.get_visible() for axis in figure.axes) == 6
        assert "6 of 8 algorithms: the first" in figure.legends[0].get_title().get_text().replace("\n", " ")
        assert everything_fits(figure)
    assert "6 of 8 algorithms: the first" in plot_study(found, "galleries").get_supxlabel().replace("\n", " ")
    (title,) = {axis.get_title(loc="left") for axis in plot_study(found, "errors", algorithm="a7").axes}
    assert title == "Standard error of the CMC, a7"
    page = StratView()
    blocks = list(page.blocks(found, Scene(Findings("t", finding.PROVENANCE, {"strat": found}))))
    assert [one.title for one in blocks if isinstance(one, Folded)][:7] == [
        f"The same curves for a{k}" for k in range(1, 8)
    ]


@pytest.mark.parametrize("relative", [False, True])
def test_every_chart_takes_relative_ranks(relative: bool) -> None:
    found = replace(study(4, (1.2, 0.8)), relative_ranks=relative)
    charts = [
        galleries_chart(found.effects[0], 10, relative=relative),
        errors_chart(found, "a0"),
        units_chart(found, "a0"),
        algorithms_chart(found),
    ]
    for chart in charts:
        across = chart.axes[0][0]
        assert across.label.startswith("relative rank") == relative
        assert across.low == (pytest.approx(1 / 24) if relative else 1)
        assert all(one.xs[0] == across.low for one in drawn(chart).values())
        first = data_of(chart).rows[0][1]
        assert first.value == 1  # the table goes by rank all the same
    for which in study_figures(found):
        axis = plot_study(study(4, (1.2, 0.8)), which, relative=relative).axes[0]
        assert axis.get_xlabel().startswith("relative rank") == relative


def test_algorithms_have_their_bands() -> None:
    found = study(4, (1.2, 0.8))
    axis = plot_study(found, "algorithms", title="Algorithms").axes[0]
    for line, shade, one in zip(curves(axis), axis.collections, found.curves, strict=True):
        assert np.array_equal(line.get_ydata(), one.values[: len(line.get_ydata())])
        assert shade.get_datalim(axis.transData).ymin == pytest.approx(one.low[0])
    assert axis.get_figure().get_supxlabel() == f"bands vary {VARYING}"


def test_a_table_holds_every_curve() -> None:
    found = study(4, (1.2, 0.8))
    frames = StratView().frames(found)
    assert list(frames) == ["strat", "strat_curves", "strat_errors", "strat_units"]
    one = frames["strat_curves"].filter(algorithm="a1", galleries="mixed", gallery=3)
    band = found.mixed[1].bands[2]
    assert one["rate"].to_list() == band.values.tolist()
    assert one["low"].to_list() == band.low.tolist()
    assert one["relative_rank"][5] == 6 / 24
    assert len(frames["strat_curves"]) == 2 * 2 * 4 * 24
    one = frames["strat_errors"].filter(algorithm="a1", method="jackknife")
    assert one["standard_error"].to_list() == found.errors["a1"]["jackknife"].by_rank.tolist()
    assert one["n_replicates"].unique().to_list() == [72]
    one = frames["strat_units"].filter(algorithm="a0", left_out=3)
    assert one["variance"].to_list() == found.variances["a0"][2].by_rank.tolist()
    fixed = StratView().frames(study_of_fixed())
    assert list(fixed) == ["strat", "strat_curves", "strat_errors"]


def study_of_fixed() -> StratStudy:
    ids = [f"s{s:02d}-{k}" for s in range(12) for k in range(4)]
    samples = pb.Samples({"id": ids, "subject": [name[:3] for name in ids]})
    own = np.array([name[:3] for name in ids])
    values = np.random.default_rng(2).normal(size=(48, 48)) + 1.5 * (own[:, None] == own)
    scores = pb.Scores.from_array(values, ids, orientation="similarity", name="net")
    return strat_study(scores, pb.Experiment(samples, gallery=[one for one in ids if one.endswith("0")]))


def test_a_fixed_gallery_has_errors_and_algorithms() -> None:
    found = study_of_fixed()
    assert list(study_figures(found)) == ["errors", "algorithms"]
    assert errors_chart(found, "net").above == "fixed gallery, 36 probes of 12 people"
    assert found.to_dict()["bands"][0]["values"] == found.curves[0].values.tolist()
    assert found.plot().axes[0].get_title(loc="left") == "Standard error of the CMC, net"
    assert found.plot(which="algorithms", width=4.0).get_figwidth() == 4
    with pytest.raises(UsageError, match="galleries"):
        plot_study(found, "galleries")
    with pytest.raises(UsageError, match="nett"):
        plot_study(found, "errors", algorithm="nett")


MAKERS: tuple[Callable[[], Figure], ...] = (
    lambda: gallery_effect_figure(PAIR, "Galleries"),
    lambda: plot_study(study(), "errors"),
    lambda: plot_study(study(5, n=9), "units"),
    lambda: plot_study(study(), "algorithms"),
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
    with pytest.raises(UsageError):
        gallery_effect_figure([])
