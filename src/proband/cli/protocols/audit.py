"""``proband audit``: are splits, or a data set, fit to estimate an accuracy with?"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
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
    tell,
    write_csv,
)
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs
from proband.cli.outputs import require_apart
from proband.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from proband.protocols.splits.files import SplitTable
    from proband.samples import Samples

FINDING = 3
"""The exit code of a finding."""


@dataclass(frozen=True)
class AuditInputs:
    """The samples, and what else is known of them."""

    samples: Annotated[
        Path | None, typer.Option("--samples", "-s", help="Table of samples.", rich_help_panel="Data")
    ] = None
    names: o.Names = None
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
            from proband.scores.reading import read_features

            found["embeddings"] = read_features(self.embeddings, table)
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
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SPLITS|DATA",
            help="Splits: a table of id, repeat, fold and role (.csv, .tsv, .parquet), or a folder of train.txt and test.txt, in fold_1, … if "
            "several. Or a data set without splits: a directory of pictures, .npz with images, or a table of samples.",
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
    copies: Annotated[
        Path | None,
        typer.Option(
            help="Write every pair of copies as CSV: of a data set, or across splits.",
            rich_help_panel="Output",
        ),
    ] = None,
    *,
    running: RunInputs,
) -> None:
    """Are splits, or a data set, sound? Leaks, copies, losses.

    Exit code 3 if they are not. Every finding names the first few offenders and its cure. A leak (a sample, a subject or a copy in both training and
    testing) and a fault must be mended; warnings and notes leave the exit code at 0. A data set without splits is searched for copies
    under two names, labels or subjects: the same pixels, or compressed, resized, mirrored, cut or brightened.

    [bold]Examples[/bold]

      proband audit splits.csv -s samples.csv --label expression --images images.npz

      proband audit folds -s samples.csv --protocol "10f CV" --collected all.csv --exclusions dropped.csv

      proband audit yale --names "subject{subject}.{condition}" --copies pairs.csv
    """
    from proband.analyses.audit.tables import audit_statements, findings_table, verdict
    from proband.protocols.audit.audit import audit as audit_samples

    given = [one for one in vars(inputs).values() if isinstance(one, Path)]
    require_apart([csv, copies], [source, *given])
    labels = () if label is None else (label,)
    asked = _asked(source, inputs, labels)
    chosen = task or (o.TaskName.identity if label is None else o.TaskName.attribute)
    if asked.inputs.images is None:
        _refuse("file_column", asked.inputs, "pictures")
        if asked.inputs.embeddings is None:
            _refuse("failed", asked.inputs, "pictures or embeddings, in which copies are sought")
    for note in asked.table.notes:
        tell(f"note: {note}")
    with progress_bars(running.quiet) as progress:
        found = audit_samples(
            asked.splits,
            asked.table,
            task=chosen.value,
            label=label,
            protocol=protocol,
            source=source.name,
            subjects_known=asked.subjects_known,
            threads=running.threads,
            progress=progress,
            **asked.inputs.sources(asked.table, labels),
        )
    write_csv(found.to_frame(), csv)
    if copies is not None:
        if found.duplicates is None:
            raise UsageError(
                "No copies were searched for.", "give pictures or vectors: --images, --embeddings"
            )
        write_csv(found.duplicates, copies)
    if running.json:
        print_json(found.to_dict())
    else:
        if found.findings:
            show_tables(findings_table(found))
        say(verdict(found), style="green" if found.is_sound else "red")
        say_below(audit_statements(found), running.explain)
    if not found.is_sound:
        raise typer.Exit(FINDING)


def _refuse(name: str, inputs: AuditInputs, without: str) -> None:
    """Refuse an option that has no effect on what is audited."""
    default = next(one.default for one in fields(AuditInputs) if one.name == name)
    if getattr(inputs, name) != default:
        raise UsageError(f"--{name.replace('_', '-')} has no effect without {without}.", "leave it out.")


@dataclass(frozen=True)
class _Asked:
    """What is audited: splits of samples, or the samples themselves."""

    splits: SplitTable | None
    table: Samples
    inputs: AuditInputs
    subjects_known: bool = True


def _asked(source: Path, inputs: AuditInputs, labels: tuple[str, ...]) -> _Asked:
    """Find out what was named: splits, pictures or a table of samples."""
    from proband.protocols.splits.files import read_splits

    if source.is_dir() and not any(source.rglob("train.txt")):
        return _pictures(replace(inputs, images=_only(inputs.images, source, "--images")), labels)
    names_pictures = inputs.samples is None and inputs.images is not None and inputs.images.is_dir()
    if inputs.names is not None and (not names_pictures or _is_samples(source)):
        raise UsageError(
            "--names reads the names of a directory's pictures.",
            "leave it out, or leave --samples out and give the directory.",
        )
    if source.suffix.lower() == ".npz":
        table = inputs.samples or source
        return _Asked(
            None,
            inputs.table(table, labels),
            replace(inputs, images=_only(inputs.images, source, "--images")),
        )
    if _is_samples(source):
        table = _only(inputs.samples, source, "--samples")
        return _Asked(None, inputs.table(table, labels), inputs)
    splits = read_splits(source)
    return _Asked(
        splits, inputs.table(o.named_samples(inputs.samples, inputs.images, inputs.names), labels), inputs
    )


def _only(given: Path | None, source: Path, option: str) -> Path:
    if given is not None:
        raise UsageError(
            f"{source} is what {option} names, and {given} is another.", "leave one of them out."
        )
    return source


def _is_samples(source: Path) -> bool:
    """Whether a file is a table without the column that divides it."""
    from proband.samples.reading import read_frame

    return source.is_file() and "role" not in read_frame(source).columns


def _pictures(inputs: AuditInputs, labels: tuple[str, ...]) -> _Asked:
    """A directory of pictures, whose names say who is on them, or do not."""
    from proband.samples import Samples
    from proband.samples.directories import data_set_of, picture_files

    directory = inputs.images
    assert directory is not None  # what was named
    if inputs.samples is None and inputs.names is None:
        files, _ = picture_files(directory)
        if files and data_set_of(files) is None:
            for name in ("id_column", "subject_column", "missing_values", "failed", "file_column"):
                _refuse(name, inputs, "a table of samples, or --names")
            table = Samples({"id": files, "file": files, "subject": ["not known"] * len(files)})
            return _Asked(None, table, inputs, subjects_known=False)
    return _Asked(
        None, inputs.table(o.named_samples(inputs.samples, directory, inputs.names), labels), inputs
    )
