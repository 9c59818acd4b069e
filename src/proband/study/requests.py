"""What can be asked: the one schema from which study files, options of commands and requests in Python come.

Each field is a key of a study's section, an option of the commands that carry out the analysis, and an argument in Python; its
description is its help. Nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from proband.errors import Hint
from proband.study.refusals import refusal, shown
from proband.words import given

Item = TypeVar("Item")

_inside: ContextVar[bool] = ContextVar("inside", default=False)


@dataclass(frozen=True)
class Place:
    """That a text names something that must be there: a file, or a file or directory; or may (``@FILE``) name one."""

    kind: Literal["file", "file or directory", "condition"]


@dataclass(frozen=True)
class Option:
    """How the command line spells a field where that does not follow from its name: other names, what stands for its value."""

    names: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str | None = None


class Part(BaseModel):
    """A part of a request: unknown names, wrong types and values out of range are refused where they stand."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)

    def __init__(self, **values: Any) -> None:
        with _outermost() as outermost:
            try:
                super().__init__(**values)
            except ValidationError as error:
                if not outermost:
                    raise
                raise refusal(type(self), error) from None


@contextmanager
def _outermost() -> Iterator[bool]:
    """Whether this part is made by itself, and not while a larger one is: the larger one tells where in it something is wrong."""
    outermost = not _inside.get()
    token = _inside.set(True)
    try:
        yield outermost
    finally:
        _inside.reset(token)


def refuse(message: str, hint: str | Hint | None = None, *at: str | int) -> PydanticCustomError:
    """The error that a part raises where its fields contradict each other; `at` leads to the field."""
    return PydanticCustomError("proband", "{message}", {"message": message, "hint": hint, "at": at})


def _listed(value: Any) -> Any:
    """One value for a list of one."""
    if value == []:
        raise refuse("the list is empty", "leave the key out, or name at least one.")
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _each_once(values: tuple[Item, ...]) -> tuple[Item, ...]:
    twice = next((one for place, one in enumerate(values) if one in values[:place]), None)
    if twice is not None:
        named = "the same" if isinstance(twice, Part) else shown(twice)
        raise refuse(f"{named} is there twice", "name each once.")
    return values


Text = Annotated[str, Field(min_length=1)]
File = Annotated[Text, Place("file")]
FileOrDirectory = Annotated[Text, Place("file or directory")]
Condition = Annotated[Text, Place("condition")]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, lt=1)]
Several = Annotated[tuple[Item, ...], BeforeValidator(_listed), AfterValidator(_each_once)]
Orientation = Literal["similarity", "distance"]
Missing = Literal["error", "drop"]
Ties = Literal["pessimistic", "optimistic", "mean"]


class SamplesTable(Part):
    """The table of samples."""

    file: Annotated[File, Field(description="CSV, TSV, Parquet, JSON Lines, NPZ or a CSU .srt list.")]
    id: Annotated[Text, Field(description="Column of the sample id; # numbers the rows.")] = "id"
    subject: Annotated[Text, Field(description="Column of the subject.")] = "subject"
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
    orientation_check: Annotated[bool, Field(description="Refuse scores that look reversed.")] = True

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if self.name is not None and len(self.key) > 1:
            raise refuse(
                f"{len(self.key)} algorithms cannot have one name", "leave name out, or give one key.", "name"
            )
        return self


class ScoreSource(_Source):
    """A file of scores: a matrix for each algorithm, or a list of compared pairs."""

    file: Annotated[FileOrDirectory, Field(description="The file of scores.")]
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

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        for choice, ids in (("queries", "query_ids"), ("targets", "target_ids")):
            if getattr(self, choice) is not None and getattr(self, ids) is not None:
                raise refuse(
                    f"{choice!r} is for a matrix without ids, but {ids!r} names them",
                    "leave one of them out.",
                    choice,
                )
        return self


class EmbeddingSource(_Source):
    """A file of embeddings: vectors of each model, compared by `metric`."""

    file: Annotated[File, Field(description="The file of embeddings (.npy, .npz).")]
    metric: Annotated[
        Literal["cosine", "inner", "l2", "l1", "chi2"], Field(description="How embeddings are compared.")
    ] = "cosine"
    ids: Annotated[Text | None, Field(description="Array of an .npz that holds the ids.")] = None


