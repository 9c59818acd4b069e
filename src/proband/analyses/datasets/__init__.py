"""Algorithms over several data sets."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Is one algorithm better over several data sets? Ranks, means.

Every two algorithms by Wilcoxon's signed ranks over data sets, adjusted by Holm; all of them by Friedman's ranks. With standard errors, or outcomes of
people, also the mean difference over data sets and that to be expected in another one.

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
                "Accuracies, a row for each data set and a column for each algorithm (.csv, .tsv, .parquet, …); or outcomes, a row for each.",
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
