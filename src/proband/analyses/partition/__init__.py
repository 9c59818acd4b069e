"""Probes divided by difficulty."""

from proband.study.analysis import ANALYSES, Analysis

ANALYSES.register("partition")(
    Analysis(
        key="partition",
        commands=("partition",),
        place=120,
        request="proband.analyses.partition.request:PartitionRequest",
        run="proband.analyses.partition.run:run",
        view="proband.analyses.partition.view:PartitionView",
        result="proband.inference.covariates.difficulty:Partition",
    )
)
