"""Help that fits the terminal: usage, one example and the data first; names of options are never cut."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from inspect import cleandoc
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, get_args, get_origin

import typer
from typer.core import TyperGroup

DATA, READING, RUNNING = "Data", "Reading files", "Running"
_FIRST = (DATA, "Analysis", "Experiment", "Outcomes")
_LAST = ("Output", READING, "FERET's categories", RUNNING)
_WIDEST = 100  # letters in a line, beyond which it is hard to read
_HELD = "\N{NO-BREAK SPACE}"
_NAMES = 27  # letters in the column of options
_EXAMPLES = re.compile(r"^\[bold\]Examples?\[/bold\]$", re.MULTILINE)
_WORD = r"""(?:"[^"]*"|'[^']*'|[^\s"'])+"""
_WITH_VALUE = re.compile(rf"--?[a-zA-Z][\w-]* (?!-){_WORD}|{_WORD}")


class HelpedGroup(TyperGroup):
    """A program of several commands: its help lists them by the job they do."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        jobs: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                job = panel if isinstance(panel, str) else "Commands"
                jobs.setdefault(job, []).append((name, _summary(command.help)))
        width = _width()
        names = 2 + max(len(name) for several in jobs.values() for name, _ in several)
        lines = [f"Usage: {ctx.command_path} [OPTIONS] COMMAND ...", "", *wrap(_summary(self.help), width)]
        for job, several in jobs.items():
            lines += ["", _heading(job)]
            for name, purpose in several:
                lines += _two_columns(name, purpose, names, width)
        shown = [_row(one) for one in self.get_params(ctx) if not getattr(one, "hidden", False)]
        options = [*_listed(shown, width)]
        lines += ["", _heading("Options"), *options]
        lines += ["", self.epilog] if self.epilog else []
        formatter.write("\n".join(lines) + "\n")


@dataclass(frozen=True)
class CommandHelp:
    """What the help of a command says, whatever it is shown on.

    Attributes
    ----------
    usage
        How the command is typed.
    summary, more
        The first paragraph, and the others.
    panels
        Arguments and options by what they are about: each as it is typed, and its meaning.
    examples
        What each example shows, if that is said, and the command.
    """

    usage: str
    summary: str
    more: tuple[str, ...]
    panels: dict[str, list[tuple[str, str]]]
    examples: tuple[tuple[str, str], ...]


def help_of(command: Any, ctx: Any) -> CommandHelp:
    """The help of a command, in the order in which it is needed."""
    (summary, *more), _, examples = _parted(command.help)
    shown = [one for one in command.get_params(ctx) if not getattr(one, "hidden", False)]
    return CommandHelp(
        usage(ctx, shown),
        summary,
        tuple(more),
        {panel: [_row(one) for one in several] for panel, several in _panels(shown).items()},
        tuple(_examples(examples)),
    )


def format_command(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the help of a command: what a beginner needs stands in the first screen, and the rest in order of need."""
    width = _width()
    told = help_of(command, ctx)
    usage = wrap(f"Usage: {told.usage}", width, subsequent_indent="       ", **_WHOLE)
    lines = [*usage, "", *wrap(told.summary, width)]
    examples = [(said, [f"  {line}" for line in typed(text, width - 2)]) for said, text in told.examples]
    if examples:
        _, first = examples[0]
        lines += ["", *first]
    for panel, several in told.panels.items():
        lines += ["", _heading(panel), *_listed(several, width)]
    for paragraph in told.more:
        lines += ["", *wrap(paragraph, width)]
    if len(examples) > 1 or (examples and examples[0][0]):
        lines += ["", _heading("Examples")]
        for place, (said, shown) in enumerate(examples):
            lines += [*([""] if place and said else []), *wrap(said, width), *shown]
    formatter.write("\n".join(lines) + "\n")


def group_help(app: typer.Typer) -> None:
    """Let the program and its groups show their help so."""
    app.info.cls = HelpedGroup
    for group in app.registered_groups:
        if group.typer_instance is not None:
            group_help(group.typer_instance)


def _width() -> int:
    return min(get_terminal_size((80, 24)).columns, _WIDEST)


def _heading(text: str) -> str:
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else typer.style(text, bold=True)


def _summary(help: str | None) -> str:
    about, _, _ = _parted(help)
    return about[0]


def _parted(help: str | None) -> tuple[list[str], str, str]:
    """The paragraphs of a help text, and its examples."""
    text = cleandoc(help or "")
    mark = _EXAMPLES.search(text)
    about, examples = (text, "") if mark is None else (text[: mark.start()], text[mark.end() :])
    paragraphs = [" ".join(one.split()) for one in about.split("\n\n") if one.strip()]
    return paragraphs or [""], "" if mark is None else mark[0], examples