class ImageSource(Part):
    """Pictures, and the recognisers that score them."""

    file: Annotated[FileOrDirectory, Field(description="An archive, or a directory of pictures.")]
    algorithms: Annotated[Several[Text], Field(description="Recognisers by name.")] = ()
    models: Annotated[Several[File], Field(description="Files of trained models.")] = ()
    train: Annotated[Condition | None, Field(description="Who is trained on.")] = None
    queries: Annotated[Condition | None, Field(description="Which samples are queries.")] = None
    targets: Annotated[Condition | None, Field(description="Which samples are targets.")] = None
    file_column: Annotated[Text, Field(description="Column of the file names.")] = "file"
    detect: Annotated[Literal["opencv", "dlib"] | None, Field(description="What finds faces and eyes.")] = (
        None
    )
    as_they_are: Annotated[bool, Field(description="Use pictures as they are.")] = False

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
        Option(("-g",)),
    ] = None
    one_per_subject: Annotated[
        bool, Field(description="Enrol only the first sample of each subject that meets the gallery.")
    ] = False
    probes: Annotated[
        Condition | None,
        Field(
            description="Who is searched for, in the same forms. Default: every query that is not in the gallery."
        ),
        Option(("-p",)),
    ] = None
    ties: Annotated[Ties, Field(description="How tied scores are ordered.")] = "pessimistic"
    count: Annotated[Literal["images", "subjects"], Field(description="What a rank counts.")] = "images"
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


class CategoryEntry(Part):
    """Probe categories: one by name and rule, one for each value of the column `by`, or FERET's four."""

    name: Annotated[Text | None, Field(description="What the category is called.")] = None
    rule: Annotated[Text | None, Field(description="A condition on probe.x and mate.x.")] = None
    mates: Annotated[
        Literal["all", "any"], Field(description="Whether all mates must meet the rule, or any.")
    ] = "all"
    by: Annotated[Text | None, Field(description="A category for each value of this column.")] = None
    feret: Annotated[bool, Field(description="FERET's categories fb, fc, dup1, dup2.")] = False
    image_set: Annotated[Text, Field(description="FERET: column of the image set.")] = "image_set"
    date: Annotated[Text, Field(description="FERET: column of the date.")] = "date"
    camera: Annotated[Text, Field(description="FERET: column of the camera.")] = "camera"
    long_after: Annotated[
        Text | None,
        Field(
            description="FERET: what makes a duplicate II. feret: FERET's own dates, for its own images. Default: 500 days later."
        ),
        Option(metavar="feret|RULE"),
    ] = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        forms = [self.name is not None or self.rule is not None, self.by is not None, self.feret]
        if sum(forms) != 1:
            raise refuse("expected name and rule, or by, or feret = true", "write one section for each.")
        if forms[0] and (self.name is None or self.rule is None):
            absent = "name" if self.name is None else "rule"
            raise refuse(f"{absent!r} is missing", 'for example rule = "probe.session != mate.session"')
        for name in ("image_set", "date", "camera", "long_after"):
            if not self.feret and getattr(self, name) != type(self).model_fields[name].default:
                raise refuse(
                    "it is about FERET's categories", Hint("add {option:feret=on}, or leave it out."), name
                )
        return self


class Identification(Part):
    """Recognition rates and cumulative match curves."""

    ranks: Annotated[Several[Positive], Field(description="Ranks to show.")] = (1, 5, 10)


