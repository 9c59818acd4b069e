"""Accuracy of classifiers."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Accuracy of classifiers, overall and by class, with comparisons.

Classes are fixed and samples vary; with --cluster, the clusters vary.

[bold]Examples[/bold]

Logits of two models, samples × classes, with the true class in a table of the same order:

  proband classify logits.npz labels.csv --truth label

Predicted labels in columns; patients are the independent units:

  proband classify predictions.csv --truth diagnosis --predicted A=model_a,B=model_b --cluster patient
"""

ANALYSES.register("classification")(
    Analysis(
        key="classification",
        command=AnalysisCommand(
            "classify",
            help=_HELP,
            job="Classifiers and their protocols",
            title="Classification",
            reads="files",
            files=(
                "FILE...",
                "Scores of classes (.npz, .npy), and a table of samples (.csv, .tsv, .parquet, .jsonl).",
            ),
            experiment=(),
            frames=("accuracy", "classes", "confusions"),
            figures=("accuracy", "confusion"),
            card=True,
        ),
        place=130,
        request="proband.analyses.classification.request:ClassificationRequest",
        run="proband.analyses.classification.run:run",
        view="proband.analyses.classification.view:ClassificationView",
        result="proband.inference.classification.results:Classification",
        propose="proband.analyses.classification.proposal:propose",
    )
)
