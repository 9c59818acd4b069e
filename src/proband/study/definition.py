"""A request and its origin: a study file, the command line, or Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from proband.engine.files.files import refused, resolved
from proband.errors import Hint, ProbandError, Said, UsageError
from proband.scores.reading import KEY_MARK
from proband.study.places import Places
from proband.study.refusals import RequestError, said_as
from proband.study.requests import EmbeddingSource, ExperimentDesign, Request, ScoreSource

if TYPE_CHECKING:
    from proband.samples import Choice


@dataclass(frozen=True)
class Origin:
    """The origin of a request, to find the files it names and to locate its errors.

    Attributes
    ----------
    path, text
        The study file and its text; None and empty without one.
    places
        The line numbers of its keys.
    command
        The command line.
    """

    path: Path | None = None
    text: str = field(default="", repr=False)
    places: Places = field(default_factory=Places, repr=False, compare=False)
    command: str = ""

    def find(self, file: str) -> Path:
        """Resolve a file name relative to the study file."""
        return Path(file) if self.path is None else self.path.parent / file

    def where(self, *keys: str | int) -> str:
        """The location of a key: ``study.toml, line 12, [search] fpir``; empty without a file."""
        if self.path is None:
            return ""
        if len(keys) > 1 and isinstance(keys[1], int) and keys[:2] not in self.places.lines:
            keys = (
                keys[0],
                *keys[2:],
            )  # a single section may be written without a number
        return f"{self.path.name}, line {self.places.line(keys)}, {said_as(keys)}"

    @contextmanager
    def placed(self, place: str = "") -> Iterator[None]:
        """Add the location in the file to errors without one, if it is known."""
        try:
            yield
        except ProbandError as error:
            if self.path is not None:
                error.within(place=place or None, door="study")
            raise

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Add the location in the file to errors of a request."""
        try:
            with self.placed():
                yield
        except RequestError as error:
            error.within(place=self.where(*error.keys) or None)
            raise

    def condition(self, text: str | None) -> str | None:
        """A condition for the library, with the list of ids ``@FILE`` resolved."""
        return f"@{self.find(text[1:])}" if text is not None and text.startswith("@") else text

    def references(self, source: ScoreSource | EmbeddingSource) -> tuple[str, ...]:
        """The references of a source for readers, one for each of its keys: ``FILE`` or ``FILE::KEY``."""
        file = str(self.find(source.file))
        return tuple(f"{file}{KEY_MARK}{key}" for key in source.key) or (file,)

    def enrolled(self, experiment: ExperimentDesign) -> Choice | None:
        """The enrolled samples: gallery and one_per_subject of an experiment combined."""
        from proband.samples import OnePerSubject

        chosen = self.condition(experiment.gallery)
        if not experiment.one_per_subject:
            return chosen
        return OnePerSubject(where=None if chosen == "all" else chosen)


@dataclass(frozen=True)
class Study:
    """A study file: its request, with locations in the file."""

    made_by: ClassVar[str] = "read_study('study.toml')"

    request: Request
    origin: Origin

    @property
    def path(self) -> Path:
        """The path of the file."""
        assert self.origin.path is not None  # a study has one
        return self.origin.path

    @property
    def directory(self) -> Path:
        """The directory of results: by default next to the study file, named after it.

        Only the user, not the file, can choose a place outside its directory, by name or by a link.
        """
        asked = self.request.output.directory
        place = self.origin.find(asked or f"{self.path.stem}-results")
        with refused(f"{place} is not allowed as the directory of results", file=Said(place)):
            inside = resolved(place).is_relative_to(resolved(self.path.parent))
        if not inside:
            said = self.origin.where("output", "directory") if asked else self.path.name
            raise UsageError(
                f"{place} is outside the directory of the study.",
                Hint("specify the directory yourself: {option:run_directory}"),
                place=said,
            )
        return place
