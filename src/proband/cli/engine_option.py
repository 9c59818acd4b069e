"""``--engine``, wherever there is ``--threads``: what computes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from proband.cli.command import Command
from proband.cli.repeated_options import commands_of

_ENGINE = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="Where work runs: threads, processes, processes:4, or a Dask scheduler, tcp://host:8786. Results do not depend on it.",
        rich_help_panel="Running",
    ),
]
_PARAMETER = Parameter("engine", Parameter.KEYWORD_ONLY, default=None, annotation=_ENGINE)


def let_engines_be_chosen(app: typer.Typer) -> None:
    """Give every command that has threads an engine too."""
    for info in commands_of(app):
        assert info.callback is not None  # as they were registered
        info.callback = _chosen(info.callback)


def _chosen(command: Callable[..., int | None]) -> Command:
    def parameters() -> list[Parameter]:
        hints = get_type_hints(command, include_extras=True)
        own = [
            one.replace(annotation=hints[one.name], kind=Parameter.KEYWORD_ONLY)
            for one in signature(command).parameters.values()
        ]
        threads = next((place for place, one in enumerate(own, 1) if one.name == "threads"), None)
        return own if threads is None else [*own[:threads], _PARAMETER, *own[threads:]]

    def run(**given: Any) -> int | None:
        engine = given.pop("engine", None)
        if engine is None:
            return command(**given)
        from proband.engine import using

        with using(engine):
            return command(**given)

    return Command(command.__name__, command.__doc__, run, parameters)
