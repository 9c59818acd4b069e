"""Options that are given twice: collected where an option takes several values, refused everywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption
from typer.models import CommandInfo

from proband.cli.help import format_command, usage
from proband.errors import UsageError


class OnceCommand(TyperCommand):
    """A command that refuses an option of one value which is given again: the last would win in silence."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        format_command(self, ctx, formatter)

    def get_usage(self, ctx: Any) -> str:
        """Return the usage as the help has it."""
        return f"Usage: {usage(ctx, self.get_params(ctx))}"

    def make_parser(self, ctx: Any) -> Any:
        """Return the parser, which looks at the order in which options came."""
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            found = parse(args=args)
            seen: set[Any] = set()
            for parameter in found[2]:
                if parameter in seen and isinstance(parameter, TyperOption) and not parameter.multiple:
                    raise UsageError(f"{parameter.opts[-1]} was given more than once.", "pass it once.")
                seen.add(parameter)
            return found

        parser.parse_args = parse_once
        return parser


def commands_of(app: typer.Typer) -> Iterator[CommandInfo]:
    """Every command of a program, those of its groups included."""
    yield from app.registered_commands
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from commands_of(group.typer_instance)


def refuse_repeats(app: typer.Typer) -> None:
    """Let every command refuse what is given twice."""
    for command in commands_of(app):
        command.cls = OnceCommand
