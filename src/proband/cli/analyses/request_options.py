"""Options that are the fields of requests: how they are typed, and the request that they make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from proband.cli import options as o
from proband.cli.analyses.findings import OutputFiles, output_parameters
from proband.cli.command import Command, Do, flag
from proband.cli.inputs import numbers, whole_numbers
from proband.engine.registry import imported
from proband.errors import UsageError, meant
from proband.marks import Needs
from proband.study.analysis import Analysis, analyses

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from proband.study.refusals import Keys
    from proband.study.requests import Option, Part, Request

_PANELS = {"experiment": "Experiment", "category": "Experiment", "output": "Output"}
_FERET_COLUMNS = ("image_set", "date", "camera", "long_after")
Parsers = Mapping[str, Callable[[str, Sequence[str]], Any]]


@dataclass(frozen=True)
class Asked:
    """What was asked by options, as a study would say it."""

    section: str
    values: dict[str, Any]
    parsers: Parsers

    @property
    def needs_names(self) -> bool:
        """Whether what was said can be understood only with the names of the algorithms."""
        return any(self.values[self.section].get(name) for name in self.parsers)

    def request(self, names: Sequence[str] = (), **more: Any) -> Request:
        """The request: this analysis, and no other."""
        from proband.study.requests import only

        parts = {name: {**value} if isinstance(value, dict) else value for name, value in self.values.items()}
        own, read = parts.pop(self.section), more.pop(self.section, {})
        twice = next((name for name in read if name in own), None)
        if twice is not None:
            raise UsageError(
                f"{flag(twice)} names {own[twice]}, but {read[twice]} is also named.",
                "specify it only once.",
            )
        own |= read
        with spelled():
            for name, parse in self.parsers.items():
                if own.get(name):
                    own[name] = tuple(parse(text, names) for text in own[name])
            return only(self.section, own, **more, **{name: value for name, value in parts.items() if value})


@contextmanager
def spelled() -> Iterator[None]:
    """Say what is wrong with a request by the options it was made of."""
    from proband.study.refusals import RequestError

    try:
        yield
    except RequestError as error:
        error.within(place=_option_of(error.keys), door="command line")
        raise


@dataclass(frozen=True)
class RequestOptions:
    """The options of an analysis, of its experiment, its categories and its output."""

    section: str
    experiment: Collection[str] | None
    categories: bool
    output: Collection[str] = ("confidence_level", "seed", "formats")
    parse: str | None = None

    @property
    def parts(self) -> dict[str, Collection[str] | None]:
        """The sections, and which of their fields are options; None for all. One of the section itself goes before others."""
        return {
            self.section: None,
            "experiment": self.experiment,
            "output": self.output,
        }

    def fields(self) -> Iterator[tuple[str, str, FieldInfo]]:
        """Section, name and field of every option."""
        taken: set[str] = set()
        for section, names in self.parts.items():
            for name, one in _part(section).model_fields.items():
                if name not in taken and (names is None or name in names) and said_of(one).typed:
                    taken.add(name)
                    yield section, name, one

    def parameters(self) -> list[Parameter]:
        """The options as typer takes them."""
        shown = [parameter(section, name, one) for section, name, one in self.fields()]
        return [*shown, *(_category_parameters() if self.categories else ())]

    def asked(self, given: Mapping[str, Any]) -> Asked:
        """What was said; what was not is left out."""
        made: dict[str, Any] = {section: {} for section in self.parts}
        for section, name, one in self.fields():
            value = value_of(name, given[name], one.annotation)
            if value is not None and value != one.default:
                made[section][name] = value
        if self.categories:
            made["category"] = _entries(given)
            if made["category"] and "by_category" in given:
                made[self.section]["by_category"] = True  # whoever names categories wants them
        parsers: Parsers = {} if self.parse is None else imported(self.parse)
        return Asked(self.section, made, parsers)


def requesting(wanted: Callable[[Analysis], bool]) -> Callable[[Do], Command]:
    """Give a command the options of an analysis of what it reads in its own way, and of its files: `asked` and `files`."""
    analysis = next(one for one in analyses() if wanted(one))
    told = analysis.command
    assert told is not None  # its options are those of its own command
    options = RequestOptions(analysis.key, told.experiment, told.categories, parse=told.parse)

    def made(do: Do) -> Command:
        own = [one for one in _own_parameters(do) if one.name not in ("asked", "files")]
        outputs = output_parameters(analysis.key, told)

        def command(**given: Any) -> int | None:
            extra = {one.name: given.pop(one.name) for one in own}
            files = OutputFiles.taken(given)
            return do(asked=options.asked(given), files=files, **extra)

        return Command(do.__name__, do.__doc__, command, lambda: [*own, *options.parameters(), *outputs])

    return made


def _own_parameters(do: Do) -> list[Parameter]:
    hints = get_type_hints(do, include_extras=True)
    own = signature(do).parameters.values()
    return [one.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[one.name]) for one in own]


def _option_of(keys: Keys) -> str:
    """The option that a place in a request comes of, as it was typed."""
    names = [key for key in keys if isinstance(key, str)]
    if len(names) == 2 and (names[0] in _PANELS or any(one.key == names[0] for one in analyses())):
        field = _part(names[0]).model_fields.get(names[1])
        others = () if field is None else said_of(field).names
        typed = {word.partition("=")[0] for word in sys.argv[1:]}
        if flag(names[1]) not in typed and typed & set(others):
            return next((one for one in others if one.startswith("--")), flag(names[1]))
    if names[:1] == ["samples"]:
        names = ["samples" if names[-1] == "file" else names[-1]]
    if "columns" in names:
        names = ["columns"]
    return flag(names[-1])


def _part(section: str) -> type[Part]:
    """The class of a section: of an analysis, or of what all requests have."""
    from proband.study.refusals import plain_type
    from proband.study.requests import Request

    own = next((one.request_type for one in analyses() if one.key == section), None)
    if own is not None:
        return own
    plain, _ = plain_type(Request.model_fields[section].annotation)
    return plain  # type: ignore[no-any-return]


def said_of(field: FieldInfo) -> Option:
    """How the command line spells a field."""
    from proband.study.requests import Option

    return next((one for one in field.metadata if isinstance(one, Option)), Option())


def parameter(section: str, name: str, field: FieldInfo) -> Parameter:
    """A field as typer takes it."""
    kind, default, metavar = _shape(field.annotation, field.default, field.metadata)
    said = said_of(field)
    panel = said.panel or _PANELS.get(section, "Analysis")
    usual = flag(name)
    switch = next((one for one in said.names if "/" in one), None)
    if kind is bool and default:
        usual = switch or f"{usual}/--no-{name.replace('_', '-')}"
    option = typer.Option(
        usual,
        *(one for one in said.names if one != switch),
        help=field.description,
        metavar=said.metavar or metavar,
        show_default=default not in (None, False),
        rich_help_panel=panel,
    )
    needs = [Needs(*said.needs)] if said.needs else []
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option, *needs]
    )


def _shape(annotation: Any, default: Any, marks: Sequence[Any]) -> tuple[Any, Any, str | None]:
    """How the command line takes a field: its type, its default and what stands for its value."""
    from proband.study.refusals import plain_type
    from proband.study.requests import Place

    plain, said = plain_type(annotation)
    place = next((one for one in (*said, *marks) if isinstance(one, Place)), None)
    metavar = "CONDITION" if place is not None and place.kind == "condition" else None
    if get_origin(plain) is tuple:
        inner, _ = plain_type(get_args(plain)[0])
        if inner in (int, float):
            return str if default else str | None, ",".join(f"{one:g}" for one in default) or None, "N,N,…"
        if get_origin(inner) is Literal:
            metavar = "|".join(get_args(inner))
        return list[str] | None, None, metavar
    if get_origin(plain) is Literal:
        choice = StrEnum("Choice", {one.replace("-", "_"): one for one in get_args(plain)})  # type: ignore[misc]
        return choice if default is not None else choice | None, default and choice(default), metavar
    kind = Path if place is not None and place.kind == "file" else plain
    return kind if default is not None else kind | None, default, metavar


def value_of(name: str, value: Any, annotation: Any) -> Any:
    """What was typed, as a request takes it."""
    from proband.study.refusals import plain_type

    plain, _ = plain_type(annotation)
    if value is None:
        return None
    if get_origin(plain) is tuple:
        inner, _ = plain_type(get_args(plain)[0])
        if inner in (int, float):
            return (whole_numbers if inner is int else numbers)(value, flag(name))
        return tuple(value)
    if isinstance(value, StrEnum):
        return value.value
    return str(value) if isinstance(value, Path) else value


def _category_parameters() -> list[Parameter]:
    from proband.study.requests import CategoryEntry

    columns = [parameter("category", name, CategoryEntry.model_fields[name]) for name in _FERET_COLUMNS]
    columns = [one.replace(annotation=Annotated[one.annotation, Needs("feret=on")]) for one in columns]
    return [
        Parameter("category", Parameter.KEYWORD_ONLY, default=None, annotation=o.CategoryOption),
        Parameter(
            "category_gallery", Parameter.KEYWORD_ONLY, default=None, annotation=o.CategoryGalleryOption
        ),
        Parameter("feret", Parameter.KEYWORD_ONLY, default=False, annotation=o.FeretOption),
        *columns,
        Parameter("by", Parameter.KEYWORD_ONLY, default=None, annotation=o.ByOption),
    ]


def _entries(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Categories as a study says them: FERET's, those by rule, those by column."""
    from proband.samples import Category
    from proband.study.requests import CategoryEntry

    columns = {name: given[name] for name in _FERET_COLUMNS}
    changed = {
        name: value for name, value in columns.items() if value != CategoryEntry.model_fields[name].default
    }
    entries: list[dict[str, Any]] = [{"feret": True, **changed}] if given["feret"] else []
    for text in given["category"] or ():
        one = Category.parse(text)
        entries.append({"name": one.name, "rule": one.rule, "mates": one.mates})
    for text in given["category_gallery"] or ():
        _give_gallery(entries, text)
    return entries + [{"by": column} for column in given["by"] or ()]


def _give_gallery(entries: list[dict[str, Any]], text: str) -> None:
    """Add a gallery to the category that the text names; FERET's dup2 stands in their entry."""
    name, colon, condition = (part.strip() for part in text.partition(":"))
    if not (name and colon and condition):
        raise UsageError(f"--category-gallery expects NAME: CONDITION, got {text!r:.80}.")
    named = {"dup2" if one.get("feret") else one["name"]: one for one in entries}
    if name not in named:
        known = meant(name, named) if named else "define it with --category, or with --feret for dup2."
        raise UsageError(f"--category-gallery: there is no category {name!r} to assign a gallery to.", known)
    if "gallery" in named[name]:
        raise UsageError(f"--category-gallery: {name} has two galleries.", "specify one.")
    named[name]["gallery"] = condition
