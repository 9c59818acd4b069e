"""Estimates of a survey, by domain, with what they rest on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proband.report.analyses.survey import differences_table, estimates_table, survey_statements
from proband.report.page.model import Block, Folded, Section, said
from proband.report.page.registry import section

if TYPE_CHECKING:
    from proband.study.findings import Findings


@section("survey", 14)
def survey_section(found: Findings) -> Section | None:
    """The estimates first, then differences between domains, and what the numbers mean."""
    result = found.survey
    if result is None:
        return None
    blocks: list[Block] = [
        replace(estimates_table(result), id="survey-estimates", caption="Estimates for the population")
    ]
    if result.differences:
        blocks.append(
            replace(differences_table(result), id="survey-differences", caption="Differences between domains")
        )
    blocks.append(Folded("What the estimates mean", tuple(said(survey_statements(result)))))
    return Section("survey", "Survey", tuple(blocks))
