"""``proband inspect``: what is this file?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from proband.cli import options as o
from proband.cli.console import output, print_json, progress_bars, read_samples
from proband.words import count, digits, fixed

if TYPE_CHECKING:
    from rich.table import Table

    from proband.scores.inspection import Inspection, ScoreSpread


def inspect(
    file: Annotated[
        str, typer.Argument(metavar="FILE[::KEY]", help="Scores, embeddings or a table of samples.")
    ],
    samples: o.SamplesOption = None,
    id_column: o.IdColumn = "id",
    subject_column: o.SubjectColumn = "subject",
    missing_values: o.MissingValues = None,
    failed: o.FailedOption = None,
    format: o.FormatOption = None,
    query_ids: o.QueryIds = None,
    target_ids: o.TargetIds = None,
    mask: o.Mask = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """What a file is: its format, shape, ids, which way its scores point, genuine and impostor scores.

    [bold]Examples[/bold]

      proband inspect scores.mtx

      proband inspect scores.npz --samples samples.csv --id-column filename
    """
    from rich.text import Text

    from proband.scores.formats import ReadOptions
    from proband.scores.inspection import inspect_file

    table = read_samples(samples, id_column, subject_column, failed, missing_values)
    with progress_bars(quiet) as progress:
        options = ReadOptions(query_ids=query_ids, target_ids=target_ids, mask=mask, progress=progress)
        found = inspect_file(
            file, table, options, format, id_column, subject_column, o.words_of(missing_values)
        )
    if json:
        print_json(found.to_dict())
        return
    console = output()
    title = Text.assemble((found.path, "bold"), f": {found.kind}, format {found.format}")
    console.print(title, soft_wrap=True)
    for name, value in found.facts.items():
        console.print(f"  {name}: {value}", markup=False, soft_wrap=True)
    if found.summaries:
        console.print(_table(found))
        for one in found.summaries:
            console.print(f"{one.name}: {one.verdict}", markup=False, soft_wrap=True)
    for note in found.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)


def _table(found: Inspection) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(
        ("algorithm", "scores", "", "n", "mean", "sd", "5%", "median", "95%", "AUC")
    ):
        table.add_column(name, justify="right" if place not in (0, 2) else "left")
    for one in found.summaries:
        auc = "" if one.auc_as_similarity is None else fixed(one.auc_as_similarity)
        table.add_row(Text(one.name), count(one.n_scores), "genuine", *_cells(one.genuine), auc)
        table.add_row("", "", "impostor", *_cells(one.impostor), "")
    return table


def _cells(spread: ScoreSpread | None) -> list[str]:
    if spread is None:
        return ["–"] * 6
    values = (spread.mean, spread.sd, spread.q05, spread.median, spread.q95)
    return [count(spread.n), *(digits(value, 4) for value in values)]
