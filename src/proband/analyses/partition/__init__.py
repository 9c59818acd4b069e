"""Probes divided by difficulty."""

from proband.marks import Needs
from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Divide probes by difficulty: the good, the bad and the ugly.

Each algorithm is evaluated on parts made without it, from the other algorithms or from other images of each person (after Phillips et al. 2011). The naive rate and the selection
effect are also shown.

[bold]Example[/bold]

  proband partition scores.npz -s samples.csv --orientation similarity --table parts.csv
"""

ANALYSES.register("partition")(
    Analysis(
        key="partition",
        command=AnalysisCommand(
            "partition",
            help=_HELP,
            job="Evaluate scores",
            title="Difficulty",
            more="proband.analyses.partition.files:PartitionFiles",
            output=("confidence_level", "pseudonyms", "formats"),
            frames=("partition", "partition_probes"),
            figures=("partition_rates", "partition_selection"),
            marks={"pseudonyms": Needs("out", "csv")},
        ),
        place=120,
        request="proband.analyses.partition.request:PartitionRequest",
        run="proband.analyses.partition.run:run",
        view="proband.analyses.partition.view:PartitionView",
        result="proband.inference.covariates.difficulty:Partition",
    )
)
