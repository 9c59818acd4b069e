"""Estimates for a population."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("survey")(
    Analysis(
        key="survey",
        commands=("survey",),
        place=170,
        request="proband.analyses.survey.request:SurveyRequest",
        run="proband.analyses.survey.run:run",
        view="proband.analyses.survey.view:SurveyView",
        result="proband.inference.survey:SurveyEstimates",
    )
)
