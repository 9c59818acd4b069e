"""A FERET evaluation."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Run a full FERET evaluation: categories, galleries, rejection.

After Phillips et al. (2000), with versions and gallery sizes. Average performance and current upper bound of every category; whether it is too easy or too hard to distinguish algorithms;
the cost of locating faces; how rates and places vary over galleries of different people.

[bold]Examples[/bold]

  proband feret scores.npz -s samples.csv --orientation distance --feret --galleries 6 --order date --out feret

  proband feret eyes.npz own.npz -s samples.csv --version own=eyes --by sex --sizes 50,100,200 --reject 0.25
"""

ANALYSES.register("feret")(
    Analysis(
        key="feret",
        command=AnalysisCommand(
            "feret",
            help=_HELP,
            job="Published studies",
            title="FERET evaluation",
            parse="proband.analyses.feret.pairs:PAIRS",
            frames=(
                "feret",
                "feret_cmc",
                "feret_participants",
                "feret_variation",
                "feret_consistency",
                "feret_orders",
                "feret_sizes",
            ),
            figures=(
                "feret_cmc",
                "feret_average",
                "feret_upper_bound",
                "feret_versions",
                "feret_improvements",
                "feret_variation",
                "feret_sizes",
            ),
            categories=True,
        ),
        place=100,
        blind=True,
        request="proband.analyses.feret.request:FeretRequest",
        run="proband.analyses.feret.run:run",
        view="proband.analyses.feret.view:FeretView",
        result="proband.inference.galleries.feret_results:FeretStudy",
        propose="proband.analyses.feret.proposal:propose",
        prepare="proband.analyses.feret.run:prepare",
    )
)
