"""What an analysis is: one record, from which its section, its command, its results and its page follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from proband.engine.registry import Registry, imported
from proband.marks import Needs, Unless

if TYPE_CHECKING:
    from proband.results.base import Result
    from proband.study.context import Context
    from proband.study.init.proposal import Proposal, Suggestion
    from proband.study.requests.base import AnalysisRequest

Thing = TypeVar("Thing")

Marks = Needs | Unless | tuple[Needs | Unless, ...]

ANALYSES = Registry("analysis", "proband.analyses", package="proband.analyses")
"""Every analysis by its key: those that come with the program, and those of installed packages."""


@dataclass(frozen=True, eq=False)
class AnalysisCommand:
    """The command of an analysis. Its options are the fields of the request; its output is defined by the view.

    Parameters
    ----------
    name, help
        The name as typed, with a blank after its group, if any; and the help: a summary sentence, details, and examples.
    job
        The heading in the program's help under which it is listed.
    title
        The title of its page.
    reads
        ``scores``: scores or embeddings and the table of samples; ``files``: files, converted by
        `AnalysisRequest.from_files`; ``either``: files if `switch` is on, otherwise scores; or
        ``module:attribute``, a dataclass of options that returns the sources of a request.
    files
        The placeholder for file names in the help, and its description.
    switch
        An option that selects this analysis if several share one command, or that selects files if it reads either: its name and help.
    experiment
        The fields of the experiment that are options; None for all.
    categories
        Whether options for probe categories are added.
    output
        The fields of the output that are options.
    frames, figures
        The names of tables and figures in its view: the first is written by ``--csv FILE`` and ``--figure FILE``, others by ``NAME=FILE``.
    card
        Whether it has a model card.
    marks
        Options without effect in combination with others, if not stated in the request.
    prepare
        Adapts the sources to the request, ``module:attribute``: a function of the values of the section and of the sources.
    parse
        Parsers of texts that name algorithms, by field, ``module:attribute``; called once the names are known.
    more
        Further options that write additional files, a `Part`, ``module:attribute``: its method ``write`` takes the result.
    around
        A wrapper of the command, ``module:attribute``: a function that takes and returns a command.
    code
        The exit code, ``module:attribute``: a function of the result and its request.
    """

    name: str
    help: str
    job: str
    title: str
    reads: str = "scores"
    files: tuple[str, str] = ("FILE", "")
    switch: tuple[str, str] | None = None
    experiment: tuple[str, ...] | None = None
    categories: bool = False
    output: tuple[str, ...] = ("confidence_level", "seed", "formats")
    frames: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    card: bool = False
    marks: Mapping[str, Marks] = field(default_factory=dict)
    prepare: str | None = None
    parse: str | None = None
    more: str | None = None
    around: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Analysis:
    """An analysis: its request, the function that runs it, its result and the view of the result.

    Expensive parts are given as ``module:attribute``, and imported on first use.

    Parameters
    ----------
    key
        Its section in a study, and the key of its results.
    request
        The class of its request, an `AnalysisRequest`.
    run
        Runs it: a function of the request (or of all requests, with `many`) and the `Context`. It returns the
        result, or None if there is nothing to report.
    result
        The class of its result.
    view
        The view of its result.
    place
        Its position in studies and runs: analyses are sorted by ascending place.
    many
        Whether a study may contain several sections: ``[[comparison]]``.
    default
        Whether it runs by default. If the data do not allow it then, a note states that.
    command
        Its command, if it has one.
    blind
        Whether blind tests are scored with it.
    moved
        Keys at the top level of ``proband-results/2``, and their places in its result now.
    prepare
        Refuses impossible requests before any analysis runs; it takes the arguments of `run`.
    propose
        Its section in a new study file: a function of the `Proposal` for a user's files, which returns a `Suggestion`.
    after
        The analyses whose requests or results it reads from the `Context`.
    """

    key: str
    request: str | type[AnalysisRequest]
    run: str | Callable[[Any, Context], Result | None]
    result: str | type[Result]
    view: str | Any = None
    place: float = 100.0
    many: bool = False
    default: bool = False
    prepare: str | Callable[[Any, Context], object] | None = None
    command: AnalysisCommand | None = None
    blind: bool = False
    moved: Mapping[str, str] = field(default_factory=dict, compare=False)
    propose: str | Callable[[Proposal], Suggestion] | None = None
    after: tuple[str, ...] = ()

    @property
    def bundled(self) -> bool:
        """Whether it is part of Proband, and not of another package."""
        home = self.request if isinstance(self.request, str) else self.request.__module__
        return home.startswith("proband.")

    @property
    def request_type(self) -> type[AnalysisRequest]:
        """The class of what can be asked."""
        return loaded(self.request)

    @property
    def result_type(self) -> type[Result]:
        """The class of its result."""
        return loaded(self.result)

    def prepared(self, asked: Any, context: Context) -> None:
        """Refuse what cannot be done, before anything is computed."""
        if self.prepare is not None:
            loaded(self.prepare)(asked, context)

    def carried_out(self, asked: Any, context: Context) -> Result | None:
        """Return what it finds."""
        return loaded(self.run)(asked, context)


def loaded(thing: str | Thing) -> Thing:
    """Return what a record holds, imported if it is named."""
    return imported(thing) if isinstance(thing, str) else thing


def analyses() -> list[Analysis]:
    """Every analysis, in order."""
    return sorted(ANALYSES.everything().values(), key=lambda one: one.place)


def analysis_keys() -> list[str]:
    """The sections of a study that are analyses: they may be switched on and off, ``verification = false``."""
    return [one.key for one in analyses()]
