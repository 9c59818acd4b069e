"""Files of predictions, and the paired test of two or more of them on the same samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from proband.engine.arguments import published
from proband.engine.limits import Level, Margin, Seed
from proband.errors import Hint, InputError, Said, UsageError, first_few
from proband.inference.classification.classify import Average, classify
from proband.inference.classification.results import Classification
from proband.results.difference import Adjustment
from proband.samples.reading import read_frame
from proband.words import Note, Sentence, agreeing, count, counted

SUBJECT = "subject"
_ID, _SAID, _REPEAT, _FOLD = "id", "predicted", "repeat", "fold"

ONE_REPEAT = Sentence(
    "predictions.one-repeat",
    "note",
    "{model}: only the first of {n:count repeat} is used, because the others are for the same samples",
)
OTHER_FOLDS = Sentence(
    "predictions.other-folds",
    "caution",
    "{n:count sample is/samples are} in other folds in {second} than in {first}: the two were trained on different samples, which may explain a difference",
)
NO_SUBJECTS = Sentence(
    "predictions.no-subjects",
    "caution",
    "no subject IDs were given, so samples are treated as independent: several samples from one person make the interval too narrow",
)


@dataclass(frozen=True, eq=False)
class PredictionTable:
    """The predictions of several models for the same samples.

    Attributes
    ----------
    frame
        Columns ``id``, ``label``, a column for each model, and the group if there is one; in the order of the
        first file.
    models
        The columns of the models.
    cluster
        The column of units that samples share; None if unknown.
    notes
        Notes on the files.
    n_models
        The number of trained models behind the predictions, one for each fold of a repeat.
    """

    frame: pl.DataFrame
    models: tuple[str, ...]
    truth: str
    cluster: str | None
    notes: tuple[Note, ...]
    n_models: int = 1

    def classified(
        self,
        *,
        average: Average = "micro",
        margin: float | None = None,
        confidence_level: float = 0.95,
        seed: int = 0,
        adjust: Adjustment = "single-step",
    ) -> Classification:
        """Evaluate every model and compare every two, with people as the units if they are known."""
        found = classify(
            self.frame[self.truth].to_numpy(),
            {name: self.frame[name].to_numpy() for name in self.models},
            cluster=None if self.cluster is None else self.frame[self.cluster].to_numpy(),
            average=average,
            margin=margin,
            confidence_level=confidence_level,
            seed=seed,
            adjust=adjust,
            n_models=self.n_models,
        )
        return replace(found, notes=(*self.notes, *found.notes))


@published
def compare_predictions(
    files: Mapping[str, str | Path],
    *,
    cluster: str | None = None,
    margin: Margin | None = None,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Classification:
    """Compare models by their files of predictions: a paired test on the same samples, with people as the units.

    Each file is a table (CSV, TSV, Parquet, …) with columns ``id``, ``label`` and ``predicted``; ``subject`` makes people the units. With
    ``repeat`` and ``fold``, as `proband protocol run` writes them, the first repeat is used, and each fold
    counts as a separate model (`n_models` of `proband.classify`). Verdict, interval and p-value are those of
    `proband.classify`.

    Parameters
    ----------
    files
        The files, by model name.
    cluster
        Column of the units that samples share; by default ``subject``, if present.
    margin, confidence_level, seed
        As in `compare`.

    Returns
    -------
    Classification
        The accuracy of every model, and their comparison.
    """
    made = read_predictions({name: Path(file) for name, file in files.items()}, cluster=cluster)
    return made.classified(margin=margin, confidence_level=confidence_level, seed=seed)


def read_predictions(
    files: Mapping[str, Path], *, truth: str = "label", cluster: str | None = None
) -> PredictionTable:
    """Read files of predictions and join them; refuse files with different samples."""
    if not files:
        raise UsageError("No file of predictions was given.")
    tables = {name: _read(path, truth, cluster) for name, path in files.items()}
    known = {name for table in tables.values() for name in table.columns}
    own = {"id", truth, _SAID, _REPEAT, _FOLD, cluster or SUBJECT}
    clash = next((name for name in files if name in own & known), None)
    if clash is not None:
        raise UsageError(f"A model cannot have the name {clash!r}.", "rename its file.")
    (first, base), *others = tables.items()
    notes = [ONE_REPEAT(model=name, n=n) for name, table in tables.items() if (n := _repeats(table)) > 1]
    base = _first_repeat(base, files[first]).rename({_SAID: first})
    units = cluster or (SUBJECT if all(SUBJECT in table.columns for table in tables.values()) else None)
    joined = base
    for name, table in others:
        own_rows = _first_repeat(table, files[name])
        _same_samples(base, own_rows, files[first], files[name], truth, units)
        if _FOLD in base.columns and _FOLD in own_rows.columns:
            moved = _unlike(base, own_rows, _FOLD).height
            notes += [OTHER_FOLDS(n=moved, first=first, second=name)] if moved else []
        joined = joined.join(
            own_rows.select(_ID, pl.col(_SAID).alias(name)), on=_ID, how="left", maintain_order="left"
        )
    notes += [NO_SUBJECTS()] if units is None else []
    trained = base[_FOLD].n_unique() if _FOLD in base.columns else 1
    return PredictionTable(joined, tuple(files), truth, units, tuple(notes), max(trained, 1))


def _read(path: Path, truth: str, cluster: str | None) -> pl.DataFrame:
    frame = read_frame(path, (_ID, SUBJECT, truth, _SAID, *([] if cluster is None else [cluster])))
    wanted = [_ID, truth, _SAID, *([] if cluster is None else [cluster])]
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        raise InputError(
            f"{path.name} has no column {' and no column '.join(map(repr, lacking))}; it has {first_few(frame.columns, 8)}.",
            Hint(
                "add the columns id, label and predicted; {option:truth} names another column for the true class."
            ),
            file=Said(path.name),
        )
    for name in wanted:
        if frame[name].null_count():
            raise InputError(
                f"{path.name}: the column {name!r} is empty in {counted(frame[name].null_count(), 'row')}.",
                "fill in the values, or leave these samples out of all files.",
                file=Said(path.name),
            )
    texts = [name for name in (*wanted, SUBJECT) if name in frame.columns]
    return frame.with_columns(pl.col(name).cast(pl.String) for name in texts)


def _repeats(table: pl.DataFrame) -> int:
    return table[_REPEAT].n_unique() if _REPEAT in table.columns else 1


def _first_repeat(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The rows of the first repeat, in which every sample is tested once."""
    kept = table if _REPEAT not in table.columns else table.filter(pl.col(_REPEAT) == pl.col(_REPEAT).min())
    twice = kept.filter(pl.col(_ID).is_duplicated())[_ID].unique(maintain_order=True)
    if len(twice):
        raise InputError(
            f"{path.name}: {counted(len(twice), 'sample appears', 'samples appear')} twice in one repeat: {first_few(twice.to_list())}.",
            "keep one prediction per sample; add a column 'repeat' if there are several repeats.",
            file=Said(path.name),
        )
    return kept


