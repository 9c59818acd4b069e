"""bob's score lists: ``claimed [model] real label score``, separated by white space.

A comparison is genuine if the claimed and the real id agree; a score of ``nan`` is a failure to acquire. The four-column
form has no model label: there, the template is named by the claimed id.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from proband.engine import written_whole
from proband.errors import InputError
from proband.kernels.codes import DONT_CARE, FAILED
from proband.samples import Samples
from proband.samples.delimited import unfinished
from proband.scores.base import Scores
from proband.scores.formats.chunks import read_in_chunks
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, require_subjects, subjects_of
from proband.scores.names import n_repeats, numbered, renamed
from proband.scores.trials import Trials
from proband.words import Sentence

SHARED_LABELS = Sentence(
    "scores.models-share-labels", "note", "models share labels with probes; models are renamed {prefix}…"
)
REPEATED_LABELS = Sentence(
    "scores.repeated-probe-labels",
    "caution",
    "the same probe label occurs more than once against a model; probes cannot be distinguished",
)


_FOUR = ("target_subject", "query_subject", "query", "score")
_FIVE = ("target_subject", "target", "query_subject", "query", "score")
_MODEL = "model:"


def _columns_of(head: bytes) -> int | None:
    """The number of columns, 4 or 5, if the first lines look like a score list."""
    lines = [line.split() for line in head.split(b"\n")[:-1] if line.strip()][:5]
    if not lines and head.strip():
        lines = [head.split()]  # a single line without a line break
    counts = {len(fields) for fields in lines}
    if len(counts) != 1 or counts - {4, 5}:
        return None
    try:
        for fields in lines:
            float(fields[-1])
    except ValueError:
        return None
    return counts.pop()


def _has_columns(path: Path, head: bytes, columns: tuple[str, ...]) -> bool:
    return _columns_of(head) == len(columns)


def _read(path: Path, options: ReadOptions, columns: tuple[str, ...]) -> ScoreFile:
    schema: dict[str, pl.DataType] = {
        name: pl.Float64() if name == "score" else pl.String() for name in columns
    }
    frame = read_in_chunks(path, schema, options.progress, separator=None)
    if "target" not in columns:
        frame = frame.with_columns(target=pl.col("target_subject"))
    notes = tuple(unfinished(path))
    if set(frame["target"].unique()) & set(frame["query"].unique()):
        # Models and probes are different samples, even if a file gives them the same label.
        frame = frame.with_columns(target=renamed(frame["target"], _MODEL))
        notes = (*notes, SHARED_LABELS(prefix=_MODEL))
    frame = _unnamed_if_repeated(frame)
    if frame["query"].null_count():
        notes = (*notes, REPEATED_LABELS())
    return ScoreFile.from_trials(f"bob{len(columns)}", path.name, Trials(frame, name=path.stem, notes=notes))


def _unnamed_if_repeated(frame: pl.DataFrame) -> pl.DataFrame:
    """Drop probe labels that do not identify probes (some lists repeat one word everywhere)."""
    _, rows = numbered(frame["query"], "query")
    targets, columns = numbered(frame["target"], "target")
    told_apart = not n_repeats(rows * len(targets) + columns)
    one_owner = frame.select("query", "query_subject").n_unique() == frame["query"].n_unique()
    if told_apart and one_owner:
        return frame
    return frame.with_columns(query=pl.lit(None, dtype=pl.String))


def _write(path: Path, scores: Scores, samples: Samples | None, columns: tuple[str, ...]) -> None:
    known = require_subjects(samples, f"bob{len(columns)}")
    query_subjects, target_subjects = subjects_of(scores.queries, known), subjects_of(scores.targets, known)
    models = [name.removeprefix(_MODEL) for name in scores.targets]
    if "target" not in columns and len(set(target_subjects)) != len(target_subjects):
        raise InputError(
            "bob's four-column format identifies a model by its subject, but some subjects have several targets.",
            "write bob5, which has a column for the model.",
        )
    words = [*query_subjects, *target_subjects, *models, *scores.queries]
    broken = next((word for word in words if word.split() != [word] or word.startswith("\ufeff")), None)
    if broken is not None:
        raise InputError(
            f"The name {broken!r} is empty or contains blanks, which a blank-separated list cannot store.",
            "write .npz, or csv-long.",
        )
    every = np.arange(len(scores.targets))
    with written_whole(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        for row, (query, query_subject) in enumerate(zip(scores.queries, query_subjects, strict=True)):
            at = np.array([row])
            itself = scores.targets.place(query)
            tile, cells = scores.tile(at, every)[0], scores.cells(at, every)
            for column, value in enumerate(tile.tolist()):
                if column == itself or (cells is not None and cells[0, column] == DONT_CARE):
                    continue  # a sample is not compared with itself, which the list could not express
                score = "nan" if cells is not None and cells[0, column] == FAILED else repr(value)
                model = [models[column]] if "target" in columns else []
                print(target_subjects[column], *model, query_subject, query, score, file=file)


FORMATS = tuple(
    Format(
        name,
        title,
        (),
        partial(_has_columns, columns=columns),
        partial(_read, columns=columns),
        partial(_write, columns=columns),
        is_list=True,
        told_by="columns",
    )
    for name, title, columns in (
        ("bob5", "bob's five columns: claimed model real label score", _FIVE),
        ("bob4", "bob's four columns: claimed real label score", _FOUR),
    )
)
