"""``proband strat``: stratified evaluation by balanced repeated replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say, say_all, say_below, show_tables, write_latex

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis("strat", "Stratified evaluation", experiment=("ties", "on_failure"))
def strat(found: Findings, request: Request, latex: o.Latex = None, *, json: bool, explain: bool) -> None:
    """Does it matter which images are the gallery?

    Each column of images is the gallery in turn, before and after mixing (Micheals & Boult 2001). People are the strata and their probe images the units. Standard errors say how rates vary with the probe images of *these
    people*; for other people see proband evaluate, or take people as the units of larger strata.

    [bold]Examples[/bold]

      proband strat similarity.npz -s samples.csv --id-column filename --orientation similarity --images 4 --out strat

    One gallery that stays, people as the units of sites, each site weighing the same:

      proband strat scores.npz -s samples.csv --orientation similarity -g "session == 1" --strata site --units subject --stratum-weights equal

    Two cameras compared on the same people:

      proband strat scores.npz -s samples.csv --orientation similarity -g "session == 1" --sensors camera
    """
    from proband.analyses.strat.tables import (
        of_gallery,
        people_statement,
        sensor_statements,
        study_statements,
        study_tables,
    )
    from proband.report.kinds.comparisons import unsaid_verdicts, verdicts

    study = found["strat"]
    assert study is not None  # what was asked for
    write_latex(latex, *study_tables(study))
    if json:
        print_json(study.to_dict())
        return
    if not explain:
        who = people_statement(study)
        say(who, dim=who.level != "caution", style="yellow" if who.level == "caution" else None)
        say("")
    show_tables(*study_tables(study))
    unsaid = []
    if study.comparison is not None:
        told = study.comparison.sentences() if explain else verdicts(study.comparison)
        say_all(of_gallery(study, told), dim=False)
        unsaid = [] if explain else of_gallery(study, unsaid_verdicts(study.comparison))
    above = []
    if not explain:
        sensors = sensor_statements(study)
        shown = sensors if len(sensors) <= _MOST_SENSORS else []  # the table has the verdicts
        say_all(shown, dim=False)
        above = [people_statement(study), *shown]
    notes = [note for note in study_statements(study) if note not in above]
    say_below([*unsaid, *notes], explain, [study.cases[0].answers], found.notes)


_MOST_SENSORS = 4  # sentences; all of them with --explain
