"""What was found, printed and written: every command has the same files, and all that stands in them is the view's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from proband.cli import options as o
from proband.cli.console import print_json, say, say_all, say_below, show_tables, tell, wrote
from proband.cli.outputs import ReportFile, write_page
from proband.errors import UsageError, meant
from proband.study.analysis import AnalysisCommand

if TYPE_CHECKING:
    from proband.report.scene import Scene
    from proband.report.view import Passage
    from proband.study.findings import Findings
    from proband.study.requests import Request
    from proband.words import Note

_FIGURES = (".png", ".svg", ".pdf")
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class NamedFile:
    """A file for one of several tables or figures; the first of them if none is named."""

    name: str | None
    path: Path

    def choose(self, known: Mapping[str, Thing], key: str) -> Thing:
        """What the file is for, among what there is."""
        if self.name is None:
            found = next(iter(known.values()), None)
        else:
            found = known.get(self.name, known.get(f"{key}_{self.name}"))
        if found is None:
            names = ", ".join(short_names(list(known), key)) or "nothing"
            raise UsageError(
                f"{self.path} cannot be written: there are no results for it.",
                f"these options produce: {names}.",
            )
        return found


def short_names(names: Sequence[str], key: str) -> list[str]:
    """Names of tables and figures as they are typed: without the analysis they are of."""
    return [name.removeprefix(f"{key}_") for name in names]


@dataclass(frozen=True)
class OutputFiles:
    """The files that a command writes, none by default."""

    csv: list[NamedFile]
    figure: list[NamedFile]
    latex: Path | None
    markdown: Path | None
    model_card: Path | None
    out: Path | None
    report: Path | None

    @property
    def paths(self) -> Iterator[Path]:
        """Every file."""
        yield from (named.path for named in (*self.csv, *self.figure))
        yield from filter(None, (self.latex, self.markdown, self.model_card, self.report))

    @classmethod
    def taken(cls, given: dict[str, Any]) -> OutputFiles:
        """Take what was given of them out of all options."""
        values: dict[str, Any] = {one.name: given.pop(one.name, None) for one in fields(cls)}
        return cls(values.pop("csv") or [], values.pop("figure") or [], **values)


_Latex = Annotated[
    Path | None, typer.Option("--latex", help="Write the tables as LaTeX.", rich_help_panel="Output")
]
_Markdown = Annotated[
    Path | None, typer.Option("--markdown", help="Write the tables as Markdown.", rich_help_panel="Output")
]


def output_parameters(key: str, command: AnalysisCommand) -> list[Parameter]:
    """The options for files that an analysis has."""
    several = [
        ("csv", "-", "Write a table as CSV", command.frames),
        ("figure", "-f", "Save a figure: .png, .svg or .pdf", command.figures),
    ]
    made = [
        (name, _named_option(name, short, what, short_names(names, key)))
        for name, short, what, names in several
        if names
    ]
    made += [("latex", _Latex), ("markdown", _Markdown)]
    made += [("model_card", o.ModelCard)] if command.card else []
    made += [("out", o.OutDir), ("report", ReportFile)]
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in made
    ]


def _named_option(name: str, short: str, what: str, names: Sequence[str]) -> Any:
    first, *others = names
    more = f"; others as NAME=FILE: {', '.join(others)}" if others else ""
    spelled = [f"--{name}"] if short == "-" else [f"--{name}", short]
    option = typer.Option(
        *spelled,
        metavar="[NAME=]FILE" if others else "FILE",
        help=f"{what}{f' ({first}{more})' if others else ''}; may be repeated.",
        callback=_named_files(name, names),
        rich_help_panel="Output",
    )
    return Annotated[list[str] | None, option]


def _named_files(option: str, names: Sequence[str]) -> Callable[[list[str] | None], list[NamedFile]]:
    """Read files with the names of what they are for; a name that is not known is refused before anything is computed."""

    def read(given: list[str] | None) -> list[NamedFile]:
        return [named_file(option, names, text) for text in given or ()]

    return read


def named_file(option: str, names: Sequence[str], text: str) -> NamedFile:
    """Read ``NAME=FILE`` or ``FILE``; a name that is not known is refused."""
    name, mark, file = text.partition("=")
    if not mark or "/" in name or "." in name:
        made = NamedFile(None, Path(text))
    elif name in names:
        made = NamedFile(name, Path(file))
    else:
        known = meant(name, names)
        raise UsageError(
            f"--{option}: there is no {name!r} to write.", f"{known} A file of that name is ./{text}"
        )
    if option == "figure" and made.path.suffix.lower() not in _FIGURES:
        raise UsageError(f"--figure expects .png, .svg or .pdf, got {made.path.name}.")
    return made


def write_findings(found: Findings, request: Request, files: OutputFiles) -> None:
    """Write the files that were asked for; first it is seen that there is something for each."""
    from proband.report.scene import Scene

    scene = Scene(found)
    frames = _chosen(scene, files.csv, lambda view, part: view.frames(part))
    draws = _chosen(scene, files.figure, lambda view, part: view.figures(part, scene))
    _write_run(found, request, scene, files)
    for path, frame in frames.items():
        _write_frame(frame, path)
    for path, draw in draws.items():
        from proband.report.figures.style import save_figure

        save_figure(draw(), path)
        wrote(path)
    parts = list(scene.parts.values())
    _write_text(files.latex, lambda: "\n".join(part.to_latex() for _, part in parts))
    _write_text(files.markdown, lambda: "\n".join(part.to_markdown() for _, part in parts))
    if files.model_card is not None:
        form = o.CARD_FORMS[files.model_card.suffix.lower()]
        dataset = request.dataset or found.title
        _write_text(files.model_card, lambda: found.to_model_card(dataset, format=form))


def _chosen(
    scene: Scene, files: Sequence[NamedFile], ask: Callable[[Any, Any], Mapping[str, Thing]]
) -> dict[Path, Thing]:
    if not files:
        return {}
    ((key, (view, part)),) = scene.parts.items()
    known = ask(view, part)
    return {named.path: named.choose(known, key) for named in files}


def _write_frame(frame: Any, path: Path) -> None:
    from proband.engine import written_whole
    from proband.engine.files.spreadsheets import write_spreadsheet

    with written_whole(path) as draft:
        write_spreadsheet(frame, draft)
    wrote(path)


def _write_text(path: Path | None, text: Callable[[], str]) -> None:
    from proband.engine import written_whole

    if path is None:
        return
    with written_whole(path) as draft:
        draft.write_text(text(), encoding="utf-8", newline="\n")
    wrote(path)


def _write_run(found: Findings, request: Request, scene: Scene, files: OutputFiles) -> None:
    from proband.report.writer import write_run

    if files.out is not None:
        wrote(write_run(scene, files.out, request.output.formats, dataset=request.dataset))
        for view, part in scene.parts.values():
            shown = {verdict for passage in view.passages(part, False) for verdict in passage.verdicts}
            for note in view.told(part):
                if note not in shown:
                    tell(note)
    if files.report is not None:
        write_page(found, files.report)


def show_findings(found: Findings, json: bool, explain: bool) -> None:
    """Print what was found: tables, verdicts and what is to be known of them; or all of it as JSON."""
    from proband.report.scene import Scene

    if json:
        print_json(found.to_dict())
    else:
        parts = Scene(found).parts.values()
        _show(
            [passage for view, part in parts for passage in view.passages(part, explain)],
            found.notes,
            explain,
            found.confidence_level,
        )
    for note in found.notes if json or explain else ():
        tell(f"note: {note}")


def show_result(result: object, explain: bool) -> None:
    """Print a result by itself, as its view has it."""
    from proband.report.view import view_of

    level = getattr(result, "confidence_level", None)
    _show(list(view_of(result).passages(result, explain)), (), explain, level)


def _ends_blank(passage: Passage, noted: Passage) -> bool:
    """Whether a passage ends with a table, beneath which there is a blank line already."""
    beneath = passage.verdicts or passage.notes or passage.answers or passage is noted
    return bool(passage.tables) and not beneath


def _show(
    passages: Sequence[Passage], beside: Sequence[Note], explain: bool, confidence_level: float | None
) -> None:
    """Print the passages; in brief, what was noted of the whole stands beneath the first that has anything beneath it."""
    noted = [one for one in passages if one.notes or one.answers] or passages[-1:]
    for place, passage in enumerate(passages):
        if place and not _ends_blank(passages[place - 1], noted[0]):
            say("")
        if passage.title:
            say(passage.title)
        for note in passage.before:
            caution = getattr(note, "level", "note") == "caution"
            say(note, dim=not caution, style="yellow" if caution else None)
        if passage.before:
            say("")
        show_tables(*passage.tables)
        say_all(passage.verdicts, dim=False)
        if passage.notes or passage.answers or passage is noted[0]:
            if passage.verdicts:
                say("")
            also = beside if passage is noted[0] else ()
            say_below(passage.notes, explain, passage.answers, also, confidence_level)
