"""``proband verify``: accept or reject a claimed identity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import (
    print_json,
    say,
    say_all,
    say_below,
    show_tables,
    write_latex,
    write_model_card,
    wrote,
)
from proband.marks import Needs, Unless
from proband.words import as_sentence

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Request


@analysis(
    "verification",
    "Verification",
    experiment=(),
    output=("confidence_level", "seed", "pseudonyms", "formats"),
    marks=lambda: {
        "confidence_level": Unless("pairs"),
        "seed": (Unless("pairs"), Needs("n_resamples=on", "by", "zoo=on")),
        "pseudonyms": Needs("zoo=on"),
        "latex": Unless("pairs"),
        "figure": Unless("pairs"),
    },
)
def verify(
    found: Findings,
    request: Request,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure", "-f", help="Write the DET plot: .png, .svg or .pdf.", rich_help_panel="Output"
        ),
    ] = None,
    model_card: o.ModelCard = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """False match and non-match rates, with intervals over people.

    Rates are exact, and intervals know that comparisons share people.

    [bold]Examples[/bold]

      proband verify scores.npz -s samples.csv --orientation similarity --fmr 0.001 --out verification

    All pairs of a set of embeddings, each once; men and women apart:

      proband verify -e model.npz -s samples.csv --metric cosine --by sex

    LFW's View 2, thresholds chosen on the other folds:

      proband verify -e lfw.npz::net -s lfw.npz --id-column '#' --metric l2 --pairs pairs.txt
    """
    from proband.analyses.verification.tables import groups_table, verification_table
    from proband.analyses.verification.words import group_marks, verification_statements
    from proband.inference.verification.groups import VERDICTS
    from proband.report.figures.style import save_figure

    write_model_card(found, request, model_card)
    if found["verification"].folds:
        _show_folds(found, json, explain)
        return
    results = list(found["verification"].verification)
    for path in figure or ():
        save_figure(found["verification"].plot(), path)
        wrote(path)
    write_latex(latex, verification_table(results), *map(groups_table, found["verification"].groups))
    if json:
        print_json([_plain(found, place) for place in range(len(results))])
        return
    show_tables(verification_table(results))
    for one in found["verification"].groups:
        show_tables(groups_table(one))
        say_all((said for said in one.sentences() if explain or said.code in VERDICTS), dim=False)
        say("")
    for name, subjects in found["verification"].hard_subjects.items():
        say_all((f"{name}: {as_sentence(said)}" for said in subjects.sentences()), dim=False)
    notes = dict.fromkeys([*verification_statements(results), *group_marks(found["verification"].groups)])
    say_below(notes, explain, [results[0].answers], found.notes)


def _plain(found: Findings, place: int) -> dict[str, Any]:
    """One algorithm's error rates, with its groups and hard subjects where they were asked for."""
    one = found["verification"].verification[place]
    plain: dict[str, Any] = one.to_dict()
    own = found["verification"].groups[place :: len(found["verification"].verification)]
    if own:
        plain["groups"] = [group.to_dict() for group in own]
    if one.algorithm in found["verification"].hard_subjects:
        plain["hard_subjects"] = found["verification"].hard_subjects[one.algorithm].to_dict()
    return plain


def _show_folds(found: Findings, json: bool, explain: bool) -> None:
    from proband.analyses.verification.words import folds_statements

    if json:
        print_json([one.to_dict() for one in found["verification"].folds])
        return
    say_all(map(repr, found["verification"].folds), dim=False)
    say_below(folds_statements(), explain, beside=found.notes)
