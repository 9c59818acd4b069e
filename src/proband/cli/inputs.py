"""What most commands take: scores and the samples they are of, an experiment over them, and how to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proband.cli import options as o
from proband.cli.console import choice_of, read_samples

if TYPE_CHECKING:
    from proband.engine import Progress
    from proband.samples import Experiment, Samples
    from proband.scores import Scores
    from proband.scores.trials import Trials
    from proband.study.sources import ScoreReader


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
    id_column: o.IdColumn = "id"
    subject_column: o.SubjectColumn = "subject"
    missing_values: o.MissingValues = None
    failed: o.FailedOption = None
    orientation: o.Orientation = None
    embeddings: Annotated[
        list[str] | None,
        typer.Option(
            "--embeddings",
            "-e",
            metavar="[NAME=]FILE[::KEY]",
            help="Embeddings (.npy, .npz) to compare by --metric; may be repeated.",
            rich_help_panel="Scores",
        ),
    ] = None
    metric: Annotated[
        o.MetricName, typer.Option(help="How embeddings are compared.", rich_help_panel="Scores")
    ] = o.MetricName.cosine
    format: o.FormatOption = None
    query_ids: o.QueryIds = None
    target_ids: o.TargetIds = None
    queries: o.Queries = None
    targets: o.Targets = None
    mask: o.Mask = None
    missing: o.Missing = o.MissingName.error
    orientation_check: Annotated[
        bool,
        typer.Option(
            "--orientation-check/--no-orientation-check",
            help="Refuse scores that look reversed.",
            rich_help_panel="Scores",
        ),
    ] = True

    def read(self, progress: Progress) -> tuple[list[Scores], Samples]:
        """Read every file; without a samples table, take the first file's own subjects."""
        from proband.errors import UsageError
        from proband.scores.reading import split_name
        from proband.study.sources import require_samples

        if not self.scores and not self.embeddings:
            raise UsageError("There are no scores.", "name score files, or embeddings with -e; see --help.")
        table = self._table()
        found: list[Scores] = []
        reader = self._reader(progress)
        for text in self.scores or []:
            name, reference = split_name(text)
            matrices, table = reader.matrices(reference, table, name)
            found += matrices
        for text in self.embeddings or []:
            found += self._models(text, table)
        return found, require_samples(table)

    def lists(self, progress: Progress) -> list[Trials]:
        """Lists of comparisons that make no matrix; empty if any file makes one."""
        from proband.scores.reading import split_name

        if self.embeddings or not self.scores:
            return []
        found: list[Trials] = []
        table = self._table()
        reader = self._reader(progress)
        for text in self.scores:
            name, reference = split_name(text)
            trials = reader.list_of_pairs(reference, table, name)
            if trials is None:
                return []
            found.append(trials)
        return found

    def score_files(self) -> list[Path]:
        """Every file of scores and of embeddings, each once."""
        from proband.scores.reading import split_key, split_name

        named = (split_name(text)[1] for text in (*(self.scores or ()), *(self.embeddings or ())))
        return list(dict.fromkeys(split_key(reference)[0] for reference in named))

    def _table(self) -> Samples | None:
        return read_samples(
            self.samples, self.id_column, self.subject_column, self.failed, self.missing_values
        )

    def _reader(self, progress: Progress) -> ScoreReader:
        from proband.scores.formats import ReadOptions
        from proband.study.sources import ScoreReader

        return ScoreReader(
            o.orientation_of(self.orientation),
            self.missing.value,
            self.queries,
            self.targets,
            self.format,
            ReadOptions(None, self.query_ids, self.target_ids, self.mask, progress),
        )

    def _models(self, text: str, table: Samples | None) -> list[Scores]:
        from proband.scores.reading import read_embeddings, split_name
        from proband.study.sources import renamed

        name, path = split_name(text)
        models = read_embeddings(path, table, metric=self.metric.value, missing=self.missing.value)
        return list(renamed(list(models.values()), name, path))


@dataclass(frozen=True)
class ExperimentInputs:
    """Who is enrolled, who is searched for, and how ranks are counted."""

    gallery: Annotated[
        str | None,
        o.condition(
            "--gallery",
            "-g",
            "Who is enrolled: a condition, all, one_per_subject or @FILE of ids. Default: every target.",
        ),
    ] = None
    one_per_subject: Annotated[
        bool,
        typer.Option(
            "--one-per-subject",
            help="Enrol only the first sample of each subject that meets --gallery.",
            rich_help_panel="Experiment",
        ),
    ] = False
    probes: Annotated[
        str | None,
        o.condition(
            "--probes",
            "-p",
            "Who is searched for, in the same forms. Default: every query that is not in the gallery.",
        ),
    ] = None
    ties: Annotated[
        o.TiesName, typer.Option(help="How tied scores are ordered.", rich_help_panel="Experiment")
    ] = o.TiesName.pessimistic
    count: Annotated[o.CountName, typer.Option(help="What a rank counts.", rich_help_panel="Experiment")] = (
        o.CountName.images
    )
    on_failure: Annotated[
        o.FailureName,
        typer.Option(
            help="Failures to acquire count as misses, or their scores are taken at their word.",
            rich_help_panel="Experiment",
        ),
    ] = o.FailureName.miss

    def over(self, found: list[Scores], table: Samples, missing: o.MissingName) -> Experiment:
        """The experiment that these scores allow."""
        from proband.scores import experiment_over

        chosen = choice_of(self.gallery, self.one_per_subject)
        return experiment_over(found, table, chosen, self.probes, missing.value)

    def ranking(self) -> dict[str, Any]:
        """How ranks are made, as `rank` takes it."""
        return {
            "ties": self.ties.value,
            "counting": self.count.value,
            "on_failure": "as_scored" if self.on_failure is o.FailureName.as_scored else "miss",
        }


@dataclass(frozen=True)
class RunInputs:
    """How to run, and how to answer."""

    json: o.Json = False
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
    from proband.errors import UsageError

    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise UsageError(f"{option} takes numbers separated by commas, got {text!r}.") from None