class ComparisonRequest(Part):
    """One measure by which algorithms are compared; without any it is the rate at rank 1."""

    rank: Annotated[Positive | None, Field(description="The rank of the rate; default: 1."), Option(("-r",))] = None  # fmt: skip
    median_rank: Annotated[
        Annotated[int, Field(ge=2)] | None,
        Field(description="Compare median ranks instead, censored at this rank."),
        Option(metavar="RANK"),
    ] = None
    fnmr_at: Annotated[
        Share | None,
        Field(
            description="Compare verification instead: FNMR at this false match rate, over all pairs or gallery and probes."
        ),
        Option(metavar="FMR"),
    ] = None
    auc: Annotated[bool, Field(description="Compare verification instead: the area under the ROC curve.")] = (
        False
    )
    margin: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Field(description="The smallest difference worth having; 0.01 (one point) for rates."),
    ] = None
    test: Annotated[
        Literal["auto", "sign-flip", "obuchowski", "durkalski", "mcnemar", "bootstrap"],
        Field(description="How pairs are tested; auto knows that people are shared."),
    ] = "auto"
    by_category: Annotated[
        bool, Field(description="Compare within each probe category as well as over all probes.")
    ] = False

    @property
    def is_verification(self) -> bool:
        """Whether pairs are compared, and not ranks."""
        return self.auc or self.fnmr_at is not None

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        named = [name for name in ("rank", "median_rank", "fnmr_at") if getattr(self, name) is not None]
        named += ["auc"] if self.auc else []
        if len(named) > 1:
            raise refuse(f"{' and '.join(named)} exclude each other", "ask for one at a time.", named[1])
        if self.is_verification and self.test != "auto":
            raise refuse(
                f"{named[0]} compares verification, which has a test of its own", "leave test out.", "test"
            )
        if self.is_verification and self.by_category:
            raise refuse("categories are of searches, not of verification", "leave it out.", "by_category")
        if self.margin is not None and self.margin >= 1 and self.median_rank is None:
            raise refuse(
                f"a difference of rates lies below 1, got {given(self.margin)}",
                "one point is 0.01.",
                "margin",
            )
        return self


class McNemarRequest(Part):
    """McNemar's exact test of two algorithms, probes being taken as independent."""

    rank: Annotated[Positive, Field(description="The rank that counts as a success."), Option(("-r",))] = 1


class VerificationRequest(Part):
    """Error rates at operating points; by groups; and whose errors they are."""

    gallery: Annotated[
        Condition | None,
        Field(
            description="Claimed identities. Default: the gallery of the experiment; without one, every query is compared with "
            "every target, no pair twice."
        ),
        Option(("-g",)),
    ] = None
    probes: Annotated[Condition | None, Field(description="Who claims them."), Option(("-p",))] = None
    comparisons: Annotated[
        Literal["experiment", "all"],
        Field(
            description="Which comparisons are verified where neither gallery nor probes say: those of the experiment, or all."
        ),
    ] = "experiment"
    fmr: Annotated[Several[Share], Field(description="False match rates.")] = (0.01, 0.001, 0.0001)
    thresholds: Annotated[
        Several[float],
        Field(description="Thresholds, as well."),
        Option(("--threshold",)),
    ] = ()
    replicates: Annotated[
        Annotated[int, Field(ge=0)], Field(description="Replicates of people; 0 for none.")
    ] = 1_000
    naive: Annotated[
        bool, Field(description="Show what intervals would be if comparisons were independent.")
    ] = False
    by: Annotated[
        Several[Text],
        Field(description="Error rates by the values of a column, at one threshold."),
        Option(metavar="COLUMN"),
    ] = ()
    zoo: Annotated[bool, Field(description="Are errors the errors of a few people?")] = False
    pairs: Annotated[
        File | None,
        Field(
            description="Accuracy over only these pairs, by folds: LFW's pairs.txt, a table with query and target, or .npz with "
            "pair_a and pair_b."
        ),
    ] = None


class SearchRequest(Part):
    """Open-set identification."""

    gallery: Annotated[
        Condition | None, Field(description="Who is enrolled. Default: every target."), Option(("-g",))
    ] = None
    probes: Annotated[
        Condition | None,
        Field(
            description="Who is searched for, enrolled or not. Default: every query that is not in the gallery."
        ),
        Option(("-p",)),
    ] = None
    fusion: Annotated[
        Literal["max", "mean"], Field(description="How several samples of a person make one score.")
    ] = "max"
    fpir: Annotated[Several[Share], Field(description="False positive identification rates.")] = (
        0.1,
        0.01,
        0.001,
    )
    ranks: Annotated[Several[Positive], Field(description="Numbers of candidates.")] = (1, 20)
    sizes: Annotated[
        Several[Positive],
        Field(description="Errors for galleries of these numbers of people, at the first FPIR's threshold."),
    ] = ()


