"""What an analysis is: one record, from which its section, its command, its results and its page follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from proband.engine.registry import Registry, imported

if TYPE_CHECKING:
    from proband.results.base import Result
    from proband.study.context import Context
    from proband.study.init.proposal import Proposal, Suggestion
    from proband.study.requests.base import AnalysisRequest

Thing = TypeVar("Thing")

ANALYSES = Registry("analysis", "proband.analyses", package="proband.analyses")
"""Every analysis by its key: those that come with the program, and those of installed packages."""


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
    commands
        The commands that ask for it.
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
    propose: str | Callable[[Proposal], Suggestion] | None = None
    after: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

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
