"""Compare systems by a table of outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proband.analyses.outcomes.request import OutcomesRequest
from proband.inference import OutcomeComparison, compare_outcomes
from proband.inference.comparisons.chosen_pairs import pair_named
from proband.samples.reading import read_frame
from proband.samples.table import as_text
from proband.study.context import Context
from proband.words import Note


def run(request: OutcomesRequest, context: Context) -> OutcomeComparison:
    """Compare the systems in the table of a request."""
    names = [name for name in (request.item, request.algorithm, request.cluster) if name is not None]
    notes: list[Note] = []
    table = read_frame(context.origin.find(request.table or ""), names, notes=notes)
    context.note(*notes)
    systems = _listed(request.algorithms, table.columns)
    known = systems
    if request.algorithm is not None and request.algorithm in table.columns:
        told = as_text(table[request.algorithm], Path(request.table or "").name)
        known = told.drop_nulls().unique(maintain_order=True).to_list()
    return compare_outcomes(
        table,
        item=request.item,
        algorithm=request.algorithm,
        success=request.success,
        algorithms=systems or None,
        pairs=[pair_named(one, known) for one in request.pairs] if known else (),
        against=request.against,
        one_sided=request.one_sided,
        cluster=request.cluster,
        margin=request.margin,
        confidence_level=context.output.confidence_level,
        seed=context.output.seed,
        adjust=request.adjust,
    )


def _listed(texts: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Column names, listed or comma-separated; a name may contain a comma."""
    return [part for text in texts for part in ([text] if text in columns else text.split(","))]
