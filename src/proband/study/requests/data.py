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
"""What stands before the file of a model that is named as a recogniser."""
Metric = Literal["cosine", "inner", "l2", "l1", "chi2"]


def _columns_of(meaning: str) -> Any:
    return Field(description=f"Columns: {meaning}.")


class SamplingLevels(Part):
    """Columns of the table by sampling level (STRAT): results say which of them vary and which are held fixed."""

    scene: Annotated[
        Several[Text], _columns_of("the scene, a bounded space and time, such as the session")
    ] = ()
    context: Annotated[Several[Text], _columns_of("the context, what scenes are constrained to")] = ()
    explicit: Annotated[
        Several[Text], _columns_of("explicit properties, which the experimenter controls")
    ] = ()
    implicit: Annotated[Several[Text], _columns_of("implicit properties, which nobody controls")] = ()
    population: Annotated[Several[Text], _columns_of("anything else of people and images")] = ()
    system: Annotated[Several[Text], _columns_of("parameters of the algorithm or the sensor")] = ()
    model: Annotated[Several[Text], _columns_of("what an algorithm is trained on or knows")] = ()
    analysis: Annotated[Several[Text], _columns_of("what the analysis goes by, such as strata")] = ()

    @property
    def declared(self) -> dict[str, tuple[str, ...]]:
        """The levels that have columns, as `Samples` takes them."""
        return {level: columns for level in type(self).model_fields if (columns := getattr(self, level))}


class SamplesTable(Part):
    """The table of samples."""

    file: Annotated[
        File,
        Field(
            description="CSV, TSV, Parquet, Arrow, JSON Lines, NPZ, a CSU .srt list; or a directory of pictures by the names of its files, "
            "such as jaffe or jaffe/{subject}.{expression}.{number}."
        ),
    ]
    id_column: Annotated[Text, Field(description="Column of the sample id; # numbers the rows.")] = "id"
    subject_column: Annotated[Text, Field(description="Column of the subject.")] = "subject"
    failed: Annotated[
        Text | None, Field(description="Which samples failed to be acquired, e.g. 'not detected'.")
    ] = None
    missing_values: Annotated[
        Several[Text] | None,
        Field(
            description="Words that stand for a missing value in every column of the table. Without it: NA, NaN and nan, but not "
            "in the columns of ids and subjects. An empty cell is always missing."
        ),
    ] = None
    sampling: Annotated[
        SamplingLevels,
        Field(
            description="Which columns are the scene, its context, explicit and implicit properties, or of another sampling level (STRAT)."
        ),
    ] = SamplingLevels()


class _Source(Part):
    """A file of algorithms."""

    key: Annotated[Several[Text], Field(description="Which of an archive's arrays; by default all.")] = ()
    name: Annotated[Text | None, Field(description="What the algorithm is called.")] = None
    missing: Annotated[
        Missing,
        Field(
            description="Ids that are in one file and not in the other: an error, or left out and counted."
        ),
    ] = "error"
    check_orientation: Annotated[bool, Field(description="Refuse scores that look reversed.")] = True

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if self.name is not None and len(self.key) > 1:
            raise refuse(
                f"{len(self.key)} algorithms cannot have one name", "leave name out, or give one key.", "name"
            )
        return self


class PairColumnNames(Part):
    """Which columns of a table of scored pairs are what."""

    a: Annotated[Text | None, Field(description="One sample of a pair.")] = None
    b: Annotated[Text | None, Field(description="The other sample.")] = None
    mated: Annotated[Text | None, Field(description="Whether they are of one person.")] = None
    score: Annotated[Several[Text], Field(description="Scores, a column for each algorithm.")] = ()
    subject_a: Annotated[Text | None, Field(description="Whose the one sample is.")] = None
    subject_b: Annotated[Text | None, Field(description="Whose the other is.")] = None

    @model_validator(mode="after")
    def _scored(self) -> Self:
        if not self.score:
            raise refuse("no column holds the scores", 'name it: score = "…"', "score")
        return self


class ScoreSource(_Source):
    """A file of scores: a matrix for each algorithm, or a list of compared pairs."""

    file: Annotated[
        FileOrDirectory, Field(description="The file of scores, or a directory or pattern of its parts.")
    ]
    orientation: Annotated[
        Orientation | None,
        Field(description="Which way the scores point; needed unless the file states it. Never guessed."),
    ] = None
    format: Annotated[Text | None, Field(description="Format of the file, where looking is not enough.")] = (
        None
    )
    query_ids: Annotated[
        Text | None, Field(description="Array of an .npz that holds the row ids."), Option(metavar="ARRAY")
    ] = None
    target_ids: Annotated[
        Text | None, Field(description="Array of an .npz that holds the column ids."), Option(metavar="ARRAY")
    ] = None
    queries: Annotated[
        Condition | None, Field(description="For a matrix without ids: which samples its rows are.")
    ] = None
    targets: Annotated[
        Condition | None, Field(description="For a matrix without ids: which samples its columns are.")
    ] = None
    mask: Annotated[File | None, Field(description="BEE mask that tells mated from other pairs.")] = None
    ids: Annotated[
        Literal["samples", "subjects"],
        Field(
            description="What names the rows and columns of a matrix: samples; or subjects, where a row and a column of one name are two "
            "samples of one person."
        ),
    ] = "samples"
    columns: Annotated[
        PairColumnNames | None,
        Field(
            description="For a table of scored pairs: which column is what (a, b, mated, score, subject_a, subject_b). Several scores are "
            "several algorithms."
        ),
    ] = None
    mated_is: Annotated[
        Text | None,
        Field(
            description="The value that means mated, where the column holds neither 1 and 0 nor true and false."
        ),
        Needs("columns"),
    ] = None

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        if self.columns is not None and self.ids == "subjects":
            raise refuse(
                "it is about a matrix, and columns are of a list of pairs",
                "name the columns subject_a and subject_b instead.",
                "ids",
            )
        for choice, ids in (("queries", "query_ids"), ("targets", "target_ids")):
            if getattr(self, choice) is not None and getattr(self, ids) is not None:
                raise refuse(
                    f"{choice!r} is for a matrix without ids, but {ids!r} names them",
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
            f"expected a metric, or one for each model by its name, got {shown(said)}",
            'write metric = "cosine", or metric = { NAME = "l2" }',
        )
    for name, metric in said.items() if isinstance(said, dict) else ((None, said),):
        if not isinstance(metric, str) or metric not in get_args(Metric):
            whose = "" if name is None else f" for {name!r}"
            raise refuse(
                f"expected {' or '.join(map(repr, get_args(Metric)))}{whose}, got {shown(metric)}",
                meant(str(metric), get_args(Metric)),
            )
    return said


