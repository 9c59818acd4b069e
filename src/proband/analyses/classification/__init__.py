"""Accuracy of classifiers."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("classification")(
    Analysis(
        key="classification",
        commands=("classify",),
        place=130,
        request="proband.analyses.classification.request:ClassificationRequest",
        run="proband.analyses.classification.run:run",
        view="proband.analyses.classification.view:ClassificationView",
        result="proband.inference.classification.results:Classification",
        propose="proband.analyses.classification.proposal:propose",
    )
)
