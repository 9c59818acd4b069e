"""The frame of a chart: axes with ticks, and assembly of the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proband.report.charts.naming import Room, named_directly
from proband.report.charts.scales import AxisScale, Floats
from proband.report.charts.spec import Axis, Chart
from proband.report.charts.svg.elements import element, line, number, words

WIDTH, HEIGHT = 640.0, 400.0
LETTER = 8.0  # about the width of one, at the size below
_SIZE = 14
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 14.0, 34.0, 50.0
_INSET = 9.0  # between the ends of an axis and the first and last place of the data


@dataclass(frozen=True)
class Frame:
    """Two axes, what they are called, and the room around them."""

    x: AxisScale
    y: AxisScale
    x_label: str
    y_label: str = ""
    height: float = HEIGHT
    left: float = _LEFT
    right: float = WIDTH - _RIGHT

    @classmethod
    def of(cls, x: Axis, y: Axis, across: float = 0.0, up: float = 0.0) -> Frame:
        """A frame of the usual size; the data are kept so far away from the ends of the axes."""
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        return cls(x.over(_LEFT + across, right - across), y.over(bottom - up, _TOP + up), x.label, y.label)

    @classmethod
    def of_rows(cls, x: Axis, y: Axis, left: float, right: float, row: float) -> Frame:
        """A frame of rows from above, the first at the middle of its row, with words on the left and on the right."""
        end = 12.0 + (y.high - y.low) * row
        return cls(
            x.over(left + _INSET, WIDTH - right - _INSET),
            y.over(12.0, end),
            x.label,
            height=end + _BOTTOM,
            left=left,
            right=WIDTH - right,
        )

    @classmethod
    def of_cells(cls, x: Axis, y: Axis, left: float, top: float, row: float) -> Frame:
        """A frame of rows and columns, with the names of rows on the left and those of columns above."""
        end = top + (y.high - y.low) * row
        right = WIDTH - _RIGHT
        return cls(x.over(left, right), y.over(top, end), x.label, y.label, end + 34, left, right)

    @property
    def top(self) -> float:
        """Where the plot begins."""
        return _TOP if self.y.end < self.y.start else self.y.start

    @property
    def bottom(self) -> float:
        """Where the plot ends."""
        return self.height - _BOTTOM

    def axes(self, *, y_ticks: bool = True, most_x: int = 8, most_y: int = 7) -> list[str]:
        """The grid, the numbers and the names of both axes."""
        across, up = self.x.ticks(most_x), self.y.ticks(most_y) if y_ticks else []
        drawn = [f"M{number(self.x.at(tick))} {number(self.top)}V{number(self.bottom)}" for tick in across]
        drawn += [f"M{number(self.left)} {number(self.y.at(tick))}H{number(self.right)}" for tick in up]
        made = [element("path", class_="grid", d="".join(drawn)), *self._across(across)]
        made += [words(self.left - 8, self.y.at(tick) + 5, self.y.label(tick), "tick", "end") for tick in up]
        made.append(line(self.left, self.bottom, self.right, self.bottom, "axis"))
        middle = (self.left + self.right) / 2
        made.append(words(middle, self.height - 8, self.x_label, "label", "middle"))
        if self.y_label:
            made.append(words(4, 17, self.y_label, "label"))
        return made

    def _across(self, ticks: Sequence[float]) -> list[str]:
        """Labels at the ticks of x where they do not run into one another, of the roundest numbers first."""
        made: list[str] = []
        taken: list[tuple[float, float]] = []
        for tick in sorted(ticks, key=_roundness) if self.x.kind == "log" else ticks:
            label = self.x.label(tick)
            half = LETTER * 0.5 * len(label)
            place = min(self.x.at(tick), WIDTH - half - 5)  # letters may be wider than most
            if all(place + half + 8 < low or place - half - 8 > high for low, high in taken):
                made.append(words(place, self.bottom + 20, label, "tick", "middle"))
                taken.append((place - half, place + half))
        return made

    def id_of(self, chart: Chart) -> str:
        """What a drawing of a chart is called in the page: by the scale it is on."""
        return f"{chart.id}-{self.x.kind}"

    def drawing(self, chart: Chart, parts: Sequence[str]) -> str:
        """The whole drawing, with what it is called and what it shows for those who do not see it."""
        own = self.id_of(chart)
        return element(
            "svg",
            element("title", chart.title, id=f"{own}-title"),
            element("desc", chart.description, id=f"{own}-desc"),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            class_="chart",
            id=f"{own}-svg",
            viewBox=f"0 0 {number(WIDTH)} {number(self.height)}",
            width="100%",
            font_size=_SIZE,
            role="img",
            aria_labelledby=f"{own}-title {own}-desc",
            data_scale_x=self.x.kind,
            data_scale_y=self.y.kind,
            data_unit_x=self.x.unit,
            data_unit_y=self.y.unit,
            data_label_x=self.x_label,
            data_x0=f"{self.x.low:.6g}",
            data_x1=f"{self.x.high:.6g}",
            data_y0=f"{self.y.low:.6g}",
            data_y1=f"{self.y.high:.6g}",
            data_left=self.x.start,
            data_right=self.x.end,
            data_bottom=self.y.start,
            data_top=self.y.end,
        )


def _roundness(value: float) -> int:
    """Powers of ten are roundest, then twice and five times those."""
    digit = f"{value:e}"[0]
    return {"1": 0, "5": 1, "2": 2}.get(digit, 3)


def interval_bar(x1: float, y1: float, x2: float, y2: float, reach: float = 4.0) -> str:
    """An interval with a stroke across either end."""
    turned = abs(x2 - x1) < abs(y2 - y1)
    across = f"h{number(2 * reach)}" if turned else f"v{number(2 * reach)}"
    ends = "".join(
        f"M{number(x - reach * turned)},{number(y - reach * (not turned))}{across}"
        for x, y in ((x1, y1), (x2, y2))
    )
    return element(
        "path", class_="bar", d=f"M{number(x1)},{number(y1)}L{number(x2)},{number(y2)}{ends}", fill="none"
    )


def dot(x: float, y: float, *, hollow: bool = False, radius: float = 4.0) -> str:
    """A value; hollow where too little is behind it."""
    return element("circle", class_="dot hollow" if hollow else "dot", cx=float(x), cy=float(y), r=radius)


def direct_names(frame: Frame, curves: Sequence[tuple[str, Floats, Floats]]) -> list[str]:
    """Names beside curves, in small letters, where there is room for them."""
    room = Room(frame.left + 4, frame.right, frame.top, frame.bottom, 0.75 * LETTER, _SIZE - 2.0)
    return [words(one.x, one.y, one.name, "direct") for one in named_directly(curves, room)]
