"""Labels next to curves in print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from proband.report.charts.naming import Room, named_directly
from proband.report.charts.palette import MOST_COLOURS, colour
from proband.report.charts.scales import Floats
from proband.report.charts.spec import Axis
from proband.report.figures.style import GREY
from proband.words import count

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_LETTER, _LINE = 0.056, 0.1  # inches, at the size below
_SIZE = 6.5


def name_directly(axis: Axes, axes: tuple[Axis, Axis], curves: Sequence[tuple[str, Floats, Floats]]) -> None:
    """Label curves directly, as far as the panel has room."""
    from matplotlib.patheffects import withStroke

    if not curves:
        return
    box, whole = axis.get_position(), axis.get_figure(root=True)
    assert whole is not None
    wide, high = (
        size * part for size, part in zip(whole.get_size_inches(), (box.width, box.height), strict=True)
    )
    across, up = axes[0].over(0.0, wide), axes[1].over(high, 0.0)
    shown = []
    for name, x, y in curves:
        kept = (x >= axes[0].low) & (x <= axes[0].high) & (y >= axes[1].low) & (y <= axes[1].high)
        shown.append((name, across(x[kept]), up(y[kept])))
    ground = [withStroke(linewidth=1.6, foreground="white")]
    for one in named_directly(shown, Room(0.05, wide, 0.0, high, _LETTER, _LINE)):
        axis.text(
            one.x / wide, 1 - one.y / high, one.name, transform=axis.transAxes, fontsize=_SIZE, color=GREY,
            zorder=4, path_effects=ground,
        )  # fmt: skip


def others(n: int) -> list[Artist]:
    """What a legend says of curves in grey; nothing where there are none."""
    from matplotlib.lines import Line2D

    if not n:
        return []
    told = f"the other {count(n)} (labelled where space permits)"
    return [Line2D([], [], color=colour(MOST_COLOURS), linewidth=0.9, label=told)]
