"""What makes a probe fail?"""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("covariates")(
    Analysis(
        key="covariates",
        commands=("covariates",),
        place=110,
        request="proband.analyses.covariates.request:CovariatesRequest",
        run="proband.analyses.covariates.run:run",
        view="proband.analyses.covariates.view:CovariatesView",
        result="proband.inference.covariates.results:CovariateStudy",
        prepare="proband.analyses.covariates.run:prepare",
    )
)
