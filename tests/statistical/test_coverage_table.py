"""The table of coverage in docs/trust.md is that of docs/coverage.json, and every study is in it."""

from __future__ import annotations

import json

import pytest
from tests.statistical.coverage_table import FOUND, SHOWN, shown

from proband.inference.simulation.studies import STUDIES, run_trial


def test_the_page_shows_what_was_found():
    rows = json.loads(FOUND.read_text(encoding="utf-8"))["rows"]
    page = SHOWN.read_text(encoding="utf-8")
    assert shown(page, rows) == page


def test_every_trial_of_every_study_is_in_the_table():
    rows = json.loads(FOUND.read_text(encoding="utf-8"))["rows"]
    told = [(row["study"], row["people"], row["measure"]) for row in rows]
    there = [(key, one.people, one.ask.measure) for key, study in STUDIES.items() for one in study.trials]
    assert told == there


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "place"), [(key, place) for key, study in STUDIES.items() for place in range(len(study.trials))]
)
def test_trials_give_what_the_table_says(key, place):
    """Within the Monte Carlo error of both; a procedure that was changed since needs ``make coverage``."""
    rows = json.loads(FOUND.read_text(encoding="utf-8"))["rows"]
    row = [one for one in rows if one["study"] == key][place]
    found = run_trial(key, place, 200, seed=7)
    part = "interval" if found.level is None else "level"
    here, there = getattr(found, part).covered, row[part]["covered"]
    assert here.low <= there["high"]
    assert there["low"] <= here.high
