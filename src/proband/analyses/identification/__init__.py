"""Recognition rates, cumulative match curves and other measures."""

from proband.marks import Needs
from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Recognition rates and cumulative match curves, with intervals.

[bold]Examples[/bold]

Five algorithms in one archive; images without a detected face count as misses:

  proband evaluate scores.npz -s samples.csv --orientation similarity --failed "not detected"

Embeddings; the first image of each person is enrolled, all others are probes:

  proband evaluate -e model.npy -s samples.csv -g one_per_subject --metric cosine

Other measures, by resampling people, with the distribution of the replicates:

  proband evaluate scores.npz -s samples.csv --measure median-rank@50 --measure rank-20 --design bootstrap --figure distributions=spread.svg

A score list in the format of bob, which includes subject IDs:

  proband evaluate scores-dev --orientation similarity --figure cmc.svg
"""

ANALYSES.register("identification")(
    Analysis(
        key="identification",
        command=AnalysisCommand(
            "evaluate",
            help=_HELP,
            job="Evaluate scores",
            title="Identification",
            frames=("leaderboard", "cmc", "measures", "overlap"),
            figures=("cmc", "distributions"),
            categories=True,
            card=True,
            marks={"seed": Needs("measures", "design")},
        ),
        place=10,
        request="proband.analyses.identification.request:IdentificationRequest",
        run="proband.analyses.identification.run:run",
        view="proband.analyses.identification.view:IdentificationView",
        result="proband.analyses.identification.run:Identified",
        prepare="proband.analyses.identification.run:prepare",
        propose="proband.analyses.identification.proposal:propose",
        default=True,
        moved={"identification": "evaluation", "measures": "measures", "overlap": "overlap"},
    )
)
