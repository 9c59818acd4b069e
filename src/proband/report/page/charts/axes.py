"""The frame of a chart: axes with round numbers, the zone of few errors, and the drawing put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proband.measures.verification import SUPPORTED
from proband.report.figures.verification_axes import widest_gap
from proband.report.figures.verification_curves import ErrorCurve
from proband.report.page.charts.scales import Kind, Scale, Unit
from proband.report.page.charts.svg import element, line, number, words

WIDTH, HEIGHT = 640.0, 400.0
LETTER = 8.0  # about the width of one, at the size below
_SIZE = 14
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 14.0, 34.0, 50.0
_INSET = 9.0  # between the ends of an axis and the first and last place of the data
_STRIP = 18.0  # as wide as words need

Domain = tuple[Kind, float, float, Unit]


@dataclass(frozen=True)
class Frame:
    """Two axes, what they are called, and the room around them."""

    x: Scale
    y: Scale
    x_label: str
    y_label: str = ""
    height: float = HEIGHT
    left: float = _LEFT
    right: float = WIDTH - _RIGHT

    @classmethod
    def of(
        cls,
        x: Domain,
        y: Domain,
        x_label: str,
        y_label: str = "",
        *,
        inset: float | tuple[float, float] = 0.0,
    ) -> Frame:
        """A frame of the usual size; `inset` keeps the data away from the ends of the axes."""
        across, up = inset if isinstance(inset, tuple) else (inset, inset)
        right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
        return cls(
            Scale(x[0], x[1], x[2], _LEFT + across, right - across, x[3]),
            Scale(y[0], y[1], y[2], bottom - up, _TOP + up, y[3]),
            x_label,
            y_label,
        )

    @classmethod
    def of_rows(cls, x: Domain, n_rows: int, x_label: str, left: float, right: float, row: float) -> Frame:
        """A frame of rows from above, the first at the middle of its row, with words on the left and on the right."""
        height = 12.0 + n_rows * row + _BOTTOM
        return cls(
            Scale(x[0], x[1], x[2], left + _INSET, WIDTH - right - _INSET, x[3]),
            Scale("linear", -0.5, n_rows - 0.5, 12.0, 12.0 + n_rows * row, "count"),
            x_label,
            height=height,
            left=left,
            right=WIDTH - right,
        )

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

    def drawing(self, id: str, title: str, description: str, parts: Sequence[str]) -> str:
        """The whole drawing, with what it is called and what it shows for those who do not see it."""
        return element(
            "svg",
            element("title", title, id=f"{id}-title"),
            element("desc", description, id=f"{id}-desc"),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            class_="chart",
            id=f"{id}-svg",
            viewBox=f"0 0 {number(WIDTH)} {number(self.height)}",
            width="100%",
            font_size=_SIZE,
            role="img",
            aria_labelledby=f"{id}-title {id}-desc",
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

    def unsupported(self, id: str, curves: Sequence[ErrorCurve], names: tuple[str, str]) -> list[str]:
        """Hatch where no curve has 30 errors along x or along y, and mark where there is a single one."""
        n_x, n_y = max(one.n_impostor for one in curves), max(one.n_genuine for one in curves)
        x, y = self.x.at(SUPPORTED / n_x), self.y.at(SUPPORTED / n_y)
        left, right, top, bottom = self.left, self.right, self.top, self.bottom
        x, y = max(x, left), min(y, bottom)
        if x <= left and y >= bottom:
            return []
        zone = " ".join(
            f"{number(a)},{number(b)}"
            for a, b in ((left, top), (x, top), (x, y), (right, y), (right, bottom), (left, bottom))
        )
        stroke = element("path", class_="hatching", d="M0 0v8", stroke="currentColor", stroke_opacity="0.25")
        made = [
            element(
                "pattern", stroke, id=f"{id}-hatch", width=8, height=8,
                patternUnits="userSpaceOnUse", patternTransform="rotate(-45)",
            ),
            element("polygon", class_="unsupported", points=zone, fill_opacity="0.06"),
            element("polygon", class_="hatch", points=zone, fill=f"url(#{id}-hatch)"),
        ]  # fmt: skip
        if self.x.holds(1 / n_x):
            made.append(line(self.x.at(1 / n_x), top, self.x.at(1 / n_x), bottom, "reference"))
        if self.y.holds(1 / n_y):
            made.append(line(left, self.y.at(1 / n_y), right, self.y.at(1 / n_y), "reference"))
        return made + self._zone_words(curves, names, x, y)

    def _zone_words(
        self, curves: Sequence[ErrorCurve], names: tuple[str, str], x: float, y: float
    ) -> list[str]:
        """Say in either strip what there is too little of, where there is room, between the curves."""
        made: list[str] = []
        wide, high = self.right - self.left, self.bottom - self.top
        if x - self.left > _STRIP:
            fmr = self.x.inverse((x + self.left) / 2)
            crossed = [(self.bottom - self.y.at(one.fnmr_at(fmr))) / high for one in curves]
            place = self.bottom - high * widest_gap(crossed)
            made.append(
                words((x + self.left) / 2 + 5, place, f"< {SUPPORTED} {names[0]}", "note", "middle", True)
            )
        if self.bottom - y > _STRIP:
            fnmr = self.y.inverse((y + self.bottom) / 2)
            crossed = [(self.x.at(one.fmr_at(fnmr)) - self.left) / wide for one in curves]
            crossed.append((self.x.at(fnmr) - self.left) / wide)  # where both rates are equal
            place = self.left + wide * widest_gap([*crossed, (x - self.left) / 2 / wide])
            made.append(
                words(place, (y + self.bottom) / 2 + 5, f"< {SUPPORTED} {names[1]}", "note", "middle")
            )
        return made


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
