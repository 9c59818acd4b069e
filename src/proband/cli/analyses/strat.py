"""``proband strat``: stratified evaluation by balanced repeated replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say_all, say_below, show_tables

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis("strat", "Stratified evaluation", experiment=("ties", "on_failure"))
def strat(found: Findings, request: Request, *, json: bool, explain: bool) -> None:
    """Does it matter which images are the gallery?

    Each column of images is the gallery in turn, before and after mixing (Micheals & Boult 2001). People are the strata and their probe images the units. Standard errors say how rates vary with the probe images of *these
    people*; for other people see proband evaluate.

    [bold]Example[/bold]

      proband strat similarity.npz -s samples.csv --id-column filename --orientation similarity --images 4 --out strat
    """
    from proband.report.analyses.comparisons import unsaid_verdicts, verdicts
    from proband.report.analyses.strat import study_statements, study_tables

    study = found.strat
    assert study is not None  # what was asked for
    if json:
        print_json(study.to_dict())
        return
    show_tables(*study_tables(study))
    unsaid = []
    if study.comparison is not None:
        say_all(study.comparison.sentences() if explain else verdicts(study.comparison), dim=False)
        unsaid = [] if explain else unsaid_verdicts(study.comparison)
    answers = [study.effects[0].estimates[0].answers]
    say_below([*unsaid, *study_statements(study)], explain, answers, found.notes)
