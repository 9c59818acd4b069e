"""Scores of several algorithms for the same queries and targets in one ``.npz``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proband.engine import written_whole
from proband.errors import InputError, Said
from proband.samples.npz import text_array, write_archive
from proband.scores.base import DenseScores
from proband.words import Sentence

TRAINED_TARGETS = "trained_targets"
RESERVED = ("query_ids", "target_ids", "orientation", "cells", TRAINED_TARGETS)
TRAINED_ON_GALLERY = Sentence(
    "scores.trained-on-gallery",
    "caution",
    "trained on the gallery: {n:count} of {total:count target} {n:word was/were} in the training set, so "
    "rates may not apply to people enrolled after training",
)


def write_score_archive(
    path: str | Path, scores: Sequence[DenseScores], trained_targets: Sequence[str] = ()
) -> None:
    """Write score matrices with common axes, orientation and cell codes, and the targets used in training, if any."""
    first = scores[0]
    arrays: dict[str, Any] = {}
    for one in scores:
        if (one.queries, one.targets, one.orientation) != (first.queries, first.targets, first.orientation):
            raise InputError(
                f"{one.name} and {first.name} do not have the same queries, targets and orientation.",
                source=Said(one.name),
            )
        if not np.array_equal(_codes(one), _codes(first)):
            raise InputError(
                f"{one.name} and {first.name} differ in which comparisons failed.", source=Said(one.name)
            )
        if one.name in arrays or one.name in RESERVED or "/" in one.name:
            raise InputError(
                f"The name {one.name!r} is not allowed for a matrix of an archive, or is used twice."
            )
        arrays[one.name] = one.values
    if first.cell_codes is not None:
        arrays["cells"] = first.cell_codes
    arrays |= {
        "query_ids": text_array(first.queries),
        "target_ids": text_array(first.targets),
        "orientation": np.array(first.orientation),
    }
    if trained_targets:
        arrays[TRAINED_TARGETS] = text_array(trained_targets)
    with written_whole(Path(path)) as draft:
        write_archive(draft, arrays)


def _codes(scores: DenseScores) -> Any:
    return np.zeros(scores.shape, dtype=np.uint8) if scores.cell_codes is None else scores.cell_codes
