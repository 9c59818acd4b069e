"""``proband survey``: estimates for a population, from a sample with weights, strata and units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say_below, show_tables, write_csv, write_latex
from proband.cli.inputs import SurveyInputs
from proband.marks import Needs

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis(
    "survey", "Survey", experiment=(), reads=SurveyInputs, marks=lambda: {"seed": Needs("method=bootstrap")}
)
def survey(
    found: Findings,
    request: Request,
    csv: o.Csv = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """Means, totals and ratios of samples with weights and strata.

    Variances and quantiles as well. A row is an observation, such as a probe; units (people, sites) were drawn within strata. Standard errors are those of R's package survey.

    [bold]Examples[/bold]

    Success rates by sex, where people were drawn at sites:

      proband survey probes.csv --weights w --strata site --units person --mean success --by sex --differences

    Two stages without replacement, raked to known margins, with the stratified jackknife:

      proband survey probes.csv --strata site --units person --units session --fpc people --fpc sessions --mean success --rake margins.csv --method jkn

    Replicate weights that came with the data:

      proband survey data.csv --weights w --replicate-weights 'rep*' --replicate-kind fay --rho 0.3 --total cost --ratio cost/visits
    """
    from proband.analyses.survey.view import SurveyView

    result = found["survey"]
    assert result is not None  # what was asked for
    tables = SurveyView().tables(result)
    write_csv(result.to_frame(), csv)
    write_latex(latex, *tables)
    if json:
        print_json(result.to_dict())
        return
    show_tables(*tables)
    say_below(SurveyView().notes(result), explain, [result.answers], found.notes)
