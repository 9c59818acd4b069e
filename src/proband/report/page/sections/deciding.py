"""Decisions: may the new algorithm go out, and at which threshold?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.report import cells
from proband.report.analyses.gates import gate_statements, gate_table
from proband.report.analyses.thresholds import thresholds_statements, thresholds_table
from proband.report.charts.makers.thresholds import bounds
from proband.report.leading import looks
from proband.report.page.charts import shown
from proband.report.page.model import Block, Chart, Folded, Paragraph, Section, said
from proband.report.page.registry import section
from proband.words import as_sentence

if TYPE_CHECKING:
    from proband.study.findings import Findings


@section("gate", 7)
def gate_section(found: Findings) -> Section | None:
    """A new algorithm against the baseline it would replace."""
    gate = found.gate
    if gate is None:
        return None
    decided, *rest = gate_statements(gate)
    table = gate_table(gate)
    blocks: list[Block] = [
        Paragraph(as_sentence(decided), strong=True),
        cells.table("gate-values", "The new algorithm and the baseline", table.columns, table.rows),
        *said(rest[:3]),
    ]
    blocks.append(Folded("What the gate means", tuple(said(rest[3:]))))
    return Section("gate", "Gate", tuple(blocks))


@section("thresholds", 32)
def thresholds_section(found: Findings) -> Section | None:
    """Thresholds to deploy, with the false match rate and its bound by threshold."""
    if not found.thresholds:
        return None
    table = thresholds_table(found.thresholds)
    blocks: list[Block] = [
        cells.table("thresholds-found", "Thresholds to deploy", table.columns, table.rows),
        *([_chart(found)] if any(len(one.rates) > 1 for one in found.thresholds) else []),
        Folded("What the thresholds mean", tuple(said(thresholds_statements(found.thresholds)))),
    ]
    return Section("thresholds", "Thresholds for new people", tuple(blocks))


def _chart(found: Findings) -> Chart:
    rows = [
        [
            cells.text_cell(one.algorithm),
            cells.threshold_cell(float(at)),
            cells.small_cell(float(rate)),
            cells.small_cell(float(bound)),
        ]
        for one in found.thresholds
        for at, rate, bound in zip(one.thresholds, one.rates, one.bounds, strict=True)
    ]
    heads = cells.columns("algorithm", "threshold", "FMR", "upper bound")
    data = cells.table("thresholds-data", "Rates by threshold", heads, rows)
    return shown(bounds(found.thresholds), data, looks(found))
