"""Estimates for a population."""

from proband.marks import Needs
from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Estimate means, totals and ratios, with weights and strata.

Also variances and quantiles. A row is an observation, such as a probe; units (people, sites) were drawn within strata. Standard errors are those of R's package survey.

[bold]Examples[/bold]

Success rates by sex, with people sampled within sites:

  proband survey probes.csv --weights w --strata site --units person --mean success --by sex --differences

Two stages without replacement, raked to known margins, with the stratified jackknife:

  proband survey probes.csv --strata site --units person --units session --fpc people --fpc sessions --mean success --rake margins.csv --method jkn

Replicate weights supplied with the data:

  proband survey data.csv --weights w --replicate-weights 'rep*' --replicate-kind fay --rho 0.3 --total cost --ratio cost/visits
"""

ANALYSES.register("survey")(
    Analysis(
        key="survey",
        command=AnalysisCommand(
            "survey",
            help=_HELP,
            job="Published studies",
            title="Survey",
            reads="files",
            files=("TABLE", "Table with one row per observation."),
            experiment=(),
            frames=("survey", "survey_differences"),
            figures=("survey",),
            marks={"seed": Needs("method=bootstrap")},
        ),
        place=170,
        request="proband.analyses.survey.request:SurveyRequest",
        run="proband.analyses.survey.run:run",
        view="proband.analyses.survey.view:SurveyView",
        result="proband.inference.survey:SurveyEstimates",
    )
)
