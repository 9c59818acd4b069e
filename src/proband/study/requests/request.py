"""A complete request: the inputs, the experiment, every analysis, and the output."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import Field, create_model, field_validator, model_validator

from proband.engine.limits import Seed
from proband.errors import unknown_name
from proband.study.analysis import Analysis, analyses, analysis_keys
from proband.study.refusals import shown
from proband.study.requests.base import (
    AnalysisRequest,
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
from proband.study.requests.data import (
    CategoryEntry,
    EmbeddingSource,
    ExperimentDesign,
    ImageSource,
    SamplesTable,
    ScoreSource,
)

Format = Literal["csv", "parquet", "png", "svg", "pdf"]
_RUNNING = Option(panel="Running")


class Output(Part):
    """The output: where results are written, and how they are computed and written."""

    directory: Annotated[Text | None, Field(description="Directory for the results.")] = None
    confidence_level: Annotated[
        Share,
        Field(description="Confidence level of intervals and bounds."),
        Option(("--level",)),
    ] = 0.95
    seed: Annotated[Seed, Field(description="Random seed."), _RUNNING] = 0
    pseudonyms: Annotated[bool, Field(description="Replace the names of people."), _RUNNING] = False
    formats: Annotated[
        Several[Format],
        Field(
            description="File formats of tables and figures in a run directory: csv, parquet, png, svg, pdf; may be repeated."
        ),
        Option(panel="Running", needs=("out",)),
    ] = (
        "csv",
        "parquet",
        "svg",
    )
    engine: Annotated[
        Text | None,
        Field(
            description="Where work runs on this machine: threads, processes or processes:4. Results do not depend on it."
        ),
    ] = None

    @field_validator("engine")
    @classmethod
    def _of_this_machine(cls, engine: str | None) -> str | None:
        from proband.engine import LOCAL  # heavy imports are deferred

        if engine is None or LOCAL.fullmatch(engine):
            return engine
        if "://" in engine:
            raise refuse(
                f"{shown(engine)} is an address, and a scheduler runs code: a study file cannot choose it",
                "leave it out, and pass the address yourself: --engine on the command line, engine=… in Python.",
            )
        raise refuse(f"there is no engine {shown(engine)}", 'write "threads", "processes" or "processes:4".')


class Request(Part):
    """A complete request: the inputs, the experiment and, in the class returned by `request_type`, every analysis."""

    title: Annotated[Text | None, Field(description="Title of the report.")] = None
    samples: One[SamplesTable | None] = None
    scores: Sections[ScoreSource] = ()
    embeddings: Sections[EmbeddingSource] = ()
    images: One[ImageSource | None] = None
    experiment: One[ExperimentDesign] = Field(default_factory=ExperimentDesign)
    category: Sections[CategoryEntry] = ()
    output: One[Output] = Field(default_factory=Output)

    @property
    def missing(self) -> Missing:
        """How selected samples without scores are handled: left out if any source says so."""
        return "drop" if any(one.missing == "drop" for one in (*self.scores, *self.embeddings)) else "error"

    @property
    def has_sources(self) -> bool:
        """Whether it names scores of pairs, embeddings or images."""
        return bool(self.scores or self.embeddings or self.pictures)

    @property
    def has_table(self) -> bool:
        """Whether it names a table of samples."""
        return self.samples is not None

    @property
    def dataset(self) -> str | None:
        """The name of the data in a model card: that of the table of samples, if any."""
        return PurePath(self.samples.file).stem if self.samples else None

    @property
    def marks_failures(self) -> bool:
        """Whether failures to acquire are marked, or can be detected."""
        return bool(self.pictures) or bool(self.samples and self.samples.failed)

    @property
    def pictures(self) -> tuple[ImageSource, ...]:
        """The pictures that it names, if any."""
        return () if self.images is None else (self.images,)

    def section(self, key: str) -> tuple[Any, ...]:
        """The sections of an analysis, each an `AnalysisRequest`; empty if it is switched off.

        Parameters
        ----------
        key
            The key of an analysis.

        Returns
        -------
        tuple
            The sections of the analysis.
        """
        if key not in analysis_keys():
            raise unknown_name("analysis", key, analysis_keys())
        said = getattr(self, key)
        return said if isinstance(said, tuple) else () if said is None else (said,)

    def says(self, key: str) -> bool:
        """Whether a section was written, other than to switch it off.

        Parameters
        ----------
        key
            The key of an analysis.

        Returns
        -------
        bool
            Whether its section was written.
        """
        return key in self.model_fields_set and bool(getattr(self, key, None))

    def sections(self) -> Iterator[tuple[Analysis, Any]]:
        """Every analysis to run, with all of its sections.

        Returns
        -------
        Iterator
            Every analysis to run, with its sections.
        """
        for analysis in analyses():
            if self.section(analysis.key):
                yield analysis, getattr(self, analysis.key)

    def asked(self) -> Iterator[tuple[Analysis, AnalysisRequest]]:
        """Every analysis to run, once per section.

        Returns
        -------
        Iterator
            Every analysis to run, with its options.
        """
        for analysis, _ in self.sections():
            yield from ((analysis, one) for one in self.section(analysis.key))

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [one.name for one in self.category]
        for place, name in enumerate(names):
            if name is not None and name in names[:place]:
                raise refuse(
                    f"two categories are named {name!r}",
                    "give each a different name.",
                    "category",
                    place,
                    "name",
                )
        use = {one.category_use: analysis.key for analysis, one in self.asked()}
        if self.category and set(use) <= {"none"}:
            raise refuse(
                "no requested analysis uses probe categories, since identification is switched off",
                "leave one of them out.",
                "category",
            )
        if "needed" in use and not self.category:
            raise refuse(
                "there are no probe categories",
                "define some: [[category]] in a study; --by COLUMN, --category 'NAME: RULE' or --feret on the command line.",
                use["needed"],
                "by_category",
            )
        return self


def request_type() -> type[Request]:
    """Return the class of requests for all analyses, with a field for each by key."""
    return _assembled(tuple(analyses()))


@cache
def _assembled(known: tuple[Analysis, ...]) -> type[Request]:
    fields: dict[str, Any] = {}
    for one in known:
        kind = one.request_type
        if one.many:
            made = Field(default_factory=lambda kind=kind: (kind(),)) if one.default else ()
            fields[one.key] = (SwitchedSections[kind], made)  # type: ignore[valid-type]
        else:
            fields[one.key] = (Switched[kind], Field(default_factory=kind) if one.default else None)  # type: ignore[misc, valid-type]
    return create_model("Request", __base__=Request, __module__="proband.analyses", **fields)


def only(analysis: str | None, value: Any = None, **rest: Any) -> Request:
    """A request for one analysis only, or for none, to state only the inputs."""
    off: dict[str, Any] = dict.fromkeys(analysis_keys(), False)
    asked = {} if analysis is None else {analysis: value}
    return request_type()(**{**off, **asked, **rest})
