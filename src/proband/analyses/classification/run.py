"""Read class scores and labels, and evaluate them with `classify`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.analyses.classification.request import ClassificationRequest
from proband.errors import Hint, InputError, Said, UsageError, first_few, quoted, unknown_name
from proband.inference import Classification, classify
from proband.protocols.running.prediction_files import read_predictions
from proband.samples.npz import Archive
from proband.samples.reading import filled_frame, read_frame
from proband.samples.table import require_values
from proband.scores.array_names import array_names
from proband.scores.formats.numpy_files import open_npy
from proband.study.context import Context
from proband.study.refusals import RequestError
from proband.words import Note, counted

Labels = npt.NDArray[Any]
_CLASSES = "classes"
_WHOLE = r"^(0|-?[1-9][0-9]*)$"


def run(request: ClassificationRequest, context: Context) -> Classification:
    """Evaluate the models in the files of a request."""
    if request.predictions:
        return _of_predictions(request, context)
    origin, output = context.origin, context.output
    archives = {name: _arrays(origin.find(name)) for name in request.scores}
    table, notes = pl.DataFrame(), list[Note]()
    predicted: dict[str, str] = {}
    if request.table is not None:
        path = origin.find(request.table)
        wanted = {request.truth, request.cluster or request.truth, *_possible(request.predicted)}
        table = filled_frame(read_frame(path, wanted, notes=notes))
        predicted = _named(request.predicted, table.columns)
        if request.truth in predicted.values():
            raise RequestError(
                ("classification", "predicted"),
                f"{quoted(request.truth)} is the column of the true class",
                Hint("name a column of predictions, or another with {option:truth}"),
            )
    truth = _labels(request.truth, table, archives, request, "truth")
    said = {name: _labels(column, table, {}, request, "predicted") for name, column in predicted.items()}
    truth, said = _as_numbers(truth, said)
    stated = {
        name: [*map(str, one[_CLASSES].tolist())]
        for name, one in archives.items()
        if _CLASSES in one and one[_CLASSES].ndim == 1
    }
    first = next(iter(stated.values())) if stated else None
    classes = _class_names(request.classes) or first
    matrices = _matrices(archives, request.models, classes, stated, renamed=bool(request.classes))
    models: dict[str, Any] = {**matrices, **said}
    twice = [name for name in said if name in matrices]
    if twice:
        raise UsageError(f"Two models are called {twice[0]!r}.", "rename one of them: NAME=COLUMN.")
    group = None if request.cluster is None else _labels(request.cluster, table, archives, request, "cluster")
    context.note(*notes)
    return classify(
        truth,
        models,
        cluster=group,
        classes=classes,
        k=request.k or None,
        average=request.average,
        ties=request.ties,
        margin=request.margin,
        confidence_level=output.confidence_level,
        seed=output.seed,
        adjust=request.adjust,
    )


def _of_predictions(request: ClassificationRequest, context: Context) -> Classification:
    """Models by file of predictions; files with the same name are distinguished by directory."""
    paths = [context.origin.find(name) for name in request.predictions]
    stems = [path.stem for path in paths]
    names = [
        path.stem if stems.count(path.stem) == 1 else f"{path.parent.name}/{path.stem}" for path in paths
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two models are called {twice!r}.", "rename a file.")
    made = read_predictions(
        dict(zip(names, paths, strict=True)), truth=request.truth, cluster=request.cluster
    )
    return made.classified(
        average=request.average,
        margin=request.margin,
        confidence_level=context.output.confidence_level,
        seed=context.output.seed,
        adjust=request.adjust,
    )


def _class_names(texts: Sequence[str]) -> Sequence[str]:
    """Class names, listed or in one comma-separated text; a single class would be useless."""
    return texts[0].split(",") if len(texts) == 1 else texts


def _possible(texts: Sequence[str]) -> set[str]:
    """Every column that could be meant."""
    parts = {part for text in texts for part in (text, *text.split(","))}
    return parts | {part.partition("=")[2] for part in parts}


def _named(texts: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Columns by the names of their models: ``NAME=COLUMN``, or the column's own."""
    found: dict[str, str] = {}
    for text in texts:
        whole = text in columns or text.partition("=")[2] in columns
        for part in [text] if whole else text.split(","):
            name, mark, column = part.partition("=")
            name, column = (part, part) if part in columns or not mark else (name, column)
            if name in found:
                raise UsageError(
                    f"Two models are called {name!r}.", "give each model its own name: NAME=COLUMN."
                )
            found[name] = column
    return found


