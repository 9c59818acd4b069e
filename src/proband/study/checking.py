"""Checks of a request that need no data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args

from proband.engine.files.files import naming, require_regular
from proband.engine.files.shards import shard_files
from proband.errors import (
    Hint,
    InputError,
    Predicate,
    ProbandError,
    Said,
    UsageError,
    first_few,
    meant,
    near_names,
)
from proband.samples.directories import is_table_of_names
from proband.scores.formats import FORMATS
from proband.scores.reading import KEY_MARK, split_key, split_name
from proband.study.analysis import ANALYSES
from proband.study.definition import Origin
from proband.study.refusals import Keys, RequestError, shown
from proband.study.requests import ExperimentDesign, ImageSource, Names, Part, Place, Request
from proband.study.requests.data import ONNX

Mark = TypeVar("Mark")


def check(request: Request, origin: Origin) -> None:
    """Refuse a request that names no inputs, or inputs that do not exist."""
    if not request.has_sources and _needs_scores(request):
        name = "The request" if origin.path is None else origin.path.name
        raise UsageError(
            f"{name} specifies no scores.",
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
                meant(scores.format, FORMATS.names(), 50),
            )
        if scores.ids == "subjects" and request.has_table:
            raise RequestError(
                ("scores", number, "ids"),
                "rows and columns named by subject cannot be looked up in a samples table",
                Hint("leave out {option:samples}, or {option:ids=subjects}."),
            )
    for keys, mark, text in names_in(request):
        known, name = mark.known, mark.name_in(text)
        if mark.checked and name != "auto" and name not in known.names() and not known.names_code(name):
            raise RequestError(keys, f"there is no {known.what} {text!r}", mark.meant_by(text))
    if not request.has_table and (request.embeddings or request.pictures) and not request.scores:
        section = "images" if request.pictures else "embeddings"
        raise RequestError((section,), "no subject IDs were given", Hint("{give:samples}."))
    for images in request.pictures:
        _check_images(images, request)


def check_effects(request: Request, in_memory: bool) -> None:
    """Refuse keys of the experiment that nothing asked for reads: how ranks are made where there are none, and whom to choose."""
    own, usual = request.experiment, ExperimentDesign()
    read = _read_of_experiment(request)
    for name in ExperimentDesign.model_fields:
        if getattr(own, name) != getattr(usual, name) and name not in read:
            raise RequestError(
                ("experiment", name),
                Predicate("has no effect on {asked}", asked=_asked(request)),
                "leave it out.",
            )
    reading = [one.reads for _, one in request.asked()]
    if request.samples and request.samples.failed and not any(one.failures for one in reading):
        raise RequestError(
            ("samples", "failed"),
            Predicate("has no effect on {asked}", asked=_asked(request)),
            "leave it out.",
        )
    if own.on_failure != usual.on_failure and not (in_memory or request.marks_failures):
        raise RequestError(
            ("experiment", "on_failure"),
            Predicate("has no effect without {named:failed}"),
            Hint("leave it out, or specify which samples failed: {option:failed}"),
        )


def _read_of_experiment(request: Request) -> set[str]:
    """The keys of the experiment that the analyses asked for read."""
    reading = [one.reads for _, one in request.asked()]
    if any(one.ranks for one in reading):
        return set(ExperimentDesign.model_fields)
    return {key for one in reading for key in one.experiment}


def _asked(request: Request) -> str:
    """What is asked for, in the words of sections, with the measures that they name."""
    named = [analysis.key for analysis, _ in request.sections()]
    measures = [one.measured.code for _, one in request.asked() if hasattr(one, "measured")]
    of = f" of {', '.join(measures)}" if measures else ""
    lists = (isinstance(getattr(one, "pairs", None), str) for _, one in request.asked())
    of += " of listed pairs" * any(lists)
    return f"{', '.join(named)}{of}"


def _needs_scores(request: Request) -> bool:
    """Whether it asks for anything but analyses of tables that these name themselves."""
    written = [one for analysis, one in request.asked() if request.says(analysis.key)]
    return not written or any(one.reads.scores for one in written)


def _check_images(images: ImageSource, request: Request) -> None:
    from proband.algorithms import names_code, recognizer

    if not request.has_table:
        raise RequestError(("images",), "images need a samples table", Hint("{give:samples}."))
    for place, name in enumerate(images.algorithms):
        if names_code(name) or name.startswith(ONNX):
            continue  # not to be run by reading a study
        keys = ("images", "algorithms", place)
        try:
            found = recognizer(name)
        except ProbandError as error:
            raise RequestError(keys, error.message.rstrip("."), error.cure) from None
        if found.needs_training and images.train is None:
            raise RequestError(
                keys, f"{name} must be trained", 'specify the training samples: train = "CONDITION"'
            )


def files_named(part: Part) -> Iterator[tuple[Keys, Place, str]]:
    """Every file that a request names, by the marks of its fields, with the keys that lead to it."""
    for keys, place, text in marked_texts(part, Place):
        if place.kind == "reference":
            path, _ = split_key(split_name(text)[1])
            yield keys, Place("file or directory"), str(path)
        elif place.kind != "condition":
            yield keys, place, text
        elif text.startswith("@"):
            yield keys, Place("file"), text[1:]


def names_in(request: Request) -> Iterator[tuple[Keys, Names, str]]:
    """Everything of a registry that a request names, by the marks of its fields, with the keys that lead to it."""
    yield from marked_texts(request, Names)


def code_named(request: Request) -> list[tuple[Keys, str]]:
    """Everything in a request that names code to import, with the keys that lead to it."""
    return [(keys, text) for keys, mark, text in names_in(request) if mark.names_code(mark.name_in(text))]


def plugins_of(request: Request) -> dict[str, tuple[str, ...]]:
    """Whose code a request's analyses, measures and designs are where they are plug-ins, and whose code may read its files."""
    formats = {one.format for one in request.scores}
    named = FORMATS.made_by(*(FORMATS.names() if None in formats else filter(None, formats)))
    named |= ANALYSES.made_by(*(analysis.key for analysis, _ in request.sections()))
    for _, mark, text in names_in(request):
        if mark.checked:
            named |= mark.known.made_by(mark.name_in(text))
    return named


