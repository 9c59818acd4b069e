"""What is read, and who is compared with whom."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, PlainValidator, model_validator

from proband.errors import meant
from proband.marks import Needs, Unless
from proband.study.refusals import shown
from proband.study.requests.base import (
    Condition,
    File,
    FileOrDirectory,
    Missing,
    Names,
    Option,
    Orientation,
    Part,
    Several,
    Text,
    Ties,
    refuse,
)

ONNX = "onnx:"
"""Prefix of a model file that is named as a recogniser."""
Metric = Literal["cosine", "inner", "l2", "l1", "chi2"]
_METRICS_ELSEWHERE = {
    "euclidean": "l2",
    "manhattan": "l1",
    "cityblock": "l1",
    "city-block": "l1",
    "dot": "inner",
    "chi-square": "chi2",
    "angle": "cosine",
}


def _columns_of(meaning: str) -> Any:
    return Field(description=f"Columns: {meaning}.")


class SamplingLevels(Part):
    """Columns of the table by sampling level (STRAT): results say which of them vary and which are held fixed."""

    scene: Annotated[
        Several[Text], _columns_of("the scene: a bounded space and time, such as the session")
    ] = ()
    context: Annotated[Several[Text], _columns_of("the context: constraints on scenes")] = ()
    explicit: Annotated[
        Several[Text], _columns_of("explicit properties, controlled by the experimenter")
    ] = ()
    implicit: Annotated[Several[Text], _columns_of("implicit properties, not controlled")] = ()
    population: Annotated[Several[Text], _columns_of("other properties of people and images")] = ()
    system: Annotated[Several[Text], _columns_of("parameters of the algorithm or the sensor")] = ()
    model: Annotated[Several[Text], _columns_of("training data and knowledge of an algorithm")] = ()
    analysis: Annotated[Several[Text], _columns_of("choices of the analysis, such as strata")] = ()

    @property
    def declared(self) -> dict[str, tuple[str, ...]]:
        """The levels that have columns, as `Samples` takes them."""
        return {level: columns for level in type(self).model_fields if (columns := getattr(self, level))}


class SamplesTable(Part):
    """The table of samples."""

    file: Annotated[
        File,
        Field(
            description="CSV, TSV, Parquet, Arrow, JSON Lines, NPZ, a CSU .srt list; or a directory of images "
            "with a pattern of file names, such as jaffe or jaffe/{subject}.{expression}.{number}."
        ),
    ]
    id_column: Annotated[Text, Field(description="Column of the sample ids; # numbers the rows.")] = "id"
    subject_column: Annotated[Text, Field(description="Column of the subjects.")] = "subject"
    failed: Annotated[
        Text | None,
        Field(description="Condition for samples that failed to be acquired, e.g. 'not detected'."),
    ] = None
    missing_values: Annotated[
        Several[Text] | None,
        Field(
            description="Words that mean a missing value in every column of the table. Default: NA, NaN and "
            "nan, except in the columns of ids and subjects. An empty cell is always missing."
        ),
    ] = None
    sampling: Annotated[
        SamplingLevels,
        Field(
            description="Columns by sampling level (STRAT): scene, context, explicit and implicit properties, or another level."
        ),
    ] = SamplingLevels()


class _Source(Part):
    """A file of algorithms."""

    key: Annotated[Several[Text], Field(description="Arrays of an archive to read. Default: all.")] = ()
    name: Annotated[Text | None, Field(description="Name of the algorithm.")] = None
    missing: Annotated[
        Missing,
        Field(description="Ids found in one file only: an error, or left out and counted."),
    ] = "error"
    check_orientation: Annotated[
        bool, Field(description="Reject scores whose orientation looks reversed.")
    ] = True

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if self.name is not None and len(self.key) > 1:
            raise refuse(
                f"{len(self.key)} algorithms cannot share one name",
                "leave name out, or specify one key.",
                "name",
            )
        return self


class PairColumnNames(Part):
    """Which columns of a table of scored pairs are what."""

    a: Annotated[Text | None, Field(description="First sample of a pair.")] = None
    b: Annotated[Text | None, Field(description="Second sample of a pair.")] = None
    mated: Annotated[Text | None, Field(description="Whether both are of the same person.")] = None
    score: Annotated[Several[Text], Field(description="Scores, one column per algorithm.")] = ()
    subject_a: Annotated[Text | None, Field(description="Subject of the first sample.")] = None
    subject_b: Annotated[Text | None, Field(description="Subject of the second sample.")] = None

    @model_validator(mode="after")
    def _scored(self) -> Self:
        if not self.score:
            raise refuse("no score column was specified", 'add score = "…"', "score")
        return self


class ScoreSource(_Source):
    """A file of scores: a matrix for each algorithm, or a list of compared pairs."""

    file: Annotated[FileOrDirectory, Field(description="Score file, or a directory or pattern of its parts.")]
    orientation: Annotated[
        Orientation | None,
        Field(
            description="Whether a higher score means more similar (similarity) or less similar (distance). "
            "Required unless the file states it; Proband does not guess it."
        ),
    ] = None
    format: Annotated[Text | None, Field(description="Format of the file. Default: detected.")] = None
    query_ids: Annotated[
        Text | None, Field(description="Array of an .npz with the row ids."), Option(metavar="ARRAY")
    ] = None
    target_ids: Annotated[
        Text | None, Field(description="Array of an .npz with the column ids."), Option(metavar="ARRAY")
    ] = None
    queries: Annotated[
        Condition | None, Field(description="Samples of the rows, for a matrix without ids.")
    ] = None
    targets: Annotated[
        Condition | None, Field(description="Samples of the columns, for a matrix without ids.")
    ] = None
    mask: Annotated[File | None, Field(description="BEE mask that marks the mated pairs.")] = None
    ids: Annotated[
        Literal["samples", "subjects"],
        Field(
            description="Whether rows and columns of a matrix are named by sample or by subject. By subject, "
            "a row and a column of the same name are two samples of one person."
        ),
    ] = "samples"
    columns: Annotated[
        PairColumnNames | None,
        Field(
            description="Columns of a table of scored pairs (a, b, mated, score, subject_a, subject_b). Each score column is one algorithm."
        ),
    ] = None
    mated_is: Annotated[
        Text | None,
        Field(description="Value that means mated, if the column is neither 1/0 nor true/false."),
        Needs("columns"),
    ] = None
    missing_values: Annotated[
        Several[Text] | None,
        Field(
            description="Words that mean a missing value in these columns: a score that is missing is a failed "
            "comparison, as is an empty cell."
        ),
        Needs("columns"),
    ] = None

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        if self.columns is not None and self.ids == "subjects":
            raise refuse(
                "it applies to a matrix, but columns describe a list of pairs",
                "specify the columns subject_a and subject_b instead.",
                "ids",
            )
        for choice, ids in (("queries", "query_ids"), ("targets", "target_ids")):
            if getattr(self, choice) is not None and getattr(self, ids) is not None:
                raise refuse(
                    f"{choice!r} is for a matrix without ids, but {ids!r} specifies the ids",
                    "leave one of them out.",
                    choice,
                )
        return self


def _metrics(said: Any) -> Any:
    """A metric, or one for each of several models."""
    if said is None:
        return None
    if not isinstance(said, str | dict) or said == {}:
        raise refuse(
            f"expected a metric, or one metric per model name, got {shown(said)}",
            'write metric = "cosine", or metric = { NAME = "l2" }',
        )
    for name, metric in said.items() if isinstance(said, dict) else ((None, said),):
        if not isinstance(metric, str) or metric not in get_args(Metric):
            whose = "" if name is None else f" for {name!r}"
            raise refuse(
                f"expected {' or '.join(map(repr, get_args(Metric)))}{whose}, got {shown(metric)}",
                _metric_meant(str(metric)),
            )
    return said


def _metric_meant(said: str) -> str:
    if "," in said:
        return "give one metric for all models, or one for each model by name."
    meant_by = _METRICS_ELSEWHERE.get(said.casefold().replace(" ", "").replace("_", "-"))
    return f"did you mean {meant_by!r}?" if meant_by else meant(said, get_args(Metric))


class EmbeddingSource(_Source):
    """A file of embeddings: vectors of each model, compared by `metric`."""

    file: Annotated[
        FileOrDirectory,
        Field(
            description="Embedding file (.npy, .npz, .safetensors, .parquet, .arrow), or a directory or pattern of parts."
        ),
    ]
    metric: Annotated[
        Metric | dict[str, Metric] | None,
        PlainValidator(_metrics),
        Field(
            description="How embeddings are compared: one metric for all models, or one per model name. "
            "Required unless the file states it; Proband does not guess it."
        ),
    ] = None
    ids: Annotated[
        Text | None, Field(description="Array of an .npz, or column of a table, with the ids.")
    ] = None


class ImageSource(Part):
    """Pictures, and the recognisers that score them."""

    file: Annotated[FileOrDirectory, Field(description="Archive, or directory of images.")]
    algorithms: Annotated[
        Several[Text],
        Field(description="Names of recognisers."),
        Names("proband.algorithms.registry:RECOGNIZERS", checked=False),
    ] = ()
    models: Annotated[Several[File], Field(description="Files of trained models.")] = ()
    train: Annotated[Condition | None, Field(description="Training samples.")] = None
    queries: Annotated[Condition | None, Field(description="Query samples.")] = None
    targets: Annotated[Condition | None, Field(description="Target samples.")] = None
    file_column: Annotated[Text, Field(description="Column of the image file names.")] = "file"
    detect: Annotated[Literal["opencv", "dlib"] | None, Field(description="Detector of faces and eyes.")] = (
        None
    )
    as_they_are: Annotated[bool, Field(description="Use images as they are, without cropping.")] = False
    allow_training_overlap: Annotated[
        bool,
        Field(
            description="Allow targets in the training set (training on the gallery); the scores are labelled accordingly."
        ),
    ] = False

    @model_validator(mode="after")
    def _eyes_or_none(self) -> Self:
        if not self.algorithms and not self.models:
            raise refuse(
                "no recogniser was specified",
                "write algorithms = […]; proband recognize --list shows the names.",
            )
        if self.as_they_are and self.detect is not None:
            raise refuse(
                "as_they_are uses no eye positions, so detect has no effect",
                "leave one of them out.",
                "detect",
            )
        return self


class ExperimentDesign(Part):
    """Who is enrolled, who is searched for, and how ranks are counted."""

    gallery: Annotated[
        Condition | None,
        Field(
            description="Samples to enrol: a condition, all, one_per_subject or @FILE of ids. Default: every target."
        ),
        Option(("-g",), panel="Data"),
    ] = None
    one_per_subject: Annotated[
        bool, Field(description="Enrol only the first sample of each subject in the gallery.")
    ] = False
    probes: Annotated[
        Condition | None,
        Field(
            description="Samples to search for, in the same forms. Default: every query that is not in the gallery."
        ),
        Option(("-p",), panel="Data"),
    ] = None
    ties: Annotated[Ties, Field(description="How tied scores are ranked.")] = "pessimistic"
    counting: Annotated[
        Literal["images", "subjects"],
        Field(description="Whether ranks count images or subjects."),
        Option(("--count",)),
    ] = "images"
    on_failure: Annotated[
        Literal["miss", "as-scored"],
        Field(
            description="Whether failures to acquire count as misses (miss), or their scores are used (as-scored)."
        ),
    ] = "miss"

    @property
    def chooses(self) -> bool:
        """Whether it says who is enrolled or searched for."""
        return self.gallery is not None or self.probes is not None or self.one_per_subject

    @model_validator(mode="after")
    def _one_gallery(self) -> Self:
        if (
            self.one_per_subject
            and self.gallery is not None
            and (self.gallery == "one_per_subject" or self.gallery.startswith("@"))
        ):
            raise refuse(
                f"it needs a condition, not gallery = {self.gallery!r}",
                "leave one of them out.",
                "one_per_subject",
            )
        return self


_OF_FERET = Option(panel="FERET's categories")


class CategoryEntry(Part):
    """Probe categories: one by name and rule, one for each value of the column `by`, or FERET's four."""

    name: Annotated[Text | None, Field(description="Name of the category.")] = None
    rule: Annotated[Text | None, Field(description="Condition on probe.x and mate.x.")] = None
    mates: Annotated[
        Literal["all", "any"],
        Field(description="Whether all mates must meet the rule, or any one."),
        Needs("rule"),
    ] = "all"
    gallery: Annotated[
        Text | None,
        Field(
            description="Condition on enrolled images that defines a separate gallery for the category (with feret: for dup2)."
        ),
        Unless("by"),
    ] = None
    by: Annotated[Text | None, Field(description="One category per value of this column.")] = None
    feret: Annotated[bool, Field(description="The FERET categories fb, fc, dup1, dup2.")] = False
    image_set: Annotated[
        Text, Field(description="FERET: column of the image set."), _OF_FERET, Needs("feret=on")
    ] = "image_set"
    date: Annotated[Text, Field(description="FERET: column of the date."), _OF_FERET, Needs("feret=on")] = (
        "date"
    )
    camera: Annotated[
        Text, Field(description="FERET: column of the camera."), _OF_FERET, Needs("feret=on")
    ] = "camera"
    long_after: Annotated[
        Text | None,
        Field(
            description="FERET: definition of duplicate II. feret: the dates of the FERET study, only for "
            "FERET images. Default: 500 days later."
        ),
        Option(metavar="feret|RULE", panel="FERET's categories"),
        Needs("feret=on"),
    ] = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        forms = [self.name is not None or self.rule is not None, self.by is not None, self.feret]
        if sum(forms) != 1:
            raise refuse("expected name and rule, or by, or feret = true", "write one section for each.")
        if forms[0] and (self.name is None or self.rule is None):
            absent = "name" if self.name is None else "rule"
            raise refuse(f"{absent!r} is missing", 'for example rule = "probe.session != mate.session"')
        return self
