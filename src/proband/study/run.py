"""A request carried out: inputs are read, everything that can be refused is, and only then anything is computed."""

from __future__ import annotations

from typing import Any

from proband.engine import Engine, Progress, Silent, engine_said, using
from proband.engine.arguments import published
from proband.engine.limits import Threads
from proband.errors import DesignError, Hint, Said, UsageError
from proband.measures import Outcomes
from proband.study.analysis import Analysis
from proband.study.caching import Cache
from proband.study.checking import check, check_effects, code_named, plugins_of
from proband.study.context import Context
from proband.study.definition import Origin, Study
from proband.study.findings import Findings, Provenance
from proband.study.inputs import Inputs, read_inputs, versions
from proband.study.refusals import RequestError
from proband.study.requests import Request
from proband.words import Sentence

_NOT_DONE = Sentence("study.not-done", "note", "No {what}: {reason}")


@published
def run(
    request: Request | Study,
    data: Inputs | None = None,
    *,
    origin: Origin | None = None,
    threads: Threads | None = None,
    progress: Progress | None = None,
    cache: Cache | None = None,
    allow_plugins: bool = False,
    keep_on_interrupt: bool = False,
    engine: Engine = None,
) -> Findings:
    """Carry out everything that a request asks for.

    Analyses that the request names must be possible; those that it does not are done where the data allow it, and the notes say
    which were not.

    Parameters
    ----------
    request
        What is asked for, or a study, which is such a request in a file.
    data
        Scores and samples that are in memory; by default the files that the request names are read.
    origin
        Where the request was written: files are found from there, and faults are told where they stand.
    cache
        Where costly results are kept and found again; by default nowhere.
    allow_plugins
        Let the request name code to import and call (``package.module:attribute``): whoever wrote it can then do what you can.
    keep_on_interrupt
        Whether trials are ended by an interrupt and those there are taken, as the number of trials then says.
    engine
        Where blocks of work run, as `proband.engine.using` takes it; by default as the request says.
    threads, progress
        How many threads, and what is told how far it is.

    Returns
    -------
    Findings
        What every analysis found, by its key: ``found["verification"]``.
    """
    if isinstance(request, Study):
        origin, request = request.origin, request.request
    origin, kept, heard = origin or Origin(), cache or Cache(None), progress or Silent()
    plugins = code_named(request)
    if plugins and not allow_plugins:
        keys, name = plugins[0]
        raise UsageError(
            f"{name!r} is code that the study would run on this machine.",
            Hint("if you trust it, say so: {option:allow_plugins=on}"),
            place=origin.where(*keys) or None,
        )
    with origin.refusing():
        check_effects(request, data is not None)
    with using(request.output.engine if engine is None and not engine_said() else engine):
        if data is None:
            with origin.refusing():
                check(request, origin)
            data = read_inputs(request, origin, kept, threads, heard)
        context = Context(
            request,
            origin,
            data,
            kept,
            plugins_of(request),
            threads,
            heard,
            keep_on_interrupt,
            list(data.notes),
        )
        with origin.refusing():
            return _carried_out(context)


def ranked(
    request: Request,
    *,
    origin: Origin | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Outcomes]:
    """What becomes of the probes of a request, for each algorithm that it names; no analysis is carried out."""
    origin, kept, heard = origin or Origin(), Cache(None), progress or Silent()
    with origin.refusing():
        data = read_inputs(request, origin, kept, threads, heard)
        return Context(request, origin, data, kept, {}, threads, heard).outcomes


def _carried_out(context: Context) -> Findings:
    """Prepare all analyses, then carry them out: first those of tables alone, whose faults show soon."""
    ready = [
        (analysis, asked)
        for analysis, asked in _possible(context)
        if _tried(analysis, asked, context, _prepare)
    ]
    found = {
        analysis.key: _tried(analysis, asked, context, context.carry_out)
        for analysis, asked in sorted(ready, key=lambda one: _waits(one[0], context.request))
    }
    parts = {one.key: found[one.key] for one, _ in ready if found[one.key] is not None}
    if not parts:
        name = _name(context.origin)
        raise DesignError(
            f"{name}: nothing can be computed. {'. '.join(map(str, context.notes))}".rstrip(". ") + ".",
            "ask for an analysis in the file to see what it lacks.",
        )
    return Findings(
        title=context.request.title or "Results",
        provenance=_provenance(context),
        confidence_level=context.output.confidence_level,
        notes=tuple(context.notes),
        parts=parts,
    )


