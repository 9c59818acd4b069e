"""Commands made of the records of analyses: one for each, or one for several where a switch chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, fields
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from proband.cli.analyses.findings import OutputFiles, output_parameters, show_findings, write_findings
from proband.cli.analyses.request_options import Asked, RequestOptions, parameter, spelled, value_of
from proband.cli.command import Command, by_switch, flag, marked
from proband.cli.console import progress_bars, typed, wrote
from proband.cli.inputs import OWN_SECTION, RunInputs, ScoreInputs
from proband.cli.outputs import require_apart
from proband.engine.registry import imported
from proband.study.analysis import Analysis, AnalysisCommand, Marks, analyses

if TYPE_CHECKING:
    from proband.study.findings import Findings
    from proband.study.requests import Part, Request

Keeping = Callable[[Path | None], AbstractContextManager[Path | None]]


def analysis_commands() -> Iterator[tuple[str, Command]]:
    """Every command that is made of a record, with the job under which help lists it."""
    named: dict[str, list[Analysis]] = {}
    for analysis in analyses():
        if analysis.command is not None:
            named.setdefault(analysis.command.name, []).append(analysis)
    for name, several in named.items():
        several.sort(key=lambda one: _of(one).switch is not None and _of(one).reads != "either")
        first, *others = map(_AnalysisOptions, several)
        told = _of(several[0])
        made = _switched(first, others[0]) if others else Command(name, told.help, first.do, first.parameters)
        yield told.job, made if told.around is None else imported(told.around)(made)


def _of(analysis: Analysis) -> AnalysisCommand:
    assert analysis.command is not None  # those without one are left out
    return analysis.command


class _AnalysisOptions:
    """The options of an analysis, and what its command does with them."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.command = analysis, _of(analysis)
        told = self.command
        self.options = RequestOptions(analysis.key, told.experiment, told.categories, told.output, told.parse)

    def parameters(self) -> list[Parameter]:
        """All options, with what has no effect beside others."""
        made = [
            *self._sources(),
            *self.options.parameters(),
            *self._more_parameters(),
            *output_parameters(self.analysis.key, self.command),
            *_fields_of(RunInputs),
        ]
        return marked(made, {**self._marks(made), **self.command.marks})

    def _sources(self) -> list[Parameter]:
        if self.command.reads == "files":
            metavar, meaning = self.command.files
            argument = typer.Argument(metavar=metavar, help=meaning, show_default=False)
            named = Annotated[list[str] | None, argument]
            return [Parameter("files", Parameter.KEYWORD_ONLY, default=None, annotation=named)]
        switch = [_switch(self.command)] if self.command.reads == "either" else []
        return [*_fields_of(self._inputs), *switch]

    @property
    def _inputs(self) -> type:
        """What reads scores, or reads in its own way."""
        return imported(self.command.reads) if ":" in self.command.reads else ScoreInputs

    def _marks(self, parameters: Sequence[Parameter]) -> Mapping[str, Marks]:
        """Of what reads scores or files: what says how scores are read, and who is compared, has no effect on files."""
        if self.command.reads != "either":
            return {}
        from proband.study.requests import ExperimentDesign

        of_scores = {one.name for one in fields(ScoreInputs)} - {"scores"} | set(
            ExperimentDesign.model_fields
        )
        switch, _ = self.command.switch or ("", "")
        there = [one.name for one in parameters if one.name in of_scores]
        return by_switch(switch, there, ())

    def _more_parameters(self) -> list[Parameter]:
        return (
            [parameter("output", name, one) for name, one in self._more.model_fields.items()]
            if self._more
            else []
        )

    @property
    def _more(self) -> type[Part] | None:
        return None if self.command.more is None else imported(self.command.more)

    def do(self, **given: Any) -> int | None:
        """Carry out the analysis, and show and write what it finds."""
        running = RunInputs(**_taken(given, RunInputs))
        files = OutputFiles.taken(given)
        more = self._given_more(given)
        asked = self.options.asked(given)
        named = self._files_in_options(asked)
        sources, keeping = self._read(given, asked)
        with keeping(files.out) as kept:
            found, request = self._carry_out(asked, sources, running, files, more, kept, named)
            write_findings(found, request, files)
        part = found[self.analysis.key]
        for path in more.write(part) if more is not None else ():
            wrote(path)
        show_findings(found, running.json, running.explain)
        return None if self.command.code is None else imported(self.command.code)(part, request)

    def _files_in_options(self, asked: Asked) -> list[Path]:
        """Files that options of the analysis itself name, and that are read to prepare it: a pinned baseline."""
        if self.command.prepare is None:
            return []
        texts = (value for value in asked.values[self.analysis.key].values() if isinstance(value, str))
        return [path for path in map(Path, texts) if path.is_file()]

    def _given_more(self, given: dict[str, Any]) -> Any:
        if self._more is None:
            return None
        names = self._more.model_fields
        values = {name: value_of(name, given.pop(name), one.annotation) for name, one in names.items()}
        with spelled():
            return self._more(**{name: value for name, value in values.items() if value is not None})

    def _read(self, given: dict[str, Any], asked: Asked) -> tuple[dict[str, Any], Keeping]:
        """What is read, as a request says it; and where costly results are kept."""
        command, key = self.command, self.analysis.key
        switched = command.reads == "either" and command.switch is not None and given.pop(command.switch[0])
        if command.reads == "files" or switched:
            named = given["scores" if switched else "files"] or []
            return {key: self.analysis.request_type.from_files(named)}, _nowhere
        inputs = self._inputs(**_taken(given, self._inputs))
        if command.prepare is not None:
            inputs = imported(command.prepare)(asked.values[key], inputs)
        sources = inputs.sources()
        own = {key: sources.pop(OWN_SECTION)} if OWN_SECTION in sources else {}
        return {**sources, **own}, getattr(inputs, "keeping", _nowhere)

    def _carry_out(
        self,
        asked: Asked,
        sources: dict[str, Any],
        running: RunInputs,
        files: OutputFiles,
        more: Any,
        kept: Path | None,
        prepared_from: Sequence[Path],
    ) -> tuple[Findings, Request]:
        from proband.report.directory import require_free
        from proband.study.caching import Cache
        from proband.study.checking import files_named
        from proband.study.definition import Origin
        from proband.study.inputs import read_inputs
        from proband.study.requests import request_type
        from proband.study.run import run

        origin = Origin(command=typed())
        sources = {"title": self.command.title, **sources}
        if files.out is not None:
            require_free(files.out)
        with spelled():
            named = files_named(request_type()(**sources) if asked.needs_names else asked.request(**sources))
        own = [] if more is None else more.paths
        read = (origin.find(name) for _, _, name in named)
        require_apart([*files.paths, *own], [*read, *prepared_from], files.out)
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
                cache=Cache(kept),
                allow_plugins=True,  # whoever types a command may name code to run
                keep_on_interrupt=True,
            )
        return found, request


