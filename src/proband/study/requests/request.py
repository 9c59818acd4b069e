"""A whole request: what is read, the experiment, every analysis, and where results go."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from proband.engine.limits import Seed
from proband.study.refusals import shown
from proband.study.requests.analyses import (
    ChoicesRequest,
    ComparisonRequest,
    FeretRequest,
    GateRequest,
    Identification,
    McNemarRequest,
    SearchRequest,
    StratRequest,
    ThresholdRequest,
    VerificationRequest,
)
from proband.study.requests.base import (
    ANALYSES,
    Missing,
    One,
    Option,
    Part,
    Sections,
    Several,
    Share,
    Switched,
    SwitchedSections,
    Text,
    refuse,
)
from proband.study.requests.covariates import CovariatesRequest, PartitionRequest
from proband.study.requests.data import (
    CategoryEntry,
    EmbeddingSource,
    ExperimentDesign,
    ImageSource,
    SamplesTable,
    ScoreSource,
)
from proband.study.requests.protocols import AuditRequest, ProtocolRequest
from proband.study.requests.surveys import SurveyRequest
from proband.study.requests.tables import ClassificationRequest, DatasetsRequest, OutcomesRequest

Format = Literal["csv", "parquet", "png", "svg", "pdf"]
_RUNNING = Option(panel="Running")


class Output(Part):
    """Where results go, and how they are computed and written."""

    directory: Annotated[Text | None, Field(description="Where results go.")] = None
    confidence_level: Annotated[
        Share,
        Field(description="Confidence level of intervals, and of thresholds for new people."),
        Option(("--level",)),
    ] = 0.95
    seed: Annotated[Seed, Field(description="Seed of replicates."), _RUNNING] = 0
    pseudonyms: Annotated[bool, Field(description="Do not name people."), _RUNNING] = False
    formats: Annotated[
        Several[Format],
        Field(description="Kinds of tables and figures."),
        Option(panel="Running", needs=("out",)),
    ] = (
        "csv",
        "parquet",
        "png",
        "svg",
        "pdf",
    )
    engine: Annotated[
        Text | None,
        Field(
            description="What computes, on this machine: threads, processes or processes:4. Results do not depend on it."
        ),
    ] = None

    @field_validator("engine")
    @classmethod
    def _of_this_machine(cls, engine: str | None) -> str | None:
        from proband.engine import LOCAL  # nothing heavy is imported before it is needed

        if engine is None or LOCAL.fullmatch(engine):
            return engine
        if "://" in engine:
            raise refuse(
                f"{shown(engine)} is an address, and a scheduler runs code: whoever sends a study is not to choose it",
                "leave it out, and give the address yourself: --engine on the command line, engine=… in Python.",
            )
        raise refuse(f"there is no engine {shown(engine)}", 'write "threads", "processes" or "processes:4".')


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
    gate: Switched[GateRequest] = None
    mcnemar: Switched[McNemarRequest] = None
    verification: Switched[VerificationRequest] = Field(default_factory=VerificationRequest)
    threshold: Switched[ThresholdRequest] = None
    search: Switched[SearchRequest] = None
    choices: Switched[ChoicesRequest] = None
    strat: Switched[StratRequest] = None
    feret: Switched[FeretRequest] = None
    covariates: Switched[CovariatesRequest] = None
    partition: Switched[PartitionRequest] = None
    classification: Switched[ClassificationRequest] = None
    outcomes: Switched[OutcomesRequest] = None
    protocol: Switched[ProtocolRequest] = None
    audit: Switched[AuditRequest] = None
    survey: Switched[SurveyRequest] = None
    datasets: Switched[DatasetsRequest] = None
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
        asking: list[ComparisonRequest | McNemarRequest] = [*self.comparison]
        asking += [] if self.mcnemar is None else [self.mcnemar]
        by_category = any(one.by_category for one in asking)
        if self.identification is None and self.category and self.feret is None and not by_category:
            raise refuse(
                "categories are of identification, which is switched off",
                "leave one of them out.",
                "category",
            )
        if by_category and not self.category:
            raise refuse(
                "there are no categories of probes",
                "name some: [[category]] in a study; --by COLUMN, --category 'NAME: RULE' or --feret on the command line.",
                "mcnemar" if self.mcnemar is not None and self.mcnemar.by_category else "comparison",
                "by_category",
            )
        return self


def only(analysis: str, value: Any, **rest: Any) -> Request:
    """A request for one analysis and nothing else."""
    off: dict[str, Any] = dict.fromkeys(ANALYSES, False)
    return Request(**{**off, analysis: value, **rest})
