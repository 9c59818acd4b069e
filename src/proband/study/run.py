"""Run a request: read inputs, raise all possible errors, and only then compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from proband.engine import Engine, Progress, Silent, engine_said, using
from proband.engine.arguments import published
from proband.engine.limits import Threads
from proband.errors import DesignError, Hint, Said, UsageError, meant
from proband.measures import Outcomes
from proband.study.analysis import Analysis, analysis_keys
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
    only: Sequence[str] = (),
    origin: Origin | None = None,
    threads: Threads | None = None,
    progress: Progress | None = None,
    cache: Cache | None = None,
    allow_plugins: bool = False,
    keep_on_interrupt: bool = False,
    engine: Engine = None,
) -> Findings:
    """Run all analyses of a request.

    Analyses named in the request must be possible. Default analyses run if the data allow it; notes list those that did not run.

    Parameters
    ----------
    request
        The request, or a study, which is a request in a file.
    data
        Scores and samples in memory. By default, the files named in the request are read.
    only
        Run only these analyses, by key, and those whose results they need. Their numbers are the same as in a full run.
    origin
        Where the request was written: file names are relative to it, and errors state the place in it.
    cache
        Directory in which expensive results are cached. Default: no cache.
    allow_plugins
        Allow the request to import and call code (``package.module:attribute``), which then runs with your permissions.
    keep_on_interrupt
        Whether an interrupt ends trials early and keeps those completed; the number of trials is then smaller.
    engine
        Where blocks of work run, as in `proband.engine.using`; by default as in the request.
    threads, progress
        The number of threads, and the progress callback.

    Returns
    -------
    Findings
        The result of every analysis, by its key: ``found["verification"]``.
    """
    if isinstance(request, Study):
        origin, request = request.origin, request.request
    with using(engine_of(request, engine)):
        context = open_context(
            request,
            data,
            only=only,
            origin=origin or Origin(),
            threads=threads,
            progress=progress or Silent(),
            cache=cache or Cache(None),
            allow_plugins=allow_plugins,
            keep_on_interrupt=keep_on_interrupt,
        )
        with context.origin.refusing():
            return _carry_out(context)


def engine_of(request: Request, engine: Engine) -> Engine:
    """The engine: as given by the caller, or else by the request."""
    return request.output.engine if engine is None and not engine_said() else engine


def open_context(
    request: Request,
    data: Inputs | None,
    *,
    only: Sequence[str],
    origin: Origin,
    threads: int | None,
    progress: Progress,
    cache: Cache,
    allow_plugins: bool,
    keep_on_interrupt: bool = False,
) -> Context:
    """Check a request and read its inputs, without computing anything."""
    chosen = check_request(request, only, origin, allow_plugins, data is not None)
    if data is None:
        data = read_inputs(request, origin, cache, threads, progress)
    if only:
        origin = replace(origin, command=" ".join([origin.command, *(f"--only {key}" for key in only)]))
    return Context(
        request,
        origin,
        data,
        cache,
        plugins_of(request),
        threads,
        progress,
        keep_on_interrupt,
        list(data.notes),
        only=chosen,
    )


def check_request(
    request: Request, only: Sequence[str], origin: Origin, allow_plugins: bool, in_memory: bool
) -> frozenset[str]:
    """Check a request as far as possible without data; return the analyses to run, empty for all."""
    plugins = code_named(request)
    if plugins and not allow_plugins:
        keys, name = plugins[0]
        raise UsageError(
            f"{name!r} is code that the study would run on this machine.",
            Hint("if you trust it: {option:allow_plugins=on}"),
            place=origin.where(*keys) or None,
        )
    with origin.refusing():
        check_effects(request, in_memory)
        if not in_memory:
            check(request, origin)
        _require_asked(request, only, _name(origin))
        return frozenset(only)


def _require_asked(request: Request, only: Sequence[str], name: str) -> None:
    """Refuse to select an analysis that is not in the request."""
    asked = {analysis.key: analysis for analysis, _ in request.sections()}
    for key in only:
        if key not in asked:
            known = key in analysis_keys()
            raise UsageError(
                f"{name} has no section {key}." if known else f"There is no analysis {key!r}.",
                Hint("add its section, or choose one of: {keys}.", keys=", ".join(asked))
                if known
                else meant(key, analysis_keys()),
                place=Said(name),
            )


def ranked(
    request: Request,
    *,
    origin: Origin | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Outcomes]:
    """Rank the probes of a request for each of its algorithms, without running analyses."""
    origin, kept, heard = origin or Origin(), Cache(None), progress or Silent()
    with origin.refusing():
        data = read_inputs(request, origin, kept, threads, heard)
        return Context(request, origin, data, kept, {}, threads, heard).outcomes


def _carry_out(context: Context) -> Findings:
    """Prepare all analyses, then run them."""
    ready = prepare_analyses(context)
    results = {analysis.key: _try(analysis, asked, context, context.carry_out) for analysis, asked in ready}
    parts = {key: results[key] for key in analysis_keys() if results.get(key) is not None}
    if not parts:
        name = _name(context.origin)
        raise DesignError(
            f"{name}: no analysis can be run. {'. '.join(map(str, context.notes))}".rstrip(". ") + ".",
            "add the section of an analysis to see what it lacks.",
        )
    return Findings(
        title=context.request.title or "Results",
        provenance=_provenance(context),
        confidence_level=context.output.confidence_level,
        notes=tuple(context.notes),
        parts=parts,
    )


def prepare_analyses(context: Context) -> list[tuple[Analysis, Any]]:
    """Check analyses and return the possible ones in order of execution: those of tables first, since they fail fast."""
    ready = [
        (analysis, asked)
        for analysis, asked in _possible(context)
        if _try(analysis, asked, context, _prepare)
    ]
    return sorted(ready, key=lambda row: _waits(row[0], context.request))


def _possible(context: Context) -> list[tuple[Analysis, Any]]:
    """The analyses that the data allow: all if there are scores, else those of lists, or of tables only."""
    request, inputs = context.request, context.inputs
    asked = [row for row in request.sections() if not context.only or row[0].key in context.only]
    if inputs.algorithms:
        return asked
    tables = [row for row in asked if not any(part.reads.scores for part in request.section(row[0].key))]
    if not inputs.lists:
        return tables
    for analysis, part in request.asked():
        if request.says(analysis.key):
            _require_of_lists(analysis, part, context.origin)
    if request.says("experiment"):
        raise _refusal_of_lists("experiment", context.origin)
    lists = [row for row in asked if any(part.reads.lists for part in request.section(row[0].key))]
    if not lists and not tables:
        name = _name(context.origin)
        raise DesignError(f"{name} contains no analysis that lists of comparisons allow.", place=Said(name))
    return [row for row in asked if row in lists or row in tables]


def _waits(analysis: Analysis, request: Request) -> bool:
    """Whether an analysis reads scores or samples, not only its own tables."""
    return any(part.reads.scores or part.reads.samples for part in request.section(analysis.key))


def _require_of_lists(analysis: Analysis, asked: Any, origin: Origin) -> None:
    """Refuse what cannot be computed from a list of pairs."""
    for name in asked.beyond_lists:
        raise RequestError(
            (analysis.key, name),
            "it needs scores of queries with targets; a list of selected pairs is verified as it is",
            "leave it out, or select the comparisons in the list.",
        )
    if asked.reads.scores and not asked.reads.lists:
        raise _refusal_of_lists(analysis.key, origin, asked.instead_for_lists)


def _refusal_of_lists(section: str, origin: Origin, instead: str = "") -> DesignError:
    return DesignError(
        "the scores are lists of selected pairs, which allow only verification, and comparison by fnmr or auc.",
        Hint(f"{instead or f'leave {section} out'}, or use scores of every query with every target."),
        place=origin.where(section) or None,
    )


def _prepare(analysis: Analysis, asked: Any, context: Context) -> bool:
    """Prepare the cheap inputs of an analysis, so that errors are raised before anything is computed."""
    with context.at(analysis.key):
        if context.inputs.algorithms:
            reads = [part.reads for part in context.request.section(analysis.key)]
            if any(read.ranks for read in reads):
                with context.at("experiment"):
                    _ = context.experiment
                _ = context.categories
            if any(read.pairs for read in reads):
                _ = context.verified
        analysis.prepared(asked, context)
    return True


def _try(analysis: Analysis, asked: Any, context: Context, do: Any) -> Any:
    """Run a step of an analysis; if the data do not allow it, raise an error only if it was requested."""
    request = context.request
    sections = [analysis.key]
    if any(part.reads.ranks for part in request.section(analysis.key)):
        sections += ["experiment", "category"]
    try:
        return do(analysis, asked, context) if do is _prepare else do(analysis, asked)
    except DesignError as none:
        if (
            not analysis.default
            or analysis.key in context.only
            or any(request.says(name) for name in sections)
        ):
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