def _nowhere(out: Path | None) -> AbstractContextManager[None]:
    """Where nothing is kept."""
    return nullcontext()


def _switched(first: _AnalysisOptions, second: _AnalysisOptions) -> Command:
    """One command for two analyses: a switch chooses the second, which takes its files from where the first has its scores."""
    switch = _switch(second.command)

    def own() -> dict[str, Parameter]:
        of_first = {one.name for one in first.parameters()}
        return {one.name: one for one in second.parameters() if one.name not in {*of_first, "files"}}

    def parameters() -> list[Parameter]:
        of_first, of_second = ([one.name for one in each.parameters()] for each in (first, second))
        marks = by_switch(switch.name, of_first, of_second)
        marks = {name: mark for name, mark in marks.items() if name not in ("scores", "files")}
        return marked([*first.parameters(), switch, *own().values()], marks)

    def do(**given: Any) -> int | None:
        of_second = {name: given.pop(name) for name in own()}
        if not given.pop(switch.name):
            return first.do(**given)
        taken = {one.name for one in second.parameters()}
        rest = {name: value for name, value in given.items() if name in taken}
        return second.do(**rest, **of_second, files=given["scores"])

    return Command(first.command.name, first.command.help, do, parameters)


def _switch(command: AnalysisCommand) -> Parameter:
    assert command.switch is not None  # what reads either, or shares a command, has one
    name, meaning = command.switch
    option = typer.Option(flag(name), help=meaning, rich_help_panel=name.capitalize())
    return Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, option])


def _fields_of(group: type) -> list[Parameter]:
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


def _taken(given: dict[str, Any], group: type) -> dict[str, Any]:
    return {one.name: given.pop(one.name) for one in fields(group)}
