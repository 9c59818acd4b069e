"""Algorithms over several data sets."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("datasets")(
    Analysis(
        key="datasets",
        commands=("datasets",),
        place=180,
        request="proband.analyses.datasets.request:DatasetsRequest",
        run="proband.analyses.datasets.run:run",
        view="proband.analyses.datasets.view:DatasetsView",
        result="proband.inference.datasets.results:DatasetComparison",
    )
)