class EmbeddingSource(_Source):
    """A file of embeddings: vectors of each model, compared by `metric`."""

    file: Annotated[
        FileOrDirectory,
        Field(
            description="The file of embeddings (.npy, .npz, .safetensors, .parquet, .arrow), or a directory or pattern of parts."
        ),
    ]
    metric: Annotated[
        Metric | dict[str, Metric] | None,
        PlainValidator(_metrics),
        Field(
            description="How embeddings are compared: all alike, or each model by its name; needed unless the file states it. Never guessed."
        ),
    ] = None
    ids: Annotated[
        Text | None, Field(description="Array of an .npz, or column of a table, that holds the ids.")
    ] = None


class ImageSource(Part):
    """Pictures, and the recognisers that score them."""

    file: Annotated[FileOrDirectory, Field(description="An archive, or a directory of pictures.")]
    algorithms: Annotated[
        Several[Text],
        Field(description="Recognisers by name."),
        Names("proband.algorithms.registry:RECOGNIZERS", checked=False),
    ] = ()
    models: Annotated[Several[File], Field(description="Files of trained models.")] = ()
    train: Annotated[Condition | None, Field(description="Who is trained on.")] = None
    queries: Annotated[Condition | None, Field(description="Which samples are queries.")] = None
    targets: Annotated[Condition | None, Field(description="Which samples are targets.")] = None
    file_column: Annotated[Text, Field(description="Column of the file names.")] = "file"
    detect: Annotated[Literal["opencv", "dlib"] | None, Field(description="What finds faces and eyes.")] = (
        None
    )
    as_they_are: Annotated[bool, Field(description="Use pictures as they are.")] = False
    allow_training_overlap: Annotated[
        bool, Field(description="Targets may be trained on: training on the gallery, labelled so.")
    ] = False

    @model_validator(mode="after")
    def _eyes_or_none(self) -> Self:
        if not self.algorithms and not self.models:
            raise refuse(
                "no recogniser is named", "write algorithms = […]; the command recognize can list them."
            )
        if self.as_they_are and self.detect is not None:
            raise refuse(
                "as_they_are uses no eyes, so there is nothing to detect", "leave one of them out.", "detect"
            )
        return self


class ExperimentDesign(Part):
    """Who is enrolled, who is searched for, and how ranks are counted."""

    gallery: Annotated[
        Condition | None,
        Field(
            description="Who is enrolled: a condition, all, one_per_subject or @FILE of ids. Default: every target."
        ),
        Option(("-g",), panel="Data"),
    ] = None
    one_per_subject: Annotated[
        bool, Field(description="Enrol only the first sample of each subject that meets the gallery.")
    ] = False
    probes: Annotated[
        Condition | None,
        Field(
            description="Who is searched for, in the same forms. Default: every query that is not in the gallery."
        ),
        Option(("-p",), panel="Data"),
    ] = None
    ties: Annotated[Ties, Field(description="How tied scores are ordered.")] = "pessimistic"
    counting: Annotated[
        Literal["images", "subjects"], Field(description="What a rank counts."), Option(("--count",))
    ] = "images"
    on_failure: Annotated[
        Literal["miss", "as-scored"],
        Field(description="Failures to acquire count as misses, or their scores are taken at their word."),
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
                f"it goes with a condition, not with gallery = {self.gallery!r}",
                "leave one of them out.",
                "one_per_subject",
            )
        return self


_OF_FERET = Option(panel="FERET's categories")


class CategoryEntry(Part):
    """Probe categories: one by name and rule, one for each value of the column `by`, or FERET's four."""

    name: Annotated[Text | None, Field(description="What the category is called.")] = None
    rule: Annotated[Text | None, Field(description="A condition on probe.x and mate.x.")] = None
    mates: Annotated[
        Literal["all", "any"],
        Field(description="Whether all mates must meet the rule, or any."),
        Needs("rule"),
    ] = "all"
    gallery: Annotated[
        Text | None,
        Field(
            description="A condition on enrolled images: the category's own gallery (with feret: that of dup2)."
        ),
        Unless("by"),
    ] = None
    by: Annotated[Text | None, Field(description="A category for each value of this column.")] = None
    feret: Annotated[bool, Field(description="FERET's categories fb, fc, dup1, dup2.")] = False
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
            description="FERET: what makes a duplicate II. feret: FERET's own dates, for its own images. Default: 500 days later."
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
