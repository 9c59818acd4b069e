"""Estimates for a population shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from proband.analyses.survey.figures import survey_figure
from proband.analyses.survey.tables import (
    differences_table,
    estimates_table,
    survey_statements,
    survey_tables,
)
from proband.inference.survey import SurveyEstimates
from proband.report.methods_text import MethodsText
from proband.report.page.model import Block, Folded, Section, said
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Placed, View, shows
from proband.words import Note, Sentence

_SURVEY = Sentence("methods.survey", "note", "Estimates for the population sampled: {methods:parts}")


@shows(SurveyEstimates)
class SurveyView(View[SurveyEstimates]):
    """Estimates by domain, and differences between domains."""

    plot = staticmethod(survey_figure)

    def tables(self, found: SurveyEstimates) -> Sequence[Table]:
        """Estimates, and differences."""
        return survey_tables(found)

    def notes(self, found: SurveyEstimates) -> Sequence[Note]:
        """What the estimates mean."""
        return survey_statements(found)

    def frames(self, found: SurveyEstimates) -> Mapping[str, pl.DataFrame]:
        """A row for each estimate."""
        return {"survey": found.to_frame()}

    def figures(self, found: SurveyEstimates, scene: Scene) -> Mapping[str, Draw]:
        """The estimates."""
        return {"survey": lambda: survey_figure(found)}

    def sections(self, found: SurveyEstimates, scene: Scene) -> Iterator[Placed]:
        """The estimates first, then differences between domains, and what the numbers mean."""
        caption = "Estimates for the population"
        blocks: list[Block] = [replace(estimates_table(found), id="survey-estimates", caption=caption)]
        if found.differences:
            caption = "Differences between domains"
            blocks.append(replace(differences_table(found), id="survey-differences", caption=caption))
        blocks.append(Folded("What the estimates mean", tuple(said(survey_statements(found)))))
        yield Placed(14, Section("survey", "Survey", tuple(blocks)))

    def methods(self, found: SurveyEstimates, text: MethodsText, scene: Scene) -> None:
        """How the population was estimated."""
        text.say_methods(_SURVEY, [found.design])
