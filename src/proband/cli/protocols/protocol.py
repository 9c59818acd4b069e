"""``proband protocol``: run classifiers under protocols, write splits, explain the notation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import (
    progress_bars,
    read_samples,
    say,
    say_all,
    say_below,
    show_tables,
    tell,
    typed,
    wrote,
)
from proband.cli.gathering import gathered
from proband.cli.inputs import RunInputs, whole_numbers
from proband.cli.outputs import ReportFile, require_apart, write_page
from proband.cli.protocols.what_if import what_if
from proband.words import count, counted

if TYPE_CHECKING:
    from proband.protocols.running.results import ProtocolRun
    from proband.samples import Samples

protocol = typer.Typer(
    name="protocol",
    help="Accuracy under a declared protocol; splits; the notation.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
protocol.command()(what_if)


class EyesName(StrEnum):
    """Where the eyes are known from."""

    table = "table"
    opencv = "opencv"
    dlib = "dlib"


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
            help="Use only samples that meet it; the others are counted.",
            rich_help_panel="Data",
        ),
    ] = None
    task: Annotated[
        o.TaskName | None,
        typer.Option(
            help="Recognise subjects, or an attribute of theirs. Default: by whether there is a --label.",
            rich_help_panel="Protocol",
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The attribute: expression, sex, …", rich_help_panel="Protocol"),
    ] = None
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol",
            "-P",
            help="A protocol, such as '50×80-20 HO', '10×10f CV+' or LOSO; may be repeated. Default: auto.",
            rich_help_panel="Protocol",
        ),
    ] = None
    seed: Annotated[int, typer.Option("--seed", help="Seed of splits.", rich_help_panel="Protocol")] = 0
    stratify: Annotated[
        bool,
        typer.Option(
            "--stratify/--no-stratify", help="Keep classes in proportion.", rich_help_panel="Protocol"
        ),
    ] = True
    missing: Annotated[
        o.MissingName,
        typer.Option(
            help="Subjects with too few samples for the protocol: an error, or left out and counted.",
            rich_help_panel="Protocol",
        ),
    ] = o.MissingName.error

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
        return {"seed": self.seed, "stratify": self.stratify, "missing": self.missing.value}


@protocol.command()
@gathered
def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IMAGES|FEATURES",
            help="Directory of pictures, .npz with images, or .npy/.npz of features.",
        ),
    ],
    classifier: Annotated[
        list[str],
        typer.Option(
            "--classifier",
            "-c",
            metavar="[NAME=]CLASSIFIER",
            help="lbp:nbnn, src, pca:angle, …, 'sklearn.svm:SVC(C=10)', or a chain 'lbp:chi2+sklearn.svm:SVC()'; may be repeated.",
            rich_help_panel="Classifiers",
        ),
    ],
    division: DivisionInputs,
    samples: Annotated[
        Path | None,
        typer.Option(
            "--samples",
            "-s",
            help="Table of samples. Default: the names of the pictures, if they say who is on them.",
            rich_help_panel="Data",
        ),
    ] = None,
    names: o.Names = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="HEIGHTxWIDTH", help="Bring images to this size first.", rich_help_panel="Images"
        ),
    ] = None,
    eyes: Annotated[
        EyesName | None,
        typer.Option(
            help="Crop faces by the eyes of the table, or by a detector. Default: pictures as they are.",
            rich_help_panel="Images",
        ),
    ] = None,
    file_column: Annotated[
        str, typer.Option(help="Column that names each picture's file.", rich_help_panel="Images")
    ] = "file",
    name: Annotated[
        str | None, typer.Option(help="What the data are called.", rich_help_panel="Output")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="A difference worth having, e.g. 0.01.", rich_help_panel="Output"),
    ] = None,
    justification: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Why the protocol is, say, a single hold-out: shown beside the EPD verdict, which it does not change.",
            rich_help_panel="Protocol",
        ),
    ] = None,
    subjects: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N[,N...]",
            help="Also the accuracy with so many subjects, drawn at random.",
            rich_help_panel="Sizes",
        ),
    ] = None,
    images_each: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N[,N...]",
            help="Also the accuracy with so many images of each subject, drawn at random.",
            rich_help_panel="Sizes",
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option(help="How many random parts of each size are drawn.", rich_help_panel="Sizes")
    ] = 10,
    level: o.Level = 0.95,
    out: o.OutDir = None,
    report: ReportFile = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep finished splits there. Default with --out: beside it, until all is done.",
            rich_help_panel="Output",
        ),
    ] = None,
    *,
    running: RunInputs,
) -> None:
    """Accuracy of classifiers under one or more protocols, all on the same splits, with intervals and comparisons.

    [bold]Examples[/bold]

    Face recognition in the layout of Mery et al.'s Table 4:

      proband protocol run images.npz -s samples.csv --size 110x90 -c LBP=lbp:nbnn -c SRC=src -P "50×80-20 HO" -P "50×5f CV" --out report

    Pictures whose names say who is on them:

      proband protocol run jaffe --names "{subject}.{expression}.{number}" -c lbp:nbnn --label expression -P LOSO

    Expressions in people never seen, under the protocol that suits the data:

      proband protocol run faces -s samples.csv --label expression -c "lbp:chi2+sklearn.svm:SVC(kernel='linear')"
    """
    from proband.analyses.protocol.request import ProtocolRequest
    from proband.analyses.protocol.run import under_protocols
    from proband.cli.request_options import spelled
    from proband.report.directory import require_free
    from proband.scores.reading import split_key
    from proband.study.caching import Cache
    from proband.study.context import Context
    from proband.study.definition import Origin
    from proband.study.inputs import Inputs
    from proband.study.requests import Output, only

    if out is not None:
        require_free(out)
    path, key = split_key(source)
    table = o.named_samples(samples, path, names)
    require_apart([report], [path, table])
    with spelled():
        asked = ProtocolRequest(
            file=str(path),
            key=key,
            classifiers=tuple(classifier),
            protocols=tuple(division.protocol or ("auto",)),
            **division.settled(),
            where=division.where,
            stratify=division.stratify,
            missing=division.missing.value,
            size=None if size is None else _size(size),
            eyes=None if eyes is None else eyes.value,
            file_column=file_column,
            name=name,
            margin=margin,
            justification=justification,
            subjects=_listed(subjects, "--subjects"),
            images_each=_listed(images_each, "--images-each"),
            draws=draws,
        )
        output = Output(seed=division.seed, confidence_level=level)
    with progress_bars(running.quiet) as progress, _kept(cache, out) as finished:
        context = Context(
            only("protocol", asked, output=output),
            Origin(command=typed()),
            Inputs(division.read(table), "", (), (), ()),
            Cache(None),
            {},
            running.threads,
            progress,
        )
        found = under_protocols(asked, context, finished)
        _show(found, running.json, running.explain, out)
        if report is not None:
            _write_page(found, report, [str(path), str(table)])


@protocol.command()
@gathered
def splits(
    samples: Annotated[Path, typer.Argument(help="Table of samples.")],
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
    """Write the splits of a protocol: id, repeat, fold and role (train, validation, test, unused).

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
        raise UsageError("A file holds the splits of one protocol.", "write one file for each.")
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
            f"Of these, {counted(len(short), 'is', 'are')} of {counted(len(plan.left_out), 'subject')} with too few samples: "
            f"{first_few(plan.left_out)}."
        )
    wrote(out)


