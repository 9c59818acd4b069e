"""Commands that carry out an analysis: their options are the fields of requests, and what they do is `run`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import cache
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from proband.cli import options as o
from proband.cli.analyses.feret_pairs import PAIRS
from proband.cli.console import progress_bars, tell, typed, wrote
from proband.cli.inputs import Reads, RunInputs, ScoreInputs, numbers, whole_numbers
from proband.cli.outputs import ReportFile, require_apart, write_page
from proband.errors import Hint, UsageError
from proband.marks import Needs, Unless, why_idle

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from proband.study.findings import Findings
    from proband.study.refusals import Keys
    from proband.study.requests import Option, Part, Request

_PANELS = {"experiment": "Experiment", "category": "Experiment", "output": "Output"}
_FERET_COLUMNS = ("image_set", "date", "camera", "long_after")
Show = Callable[..., int | None]
Marks = Needs | Unless | tuple[Needs | Unless, ...]


def analysis(
    section: str,
    title: str,
    *,
    experiment: Collection[str] | None = None,
    categories: bool = False,
    output: Collection[str] = ("confidence_level", "seed", "formats"),
    reads: type[Reads] = ScoreInputs,
    prepare: Callable[[Asked, Any], Any] | None = None,
    kept: Callable[[Any, Path | None], AbstractContextManager[Path | None]] = lambda _, __: nullcontext(),
    marks: Callable[[], Mapping[str, Marks]] = dict,
) -> Callable[[Show], Command]:
    """Make a command of what shows the findings of an analysis.

    The command has an option for each field of the section, of the experiment and of the output, and those of the function, which
    takes the findings and the request first, whether JSON is wanted as `json`, and as `explain` whether everything is to be told
    beneath its tables; what it returns is the exit code.

    Parameters
    ----------
    section, title
        The analysis, and what its page is called.
    experiment
        The fields of the experiment that bear on it; None for all.
    categories
        Whether probes have categories.
    output
        The fields of the output that bear on it.
    reads
        What is read, and how that is typed.
    prepare
        What else is to be read for what was asked.
    kept
        Where costly results are kept while the command runs, by what it reads and where results go; nowhere by default.
    marks
        Beside which options of the command others have no effect, where their own declaration does not say it.
    """
    options = RequestOptions(section, experiment, categories, output)

    def made(show: Show) -> Command:
        own = [
            one for one in _own_parameters(show) if one.name not in ("found", "request", "json", "explain")
        ]
        inputs, running = (_fields_of_dataclass(group) for group in (reads, RunInputs))

        def command(**given: Any) -> int | None:
            sources = reads(**_taken(given, inputs))
            run = RunInputs(**_taken(given, running))
            extra, files = _taken(given, own), _taken(given, _FILES)
            outputs = [*_paths(extra), files["report"]]
            asked = options.asked(given)
            if prepare is not None:
                sources = prepare(asked, sources)
            with kept(sources, files["out"]) as cache:
                found, request = _carry_out(asked, title, sources, run, files["out"], outputs, cache)
                _write(found, request, files["out"], files["report"])
            code = show(found, request, json=run.json, explain=run.explain, **extra)
            for note in found.notes if run.json or run.explain else ():
                tell(f"note: {note}")
            return code

        return marked(
            Command(show, command, lambda: [*inputs, *options.parameters(), *own, *_FILES, *running]), marks
        )

    return made


def requesting(section: str, *, categories: bool = False) -> Callable[[Show], Command]:
    """Give a command the options of an analysis of what it reads in its own way: it takes what was asked as `asked`."""
    options = RequestOptions(section, None, categories)

    def made(do: Show) -> Command:
        own = [one for one in _own_parameters(do) if one.name != "asked"]

        def command(**given: Any) -> int | None:
            extra = _taken(given, own)
            return do(asked=options.asked(given), **extra)

        return Command(do, command, lambda: [*own, *options.parameters()])

    return made


class Command:
    """A command whose options are made when it is looked at: the schema of requests takes longer to load than help to show."""

    def __init__(self, of: Show, do: Show, parameters: Callable[[], Sequence[Parameter]]) -> None:
        self.__name__, self.__doc__, self.__module__ = of.__name__, of.__doc__, of.__module__
        self._do, self._parameters = do, cache(parameters)  # they are looked at several times

    @property
    def __signature__(self) -> Signature:
        return Signature(list(self._parameters()))

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {one.name: one.annotation for one in self._parameters()}

    def __call__(self, **given: Any) -> int | None:
        self._refuse_idle(given)
        return self._do(**given)

    def _refuse_idle(self, given: Mapping[str, Any]) -> None:
        """Refuse an option that has no effect beside the others, by the marks it was declared with."""
        parameters = self._parameters()
        defaults = {one.name: one.default for one in parameters}
        for one in parameters:
            marks = getattr(one.annotation, "__metadata__", ())
            if was_given(one, given) and (why := why_idle(marks, given.get, defaults)) is not None:
                message, cure = why
                raise UsageError(Hint(f"{message.template}."), cure, place=flag(one.name))


def marked(command: Command, marks: Callable[[], Mapping[str, Marks]]) -> Command:
    """A command some of whose options have no effect beside others."""

    def parameters() -> list[Parameter]:
        found = marks()
        return [
            one.replace(annotation=Annotated[(one.annotation, *_each(found[one.name]))])
            if one.name in found
            else one
            for one in signature(command).parameters.values()
        ]

    return Command(command, command, parameters)


def _each(marks: Marks) -> tuple[Needs | Unless, ...]:
    return marks if isinstance(marks, tuple) else (marks,)


def by_switch(switch: str, off: Collection[str], on: Collection[str]) -> dict[str, Needs | Unless]:
    """The marks of a command that is one of two, by the options of each: those of one alone have no effect in the other."""
    without: dict[str, Needs | Unless] = {name: Unless(f"{switch}=on") for name in off if name not in on}
    return without | {name: Needs(f"{switch}=on") for name in on if name not in off}


def was_given(parameter: Parameter, given: Mapping[str, Any]) -> bool:
    """Whether an option has another value than it would have had without being given."""
    value = given.get(parameter.name)
    return value is not None and value != parameter.default and value != []


def flag(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"


_FILES = [
    Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    for name, annotation in (("out", o.OutDir), ("report", ReportFile))
]


@dataclass(frozen=True)
class Asked:
    """What was asked by options, as a study would say it."""

    section: str
    values: dict[str, Any]

    @property
    def needs_names(self) -> bool:
        """Whether what was said can be understood only with the names of the algorithms."""
        return any(self.values[self.section].get(name) for name in PAIRS)

    def request(self, names: Sequence[str] = (), **more: Any) -> Request:
        """The request: this analysis, and no other."""
        from proband.study.requests import only

        parts = {name: {**value} if isinstance(value, dict) else value for name, value in self.values.items()}
        own, read = parts.pop(self.section), more.pop(self.section, {})
        twice = next((name for name in read if name in own), None)
        if twice is not None:
            raise UsageError(
                f"{flag(twice)} names {own[twice]}, and {read[twice]} is named besides.",
                "name it in one way.",
            )
        own |= read
        with spelled():
            for name, pair in PAIRS.items():
                if own.get(name):
                    own[name] = tuple(pair(text, names) for text in own[name])
            return only(self.section, own, **more, **{name: value for name, value in parts.items() if value})


def _carry_out(
    asked: Asked,
    title: str,
    inputs: Reads,
    running: RunInputs,
    out: Path | None,
    outputs: Sequence[Path | None],
    cache: Path | None,
) -> tuple[Findings, Request]:
    from proband.report.directory import require_free
    from proband.study.caching import Cache
    from proband.study.checking import files_named
    from proband.study.definition import Origin
    from proband.study.inputs import read_inputs
    from proband.study.requests import request_type
    from proband.study.run import run

    origin = Origin(command=typed())
    sources = {"title": title, **inputs.sources()}
    if out is not None:
        require_free(out)
    with spelled():
        named = files_named(asked.request(**sources) if not asked.needs_names else request_type()(**sources))
    require_apart(outputs, (origin.find(name) for _, _, name in named))
    with spelled(), progress_bars(running.quiet) as progress:
        data, names = None, []
        if asked.needs_names:
            data = read_inputs(request_type()(**sources), origin, Cache(None), running.threads, progress)
            names = [one.name for one in data.algorithms]
        request = asked.request(names, **sources)
        found = run(
            request,
            data,
            origin=origin,
            threads=running.threads,
            progress=progress,
            cache=Cache(cache),
            allow_plugins=True,  # whoever types a command may name code to run
            keep_on_interrupt=True,
        )
    return found, request


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
                if name not in taken and (names is None or name in names) and _said(one).typed:
                    taken.add(name)
                    yield section, name, one

    def parameters(self) -> list[Parameter]:
        """The options as typer takes them."""
        shown = [_parameter(section, name, one) for section, name, one in self.fields()]
        return [*shown, *(_category_parameters() if self.categories else ())]

    def asked(self, given: Mapping[str, Any]) -> Asked:
        """What was said; what was not is left out."""
        made: dict[str, Any] = {section: {} for section in self.parts}
        for section, name, one in self.fields():
            value = _value(name, given[name], one.annotation)
            if value is not None and value != one.default:
                made[section][name] = value
        if self.categories:
            made["category"] = _entries(given)
            if made["category"] and "by_category" in given:
                made[self.section]["by_category"] = True  # whoever names categories wants them
        return Asked(self.section, made)


def _option_of(keys: Keys) -> str:
    """The option that a place in a request comes of."""
    names = [key for key in keys if isinstance(key, str)]
    if names[:1] == ["samples"]:
        named = {"file": "samples", "id": "id_column", "subject": "subject_column"}
        names = [named.get(names[-1], names[-1])]
    if "columns" in names:
        names = ["columns"]
    return flag(names[-1])


def _part(section: str) -> type[Part]:
    from proband.study.refusals import plain_type
    from proband.study.requests import request_type

    plain, _ = plain_type(request_type().model_fields[section].annotation)
    if get_origin(plain) is tuple:
        plain, _ = plain_type(get_args(plain)[0])
    return plain  # type: ignore[no-any-return]


def _said(field: FieldInfo) -> Option:
    from proband.study.requests import Option

    return next((one for one in field.metadata if isinstance(one, Option)), Option())


def _parameter(section: str, name: str, field: FieldInfo) -> Parameter:
    kind, default, metavar = _shape(field.annotation, field.default, field.metadata)
    said = _said(field)
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
        return list[str] | None, None, metavar
    if get_origin(plain) is Literal:
        choice = StrEnum("Choice", {one.replace("-", "_"): one for one in get_args(plain)})  # type: ignore[misc]
        return choice if default is not None else choice | None, default and choice(default), metavar
    kind = Path if place is not None and place.kind == "file" else plain
    return kind if default is not None else kind | None, default, metavar


def _value(name: str, value: Any, annotation: Any) -> Any:
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

    columns = [_parameter("category", name, CategoryEntry.model_fields[name]) for name in _FERET_COLUMNS]
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
        raise UsageError(f"--category-gallery takes NAME: CONDITION, got {text!r:.80}.")
    named = {"dup2" if one.get("feret") else one["name"]: one for one in entries}
    if name not in named:
        known = f"there are: {', '.join(named)}." if named else "give it by --category, or --feret for dup2."
        raise UsageError(f"--category-gallery: there is no category {name!r} that takes a gallery.", known)
    if "gallery" in named[name]:
        raise UsageError(f"--category-gallery: {name} has two galleries.", "give one.")
    named[name]["gallery"] = condition


def _fields_of_dataclass(group: type) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            one.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(group)
    ]


def _own_parameters(show: Show) -> list[Parameter]:
    hints = get_type_hints(show, localns={"Findings": object, "Request": object}, include_extras=True)
    own = signature(show).parameters.values()
    return [one.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[one.name]) for one in own]


def _taken(given: dict[str, Any], parameters: Sequence[Parameter]) -> dict[str, Any]:
    return {one.name: given.pop(one.name) for one in parameters}


def _paths(given: Mapping[str, Any]) -> Iterator[Path]:
    for value in given.values():
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Path))


def _write(found: Findings, request: Request, out: Path | None, report: Path | None) -> None:
    from proband.report.scene import Scene
    from proband.report.writer import write_run

    if out is not None:
        wrote(write_run(found, out, request.output.formats))
        for view, part in Scene(found).parts.values():
            for said in view.told(part):
                tell(said)
    if report is not None:
        write_page(found, report)
