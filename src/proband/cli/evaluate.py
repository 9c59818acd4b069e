"""``proband evaluate``: from scores and samples to rates and curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import choice_of, output, progress_bars, read_samples, talk

if TYPE_CHECKING:
    from proband.engine import Progress
    from proband.samples import Samples
    from proband.scores import Scores


def evaluate(
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=]FILE[::KEY]...",
            help="Score files, one or more algorithms each.",
            show_default=False,
        ),
    ] = None,
    samples: o.SamplesOption = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    failed: o.FailedOption = None,
    orientation: o.Orientation = None,
    embeddings: Annotated[
        list[str] | None,
        typer.Option(
            "--embeddings",
            "-e",
            metavar="[NAME=]FILE[::KEY]",
            help="Embeddings (.npy, .npz) to compare by --metric; may be repeated.",
            rich_help_panel="Scores",
        ),
    ] = None,
    metric: Annotated[
        o.MetricName, typer.Option(help="How embeddings are compared.", rich_help_panel="Scores")
    ] = o.MetricName.cosine,
    gallery: Annotated[
        str | None,
        typer.Option(
            "--gallery",
            "-g",
            metavar="CONDITION",
            help="Who is enrolled: a condition, all, one_per_subject or @FILE of ids. Default: every target.",
            rich_help_panel="Experiment",
        ),
    ] = None,
    one_per_subject: Annotated[
        bool,
        typer.Option(
            "--one-per-subject",
            help="Enrol only the first sample of each subject that meets --gallery.",
            rich_help_panel="Experiment",
        ),
    ] = False,
    probes: Annotated[
        str | None,
        typer.Option(
            "--probes",
            "-p",
            metavar="CONDITION",
            help="Who is searched for, in the same forms. Default: every query that is not in the gallery.",
            rich_help_panel="Experiment",
        ),
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: RULE'",
            help="A probe category: a condition on probe.x and mate.x; may be repeated.",
            rich_help_panel="Experiment",
        ),
    ] = None,
    feret: Annotated[
        bool,
        typer.Option(
            "--feret",
            help="Add FERET's categories fb, fc, dup1, dup2 (columns image_set, date, camera).",
            rich_help_panel="Experiment",
        ),
    ] = False,
    ties: Annotated[
        o.TiesName, typer.Option(help="How tied scores are ordered.", rich_help_panel="Experiment")
    ] = o.TiesName.pessimistic,
    count: Annotated[
        o.CountName, typer.Option(help="What a rank counts.", rich_help_panel="Experiment")
    ] = o.CountName.images,
    on_failure: Annotated[
        o.FailureName,
        typer.Option(
            help="Failures to acquire count as misses, or their scores are taken at their word.",
            rich_help_panel="Experiment",
        ),
    ] = o.FailureName.miss,
    orientation_check: Annotated[
        bool,
        typer.Option(
            "--orientation-check/--no-orientation-check",
            help="Refuse scores that look reversed.",
            rich_help_panel="Scores",
        ),
    ] = True,
    ranks: Annotated[str, typer.Option(help="Ranks to show.", rich_help_panel="Output")] = "1,5,10",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Write report.md, table.csv, cmc.csv, results.json and the figure there.",
            rich_help_panel="Output",
        ),
    ] = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(
            "--figure",
            "-f",
            help="Write the CMC plot: .png, .svg or .pdf; may be repeated.",
            rich_help_panel="Output",
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the table as CSV.", rich_help_panel="Output")
    ] = None,
    json: o.Json = False,
    format: o.FormatOption = None,
    query_ids: o.QueryIds = None,
    target_ids: o.TargetIds = None,
    queries: o.Queries = None,
    targets: o.Targets = None,
    mask: o.Mask = None,
    missing: o.Missing = o.MissingName.error,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Recognition rates and cumulative match curves of one or more algorithms.

    [bold]Examples[/bold]

    Five algorithms in one archive; images without a detected face count as misses:

      proband evaluate scores.npz -s samples.csv --orientation similarity --failed "not detected"

    Embeddings; the first image of each person is enrolled, all others are probes:

      proband evaluate -e model.npy -s samples.csv -g one_per_subject --metric cosine

    A score list of bob's, which names the subjects itself:

      proband evaluate scores-dev --orientation similarity --figure cmc.svg
    """
    from proband.errors import UsageError
    from proband.measures import evaluate as evaluate_scores
    from proband.samples import Category, feret_categories
    from proband.scores import experiment_over

    if not scores and not embeddings:
        raise UsageError(
            "There is nothing to evaluate.",
            "name score files, or embeddings with -e; see proband evaluate -h.",
        )
    asked = [Category.parse(text) for text in category or []]
    if feret:
        asked += feret_categories()
    shown = _ranks(ranks)
    table = read_samples(samples, id_column, subject_column, failed)
    with progress_bars(quiet) as progress:
        reading: dict[str, Any] = {
            "orientation": o.orientation_of(orientation),
            "missing": missing.value,
            "queries": queries,
            "targets": targets,
            "format": format,
            "query_ids": query_ids,
            "target_ids": target_ids,
            "mask": mask,
        }
        found, table = _read_all(scores or [], table, reading, progress)
        found += _read_embeddings(embeddings or [], table, metric.value, missing.value)
        experiment = experiment_over(
            found,
            _known(table),
            choice_of(gallery, one_per_subject),
            probes,
            missing.value,
        )
        evaluation = evaluate_scores(
            found,
            experiment,
            categories=asked,
            ranks=shown,
            ties=ties.value,
            counting=count.value,
            on_failure="as_scored" if on_failure is o.FailureName.as_scored else "miss",
            check_orientation=orientation_check,
            threads=threads,
            progress=progress,
        )
    _show(evaluation, json, csv, figure or [], out)


