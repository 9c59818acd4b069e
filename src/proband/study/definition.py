"""A study: what is measured, on whom, and how, as one file says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from proband.engine.files import refused
from proband.errors import Hint, Said, UsageError
from proband.scores.base import MissingPolicy
from proband.scores.reading import KEY_MARK
from proband.study.places import Places
from proband.study.sections import (
    CategoryEntry,
    ChoicesRequest,
    ComparisonRequest,
    EmbeddingSource,
    ExperimentDesign,
    FeretRequest,
    Identification,
    ImageSource,
    Output,
    SamplesTable,
    ScoreSource,
    SearchRequest,
    StratRequest,
    VerificationRequest,
)
from proband.study.typed import TypedReader

if TYPE_CHECKING:
    from proband.samples import Choice


@dataclass(frozen=True)
class Study:
    """Everything a study file says.

    Files are kept as they are written; `path` finds them.

    Attributes
    ----------
    path
        The study file.
    text
        Its text, to the letter.
    title
        By default the file's name without its ending.
    identification, comparison, verification
        What is done unless the file says ``false``: None or empty if it does.
    search, choices, strat, feret
        What is done only if the file has such a section.
    asked
        The sections that stand in the file. Those that do not are done only where the data allow it.
    places
        Where in the text everything is said.
    """

    path: Path
    text: str = field(repr=False)
    title: str
    samples: SamplesTable | None = None
    scores: tuple[ScoreSource, ...] = ()
    embeddings: tuple[EmbeddingSource, ...] = ()
    images: ImageSource | None = None
    experiment: ExperimentDesign = field(default_factory=ExperimentDesign)
    category: tuple[CategoryEntry, ...] = ()
    identification: Identification | None = field(default_factory=Identification)
    comparison: tuple[ComparisonRequest, ...] = (ComparisonRequest(),)
    verification: VerificationRequest | None = field(default_factory=VerificationRequest)
    search: SearchRequest | None = None
    choices: ChoicesRequest | None = None
    strat: StratRequest | None = None
    feret: FeretRequest | None = None
    output: Output = field(default_factory=Output)
    asked: frozenset[str] = frozenset()
    places: Places = field(default_factory=Places, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Study({self.title!r}, {self.path.name}: {', '.join(sorted(self.asked))})"

    def find(self, file: str) -> Path:
        """Where a file named in the study is: beside the study file, unless its name says otherwise."""
        return self.path.parent / file

    def references(self, source: ScoreSource | EmbeddingSource) -> tuple[str, ...]:
        """The file of a source as readers take it, once for each of its keys: ``FILE`` or ``FILE::KEY``."""
        file = str(self.find(source.file))
        return tuple(f"{file}{KEY_MARK}{key}" for key in source.key) or (file,)

    def condition(self, text: str | None) -> str | None:
        """A condition as the library takes it: the list of ids of ``@FILE`` is found beside the study file."""
        return f"@{self.find(text[1:])}" if text is not None and text.startswith("@") else text

    def enrolled(self) -> Choice | None:
        """Who is enrolled: what gallery and one_per_subject of the experiment mean together."""
        from proband.samples import OnePerSubject

        chosen = self.condition(self.experiment.gallery)
        if not self.experiment.one_per_subject:
            return chosen
        return OnePerSubject(where=None if chosen == "all" else chosen)

    @property
    def missing(self) -> MissingPolicy:
        """What becomes of chosen samples that were not scored: left out if any source says so."""
        said = [one.missing for one in self.scores] + [one.missing for one in self.embeddings]
        return "drop" if "drop" in said else "error"

    @property
    def directory(self) -> Path:
        """Where the results go: by default beside the study file, named after it.

        A place outside the directory of the study file, by its name or by a link, only the user can choose, and not the file.
        """
        place = self.find(self.output.directory or f"{self.path.stem}-results")
        with refused(f"{place} is no place for results", file=Said(place)):
            inside = place.resolve().is_relative_to(self.path.parent.resolve())
        if not inside:
            said = self.where("output", "directory") if self.output.directory else self.path.name
            raise UsageError(
                f"{place} leads out of the directory of the study.",
                Hint("name the place yourself: {option:run_directory}"),
                place=said,
            )
        return place

    def where(self, *keys: str | int) -> str:
        """Where the file says something: ``study.toml, line 12, [search] fpir``."""
        return TypedReader(self.path, self.places).where(keys)
