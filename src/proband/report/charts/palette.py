"""One palette for the page and for print: the style of a series by index, in colour and in greyscale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Eight colours that stay apart in the eyes of colour-blind readers (at least 11 by CIEDE2000, under each kind of blindness) and on
# white; dashes say the same without colour. The page's style sheet has as many of both, with tints for dark backgrounds.
COLOURS = ("#006aaa", "#d45500", "#8080ff", "#802a6a", "#aa2a40", "#00956a", "#005500", "#2a00ea")
GREY, INK = "#8d9299", "#1c2024"
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)))
# Which dashes each colour has: colours that come near one another in some eyes have others.
_DASH_OF_COLOUR = (0, 1, 2, 3, 4, 1, 0, 1)
MARKERS = "osD^vPX*"
MOST_COLOURS = len(COLOURS)
# Places of what is no algorithm, such as a difference, or genuine and impostor scores.
PLAIN, SECOND = -1, -2


def places_of(names: Sequence[str], leaders: Sequence[str] = ()) -> dict[str, int]:
    """Index of each algorithm's style, the same in every chart; with many algorithms, the leaders have colours.

    Examples
    --------
    >>> places_of(["a", "b", "c"])
    {'a': 0, 'b': 1, 'c': 2}
    >>> many = [f"net {k}" for k in range(20)]
    >>> places_of(many, ["net 19", "net 4"])["net 19"], is_grey(places_of(many, many[::-1])["net 0"])
    (7, True)
    """
    if len(names) <= MOST_COLOURS:
        return {name: place for place, name in enumerate(names)}
    leading = [name for name in dict.fromkeys([*leaders, *names]) if name in names][:MOST_COLOURS]
    coloured = [name for name in names if name in leading]
    others = [name for name in names if name not in leading]
    return {name: place for place, name in enumerate([*coloured, *others])}


def is_grey(place: int) -> bool:
    """Whether a series is one of the many that have no colour of their own."""
    return place >= MOST_COLOURS


def colour_name(place: int) -> str:
    """What a style sheet calls the colour of the series in a place."""
    if place < 0:
        return "ink" if place == PLAIN else "grey"
    return "grey" if is_grey(place) else str(place)


def dash_of(place: int) -> int:
    """Which dashes a series has; curves in grey are solid."""
    if place < 0:
        return (-1 - place) % len(DASHES)
    return 0 if is_grey(place) else _DASH_OF_COLOUR[place]


def colour(place: int) -> str:
    """The colour of the series in a place."""
    return {"ink": INK, "grey": GREY}.get(colour_name(place)) or COLOURS[place]


def dashes(place: int) -> Any:
    """The dashes of the series in a place."""
    return DASHES[dash_of(place)]


def marker(place: int) -> str:
    """The marker of the series in a place."""
    return MARKERS[place % len(MARKERS)]
