"""Comparisons of algorithms."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Compare algorithms: differences, tests, ranking and verdicts.

Compares every pair of algorithms on the same probes.

[bold]Examples[/bold]

Every pair of algorithms in an archive, at rank 1, with a margin of one percentage point:

  proband compare scores.npz -s samples.csv --orientation similarity

Two files, at rank 10, with a margin of two points:

  proband compare old=a.npz::net new=b.npz::net -s samples.csv --orientation similarity --measure rank-10 --margin 0.02

Outcomes without scores, 0 or 1 for each item and system, with documents as the independent units:

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
