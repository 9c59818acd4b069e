"""The program: its commands, and how its errors reach the user."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from contextlib import suppress
from functools import cache
from typing import Any, NoReturn

import typer

from proband._version import __version__
from proband.cli.analyses.commands import analysis_commands
from proband.cli.blind.blind import blind
from proband.cli.coverage import coverage
from proband.cli.data.array import array
from proband.cli.data.convert import convert
from proband.cli.data.diff import diff
from proband.cli.data.init import init
from proband.cli.data.inspect import inspect
from proband.cli.data.migrate import migrate
from proband.cli.data.schema import schema
from proband.cli.engine_option import let_engines_be_chosen
from proband.cli.faults import (
    TRACEBACK_VARIABLE,
    as_wide_as_the_terminal,
    complaint,
    explain_bus_errors,
    let_all_be_printed,
    meant_among,
    outlive_outputs,
    require_output,
    share_among,
    words_of,
)
from proband.cli.help import HelpedGroup, group_help
from proband.cli.images.alter import alter
from proband.cli.images.demo import demo
from proband.cli.images.faces import faces
from proband.cli.images.recognize import recognize
from proband.cli.images.reproduce import reproduce
from proband.cli.plan import plan
from proband.cli.protocols.card import card
from proband.cli.protocols.literature import literature
from proband.cli.protocols.protocol import protocol
from proband.cli.repeated_options import refuse_repeats
from proband.cli.run import run
from proband.errors import DesignError, NeededOptions, ProbandError
from proband.words import as_typed, digits

_LEAST_ADDRESSES = 2 << 30

_LOOK: dict[str, Any] = {
    "name": "proband",
    "help": "How good is a recognition algorithm, how sure can we be, and is it better than another?",
    "epilog": "Start with: proband demo",
    "no_args_is_help": True,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
_JOBS: dict[str, list[Any]] = {
    "Evaluate scores": [],
    "Run a complete study": [demo, init, run, diff, migrate],
    "Classifiers and their protocols": [protocol, card, literature],
    "Plan or administer a test": [plan, coverage, blind],
    "Published studies": [reproduce],
    "Files and images": [inspect, convert, recognize, faces, alter, array, schema],
}
_GROUPS = {
    one.info.name: one for several in _JOBS.values() for one in several if isinstance(one, typer.Typer)
}
for _job, _made in analysis_commands():
    _group, _, _name = _made.__name__.rpartition(" ")
    if _group:
        _GROUPS[_group].command(_name)(_made)
    else:
        _JOBS.setdefault(_job, []).append(_made)
app = typer.Typer(**_LOOK)
for _job, _commands in _JOBS.items():
    for _one in _commands:
        if isinstance(_one, typer.Typer):
            app.add_typer(_one, rich_help_panel=_job)
        else:
            app.command(rich_help_panel=_job)(_one)
group_help(app)
refuse_repeats(app)
let_engines_be_chosen(app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"proband {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: bool = typer.Option(
        False, "--version", help="Show the version and exit.", callback=_version, is_eager=True
    ),
) -> None:
    """Evaluate recognition algorithms."""
    _require_addresses()


def _require_addresses() -> None:
    """Refuse a limit on addresses within which the libraries cannot even be loaded: some of them would wait forever."""
    try:
        import resource
    except ImportError:  # Windows
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < _LEAST_ADDRESSES:
        raise DesignError(
            f"This program may use {digits(allowed / (1 << 30), 2)} GiB of address space (ulimit -v); its libraries reserve "
            f"{digits(_LEAST_ADDRESSES / (1 << 30), 2)} GiB, most of it never used.",
            "raise the limit, or limit memory with a control group instead.",
        )


@cache
def _program_for(chosen: str | None) -> Any:
    """The program with one command whole, and of the others no more than help lists: making all their options takes longest."""
    shown = typer.Typer(**_LOOK)
    shown.callback()(_program)
    for info in app.registered_commands:
        assert info.callback is not None  # as they were registered
        if info.callback.__name__ == chosen:
            shown.registered_commands.append(info)
        else:
            shown.command(info.callback.__name__, rich_help_panel=info.rich_help_panel)(_named(info.callback))
    for group in app.registered_groups:
        assert group.typer_instance is not None  # as they were registered
        described = group.typer_instance.info
        if described.name == chosen:
            shown.registered_groups.append(group)
        else:
            inner = typer.Typer(name=described.name, help=described.help)
            inner.command()(lambda: None)
            shown.add_typer(inner, rich_help_panel=group.rich_help_panel)
    shown.info.cls = HelpedGroup
    return typer.main.get_command(shown)


def _named(command: Any) -> Any:
    def nothing() -> None: ...

    nothing.__name__, nothing.__doc__ = command.__name__, command.__doc__
    return nothing


class _Notes(logging.Handler):
    """Shows what the library logs: what changes no number, and the user should know."""

    def emit(self, record: logging.LogRecord) -> None:
        from proband.words import printable

        if getattr(record, "terminal_only", False) and not sys.stderr.isatty():
            return
        with suppress(OSError):
            typer.secho(f"note: {printable(record.getMessage())}", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the program: exit code 0 if all is well, 1 for unfit data, 2 for a wrong request."""
    if arguments is None:
        explain_bus_errors()
        outlive_outputs()
        # BLAS's threads spin for a while before they sleep: that costs a tenth of a second of CPU as soon as it is loaded.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # Figures are drawn all the same: a letter no font has is a box, and a name too long for its room is cut.
    for message in ("Glyph .* missing from", "constrained_layout not applied"):
        warnings.filterwarnings("ignore", message, UserWarning)
    log = logging.getLogger("proband")
    log.handlers = [_Notes()]
    log.setLevel(logging.INFO)
    # A picture of too many pixels is refused, which says more than the warning before it.
    warnings.filterwarnings("ignore", "Image size .* exceeds limit")
    let_all_be_printed()
    try:
        given = sys.argv[1:] if arguments is None else arguments
        completed = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
        words = given or completed.split()[1:]  # a shell that completes a command passes it so
        chosen = next((word for word in words if not word.startswith("-")), None)
        code = _program_for(chosen)(given, standalone_mode=False)
        require_output()  # while a full disk can still be told
    except ProbandError as error:
        message, hint = error.told("command line")
        command = None
        if isinstance(error.cure, NeededOptions) and error.door != "study":
            command = _command_with(given, error.cure)
        _end(f"{error.kind}: {message}", hint, error.exit_code, command)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _end("stopped", None, 130)
    except Exception as error:
        # Typer's own complaints about options and arguments know how to show themselves.
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            hint = meant_among(error)
            typer.echo(as_wide_as_the_terminal(complaint(error)), err=True)
            if type(error).__name__ == "BadParameter":
                hint = hint or share_among(given)
            if hint:
                typer.echo(as_wide_as_the_terminal(f"hint: {hint}"), err=True)
            sys.exit(error.exit_code)
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        message, hint = words_of(error)
        _end(f"{type(error).__name__}: {message}", hint, 1)
    sys.exit(code if isinstance(code, int) else 0)


def _command_with(given: list[str], needed: NeededOptions) -> str:
    """The command as it was typed, with what it needs besides; what was given otherwise is replaced."""
    words = ["proband", *given]
    for option, _ in needed.options:
        flag = option.told("command line").split()[0]
        if flag in words:
            del words[words.index(flag) : words.index(flag) + 2]
    return f"{as_typed(*words)} {needed.spelled('command line')}"


def _end(message: str, hint: str | None, code: int, command: str | None = None) -> NoReturn:
    """Say why the program ends, where that can still be said, and what to type instead."""
    from proband.words import printable

    with suppress(OSError):
        typer.secho(as_wide_as_the_terminal(printable(message)), fg="red" if code != 130 else None, err=True)
        if hint:
            typer.secho(as_wide_as_the_terminal(f"hint: {printable(hint)}"), err=True)
        if command:  # a line of its own, which is never broken: it can be copied
            typer.secho(f"  {printable(command)}", err=True)
    sys.exit(code)