def _arrays(path: Path) -> Mapping[str, Labels]:
    if path.suffix.lower() == ".npz":
        return Archive(path)
    if path.suffix.lower() == ".npy":
        return {path.stem: np.asarray(open_npy(path))}
    raise UsageError(
        f"{path.name} cannot be read as class scores: its extension is {path.suffix or 'missing'}.",
        "use .npz or .npy, samples × classes; predicted labels belong in columns of a table.",
        file=Said(path.name),
    )


def _matrices(
    archives: Mapping[str, Mapping[str, Labels]],
    wanted: Sequence[str],
    classes: Sequence[str] | None,
    stated: Mapping[str, Sequence[str]],
    renamed: bool,
) -> dict[str, Labels]:
    """Every matrix by the name of its model, its columns in the order of the classes; with its file where two have one name."""
    named = [
        (file, key, name)
        for file, arrays in archives.items()
        for key, name in array_names(
            Path(file).stem, [key for key in arrays if _dimensions(arrays, key) == 2]
        ).items()
    ]
    twice = Counter(name for *_, name in named)
    made: dict[str, Labels] = {}
    for file, key, own in named:
        name = own if twice[own] == 1 else f"{Path(file).stem}:{key}"
        if name in made:
            raise UsageError(
                f"Two models are called {name!r}.", "rename a file, or put both into one archive."
            )
        if not wanted or name in wanted:
            made[name] = _in_order(archives[file][key], stated.get(file), classes, file, renamed)
    missing = [name for name in wanted if name not in made]
    if missing or (archives and not made):
        files = first_few([Path(file).name for file in archives])
        if missing:
            raise unknown_name(
                "matrix", missing[0], [name for *_, name in named], f"in {files}", option="models"
            )
        raise InputError(f"{files}: no matrix of scores, samples × classes, was found.")
    return made


def _in_order(
    matrix: Labels, own: Sequence[str] | None, classes: Sequence[str] | None, file: str, renamed: bool
) -> Labels:
    """A matrix with its columns in the order of the classes, where its archive states its own; other names may be given to them all."""
    if own is None or classes is None or list(own) == list(classes) or len(own) != matrix.shape[1]:
        return matrix
    if renamed and not set(own) & set(classes):
        return matrix
    if sorted(own) != sorted(classes):
        raise InputError(
            f"{Path(file).name}: its columns have the classes {first_few(own)}, but the other models have {first_few(classes)}.",
            "use the same classes for all models.",
            file=Said(Path(file).name),
        )
    place = {name: k for k, name in enumerate(own)}
    return matrix[:, [place[name] for name in classes]]


def _dimensions(arrays: Mapping[str, Labels], key: str) -> int:
    return len(arrays.shape(key)) if isinstance(arrays, Archive) else arrays[key].ndim


def _labels(
    name: str,
    table: pl.DataFrame,
    archives: Mapping[str, Mapping[str, Labels]],
    request: ClassificationRequest,
    option: str,
) -> Labels:
    """A column of the table, or an array of an archive."""
    if name in table.columns:
        column = table[name]
        require_values(column, Path(request.table or "").name)
        if column.null_count():
            row = int(column.is_null().arg_max() or 0)
            raise InputError(
                f"{Path(request.table or '').name}: the column {name!r} is empty in {counted(column.null_count(), 'row')}, first in row "
                f"{row + 1}.",
                "fill it in, or remove these samples.",
            )
        return column.to_numpy()
    for arrays in archives.values():
        if name in arrays and _dimensions(arrays, name) == 1:
            return arrays[name]
    columns = [
        *table.columns,
        *(key for one in archives.values() for key in one if _dimensions(one, key) == 1),
    ]
    if not columns:
        raise UsageError(
            f"There are no true classes: {first_few([Path(file).name for file in archives])} holds only scores.",
            Hint("add the table of samples with the column {name!r}: {option:table}", name=name),
        )
    raise unknown_name("column or array", name, columns, option=option)


def _as_numbers(truth: Labels, said: Mapping[str, Labels]) -> tuple[Labels, dict[str, Labels]]:
    """Labels as whole numbers where all are such, so that 10 comes after 9; texts to the letter otherwise."""
    texts = [
        pl.Series(np.asarray(one, dtype=object).tolist()).cast(pl.String) for one in (truth, *said.values())
    ]
    if all(one.str.contains(_WHOLE).all() for one in texts):
        first, *others = (one.cast(pl.Int64).to_numpy() for one in texts)
    else:
        first, *others = (one.to_numpy() for one in texts)
    return first, dict(zip(said, others, strict=True))