def _possible(context: Context) -> list[tuple[Analysis, Any]]:
    """The analyses that the data allow: all where there are scores, those of lists, or those of tables alone."""
    request, inputs = context.request, context.inputs
    asked = list(request.sections())
    if inputs.algorithms:
        return asked
    tables = [one for one in asked if not any(part.reads.scores for part in request.section(one[0].key))]
    if not inputs.lists:
        return tables
    for analysis, part in request.asked():
        if request.says(analysis.key):
            _require_of_lists(analysis, part, context.origin)
    if request.says("experiment"):
        raise _refusal_of_lists("experiment", context.origin)
    lists = [one for one in asked if any(part.reads.lists for part in request.section(one[0].key))]
    if not lists and not tables:
        name = _name(context.origin)
        raise DesignError(f"{name} asks for nothing that lists of comparisons allow.", place=Said(name))
    return [one for one in asked if one in lists or one in tables]


def _waits(analysis: Analysis, request: Request) -> bool:
    """Whether an analysis reads more than tables that it names itself."""
    return any(one.reads.scores or one.reads.samples for one in request.section(analysis.key))


def _require_of_lists(analysis: Analysis, asked: Any, origin: Origin) -> None:
    """Refuse what a list of chosen pairs cannot tell."""
    for name in asked.beyond_lists:
        raise RequestError(
            (analysis.key, name),
            "it needs scores of queries with targets; a list of chosen pairs is verified as it is",
            "leave it out, or choose the comparisons in the list.",
        )
    if asked.reads.scores and not asked.reads.lists:
        raise _refusal_of_lists(analysis.key, origin)


def _refusal_of_lists(section: str, origin: Origin) -> DesignError:
    return DesignError(
        "the scores are lists of chosen pairs, which can only be verified, and compared by fnmr or auc.",
        f"leave {section} out, or give scores of every query with every target.",
        place=origin.where(section) or None,
    )


def _prepare(analysis: Analysis, asked: Any, context: Context) -> bool:
    """Make everything that an analysis needs and that costs nothing, so that it is refused before anything is computed."""
    with context.at(analysis.key):
        if context.inputs.algorithms:
            reads = [one.reads for one in context.request.section(analysis.key)]
            if any(one.ranks for one in reads):
                with context.at("experiment"):
                    _ = context.experiment
                _ = context.categories
            if any(one.pairs for one in reads):
                _ = context.verified
        analysis.prepared(asked, context)
    return True


def _tried(analysis: Analysis, asked: Any, context: Context, do: Any) -> Any:
    """Do something for an analysis; if the data do not allow it, that is an error only where somebody asked for it."""
    request = context.request
    sections = [analysis.key]
    if any(one.reads.ranks for one in request.section(analysis.key)):
        sections += ["experiment", "category"]
    try:
        return do(analysis, asked, context) if do is _prepare else do(analysis, asked)
    except DesignError as none:
        if not analysis.default or any(request.says(name) for name in sections):
            raise
        reason = none.message.rstrip(".")
        if not any(
            note.code == _NOT_DONE.code and dict(note.values)["reason"] == reason for note in context.notes
        ):
            context.note(_NOT_DONE(what=analysis.key, reason=reason))
        return None


def _provenance(context: Context) -> Provenance:
    request, origin = context.request, context.origin
    command = origin.command + (" --allow-plugins" if origin.path and code_named(request) else "")
    files = (*context.inputs.files, *context.more_files)
    return Provenance(command, origin.text, request.output.seed, versions(), files)


def _name(origin: Origin) -> str:
    return "The request" if origin.path is None else origin.path.name