def _show(evaluation: Any, json: bool, csv: Path | None, figures: list[Path], out: Path | None) -> None:
    from proband.engine import written_whole
    from proband.report import cmc_figure, evaluation_table, save_figure, statements, write_evaluation
    from proband.report.directory import as_json

    drawn = None
    for path in figures:
        drawn = drawn or cmc_figure({name: evaluation.curves(name) for name in evaluation.categories})
        save_figure(drawn, path)
    if csv is not None:
        with written_whole(csv) as draft:
            evaluation.to_frame().write_csv(draft)
    summary = write_evaluation(evaluation, out) if out is not None else None
    if json:
        typer.echo(as_json(evaluation), nl=False)
    else:
        console = output()
        console.print(evaluation_table(evaluation))
        for said in statements(evaluation):
            console.print(f"[dim]{said}[/dim]", markup=True, soft_wrap=True)
    written = [*figures, *([csv] if csv else []), *([summary] if summary else [])]
    for path in written:
        talk().print(f"wrote {path}", markup=False, soft_wrap=True)


def _read_all(
    names: list[str], table: Samples | None, reading: dict[str, Any], progress: Progress
) -> tuple[list[Scores], Samples | None]:
    """Read every score file; without a samples table, take the first file's own subjects."""
    from proband.scores.formats import ReadOptions, read_file
    from proband.scores.reading import scores_of, split_key

    found: list[Scores] = []
    for text in names:
        name, path = _named(text)
        file_path, key = split_key(path)
        options = ReadOptions(key, reading["query_ids"], reading["target_ids"], reading["mask"], progress)
        file = read_file(file_path, options, reading["format"])
        if table is None:
            table = file.subjects
        choices = (reading["queries"], reading["targets"])
        matrices = scores_of(
            file, file_path.stem, table, reading["orientation"], reading["missing"], *choices
        )
        found += _renamed(list(matrices.values()), name, text)
    return found, table


def _read_embeddings(names: list[str], table: Samples | None, metric: str, missing: str) -> list[Scores]:
    from proband.scores.reading import read_embeddings

    found: list[Scores] = []
    for text in names:
        name, path = _named(text)
        models = read_embeddings(path, table, metric=metric, missing=missing)  # type: ignore[arg-type]
        found += _renamed(list(models.values()), name, text)
    return found


def _named(text: str) -> tuple[str | None, str]:
    """Part ``NAME=FILE``; a file whose own name has an equals sign can be written ``./a=b.npy``."""
    name, mark, path = text.partition("=")
    if mark and "/" not in name and not Path(text).exists():
        return name, path
    return None, text


def _renamed(found: list[Any], name: str | None, text: str) -> list[Any]:
    from proband.errors import UsageError

    if name is not None:
        if len(found) != 1:
            raise UsageError(
                f"{text} holds {len(found)} algorithms ({', '.join(one.name for one in found)}), so it cannot have one name.",
                f"pick one: {text}::{found[0].name}",
            )
        found[0].name = name
    return found


def _ranks(text: str) -> tuple[int, ...]:
    from proband.errors import UsageError

    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"--ranks takes whole numbers separated by commas, got {text!r}.") from None


def _known(table: Samples | None) -> Samples:
    from proband.errors import UsageError

    if table is None:
        raise UsageError(
            "Whose the samples are is not known: the files name no subjects.", "give a table with --samples."
        )
    return table
