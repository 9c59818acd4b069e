"""What a run would do: what it reads, its steps in order, about how long they take and how much memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.engine import Progress, Silent, default_threads, using
from proband.engine.files.shards import in_files
from proband.samples import Experiment
from proband.scores import DenseScores, Embeddings, Scores
from proband.study.analysis import Analysis
from proband.study.caching import Cache
from proband.study.context import Context
from proband.study.definition import Study
from proband.study.findings import InputFile
from proband.study.inputs import files_of
from proband.study.requests import Request
from proband.study.run import check_request, engine_of, open_context, prepare_analyses
from proband.words import Note, Sentence

_FILE = Sentence("preview.file", "note", "reads {file} ({size:bytes})")
_SAMPLES = Sentence("preview.samples", "note", "{samples:count sample} of {people:count person/people}")
_MATRIX = Sentence("preview.matrix", "note", "{name} has scores of {queries:count} × {targets:count sample}")
_VECTORS = Sentence(
    "preview.vectors",
    "note",
    "{name} has vectors of {components:count component}, compared for {queries:count} × {targets:count sample}",
)
_LIST = Sentence("preview.list", "note", "{name} has scores of {pairs:count selected pair}")
_RECOGNISE = Sentence(
    "preview.recognise", "note", "score the images of {file} with {n:count recogniser}: {names:names}"
)
_RANKS = Sentence(
    "preview.ranks",
    "note",
    "rank {probes:count probe} in a gallery of {gallery:count image}, for {n:count algorithm}",
)
_PAIRS = Sentence(
    "preview.pairs", "note", "count errors over {pairs:count comparison}, for {n:count algorithm}"
)
_ANALYSIS = Sentence("preview.analysis", "note", "{key}{said:also}")
_RESAMPLES = Sentence("preview.resamples", "note", "{n:count resample}")
_BY_DEFAULT = Sentence("preview.default", "note", "run by default")
_REPORT = Sentence("preview.report", "note", "write report, results, tables and figures to {place}")
_COST = Sentence(
    "preview.cost",
    "note",
    "With {threads:count thread}, the run takes {seconds:time} and about {memory:bytes} of memory",
)
_UNKNOWN = Sentence("preview.unknown-time", "note", "The run time cannot be estimated: {what:names}")
_UNREAD = Sentence(
    "preview.pictures-unread",
    "caution",
    "The images are not scored, so errors in the data, and the size of the data, are not yet known",
)

# A pair and core in seconds, as docs/how-to/large-galleries.md has them for vectors; matrices are read and compared.
_RANK_OF_CELL, _ROC_OF_CELL = 1e-9, 1e-8
_RANK_OF_VECTORS, _RANK_OF_COMPONENT, _ROC_OVER_RANK = 1e-9, 2.2e-11, 1.6
_OF_LISTED_PAIR = 1.5e-7
_OF_ANALYSIS, _OF_REPORT = 1.0, 3.0
_BYTES_A_SECOND = 3e8  # read and hashed
_LIBRARIES, _WORKING = 2.5e8, 1e8  # bytes


@dataclass(frozen=True)
class Preview:
    """What a run would do.

    Attributes
    ----------
    reads
        Every file, and what is in it.
    steps
        What would be carried out, in order.
    cost
        About how long it takes and how much memory; None where that is not known.
    notes
        What would be left out, and what is not known.
    """

    reads: tuple[Note, ...]
    steps: tuple[Note, ...]
    cost: Note | None
    notes: tuple[Note, ...]


def preview(
    study: Study,
    place: Path,
    *,
    only: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    allow_plugins: bool = False,
) -> Preview:
    """Read what a study names and refuse what its run would refuse, and say what it would do; nothing is computed or written.

    Parameters
    ----------
    place
        Where results would go.
    only, threads, progress, allow_plugins
        As for `run`.
    """
    request, origin = study.request, study.origin
    report = _REPORT(place=place)
    if request.pictures:
        chosen = check_request(request, only, origin, allow_plugins, False)
        asked = [row for row in request.sections() if not chosen or row[0].key in chosen]
        scored = [
            _RECOGNISE(file=images.file, n=len(names), names=names)
            for images in request.pictures
            if (names := (*images.algorithms, *images.models))
        ]
        reads = tuple(_FILE(file=name, size=_size(origin.find(name))) for name in files_of(request, origin))
        steps = (*scored, *(_step(row, request) for row in asked), report)
        return Preview(reads, steps, None, (_UNREAD(),))
    with using(engine_of(request, None)):
        context = open_context(
            request,
            None,
            only=only,
            origin=origin,
            threads=threads,
            progress=progress or Silent(),
            cache=Cache(None),
            allow_plugins=allow_plugins,
        )
        with context.origin.refusing():
            ready = prepare_analyses(context)
            shared = tuple(_shared_steps(context, ready))
    steps = (*(note for note, _ in shared), *(_step(row, request) for row in ready), report)
    unknown = [row[0].key for row in ready if _time_unknown(row[0], request)]
    notes = [*context.notes, *([_UNKNOWN(what=unknown)] if unknown else [])]
    files = (*context.inputs.files, *context.more_files)
    seconds = sum(cost for _, cost in shared) / (threads or default_threads())
    seconds += sum(file.n_bytes for file in files) / _BYTES_A_SECOND + _OF_ANALYSIS * len(ready) + _OF_REPORT
    cost = _COST(memory=_memory(context), threads=threads or default_threads(), seconds=seconds)
    return Preview(tuple(_reads(context, files)), steps, cost, tuple(notes))


def _size(path: Path) -> int:
    """The bytes of a file, or of all files of a directory."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _reads(context: Context, files: Sequence[InputFile]) -> Iterator[Note]:
    inputs = context.inputs
    yield from (_FILE(file=file.name, size=file.n_bytes) for file in files)
    if inputs.samples is not None:
        yield _SAMPLES(samples=len(inputs.samples), people=len(inputs.samples.subjects))
    for algorithm in inputs.algorithms:
        scores = algorithm.scores
        queries, targets = scores.shape
        if isinstance(scores, Embeddings):
            yield _VECTORS(name=scores.name, components=scores.dimension, queries=queries, targets=targets)
        else:
            yield _MATRIX(name=scores.name, queries=queries, targets=targets)
    yield from (_LIST(name=pairs.trials.name, pairs=len(pairs.trials)) for pairs in inputs.lists)


