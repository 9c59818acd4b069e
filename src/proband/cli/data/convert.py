"""``proband convert``: the same scores in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proband.cli import options as o
from proband.cli.console import progress_bars, read_samples, tell
from proband.cli.outputs import require_apart
from proband.marks import Needs
from proband.words import count


def convert(
    source: Annotated[str, typer.Argument(metavar="FILE[::KEY]", help="Score file to read.")],
    target: Annotated[Path, typer.Argument(help="File to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            "--to", help="Output format. Default: determined by the file extension.", rich_help_panel="Data"
        ),
    ] = None,
    samples: o.SamplesOption = None,
    id_column: Annotated[o.IdColumn, Needs("samples")] = "id",
    subject_column: Annotated[o.SubjectColumn, Needs("samples")] = "subject",
    missing_values: Annotated[o.MissingValuesOrScores, Needs("samples", "columns")] = None,
    orientation: o.Orientation = None,
    format: o.FormatOption = None,
    query_ids: o.QueryIds = None,
    target_ids: o.TargetIds = None,
    queries: o.Queries = None,
    targets: o.Targets = None,
    mask: o.Mask = None,
    ids: o.IdsOption = o.IdsName.samples,
    columns: o.Columns = None,
    mated_is: o.MatedIs = None,
    missing: o.Missing = o.MissingName.error,
    quiet: o.Quiet = False,
) -> None:
    """Convert scores to another format, without needless rounding.

    Formats: npy, npz, csv-matrix, csv-long, parquet-matrix, parquet-long, arrow-matrix, arrow-long, bee, bob4, bob5, csu.

    [bold]Examples[/bold]

      proband convert scores.mtx scores.parquet

      proband convert scores.npz::pca scores.txt --to bob5 -s samples.csv --orientation similarity
    """
    from proband.errors import UsageError
    from proband.scores.formats import read_file, write_scores
    from proband.scores.reading import scores_of, split_key

    path, key = split_key(source)
    require_apart([target], [path, samples, mask])
    table = read_samples(samples, id_column, subject_column, None, missing_values)
    with progress_bars(quiet) as progress:
        options = o.read_options(
            columns,
            mated_is,
            missing_values,
            ids,
            key=key,
            query_ids=query_ids,
            target_ids=target_ids,
            mask=mask,
            progress=progress,
        )
        file = read_file(path, options, format)
        known = table or file.subjects
        found = scores_of(file, path, known, o.orientation_of(orientation), missing.value, queries, targets)
        if len(found) != 1:
            raise UsageError(
                f"{source} holds {len(found)} matrices: {', '.join(found)}.",
                f"select one: {path}::{next(iter(found))}",
            )
        scores = next(iter(found.values()))
        written = write_scores(target, scores, samples=known, format=to)
    n_queries, n_targets = scores.shape
    tell(f"wrote {target}: {count(n_queries)} × {count(n_targets)} scores as {written}")
    for note in scores.notes:
        tell(f"note: {note}")
