"""``proband protocol what-if``: the same classifier with one thing changed."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import print_json, progress_bars, read_samples, say, say_below, show_tables
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs
from proband.cli.protocols.audit import read_exclusions


class QuestionName(StrEnum):
    """What is changed."""

    mixed = "mixed"
    dropped = "dropped"


@gathered
def what_if(
    question: Annotated[
        QuestionName,
        typer.Argument(
            help="mixed: subjects shared or kept apart; dropped: with or without the excluded samples."
        ),
    ],
    images: Annotated[
        str,
        typer.Option(
            "--images",
            "-i",
            help="Pictures (a directory, .npz with images) or features (.npy, .npz, FILE::KEY).",
            rich_help_panel="Data",
        ),
    ],
    samples: Annotated[
        Path, typer.Option("--samples", "-s", help="Table of samples.", rich_help_panel="Data")
    ],
    classifier: Annotated[
        str,
        typer.Option(
            "--classifier",
            "-c",
            metavar="[NAME=]CLASSIFIER",
            help="Such as lbp:nbnn, src or sklearn.svm:SVC().",
            rich_help_panel="Run",
        ),
    ],
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of the attribute that is recognised.", rich_help_panel="Run"
        ),
    ] = None,
    task: Annotated[
        o.TaskName | None,
        typer.Option(
            help="What is recognised; default: an attribute if there is a label.", rich_help_panel="Run"
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option("--protocol", "-p", help="What both sides run.", rich_help_panel="Run")
    ] = "auto",
    exclusions: Annotated[
        Path | None,
        typer.Option(help="Table of id and reason: the samples that were dropped.", rich_help_panel="Data"),
    ] = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    missing_values: o.MissingValues = None,
    failed: o.FailedOption = None,
    file_column: Annotated[
        str, typer.Option(help="Column that names each picture's file.", rich_help_panel="Data")
    ] = "file",
    level: o.Level = 0.95,
    seed: o.Seed = 0,
    *,
    running: RunInputs,
) -> None:
    """What if subjects had been kept apart, or nothing had been dropped? The same classifier, side by side.

    [bold]Examples[/bold]

      proband protocol what-if mixed -i images.npz -s samples.csv -c lbp:nbnn --label expression -p "10f CV"

      proband protocol what-if dropped -i images.npz -s collected.csv --exclusions dropped.csv -c lbp:nbnn --label sex
    """
    from proband.analyses.audit.tables import what_if_statements, what_if_table
    from proband.errors import UsageError
    from proband.protocols.running.data import FeatureTable
    from proband.protocols.running.what_if import what_if as ask

    if (question is QuestionName.dropped) != (exclusions is not None):
        raise UsageError(
            "--exclusions says what was dropped: the question 'dropped' needs it, and 'mixed' has no use for it."
        )
    labels = () if label is None else (label,)
    table = read_samples(samples, id_column, subject_column, failed, missing_values, labels)
    assert table is not None  # a path was given
    dropped = {} if exclusions is None else _reasons(exclusions, id_column)
    chosen = task or (o.TaskName.identity if label is None else o.TaskName.attribute)
    with progress_bars(running.quiet) as progress:
        data = FeatureTable.read(
            images, table, file_column=file_column, threads=running.threads, progress=progress
        )
        found = ask(
            classifier,
            data,
            question.value,
            protocol,
            task=chosen.value,
            label=label,
            dropped=dropped,
            seed=seed,
            confidence_level=level,
            threads=running.threads,
            progress=progress,
        )
    if running.json:
        print_json(found.to_dict())
        return
    show_tables(what_if_table(found))
    decided, *rest = what_if_statements(found)
    say(decided)
    say_below(rest, running.explain, [found.answers])


def _reasons(path: Path, id_column: str) -> dict[str, str | None]:
    """Read why each sample was dropped; None where no reason is given."""
    from proband.errors import InputError

    frame = read_exclusions(path, id_column)
    if "id" not in frame.columns or frame["id"].null_count():
        raise InputError(
            f"{path.name} does not say in every row which sample was dropped.", "give a column 'id'."
        )
    names = frame["id"].to_list()
    reasons = frame["reason"].to_list() if "reason" in frame.columns else [None] * len(names)
    return dict(zip(names, reasons, strict=True))
