"""``proband recognize``: from images to scores, with the bundled recognisers or your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, read_samples, say, tell, typed, wrote
from proband.cli.outputs import require_apart
from proband.marks import Needs
from proband.words import counted

if TYPE_CHECKING:
    from datetime import datetime

    from proband.algorithms import Model, Sets
    from proband.samples import Samples
    from proband.scores import DenseScores
    from proband.study.recognising import Recognised
    from proband.words import Note


def recognize(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Score file to write: .npz, or .npy for one algorithm.",
            rich_help_panel="Output",
        ),
    ],
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="IMAGES",
            help="Directory of images, or .npz with images and ids; or pass --images.",
            show_default=False,
        ),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option(
            "--images",
            "-i",
            help="Directory of images, or .npz with images and ids.",
            rich_help_panel="Images",
        ),
    ] = None,
    samples: Annotated[
        Path | None, typer.Option("--samples", "-s", help="Samples table.", rich_help_panel="Data")
    ] = None,
    names: o.Names = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            help="Recogniser: a name, package.module:attribute or onnx:FILE; may be repeated.",
            rich_help_panel="Recognisers",
        ),
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option(
            "--model",
            "-m",
            help="Trained model to use without further training; may be repeated.",
            rich_help_panel="Recognisers",
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(
            "--train",
            metavar="CONDITION",
            help="Training samples: a condition, or @FILE of ids.",
            rich_help_panel="Recognisers",
        ),
    ] = None,
    save_models: Annotated[
        Path | None,
        typer.Option(
            "--save-models",
            metavar="DIR",
            help="Directory to save trained models to.",
            rich_help_panel="Recognisers",
        ),
    ] = None,
    queries: Annotated[
        str | None,
        typer.Option(
            "--queries",
            metavar="CONDITION",
            help="Query samples. Default: all except the training samples.",
            rich_help_panel="Data",
        ),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(
            "--targets",
            metavar="CONDITION",
            help="Target samples. Default: all except the training samples.",
            rich_help_panel="Data",
        ),
    ] = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    missing_values: o.MissingValues = None,
    failed: o.FailedOption = None,
    file_column: Annotated[
        str, typer.Option(help="Column of the image file names.", rich_help_panel="Images")
    ] = "file",
    detect: Annotated[
        str | None,
        typer.Option(
            "--detect",
            metavar="opencv|dlib",
            help="Detect the eyes (fully automatic) instead of reading them from the samples table.",
            rich_help_panel="Images",
        ),
    ] = None,
    as_they_are: Annotated[
        bool,
        typer.Option(
            "--as-they-are",
            help="Images are already cropped: use no eye positions and no oval mask.",
            rich_help_panel="Images",
        ),
    ] = False,
    allow_training_overlap: Annotated[
        bool,
        typer.Option(
            "--allow-training-overlap",
            help="Allow targets in the training set (training on the gallery, as in Beveridge et al. 2001). "
            "The scores are labelled accordingly; queries are never used for training.",
            rich_help_panel="Recognisers",
        ),
        Needs("train", "model"),
    ] = False,
    operator: o.Operator = None,
    list_algorithms: Annotated[
        bool,
        typer.Option(
            "--list",
            help="List the recognisers and exit.",
            is_eager=True,
            callback=lambda asked: _list(asked),
            rich_help_panel="Recognisers",
        ),
    ] = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Compute scores from images, with one or more recognisers.

    A record of the run is written next to the scores, as SCORES.run.json: what was run, when, on which machine, and how long it took.

    [bold]Examples[/bold]

    Two algorithms, trained on some people and tested on the others:

      proband recognize -i images.npz -s samples.csv -a pca:mahalanobis -a lda:angle --train "group == 'training'" -o scores.npz

    Images whose file names identify the subjects:

      proband recognize jaffe --names "{subject}.{expression}.{number}" -a lbp:chi2 --as-they-are -o scores.npz

    Fully automatic, with a model of your own:

      proband recognize -i photos -s samples.csv --detect opencv -a mypackage.embed:embed -o scores.npz
    """
    from proband.algorithms.storage import require_storable
    from proband.engine.moments import now
    from proband.errors import UsageError
    from proband.scores.run_record import record_beside
    from proband.study.recognising import recognise

    started = now()
    if not algorithm and not model:
        raise UsageError(
            "No recogniser was specified.", "pass --algorithm (see --list), or --model for a trained model."
        )
    images = _one_source(source, images)
    named = o.named_samples(samples, images, names)
    require_apart(
        [out, record_beside(out)], [images, *([] if samples is None else [samples]), *(model or ())]
    )
    table = read_samples(named, id_column, subject_column, failed, missing_values)
    assert table is not None  # a path was given
    with progress_bars(quiet) as progress:
        made = recognise(
            images,
            table,
            algorithm or (),
            model or (),
            train=train,
            queries=queries,
            targets=targets,
            file_column=file_column,
            detect=detect,
            as_they_are=as_they_are,
            allow_training_overlap=allow_training_overlap,
            threads=threads,
            progress=progress,
        )
    for note in (*table.notes, *made.notes):
        tell(f"note: {note}")
    if save_models is not None:
        for trained in made.models:
            require_storable(trained)
    _write(made, out, table, started, operator)
    if save_models is not None:
        _save(made.models, save_models)
    _report(made.scores, made.sets, made.met, out)
    wrote(record_beside(out))


