"""What a study reads: samples, scores, embeddings and images, and the digests that tell whether they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from proband.engine import Progress, Silent
from proband.engine.files.shards import in_files
from proband.errors import Hint, NeededOptions, Predicate, ProbandError, UsageError
from proband.samples import Experiment, Samples
from proband.scores import DenseScores, Embeddings, Scores
from proband.scores.base import ORIENTATION_HINT
from proband.scores.formats import ReadOptions, ScoreFile, chosen_format, read_file
from proband.scores.formats.contents import row_blocks
from proband.scores.pair_columns import PairColumns
from proband.scores.reading import embeddings_in, require_models, split_key
from proband.scores.run_record import ENDING, RUN_OF_OTHER_SCORES, RunRecord, read_record
from proband.scores.trials import Trials
from proband.study.caching import Cache
from proband.study.checking import files_named
from proband.study.definition import Origin
from proband.study.findings import InputFile
from proband.study.refusals import RequestError
from proband.study.requests import EmbeddingSource, ImageSource, Part, Request, ScoreSource
from proband.study.requests.data import ONNX
from proband.study.sources import ScoreReader, read_table, require_names, require_samples
from proband.words import Note

if TYPE_CHECKING:
    from proband.protocols.running.data import FeatureTable

_CELLS_AT_ONCE = 1 << 22
_SOON_READ = 1 << 25  # bytes of a file that is read just to say what else it needs


@dataclass(frozen=True, eq=False)
class Algorithm:
    """The scores of one algorithm.

    Attributes
    ----------
    scores, digest
        What was read, and the digest of all it holds.
    place
        Where the study names them.
    source
        How the file was asked for that they are from; None where they are from none, or were made of images.
    run
        The record of the run that made them, where it is beside their file and asked for.
    """

    scores: Scores
    digest: str
    place: str = ""
    source: ScoreSource | EmbeddingSource | None = None
    run: RunRecord | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.scores.name


@dataclass(frozen=True, eq=False)
class PairList:
    """A list of comparisons that makes no matrix."""

    trials: Trials
    digest: str
    check_orientation: bool = True
    place: str = ""


@dataclass(frozen=True, eq=False)
class Inputs:
    """All inputs of a request.

    Attributes
    ----------
    samples, samples_digest
        The table, if there is one, and the digest of its content; lists may do without.
    algorithms, lists
        The scores: of matrices, or of lists that make none; one of both is empty, or both where tables alone are asked for.
    files
        Every file, by the name the study gives it.
    experiment
        Who is enrolled and searched for, where the request does not choose.
    features
        What classifiers learn from that is in memory, by the name that the request gives as its file.
    """

    samples: Samples | None
    samples_digest: str
    algorithms: tuple[Algorithm, ...]
    lists: tuple[PairList, ...]
    files: tuple[InputFile, ...]
    notes: tuple[Note, ...] = ()
    experiment: Experiment | None = None
    features: Mapping[str, FeatureTable] = field(default_factory=dict)


def in_memory(
    samples: Samples,
    scores: Sequence[Scores] = (),
    *,
    experiment: Experiment | None = None,
    features: Mapping[str, FeatureTable] | None = None,
) -> Inputs:
    """Samples, scores and features that are at hand, for a request to be carried out on; no cache knows them again."""
    return Inputs(
        samples,
        token_hex(),
        tuple(Algorithm(one, token_hex()) for one in scores),
        (),
        (),
        experiment=experiment,
        features=features or {},
    )


def read_inputs(
    request: Request, origin: Origin, cache: Cache, threads: int | None, progress: Progress
) -> Inputs:
    """Read every file that a request names."""
    named = dict.fromkeys(files_of(request, origin))
    files = tuple(InputFile(name, *cache.digest(origin.find(name))) for name in named)
    if not request.has_sources:
        needed = any(one.reads.samples for _, one in request.asked())
        known = _table(request, origin) if needed else None
        return Inputs(known, "", (), (), files)
    try:
        table = _table(request, origin)
    except UsageError as error:
        if isinstance(error.cure, NeededOptions):
            error.cure = _needed_besides(error.cure, request, origin)
        raise
    shared = origin.path is None and len(request.scores) > 1
    if shared:
        _require_read(request, origin, progress)
    if not request.embeddings and not request.pictures:
        lists = _lists(request, origin, table, files, progress, shared)
        if lists:
            return Inputs(table, "", (), lists, files)
    found: list[Algorithm] = []
    read: list[ScoreFile] = []
    notes: tuple[Note, ...] = ()
    for number, source in enumerate(request.scores):
        place = origin.where("scores", number)
        with origin.placed(place):
            run, stale = _run_of(source, origin, files)
        notes += stale
        for reference in origin.references(source):
            with origin.placed(place):
                scores, table, file = _score_reader(origin, source, progress, shared).matrices(
                    reference, table, _name_of(source, request)
                )
            read.append(file)
            found += [replace(_of_source(one, source, files, place), run=run) for one in scores]
    if shared:
        _require_unnamed(request.scores, read)
    with origin.placed("" if origin.path is None else origin.path.name):
        table = require_samples(table)
    for number, models in enumerate(request.embeddings):
        place = origin.where("embeddings", number)
        with origin.placed(place):
            found += _embeddings(origin, models, table, files, place)
    embedded = [one.name for one in found if isinstance(one.scores, Embeddings)]
    for number, models in enumerate(request.embeddings):
        if isinstance(models.metric, Mapping):
            with origin.placed(origin.where("embeddings", number)):
                require_models(models.metric, embedded)
    samples_digest = _digest_of_samples(request, table, files)
    for images in request.pictures:
        with origin.placed(origin.where("images")):
            recognised, own = _recognised(
                origin, images, table, files, samples_digest, cache, threads, progress
            )
        found += recognised
        notes += own
    _require_names(found, origin)
    return Inputs(table, samples_digest, tuple(found), (), files, notes)


def _table(request: Request, origin: Origin) -> Samples | None:
    """The table of samples, if one is named."""
    one = request.samples
    if one is None:
        return None
    labels = tuple(name for _, asked in request.asked() for name in asked.reads.labels)
    with origin.placed(origin.where("samples")):
        return read_table(
            origin.find(one.file),
            one.id_column,
            one.subject_column,
            one.failed,
            one.missing_values,
            labels,
            one.sampling.declared,
        )


def _needed_besides(cure: NeededOptions, request: Request, origin: Origin) -> NeededOptions:
    """What the samples table needs and what small files of scores need besides, so that it is said once."""
    for source in request.scores:
        reader = _score_reader(origin, source, Silent())
        for reference in origin.references(source):
            path, key = split_key(reference)
            if not path.is_file() or path.stat().st_size > _SOON_READ:
                continue
            try:
                file = read_file(path, replace(reader.options, key=key), reader.format)
                if source.orientation is None and file.orientation is None:
                    cure = cure.with_others(ORIENTATION_HINT)
            except ProbandError as error:
                if isinstance(error.cure, NeededOptions):
                    cure = cure.with_others(error.cure)
    return cure


def _require_names(found: list[Algorithm], origin: Origin) -> None:
    """Refuse two algorithms of one name where the second is named; the hint says where the first is."""
    names = [one.name for one in found]
    for number, one in enumerate(found):
        if one.name in names[:number]:
            first = found[names.index(one.name)].place
            also = "" if first == one.place else f" (the first is at {first})"
            with origin.placed(one.place):
                require_names(
                    [each.scores for each in found],
                    Hint("give one of them another name: {option:algorithm_name}{also}.", also=also),
                )


def _require_read(request: Request, origin: Origin, progress: Progress) -> None:
    """Refuse what is told to the readers of several files at once, by options, and read by none."""
    for name in ("query_ids", "target_ids", "mask", "mated_is"):
        unread = []
        for source in request.scores:
            reader = _score_reader(origin, source, progress, shared=True)
            path, _ = split_key(origin.find(source.file))
            unread.append(name in chosen_format(path, reader.options, reader.format).unread(reader.options))
        if all(unread):
            raise RequestError(
                ("scores", 0, name), Predicate("has no effect on these files"), "leave it out."
            )


def _require_unnamed(sources: Sequence[ScoreSource], read: Sequence[ScoreFile]) -> None:
    """Refuse to be told which samples rows or columns are, by options, where all of several files name them."""
    for name in ("queries", "targets"):
        named = all(one.trials or getattr(one, name) is not None for one in read)
        if named and any(getattr(one, name) is not None for one in sources):
            raise RequestError(
                ("scores", 0, name),
                Predicate("has no effect: all these files contain their own ids"),
                "leave it out.",
            )


def _score_reader(
    origin: Origin, source: ScoreSource, progress: Progress, shared: bool = False
) -> ScoreReader:
    return ScoreReader(
        source.orientation,
        source.missing,
        origin.condition(source.queries),
        origin.condition(source.targets),
        source.format,
        ReadOptions(
            ids=source.ids,
            columns=None if source.columns is None else PairColumns(**source.columns.model_dump()),
            mated_is=source.mated_is,
            missing_values=source.missing_values or (),
            query_ids=source.query_ids,
            target_ids=source.target_ids,
            mask=None if source.mask is None else origin.find(source.mask),
            oriented=source.orientation is not None,
            shared=shared,
            progress=progress,
        ),
    )


def _name_of(source: ScoreSource, request: Request) -> str | None:
    """The name that the only algorithm of a file is to have, where it is not that which its reader gives.

    Columns of scores that are called the same in several files do not tell algorithms apart; the files do.
    """
    if source.name is not None or source.columns is None or source.key or len(source.columns.score) > 1:
        return source.name
    others = (one for one in request.scores if one is not source and one.name is None)
    same = any(one.columns is not None and source.columns.score[0] in one.columns.score for one in others)
    return Path(source.file).stem if same else None


def _needs_matrix(request: Request) -> bool:
    """Whether anything is asked for that a list of chosen pairs cannot tell."""
    asked = (one.reads for analysis, one in request.asked() if request.says(analysis.key))
    return request.says("experiment") or any(one.scores and not one.lists for one in asked)


def _lists(
    request: Request,
    origin: Origin,
    table: Samples | None,
    files: tuple[InputFile, ...],
    progress: Progress,
    shared: bool,
) -> tuple[PairList, ...]:
    """The scores as lists of chosen pairs; empty if any file makes a matrix that is needed."""
    found: list[PairList] = []
    ranked = _needs_matrix(request)
    for number, source in enumerate(request.scores):
        place = origin.where("scores", number)
        for reference in origin.references(source):
            with origin.placed(place):
                read = _score_reader(origin, source, progress, shared).lists_of_pairs(
                    reference, table, _name_of(source, request), ranked
                )
            for trials in read or ():
                digest = _joined(_stated(source), _file(files, source.file), trials.name)
                found.append(PairList(trials, digest, source.check_orientation, place))
            if read is None:
                return ()
    require_names([one.trials for one in found])
    return tuple(found)


def _embeddings(
    origin: Origin, source: EmbeddingSource, table: Samples, files: tuple[InputFile, ...], place: str
) -> Iterator[Algorithm]:
    for reference in origin.references(source):
        models = embeddings_in(
            reference, table, source.metric, missing=source.missing, ids=source.ids, name=source.name
        )
        for one in models.values():
            yield _of_source(one, source, files, place)


def _of_source(
    scores: Scores, source: ScoreSource | EmbeddingSource, files: tuple[InputFile, ...], place: str
) -> Algorithm:
    scores.may_look_reversed = not source.check_orientation
    return Algorithm(scores, _digest(scores, files, source), place, source)


def _run_of(
    source: ScoreSource, origin: Origin, files: tuple[InputFile, ...]
) -> tuple[RunRecord | None, tuple[Note, ...]]:
    """The record of the run that made a file of scores, if one is read; that of other scores is left out, and reported."""
    name = f"{source.file}{ENDING}"
    if all(file.name != name for file in files):
        return None, ()
    record = read_record(origin.find(name))
    if record.scores != _file(files, source.file):
        return None, (RUN_OF_OTHER_SCORES(file=name),)
    return record, ()


def _recognised(
    origin: Origin,
    source: ImageSource,
    table: Samples,
    files: tuple[InputFile, ...],
    samples_digest: str,
    cache: Cache,
    threads: int | None,
    progress: Progress,
) -> tuple[list[Algorithm], tuple[Note, ...]]:
    """Scores of the images; of recognisers that are not ours the code may change unseen, so theirs are made anew."""
    from proband.algorithms.registry import BUNDLED
    from proband.algorithms.running import NO_TRAINING
    from proband.study.recognising import recognise

    def make() -> dict[str, Any]:
        made = recognise(
            origin.find(source.file),
            table,
            [_found_model(origin, name) for name in source.algorithms],
            [origin.find(name) for name in source.models],
            train=origin.condition(source.train),
            queries=origin.condition(source.queries),
            targets=origin.condition(source.targets),
            file_column=source.file_column,
            detect=source.detect,
            as_they_are=source.as_they_are,
            allow_training_overlap=source.allow_training_overlap,
            threads=threads,
            progress=progress,
        )
        return {
            "notes": (*made.notes, *([] if made.met == NO_TRAINING() else [made.met])),
            "scores": [_parts_of(one) for one in made.scores],
        }

    ours = all(name in BUNDLED or name.startswith(ONNX) for name in source.algorithms)
    named = {name: _file(files, name) for name in (*_files_in(source), *_models_in(source))}
    depends_on = {"source": source.model_dump(), "files": named, "samples": samples_digest, **versions()}
    kept = cache.step("recognised", depends_on, make) if ours else make()
    scores = [DenseScores(**parts) for parts in kept["scores"]]
    place = origin.where("images")
    return [Algorithm(one, _digest(one, files, source), place=place) for one in scores], kept["notes"]


def _found_model(origin: Origin, name: str) -> str:
    return f"{ONNX}{origin.find(name.removeprefix(ONNX))}" if name.startswith(ONNX) else name


def _parts_of(scores: DenseScores) -> dict[str, Any]:
    return {
        "values": scores.values,
        "queries": tuple(scores.queries),
        "targets": tuple(scores.targets),
        "orientation": scores.orientation,
        "name": scores.name,
        "cells": scores.cell_codes,
        "notes": scores.notes,
    }


@cache
def versions() -> dict[str, str]:
    """The versions of what computes."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from proband._version import __version__

    found = {"proband": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "polars", "numba", "matplotlib", "pillow", "opencv-python-headless"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return found


def files_of(request: Request, origin: Origin) -> Iterator[str]:
    """Every file that is named, and those that are read with them."""
    yield from _files_in(request)
    endings = (".json", ENDING) if any(asked.reads.runs for _, asked in request.asked()) else (".json",)
    for source in request.scores:
        if not origin.find(source.file).is_file():
            continue
        beside_it = (
            *(source.file + ending for ending in endings),
            Path(source.file).with_suffix(".mask").as_posix(),
        )
        for beside in beside_it:
            if origin.find(beside).is_file():
                yield beside
    for images in request.pictures:
        yield from _models_in(images)


def _files_in(part: Part) -> Iterator[str]:
    return (name for _, _, name in files_named(part))


def _models_in(source: ImageSource) -> Iterator[str]:
    return (name.removeprefix(ONNX) for name in source.algorithms if name.startswith(ONNX))


def _file(files: tuple[InputFile, ...], name: str) -> str:
    return next(one.sha256 for one in files if one.name == name)


def _stated(source: Part) -> str:
    return json.dumps(source.model_dump(), sort_keys=True)


def _joined(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _digest_of_samples(request: Request, table: Samples, files: tuple[InputFile, ...]) -> str:
    if request.samples is not None:
        return _joined(_stated(request.samples), _file(files, request.samples.file))
    return _joined(table.frame.write_ndjson())


def _digest(scores: Scores, files: tuple[InputFile, ...], source: Any) -> str:
    """The digest of all that scores hold; numbers that are mapped from a file are told by the file's."""
    arrays: list[Any] = []
    if isinstance(scores, DenseScores):
        arrays = [scores.values]
    elif isinstance(scores, Embeddings):
        arrays = [scores.query_vectors]
    hashed = hashlib.sha256()
    for array in arrays:
        if in_files(array):
            hashed.update(_file(files, source.file).encode())
        else:
            hashed.update(f"{array.dtype.str}{array.shape}".encode())
            hashed.update(np.ascontiguousarray(array).view(np.uint8).data)
    for cells in _cells_of(scores):
        hashed.update(cells.data)
    said = [
        scores.name,
        repr(type(scores)),
        scores.orientation,
        scores.metric or "",
        str(scores.may_look_reversed),
    ]
    axes = ["\n".join(axis) for axis in (scores.queries, scores.targets)]
    return _joined(hashed.hexdigest(), *said, *axes, *map(str, scores.notes))


def _cells_of(scores: Scores) -> Iterator[npt.NDArray[np.uint8]]:
    """The codes of cells, some rows at a time: they may lie in another file, and be larger than memory."""
    for rows in row_blocks(scores.shape, _CELLS_AT_ONCE):
        cells = scores.cells(rows, np.arange(scores.shape[1]))
        if cells is None:
            return
        yield cells
