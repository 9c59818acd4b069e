"""Scores of classes and predicted classes among a user's files: what tells logits from embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt
import polars as pl

from proband.samples.npz import Archive

_TRUTHS = (
    "label",
    "labels",
    "truth",
    "y_true",
    "y",
    "target",
    "class",
    "true_class",
    "category",
    "diagnosis",
)
_CLASSES = "classes"
_MOST_OCCUR = 0.8  # of the classes: vectors have as many columns as there are labels only by chance


@dataclass(frozen=True)
class FoundLogits:
    """A file of scores of classes: its models, how many samples and classes, and where the true class is.

    `truth` is a column of `table`, or an array of the file itself where there is no table. A table that is the file itself has
    the predicted class of each model in a column.
    """

    path: Path
    models: tuple[str, ...]
    n_samples: int
    n_classes: int
    truth: str
    table: Path | None = None


def logits_in(
    path: Path, archive: Archive, tables: Iterable[tuple[Path, pl.DataFrame]]
) -> FoundLogits | None:
    """Take matrices for scores of classes if there is a column for each class of the labels that come with them."""
    shapes = {
        name: archive.shape(name)
        for name in archive
        if len(archive.shape(name)) == 2 and archive.dtype(name).kind == "f"
    }
    if len(set(shapes.values())) != 1:
        return None
    shape = next(iter(shapes.values()))
    own = {name: archive[name] for name in archive if archive.shape(name) == (shape[0],)}
    stated = _CLASSES in archive and archive.shape(_CLASSES) == (shape[1],)
    return _labelled(path, tuple(shapes), shape, own, tables, stated)


def logits_alone(
    path: Path, shape: Sequence[int], tables: Iterable[tuple[Path, pl.DataFrame]]
) -> FoundLogits | None:
    """The same of a single matrix."""
    return _labelled(path, (path.stem,), shape, {}, tables, stated=False) if len(shape) == 2 else None


def predictions_in(path: Path, frame: pl.DataFrame) -> FoundLogits | None:
    """Take columns for predicted classes if all that is in them is in the column of the true class."""
    folded = {name.lower(): name for name in reversed(frame.columns)}
    truth = next((folded[name] for name in _TRUTHS if name in folded), None)
    if truth is None or not 2 <= frame[truth].n_unique() < frame.height:
        return None
    classes = set(frame[truth].to_list())
    models = [
        one.name
        for one in frame
        if one.name != truth and one.dtype == frame[truth].dtype and set(one.to_list()) <= classes
    ]
    return FoundLogits(path, tuple(models), frame.height, len(classes), truth, path) if models else None


def _labelled(
    path: Path,
    models: tuple[str, ...],
    shape: Sequence[int],
    own: Mapping[str, npt.NDArray[Any]],
    tables: Iterable[tuple[Path, pl.DataFrame]],
    stated: bool,
) -> FoundLogits | None:
    n, k = shape
    for name in _TRUTHS:
        if name in own and _are_classes(own[name], k, stated):
            return FoundLogits(path, models, n, k, name)
    for place, frame in tables:
        folded = {name.lower(): name for name in reversed(frame.columns)}
        for name in _TRUTHS:
            column = folded.get(name)
            if column is not None and frame.height == n and _are_classes(frame[column].to_numpy(), k, stated):
                return FoundLogits(path, models, n, k, column, place)
    return None


def _are_classes(labels: npt.NDArray[Any], k: int, stated: bool) -> bool:
    """Whether labels are of `k` classes, of which some may not occur; numbers are those of the columns, from 0 on."""
    if not 2 <= k < len(labels) or labels.dtype.kind not in "iuUSO":
        return False
    if labels.dtype.kind in "iu" and not (labels.min() >= 0 and labels.max() < k):
        return False
    found = len(set(labels.tolist()))
    return 2 <= found <= k and (stated or found >= _MOST_OCCUR * k)