def _unlike(a: pl.DataFrame, b: pl.DataFrame, column: str) -> pl.DataFrame:
    """The samples with different values in two tables."""
    both = a.select(_ID, column).join(b.select(_ID, pl.col(column).alias("other")), on=_ID)
    return both.filter(pl.col(column).cast(pl.String) != pl.col("other").cast(pl.String))


def _same_samples(
    a: pl.DataFrame, b: pl.DataFrame, first: Path, second: Path, truth: str, cluster: str | None
) -> None:
    """Refuse two tables unless they have the same samples, classes and people."""
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    for one, other, (has, lacks) in ((a, b, names), (b, a, names[::-1])):
        gone = one.join(other.select(_ID), on=_ID, how="anti")[_ID].to_list()
        if gone:
            raise InputError(
                f"{count(len(gone))} of {counted(one.height, 'sample')} of {has} {agreeing(len(gone))} not in {lacks}: {first_few(gone)}.",
                "use predictions of the same samples; a paired test needs them.",
                file=Said(second.name),
            )
    for column in (truth, *([] if cluster is None else [cluster])):
        wrong = _unlike(a, b, column)
        if wrong.height:
            row = wrong.row(0)
            raise InputError(
                f"{counted(wrong.height, 'sample differs', 'samples differ')} in {column} between {names[1]} and {names[0]}: {row[0]!r} is "
                f"{row[2]!r} and {row[1]!r}.",
                "use predictions of the same samples; a paired test needs them.",
                file=Said(second.name),
            )
