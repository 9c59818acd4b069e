from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import proband as pb
from proband.designs import Galleries
from proband.inference.feret_results import FeretStudy
from proband.inference.feret_study import feret_study
from proband.inference.rejection import Rejection
from proband.report.feret import study_figures, study_grids, study_statements, write_study
from proband.report.feret_tables import Grid, as_markdown, gallery_size, leaderboards, variation_grid

N = 12


@pytest.fixture(scope="module")
def study() -> FeretStudy:
    rng = np.random.default_rng(0)
    ids = [f"p{k:02d}-{image}" for k in range(N) for image in range(3)]
    samples = pb.Samples(
        {
            "id": ids,
            "subject": [name[:3] for name in ids],
            "image": [int(name[-1]) for name in ids],
            "day": [10 * (n // 3) + 400 * (n % 3 == 2) for n in range(3 * N)],
        }
    )
    mates = np.array([name[:3] for name in ids])
    same = mates[:, None] == mates[None, :]
    scores = [
        pb.Scores.from_array(
            rng.normal(size=same.shape) + strength * same, ids, orientation="similarity", name=name
        )
        for name, strength in (("go|od", 4.0), ("fair", 2.0), ("[poor]", 1.0))
    ]
    return feret_study(
        scores,
        pb.Experiment(samples, gallery="image == 0"),
        categories=[pb.Category("later", "probe.day > mate.day and probe.subject > 'p05'")],
        versions=[("[poor]", "fair")],
        improvements=[("fair", "go|od")],
        galleries=Galleries(2, order="day"),
        ages="day",
        sizes=(4, 8, N),
        rejection=Rejection(0.25, (0.2,)),
    )


def test_variation_table_is_as_in_the_paper(study: FeretStudy) -> None:
    table = variation_grid(study.variation[1], intervals=False)
    rows = {row[0]: row for row in table.rows}
    assert rows["fair"][1] == "–"  # nobody of the first gallery has a later probe
    assert rows["fair"][2].endswith(")")
    assert rows["average"][1] == "–"
    assert rows["people"][1:3] == ("6", "6")
    assert rows["probes"][1:3] == ("0", "6")
    assert rows["mean age"][1:3] == ("–", "400")
    assert "6 in each; 6 probes" in table.title
    assert "\n[" in variation_grid(study.variation[1]).rows[0][2]


def test_leaderboard_states_sizes_and_sets_versions_apart(study: FeretStudy) -> None:
    (table,) = leaderboards(study)
    assert "gallery of 12 people" in table.title
    assert table.header == ("algorithm", "all probes\n24 probes", "later\n6 probes")
    assert [row[0] for row in table.rows] == [
        "go|od",
        "fair",
        "[poor] (fully automatic)",
        "average of 2",
        "current upper bound",
    ]
    assert "(1)" in table.rows[0][1]
    assert "(" not in table.rows[2][1]


def test_names_survive_markup(study: FeretStudy) -> None:
    from rich.console import Console

    from proband.report.feret_tables import as_rich

    console = Console(width=200, record=True, file=StringIO())
    for grid in study_grids(study):
        console.print(as_rich(grid))
    shown = console.export_text()
    assert "[poor]" in shown
    assert "go\\|od" in as_markdown(study_grids(study)[0])


def test_markdown() -> None:
    made = as_markdown(Grid("what", ("a", "b"), (("x", "1\n[0, 2]"),)))
    assert made.splitlines() == ["**what**", "", "| a | b |", "|---|--:|", "| x | 1<br>[0, 2] |"]
    assert gallery_size(3, 5) == "3 people, 5 images"


def test_statements_say_the_rules(study: FeretStudy) -> None:
    said = " ".join(study_statements(study))
    for words in (
        "at least 50% of the pairs",
        "Fixed: the algorithms",
        "in days for dates",
        "taken out of the gallery",
    ):
        assert words in said
    assert len(study_statements(study)) == len(set(study_statements(study)))


def test_figures_are_drawn_in_time_order_and_the_same_every_time(study: FeretStudy, tmp_path: Path) -> None:
    figures = study_figures(study)
    assert set(figures) == {"cmc", "average", "upper_bound", "versions", "improvements", "variation", "sizes"}
    assert [axis.get_title(loc="left").strip() for axis in figures["variation"].axes] == [
        "all probes",
        "later",
    ]
    dashed = {
        line.get_label(): line.is_dashed()
        for line in figures["versions"].axes[0].lines
        if line.get_label()[0] != "_"
    }
    assert dashed == {"fair (partially automatic)": False, "[poor] (fully automatic)": True}
    for run in ("a", "b"):
        write_study(study, tmp_path / run)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name
