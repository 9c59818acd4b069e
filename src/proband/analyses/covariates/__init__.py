"""Explain failures by covariates."""

from proband.marks import Needs, Unless
from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Explain failures by covariates.

Explains success by covariates of the probe, its mate, the pair and the algorithm, with people as clusters (after Givens, Beveridge, Phillips et al.). Rates and differences are
standardised: every probe is given one value of the covariate, and all else stays as observed. Odds ratios are in --csv coefficients=FILE and --json.

[bold]Examples[/bold]

Does elapsed time cost some algorithms more than others?

  proband covariates scores.npz -s samples.csv --orientation similarity --on "elapsed(date) * algorithm + sex"

A match at a threshold instead of a rank, age in four groups:

  proband covariates scores.npz -s samples.csv --orientation similarity --on "cut(age, 4) + same(glasses)" --outcome match --fmr 0.001

A table of outcomes, 0 or 1 for each trial, with sampling weights and people drawn within sites:

  proband covariates outcomes.csv --outcomes --success correct --cluster person --on "age + sex*glasses" --weights w --strata site
"""

ANALYSES.register("covariates")(
    Analysis(
        key="covariates",
        command=AnalysisCommand(
            "covariates",
            help=_HELP,
            job="Evaluate scores",
            title="Covariates",
            reads="either",
            switch=("outcomes", "The file is a table of outcomes, one row per trial, not of scores."),
            output=("confidence_level", "formats"),
            frames=("covariates_differences", "covariates", "covariates_coefficients"),
            figures=("covariates_differences", "covariates_rates", "covariates_curves", "covariates_fit"),
            marks={
                **dict.fromkeys(("outcome", "rank", "fmr"), Unless("outcomes=on")),
                **dict.fromkeys(("table", "success", "cluster", "weights", "strata"), Needs("outcomes=on")),
            },
        ),
        place=110,
        request="proband.analyses.covariates.request:CovariatesRequest",
        run="proband.analyses.covariates.run:run",
        view="proband.analyses.covariates.view:CovariatesView",
        result="proband.inference.covariates.results:CovariateStudy",
        prepare="proband.analyses.covariates.run:prepare",
    )
)