class ChoicesRequest(Part):
    """Other choices of images of the same people."""

    groups: Annotated[
        Several[Text],
        Field(
            description="Columns whose values make the groups of exchangeable images, such as the session. Without it any two "
            "images of a person make a pair."
        ),
        Option(metavar="COLUMN"),
    ] = ()
    pairs: Annotated[
        Literal["between", "within"] | None,
        Field(
            description="Gallery and probe image come from different groups (the default with groups), or from the same."
        ),
    ] = None
    where: Annotated[Condition | None, Field(description="Which samples belong to the pool.")] = None
    trials: Annotated[Positive, Field(description="How many trials."), Option(("-t",))] = 10_000
    balanced: Annotated[
        bool,
        Field(description="Use every image column equally often, or draw each person's pair independently."),
        Option(("--balanced/--unbalanced",)),
    ] = True
    max_rank: Annotated[
        Positive | None, Field(description="Ranks to count; default: all. Up to 10 is fastest.")
    ] = None
    exact: Annotated[
        bool,
        Field(description="Compute the mean of every rate exactly instead of drawing trials (unbalanced)."),
    ] = False
    trainings: Annotated[
        bool,
        Field(
            description="The scores are of one algorithm trained on several sets: how much do those matter?"
        ),
    ] = False
    rank: Annotated[Positive, Field(description="The rank to show."), Option(("-r",))] = 1

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        if self.pairs == "between" and not self.groups:
            raise refuse(
                "pairs between groups need groups", Hint("{give:groups}, or leave pairs out."), "pairs"
            )
        if self.exact and self.trainings:
            raise refuse(
                "exact means and trainings are different questions", "leave one of them out.", "exact"
            )
        return self


class StratRequest(Part):
    """Stratified evaluation by balanced repeated replication."""

    images: Annotated[
        Annotated[int, Field(ge=3)] | None,
        Field(
            description="Images of each person: one is the gallery, the others are the units. Default: as many as leave the most "
            "probes."
        ),
        Option(("-n",)),
    ] = None
    order_by: Annotated[
        Text | None,
        Field(description="What orders a person's images; default: the table."),
        Option(metavar="COLUMN"),
    ] = None
    design: Annotated[
        Literal["brr", "fay", "jackknife", "rao-wu"], Field(description="How variance is replicated.")
    ] = "brr"
    rank: Annotated[Positive, Field(description="The rank of tables and tests."), Option(("-r",))] = 1


class Version(Part):
    """A fully automatic algorithm, and the same one told where the eyes are."""

    fully: Text
    partially: Text


class Improvement(Part):
    """One algorithm at two dates."""

    earlier: Text
    later: Text
    earlier_date: Text | None = None
    later_date: Text | None = None


class FeretRequest(Part):
    """A FERET evaluation."""

    galleries: Annotated[
        Annotated[int, Field(ge=2)] | None,
        Field(description="Over how many disjoint galleries performance varies."),
    ] = None
    order: Annotated[
        Several[Text],
        Field(
            description="What fills the galleries, one after another: a column of dates or numbers, or chance. Default: random."
        ),
        Option(metavar="COLUMN|random"),
    ] = ()
    ages: Annotated[
        Text | None,
        Field(
            description="Column of dates or numbers whose difference between probe and mate is the age. Default: that of order."
        ),
        Option(metavar="COLUMN"),
    ] = None
    sizes: Annotated[
        Several[Positive],
        Field(description="Numbers of people enrolled to expect rates for."),
    ] = ()
    reject: Annotated[
        Annotated[float, Field(ge=0, lt=1)] | None,
        Field(
            description="Rejection test: the share of people searched for who are taken out of the gallery (0: probes without "
            "mates only)."
        ),
    ] = None
    fpir: Annotated[Several[Share], Field(description="False positive rates of the rejection test.")] = (
        0.01,
        0.1,
    )
    versions: Annotated[
        Several[Version],
        Field(description="Fully automatic algorithms, and the same ones told where the eyes are."),
        Option(("--version",), "FULL=PARTIAL"),
    ] = ()
    improvements: Annotated[
        Several[Improvement],
        Field(description="Algorithms at two dates."),
        Option(("--improvement",), "EARLIER[@DATE]=LATER[@DATE]"),
    ] = ()
    ranks: Annotated[Several[Positive], Field(description="Ranks of tables; the first is that of tests.")] = (
        1,
        5,
        10,
    )

    @model_validator(mode="after")
    def _about_galleries(self) -> Self:
        if self.galleries is None and (self.order or self.ages is not None):
            key = "order" if self.order else "ages"
            raise refuse(f"{key} is about galleries", Hint("say how many: {option:galleries=6}"), key)
        return self


