"""Options that several commands take, each said once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from proband.errors import InputError, Said, UsageError, meant, nearest
from proband.marks import Unless

if TYPE_CHECKING:
    from proband.scores.formats import ReadOptions


class OrientationName(StrEnum):
    """Which way scores point."""

    similarity = "similarity"
    distance = "distance"


class MissingName(StrEnum):
    """What to do with ids that are missing."""

    error = "error"
    drop = "drop"


class TaskName(StrEnum):
    """What is to be recognised."""

    identity = "identity"
    attribute = "attribute"


def condition(name: str, short: str, help: str) -> Any:
    """An option that takes a condition on samples."""
    return typer.Option(name, short, metavar="CONDITION", help=help, rich_help_panel="Data")


SamplesOption = Annotated[
    Path | None,
    typer.Option(
        "--samples",
        "-s",
        help="Table of samples: CSV, Parquet, Arrow, NPZ, … Files that name subjects do without.",
        rich_help_panel="Data",
    ),
]
Names = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="PATTERN",
        help="Samples by the names of a directory's pictures: '{subject}.{expression}.{number}', or a data set: jaffe, yale, orl, feret, "
        "colorferet, lfw. Default: the data set whose names they have.",
        rich_help_panel="Data",
    ),
]
IdColumn = Annotated[
    str, typer.Option(help="Column of the sample id; # numbers the rows.", rich_help_panel="Reading files")
]
SubjectColumn = Annotated[str, typer.Option(help="Column of the subject.", rich_help_panel="Reading files")]
MissingValues = Annotated[
    str | None,
    typer.Option(
        "--missing-values",
        metavar="WORDS",
        help="Words that stand for a missing value in every column of the table, separated by commas. Without it: NA, NaN and nan, "
        "but not in the columns of ids and subjects. An empty cell is always missing.",
        rich_help_panel="Reading files",
    ),
]
SamplingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sampling",
        metavar="LEVEL=COLUMN,…",
        help="Which columns are the scene, its context, explicit or implicit properties, or of the level population, system, model or "
        "analysis (STRAT), e.g. scene=session,context=camera: results say which vary and which are held fixed; may be repeated.",
        rich_help_panel="Data",
    ),
]
FailedOption = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Which samples failed to be acquired, e.g. 'not detected'.",
        rich_help_panel="Reading files",
    ),
]
Orientation = Annotated[
    OrientationName | None,
    typer.Option(
        help="Which way scores point; needed unless the file states it.",
        rich_help_panel="Data",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format", help="Format of the files, where looking is not enough.", rich_help_panel="Reading files"
    ),
]
QueryIds = Annotated[
    str | None,
    typer.Option(
        metavar="ARRAY", help="Array of an .npz that holds the row ids.", rich_help_panel="Reading files"
    ),
]
TargetIds = Annotated[
    str | None,
    typer.Option(
        metavar="ARRAY", help="Array of an .npz that holds the column ids.", rich_help_panel="Reading files"
    ),
]
Queries = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="For a matrix without ids: which samples its rows are.",
        rich_help_panel="Reading files",
    ),
]
Targets = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="For a matrix without ids: which samples its columns are.",
        rich_help_panel="Reading files",
    ),
]
Mask = Annotated[
    Path | None,
    typer.Option(help="BEE mask that tells mated from other pairs.", rich_help_panel="Reading files"),
]
Missing = Annotated[
    MissingName,
    typer.Option(
        help="Ids that are in one file and not in the other: an error, or left out and counted.",
        rich_help_panel="Reading files",
    ),
]


class IdsName(StrEnum):
    """What names rows and columns."""

    samples = "samples"
    subjects = "subjects"


IdsOption = Annotated[
    IdsName,
    typer.Option(
        "--ids",
        help="What names the rows and columns of a matrix: samples; or subjects, where a row and a column of one name are two samples of one "
        "person.",
        rich_help_panel="Reading files",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="a=COLUMN,b=COLUMN,mated=COLUMN,score=COLUMN",
        help="For a table of scored pairs: which column is what (a, b, mated, score, subject_a, subject_b). Several scores are several "
        "algorithms; may be repeated.",
        rich_help_panel="Reading files",
    ),
]
MatedIs = Annotated[
    str | None,
    typer.Option(
        "--mated-is",
        metavar="VALUE",
        help="The value that means mated, where the column holds neither 1 and 0 nor true and false.",
        rich_help_panel="Reading files",
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
CategoryGalleryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--category-gallery",
        metavar="'NAME: CONDITION'",
        help="A category's own gallery: the enrolled images that meet a condition; may be repeated.",
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
        help="Write report.html, results.json, tables and figures there.",
        rich_help_panel="Output",
    ),
]
Level = Annotated[
    float,
    typer.Option(
        "--confidence-level", "--level", help="Confidence level of the intervals.", rich_help_panel="Output"
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of replicates.", rich_help_panel="Running")]
Latex = Annotated[
    Path | None, typer.Option("--latex", help="Write the table as LaTeX.", rich_help_panel="Output")
]


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
Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Tell everything beneath the tables: assumptions, methods, all notes.",
        rich_help_panel="Output",
    ),
    Unless("json=on"),
]
Operator = Annotated[
    str | None,
    typer.Option(
        "--operator",
        metavar="NAME",
        help="Who does it, for the record. Default: not stated; the login name is never taken.",
        rich_help_panel="Output",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars.", rich_help_panel="Running")]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1, help="Threads; by default all cores. Results do not depend on it.", rich_help_panel="Running"
    ),
]


def metrics_of(text: str | None) -> str | dict[str, str] | None:
    """A metric for all embeddings, or one for each model, of ``NAME=METRIC`` with commas between."""
    if text is None or "=" not in text:
        return text
    found: dict[str, str] = {}
    for part in text.split(","):
        name, mark, metric = (word.strip() for word in part.rpartition("="))
        if not mark or not name:
            raise UsageError(
                f"--metric takes one METRIC, or NAME=METRIC for each model; got {part!r} in {text!r}."
            )
        if name in found:
            raise UsageError(f"--metric names {name!r} twice.", "name it once.")
        found[name] = metric
    return found


def words_of(text: str | None) -> tuple[str, ...] | None:
    """Words separated by commas; none at all for an empty text."""
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


def sampling_of(texts: list[str] | None) -> dict[str, tuple[str, ...]] | None:
    """Columns by sampling level, of ``LEVEL=COLUMN,COLUMN`` with commas between."""
    from proband.study.requests.data import SamplingLevels

    if not texts:
        return None
    levels: dict[str, tuple[str, ...]] = {}
    for text in texts:
        level = None
        for piece in text.split(","):
            name, mark, column = piece.rpartition("=")
            level = name.strip() if mark else level
            if level not in SamplingLevels.model_fields:
                raise UsageError(
                    f"--sampling takes LEVEL=COLUMN, got {piece!r}.",
                    meant(level or piece.strip(), SamplingLevels.model_fields),
                )
            levels[level] = (*levels.get(level, ()), column.strip())
    return levels


def columns_of(texts: list[str] | None) -> dict[str, Any] | None:
    """Columns as a request names them, of ``role=COLUMN`` with commas between; a comma within a name stays."""
    from proband.scores.pair_columns import ROLES

    if not texts:
        return None
    parts: list[tuple[str, str]] = []
    for text in texts:
        for piece in text.split(","):
            role, mark, name = piece.partition("=")
            if mark and role.strip() in ROLES:
                parts.append((role.strip(), name.strip()))
            elif parts and piece is not text and not mark:
                parts[-1] = (parts[-1][0], f"{parts[-1][1]},{piece}")
            else:
                raise UsageError(f"--columns takes role=COLUMN, got {piece!r}.", meant(role.strip(), ROLES))
    found: dict[str, Any] = {}
    for role, name in parts:
        if role == "score":
            found["score"] = (*found.get("score", ()), name)
        elif role in found:
            raise UsageError(
                f"--columns names {role!r} twice: {found[role]!r} and {name!r}.", "name it once."
            )
        else:
            found[role] = name
    return found


def read_options(columns: list[str] | None, mated_is: str | None, ids: IdsName, **others: Any) -> ReadOptions:
    """What the reader of a file is told."""
    from proband.scores.formats import ReadOptions
    from proband.scores.pair_columns import PairColumns

    named = columns_of(columns)
    return ReadOptions(
        columns=None if named is None else PairColumns(**named), mated_is=mated_is, ids=ids.value, **others
    )


def orientation_of(name: OrientationName | None) -> Literal["similarity", "distance"] | None:
    """The orientation as the library takes it."""
    if name is None:
        return None
    return "similarity" if name is OrientationName.similarity else "distance"


def named_samples(samples: Path | None, images: Path | None, names: str | None) -> Path:
    """The table of samples: one that was named, or the directory of pictures with the pattern of its names."""
    if samples is not None:
        if names is not None:
            raise UsageError(
                "--samples is a table, and --names reads the names of files.", "leave one of them out."
            )
        return samples
    if images is None or not images.is_dir():
        from proband.scores.reading import split_key

        if images is not None and not split_key(images)[0].exists():
            raise InputError(f"There is no file {images}.", file=Said(str(images)))
        raise UsageError(
            "Whose the samples are is not known.",
            "give a table: --samples FILE, or the .npz itself if it has subjects.",
        )
    if names is None:
        return images
    from proband.samples.directories import DATA_SETS

    pattern = DATA_SETS.get(names, names)
    if "{" not in pattern:
        raise UsageError(
            f"{names!r} is neither a pattern nor a data set known here ({', '.join(DATA_SETS)}).",
            nearest(names, DATA_SETS)
            or "write what the parts of a name are, such as '{subject}.{expression}.{number}'.",
        )
    return images / pattern
