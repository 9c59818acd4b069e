"""Axes: from data to places and back, and round numbers along them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.examples import examples

from proband.report.charts.scales import AxisScale, linear_ticks, log_ticks, rounded_out

RATES = st.tuples(st.floats(1e-7, 0.3), st.floats(0.35, 0.999))


@pytest.mark.parametrize("kind", ["linear", "log", "probit"])
@examples(60)
@given(ends=RATES, share=st.floats(0.01, 0.99))
def test_places_and_data_are_each_others_inverse(kind, ends, share):
    scale = AxisScale(kind, *ends, 70.0, 600.0)
    assert scale.at(ends[0]) == pytest.approx(70)
    assert scale.at(ends[1]) == pytest.approx(600)
    place = 70 + share * 530
    assert scale.at(scale.inverse(place)) == pytest.approx(place, abs=1e-5)
    assert scale(np.array([0.0, 1.0])).tolist() == pytest.approx([70, 600])  # beyond the ends is at the ends


@pytest.mark.parametrize("kind", ["linear", "log", "probit"])
@examples(60)
@given(ends=RATES, most=st.integers(4, 10))
def test_ticks_are_within_rising_and_not_too_many(kind, ends, most):
    scale = AxisScale(kind, *ends, 0.0, 1.0, "rate")
    ticks = scale.ticks(most)
    assert all(ends[0] * (1 - 1e-8) <= tick <= ends[1] * (1 + 1e-8) for tick in ticks)
    assert (np.diff(ticks) > 0).all()
    if kind != "probit":
        assert len(ticks) <= most
    assert len(set(map(scale.label, ticks))) == len(ticks)


def test_round_numbers():
    assert linear_ticks(0, 1, 6) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert linear_ticks(-0.011, 0.02, 5) == [-0.01, 0, 0.01, 0.02]
    assert linear_ticks(1, 120, 8, whole=True) == [1, 20, 40, 60, 80, 100, 120]
    assert linear_ticks(1, 3, 8, whole=True) == [1, 2, 3]
    assert linear_ticks(1, 2, 50, whole=True) == [1, 2]
    assert log_ticks(1, 100, 8) == [1, 2, 5, 10, 20, 50, 100]
    assert log_ticks(1, 1e6, 7) == [1, 10, 100, 1e3, 1e4, 1e5, 1e6]
    assert len(log_ticks(1e-12, 1, 5)) <= 5
    assert rounded_out(0.113, 0.187) == (0.1, 0.2)
    low, high = rounded_out(0.5, 0.5)
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("unit", "value", "label"),
    [
        ("rate", 0.001, "0.1%"),
        ("rate", 0.0, "0%"),
        ("points", -0.015, "−1.5"),
        ("points", 0.02, "+2"),
        ("points", 0.0, "0"),
        ("count", 10000.0, "10,000"),
        ("number", -0.25, "−0.25"),
    ],
)
def test_labels(unit, value, label):
    assert AxisScale("linear", -1, 1, 0, 1, unit).label(value) == label


def test_small_rates_are_powers_of_ten():
    assert AxisScale("log", 1e-7, 1, 0, 1, "rate").label(1e-5) == "10⁻⁵"
