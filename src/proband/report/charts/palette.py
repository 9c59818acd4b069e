"""One palette for the page and for print: the look of a series by its place, in colour and without."""

from __future__ import annotations

from typing import Any

# Okabe & Ito's palette, which colour-blind readers can tell apart; dashes say the same without colour. The page's style sheet has
# as many of both, with tints that suit its backgrounds.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)))
MARKERS = "osD^vPX*"


def colour_of(place: int) -> int:
    """Which colour a series has."""
    return place % len(COLOURS)


def dash_of(place: int) -> int:
    """Which dashes a series has: where a colour comes again, others than it had."""
    return (2 * (place // len(COLOURS)) + place) % len(DASHES)


def colour(place: int) -> str:
    """The colour of the series in a place."""
    return COLOURS[colour_of(place)]


def dashes(place: int) -> Any:
    """The dashes of the series in a place."""
    return DASHES[dash_of(place)]


def marker(place: int) -> str:
    """The marker of the series in a place."""
    return MARKERS[place % len(MARKERS)]
