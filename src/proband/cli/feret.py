"""``proband feret``: the whole of a FERET evaluation from one command."""

from __future__ import annotations

from proband.cli import options as o
from proband.cli.console import progress_bars
from proband.cli.feret_inputs import StudyInputs, show_study
from proband.cli.gathering import gathered
from proband.cli.inputs import ExperimentInputs, RunInputs, ScoreInputs
from proband.cli.reporting import ReportFile, write_report


@gathered
def feret(
    inputs: ScoreInputs,
    setting: ExperimentInputs,
    study: StudyInputs,
    level: o.Level = 0.95,
    seed: o.Seed = 0,
    out: o.OutDir = None,
    report: ReportFile = None,
    *,
    running: RunInputs,
) -> None:
    """A FERET evaluation (Phillips et al. 2000): categories, versions, galleries, gallery sizes, rejection.

    Average performance and current upper bound of every category; whether it is too easy or too hard to tell algorithms apart;
    what locating faces costs; how rates and places vary over galleries of different people.

    [bold]Examples[/bold]

      proband feret scores.npz -s samples.csv --orientation distance --feret --galleries 6 --order date --out feret

      proband feret eyes.npz own.npz -s samples.csv --version own=eyes --by sex --sizes 50,100,200 --reject 0.25
    """
    from proband.inference.feret_study import feret_study

    asked = study.asked(seed)
    with progress_bars(running.quiet) as progress:
        found, table = inputs.read(progress)
        experiment = setting.over(found, table, inputs.missing)
        made = feret_study(
            found,
            experiment,
            confidence_level=level,
            check_orientation=inputs.orientation_check,
            threads=running.threads,
            progress=progress,
            **asked,
            **study.over(experiment, [one.name for one in found]),
            **setting.ranking(),
        )
    write_report(
        report,
        "FERET evaluation",
        inputs,
        (setting.gallery, setting.probes),
        seed=seed,
        level=level,
        feret=made,
    )
    show_study(made, running.json, out)