def _one_source(source: Path | None, images: Path | None) -> Path:
    """Where the pictures are, said once."""
    from proband.errors import UsageError

    if source is not None and images is not None:
        raise UsageError(f"Both {source} and --images {images} were given.", "leave one of them out.")
    found = source or images
    if found is None:
        raise UsageError(
            "No images were given.",
            "pass a directory, or .npz with images and ids, as the argument or with --images.",
        )
    return found


def _list(asked: bool) -> None:
    if asked:
        from proband.algorithms import names

        for name in names():
            typer.echo(name)
        raise typer.Exit


def _write(made: Recognised, out: Path, table: Samples, started: datetime, operator: str | None) -> None:
    """Write the scores, and then the record of the run, which knows their digest."""
    from proband.engine import written_whole
    from proband.engine.files.files import digest_of_file
    from proband.engine.machine import describe_machine
    from proband.engine.moments import now, write_moment
    from proband.errors import UsageError
    from proband.scores.archive import write_score_archive
    from proband.scores.formats import write_scores
    from proband.scores.run_record import RunRecord, record_beside
    from proband.study.inputs import versions

    is_archive = out.suffix.lower() == ".npz"
    if not is_archive and len(made.scores) > 1:
        raise UsageError(
            f"{len(made.scores)} algorithms cannot be written to {out.name}.", "write an .npz archive."
        )
    if not is_archive and made.sets.trained_targets:
        raise UsageError(
            f"{out.name} cannot record that some targets were used for training.",
            "write an .npz archive instead.",
        )
    if is_archive:
        write_score_archive(out, made.scores, made.sets.trained_targets)
    else:
        write_scores(out, made.scores[0], samples=table)
    record = RunRecord(
        write_moment(started),
        write_moment(now()),
        operator,
        describe_machine(),
        ", ".join(f"{name} {version}" for name, version in versions().items()),
        typed(),
        made.images,
        made.runs,
        digest_of_file(out) if out.is_file() else "",
    )
    with written_whole(record_beside(out)) as draft:
        draft.write_text(record.to_json(), encoding="utf-8", newline="\n")


def _save(models: list[Model], directory: Path) -> None:
    from proband.algorithms import save_model
    from proband.engine.files.files import make_directory
    from proband.engine.files.names import portable_stem

    make_directory(directory)
    for trained in models:
        path = directory / f"{portable_stem(trained.name)}.npz"
        save_model(trained, path)
        wrote(path)


def _report(scores: list[DenseScores], sets: Sets, met: Note, out: Path) -> None:
    n_queries, n_targets = len(sets.queries), len(sets.targets)
    say(f"{counted(n_queries, 'query', 'queries')} × {counted(n_targets, 'target')}; {met}.")
    for note in dict.fromkeys(note for matrix in scores for note in matrix.notes):
        if note != met:
            say(str(note))
    wrote(out)
