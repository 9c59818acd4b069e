"""Figures of verification: what is drawn is what was counted, and stops where the data do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from tests.examples import some

from proband.analyses.verification.view import differential_figure
from proband.errors import UsageError
from proband.inference.estimates.people_fractions import SizeCurve
from proband.inference.verification.groups import Differential, GroupRates
from proband.inference.verification.intervals.rate_interval import FALSE_MATCHES, rate_interval
from proband.report import save_figure
from proband.report.charts.error_curves import ErrorCurve
from proband.report.charts.makers.errors import aligned, det, roc, search
from proband.report.charts.makers.histograms import ScoreCounts, scores
from proband.report.charts.mpl import printed
from proband.report.charts.palette import MOST_COLOURS
from proband.report.charts.scales import rate_label
from proband.report.figures.identification import sizes_figure
from proband.results.base import Interval, describing
from proband.results.estimate import Estimate
from proband.words import Method, Target


def det_figure(curves: Sequence[ErrorCurve], title: str | None = None) -> Figure:
    return printed([det(curves)], title)


def roc_figure(curves: Sequence[ErrorCurve], title: str | None = None) -> Figure:
    return printed([roc(curves)], title)


def score_histograms_figure(panels: Sequence[ScoreCounts], title: str | None = None) -> Figure:
    return printed([scores(one, title=one.name) for one in panels], title)


def search_figure(curves: Sequence[ErrorCurve], title: str | None = None) -> Figure:
    return printed([search(curves)], title)


CURVES = (det_figure, roc_figure, search_figure)


def corners(genuine: np.ndarray, impostor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """FMR and FNMR at every threshold there can be, from rejecting everything to accepting everything."""
    thresholds = np.unique(np.concatenate([genuine, impostor]))[::-1]
    accepted = len(impostor) - np.searchsorted(np.sort(impostor), thresholds)
    rejected = np.searchsorted(np.sort(genuine), thresholds)
    return np.append(0.0, accepted / len(impostor)), np.append(1.0, rejected / len(genuine))


def curve(
    name: str = "net",
    apart: float = 2.0,
    n_genuine: int = 400,
    n_impostor: int = 3000,
    seed: int = 0,
    **more: Any,
) -> ErrorCurve:
    rng = np.random.default_rng(seed)
    fmr, fnmr = corners(rng.normal(apart, 1, n_genuine), rng.normal(0, 1, n_impostor))
    return ErrorCurve(name, fmr, fnmr, n_impostor, n_genuine, **more)


def lines(axis: Axes, least: int = 3) -> list[Line2D]:
    """Pieces of curves, without the straight lines."""
    return [line for line in axis.lines if len(line.get_xdata()) >= least]


def dots(axis: Axes) -> list[Line2D]:
    return [line for line in axis.lines if line.get_marker() == "o"]


def said(figure: Figure) -> str:
    return "\n".join(text.get_text() for axis in figure.axes for text in axis.texts)


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text().replace("\u2007", "") for text in figure.legends[0].get_texts()]


def everything_fits(figure: Figure) -> bool:
    """No text reaches beyond the figure, and panels keep their room."""
    figure.draw_without_rendering()
    needed = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    drawn = [axis.get_position() for axis in figure.axes if axis.get_visible()]
    return bool(
        needed.x0 >= -0.01
        and needed.y0 >= -0.01
        and needed.x1 <= width + 0.01
        and needed.y1 <= height + 0.01
        and all(box.width * width > 1.5 and box.height * height > 0.5 for box in drawn)
    )


# ---- curves -----------------------------------------------------------------------------------------------------------------


def test_a_curve_is_what_the_stricter_corner_attains() -> None:
    one = ErrorCurve("a", np.array([0, 0.1, 0.1, 0.5, 1]), np.array([1, 1, 0.4, 0.4, 0]), 10, 5)
    assert one.fnmr_at(0.05) == 1
    assert one.fnmr_at(0.1) == 0.4
    assert one.fnmr_at(0.99) == 0.4
    assert one.fmr_at(0.4) == 0.1
    assert one.fmr_at(0.39) == 1
    assert one.crossing == pytest.approx(0.4)  # on the horizontal step


def test_equal_errors_are_found_on_steps_and_on_ties() -> None:
    assert ErrorCurve("a", np.array([0, 0.2, 0.2, 1]), np.array([1, 1, 0.1, 0]), 10, 10).crossing == 0.2
    assert ErrorCurve("tied", np.array([0, 1]), np.array([1, 0]), 10, 10).crossing == 0.5
    assert ErrorCurve("given", np.array([0, 1]), np.array([1, 0]), 10, 10, eer=0.3).crossing == 0.3
    assert ErrorCurve("perfect", np.array([0, 0, 1]), np.array([1, 0, 0]), 10, 10).crossing == 0


def test_the_direction_does_not_matter() -> None:
    one = curve()
    other = ErrorCurve("net", one.fmr[::-1], one.fnmr[::-1], one.n_impostor, one.n_genuine)
    assert np.array_equal(one.fmr, other.fmr)
    assert np.array_equal(one.fnmr, other.fnmr)


def test_pieces_meet_and_end_at_a_single_error() -> None:
    one = curve(n_genuine=400, n_impostor=3000)
    (x, y), rest = one.pieces()
    (before_x, before_y), (after_x, after_y) = rest
    assert x[0] == pytest.approx(30 / 3000) == before_x[-1]
    assert y[-1] == pytest.approx(30 / 400) == after_y[0]
    assert before_y[-1] == y[0]
    assert y[x == x[0]][-1] == one.fnmr_at(0.01)
    assert after_x[0] == x[-1]
    assert before_x[0] == pytest.approx(1 / 3000)
    assert after_y[-1] == pytest.approx(1 / 400)
    for px, py in ((x, y), *rest):
        steps = np.stack([np.diff(px), -np.diff(py)])
        assert (steps >= 0).all()
        assert (steps.min(axis=0) == 0).all()  # across or down, never both


def test_without_errors_nothing_is_left_of_a_curve() -> None:
    perfect = ErrorCurve("perfect", np.array([0, 0, 1]), np.array([1, 0, 0]), 100, 50)
    assert perfect.flawless
    (x, _), rest = perfect.pieces()
    assert len(x) == len(rest) == 0
    assert not curve().flawless


@pytest.mark.parametrize(
    ("fmr", "fnmr", "n", "more"),
    [
        ([], [], 5, {}),
        ([0, 1], [1], 5, {}),
        ([0, 0.5, 0.2], [1, 0.5, 0], 5, {}),
        ([0, np.nan, 1], [1, 0.5, 0], 5, {}),
        ([0, 2], [1, 0], 5, {}),
        ([0, 1], [1, 0], 0, {}),
        ([0, 1], [1, 0], 5, {"low": [0.1]}),
        ([0, 1], [1, 0], 5, {"low": [0.1], "high": [0.2], "band_fmr": [0.1, 0.2]}),
    ],
)
def test_curves_that_cannot_be_are_refused(
    fmr: list[float], fnmr: list[float], n: int, more: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        ErrorCurve("a", np.array(fmr), np.array(fnmr), n, n, **more)


# ---- DET, ROC and searches --------------------------------------------------------------------------------------------------


def test_a_det_has_axes_of_normal_deviates() -> None:
    from scipy.special import ndtri

    axis = det_figure([curve(n_impostor=20000)]).axes[0]
    ticks = axis.get_xticks()
    placed = axis.transData.transform(np.column_stack([ticks, ticks]))[:, 0]
    assert np.allclose(np.diff(placed) / np.diff(ndtri(ticks)), np.diff(placed)[0] / np.diff(ndtri(ticks))[0])
    labels = [label.get_text() for label in axis.get_xticklabels()]
    assert labels == ["0.01%", "0.1%", "1%", "5%", "20%", "40%", "60%"]


def test_a_det_draws_the_steps_and_nothing_beyond_a_single_error() -> None:
    one = curve(n_genuine=60, n_impostor=900, apart=1.0)
    drawn = lines(det_figure([one]).axes[0])
    for line in drawn:
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        assert x.min() >= 1 / 900 - 1e-12
        assert y.min() >= 1 / 60 - 1e-12
        middles = (x[1:] + x[:-1]) / 2
        across = np.diff(x) > 1e-3
        assert np.allclose(y[:-1][across], [one.fnmr_at(fmr) for fmr in middles[across]])
    thick = [line for line in drawn if line.get_linewidth() > 1]
    assert len(thick) == 1
    assert np.min(thick[0].get_xdata()) == pytest.approx(30 / 900)
    assert np.min(thick[0].get_ydata()) >= 0.5 - 1e-12


def test_equal_error_rates_are_on_the_diagonal_and_in_the_legend() -> None:
    strong, weak = curve("strong", 5.0, 2000, 3000), curve("weak", 1.0, 2000, 3000)
    figure = det_figure([strong, weak])
    hollow, full = dots(figure.axes[0])
    for dot, one in ((hollow, strong), (full, weak)):
        assert dot.get_xdata()[0] == dot.get_ydata()[0] == one.crossing
    assert strong.crossing < 30 / 2000 < 0.2 < weak.crossing
    assert hollow.get_markerfacecolor() == "white"
    assert full.get_markerfacecolor() != "white"
    assert legend_of(figure) == [f"{100 * one.crossing:.2f}%  {one.name}" for one in (strong, weak)]


@pytest.mark.parametrize("make", CURVES)
def test_the_unsupported_zone_is_hatched(make: Callable[..., Figure]) -> None:
    figure = make([curve(n_genuine=300, n_impostor=6000, apart=3.0), curve(n_genuine=200, n_impostor=5000)])
    (zone,) = [patch for patch in figure.axes[0].patches if patch.get_hatch()]
    x, y = zone.get_xy().T
    edge = 0.9 if make is roc_figure else 0.1
    assert np.isclose(x, 30 / 6000).any()
    assert np.isclose(y, edge).any()
    errors = "false positives" if make is search_figure else "false matches"
    assert f"< 30 {errors}" in said(figure)
    assert "200 to 300" in said(figure)
    assert "5,000 to 6,000" in said(figure)
    assert everything_fits(figure)


def test_algorithms_without_errors_are_marked_side_by_side() -> None:
    perfect = [curve(name, 40.0) for name in ("a", "b")]
    figure = det_figure([*perfect, curve("c")])
    marked = [line for line in figure.axes[0].lines if isinstance(line.get_marker(), list)]
    assert len(marked) == 2
    places = [line.get_transform().transform((0, 0))[0] for line in marked]
    assert places[0] != places[1]
    assert legend_of(figure)[:2] == ["0.00%  a: no errors", "0.00%  b: no errors"]
    assert everything_fits(figure)
    drawn = lines(roc_figure(perfect).axes[0], least=2)
    assert any((np.asarray(line.get_ydata()) == 1).all() for line in drawn)


def test_a_roc_gives_the_rates_at_the_lowest_supported_power_of_ten() -> None:
    one = curve(n_impostor=5000)
    figure = roc_figure([one])
    assert figure.axes[0].get_xscale() == "log"
    assert figure.legends[0].get_title().get_text() == "true accept rate at FMR 1%"
    assert legend_of(figure) == [f"{100 * (1 - one.fnmr_at(0.01)):.2f}%  net"]
    (dot,) = dots(figure.axes[0])
    assert dot.get_xdata()[0] == 0.01
    assert dot.get_ydata()[0] == 1 - one.fnmr_at(0.01)


def test_searches_end_where_no_threshold_finds_more() -> None:
    found = ErrorCurve("rank 1", np.array([0.9, 0.3, 0.0]), np.array([0.2, 0.25, 0.6]), 1000, 400)
    figure = search_figure([found])
    axis = figure.axes[0]
    assert axis.get_xscale() == axis.get_yscale() == "log"
    assert "400 mated and 1,000 non-mated searches" in said(figure)
    (thick,) = [line for line in lines(axis) if line.get_linewidth() > 1]
    assert (thick.get_xdata()[-1], thick.get_ydata()[-1]) == (1, 0.2)
    assert "FNIR at FPIR 10" in figure.legends[0].get_title().get_text()
    assert legend_of(figure) == ["60.00%  rank 1"]


@pytest.mark.long
@pytest.mark.parametrize("make", CURVES)
def test_bands_are_shaded_and_a_few_limits_are_whiskers(make: Callable[..., Figure]) -> None:
    at = np.geomspace(1e-5, 0.5, 20)
    band = curve(low=np.full(20, 0.2), high=np.full(20, 0.3), band_fmr=at)
    (shade,) = make([band]).axes[0].collections
    x, y = shade.get_paths()[0].vertices.T
    assert x.min() >= 1 / band.n_impostor
    assert np.allclose(sorted({*y.round(6)}), [0.7, 0.8] if make is roc_figure else [0.2, 0.3])
    few = curve(low=np.array([0.0, 0.1]), high=np.array([0.3, 0.4]), band_fmr=np.array([0.1, 0.01]))
    (whiskers,) = make([few]).axes[0].collections
    assert len(whiskers.get_segments()) == 2


LONG = "a very long name, with $dollars$ and_underscores, " * 4
ODD: tuple[Sequence[ErrorCurve], ...] = (
    [ErrorCurve("one corner", np.array([0.5]), np.array([0.5]), 1, 1)],
    [ErrorCurve("all tied", np.array([0, 1]), np.array([1, 0]), 1000, 100)],
    [ErrorCurve("reversed", np.array([0, 1, 1]), np.array([1, 1, 0]), 1000, 100)],
    [ErrorCurve("many", np.array([0, 1e-9, 1e-6, 1]), np.array([1, 0.2, 0.01, 0]), 10**10, 10**6)],
    [curve("tiny", 1.0, 5, 12), curve("tiny, perfect", 20.0, 5, 12)],
    [curve(f"{LONG}{k}", 0.3 * k, seed=k) for k in range(6)],
    [curve(f"algorithm {k}", 0.5 * k, seed=k) for k in range(12)],
)


@pytest.mark.long
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("make", "odd"),
    [
        pytest.param(make, odd, marks=[] if (j + k) % 3 == 0 else pytest.mark.long)
        for j, make in enumerate(CURVES)
        for k, odd in enumerate(ODD)
    ],
)
def test_whatever_there_is_to_draw_is_drawn(make: Callable[..., Figure], odd: Sequence[ErrorCurve]) -> None:
    figure = make(odd, title="A title")
    listed = legend_of(figure)
    assert len(listed) == min(len(odd), MOST_COLOURS + 1)
    if len(odd) > MOST_COLOURS:
        assert listed[-1].startswith(f"the other {len(odd) - MOST_COLOURS}")
    assert everything_fits(figure)


def test_long_curves_are_drawn_with_no_more_points_than_can_be_seen() -> None:
    n = 200_000
    rates = np.linspace(0, 1, n)
    drawn = lines(det_figure([ErrorCurve("long", rates, 1 - rates**0.1, 10**7, 10**6)]).axes[0])
    assert 500 < sum(len(line.get_xdata()) for line in drawn) < 10_000


def test_labels_of_rates() -> None:
    assert [rate_label(rate) for rate in (1e-5, 0.05, 1)] == ["0.001%", "5%", "100%"]
    assert [rate_label(rate, powers=True) for rate in (1e-12, 1e-3, 0.01, 1)] == [
        "10⁻¹²",
        "10⁻³",
        "0.01",
        "1",
    ]
    assert aligned([0.2, 0.00034, 0]) == ["20.000%", "\u20070.034%", "\u20070.000%"]
    assert aligned([0, 0]) == ["0.00%"] * 2


# ---- scores, gallery sizes, groups ------------------------------------------------------------------------------------------

EDGES = np.array([0.0, 0.1, 0.2, 0.4, 1.0])
SCORES = ScoreCounts(
    "net", EDGES, np.array([0, 1, 4, 5]), np.array([500, 400, 100, 0]), -0.3, "threshold of FMR 1%"
)


def test_densities_of_both_kinds_have_the_same_area() -> None:
    figure = score_histograms_figure([SCORES, ScoreCounts(LONG, EDGES, SCORES.genuine, SCORES.impostor)])
    for axis in figure.axes:
        outlines = [patch for patch in axis.patches if isinstance(patch, StepPatch) and not patch.get_fill()]
        assert len(outlines) == 2
        for outline in outlines:
            density, edges, _ = outline.get_data()
            assert density @ np.diff(edges) == pytest.approx(1)
    marked, unmarked = figure.axes
    assert marked.lines[0].get_xdata()[0] == -0.3
    assert marked.get_xlim()[0] < -0.3
    assert not unmarked.lines
    assert "10 genuine, 1,000 impostor\nthreshold of FMR 1%: −0.3" in said(figure)
    assert everything_fits(figure)


@pytest.mark.parametrize("count", some([4, 1, 6], 3))
def test_every_algorithm_has_a_panel_of_scores(count: int) -> None:
    figure = score_histograms_figure([SCORES] * count, title="Scores")
    assert sum(axis.get_visible() for axis in figure.axes) == count
    assert everything_fits(figure)


def sizes(name: str, rates: Sequence[float], at: Sequence[int] = (10, 100, 1000, 20000)) -> SizeCurve:
    low, high = ([max(0, rate - 0.1) for rate in rates], [min(1, rate + 0.1) for rate in rates])
    of = describing(Target("rate", "recognition rate at rank 1"))
    return SizeCurve(
        None, name, 1, tuple(at), tuple(rates), tuple(low), tuple(high), max(at), 50, 40, 0.95, of
    )


def test_rates_by_gallery_size() -> None:
    rates = {"a": [1, 0.98, 0.95, 0.9], LONG: [0.9, 0.7, 0.5, 0.2]}
    figure = sizes_figure([sizes(name, own) for name, own in rates.items()])
    axis = figure.axes[0]
    assert axis.get_xscale() == "log"
    assert [line.get_ydata().tolist() for line in axis.lines] == list(rates.values())
    assert len(axis.collections) == 2
    assert axis.get_ylim()[1] < 1.02
    assert everything_fits(figure)
    assert everything_fits(sizes_figure([sizes("a", [0.0], [100])]))


def rate(errors: int, n: int, low: float = 0.0, high: float = 1.0) -> Estimate | None:
    if not n:
        return None
    ends = Interval(low, high)
    return rate_interval(FALSE_MATCHES, errors, n, None, ends, n, None, Method("m", "m"), 0.95, ())


def groups(*rates: tuple[str, tuple[float, ...], tuple[float, ...]]) -> Differential:
    """Groups by name with errors, comparisons and limits of FMR and of FNMR."""
    made = (GroupRates(name, 5, fmr=rate(*fmr), fnmr=rate(*fnmr)) for name, fmr, fnmr in rates)  # type: ignore[arg-type]
    return Differential("net", "kind", 0.5, tuple(made), 0)


MANY = ("many", (900, 10**6, 0.0008, 0.001), (50, 5000, 0.008, 0.013))
FEW = ("few", (3, 1000, 0.001, 0.009), (40, 500, 0.06, 0.11))
NONE = ("none", (0, 1000, 0.0, 0.003), (0, 100, 0.0, 0.03))
GROUPS = groups(MANY, FEW, NONE, ("nobody", (0, 0), (0, 0)))


def test_groups_are_sorted_and_unsupported_ones_hollow() -> None:
    figure = differential_figure(GROUPS)
    fnmr, fmr = figure.axes
    assert [label.get_text() for label in fnmr.get_yticklabels()] == ["few", "many", "none"]
    assert fnmr.get_xscale() == fmr.get_xscale() == "log"
    assert [dot.get_markerfacecolor() == "white" for dot in dots(fmr)] == [True, False]
    assert [dot.get_markerfacecolor() == "white" for dot in dots(fnmr)] == [False, False]
    assert [dot.get_xdata()[0] for dot in dots(fmr)] == [0.003, 0.0009]
    assert sum(line.get_marker() == "<" for line in fmr.lines) == 1
    told = [text.get_text() for text in fmr.texts]
    assert [one for one in told if " of " in one] == ["3 of 1,000", "900 of 1,000,000", "0 of 1,000"]
    together = next(line for line in fmr.lines if len(line.get_xdata()) == 2)
    assert together.get_xdata()[0] == pytest.approx(903 / 1_002_000)
    assert fnmr.get_ylim()[0] > fnmr.get_ylim()[1]  # the highest on top
    assert "nobody" in figure.get_supxlabel()  # not drawn, and said
    assert everything_fits(figure)


@pytest.mark.long
@pytest.mark.parametrize(
    "found",
    [
        groups(NONE),
        groups((LONG, (1, 2), (1, 2))),
        groups(*((f"group {k}", (10 * k, 10**7, 1e-7, 1e-3), (k, 10**5, 0, 1e-3)) for k in range(20))),
    ],
)
def test_any_groups_are_drawn(found: Differential) -> None:
    assert everything_fits(differential_figure(found, title="Groups"))


# ---- all --------------------------------------------------------------------------------------------------------------------

MAKERS: tuple[Callable[[], Figure], ...] = (
    lambda: det_figure([curve(), curve("perfect", 40.0)], title="DET"),
    lambda: roc_figure([curve()]),
    lambda: search_figure([curve(low=np.zeros(2), high=np.ones(2), band_fmr=np.array([0.1, 0.2]))]),
    lambda: score_histograms_figure([SCORES]),
    lambda: sizes_figure([sizes("a", [1.0, 0.5], [1, 10])]),
    lambda: differential_figure(GROUPS),
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
    figure = det_figure([curve()])
    for name, one in (("a", figure), ("b", figure), ("c", det_figure([curve()]))):
        save_figure(one, tmp_path / f"{name}.{ending}")
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first == (tmp_path / f"b.{ending}").read_bytes() == (tmp_path / f"c.{ending}").read_bytes()


def test_nothing_to_draw_is_refused() -> None:
    for make in (
        *(lambda make=make: make([]) for make in CURVES),
        lambda: score_histograms_figure([]),
        lambda: ScoreCounts("a", np.array([0, 0, 1]), np.array([1, 1]), np.array([1, 1])),
        lambda: ScoreCounts("a", np.array([0, 1]), np.array([1, 1]), np.array([1, 1])),
        lambda: ScoreCounts("a", np.array([0, 1]), np.array([-1]), np.array([1])),
        lambda: sizes_figure([]),
        lambda: differential_figure(groups(("nobody", (0, 0), (0, 0)))),
    ):
        with pytest.raises(UsageError):
            make()
