"""What most commands take: scores and the samples they are of, an experiment over them, and how to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any, Protocol

import typer

from proband.cli import options as o
from proband.marks import Needs

_OF_TABLE = Needs("samples")


class Reads(Protocol):
    """What a command reads."""

    def __init__(self, **typed: Any) -> None: ...

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""


@dataclass(frozen=True)
class ClassInputs:
    """Scores of classes, and the table of samples."""

    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="Scores of classes (.npz, .npy), and a table of samples (.csv, .tsv, .parquet, .jsonl).",
            show_default=False,
        ),
    ] = None

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        from proband.errors import UsageError

        scores = [one for one in self.files or () if PurePath(one).suffix.lower() in (".npz", ".npy")]
        tables = [one for one in self.files or () if one not in scores]
        if len(tables) > 1:
            raise UsageError(
                f"One table holds the samples, got {' and '.join(tables)}.",
                "join them, or name files of predictions with --predictions; scores are .npz or .npy.",
            )
        read = {"table": tables[0] if tables else None, "scores": scores}
        return {"classification": {name: value for name, value in read.items() if value}}


@dataclass(frozen=True)
class OutcomeInputs:
    """The table of outcomes."""

    files: Annotated[list[str] | None, typer.Argument(metavar="FILE")] = None

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        return _of_table("outcomes", "Outcomes are", self.files)


@dataclass(frozen=True)
class SurveyInputs:
    """The table of a survey."""

    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE", help="Table with a row for each observation.", show_default=False),
    ] = None

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        return _of_table("survey", "A survey is", self.files)


@dataclass(frozen=True)
class DatasetInputs:
    """The table of data sets."""

    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TABLE",
            help="Accuracies, a row for each data set and a column for each algorithm (.csv, .tsv, .parquet, …); or outcomes, a row for each.",
            show_default=False,
        ),
    ] = None

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        return _of_table("datasets", "Data sets are", self.files)


def _of_table(section: str, what: str, files: list[str] | None) -> dict[str, Any]:
    """The one table of a section; none where it is named by its option, or missing."""
    from proband.errors import UsageError

    if files and len(files) > 1:
        raise UsageError(f"{what} in one table, got {' and '.join(files)}.", "join them.")
    return {section: {"table": files[0]} if files else {}}


@dataclass(frozen=True)
class ScoreInputs:
    """Score files and embeddings, and the samples they are of."""

    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=]FILE[::KEY]...",
            help="Score files, one or more algorithms each.",
            show_default=False,
        ),
    ] = None
    samples: o.SamplesOption = None
    id_column: Annotated[o.IdColumn, _OF_TABLE] = "id"
    subject_column: Annotated[o.SubjectColumn, _OF_TABLE] = "subject"
    missing_values: Annotated[o.MissingValues, _OF_TABLE] = None
    failed: o.FailedOption = None
    orientation: o.Orientation = None
    embeddings: Annotated[
        list[str] | None,
        typer.Option(
            "--embeddings",
            "-e",
            metavar="[NAME=]FILE[::KEY]",
            help="Embeddings (.npy, .npz, .safetensors, .parquet, .arrow); may be repeated.",
            rich_help_panel="Data",
        ),
    ] = None
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC|NAME=METRIC,…",
            help="How embeddings are compared: cosine, inner, l2, l1 or chi2; of all models, or of each by its name. Needed unless the "
            "file states it.",
            rich_help_panel="Data",
        ),
    ] = None
    format: o.FormatOption = None
    query_ids: o.QueryIds = None
    target_ids: o.TargetIds = None
    queries: o.Queries = None
    targets: o.Targets = None
    mask: o.Mask = None
    ids: o.IdsOption = o.IdsName.samples
    columns: o.Columns = None
    mated_is: o.MatedIs = None
    missing: o.Missing = o.MissingName.error
    orientation_check: Annotated[
        bool,
        typer.Option(
            "--orientation-check/--no-orientation-check",
            help="Refuse scores that look reversed.",
            rich_help_panel="Reading files",
        ),
    ] = True

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        from proband.errors import UsageError
        from proband.scores.reading import split_key, split_name

        if not self.scores and not self.embeddings:
            raise UsageError("There are no scores.", "name score files, or embeddings with -e; see --help.")
        if self.embeddings is None and self.metric is not None:
            raise UsageError("--metric is about embeddings, and there are none.", "give them with -e.")
        if self.samples is None and self.failed is not None:
            raise UsageError("--failed is a condition on the samples table, so it needs --samples.")
        read = {
            "orientation": o.orientation_of(self.orientation),
            "format": self.format,
            "query_ids": self.query_ids,
            "target_ids": self.target_ids,
            "queries": self.queries,
            "targets": self.targets,
            "mask": None if self.mask is None else str(self.mask),
            "ids": None if self.ids is o.IdsName.samples else self.ids.value,
            "columns": o.columns_of(self.columns),
            "mated_is": self.mated_is,
        }
        of_scores = next((name for name, value in read.items() if value is not None), None)
        if of_scores is not None and not self.scores:
            raise UsageError(
                f"--{of_scores.replace('_', '-')} is about files of scores, and there are none.",
                "leave it out.",
            )
        shared = {"missing": self.missing.value, "orientation_check": self.orientation_check}
        found: dict[str, Any] = {"scores": [], "embeddings": []}
        for kind, texts, own in (
            ("scores", self.scores, read),
            ("embeddings", self.embeddings, {"metric": o.metrics_of(self.metric)}),
        ):
            for text in texts or ():
                name, reference = split_name(text)
                path, key = split_key(reference)
                named = {"file": str(path), "name": name, "key": key}
                said = {key: value for key, value in {**named, **own}.items() if value is not None}
                found[kind].append({**said, **shared})
        if self.samples is not None:
            table = {
                "file": str(self.samples),
                "id": self.id_column,
                "subject": self.subject_column,
                "failed": self.failed,
                "missing_values": o.words_of(self.missing_values),
            }
            found["samples"] = {key: value for key, value in table.items() if value is not None}
        return {kind: value for kind, value in found.items() if value}


@dataclass(frozen=True)
class CovariateInputs(ScoreInputs):
    """Scores, or with ``--outcomes`` a table of outcomes."""

    outcomes: Annotated[
        bool,
        typer.Option(
            "--outcomes",
            help="The file is a table of outcomes, a row for each trial, and not of scores.",
            rich_help_panel="Outcomes",
        ),
    ] = False

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        if not self.outcomes:
            return super().sources()
        named = OutcomeInputs(self.scores).sources()
        return {"covariates": named["outcomes"]}


@dataclass(frozen=True)
class RunInputs:
    """How to run, and how to answer."""

    json: o.Json = False
    explain: o.Explain = False
    threads: o.Threads = None
    quiet: o.Quiet = False


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    from proband.errors import UsageError

    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"{option} takes whole numbers separated by commas, got {text!r}.") from None


def numbers(text: str, option: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    from proband.engine.kinds import number_in
    from proband.errors import UsageError

    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        shares = [word for word in text.split(",") if word.strip().endswith("%")]
        hint = number_in(shares[0]) if shares else None
        raise UsageError(f"{option} takes numbers separated by commas, got {text!r}.", hint) from None