def _shared_steps(context: Context, ready: Sequence[tuple[Analysis, Any]]) -> Iterator[tuple[Note, float]]:
    """What several analyses share, each with its seconds on one core."""
    reads = [part.reads for analysis, _ in ready for part in context.request.section(analysis.key)]
    scores = context.scores
    if scores and any(read.ranks for read in reads):
        probes, gallery = len(context.experiment.probes), len(context.experiment.gallery)
        seconds = probes * gallery * sum(map(_rank_of_pair, scores))
        yield _RANKS(probes=probes, gallery=gallery, n=len(scores)), seconds
    if scores and any(read.pairs for read in reads):
        pairs = _n_verified(context)
        yield _PAIRS(pairs=pairs, n=len(scores)), pairs * sum(map(_roc_of_pair, scores))
    lists = context.inputs.lists
    if lists and any(read.pairs or read.lists for read in reads):
        sizes = [len(pairs.trials) for pairs in lists]
        yield _PAIRS(pairs=max(sizes), n=len(lists)), sum(sizes) * _OF_LISTED_PAIR


def _n_verified(context: Context) -> int:
    """About how many comparisons are verified."""
    within = context.verified
    if isinstance(within, Experiment):
        return len(within.probes) * len(within.gallery)
    queries, targets = context.scores[0].shape
    same = context.scores[0].queries == context.scores[0].targets
    return queries * (queries - 1) // 2 if same else queries * targets


def _rank_of_pair(scores: Scores) -> float:
    if isinstance(scores, Embeddings):
        return _RANK_OF_VECTORS + _RANK_OF_COMPONENT * scores.dimension
    return _RANK_OF_CELL


def _roc_of_pair(scores: Scores) -> float:
    return _ROC_OVER_RANK * _rank_of_pair(scores) if isinstance(scores, Embeddings) else _ROC_OF_CELL


def _step(row: tuple[Analysis, Any], request: Request) -> Note:
    analysis, _ = row
    drawn = [getattr(part, "n_resamples", None) for part in request.section(analysis.key)]
    said = [_RESAMPLES(n=n) for n in drawn if n]
    said += [] if request.says(analysis.key) else [_BY_DEFAULT()]
    return _ANALYSIS(key=analysis.key, said=said)


def _time_unknown(analysis: Analysis, request: Request) -> bool:
    """Whether nothing is known of how long it takes: it is a plug-in, or reads files of its own, which may be to learn from."""
    return not analysis.bundled or not any(part.reads.scores for part in request.section(analysis.key))


def _memory(context: Context) -> float:
    """About how many bytes are held at once: libraries, arrays that are not mapped from files, and what is worked on."""
    held = 0
    for algorithm in context.inputs.algorithms:
        scores = algorithm.scores
        if isinstance(scores, Embeddings):
            arrays = {id(array): array for array in (scores.query_vectors, scores.target_vectors)}.values()
            held += sum(2 * array.nbytes for array in arrays if not in_files(array))
        elif isinstance(scores, DenseScores) and not in_files(scores.values):
            held += scores.values.nbytes
    held += sum(64 * len(pairs.trials) for pairs in context.inputs.lists)
    return _LIBRARIES + _WORKING + held
