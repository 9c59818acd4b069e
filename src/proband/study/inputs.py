"""What a study reads: samples, scores, embeddings and images, and the digests that tell whether they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np

from proband.engine import Progress
from proband.errors import UsageError
from proband.samples import Samples
from proband.scores import DenseScores, Embeddings, Scores
from proband.scores.formats import ReadOptions
from proband.scores.reading import read_embeddings
from proband.scores.trials import Trials
from proband.study.caching import Cache
from proband.study.definition import Study
from proband.study.findings import InputFile
from proband.study.reading import placed
from proband.study.recognising import recognise
from proband.study.sections import EmbeddingSource, ImageSource, Place, ScoreSource
from proband.study.sources import ScoreReader, read_table, renamed, require_names, require_samples
from proband.words import Note

_ONNX = "onnx:"


@dataclass(frozen=True, eq=False)
class Algorithm:
    """The scores of one algorithm, the digest of all they hold, whether their orientation is checked, and where the study names them."""

    scores: Scores
    digest: str
    check_orientation: bool = True
    place: str = ""

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
class StudyInputs:
    """Everything a study read.

    Attributes
    ----------
    samples, samples_digest
        The table, if there is one, and the digest of its content; lists may do without.
    algorithms, lists
        The scores: of matrices, or of lists that make none; one of both is empty.
    files
        Every file, by the name the study gives it.
    """

    samples: Samples | None
    samples_digest: str
    algorithms: tuple[Algorithm, ...]
    lists: tuple[PairList, ...]
    files: tuple[InputFile, ...]
    notes: tuple[Note, ...] = ()


def read_inputs(study: Study, cache: Cache, threads: int | None, progress: Progress) -> StudyInputs:
    """Read every file the study names."""
    files = tuple(
        InputFile(name, *cache.digest(study.find(name))) for name in dict.fromkeys(_files_of(study))
    )
    table = None
    if study.samples is not None:
        one = study.samples
        with placed(study.where("samples")):
            table = read_table(study.find(one.file), one.id, one.subject, one.failed, one.missing_values)
    if not study.embeddings and study.images is None:
        lists = _lists(study, table, files, progress)
        if lists:
            return StudyInputs(table, "", (), lists, files)
    found: list[Algorithm] = []
    for number, source in enumerate(study.scores):
        place = _place(study, "scores", number)
        for reference in study.references(source):
            with placed(place):
                scores, table = _score_reader(study, source, progress).matrices(reference, table, source.name)
            found += [
                Algorithm(one, _digest(one, files, source), source.orientation_check, place) for one in scores
            ]
    with placed(study.path.name):
        table = require_samples(table, "add [samples] with file = … to the study.")
    for number, models in enumerate(study.embeddings):
        place = _place(study, "embeddings", number)
        with placed(place):
            found += _embeddings(study, models, table, files, place)
    samples_digest = _digest_of_samples(study, table, files)
    notes: tuple[Note, ...] = ()
    if study.images is not None:
        with placed(study.where("images")):
            recognised, notes = _recognised(
                study, study.images, table, files, samples_digest, cache, threads, progress
            )
        found += recognised
    _require_names(found)
    return StudyInputs(table, samples_digest, tuple(found), (), files, notes)


def _place(study: Study, section: str, number: int) -> str:
    """Where one of several sources stands; a single one may be written without a number."""
    several = (section, number) in study.places.lines
    return study.where(section, number) if several else study.where(section)


def _require_names(found: list[Algorithm]) -> None:
    """Refuse two algorithms of one name where the second is named; the hint says where the first is."""
    names = [one.name for one in found]
    for number, one in enumerate(found):
        if one.name in names[:number]:
            try:
                with placed(one.place):
                    require_names([each.scores for each in found])
            except UsageError as error:
                first = found[names.index(one.name)].place
                also = "" if first == one.place else f" (the first is at {first})"
                raise UsageError(
                    error.message, f'give one another name: name = "…" in its section{also}.'
                ) from None


def _score_reader(study: Study, source: ScoreSource, progress: Progress) -> ScoreReader:
    return ScoreReader(
        source.orientation,
        source.missing,
        study.condition(source.queries),
        study.condition(source.targets),
        source.format,
        ReadOptions(
            query_ids=source.query_ids,
            target_ids=source.target_ids,
            mask=None if source.mask is None else study.find(source.mask),
            progress=progress,
        ),
    )


def _lists(
    study: Study, table: Samples | None, files: tuple[InputFile, ...], progress: Progress
) -> tuple[PairList, ...]:
    """The scores as lists that make no matrix; empty if any file makes one."""
    found = []
    for number, source in enumerate(study.scores):
        place = _place(study, "scores", number)
        for reference in study.references(source):
            with placed(place):
                trials = _score_reader(study, source, progress).list_of_pairs(reference, table, source.name)
            if trials is None:
                return ()
            digest = _joined(_stated(source), _file(files, source.file), trials.name)
            found.append(PairList(trials, digest, source.orientation_check, place))
    return tuple(found)


def _embeddings(
    study: Study, source: EmbeddingSource, table: Samples, files: tuple[InputFile, ...], place: str
) -> Iterator[Algorithm]:
    for reference in study.references(source):
        models = read_embeddings(
            reference, table, metric=source.metric, missing=source.missing, ids=source.ids
        )
        for one in renamed(list(models.values()), source.name, reference):
            yield Algorithm(one, _digest(one, files, source), source.orientation_check, place)


def _recognised(
    study: Study,
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

    def make() -> dict[str, Any]:
        made = recognise(
            study.find(source.file),
            table,
            [_found_model(study, name) for name in source.algorithms],
            [study.find(name) for name in source.models],
            train=study.condition(source.train),
            queries=study.condition(source.queries),
            targets=study.condition(source.targets),
            file_column=source.file_column,
            detect=source.detect,
            as_they_are=source.as_they_are,
            threads=threads,
            progress=progress,
        )
        return {
            "notes": (*made.notes, *([made.met] if made.sets.training else [])),
            "scores": [_parts_of(one) for one in made.scores],
        }

    ours = all(name in BUNDLED or name.startswith(_ONNX) for name in source.algorithms)
    named = {name: _file(files, name) for name in _files_in(source)}
    depends_on = {"source": asdict(source), "files": named, "samples": samples_digest, **versions()}
    kept = cache.step("recognised", depends_on, make) if ours else make()
    scores = [DenseScores(**parts) for parts in kept["scores"]]
    place = study.where("images")
    return [Algorithm(one, _digest(one, files, source), place=place) for one in scores], kept["notes"]


def _found_model(study: Study, name: str) -> str:
    return f"{_ONNX}{study.find(name.removeprefix(_ONNX))}" if name.startswith(_ONNX) else name


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


def _files_of(study: Study) -> Iterator[str]:
    """Every file the study names, and those that are read with them."""
    for section in (getattr(study, one.name) for one in fields(study)):
        for part in section if isinstance(section, tuple) else (section,):
            if is_dataclass(part):
                yield from _files_in(part)
    for source in study.scores:
        for beside in (f"{source.file}.json", str(Path(source.file).with_suffix(".mask"))):
            if study.find(beside).is_file():
                yield beside


def _files_in(section: Any) -> Iterator[str]:
    """The files that a section names, by the marks of its fields."""
    hints = get_type_hints(type(section), include_extras=True)
    for one in fields(section):
        place = _place_of(hints[one.name])
        said = getattr(section, one.name)
        for name in said if isinstance(said, tuple) else (said,):
            if isinstance(name, str) and place is not None and place.kind != "condition":
                yield name
            elif isinstance(name, str) and place is not None and name.startswith("@"):
                yield name[1:]
    if isinstance(section, ImageSource):
        yield from (name.removeprefix(_ONNX) for name in section.algorithms if name.startswith(_ONNX))


def _place_of(hint: Any) -> Place | None:
    """The mark within a type, however deep."""
    if isinstance(hint, Place):
        return hint
    return next((found for part in get_args(hint) if (found := _place_of(part)) is not None), None)


def _file(files: tuple[InputFile, ...], name: str) -> str:
    return next(one.sha256 for one in files if one.name == name)


def _stated(source: object) -> str:
    return json.dumps(asdict(source), sort_keys=True, default=str)  # type: ignore[call-overload]


def _joined(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _digest_of_samples(study: Study, table: Samples, files: tuple[InputFile, ...]) -> str:
    if study.samples is not None:
        return _joined(_stated(study.samples), _file(files, study.samples.file))
    return _joined(table.frame.write_ndjson())


def _digest(scores: Scores, files: tuple[InputFile, ...], source: Any) -> str:
    """The digest of all that scores hold; numbers that are mapped from a file are told by the file's."""
    arrays: list[Any] = []
    if isinstance(scores, DenseScores):
        arrays = [scores.values, scores.cell_codes]
    elif isinstance(scores, Embeddings):
        arrays = [scores.query_vectors]
    hashed = hashlib.sha256()
    for array in arrays:
        if isinstance(array, np.memmap):
            hashed.update(_file(files, source.file).encode())
        elif array is not None:
            hashed.update(f"{array.dtype.str}{array.shape}".encode())
            hashed.update(np.ascontiguousarray(array).view(np.uint8).data)
    said = [scores.name, repr(type(scores)), scores.orientation, scores.metric or ""]
    axes = ["\n".join(axis) for axis in (scores.queries, scores.targets)]
    return _joined(hashed.hexdigest(), *said, *axes, *map(str, scores.notes))
