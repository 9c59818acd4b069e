"""``proband audit``: are splits fit to estimate an accuracy with?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import (
    print_json,
    progress_bars,
    read_samples,
    say,
    say_below,
    show_tables,
    write_csv,
)
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs
from proband.cli.outputs import require_apart

if TYPE_CHECKING:
    import polars as pl

    from proband.samples import Samples

FINDING = 3
"""The exit code of a finding."""


@dataclass(frozen=True)
class AuditInputs:
    """The samples, and what else is known of them."""

    samples: Annotated[
        Path, typer.Option("--samples", "-s", help="Table of samples.", rich_help_panel="Data")
    ]
    id_column: o.IdColumn = "id"
    subject_column: o.SubjectColumn = "subject"
    missing_values: o.MissingValues = None
    failed: o.FailedOption = None
    images: Annotated[
        Path | None,
        typer.Option(
            "--images",
            "-i",
            help="Look for copies among pictures: a directory, or .npz with images and ids.",
            rich_help_panel="Copies",
        ),
    ] = None
    file_column: Annotated[
        str, typer.Option(help="Column that names each picture's file.", rich_help_panel="Copies")
    ] = "file"
    embeddings: Annotated[
        str | None,
        typer.Option(
            "--embeddings",
            "-e",
            metavar="FILE[::KEY]",
            help="Look for copies among embeddings or features (.npy, .npz).",
            rich_help_panel="Copies",
        ),
    ] = None
    collected: Annotated[
        Path | None,
        typer.Option(
            help="Table of all samples that were collected; default: the table of samples, if there are exclusions.",
            rich_help_panel="Losses",
        ),
    ] = None
    exclusions: Annotated[
        Path | None,
        typer.Option(help="Table of id and reason, for samples that are not used.", rich_help_panel="Losses"),
    ] = None

    def table(self, path: Path, labels: tuple[str, ...] = ()) -> Samples:
        """Read a table of samples, this one or that of collected data."""
        found = read_samples(
            path, self.id_column, self.subject_column, self.failed, self.missing_values, labels
        )
        assert found is not None  # a path was given
        return found

    def sources(self, table: Samples, labels: tuple[str, ...] = ()) -> dict[str, Any]:
        """Where copies are sought, and what is known of losses, as the audit takes it."""
        found: dict[str, Any] = {}
        if self.images is not None:
            from proband.algorithms.pictures.pictures import Pictures

            found["images"] = Pictures.of(self.images, table, self.file_column)
        if self.embeddings is not None:
            from proband.scores import Embeddings

            found["embeddings"] = Embeddings.read(self.embeddings, table, metric="cosine", missing="drop")
        if self.collected is not None:
            found["collected"] = self.table(self.collected, labels)
        if self.exclusions is not None:
            found["exclusions"] = read_exclusions(self.exclusions, self.id_column)
        return found


def read_exclusions(path: Path, id_column: str = "id") -> pl.DataFrame:
    """Read a table of id and reason; the id may be called as it is in the table of samples."""
    from proband.samples.reading import read_frame

    frame = read_frame(path, text_columns=("id", id_column, "reason"))
    return (
        frame.rename({id_column: "id"}) if id_column in frame.columns and "id" not in frame.columns else frame
    )


@gathered
def audit(
    splits: Annotated[
        Path,
        typer.Argument(
            help="Table of id, repeat, fold and role (.csv, .tsv, .parquet), or folder of train.txt and test.txt, in fold_1, … if several."
        ),
    ],
    inputs: AuditInputs,
    task: Annotated[
        o.TaskName | None,
        typer.Option(
            help="What is recognised; default: an attribute if there is a label.", rich_help_panel="Task"
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of the attribute that is recognised.", rich_help_panel="Task"
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            "-p",
            help="What the splits are said to be, such as '10x10f CV+'.",
            rich_help_panel="Task",
        ),
    ] = None,
    csv: o.Csv = None,
    *,
    running: RunInputs,
) -> None:
    """Are these splits sound? Leaks, copies, imbalance, losses.

    Exit code 3 if they are not. Every finding names the first few offenders and its cure. A leak (a sample, a subject or a copy in both training and
    testing) and a fault must be mended; warnings and notes leave the exit code at 0.

    [bold]Examples[/bold]

      proband audit splits.csv -s samples.csv --label expression --images images.npz

      proband audit folds -s samples.csv --protocol "10f CV" --collected all.csv --exclusions dropped.csv
    """
    from proband.protocols.audit.audit import audit as audit_splits
    from proband.protocols.splits.files import read_splits
    from proband.report.analyses.audits import audit_statements, findings_table, verdict

    require_apart([csv], [splits, *(one for one in vars(inputs).values() if isinstance(one, Path))])
    labels = () if label is None else (label,)
    table = inputs.table(inputs.samples, labels)
    chosen = task or (o.TaskName.identity if label is None else o.TaskName.attribute)
    with progress_bars(running.quiet) as progress:
        found = audit_splits(
            read_splits(splits),
            table,
            task=chosen.value,
            label=label,
            protocol=protocol,
            threads=running.threads,
            progress=progress,
            **inputs.sources(table, labels),
        )
    write_csv(found.to_frame(), csv)
    if running.json:
        print_json(found.to_dict())
    else:
        if found.findings:
            show_tables(findings_table(found))
        say(verdict(found), style="green" if found.is_sound else "red")
        say_below(audit_statements(found), running.explain)
    if not found.is_sound:
        raise typer.Exit(FINDING)
