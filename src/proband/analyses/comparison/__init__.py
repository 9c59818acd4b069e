"""Algorithms compared."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Is one algorithm better? Differences, tests, places, a verdict.

Two or more algorithms are compared on the same probes, every two of them.

[bold]Examples[/bold]

Every algorithm of an archive against every other, at rank 1, with one point as what matters:

  proband compare scores.npz -s samples.csv --orientation similarity

Two files, at rank 10, two points:

  proband compare old=a.npz::net new=b.npz::net -s samples.csv --orientation similarity --measure rank-10 --margin 0.02

Outcomes and nothing else, 0 or 1 for each item and system, with documents as the independent units:

  proband compare outcomes.csv --outcomes --item question --algorithm model --success correct --cluster document
"""

ANALYSES.register("comparison")(
    Analysis(
        key="comparison",
        command=AnalysisCommand(
            "compare",
            help=_HELP,
            job="Evaluate scores",
            title="Comparison",
            frames=("comparisons", "places"),
            figures=("comparison",),
            categories=True,
        ),
        place=55,
        request="proband.analyses.comparison.request:ComparisonRequest",
        run="proband.analyses.comparison.run:run",
        view="proband.analyses.comparison.view:ComparedView",
        result="proband.analyses.comparison.run:ComparedAlgorithms",
        prepare="proband.analyses.comparison.run:prepare",
        propose="proband.analyses.comparison.proposal:propose",
        many=True,
        default=True,
        after=("verification",),
        moved={"comparisons": "comparisons"},
    )
)
