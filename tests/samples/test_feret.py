"""Real data: the four probe sets of FERET follow from dates, image sets and cameras."""

from __future__ import annotations

import csv
import datetime
import re
from pathlib import Path

import pytest

from proband.samples import Experiment, Samples, feret_categories, representation

SETS = Path(__file__).parents[2].parent / "shared" / "data" / "feret" / "sets.csv"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not SETS.is_file(), reason=f"the FERET sets are not at {SETS}"),
]

NAME = re.compile(r"^\d{5}([a-z]{2})\d{3}([a-z]?)_")
RULES = {"feret": feret_categories(long_after="feret"), "500 days": feret_categories()}


@pytest.fixture(scope="module")
def sets() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    with SETS.open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["set"], set()).add(row["filename"])
    return found


@pytest.fixture(scope="module")
def experiment(sets) -> Experiment:
    rows = {}
    with SETS.open(newline="") as file:
        for row in csv.DictReader(file):
            letters, sitting = NAME.match(row["filename"]).groups()
            rows[row["filename"]] = {
                "id": row["filename"],
                "subject": row["subject"],
                "date": datetime.datetime.strptime(row["yymmdd"], "%y%m%d").date(),
                "image_set": row["yymmdd"] + sitting,
                "camera": "b" if letters == "bk" else "a",
            }
    return Experiment(Samples(list(rows.values())), gallery=sets["fa"])


def test_the_gallery_holds_one_image_of_each_of_1196_people(experiment):
    assert len(experiment.gallery) == experiment.n_gallery_subjects == 1196
    assert experiment.universe == "closed"
    assert representation(
        experiment.samples, [experiment.samples.ids[g] for g in experiment.gallery]
    ).is_unique


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "size"), [("fb", 1195), ("fc", 194), ("dup1", 722), ("dup2", 234)])
def test_the_probe_sets(sets, experiment, rule, name, size):
    category = next(c for c in RULES[rule] if c.name == name)
    part = category.of(experiment)
    assert len(part.probes) == size
    assert {experiment.samples.ids[place] for place in part.probes} == sets[name]
    assert part.notes == ()


def test_duplicate_two_is_searched_for_in_864_people(sets, experiment):
    """The images that FERET enrolled before 1995; by days its probes are the same, and the gallery is the whole one."""
    own, whole = (rules[3].of(experiment) for rules in RULES.values())
    assert (len(own.gallery), own.n_gallery_subjects, len(own.probes)) == (864, 864, 234)
    assert {experiment.samples.ids[place] for place in own.gallery} <= sets["fa"]
    assert (len(whole.gallery), whole.probes.tolist()) == (1196, own.probes.tolist())


def test_no_probe_is_in_two_of_the_first_three_sets(experiment):
    parts = [set(c.of(experiment).probes.tolist()) for c in feret_categories()]
    fb, fc, dup1, dup2 = parts
    assert len(fb | fc | dup1) == len(fb) + len(fc) + len(dup1)
    assert dup2 < dup1
