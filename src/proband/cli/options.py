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
    """Whether a higher score means more or less similar."""

    similarity = "similarity"
    distance = "distance"


class MissingName(StrEnum):
    """How missing ids are handled."""

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
        help="Samples table: CSV, Parquet, Arrow, NPZ, … Not needed for score files that name the subjects.",
        rich_help_panel="Data",
    ),
]
Names = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="PATTERN",
        help="Read samples from the file names of a directory of images: a pattern such as "
        "'{subject}.{expression}.{number}', or a data set: jaffe, yale, orl, feret, colorferet, lfw. Default: "
        "the data set whose naming they follow.",
        rich_help_panel="Data",
    ),
]
IdColumn = Annotated[
    str, typer.Option(help="Column of the sample ids; # numbers the rows.", rich_help_panel="Reading files")
]
SubjectColumn = Annotated[str, typer.Option(help="Column of the subjects.", rich_help_panel="Reading files")]
_MISSING_VALUES = (
    "Words that mean a missing value in every column of the table, separated by commas. Default: NA, "
    "NaN and nan, except in the columns of ids and subjects. An empty cell is always missing."
)
MissingValues = Annotated[
    str | None,
    typer.Option("--missing-values", metavar="WORDS", help=_MISSING_VALUES, rich_help_panel="Reading files"),
]
MissingValuesOrScores = Annotated[
    str | None,
    typer.Option(
        "--missing-values",
        metavar="WORDS",
        help=f"{_MISSING_VALUES} With --columns, the words apply to scored pairs as well, without a default: "
        "a missing score is a failed comparison.",
        rich_help_panel="Reading files",
    ),
]
SamplingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sampling",
        metavar="LEVEL=COLUMN,…",
        help="Columns by sampling level (STRAT): scene, context, explicit, implicit, population, system, "
        "model or analysis, e.g. scene=session,context=camera. Results state which vary and which are held fixed; may be repeated.",
        rich_help_panel="Data",
    ),
]
FailedOption = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Condition for samples that failed to be acquired, e.g. 'not detected'.",
        rich_help_panel="Reading files",
    ),
]
Orientation = Annotated[
    OrientationName | None,
    typer.Option(
        help="Whether a higher score means more similar (similarity) or less similar (distance). Required unless the file states it.",
        rich_help_panel="Data",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="Format of the files. Default: detected.", rich_help_panel="Reading files"),
]
QueryIds = Annotated[
    str | None,
    typer.Option(metavar="ARRAY", help="Array of an .npz with the row ids.", rich_help_panel="Reading files"),
]
TargetIds = Annotated[
    str | None,
    typer.Option(
        metavar="ARRAY", help="Array of an .npz with the column ids.", rich_help_panel="Reading files"
    ),
]
Queries = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Samples of the rows, for a matrix without ids.",
        rich_help_panel="Reading files",
    ),
]
Targets = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Samples of the columns, for a matrix without ids.",
        rich_help_panel="Reading files",
    ),
]
Mask = Annotated[
    Path | None,
    typer.Option(help="BEE mask that marks the mated pairs.", rich_help_panel="Reading files"),
]
Missing = Annotated[
    MissingName,
    typer.Option(
        help="Ids found in one file only: an error, or left out and counted.",
        rich_help_panel="Reading files",
    ),
]


class IdsName(StrEnum):
    """Whether rows and columns are named by sample or by subject."""

    samples = "samples"
    subjects = "subjects"


