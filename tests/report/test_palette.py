"""Colours that colour-blind readers can tell apart, in print, on the light page and on the dark one."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

import proband.report.page
from proband.report.charts.palette import (
    COLOURS,
    GREY,
    MOST_COLOURS,
    colour,
    colour_name,
    dash_of,
    is_grey,
    places_of,
)

# Machado, Oliveira & Fernandes 2009, of linear RGB, severity 1.
SEEN = {
    "everybody": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
SHEET = Path(proband.report.page.__file__).with_name("style.css").read_text(encoding="utf-8")
PAIRS = re.findall(r"--(series-\d|grey): light-dark\((#\w{6}), (#\w{6})\)", SHEET)
LIGHT, DARK = ([pair[side] for pair in PAIRS] for side in (1, 2))


def seen(colours: list[str], eyes: str) -> np.ndarray:
    """Colours in the eyes of some readers, in CIELAB."""
    rgb = np.array([[int(one[place : place + 2], 16) / 255 for place in (1, 3, 5)] for one in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    shown = np.clip(linear @ np.array(SEEN[eyes]).T, 0, 1)
    coded = np.where(shown <= 0.0031308, 12.92 * shown, 1.055 * shown ** (1 / 2.4) - 0.055)
    return np.asarray(rgb2lab(coded[None])[0])


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("colours", [[*COLOURS, GREY], LIGHT, DARK], ids=["print", "light", "dark"])
def test_colours_stay_apart(colours: list[str], eyes: str) -> None:
    lab = seen(colours, eyes)
    for first, second in combinations(range(len(colours)), 2):
        apart = float(deltaE_ciede2000(lab[first], lab[second]))
        least = (
            8 if MOST_COLOURS in (first, second) else 10
        )  # grey is not told from others by its colour alone
        assert apart >= least, (colours[first], colours[second], eyes)


def test_the_page_and_print_have_the_same_colours() -> None:
    assert [*COLOURS, GREY] == LIGHT


def test_colours_that_come_nearest_have_other_dashes() -> None:
    for eyes in SEEN:
        lab = seen(list(COLOURS), eyes)
        pairs = combinations(range(MOST_COLOURS), 2)
        near = [pair for pair in pairs if deltaE_ciede2000(lab[pair[0]], lab[pair[1]]) < 14]
        assert all(dash_of(first) != dash_of(second) for first, second in near)


@pytest.mark.parametrize("n", [1, 2, 8, 9, 16, 50])
def test_every_algorithm_has_one_place_and_no_colour_comes_twice(n: int) -> None:
    names = [f"net {k}" for k in range(n)]
    places = places_of(names, names[::-1])
    assert sorted(places.values()) == list(range(n))
    coloured = [place for place in places.values() if not is_grey(place)]
    assert len({colour(place) for place in coloured}) == len(coloured) == min(n, MOST_COLOURS)
    if n > MOST_COLOURS:  # the leaders have the colours
        assert {name for name, place in places.items() if not is_grey(place)} == set(names[-MOST_COLOURS:])
        assert colour_name(places["net 0"]) == "grey"
