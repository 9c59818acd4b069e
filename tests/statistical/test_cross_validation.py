"""Accuracies under a protocol: do their intervals cover, do comparisons hold their level, and do the plain ones fail?"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.accuracy_simulation import PLAIN, POPULATIONS, PROTOCOLS, coverage, mixed, rejections

QUICK, LONG = 200, 1500
CORRECTED, POOLED = 0.91, 0.88  # the least coverage of a nominal 95 % from 40 people on


def room(share: float, n_sets: int) -> float:
    """Three standard errors of a simulated share."""
    return 3 * np.sqrt(share * (1 - share) / n_sets)


@pytest.mark.parametrize(
    ("people", "protocol", "population"),
    [
        (40, "10×10f CV", "accuracy near .96"),
        pytest.param(40, "50× 80-20 HO", "people differ more", marks=pytest.mark.long),
        (40, "10f CV", "plain"),
    ],
)
def test_intervals_cover(people, protocol, population):
    _, found = coverage(people, protocol, POPULATIONS[population], QUICK)
    assert found["corrected"].held >= CORRECTED - room(CORRECTED, QUICK)
    assert found["pooled"].held >= POOLED - room(POOLED, QUICK)
    if "×" in protocol:
        assert found["plain t"].held < 0.6


@pytest.mark.long
@pytest.mark.parametrize("people", [40, 100])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("population", POPULATIONS)
def test_intervals_cover_everywhere(people, protocol, population):
    _, found = coverage(people, protocol, POPULATIONS[population], LONG)
    assert found["corrected"].held >= CORRECTED
    assert found["pooled"].held >= POOLED
    if "×" in protocol:
        assert found["plain t"].held < 0.55


def test_more_repeats_do_not_make_more_data():
    _, once = coverage(40, "10f CV", PLAIN, 60)
    _, often = coverage(40, "10×10f CV", PLAIN, 60)
    assert often["plain t"].width < 0.4 * once["plain t"].width
    assert often["pooled"].width > 0.85 * once["pooled"].width
    assert often["corrected"].width > 0.55 * once["corrected"].width


@pytest.mark.long
def test_comparisons_hold_their_level():
    found = rejections(40, "10×10f CV", QUICK)
    assert found["corrected"] <= 0.065 + room(0.05, QUICK)
    assert found["pooled"] <= 0.08 + room(0.05, QUICK)
    assert found["plain t"] > 0.4
    halves = rejections(100, "5×2f CV", QUICK)
    assert max(halves.values()) <= 0.07 + room(0.05, QUICK)


@pytest.mark.long
@pytest.mark.parametrize("people", [40, 100])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("population", ["plain", "accuracy near .96", "people differ more"])
def test_comparisons_hold_their_level_everywhere(people, protocol, population):
    found = rejections(people, protocol, LONG, POPULATIONS[population])
    assert found["corrected"] <= 0.065 + room(0.05, LONG)
    assert found.get("pooled", 0.0) <= 0.08 + room(0.05, LONG)
    if "×" in protocol:
        assert found["plain t"] > 0.4


def test_mixed_folds_say_nothing_of_new_people():
    found = mixed(40, 100)
    assert found.protocol > found.new_people + 0.15
    assert found.held_protocol >= 0.91 - room(0.91, 100)
    assert found.held_new_people < 0.2
