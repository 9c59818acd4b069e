"""``proband protocol splits`` and ``explain``: the splits of a protocol as a file, and what its notation means."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import read_samples, say, wrote
from proband.cli.gathering import gathered
from proband.words import count, counted

if TYPE_CHECKING:
    from proband.samples import Samples

protocol = typer.Typer(
    name="protocol",
    help="Accuracy under a declared protocol; splits and notation.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True)
class DivisionInputs:
    """What is to be recognised, in whom, and under which protocols."""

    id_column: o.IdColumn = "id"
    subject_column: o.SubjectColumn = "subject"
    missing_values: o.MissingValues = None
    failed: o.FailedOption = None
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Use only samples that meet this condition; the others are counted.",
            rich_help_panel="Data",
        ),
    ] = None
    task: Annotated[
        o.TaskName | None,
        typer.Option(
            help="Recognise subjects or one of their attributes. Default: attribute if --label is given.",
            rich_help_panel="Protocol",
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of the attribute: expression, sex, …", rich_help_panel="Protocol"
        ),
    ] = None
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol",
            "-P",
            help="Protocol, such as '50×80-20 HO', '10×10f CV+' or LOSO; may be repeated. Default: auto.",
            rich_help_panel="Protocol",
        ),
    ] = None
    seed: Annotated[int, typer.Option("--seed", help="Seed of splits.", rich_help_panel="Protocol")] = 0
    stratify: Annotated[
        bool,
        typer.Option(
            "--stratify/--no-stratify", help="Keep the class proportions.", rich_help_panel="Protocol"
        ),
    ] = True
    missing: Annotated[
        o.MissingName,
        typer.Option(
            help="Subjects with too few samples for the protocol: an error, or left out and counted.",
            rich_help_panel="Protocol",
        ),
    ] = o.MissingName.error
    enrolled_each: Annotated[
        int | None,
        typer.Option(
            help="For identity with separate subjects (5f CV+): number of samples of each held-out person to enrol. Default: 1.",
            min=1,
            rich_help_panel="Protocol",
        ),
    ] = None

    def read(self, path: Path) -> Samples:
        """Read the table of samples."""
        labels = () if self.label is None else (self.label,)
        table = read_samples(
            path, self.id_column, self.subject_column, self.failed, self.missing_values, labels
        )
        assert table is not None  # a path was given
        return table

    def settled(self) -> dict[str, Any]:
        """The task, and the label it has."""
        implied = o.TaskName.identity if self.label is None else o.TaskName.attribute
        return {"task": (self.task or implied).value, "label": self.label}

    def dividing(self) -> dict[str, Any]:
        """How splits are made, as `make_plan` and `run_protocol` take it."""
        return {
            "seed": self.seed,
            "stratify": self.stratify,
            "missing": self.missing.value,
            "enrolled_each": self.enrolled_each,
        }


@protocol.command()
@gathered
def splits(
    samples: Annotated[Path, typer.Argument(help="Samples table.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Splits to write: .csv, .tsv, .parquet, or a folder.",
            rich_help_panel="Output",
        ),
    ],
    division: DivisionInputs,
) -> None:
    """Write the splits of a protocol: id, repeat, fold and role (train, validation, enrolled, test, unused).

    [bold]Example[/bold]

      proband protocol splits samples.csv --label expression -P "10×10f CV+" --seed 1 -o splits.csv
    """
    import numpy as np

    from proband.errors import UsageError, first_few
    from proband.protocols.running.data import unlabelled
    from proband.protocols.splits.files import write_splits
    from proband.protocols.splits.plans import AUTO, make_plans

    asked = division.protocol or [AUTO]
    if len(asked) > 1:
        raise UsageError("A file contains the splits of one protocol.", "write one file per protocol.")
    table = division.read(samples)
    if division.where is not None:
        table = table.take(table.select(division.where).positions)
    task = division.settled()
    unfit = unlabelled(table, **task)
    used = table.take(np.setdiff1d(np.arange(len(table)), list(unfit)))
    short, (plan,) = make_plans(asked, used, **task, **division.dividing())
    used = used.take(np.setdiff1d(np.arange(len(used)), list(short)))
    made = list(plan.splits())
    write_splits(out, used, made)
    say(f"{plan.protocol}: {plan.protocol.describe()}")
    if plan.why is not None:
        say(f"Chosen because {plan.why}.")
    gone = len(unfit) + len(short)
    say(f"{counted(len(made), 'split')} of {counted(len(used), 'sample')}; {count(gone)} left out.")
    if short:
        say(
            f"Of these, {counted(len(short), 'belongs', 'belong')} to {counted(len(plan.left_out), 'subject')} with too few samples: "
            f"{first_few(plan.left_out)}."
        )
    wrote(out)


@protocol.command()
def explain(
    text: Annotated[
        str, typer.Argument(metavar="PROTOCOL", help="Protocol, such as '10x13-13 HO*' or '20x10f CV+'.")
    ],
) -> None:
    """Explain a protocol: its canonical notation and a description.

    Cells of published tables are read as printed: "5-f CV (unclear)", "LOSO+ (nine women)",
    "14-6 HO*, training: no disguise, testing: disguise".
    """
    from proband.protocols.notation import Protocol

    protocol = Protocol.parse(text)
    say(protocol)
    say(protocol.describe())
    if protocol.other_reading is not None:
        say(protocol.other_reading)