def marked_texts(part: Part, kind: type[Mark], keys: Keys = ()) -> Iterator[tuple[Keys, Mark, str]]:
    """Every text of a request whose field has a mark of a kind, with the keys that lead to it."""
    for name, field in type(part).model_fields.items():
        said, at = getattr(part, name), (*keys, name)
        mark = _mark_in((field.annotation, *field.metadata), kind)
        for number, one in enumerate(said) if isinstance(said, tuple) else [(None, said)]:
            here = at if number is None else (*at, number)
            if isinstance(one, Part):
                yield from marked_texts(one, kind, here)
            elif isinstance(one, str) and mark is not None:
                yield here, mark, one


def _mark_in(hint: Any, kind: type[Mark]) -> Mark | None:
    """The mark within a type, however deep."""
    if isinstance(hint, kind):
        return hint
    parts = hint if isinstance(hint, tuple) else get_args(hint)
    return next((found for part in parts if (found := _mark_in(part, kind)) is not None), None)


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
            f"the file and the array in it must be separate keys, got {shown(name)}",
            f"write file = {shown(file)} and key = {shown(key)}",
        )
    said = origin.where(*keys)
    if is_folder and keys[:1] == ("samples",):
        raise InputError(
            f"{shown(name)} is a directory without images.",
            "specify a samples table, or a directory of images whose file names identify the subjects.",
            file=Said(name),
            place=said or None,
        )
    if is_folder:
        raise InputError(
            f"{shown(name)} is a directory, not a {place.kind}.",
            f"specify the {place.kind} in it.",
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
    near = near_names(path.name, names)
    within = "" if folder == Path() else f" in {folder}"
    if near:
        return f"similar names{within}: {first_few(near)}."
    base = "the current directory" if origin.path is None else f"the directory of {origin.path.name}"
    found = f"there is no such file{within}" if names else f"{folder} is not a directory, or is empty"
    return f"paths are relative to {base}; {found}."
