"""``proband inspect``: what is this file?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.console import (
    print_json,
    progress_bars,
    read_samples,
    say,
    say_all,
    say_below,
    show_tables,
)

if TYPE_CHECKING:
    from proband.report.tables.table import Cell, Table
    from proband.scores.inspection import Inspection, ScoreSpread
    from proband.words import Note


def inspect(
    file: Annotated[
        str, typer.Argument(metavar="FILE[::KEY]", help="Scores, embeddings or a samples table.")
    ],
    samples: o.SamplesOption = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    missing_values: o.MissingValuesOrScores = None,
    failed: o.FailedOption = None,
    format: o.FormatOption = None,
    query_ids: o.QueryIds = None,
    target_ids: o.TargetIds = None,
    mask: o.Mask = None,
    ids: o.IdsOption = o.IdsName.samples,
    columns: o.Columns = None,
    mated_is: o.MatedIs = None,
    json: o.Json = False,
    explain: o.Explain = False,
    quiet: o.Quiet = False,
) -> None:
    """Show the format, ids, orientation and scores of a file.

    [bold]Examples[/bold]

      proband inspect scores.mtx

      proband inspect scores.npz --samples samples.csv --id-column filename

      proband inspect pairs.csv --columns a=img1,b=img2,mated=label,score=cosine
    """
    from proband.scores.inspection import AUC_OF, STATE_IT, inspect_file
    from proband.words import listed

    table = read_samples(samples, id_column, subject_column, failed, missing_values)
    with progress_bars(quiet) as progress:
        options = o.read_options(
            columns,
            mated_is,
            missing_values,
            ids,
            query_ids=query_ids,
            target_ids=target_ids,
            mask=mask,
            progress=progress,
        )
        found = inspect_file(
            file, table, options, format, id_column, subject_column, o.words_of(missing_values)
        )
    if json:
        print_json(found.to_dict())
        return
    say(f"{found.path}: {found.kind}, format {found.format}", style="bold")
    for name, value in found.facts.items():
        say(f"  {name}: {value}")
    if found.summaries:
        show_tables(_table(found))
        areas = [(one.name, one.auc_as_similarity) for one in found.summaries]
        known = tuple((name, area) for name, area in areas if area is not None)
        if known:
            say(AUC_OF(each=known))
        by_verdict: dict[Note, list[str]] = {}
        for one in found.summaries:
            by_verdict.setdefault(one.verdict, []).append(one.name)
        for verdict, names in by_verdict.items():
            say(f"{listed(names)}: {verdict}")
    needed = [note for note in found.notes if note.code == STATE_IT.code]
    say_all(needed, dim=False)
    say_below(
        [note for note in found.notes if note not in needed], explain or not found.summaries
    )  # without a table, notes are all there is to say


def _table(found: Inspection) -> Table:
    """Genuine and impostor scores of every algorithm; where these cannot be told apart, how many scores there are."""
    from proband.report.tables.cells import columns, count_cell, text_cell
    from proband.report.tables.table import Table

    if all(one.genuine is None and one.impostor is None for one in found.summaries):
        counts = ((text_cell(one.name), count_cell(one.n_scores)) for one in found.summaries)
        return Table("", columns("algorithm", "scores", text=1), tuple(counts))
    heads = columns("algorithm", "", "scores", "mean", "sd", "5%", "median", "95%", text=2)
    rows = []
    for one in found.summaries:
        for kind, spread in (("genuine", one.genuine), ("impostor", one.impostor)):
            rows.append((text_cell(one.name), text_cell(kind), *_cells(spread)))
    return Table("", heads, tuple(rows))


def _cells(spread: ScoreSpread | None) -> list[Cell]:
    from proband.report.tables.cells import count_cell, digits_cell, empty_cell

    if spread is None:
        return [empty_cell()] * 6
    values = (spread.mean, spread.sd, spread.q05, spread.median, spread.q95)
    return [count_cell(spread.n), *(digits_cell(value, 4) for value in values)]
