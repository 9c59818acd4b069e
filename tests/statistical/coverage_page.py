"""What docs/understand/trust.md shows of the studies of coverage: a picture, a table of one screen, what does not hold, and every trial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from tests.gallery import smaller

import proband as pb
from proband.inference.simulation.covered import Covered, SimulationTally, share_of
from proband.inference.simulation.studies.trials import LEVEL, oracle_power
from proband.report.charts.mpl import set_axis
from proband.report.charts.palette import colour, marker
from proband.report.charts.spec import Axis
from proband.report.figures.style import GREY, PAGE, head, laid_out

if TYPE_CHECKING:
    from tests.statistical.coverage_table import Row

DOCS = Path(__file__).parents[2] / "docs"
SHOWN, PICTURE = DOCS / "understand" / "trust.md", DOCS / "images" / "trust.svg"
PARTS = ("summary", "falls short", "table")
FAMILIES = {
    "rates": ("rate-of-probes", "rate-over-people", "people-within-strata", "new-images"),
    "differences of rates": (
        "difference-of-rates",
        "difference-of-probes",
        "opposed-algorithms",
        "sensors",
        "gate",
    ),
    "FNMR, AUC, EER": ("pairs-of-people", "rates-at-a-threshold", "rates-at-a-false-match-rate"),
    "differences of FNMR, AUC, EER": ("difference-over-pairs",),
    "thresholds to deploy": ("thresholds",),
}
"""The studies in the picture, by what their series are called: those whose carriers are known."""
_WIDEST, _LEAST = 6.0, 75.0
_CARRIERS = (0.1, 100.0)


def share(events: int, n: int) -> str:
    """A share with one Monte Carlo error, in per cent."""
    found = share_of(events, n)
    return f"{100 * found.value:.1f} ± {100 * found.standard_error:.1f}"


def held(tally: SimulationTally) -> float | None:
    return 100 * tally.covered / tally.answered if tally.bounded else None


def rejected(tally: SimulationTally) -> float | None:
    """How often tests reject where nothing differs."""
    return 100 * tally.rejected / tally.answered if tally.null else None


def ratio(tally: SimulationTally) -> float | None:
    return Covered.of(tally, LEVEL).width_ratio if tally.width else None


def by_question(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row.study.question), []).append(row)
    return found


def span(values: Sequence[float]) -> str:
    if not values:
        return ""
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low}–{high}"


def markdown(heads: Sequence[str], lines: Iterable[Sequence[str]], text: int = 1) -> str:
    ruled = ["---"] * text + ["--:"] * (len(heads) - text)
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ruled, *lines))


def summary(rows: Sequence[Row]) -> str:
    """A line for each question: what its intervals hold by how many carry the variance, and what its tests reject."""
    lines = []
    for question, each in by_question(rows).items():
        tallies = [row.tally for row in each]
        parts = [
            [
                one
                for tally in tallies
                if (
                    tally.carriers is None
                    if known is None
                    else tally.carriers is not None and known(tally.carriers)
                )
                and (one := held(tally)) is not None
            ]
            for known in (lambda s: s >= 10, lambda s: 3 <= s < 10, lambda s: s < 3, None)
        ]
        widths = [one for tally in tallies if (one := ratio(tally)) is not None]
        lines.append(
            (
                question,
                *map(span, parts),
                f"{median(widths):.2f}" if widths else "",
                span([one for tally in tallies if (one := rejected(tally)) is not None]),
                f"{sum(bool(row.broken) for row in each)} of {len(each)}",
            )
        )
    heads = (
        "what varies",
        "10 or more carriers",
        "3 to 10",
        "fewer than 3",
        "carriers unknown",
        "width",
        "type I error, %",
        "fall short",
    )
    fewest, most = min(row.tally.n for row in rows), max(row.tally.n for row in rows)
    sets = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return f"{markdown(heads, lines)}\n\nEach population has {sets} simulated data sets."


def falls_short(rows: Sequence[Row]) -> str:
    """What breaks a bar, with why no method holds it where that is known."""
    lines = []
    for row in rows:
        if not row.broken and row.trial.short is None:
            continue
        found = row.tally
        seen = [f"covers {share(found.covered, found.answered)}%"] if found.bounded else []
        seen += [f"rejects {share(found.rejected, found.answered)}%"] if found.null else []
        seen += [f"width {one:.2f}"] if (one := ratio(found)) is not None else []
        why = "not yet" if row.trial.short is None else str(row.trial.short)
        lines.append(
            (f"{measured(row)}, {row.trial.people}", "; ".join(seen), ", ".join(row.broken) or "none", why)
        )
    heads = ("procedure and population", "result", "criteria missed", "why, and what is needed")
    return markdown(heads, lines, len(heads)) if lines else "Every population meets its criteria."


def measured(row: Row) -> str:
    measure = row.trial.ask.measure
    return f"{measure}, `{row.design}`" if measure != "rank-1" else f"`{row.design}`"


def line_of(row: Row) -> tuple[str, ...]:
    tally = row.tally
    n = tally.answered
    if not n:
        return measured(row), row.trial.people, *[""] * 7
    wide, carriers, oracle = ratio(tally), tally.carriers, oracle_power(tally)
    return (
        measured(row),
        row.trial.people + (" †" if row.broken else ""),
        share(tally.covered, n) if tally.bounded else "",
        "" if wide is None else f"{wide:.2f}",
        "" if carriers is None else f"{carriers:.1f}" if carriers < 10 else f"{carriers:.0f}",
        f"{100 * tally.cautioned / n:.0f}",
        share(tally.rejected, n) if tally.null else "",
        "" if oracle is None else f"{100 * tally.rejected / n:.0f} ({100 * oracle:.0f})",
        f"{tally.n:,}",
    )


def table(rows: Sequence[Row]) -> str:
    """Every trial, by question."""
    heads = (
        "procedure",
        "population",
        "coverage, %",
        "width",
        "carriers",
        "cautioned, %",
        "type I error, %",
        "power (oracle), %",
        "data sets",
    )
    parts = [
        f"### {question[0].upper()}{question[1:]}\n\n{markdown(heads, map(line_of, each), 2)}"
        for question, each in by_question(rows).items()
    ]
    versions = sorted({row.version for row in rows})
    return "\n\n".join((*parts, f"Version {', '.join(versions)}, seed 2026. † misses a criterion."))


def within(page: str, part: str, text: str) -> str:
    """The page with one of its parts replaced."""
    begin, end = f"<!-- {part} begins -->", f"<!-- {part} ends -->"
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"


def shown(page: str, rows: Sequence[Row]) -> str:
    """The page with what was found in its places."""
    for part, made in zip(PARTS, (summary, falls_short, table), strict=True):
        page = within(page, part, made(rows))
    return page


def picture(rows: Sequence[Row]) -> Any:
    """Coverage and width against carriers: a mark for each population, with one Monte Carlo error."""
    with laid_out((PAGE, 4.3)) as made:
        left, right = made.subplots(1, 2)
        carriers = Axis("people who carry the variance", "log", *_CARRIERS, "number")
        set_axis(left, "y", Axis("coverage, %", "linear", _LEAST, 100, "number"), inset=0.02)
        set_axis(right, "y", Axis("width, relative to a known variance", "log", 0.7, _WIDEST, "number"))
        zones = ((left, 95, (93, 97)), (right, 1, (0.7, 1.25)))
        for axis, aim, good in zones:
            set_axis(axis, "x", carriers, most=5)
            axis.axhspan(*good, color=colour(5), alpha=0.15, linewidth=0)
            axis.axhline(aim, color=GREY, linewidth=0.9, zorder=1.5)
            axis.axvspan(_CARRIERS[0], 3, color=GREY, alpha=0.12, linewidth=0)
            axis.axvline(10, color=GREY, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1.5)
        for x, said in ((0.13, "fewer than three:\nnot reliable"), (11, "ten or more:\nreliable")):
            left.text(x, _LEAST, said, fontsize=7.5, color=GREY)
        handles = []
        for place, (name, keys) in enumerate(FAMILIES.items()):
            look: Any = {
                "linestyle": "none",
                "marker": marker(place),
                "markersize": 4.2,
                "color": colour(place),
            }
            handles += left.plot([], [], label=name, **look)
            for row in rows:
                tally = row.tally
                if row.study.key not in keys or tally.carriers is None or not tally.bounded:
                    continue
                look |= {"clip_on": False, "zorder": 3}
                look["markerfacecolor"] = "white" if tally.cautioned > tally.answered / 2 else colour(place)
                x = min(max(tally.carriers, _CARRIERS[0]), _CARRIERS[1])
                found = share_of(tally.covered, tally.answered)
                value, error = 100 * found.value, 100 * found.standard_error
                ends = (max(value - error, _LEAST), min(value + error, 100))
                left.vlines(x, *ends, color=colour(place), linewidth=0.7, alpha=0.5)
                left.plot([x], [max(value, _LEAST)], **look)
                if (wide := ratio(tally)) is not None:
                    right.plot([x], [min(max(wide, 0.7), _WIDEST)], **look)
        head(left, "Coverage", "green: within 2 points of 95%")
        head(right, "Width", "green: at most a quarter wider than necessary")
        legend = made.legend(
            handles=handles, loc="outside lower center", ncols=3, handlelength=1.2, alignment="left"
        )
        legend.set_title("Each mark is a simulated population. Hollow: most results came with a caution.")
        legend.get_title().set(fontsize=8, color=GREY)
    return made


def write(rows: Sequence[Row]) -> None:
    """Write the page and the picture."""
    SHOWN.write_text(shown(SHOWN.read_text(encoding="utf-8"), rows), encoding="utf-8")
    pb.save_figure(picture(rows), PICTURE)
    PICTURE.write_text(smaller(PICTURE.read_text(encoding="utf-8")), encoding="utf-8")