def _examples(examples: str) -> Iterator[tuple[str, str]]:
    """What each example shows, if that is said, and the command."""
    said = ""
    for paragraph in examples.split("\n\n"):
        text = " ".join(paragraph.split())
        if paragraph.strip("\n").startswith("  "):
            yield said, text
            said = ""
        elif text:
            said = text


def typed(command: str, width: int) -> list[str]:
    """A command to be typed, on as many lines as it needs; an option stays with its value."""
    lines = [""]
    for word in _WITH_VALUE.findall(command):
        if lines[-1] and len(lines[-1]) + len(word) + 5 > width:
            lines[-1] += " \\"
            lines.append("  ")
        lines[-1] += word if not lines[-1].strip() else f" {word}"
    return lines


def usage(ctx: Any, shown: list[Any]) -> str:
    """How the command is typed."""
    words = [ctx.command_path, "[OPTIONS]"]
    for one in shown:
        if one.param_type_name == "argument":
            name = _argument_name(one)
            words.append(name if one.required else f"[{name}]")
    return " ".join(words)


_WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def _panels(shown: list[Any]) -> dict[str, list[Any]]:
    """The options by what they are about, in the order in which they are needed; arguments first."""
    found: dict[str, list[Any]] = {}
    for one in sorted(shown, key=lambda one: one.param_type_name != "argument"):
        usual = DATA if one.param_type_name == "argument" else RUNNING if one.name == "help" else "Options"
        found.setdefault(getattr(one, "rich_help_panel", None) or usual, []).append(one)
    order = [*_FIRST, *(name for name in found if name not in (*_FIRST, *_LAST)), *_LAST]
    return {name: found[name] for name in order if name in found}


def _listed(several: list[tuple[str, str]], width: int) -> Iterator[str]:
    for name, text in several:
        yield from _two_columns(name, text, _NAMES, width)


def _row(one: Any) -> tuple[str, str]:
    """An argument or an option as it is typed, and what it means."""
    name = _argument_name(one) if one.param_type_name == "argument" else _option_name(one)
    return name, _help(one)


def _two_columns(name: str, text: str, names: int, width: int) -> list[str]:
    """A name, and what it is beside it or, if that is too long, below."""
    lines = [one.replace(_HELD, " ") for one in wrap(text, width - names - 4, **_WHOLE)] or [""]
    indent = " " * (names + 4)
    if len(name) <= names:
        return [f"  {name:<{names}}  {lines[0]}".rstrip(), *(indent + line for line in lines[1:])]
    return [f"  {name}", *(indent + line for line in lines if line)]


def _argument_name(one: Any) -> str:
    name = one.metavar or one.name.upper()
    return name if one.nargs == 1 or name.endswith("...") else f"{name}..."


def _option_name(one: Any) -> str:
    short = [name for name in one.opts if not name.startswith("--")]
    long = [name for name in one.opts if name.startswith("--")]
    names = ", ".join([*short, *long]) + "".join(f" / {name}" for name in one.secondary_opts)
    return f"{names} {_metavar(one)}".rstrip()


def _metavar(one: Any) -> str:
    if one.is_flag or one.count:
        return ""
    if one.metavar:
        return str(one.metavar)
    kind = _kind(one)
    return "|".join(kind) if isinstance(kind, list) else _STANDS_FOR.get(kind, "TEXT")


_STANDS_FOR = {int: "N", float: "X", Path: "FILE"}


def _kind(one: Any) -> Any:
    """The type of an option's value, or the words it may be; typer keeps them in one place or another, by its version."""
    described = getattr(one, "type_descriptor", None)
    if described is not None:
        kind = described.annotation
        kind = get_args(kind)[0] if get_origin(kind) is list else kind
        return (
            [str(word.value) for word in kind] if isinstance(kind, type) and issubclass(kind, Enum) else kind
        )
    words = getattr(one.type, "choices", None)
    named = {"integer": int, "integer range": int, "float": float, "float range": float, "path": Path}
    return (
        named.get(one.type.name, str)
        if words is None
        else [str(getattr(word, "value", word)) for word in words]
    )


def _help(one: Any) -> str:
    """What an option is for, with its default where there is one to tell."""
    text = one.help or ""
    default = None if callable(one.default) else one.default
    if isinstance(default, Enum):
        default = default.value
    flag = getattr(one, "is_flag", False)
    told = getattr(one, "show_default", False) and not (flag and not one.secondary_opts)
    if getattr(one, "required", False) and one.param_type_name == "option":
        return f"{text} [required]"
    if not told or default in (None, "", [], ()):
        return text
    if flag:
        default = "on" if default else "off"
    shown = default if not isinstance(default, Path) else default.as_posix()
    return f"{text} [default:{_HELD}{shown}]"