IdsOption = Annotated[
    IdsName,
    typer.Option(
        "--ids",
        help="Whether rows and columns of a matrix are named by sample or by subject. By subject, a row and a "
        "column of the same name are two samples of one person.",
        rich_help_panel="Reading files",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="a=COLUMN,b=COLUMN,mated=COLUMN,score=COLUMN",
        help="Columns of a table of scored pairs (a, b, mated, score, subject_a, subject_b). Each score "
        "column is one algorithm; may be repeated.",
        rich_help_panel="Reading files",
    ),
]
MatedIs = Annotated[
    str | None,
    typer.Option(
        "--mated-is",
        metavar="VALUE",
        help="Value that means mated, if the column is neither 1/0 nor true/false.",
        rich_help_panel="Reading files",
    ),
]
CategoryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--category",
        metavar="'NAME: RULE'",
        help="Probe category: a condition on probe.x and mate.x; may be repeated.",
        rich_help_panel="Experiment",
    ),
]
CategoryGalleryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--category-gallery",
        metavar="'NAME: CONDITION'",
        help="Separate gallery for a category: the enrolled images that meet a condition; may be repeated.",
        rich_help_panel="Experiment",
    ),
]
FeretOption = Annotated[
    bool,
    typer.Option(
        "--feret",
        help="Add the FERET categories fb, fc, dup1, dup2 (columns image_set, date, camera).",
        rich_help_panel="Experiment",
    ),
]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="One category per value of a column; may be repeated.",
        rich_help_panel="Experiment",
    ),
]
OutDir = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Output directory for report.html, results.json, tables and figures.",
        rich_help_panel="Output",
    ),
]
Level = Annotated[
    float,
    typer.Option(
        "--confidence-level", "--level", help="Confidence level of the intervals.", rich_help_panel="Output"
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Random seed.", rich_help_panel="Running")]
Latex = Annotated[
    Path | None, typer.Option("--latex", help="Write the table as LaTeX.", rich_help_panel="Output")
]


def _card_name(path: Path | None) -> Path | None:
    """Refuse a name that does not tell the form, before anything is computed."""
    if path is not None and path.suffix.lower() not in CARD_FORMS:
        raise UsageError(
            f"A model card must be Markdown or YAML; got {path.name}.",
            "use a name ending in .md or .yaml.",
        )
    return path


CARD_FORMS = {".md": "markdown", ".yaml": "yaml", ".yml": "yaml"}
ModelCard = Annotated[
    Path | None,
    typer.Option(
        "--model-card",
        metavar="FILE.md",
        help="Write the results as a model card: .md, or .yaml for Hugging Face's model-index only.",
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
        help="Also print assumptions, methods and all notes.",
        rich_help_panel="Output",
    ),
    Unless("json=on"),
]
Operator = Annotated[
    str | None,
    typer.Option(
        "--operator",
        metavar="NAME",
        help="Name of the operator, for the record. Default: not stated; the login name is never used.",
        rich_help_panel="Output",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress bars.", rich_help_panel="Running")]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of threads. Default: all cores. Results do not depend on it.",
        rich_help_panel="Running",
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
                f"--metric expects one METRIC, or NAME=METRIC for each model; got {part!r} in {text!r}."
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
                    f"--sampling expects LEVEL=COLUMN, got {piece!r}.",
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
                raise UsageError(f"--columns expects role=COLUMN, got {piece!r}.", meant(role.strip(), ROLES))
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


def read_options(
    columns: list[str] | None, mated_is: str | None, missing_values: str | None, ids: IdsName, **others: Any
) -> ReadOptions:
    """What the reader of a file is told."""
    from proband.scores.formats import ReadOptions
    from proband.scores.pair_columns import PairColumns

    named = columns_of(columns)
    return ReadOptions(
        columns=None if named is None else PairColumns(**named),
        mated_is=mated_is,
        missing_values=words_of(missing_values) or () if named else (),
        ids=ids.value,
        **others,
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
            raise UsageError("--samples and --names cannot be combined.", "leave one of them out.")
        return samples
    if images is None or not images.is_dir():
        from proband.scores.reading import split_key

        if images is not None and not split_key(images)[0].exists():
            raise InputError(f"There is no file {images}.", file=Said(str(images)))
        raise UsageError(
            "No subject IDs were given.",
            "pass --samples FILE; this may be the .npz itself if it contains subjects.",
        )
    if names is None:
        return images
    from proband.samples.directories import DATA_SETS

    pattern = DATA_SETS.get(names, names)
    if "{" not in pattern:
        raise UsageError(
            f"{names!r} is neither a pattern nor a known data set ({', '.join(DATA_SETS)}).",
            nearest(names, DATA_SETS) or "write a pattern such as '{subject}.{expression}.{number}'.",
        )
    return images / pattern
