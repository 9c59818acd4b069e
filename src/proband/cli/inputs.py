"""Inputs of most commands: scores and their samples, an experiment, and how to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from proband.cli import options as o
from proband.marks import Needs

OWN_SECTION = "section"
"""The part of a request's sources that belongs to the analysis itself."""
_OF_TABLE = Needs("samples")


@dataclass(frozen=True)
class ScoreInputs:
    """Score files and embeddings, and their samples."""

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
    missing_values: Annotated[o.MissingValuesOrScores, Needs("samples", "columns")] = None
    failed: o.FailedOption = None
    sampling: Annotated[o.SamplingOption, _OF_TABLE] = None
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
            help="How embeddings are compared: cosine, inner, l2, l1 or chi2; for all models, or for each "
            "model by name. Required unless the file states it.",
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
    check_orientation: Annotated[
        bool,
        typer.Option(
            "--check-orientation/--no-check-orientation",
            help="Reject scores whose orientation looks reversed.",
            rich_help_panel="Reading files",
        ),
    ] = True

    def refuse_sampling(self, what: str) -> None:
        """Refuse sampling levels where nothing would speak of them."""
        from proband.errors import UsageError

        if self.sampling is not None:
            raise UsageError(f"--sampling has no effect on {what}.", "leave it out.")

    def sources(self) -> dict[str, Any]:
        """What is read, as a request says it."""
        from proband.errors import UsageError
        from proband.scores.reading import split_key, split_name

        if not self.scores and not self.embeddings:
            raise UsageError("No scores were given.", "pass score files, or embeddings with -e; see --help.")
        if self.embeddings is None and self.metric is not None:
            raise UsageError(
                "--metric applies to embeddings, but none were given.", "pass embeddings with -e."
            )
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
            "missing_values": o.words_of(self.missing_values) if self.columns else None,
        }
        of_scores = next((name for name, value in read.items() if value is not None), None)
        if of_scores is not None and not self.scores:
            raise UsageError(
                f"--{of_scores.replace('_', '-')} applies to score files, but none were given.",
                "leave it out.",
            )
        shared = {"missing": self.missing.value, "check_orientation": self.check_orientation}
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
                "id_column": self.id_column,
                "subject_column": self.subject_column,
                "failed": self.failed,
                "missing_values": o.words_of(self.missing_values),
                "sampling": o.sampling_of(self.sampling),
            }
            found["samples"] = {key: value for key, value in table.items() if value is not None}
        return {kind: value for kind, value in found.items() if value}


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
        raise UsageError(f"{option} expects whole numbers separated by commas, got {text!r}.") from None


def numbers(text: str, option: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    from proband.engine.kinds import number_in
    from proband.errors import UsageError

    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        shares = [word for word in text.split(",") if word.strip().endswith("%")]
        hint = number_in(shares[0]) if shares else None
        raise UsageError(f"{option} expects numbers separated by commas, got {text!r}.", hint) from None
