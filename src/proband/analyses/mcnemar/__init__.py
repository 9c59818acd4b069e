"""McNemar's exact test."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Run McNemar's exact test from two counts or from scores.

One- and two-sided, and mid-p. Probes are assumed to be independent; with several probes per person use proband compare, which accounts for them.

[bold]Examples[/bold]

Only the first recognises 104 probes, only the second 40 (FERET's fb probes, Beveridge et al. 2001):

  proband mcnemar 104 40 --total 1195

From scores:

  proband mcnemar a.npy b.npy -s samples.csv --orientation similarity

Over all probes and within FERET's probe sets, each algorithm against a baseline (Table 4 of that paper):

  proband mcnemar scores.npz -s samples.csv --orientation similarity --feret --against pca
"""

ANALYSES.register("mcnemar")(
    Analysis(
        key="mcnemar",
        command=AnalysisCommand(
            "mcnemar",
            help=_HELP,
            job="Published studies",
            title="McNemar's test",
            output=("confidence_level", "formats"),
            frames=("mcnemar",),
            around="proband.cli.analyses.mcnemar_counts:with_counts",
            figures=("mcnemar",),
            categories=True,
        ),
        place=40,
        request="proband.analyses.mcnemar.request:McNemarRequest",
        run="proband.analyses.mcnemar.run:run",
        view="proband.analyses.mcnemar.view:McNemarView",
        result="proband.inference.comparisons.mcnemar_table:McNemarTable",
        prepare="proband.analyses.mcnemar.run:prepare",
    )
)