@protocol.command()
def explain(
    text: Annotated[
        str, typer.Argument(metavar="PROTOCOL", help="A protocol, such as '10x13-13 HO*' or '20x10f CV+'.")
    ],
) -> None:
    """Say what a protocol means: its one written form, and a sentence."""
    from proband.protocols.notation import Protocol

    protocol = Protocol.parse(text)
    say(protocol)
    say(protocol.describe())


def _listed(texts: list[str] | None, option: str) -> tuple[int, ...]:
    return tuple(number for text in texts or () for number in whole_numbers(text, option))


def _write_page(found: ProtocolRun, report: Path, files: list[str]) -> None:
    from proband.study.caching import Cache
    from proband.study.findings import Findings, InputFile, Provenance
    from proband.study.inputs import versions

    read = tuple(InputFile(name, *Cache(None).digest(Path(name))) for name in files)
    asked = found.setting
    made = Provenance(typed(), "", asked.seed, versions(), read)
    title = f"{asked.data.name}: accuracy under protocols"
    write_page(Findings(title, made, {"protocol": found}, confidence_level=asked.confidence_level), report)


def _size(text: str) -> str:
    from proband.errors import UsageError

    sides = text.lower().replace("×", "x").split("x")
    if len(sides) != 2 or not all(side.isdecimal() and int(side) for side in sides):
        raise UsageError(f"--size takes HEIGHTxWIDTH, such as 110x90, got {text!r}.")
    return f"{int(sides[0])}x{int(sides[1])}"


@contextmanager
def _kept(cache: Path | None, out: Path | None) -> Iterator[Path | None]:
    """Yield where finished splits are kept; what is beside the output is removed when that is whole."""
    beside = None if out is None or cache is not None else out.with_name(f"{out.name}.cache")
    place = cache or beside
    try:
        yield place
    except KeyboardInterrupt:
        if place is not None and place.is_dir():
            tell(f"Finished splits are in {place}; the same command goes on from there.")
        raise
    if beside is not None and beside.is_dir():
        for file in beside.glob(f"{'[0-9a-f]' * 32}.jsonl"):
            file.unlink()
        if not any(beside.iterdir()):
            beside.rmdir()


def _show(found: ProtocolRun, json: bool, explain: bool, out: Path | None) -> None:
    from proband.analyses.protocol.class_tables import (
        MOST_CLASSES,
        class_tables,
        epd_table,
        sizes_table,
    )
    from proband.analyses.protocol.tables import (
        epd_statements,
        intervals_table,
        quoted_statements,
        quoted_verdicts,
        run_json,
        runs_table,
        write_run,
    )

    if json:
        typer.echo(run_json(found), nl=False)
    else:
        few = found.setting.task == "attribute" and found.classes <= MOST_CLASSES and len(found.findings) == 1
        shown = found.findings if explain or few else ()
        sizes = [sizes_table(found.sizes)] if found.sizes else []
        classes = [table for one in shown for table in class_tables(one)]
        show_tables(runs_table(found), intervals_table(found), *sizes, *classes)
        verdicts, rest = [*quoted_verdicts(found), *epd_statements(found)], quoted_statements(found)
        if explain:
            show_tables(epd_table(found))
            say_all([rest[0], *verdicts, *rest[1:]])
        else:
            say_all(verdicts, dim=False)
            answers = [one.interval.answers for one in found.results if one.interval.low is not None]
            say_below(rest, explain, answers)
    if out is not None:
        wrote(write_run(found, out))
