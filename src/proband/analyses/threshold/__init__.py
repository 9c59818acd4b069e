"""Thresholds to deploy."""

from proband.study.analysis import ANALYSES, Analysis, AnalysisCommand

_HELP = """Find a threshold that meets a target FMR for new people.

With the confidence of --level, the false match rate at the threshold is within the target for new people. A threshold that just meets the target on these people exceeds it for new people about half the time.

[bold]Example[/bold]

  proband threshold scores.npz -s samples.csv --orientation similarity --fmr 0.001 --level 0.99
"""

ANALYSES.register("threshold")(
    Analysis(
        key="threshold",
        command=AnalysisCommand(
            "threshold",
            help=_HELP,
            job="Evaluate scores",
            title="Thresholds for new people",
            experiment=("gallery", "one_per_subject", "probes"),
            output=("confidence_level", "formats"),
            frames=("thresholds",),
            figures=("thresholds",),
        ),
        place=60,
        request="proband.analyses.threshold.request:ThresholdRequest",
        run="proband.analyses.threshold.run:run",
        view="proband.analyses.threshold.view:ThresholdsView",
        result="proband.analyses.threshold.run:Thresholds",
        moved={"thresholds": "thresholds"},
    )
)
