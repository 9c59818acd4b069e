"""Algorithms over several data sets: their ranks, every two of them, and every data set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proband.report.analyses.datasets import (
    datasets_statements,
    differences_table,
    pairs_table,
    ranks_table,
)
from proband.report.charts.makers.rows import dataset_pairs
from proband.report.page.charts import shown
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section

if TYPE_CHECKING:
    from proband.study.findings import Findings


@section("datasets", 15)
def datasets_section(found: Findings) -> Section | None:
    """The ranks first, then the verdicts and the differences, and every data set."""
    result = found.datasets
    if result is None:
        return None
    chart = dataset_pairs(result)
    blocks: list[Block] = [
        replace(ranks_table(result), id="datasets-ranks", caption="Average ranks and accuracies"),
        *said(result.sentences()),
        shown(chart, replace(pairs_table(result), id="datasets-pairs")),
        Folded("Every data set", (replace(differences_table(result), id="datasets-differences"),)),
        Folded("What the comparison means", tuple(said(datasets_statements(result)))),
    ]
    return Section("datasets", "Several data sets", tuple(blocks))