Format = Literal["csv", "parquet", "png", "svg", "pdf"]


class Output(Part):
    """Where results go, and how they are computed and written."""

    directory: Annotated[Text | None, Field(description="Where results go.")] = None
    level: Annotated[Share, Field(description="Confidence level of the intervals.")] = 0.95
    seed: Annotated[Annotated[int, Field(ge=0)], Field(description="Seed of replicates.")] = 0
    pseudonyms: Annotated[bool, Field(description="Do not name people.")] = False
    formats: Annotated[Several[Format], Field(description="Kinds of tables and figures.")] = (
        "csv",
        "parquet",
        "png",
        "svg",
        "pdf",
    )


ANALYSES = ("identification", "comparison", "mcnemar", "verification", "search", "choices", "strat", "feret")
"""Sections that may be switched on and off instead: ``verification = false``."""


def _one(value: Any, info: ValidationInfo) -> Any:
    """A section that there is once."""
    if isinstance(value, list):
        at = (1,) if len(value) > 1 else ()
        raise refuse(f"there is one section {info.field_name!r}", f"write [{info.field_name}], once.", *at)
    if isinstance(value, bool):
        raise refuse(
            f"expected a table, got {shown(value)}", f"only analyses are switched so: {', '.join(ANALYSES)}."
        )
    return value


def _switched(value: Any, info: ValidationInfo) -> Any:
    """A section, or whether there is one: ``verification = false``."""
    return ({} if value else None) if isinstance(value, bool) else _one(value, info)


def _sections(value: Any) -> Any:
    """Sections, or one, or whether there is one: ``comparison = false``."""
    if isinstance(value, bool):
        return ({},) if value else ()
    return _listed(value)


One = Annotated[Item, BeforeValidator(_one)]
Switched = Annotated[Item | None, BeforeValidator(_switched)]
"""An analysis that is carried out if it is there."""
Sections = Annotated[tuple[Item, ...], BeforeValidator(_listed)]
SwitchedSections = Annotated[tuple[Item, ...], BeforeValidator(_sections)]


class Request(Part):
    """Everything that is asked of some scores: what they are read from, who is compared with whom, and every analysis.

    Examples
    --------
    >>> asked = Request(scores={"file": "scores.npz"}, verification={"fmr": 0.01}, identification=False)
    >>> asked.verification.fmr, asked.identification
    ((0.01,), None)

    """

    title: Annotated[Text | None, Field(description="What the report is called.")] = None
    samples: One[SamplesTable | None] = None
    scores: Sections[ScoreSource] = ()
    embeddings: Sections[EmbeddingSource] = ()
    images: One[ImageSource | None] = None
    experiment: One[ExperimentDesign] = Field(default_factory=ExperimentDesign)
    category: Sections[CategoryEntry] = ()
    identification: Switched[Identification] = Field(default_factory=Identification)
    comparison: SwitchedSections[ComparisonRequest] = Field(default_factory=lambda: (ComparisonRequest(),))
    mcnemar: Switched[McNemarRequest] = None
    verification: Switched[VerificationRequest] = Field(default_factory=VerificationRequest)
    search: Switched[SearchRequest] = None
    choices: Switched[ChoicesRequest] = None
    strat: Switched[StratRequest] = None
    feret: Switched[FeretRequest] = None
    output: One[Output] = Field(default_factory=Output)

    @property
    def missing(self) -> Missing:
        """What becomes of chosen samples that were not scored: left out if any source says so."""
        return "drop" if any(one.missing == "drop" for one in (*self.scores, *self.embeddings)) else "error"

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [one.name for one in self.category]
        for place, name in enumerate(names):
            if name is not None and name in names[:place]:
                raise refuse(
                    f"two categories are called {name!r}",
                    "give each its own name.",
                    "category",
                    place,
                    "name",
                )
        if self.identification is None and self.category and self.feret is None:
            by_category = any(one.by_category for one in self.comparison)
            if not by_category:
                raise refuse(
                    "categories are of identification, which is switched off",
                    "leave one of them out.",
                    "category",
                )
        return self


def only(analysis: str, value: Any, **rest: Any) -> Request:
    """A request for one analysis and nothing else."""
    off: dict[str, Any] = dict.fromkeys(ANALYSES, False)
    return Request(**{**off, analysis: value, **rest})
