"""The generated pages of the reference: every command, every key of a study file, every public name.

They are made of the program's own records (its commands, the schema of requests, what packages list), so that no list is kept by hand.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Sequence
from enum import Enum
from inspect import cleandoc, getdoc
from typing import Any, Literal, get_args, get_origin

import typer
from typer.main import get_command

import proband as pb
from proband.cli.app import app
from proband.cli.help import CommandHelp, help_of, typed
from proband.study.analysis import analyses
from proband.study.refusals import model_of, plain_type
from proband.study.requests import Place, request_type

COMMANDS, PYTHON = "reference/commands", "reference/python"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#$~])")
_TYPED = re.compile(
    r"(?<![\w-])(--?[a-zA-Z][\w-]*|\[\[?\w+\]\]?(?= |$)|\w+\.(?:json|toml|csv|npz|npy|mtx))(?![\w-])"
)
_WIDTH = 72


def generated() -> dict[str, str]:
    """Every generated page, by its path below docs."""
    return {**command_pages(), **python_pages()}


# Commands


def command_jobs() -> dict[str, list[tuple[str, Any]]]:
    """The commands as help lists them: by job, with groups of commands whole."""
    jobs: dict[str, list[tuple[str, Any]]] = {}
    for name, command in _inner(get_command(app)):
        jobs.setdefault(str(getattr(command, "rich_help_panel", None) or "Commands"), []).append(
            (name, command)
        )
    return jobs


def command_pages() -> dict[str, str]:
    """A page for each command, with its options; commands of a group share one."""
    return {
        f"{COMMANDS}/{name}.md": _command_page(name, command)
        for several in command_jobs().values()
        for name, command in several
    }


def command_table() -> str:
    """The commands by job, each with what it is for and a link to its page, and their place in the navigation."""
    lines: list[str] = []
    for job, several in command_jobs().items():
        lines += [f"**{job}**", "", "| command | purpose |", "|---|---|"]
        lines += [
            f"| [`{name}`](commands/{name}.md) | {_prose(_first(command))} |" for name, command in several
        ]
        lines.append("")
    names = [f"commands/{name}" for several in command_jobs().values() for name, _ in several]
    return "\n".join([*lines, *_hidden_toctree(names)])


def _inner(command: Any) -> list[tuple[str, Any]]:
    return [(name, one) for name, one in getattr(command, "commands", {}).items() if not one.hidden]


def _first(command: Any) -> str:
    return " ".join(cleandoc(command.help or "").split("\n\n")[0].split())


def _command_page(name: str, command: Any) -> str:
    lines = [f"# {name}", ""]
    several = _inner(command)
    if several:
        lines += [_prose(_first(command)), ""]
        for inner, one in several:
            lines += [f"## {name} {inner}", "", *_command_lines(f"proband {name} {inner}", one, "###")]
    else:
        lines += _command_lines(f"proband {name}", command, "##")
    return "\n".join(lines).rstrip() + "\n"


def _command_lines(path: str, command: Any, heading: str) -> Iterator[str]:
    said: CommandHelp = help_of(command, typer.Context(command, info_name=path))
    yield from (_prose(said.summary), "", "```console", f"$ {said.usage}", "```", "")
    for paragraph in said.more:
        yield from (_prose(paragraph), "")
    if said.examples:
        yield from (f"{heading} Examples", "")
        for shown, text in said.examples:
            if shown:
                yield from (_prose(shown), "")
            first, *rest = typed(text, _WIDTH)
            yield from ("```console", f"$ {first}", *(f"  {line}" for line in rest), "```", "")
    for panel, rows in said.panels.items():
        yield from (f"{heading} {panel}", "", "| option | meaning |", "|---|---|")
        yield from (f"| {_code(option)} | {_prose(meaning)} |" for option, meaning in rows)
        yield ""


# Keys of a study


def study_sections() -> tuple[str, ...]:
    """The sections of a study file, in the order of the request."""
    return tuple(name for name, field in request_type().model_fields.items() if model_of(field.annotation))


def study_keys(section: str) -> str:
    """The keys of a section of a study file: what each takes, its default and what it means."""
    model = model_of(request_type().model_fields[section].annotation)
    assert model is not None, section
    summary, *_ = cleandoc(model.__doc__ or "").split("\n\n")
    lines = [_prose(" ".join(summary.split())), "", *_key_rows(model)]
    for name, field in model.model_fields.items():
        inner = model_of(field.annotation)
        if inner is not None:
            lines += ["", f"Keys of `{section}.{name}`:", "", *_key_rows(inner)]
    command = next((one.command for one in analyses() if one.key == section), None)
    if command is not None:
        page = command.name.partition(" ")[0]
        lines += ["", f"On the command line: [`proband {command.name}`](commands/{page}.md)."]
    return "\n".join(lines)


def _key_rows(model: Any) -> Iterator[str]:
    yield from ("| key | value | default | meaning |", "|---|---|---|---|")
    for name, field in sorted(model.model_fields.items(), key=lambda one: not one[1].is_required()):
        meaning = _prose(field.description or "")
        yield f"| `{name}` | {_value(field)} | {_default(field)} | {meaning} |"


def _value(field: Any) -> str:
    """What a key takes, in the words of TOML."""
    plain, said = plain_type(field.annotation)
    place = next((one.kind for one in (*said, *field.metadata) if isinstance(one, Place)), None)
    if get_origin(plain) is tuple:
        inner, more = plain_type(get_args(plain)[0])
        place = place or next((one.kind for one in more if isinstance(one, Place)), None)
        return f"list of {_kind(inner, place, 's')}"
    return _kind(plain, place, "")


def _kind(plain: Any, place: str | None, plural: str) -> str:
    if get_origin(plain) is Literal:
        return ", ".join(_code(_toml(one)) for one in get_args(plain))
    if place is not None:
        return place if not plural else {"file or directory": "files or directories"}.get(place, f"{place}s")
    if hasattr(plain, "model_fields"):
        return f"table{plural}"
    words = {
        bool: "true or false",
        int: f"whole number{plural}",
        float: f"number{plural}",
        str: f"text{plural}",
    }
    return words.get(
        plain, "table" if get_origin(plain) in (dict, types.MappingProxyType) else f"text{plural}"
    )


def _default(field: Any) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value == () or hasattr(type(value), "model_fields"):
        return ""
    return _code(_toml(value))


def _toml(value: Any) -> str:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)


# Public names


def namespaces() -> dict[str, list[str]]:
    """The public names of the package and of each of its namespaces; a name that is in both is listed at the top alone."""
    rooms = [name for name in _listed(pb) if isinstance(getattr(pb, name), types.ModuleType)]
    top = [name for name in _listed(pb) if name not in rooms]
    found = {"proband": top}
    known = [getattr(pb, name) for name in top]
    for room in rooms:
        module = getattr(pb, room)
        found[f"proband.{room}"] = [
            name for name in _listed(module) if not any(getattr(module, name) is one for one in known)
        ]
    return found


def aliases() -> dict[str, str]:
    """Every public name as docstrings have it, and where it is documented; a name of several namespaces is not among them."""
    places: dict[str, list[str]] = {}
    for space, names in namespaces().items():
        for name in names:
            places.setdefault(name, []).append(f"{space}.{name}")
    return {name: found[0] for name, found in places.items() if len(found) == 1}


def python_pages() -> dict[str, str]:
    """A page for each namespace with what it has, and a page for each public name."""
    pages: dict[str, str] = {}
    for space, names in namespaces().items():
        module = _resolved(space)
        pages[f"{PYTHON}/{space}.rst"] = _space_page(space, module, names)
        for name in names:
            pages[f"{PYTHON}/{space}.{name}.rst"] = _name_page(space, name, getattr(module, name))
    return pages


def python_table() -> str:
    """The namespaces, each with what it is for and a link to its page, and their place in the navigation."""
    lines = ["| namespace | what is in it |", "|---|---|"]
    for space in namespaces():
        summary = (getdoc(_resolved(space)) or "").split("\n\n")[0].replace("``", "`")
        lines.append(f"| [`{space}`](python/{space}.rst) | {_prose(' '.join(summary.split()))} |")
    return "\n".join([*lines, "", *_hidden_toctree([f"python/{space}" for space in namespaces()])])


def _space_page(space: str, module: Any, names: Sequence[str]) -> str:
    return "\n".join(
        [
            *_title(space),
            (getdoc(module) or "").split("\n\n")[0],
            "",
            f".. currentmodule:: {space}",
            "",
            ".. autosummary::",
            "   :toctree: .",
            "",
            *(f"   {name}" for name in names),
            "",
        ]
    )


def _name_page(space: str, name: str, value: Any) -> str:
    if isinstance(value, type):
        bases = [] if value.__bases__ == (object,) else ["   :show-inheritance:"]
        shown = [f".. autoclass:: {name}", "   :members:", *bases]
    elif isinstance(value, types.FunctionType):
        shown = [f".. autofunction:: {name}"]
    else:
        shown = [f".. autodata:: {name}", "   :no-value:"]
    return "\n".join([*_title(f"{space}.{name}"), f".. currentmodule:: {space}", "", *shown, ""])


def _title(text: str) -> tuple[str, str, str]:
    return text, "=" * len(text), ""


def _listed(module: Any) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def _resolved(space: str) -> Any:
    _, _, room = space.partition(".")
    return getattr(pb, room) if room else pb


# Markdown


def _hidden_toctree(pages: Sequence[str]) -> tuple[str, ...]:
    return "```{toctree}", ":hidden:", "", *pages, "```"


def _prose(text: str) -> str:
    """A plain text as Markdown: nothing in it is markup, and what is typed looks so."""
    parts = re.split(r"(`[^`]+`)", text.replace("``", "`"))
    return "".join(part if place % 2 else _with_code(part) for place, part in enumerate(parts))


def _with_code(text: str) -> str:
    made, end = "", 0
    for found in _TYPED.finditer(text):
        made += _SPECIAL.sub(r"\\\1", text[end : found.start()]) + f"`{found[0]}`"
        end = found.end()
    return made + _SPECIAL.sub(r"\\\1", text[end:])


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"
