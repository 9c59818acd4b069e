"""A request and where it was written: in a study file, on the command line, or in Python."""

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
    """Where a request was written, so that the files it names are found and its faults are told where they stand.

    Attributes
    ----------
    path, text
        The study file and what it says; None and empty where there is none.
    places
        On which line it says what.
    command
        What was typed.
    """

    path: Path | None = None
    text: str = field(default="", repr=False)
    places: Places = field(default_factory=Places, repr=False, compare=False)
    command: str = ""

    def find(self, file: str) -> Path:
        """Where a file that is named is: beside the study file, unless its name says otherwise."""
        return Path(file) if self.path is None else self.path.parent / file

    def where(self, *keys: str | int) -> str:
        """Where something is said: ``study.toml, line 12, [search] fpir``; empty where there is no file."""
        if self.path is None:
            return ""
        if len(keys) > 1 and isinstance(keys[1], int) and keys[:2] not in self.places.lines:
            keys = (
                keys[0],
                *keys[2:],
            )  # one of several sections may be written as the only one, without a number
        return f"{self.path.name}, line {self.places.line(keys)}, {said_as(keys)}"

    @contextmanager
    def placed(self, place: str = "") -> Iterator[None]:
        """Say where in the file errors come from, if they do not say it yet and it is known; they are mended by keys."""
        try:
            yield
        except ProbandError as error:
            if self.path is not None:
                error.within(place=place or None, door="study")
            raise

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Say where in the file stands what is wrong with a request."""
        try:
            with self.placed():
                yield
        except RequestError as error:
            error.within(place=self.where(*error.keys) or None)
            raise

    def condition(self, text: str | None) -> str | None:
        """A condition as the library takes it: the list of ids of ``@FILE`` is found from here."""
        return f"@{self.find(text[1:])}" if text is not None and text.startswith("@") else text

    def references(self, source: ScoreSource | EmbeddingSource) -> tuple[str, ...]:
        """The file of a source as readers take it, once for each of its keys: ``FILE`` or ``FILE::KEY``."""
        file = str(self.find(source.file))
        return tuple(f"{file}{KEY_MARK}{key}" for key in source.key) or (file,)

    def enrolled(self, experiment: ExperimentDesign) -> Choice | None:
        """Who is enrolled: what gallery and one_per_subject of an experiment mean together."""
        from proband.samples import OnePerSubject

        chosen = self.condition(experiment.gallery)
        if not experiment.one_per_subject:
            return chosen
        return OnePerSubject(where=None if chosen == "all" else chosen)


@dataclass(frozen=True)
class Study:
    """A study file: what it asks for, and where it says so."""

    made_by: ClassVar[str] = "read_study('study.toml')"

    request: Request
    origin: Origin

    @property
    def path(self) -> Path:
        """The file."""
        assert self.origin.path is not None  # a study has one
        return self.origin.path

    @property
    def directory(self) -> Path:
        """Where the results go: by default beside the study file, named after it.

        A place outside the directory of the study file, by its name or by a link, only the user can choose, and not the file.
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
