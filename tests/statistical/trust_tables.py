"""Print the tables of docs/understand/trust.md: ``python -m tests.statistical.trust_tables`` (some minutes)."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from tests.statistical.trust_of_medians import SPREADS, RankPopulation, median_trust
from tests.statistical.trust_simulation import (
    CORRELATIONS,
    PEOPLE,
    PROBES,
    Population,
    Trust,
    held_by_varying,
    trust,
    varying,
)

SHOWN = (0.0, 0.1, 0.3, 0.5)


def methods(n_sets: int = 10_000) -> str:
    """All intervals of a rate, for both questions."""
    found = {c: trust(Population(200, 3, 0.8, c), n_sets) for c in SHOWN}
    return _side_by_side(found, 100)


def medians(centre: float, n_sets: int = 2_000) -> str:
    """All intervals of the median censored rank, for both questions."""
    found = {c: median_trust(RankPopulation(200, 3, centre, SPREADS[c]), n_sets) for c in SHOWN}
    return _side_by_side(found, 1)


def figure_3(n_sets: int = 10_000) -> str:
    """The size of the experiment in figure 3 of Efficient 2001, with the correlation that its 20 % speak of."""
    found = trust(Population(256, 3, 0.8, 0.2), n_sets, rao_wu=0)
    chosen = ("BRR", "bootstrap over probes", "delete-one jackknife", "clustered")
    rows = [
        [n, _percent(found[n].images), _percent(found[n].others), f"{100 * found[n].width:.1f}"]
        for n in chosen
    ]
    return _markdown(["interval", "images", "people", "width"], rows)


def high_rate(n_sets: int = 10_000) -> str:
    """A rate of .95, where few people vary."""
    chosen = [("images", name) for name in ("BRR", "BRR, Cochran", "BRR, logit", "BRR, Wilson", "binomial")]
    chosen += [("others", name) for name in ("clustered", "bootstrap over people")]
    rows = []
    for people, probes in ((20, 2), (50, 2), (50, 5), (200, 2), (481, 3)):
        population = Population(people, probes, 0.95, 0.3)
        found = trust(population, n_sets, rao_wu=0)
        held = [_percent(getattr(found[name], question)) for question, name in chosen]
        rows.append([f"{people} × {probes}", f"{varying(population):.0f}", *held])
    return _markdown(["people × probes", "who vary", *map(_label, chosen)], rows)


def seen_to_vary(n_sets: int = 10_000) -> str:
    """New images at a rate of .95, by the number of people seen to vary."""
    names = ("BRR", "BRR, Cochran", "BRR, logit", "BRR, Wilson", "binomial")
    held = held_by_varying(n_sets)
    rows = []
    for first, last in ((0, 0), (1, 1), (2, 2), (3, 3), (4, 9), (10, 19)):
        inside = (held["vary"] >= first) & (held["vary"] <= last)
        span = str(first) if first == last else f"{first} to {last}"
        rows.append([span, *(_percent(held[name][inside].mean()) for name in names)])
    return _markdown(["people who vary", *names], rows)


def everywhere(n_sets: int = 4_000) -> str:
    """The least and the largest coverage over all populations with so many people."""
    chosen = [("images", name) for name in ("BRR", "BRR, logit", "binomial", "clustered")]
    chosen += [("others", name) for name in ("clustered", "bootstrap over people", "binomial", "BRR")]
    rows = []
    for people in PEOPLE:
        for rates in ((0.6, 0.8), (0.95,)):
            grid = [Population(people, n, r, c) for n in PROBES for r in rates for c in CORRELATIONS if c]
            found = [trust(population, n_sets, rao_wu=0) for population in grid]
            held = [[getattr(one[name], question) for one in found] for question, name in chosen]
            spans = [f"{100 * min(each):.0f}–{100 * max(each):.0f}" for each in held]
            rows.append([f"{people}, {' and '.join(_short(rate) for rate in rates)}", *spans])
    return _markdown(["people, rate", *map(_label, chosen)], rows)


def _side_by_side(found: Mapping[float, dict[str, Trust]], unit: float) -> str:
    """Intervals down, the two questions beside each other, correlations across."""
    first, *_, last = found
    head = ["interval", *(f"images, {_short(c)}" for c in found), *(f"people, {_short(c)}" for c in found)]
    head += [f"width, {_short(c)}" for c in (first, last)]
    rows = []
    for name in found[first]:
        held = [_percent(found[c][name].images) for c in found] + [
            _percent(found[c][name].others) for c in found
        ]
        rows.append([name, *held, *(f"{unit * found[c][name].width:.1f}" for c in (first, last))])
    return _markdown(head, rows)


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _label(chosen: tuple[str, str]) -> str:
    question, name = chosen
    return f"{'images' if question == 'images' else 'people'}: {name}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _short(number: float) -> str:
    return f"{number:g}".removeprefix("0") or "0"


if __name__ == "__main__":
    for made in (
        methods(),
        figure_3(),
        high_rate(),
        seen_to_vary(),
        everywhere(),
        medians(20.5),
        medians(4.5),
    ):
        sys.stdout.write(made)
