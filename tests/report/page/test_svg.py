"""SVG as text: short numbers, escaped words, paths that go through their points."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from tests.report.page.tracing import distances, followed

from proband.report.charts.palette import PLAIN
from proband.report.charts.spec import listed
from proband.report.charts.svg.elements import element, number, path, points_of, series, words
from proband.report.charts.svg.thinning import steps, visible


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (0.125, "0.12"), (-0.001, "0"), (100.0, "100"), (-2.5, "-2.5")]
)
def test_numbers_are_short(value, text):
    assert number(value) == text


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_has_no_place(value):
    with pytest.raises(ValueError, match="has no place in a drawing"):
        number(value)


def test_words_and_attributes_are_escaped():
    written = element(
        "g", words(1, 2, 'a<b>&"c"', "tick", "end", turned=True), data_name="<x> & 'y'", nothing=None
    )
    group = ElementTree.fromstring(written)
    assert group.attrib == {"data-name": "<x> & 'y'"}
    assert group[0].text == 'a<b>&"c"'
    assert group[0].attrib["transform"] == "rotate(-90 1 2)"


def test_a_path_goes_through_its_points_to_a_tenth():
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0, 640, 300), rng.uniform(0, 400, 300)
    y[10:20], x[30:40] = y[10], x[30]
    walked = followed(path(x, y))
    assert np.abs(distances(x, y, walked)).max() < 0.08
    assert path(x, y, closed=True).endswith("z")
    assert path(np.array([0.0, 0.5, 0.5]), np.array([10.0, 10.0, 9.3])) == "M0,10h.5v-.7"


def test_no_colour_comes_twice_and_series_are_counted():
    classes = [series(9, place, "n").split('class="')[1].split('"')[0] for place in range(10)]
    assert len({name.split()[1] for name in classes[:8]}) == 8
    assert classes[8] == classes[9] == "series series-grey dash-0"
    assert 'data-series="9"' in series(9, 2, "n")
    assert 'class="series series-2 ' in series(9, 2, "n")
    assert 'class="series series-ink dash-0"' in series(0, PLAIN, "n")


def test_points_and_lists():
    assert points_of(np.array([1.0, 2000.0]), np.array([0.5, 1 / 3])) == "1,0.5;2000,0.333333"
    assert listed([str(k) for k in range(6)]) == "0; 1; 2; 3; 4; 5"
    assert listed([str(k) for k in range(9)]).endswith("5; and 3 more")


@pytest.mark.parametrize("seed", range(5))
def test_thinning_is_not_seen(seed):
    rng = np.random.default_rng(seed)
    n = int(10 ** rng.uniform(1, 4.5))
    x = np.sort(rng.uniform(0, 600, n))
    y = 380 - np.sort(rng.beta(2, 5, n)) * 360
    x, y = steps(x, y)
    kept = visible(x, y)
    drawn = followed(path(x[kept], y[kept]))
    some = np.linspace(0, len(x) - 1, 2000).astype(int)
    assert distances(x[some], y[some], drawn).max() < 0.5
    assert {0, len(x) - 1} <= set(kept.tolist())
    assert (np.diff(drawn[:, 0]) >= -1e-9).all()
    assert (np.diff(drawn[:, 1]) <= 1e-9).all()


def test_few_points_are_all_kept_and_corners_are_exact():
    x, y = steps(np.array([0.0, 100.0, 300.0]), np.array([50.0, 20.0, 10.0]))
    assert visible(x, y).tolist() == [0, 1, 2, 3, 4]
    assert visible(np.array([5.0]), np.array([5.0])).tolist() == [0]
    assert visible(np.array([5.0, 5.0]), np.array([5.0, 5.0]))[[0, -1]].tolist() == [0, 1]
