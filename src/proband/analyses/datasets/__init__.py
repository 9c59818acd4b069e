"""Comparisons over several data sets."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Compare algorithms over several data sets by ranks and means.

Every pair of algorithms by Wilcoxon's signed-rank test over data sets, adjusted by Holm; all algorithms by Friedman's test. With standard errors, or outcomes of
people, also the mean difference over data sets and a prediction interval for another data set.

[bold]Examples[/bold]

  proband datasets accuracies.csv --figure ranks.pdf

  proband datasets outcomes.csv --algorithm model --success correct --cluster person
"""

ANALYSES.register("datasets")(
    Analysis(
        key="datasets",
        command=AnalysisCommand(
            "datasets",
            help=_HELP,
            job="Evaluate scores",
            title="Several data sets",
            reads="files",
            files=(
                "TABLE",
                "Accuracies, one row per data set and one column per algorithm (.csv, .tsv, .parquet, …); or outcomes, one per row.",
            ),
            experiment=(),
            output=("confidence_level", "formats"),
            frames=("datasets", "datasets_differences"),
            figures=("datasets_ranks", "datasets_differences"),
        ),
        place=180,
        request="proband.analyses.datasets.request:DatasetsRequest",
        run="proband.analyses.datasets.run:run",
        view="proband.analyses.datasets.view:DatasetsView",
        result="proband.inference.datasets.results:DatasetComparison",
    )
)
