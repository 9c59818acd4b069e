"""Figures, in one style: legible in print, without colour, and the same bytes every time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband.engine import written_whole
from proband.errors import UsageError
from proband.inference import Band, Evaluation
from proband.inference.estimates.evaluation import probes_called
from proband.measures import Curve
from proband.words import count, counted, fixed, level, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
COLUMN, PAGE = 3.5, 7.16  # inches: a column and the text width of two-column journals
_NARROW = 5.0

# Okabe & Ito's palette, which colour-blind readers can tell apart; dashes say the same without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)))
_MOST_BANDS = 8
_INK, _GRID = "#222222", "#DDDDDD"

STYLE: Any = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "grid.color": _GRID,
    "grid.linewidth": 0.6,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
    "svg.hashsalt": "proband",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "figure.dpi": 100,
    "text.parse_math": False,  # a name with two dollar signs is a name
    "savefig.dpi": 200,
}


def evaluation_figure(
    evaluation: Evaluation,
    title: str | None = None,
    width: float | None = None,
    drawn: Sequence[str] | None = None,
) -> Figure:
    """Draw the curves of an evaluation as `cmc_figure` does: of the algorithms `drawn`, or of all."""
    panels = {
        probes_called(one): [
            band for band in evaluation.bands(one) if drawn is None or band.facts.algorithm in drawn
        ]
        for one in evaluation.categories
    }
    return cmc_figure(panels, title, width)


def cmc_figure(
    panels: Mapping[str, Sequence[Curve | Band]], title: str | None = None, width: float | None = None
) -> Figure:
    """Draw cumulative match characteristics, a panel for each set of probes.

    The rank axis is logarithmic, since the low ranks are what matters; each panel names its gallery and probes.

    Parameters
    ----------
    panels
        Curves by the name of their set of probes; curves with bands have them drawn, unless there are too many to tell apart.
    title
        A heading for the whole figure.
    width
        Of the figure, in inches: letters keep their size, and below five inches panels stand below one another. By default as
        wide as the panels need.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if not panels or not any(panels.values()):
        raise UsageError("There are no curves to draw.")
    names = list(dict.fromkeys(curve.facts.algorithm for curves in panels.values() for curve in curves))
    narrow = width is not None and width < _NARROW
    columns = 1 if narrow else min(len(panels), 3)
    rows = -(-len(panels) // columns)
    across = width or max(5.4, 3.6 * columns)
    with mpl.rc_context(STYLE):
        figure = Figure(
            figsize=(across, (2.8 if narrow else 3.5) * rows + (0.6 if title else 0.2)), layout="constrained"
        )
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for axis, (name, curves) in zip(axes.flat, panels.items(), strict=False):
            _draw(axis, curves, names, name, rates=len(panels) == 1, narrow=narrow)
        axes.flat[0].set_ylim(_floor(panels), 1.005)  # shared by all
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[:, 0]:
            axis.set_ylabel("recognition rate")
        handles, labels = axes.flat[0].get_legend_handles_labels()
        if len(panels) == 1 and len(names) <= 8:
            axes.flat[0].legend(handles, labels, loc="lower right")
        else:
            fitting = int(across / (0.5 + 0.075 * max(map(len, labels))))
            figure.legend(
                handles, labels, loc="outside lower center", ncols=max(1, min(len(labels), 5, fitting))
            )
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        # Lay out once: the engine would otherwise move things a little at every save.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    return figure


def _floor(panels: Mapping[str, Sequence[Curve | Band]]) -> float:
    """A tenth below the lowest rate at rank 1 of all panels."""
    lowest = min(
        curve.low[0] if isinstance(curve, Band) else curve.at(1)
        for curves in panels.values()
        for curve in curves
    )
    return max(0.0, int(lowest * 10 - 0.5) / 10)


def _draw(
    axis: Axes, curves: Sequence[Curve | Band], names: list[str], title: str, rates: bool, narrow: bool
) -> None:
    """Draw one panel; with `rates` the legend gives each curve's rank-1 rate."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

    longest = max(len(curve.values) for curve in curves)
    for curve in curves:
        style = names.index(curve.facts.algorithm)
        axis.plot(
            curve.ranks,
            curve.values,
            drawstyle="steps-post",
            color=COLOURS[style % len(COLOURS)],
            linestyle=DASHES[(style // len(COLOURS) + style) % len(DASHES)],
            linewidth=1.8,
            label=f"{curve.facts.algorithm}  {fixed(curve.at(1))}" if rates else curve.facts.algorithm,
        )
        if isinstance(curve, Band) and len(curves) <= _MOST_BANDS:
            axis.fill_between(
                curve.ranks,
                curve.low,
                curve.high,
                step="post",
                color=COLOURS[style % len(COLOURS)],
                alpha=0.14,
                linewidth=0,
            )
        axis.plot(
            [1], [curve.at(1)], marker="o", markersize=4.5, color=COLOURS[style % len(COLOURS)], clip_on=False
        )
    axis.set_xscale("log")
    axis.set_xlim(1, max(longest, 2))
    axis.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
    axis.grid(visible=True, which="major")
    facts = curves[0].facts
    of = f"{counted(facts.n_probes, 'probe')}, gallery of {counted(facts.n_gallery_subjects, 'person', 'people')}"
    shaded = _shaded(curves)
    parts = [of, shaded] if narrow and shaded else ["; ".join(filter(None, (of, shaded)))]
    axis.set_title(title + "\n" * len(parts), pad=2)
    axis.text(0, 1.02, "\n".join(parts), transform=axis.transAxes, fontsize=8, color="#555555")
    axis.set_xlabel("rank")


def _shaded(curves: Sequence[Curve | Band]) -> str:
    """What the shading means, where there is any."""
    first = curves[0]
    if not isinstance(first, Band) or len(curves) > _MOST_BANDS:
        return ""
    return f"{level(first.confidence_level)} {'for whole curves' if first.simultaneous else 'at each rank'}"


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF by its ending, whole or not at all, with nothing in it that changes by date."""
    import matplotlib as mpl
    from matplotlib.text import Text

    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"A figure is written as {', '.join(ENDINGS)}; got {path.name}.")
    metadata: dict[str, Any] = {
        ".png": {"Software": None},
        ".svg": {"Date": None, "Creator": None},
        ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }[ending]
    with mpl.rc_context(STYLE), written_whole(path) as draft, warnings.catch_warnings():
        # Names in letters the font lacks, or too long for the layout: the figure is still the one to have.
        for known in (r"Glyph \d+ .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", known, UserWarning)
        for text in figure.findobj(Text):
            text.set_text(printable(text.get_text()))  # controls have no glyphs, and no place in XML
        figure.savefig(draft, metadata=metadata)
