"""A FERET study's field as people read it: panels by date, who took part, who is ahead, both orders, galleries of their own."""

from __future__ import annotations

import numpy as np
import pytest

import proband as pb
from proband.analyses.feret.figures import curves_by_date, variation_figure
from proband.analyses.feret.statements import study_statements
from proband.analyses.feret.tables import (
    MOST_PAIRS,
    consistency_table,
    leaderboards,
    orders_table,
    participants_table,
)
from proband.analyses.feret.view import FeretView, feret_blocks
from proband.designs import Galleries
from proband.inference.galleries.feret_results import FeretStudy
from proband.inference.galleries.feret_study import feret_study
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.writer import frames_of
from proband.study.findings import Findings, Provenance

N = 24
NAMES = [f"net{k}" for k in range(7)]


@pytest.fixture(scope="module")
def study() -> FeretStudy:
    """Seven algorithms of two dates, and two of none; a category with half of the gallery."""
    rng = np.random.default_rng(0)
    ids = [f"p{k:02d}-{image}" for k in range(N) for image in range(2)]
    samples = pb.Samples({"id": ids, "subject": [one[:3] for one in ids], "image": [0, 1] * N})
    same = np.array([[a[:3] == b[:3] for b in ids] for a in ids])
    scores = [
        pb.Scores.from_array(
            rng.normal(size=same.shape) + (4 - 0.4 * k) * same, ids, orientation="similarity", name=name
        )
        for k, name in enumerate(NAMES)
    ]
    dates = ["1997-03", "1996-09", "1997-03", "1996-09", "1996-09", None, None]
    told = [{"algorithm": name, "date": date} for name, date in zip(NAMES, dates, strict=True)]
    return feret_study(
        scores,
        pb.Experiment(samples, gallery="image == 0"),
        categories=[pb.Category("half", "probe.image == 1", gallery="subject < 'p12'")],
        participants=told,
        verification="auc",
        galleries=Galleries(3),
    )


def first_column(table: Table) -> list[str]:
    return [row[0].text for row in table.rows]


def test_rows_stand_under_the_dates_of_their_tests(study: FeretStudy) -> None:
    (table,) = leaderboards(study)
    assert first_column(table)[:10] == [
        "September 1996", "net1", "net3", "net4", "March 1997", "net0", "net2", "no date", "net5", "net6",
    ]  # fmt: skip
    assert table.rules == (4, 7, 10)
    assert table.columns[2].heading == "half (12 enrolled)\n12 probes"
    assert "gallery of 24 people" in table.caption
    took_part = participants_table(study)
    assert took_part is not None
    assert [tuple(cell.text for cell in row) for row in took_part.rows][-3:] == [
        ("net2", "March 1997"),
        ("net5", "–"),
        ("net6", "–"),
    ]


def test_pairs_are_shown_with_bounds_and_the_first_ones_only(study: FeretStudy) -> None:
    found = study.consistency[0]
    assert (found.over, len(found.pairs)) == ("galleries", 21)  # one category: its galleries alone
    table = consistency_table(found)
    assert len(table.rows) == MOST_PAIRS
    assert len(consistency_table(found, None).rows) == 21
    one = found.pairs[0]
    assert table.rows[0][5].text.endswith(f" of {one.cells}")
    assert {row[-1].text for row in table.rows} <= {"ahead everywhere", "ahead", "mixed", "undecided"}
    said = " ".join(str(note) for note in study_statements(study))
    assert "The first 15 of 21 pairs of algorithms" in said
    assert "half: the orders by recognition rate at rank 1 and by" in said


def test_both_orders_have_places(study: FeretStudy) -> None:
    table = orders_table(study.orders[0])
    rates = [float(row[1].text.split()[0]) for row in table.rows]
    assert rates == sorted(rates, reverse=True)
    assert len(FeretView().tables(study)) == 1 + 1 + 2 + 1 + 2


@pytest.mark.long
def test_figures_have_a_panel_for_each_date(study: FeretStudy) -> None:
    drawn = curves_by_date(study)
    titles = [axis.get_title(loc="left") for axis in drawn.axes if axis.get_title(loc="left")]
    assert len([one for one in titles if "September 1996" in one]) == 2
    assert len([one for one in titles if "March 1997" in one]) == 2
    labels = [
        text.get_text() for text in variation_figure(study.variation, study.panels).axes[0].get_yticklabels()
    ]
    assert {"net1 (1996-09)", "net0 (1997-03)", "net5"} <= set(labels)


def test_the_page_and_the_run_directory_hold_them(study: FeretStudy) -> None:
    ids = {getattr(block, "id", None) for block in feret_blocks(study, {})}
    assert {"participants", "cmc-date-1-1", "cmc-date-1-3", "galleries", "orders-1"} <= ids
    made = frames_of(Scene(Findings("FERET", Provenance("proband feret"), {"feret": study})))
    assert made["feret_participants"]["date"].to_list()[:2] == ["1997-03", "1996-09"]
    assert made["feret_consistency"].height == 21
    assert made["feret_orders"].height == 14
    assert made["feret"]["date"].null_count() > 0
