"""A category with a gallery of its own is ranked in that gallery, and everything says its size and no other."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from matplotlib.text import Text
from tests.odd_words import read
from tests.report.page import finding

import proband as pb
from proband.analyses.feret.figures import averages_figure, upper_bounds_figure
from proband.analyses.feret.statements import study_statements
from proband.analyses.feret.tables import contrast_table, leaderboards
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.versions import Improvement
from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.study.findings import Findings

PEOPLE, OWN, TWICE = (
    96,
    64,
    30,
)  # all that are enrolled, those of the later category, and those with two probes


@cache
def study() -> FeretStudy:
    """FERET's dup II in small: probes of the first 64 people are searched for among these alone."""
    who = np.concatenate([np.arange(PEOPLE), np.arange(PEOPLE), np.arange(TWICE)])
    ids = [f"s{person}-{place}" for place, person in enumerate(who)]
    years = np.where(who < OWN, 1994, 1996)
    samples = pb.Samples({"id": ids, "subject": [f"s{person}" for person in who], "year": years})
    rng = np.random.default_rng(5)
    same = who[PEOPLE:, None] == np.arange(PEOPLE)
    scores = [
        pb.Scores.from_array(
            rng.normal(size=same.shape) + lift * same,
            ids[PEOPLE:],
            ids[:PEOPLE],
            orientation="similarity",
            name=name,
        )
        for name, lift in (("a", 4.5), ("b", 3.0), ("c", 0.5))
    ]
    later = pb.Category("later", "probe.year == 1994", gallery="year == 1994")
    return pb.feret.feret_study(
        scores,
        pb.Experiment(samples, gallery=ids[:PEOPLE]),
        categories=[later],
        sizes=(8, 32),
        improvements=[Improvement("c", "a", "1995", "1996")],
    )


def test_it_is_ranked_in_its_own_gallery() -> None:
    whole, later = (one.average.facts for one in study().results)
    assert (whole.n_gallery_subjects, later.n_gallery_subjects) == (PEOPLE, OWN)
    assert [len(one.average.values) for one in study().results] == [PEOPLE, OWN]


@pytest.mark.parametrize("draw", [averages_figure, upper_bounds_figure])
def test_figures_of_several_sets_of_probes_name_each_gallery(draw: object) -> None:
    assert callable(draw)
    texts = [one.get_text() for one in draw(study()).findobj(Text) if one.get_text()]
    assert any(one.startswith(f"galleries of {OWN} to {PEOPLE} people") for one in texts)
    assert any("later" in one and f"({OWN} enrolled)" in one for one in texts)
    assert not any(f"gallery of {PEOPLE} people" in one for one in texts)


def test_tables_name_each_gallery() -> None:
    (board,) = leaderboards(study())
    assert [f"{OWN} enrolled" in one.heading for one in board.columns] == [False, False, True]
    rows = contrast_table(study().improvements[0]).rows
    assert [row[0].text for row in rows] == ["all probes", f"later ({OWN} enrolled)"]


def test_the_page_names_each_gallery() -> None:
    found = Findings("FERET", finding.PROVENANCE, {"feret": study()})
    text = read(render_page(build_page(Scene(found))))
    about = re.findall(
        r"Recognition rate by rank, (all probes|later)\s+\d+ probes of \d+ people, gallery of (\d+) people",
        text,
    )
    assert set(about) == {("all probes", str(PEOPLE)), ("later", str(OWN))}
    assert f"later ({OWN} enrolled)" in text


def test_sizes_are_not_taken_for_people_who_could_not_be_enrolled() -> None:
    assert "feret.not-enrolled-alike" not in {note.code for note in study_statements(study())}


def test_adjusted_p_values_at_their_floor_are_bounds_in_the_terminal_as_on_the_page() -> None:
    pairs = [row.pair for row in study().improvements[0].rows]
    floors = [pair.method.floor for pair in pairs]
    at_floor = [
        floor is not None and pair.p_value <= floor * (1 + 1e-9)
        for pair, floor in zip(pairs, floors, strict=True)
    ]
    assert any(at_floor)
    shown = [row[4].text for row in contrast_table(study().improvements[0]).rows]
    assert [one.startswith("≤ ") for one in shown] == at_floor
