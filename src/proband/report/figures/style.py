"""The style of figures: legible in print and in greyscale, with reproducible bytes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from proband.engine import written_whole
from proband.engine.arguments import published
from proband.engine.kinds import shown
from proband.engine.limits import Title
from proband.errors import UsageError
from proband.words import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
COLUMN, PAGE = 3.5, 7.16  # inches: a column and the text width of two-column journals
GREY = "#555555"
_INK, _GRID = "#222222", "#DDDDDD"
_DPI = 200

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
    "text.parse_math": False,  # two dollar signs in a name are not math
    "savefig.dpi": _DPI,
}


_GIVEN: ContextVar[Axes | None] = ContextVar("axes to draw into", default=None)


@contextmanager
def drawn_into(axes: Axes) -> Iterator[None]:
    """Context in which figures are drawn into these axes instead of a new figure."""
    from matplotlib.axes import Axes

    if not isinstance(axes, Axes):
        raise UsageError(
            f"ax should be Matplotlib axes; got {shown(axes)}.",
            "create them with figure, ax = plt.subplots().",
        )
    before = _GIVEN.set(axes)
    try:
        yield
    finally:
        _GIVEN.reset(before)


def figure_with(axes: Axes) -> Figure:
    """Return the figure that contains axes, possibly through a subfigure."""
    assert axes.figure is not None  # axes without a figure cannot be drawn into
    whole: Figure = axes.figure.figure
    return whole


class _GivenAxes:
    """Axes supplied by the user, presented as a figure with one panel; legend and text are inside."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes

    @property
    def legends(self) -> list[Any]:
        legend = self.axes.get_legend()
        return [] if legend is None else [legend]

    def subplots(self, rows: int = 1, columns: int = 1, *, squeeze: bool = True, sharey: bool = False) -> Any:
        if rows * columns > 1:
            raise UsageError(
                f"This figure has {rows * columns} panels, but ax is a single panel.",
                "omit ax, or choose a figure with one panel by which=….",
            )
        return self.axes if squeeze else np.array([[self.axes]])

    def get_figwidth(self) -> float:
        return float(self.axes.get_position().width * figure_with(self.axes).get_figwidth())

    def legend(self, *entries: Any, loc: str, **look: Any) -> Any:
        return self.axes.legend(*map(list, entries), **look)  # inside the axes, where there is room

    def supxlabel(self, text: str, **look: Any) -> None:
        self.axes.set_xlabel(f"{self.axes.get_xlabel()}\n{text}")

    def colorbar(self, image: Any, **look: Any) -> Any:
        return figure_with(self.axes).colorbar(image, **look)


@contextmanager
def laid_out(
    size: tuple[float, float], title: Title | None = None, resolution: int = _DPI
) -> Iterator[Figure]:
    """Create an empty figure that is laid out once, when drawn; otherwise its parts would move slightly at every save.

    If axes were given (`drawn_into`), they are used, and their figure keeps its layout.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    given = _GIVEN.get()
    if given is not None:
        with mpl.rc_context(STYLE):
            yield _GivenAxes(given)  # type: ignore[misc]  # what a figure does that is drawn on
            if title:
                given.set_title(title)
        return
    with mpl.rc_context(STYLE):
        # Text width depends on the resolution: lay out at that of files or, if there are names next to
        # a panel, at that of the screen, where text is wider; with some room for other resolutions.
        room = ConstrainedLayoutEngine(w_pad=0.1)
        figure = Figure(figsize=(size[0], size[1] + (0.3 if title else 0)), layout=room)
        yield figure
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        dpi = figure.get_dpi()
        figure.set_dpi(resolution)
        figure.draw_without_rendering()
        figure.set_dpi(dpi)
        figure.set_layout_engine("none")


def head(axis: Axes, title: str, note: str) -> None:
    """Put a heading above a panel, with a subtitle below it."""
    axis.set_title(title, pad=4 + 11 * len(note.splitlines()))
    # In points above the panel, like the heading: a fraction of a tall panel would overlap the heading.
    above: Any = {"xytext": (0, 3.5), "textcoords": "offset points", "annotation_clip": False}
    axis.annotate(note, (0, 1), xycoords="axes fraction", fontsize=8, color=GREY, linespacing=1.25, **above)


def foot(figure: Figure, text: str) -> None:
    """Write the footer of a figure."""
    said = fill(text, int(15 * figure.get_figwidth()))
    figure.supxlabel(said, x=0.01, ha="left", fontsize=8, color=GREY)


@published
def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF by its extension, completely or not at all, without dates in the file.

    Parameters
    ----------
    figure
        Result of `plot`, or any Matplotlib figure.
    path
        File with the extension ``.png``, ``.svg`` or ``.pdf``.
    """
    import matplotlib as mpl
    from matplotlib.text import Text

    if not hasattr(figure, "savefig"):
        raise UsageError(
            f"figure should be a Matplotlib figure; got {shown(figure)}.", "create it with result.plot()."
        )
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
        # Names with missing glyphs, or too long for the layout, do not invalidate the figure.
        for known in (r"Glyph \d+ .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", known, UserWarning)
        for text in figure.findobj(Text):
            text.set_text(printable(text.get_text()))  # control characters are invalid in XML
        with draft.open("wb") as file:  # given a path, SVG would use system line endings
            figure.savefig(file, format=ending[1:], metadata=metadata)
