"""What a request must not say, as far as that can be known before any data are read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from proband.engine.files.files import naming, require_regular
from proband.engine.files.shards import shard_files
from proband.errors import Hint, InputError, ProbandError, Said, UsageError, first_few
from proband.samples.directories import is_table_of_names
from proband.scores.formats import FORMATS
from proband.scores.reading import KEY_MARK, split_key, split_name
from proband.study.definition import Origin
from proband.study.designs import measure_of, names_in, of_pairs
from proband.study.refusals import Keys, RequestError, near, shown
from proband.study.requests import (
    ANALYSES,
    OF_TABLES,
    ComparisonRequest,
    ExperimentDesign,
    GateRequest,
    Part,
    Place,
    Request,
)


def check(request: Request, origin: Origin) -> None:
    """Refuse a request that names nothing to read, or what is not there."""
    if not (request.scores or request.embeddings or request.images) and _needs_scores(request):
        name = "The request" if origin.path is None else origin.path.name
        raise UsageError(
            f"{name} names no scores.",
            "add a section [[scores]] or [[embeddings]] with file = …, or [images] with file = … and algorithms = […].",
            place=Said(name),
        )
    for keys, place, name in files_named(request):
        _require(origin, keys, place, name)
    for number, scores in enumerate(request.scores):
        if scores.format is not None and scores.format not in FORMATS.names():
            raise RequestError(
                ("scores", number, "format"),
                f"there is no format {scores.format!r}",
                near(scores.format, FORMATS.names()),
            )
        if scores.ids == "subjects" and request.samples is not None:
            raise RequestError(
                ("scores", number, "ids"),
                "rows and columns that are named by subject stand in no table of samples",
                Hint("leave out {option:samples}, or {option:ids=subjects}."),
            )
    for keys, name, known in names_in(request):
        if name != "auto" and name not in known.names() and not known.names_code(name):
            raise RequestError(keys, f"there is no {known.what} {name!r}", known.meant_by(name))
    if request.samples is None and (request.embeddings or request.images) and not request.scores:
        section = "images" if request.images is not None else "embeddings"
        raise RequestError((section,), "whose the samples are is not known", "add [samples] with file = …")
    if request.images is not None:
        _check_images(request)


def check_effects(request: Request, in_memory: bool) -> None:
    """Refuse keys of the experiment that nothing asked for reads: how ranks are made where there are none, and whom to choose."""
    own, usual = request.experiment, ExperimentDesign()
    read = _read_of_experiment(request)
    for name in ExperimentDesign.model_fields:
        if getattr(own, name) != getattr(usual, name) and name not in read:
            raise RequestError(
                ("experiment", name), f"it has no effect on {_asked(request)}", "leave it out."
            )
    asked = [name for name in ANALYSES if getattr(request, name)]
    folds = request.verification is not None and request.verification.pairs is not None
    if folds and asked == ["verification"] and request.samples is not None and request.samples.failed:
        raise RequestError(
            ("samples", "failed"), Hint("it has no effect with {named:pairs}"), "leave one of them out."
        )
    marked = (
        in_memory or request.images is not None or (request.samples is not None and request.samples.failed)
    )
    if own.on_failure != usual.on_failure and not marked:
        raise RequestError(
            ("experiment", "on_failure"),
            Hint("it has no effect without {named:failed}"),
            Hint("leave it out, or say which samples failed: {option:failed}"),
        )


_CHOICE = {"gallery", "one_per_subject", "probes"}


def _read_of_experiment(request: Request) -> set[str]:
    """The keys of the experiment that the analyses asked for read."""
    every = set(ExperimentDesign.model_fields)
    read: set[str] = set()
    for one in _compared(request):
        read |= _CHOICE if of_pairs(one) else every
    of_ranks = (request.identification, request.mcnemar, request.feret, request.partition)
    if any(of_ranks) or (request.covariates is not None and request.covariates.table is None):
        read |= every
    own = request.verification
    if own is not None and own.pairs is None and own.comparisons == "experiment":
        read |= _CHOICE
    if request.threshold is not None:
        read |= _CHOICE
    if request.choices is not None and not request.choices.trainings:
        read |= {"ties"}
    if request.strat is not None:
        read |= {"ties", "on_failure"}
    return read


def _compared(request: Request) -> list[ComparisonRequest | GateRequest]:
    return [*request.comparison, *([] if request.gate is None else [request.gate])]


def _asked(request: Request) -> str:
    """What is asked for, in the words of sections."""
    named = [name for name in ANALYSES if getattr(request, name)]
    measures = [measure_of(one).code for one in _compared(request)]
    of = f" of {', '.join(measures)}" if measures else ""
    return f"{', '.join(named)}{of}"


def _needs_scores(request: Request) -> bool:
    """Whether it asks for anything but analyses of tables that these name themselves."""
    asked = {name for name in ANALYSES if name in request.model_fields_set and getattr(request, name)}
    explained = request.covariates
    of_tables = {*OF_TABLES, "covariates"} if explained and explained.table else {*OF_TABLES}
    return not asked or not asked <= of_tables


def _check_images(request: Request) -> None:
    from proband.algorithms import names_code, recognizer

    images = request.images
    assert images is not None  # asked before
    if request.samples is None:
        raise RequestError(("images",), "images need a table of samples", "add [samples] with file = …")
    for place, name in enumerate(images.algorithms):
        if names_code(name) or name.startswith("onnx:"):
            continue  # not to be run by reading a study
        keys = ("images", "algorithms", place)
        try:
            found = recognizer(name)
        except ProbandError as error:
            raise RequestError(keys, error.message.rstrip("."), error.cure) from None
        if found.needs_training and images.train is None:
            raise RequestError(keys, f"{name} must be trained", 'say on whom: train = "CONDITION"')


def files_named(part: Part, keys: Keys = ()) -> Iterator[tuple[Keys, Place, str]]:
    """Every file that a request names, by the marks of its fields, with the keys that lead to it."""
    for name, field in type(part).model_fields.items():
        said, at = getattr(part, name), (*keys, name)
        place = _place_of((field.annotation, *field.metadata))
        for number, one in enumerate(said) if isinstance(said, tuple) else [(None, said)]:
            here = at if number is None else (*at, number)
            if isinstance(one, Part):
                yield from files_named(one, here)
            elif isinstance(one, str) and place is not None:
                if place.kind == "reference":
                    path, _ = split_key(split_name(one)[1])
                    yield here, Place("file or directory"), str(path)
                elif place.kind != "condition":
                    yield here, place, one
                elif one.startswith("@"):
                    yield here, Place("file"), one[1:]


def _place_of(hint: Any) -> Place | None:
    """The mark within a type, however deep."""
    if isinstance(hint, Place):
        return hint
    parts = hint if isinstance(hint, tuple) else get_args(hint)
    return next((found for part in parts if (found := _place_of(part)) is not None), None)


def _require(origin: Origin, keys: Keys, place: Place, name: str) -> None:
    """Refuse a name of something that is not there."""
    path = origin.find(name)
    with naming(place=origin.where(*keys) or None):
        require_regular(path)
    try:
        there = path.is_file() if place.kind == "file" else path.exists() or bool(shard_files(path))
        there = there or (keys[:1] == ("samples",) and is_table_of_names(path))
        is_folder = path.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        there = is_folder = False
    if there:
        return
    if KEY_MARK in name:
        file, _, key = name.rpartition(KEY_MARK)
        raise RequestError(
            keys,
            f"the file and the array in it are said apart, got {shown(name)}",
            f"write file = {shown(file)} and key = {shown(key)}",
        )
    said = origin.where(*keys)
    if is_folder:
        raise InputError(
            f"{shown(name)} is a directory, and no {place.kind}.",
            f"name the {place.kind} in it.",
            file=Said(name),
            place=said or None,
        )
    raise InputError(
        f"there is no {place.kind} {shown(name)}." if said else f"There is no {place.kind} {name}.",
        _beside(path, origin),
        file=Said(name),
        place=said or None,
    )


def _beside(path: Path, origin: Origin) -> str:
    """A hint for a name that leads nowhere: something of nearly that name, or where names are looked up."""
    folder = path.parent
    names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    found = difflib.get_close_matches(path.name, names, n=2)
    if found:
        return f"in {folder} there is {first_few(found)}."
    whence = "here" if origin.path is None else f"where {origin.path.name} is"
    return f"names are looked up from {whence}; {folder} {'has no such file' if names else 'is no directory, or empty'}."
