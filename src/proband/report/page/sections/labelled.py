"""Models that classify samples, and systems compared by outcomes: their tables, charts and mistakes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proband.inference import OutcomeComparison
from proband.report.analyses.classification import (
    classes_table,
    classification_statements,
    confusions_table,
    rates_table,
)
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section
from proband.report.page.sections.leaderboard import leaderboard, pairs_chart

if TYPE_CHECKING:
    from proband.study.findings import Findings

_MISTAKES = 10


@section("classification", 12)
def classification_section(found: Findings) -> Section | None:
    """Accuracies first, then pairs of models, every class and the commonest mistakes."""
    result = found.classification
    if result is None:
        return None
    rates = replace(rates_table(result), id="accuracies", caption="Accuracy", latex=result.to_latex())
    blocks: list[Block] = [rates]
    if result.comparison is not None:
        blocks.append(_pairs(result.comparison, "models"))
    blocks += [
        Folded("Every class", (replace(classes_table(result), id="classes"),)),
        Folded("Commonest mistakes", (replace(confusions_table(result, _MISTAKES), id="mistakes"),)),
        Folded("What the accuracies mean", tuple(said(classification_statements(result)))),
    ]
    return Section("classification", "Classification", tuple(blocks))


@section("outcomes", 13)
def outcomes_section(found: Findings) -> Section | None:
    """The table of systems, and every pair."""
    result = found.outcomes
    if result is None:
        return None
    table = leaderboard("systems", str(result.estimates[0].answers.of), result)
    published = Folded("The table as it is published, with letters", (table,))
    return Section("outcomes", "Outcomes", (_pairs(result, "systems"), published))


def _pairs(comparison: OutcomeComparison, name: str) -> Block:
    return pairs_chart(f"{name}-forest", f"{name}-pairs", f"Differences between {name}", comparison)
