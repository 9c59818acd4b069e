"""Options that several commands take, each said once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from proband.errors import UsageError


class OrientationName(StrEnum):
    """Which way scores point."""

    similarity = "similarity"
    distance = "distance"


class MissingName(StrEnum):
    """What to do with ids that are missing."""

    error = "error"
    drop = "drop"


class MetricName(StrEnum):
    """How embeddings are compared."""

    cosine = "cosine"
    inner = "inner"
    l2 = "l2"
    l1 = "l1"
    chi2 = "chi2"


class TaskName(StrEnum):
    """What is to be recognised."""

    identity = "identity"
    attribute = "attribute"


def condition(name: str, short: str, help: str) -> Any:
    """An option that takes a condition on samples."""
    return typer.Option(name, short, metavar="CONDITION", help=help, rich_help_panel="Experiment")


SamplesOption = Annotated[
    Path | None,
    typer.Option(
        "--samples",
        "-s",
        help="Table of samples: CSV, TSV, Parquet, JSON Lines, NPZ or a CSU .srt list. Files that name subjects themselves do without.",
        rich_help_panel="Samples",
    ),
]
IdColumn = Annotated[
    str, typer.Option(help="Column of the sample id; # numbers the rows.", rich_help_panel="Samples")
]
SubjectColumn = Annotated[str, typer.Option(help="Column of the subject.", rich_help_panel="Samples")]
MissingValues = Annotated[
    str | None,
    typer.Option(
        "--missing-values",
        metavar="WORDS",
        help="Words that stand for a missing value in every column of the table, separated by commas. Without it: NA, NaN and nan, "
        "but not in the columns of ids and subjects. An empty cell is always missing.",
        rich_help_panel="Samples",
    ),
]
FailedOption = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Which samples failed to be acquired, e.g. 'not detected'.",
        rich_help_panel="Samples",
    ),
]
Orientation = Annotated[
    OrientationName | None,
    typer.Option(
        help="Which way the scores point; needed unless the file states it. Never guessed.",
        rich_help_panel="Scores",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format", help="Format of the files, where looking is not enough.", rich_help_panel="Scores"
    ),
]
QueryIds = Annotated[
    str | None,
    typer.Option(metavar="ARRAY", help="Array of an .npz that holds the row ids.", rich_help_panel="Scores"),
]
TargetIds = Annotated[
    str | None,
    typer.Option(
        metavar="ARRAY", help="Array of an .npz that holds the column ids.", rich_help_panel="Scores"
    ),
]
Queries = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="For a matrix without ids: which samples its rows are.",
        rich_help_panel="Scores",
    ),
]
Targets = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="For a matrix without ids: which samples its columns are.",
        rich_help_panel="Scores",
    ),
]
Mask = Annotated[
    Path | None, typer.Option(help="BEE mask that tells mated from other pairs.", rich_help_panel="Scores")
]
Missing = Annotated[
    MissingName,
    typer.Option(
        help="Ids that are in one file and not in the other: an error, or left out and counted.",
        rich_help_panel="Scores",
    ),
]
CategoryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--category",
        metavar="'NAME: RULE'",
        help="A probe category: a condition on probe.x and mate.x; may be repeated.",
        rich_help_panel="Experiment",
    ),
]
FeretOption = Annotated[
    bool,
    typer.Option(
        "--feret",
        help="Add FERET's categories fb, fc, dup1, dup2 (columns image_set, date, camera).",
        rich_help_panel="Experiment",
    ),
]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="A category for each value of a column; may be repeated.",
        rich_help_panel="Experiment",
    ),
]
OutDir = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Write report.md, results.json, tables and figures there.",
        rich_help_panel="Output",
    ),
]
Level = Annotated[
    float, typer.Option("--level", help="Confidence level of the intervals.", rich_help_panel="Output")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of replicates.", rich_help_panel="Output")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.", rich_help_panel="Output")]


def _card_name(path: Path | None) -> Path | None:
    """Refuse a name that does not tell the form, before anything is computed."""
    if path is not None and path.suffix.lower() not in CARD_FORMS:
        raise UsageError(
            f"A model card is written as Markdown or YAML; got {path.name}.",
            "end the name with .md or .yaml.",
        )
    return path


CARD_FORMS = {".md": "markdown", ".yaml": "yaml", ".yml": "yaml"}
ModelCard = Annotated[
    Path | None,
    typer.Option(
        "--model-card",
        metavar="FILE.md",
        help="Write the numbers as a model card: .md, or .yaml for Hugging Face's model-index alone.",
        callback=_card_name,
        rich_help_panel="Output",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of a table.", rich_help_panel="Output")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars.", rich_help_panel="Output")]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1, help="Threads; by default all cores. Results do not depend on it.", rich_help_panel="Output"
    ),
]


def words_of(text: str | None) -> tuple[str, ...] | None:
    """Words separated by commas; none at all for an empty text."""
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


def orientation_of(name: OrientationName | None) -> Literal["similarity", "distance"] | None:
    """The orientation as the library takes it."""
    if name is None:
        return None
    return "similarity" if name is OrientationName.similarity else "distance"
