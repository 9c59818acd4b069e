"""The sections of a study file: what each may say, of what type and within what limits.

Each field is a key of the section. Names and defaults are those of the command line's options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from proband.inference.feret_pairs import Improvement, Version
from proband.scores.base import MissingPolicy, Orientation
from proband.scores.embeddings import Metric

if TYPE_CHECKING:
    from proband.samples import Category, Experiment


@dataclass(frozen=True)
class Limits:
    """Between what a number must lie: `least` and `most` are allowed themselves, `above` and `below` are not."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def allow(self, value: float) -> bool:
        """Whether a number lies within."""
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        named = (
            ("of at least", self.least),
            ("of at most", self.most),
            ("above", self.above),
            ("below", self.below),
        )
        return " and ".join(f"{word} {value:g}" for word, value in named if value is not None)


@dataclass(frozen=True)
class Place:
    """That a text names something that must be there: a file, or a file or directory; or may (``@FILE``) name one."""

    kind: Literal["file", "file or directory", "condition"]


File = Annotated[str, Place("file")]
FileOrDirectory = Annotated[str, Place("file or directory")]
Condition = Annotated[str, Place("condition")]
Positive = Annotated[int, Limits(least=1)]
Share = Annotated[float, Limits(above=0, below=1)]


@dataclass(frozen=True)
class SamplesTable:
    """The table of samples."""

    file: File
    id: str = "id"
    subject: str = "subject"
    failed: str | None = None
    missing_values: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ScoreSource:
    """A file of scores: a matrix for each algorithm, or a list of compared pairs.

    `key` names some of an archive's matrices; empty for all.
    """

    file: FileOrDirectory
    key: tuple[str, ...] = ()
    name: str | None = None
    orientation: Orientation | None = None
    format: str | None = None
    query_ids: str | None = None
    target_ids: str | None = None
    queries: Condition | None = None
    targets: Condition | None = None
    mask: File | None = None
    missing: MissingPolicy = "error"
    orientation_check: bool = True


@dataclass(frozen=True)
class EmbeddingSource:
    """A file of embeddings: vectors of each model, compared by `metric`."""

    file: File
    key: tuple[str, ...] = ()
    name: str | None = None
    metric: Metric = "cosine"
    ids: str | None = None
    missing: MissingPolicy = "error"
    orientation_check: bool = True


@dataclass(frozen=True)
class ImageSource:
    """Pictures, and the recognisers that score them."""

    file: FileOrDirectory
    algorithms: tuple[str, ...] = ()
    models: tuple[File, ...] = ()
    train: Condition | None = None
    queries: Condition | None = None
    targets: Condition | None = None
    file_column: str = "file"
    detect: Literal["opencv", "dlib"] | None = None
    as_they_are: bool = False


@dataclass(frozen=True)
class ExperimentDesign:
    """Who is enrolled, who is searched for, and how ranks are counted."""

    gallery: Condition | None = None
    one_per_subject: bool = False
    probes: Condition | None = None
    ties: Literal["pessimistic", "optimistic", "mean"] = "pessimistic"
    count: Literal["images", "subjects"] = "images"
    on_failure: Literal["miss", "as-scored"] = "miss"


@dataclass(frozen=True)
class CategoryEntry:
    """Probe categories: one by name and rule, one for each value of the column `by`, or FERET's four."""

    name: str | None = None
    rule: str | None = None
    mates: Literal["all", "any"] = "all"
    by: str | None = None
    feret: bool = False
    image_set: str = "image_set"
    date: str = "date"
    camera: str = "camera"
    long_after: str | None = None

    def categories(self, experiment: Experiment) -> tuple[Category, ...]:
        """The categories this entry means over an experiment."""
        from proband.inference.feret_study import probe_groups
        from proband.samples import Category, feret_categories
        from proband.samples.categories import LONG_AFTER

        if self.feret:
            return feret_categories(self.image_set, self.date, self.camera, self.long_after or LONG_AFTER)
        if self.by is not None:
            return probe_groups(experiment, self.by)
        assert self.name is not None  # one of the three, as reading made sure
        assert self.rule is not None
        return (Category(self.name, self.rule, self.mates),)


@dataclass(frozen=True)
class Identification:
    """Recognition rates and cumulative match curves."""

    ranks: tuple[Positive, ...] = (1, 5, 10)


@dataclass(frozen=True)
class ComparisonRequest:
    """One measure by which algorithms are compared; without any it is the rate at rank 1."""

    rank: Positive | None = None
    median_rank: Annotated[int, Limits(least=2)] | None = None
    fnmr_at: Share | None = None
    auc: bool = False
    margin: Annotated[float, Limits(above=0)] | None = None
    test: Literal["auto", "sign-flip", "obuchowski", "durkalski", "mcnemar", "bootstrap"] = "auto"
    by_category: bool = False

    @property
    def is_verification(self) -> bool:
        """Whether pairs are compared, and not ranks."""
        return self.auc or self.fnmr_at is not None


@dataclass(frozen=True)
class VerificationRequest:
    """Error rates at operating points; by groups; and whose errors they are."""

    gallery: Condition | None = None
    probes: Condition | None = None
    fmr: tuple[Share, ...] = (0.01, 0.001, 0.0001)
    thresholds: tuple[float, ...] = ()
    replicates: Annotated[int, Limits(least=0)] = 1_000
    by: tuple[str, ...] = ()
    zoo: bool = False


@dataclass(frozen=True)
class SearchRequest:
    """Open-set identification."""

    gallery: Condition | None = None
    probes: Condition | None = None
    fusion: Literal["max", "mean"] = "max"
    fpir: tuple[Share, ...] = (0.1, 0.01, 0.001)
    ranks: tuple[Positive, ...] = (1, 20)


@dataclass(frozen=True)
class ChoicesRequest:
    """Other choices of images of the same people."""

    groups: tuple[str, ...] = ()
    pairs: Literal["between", "within"] | None = None
    where: Condition | None = None
    trials: Positive = 10_000
    balanced: bool = True
    max_rank: Positive | None = None


@dataclass(frozen=True)
class StratRequest:
    """Stratified evaluation by balanced repeated replication."""

    images: Annotated[int, Limits(least=3)] | None = None
    order_by: str | None = None
    design: Literal["brr", "fay", "jackknife", "rao-wu"] = "brr"
    rank: Positive = 1


@dataclass(frozen=True)
class FeretRequest:
    """A FERET evaluation."""

    galleries: Annotated[int, Limits(least=2)] | None = None
    order: tuple[str, ...] = ()
    ages: str | None = None
    sizes: tuple[Positive, ...] = ()
    reject: Annotated[float, Limits(least=0, below=1)] | None = None
    fpir: tuple[Share, ...] = (0.01, 0.1)
    versions: tuple[Version, ...] = ()
    improvements: tuple[Improvement, ...] = ()
    ranks: tuple[Positive, ...] = (1, 5, 10)


@dataclass(frozen=True)
class Output:
    """Where results go, and how they are computed and written."""

    directory: str | None = None
    level: Share = 0.95
    seed: Annotated[int, Limits(least=0)] = 0
    pseudonyms: bool = False
    formats: tuple[Literal["csv", "parquet", "png", "svg", "pdf"], ...] = (
        "csv",
        "parquet",
        "png",
        "svg",
        "pdf",
    )
