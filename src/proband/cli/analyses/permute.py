"""``proband permute``: what if other images of these people had been chosen?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.analyses.command import analysis
from proband.cli.console import print_json, say, say_below, show_tables, write_csv, write_latex
from proband.marks import Needs, Unless

if TYPE_CHECKING:
    from proband.report.table import Table
    from proband.study.findings import Findings
    from proband.study.requests import Request


_NO_TRIALS = Unless("exact=on", "trainings=on")


@analysis(
    "choices",
    "Choice of images",
    experiment=("ties",),
    output=("confidence_level", "seed", "pseudonyms", "formats"),
    marks=lambda: {
        "choices": _NO_TRIALS,
        "list_trials": Needs("choices", "out"),
        "pseudonyms": Needs("choices", "list_trials"),
        "ties": Unless("trainings=on"),
        "confidence_level": Unless("exact=on"),
        "seed": Unless("exact=on"),
    },
)
def permute(
    found: Findings,
    request: Request,
    choices: Annotated[
        Path | None,
        typer.Option(
            "--choices",
            metavar="FILE.csv",
            help="Write which image of each person was gallery and probe in the trials of --list-trials; default: the first.",
            rich_help_panel="Output",
        ),
    ] = None,
    latex: o.Latex = None,
    *,
    json: bool,
    explain: bool,
) -> None:
    """How much do rates vary with the images chosen?

    Permutes the choice of gallery and probe images (Beveridge et al. 2001). Every algorithm goes through the same trials. The variation is over images of *these people*; whether one algorithm is
    better on other people is tested beside it.

    [bold]Examples[/bold]

    Gallery and probe image from different sessions, a million trials:

      proband permute scores.npz -s samples.csv --orientation similarity --groups session --trials 1000000 --max-rank 10

    People with images of one session alone stay enrolled, and what the first two trials chose is listed:

      proband permute scores.npz -s samples.csv --orientation similarity --groups session --distractors --list-trials 1,2 --choices chosen.csv

    Embeddings, several encounters of each person:

      proband permute -e embeddings.npz::dlib -s samples.csv --id-column filename --metric l2 --groups encounter
    """
    _write_choices(found, request, choices)
    from proband.analyses.choices.view import ChoicesView

    tables = list(ChoicesView().tables(found["choices"]))
    write_latex(latex, *tables)
    if found["choices"].exact_choices:
        _show_exact(found, tables, json, explain)
    elif found["choices"].trainings is not None:
        _show_trainings(found, tables, json, explain)
    else:
        _show(found, tables, json, explain)
        if found["choices"].choices.n_trials < request.section("choices")[0].n_resamples:
            raise typer.Exit(130)


def _write_choices(found: Findings, request: Request, path: Path | None) -> None:
    """Write what trials chose, if a file is named."""
    if path is None:
        return
    from proband.inference.image_choice.listing import trial_choices

    result = found["choices"].choices
    assert result is not None  # trials, or the option would have been refused
    listed = found["choices"].trial_choices
    if listed is None:
        listed = trial_choices(
            found["choices"].pool, result.design, seed=result.seed, pseudonyms=request.output.pseudonyms
        )
    write_csv(listed, path)


def _show(found: Findings, tables: list[Table], json: bool, explain: bool) -> None:
    from proband.analyses.choices.view import ChoicesView

    result, level = found["choices"].choices, found.confidence_level
    assert result is not None  # asked before
    if json:
        print_json(result.at_level(level).to_dict(), indent=None)
        return
    show_tables(*tables)
    notes = ChoicesView().notes(found["choices"])
    say_below([repr(found["choices"].pool), *notes], explain, [result.answers], found.notes)


def _show_exact(found: Findings, tables: list[Table], json: bool, explain: bool) -> None:
    from proband.analyses.choices.view import ChoicesView

    if json:
        print_json({name: one.to_dict() for name, one in found["choices"].exact_choices.items()})
        return
    show_tables(*tables)
    notes = ChoicesView().notes(found["choices"])
    say_below([repr(found["choices"].pool), *notes], explain, beside=found.notes)


def _show_trainings(found: Findings, tables: list[Table], json: bool, explain: bool) -> None:
    from proband.report.notes import answered

    made = found["choices"].trainings
    assert made is not None  # asked before
    if json:
        print_json(found.to_dict()["trainings"], indent=None)
        return
    show_tables(*tables)
    say(repr(made))
    say_below([answered(made.answers), *made.notes], explain, [made.answers], found.notes)
