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
    """The command that asks for an analysis. Its options are the fields of the request, and what it prints and writes is the view's.

    Parameters
    ----------
    name, help
        What is typed, with a blank where it stands in a group, and what ``--help`` says: a first sentence, more of it, and examples.
    job
        The heading of the program's help under which it stands.
    title
        What its page is called.
    reads
        ``scores``: scores or embeddings and the table of samples; ``files``: what the request makes of their names
        (`AnalysisRequest.from_files`); ``either``: files if `switch` is on, and scores else; or what reads in its own way,
        ``module:attribute``, a dataclass of options that returns the sources of a request.
    files
        What stands for the names of files in help, and what they are.
    switch
        An option that chooses it, where several analyses have one command, or reads files where it reads either: its name and help.
    experiment
        The fields of the experiment that are options; None for all.
    categories
        Whether probes have categories.
    output
        The fields of the output that are options.
    frames, figures
        The names under which its view has tables of rows and figures: the first is what ``--csv FILE`` and ``--figure FILE`` write, and
        ``NAME=FILE`` writes another.
    card
        Whether there is a model card of it.
    marks
        Beside which options others have no effect, where the request does not say it.
    prepare
        Changes what is read by what was asked, ``module:attribute``: a function of the values of the section and of the sources.
    parse
        How texts that name algorithms are understood once these are known, by field, ``module:attribute``.
    more
        Further options that write files of its own, a `Part`, ``module:attribute``: its method ``write`` takes the result.
    around
        What the command is wrapped in, ``module:attribute``: a function of the command, which returns one.
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
    """An analysis: what can be asked of it, what carries it out, what it finds and how that is shown.

    What is heavy is named, ``module:attribute``, and imported when it is needed.

    Parameters
    ----------
    key
        Its section in a study, and the name under which its results are found.
    request
        The class of what can be asked, an `AnalysisRequest`.
    run
        Carries it out: a function of the request (of all of them, where there may be `many`) and the `Context`. It returns the result,
        or None where there is nothing to report.
    result
        The class of what it finds.
    view
        How that is shown.
    place
        Where it stands among the others, in studies and in runs: analyses go by ascending place.
    many
        Whether a study may ask for several: ``[[comparison]]``.
    default
        Whether it is carried out unasked. If the data do not allow it then, a note says so.
    command
        The command that asks for it, if there is one of its own.
    blind
        Whether blind tests are scored by it.
    moved
        Keys that stood at the top of ``proband-results/2``, and where they stand in its result now.
    prepare
        Refuses what cannot be done before any analysis is run; it takes what `run` takes.
    propose
        What a first study file says of it: a function of the `Proposal` for a user's files, which returns a `Suggestion`.
    after
        The analyses whose requests or results it asks the `Context` for: no others.
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
        """Whether it comes with the program, and not with another package."""
        home = self.request if isinstance(self.request, str) else self.request.__module__
        return home.startswith("proband.")

    @property
    def request_type(self) -> type[AnalysisRequest]:
        """The class of what can be asked."""
        return loaded(self.request)

    @property
    def result_type(self) -> type[Result]:
        """The class of what it finds."""
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
