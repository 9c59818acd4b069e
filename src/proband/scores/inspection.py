"""Inspection of a file: its format, sizes, ids, and the distribution of genuine and impostor scores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.files.files import reading, require_there
from proband.engine.files.parquet import COLUMNAR
from proband.errors import Hint, InputError, ProbandError, Said, UsageError, quoted
from proband.kernels.codes import OK
from proband.samples import Experiment, Ids, Samples, Selection
from proband.samples.npz import Archive
from proband.scores.base import DenseScores, Orientation
from proband.scores.formats import ReadOptions, ScoreFile, read_file
from proband.scores.orientation import OrientationCheck, check_orientation
from proband.scores.reading import scores_of, split_key
from proband.scores.trials import Trials
from proband.words import Note, Sentence, count

NO_SCORES = Sentence(
    "inspection.no-scores",
    "note",
    "no score matrix with ids was found; to evaluate embeddings, pass them with -e (--embeddings)",
)
NO_MATRIX = Sentence("inspection.no-matrix", "note", "{reason}")
NO_IDS = Sentence(
    "inspection.no-ids",
    "note",
    "the file has no ids, so genuine and impostor scores cannot be distinguished; pass --samples",
)
NO_SUBJECTS = Sentence(
    "inspection.no-subjects",
    "note",
    "no subject IDs were given, so genuine and impostor scores cannot be distinguished; pass --samples, or "
    "--ids subjects if rows and columns are named by subject",
)
NOT_CHECKED = Sentence(
    "inspection.orientation-not-checked",
    "note",
    "there are no genuine or no impostor scores, so the orientation cannot be checked",
)
AGREES = Sentence("inspection.orientation-agrees", "note", "stated to be a {stated}; looks like a {looks}")
DISAGREES = Sentence(
    "inspection.orientation-disagrees",
    "caution",
    "stated to be a {stated}, but looks like a {looks}: CHECK the orientation",
)
LOOKS = Sentence(
    "inspection.orientation-looks",
    "note",
    "looks like a {looks}",
)
LOOKS_FOR_SUBJECTS = Sentence(
    "inspection.orientation-looks-for-subjects",
    "note",
    "looks like a {looks}, for {n:count} of {total:count subject} examined",
)
STATE_IT = Sentence(
    "inspection.orientation-needed",
    "note",
    "pass --orientation similarity or --orientation distance; Proband does not guess it",
)
AUC_OF = Sentence("inspection.auc", "note", "AUC with the scores as a similarity: {each:rates}")

_CELLS_LOOKED_AT = 20_000_000
_TABLE_ENDINGS = (".csv", ".tsv", *COLUMNAR, ".jsonl", ".ndjson")
_QUANTILES = (0.05, 0.5, 0.95)
_TOO_LARGE_TO_SQUARE, _SCALE = 1e150, 2.0**600


@dataclass(frozen=True)
class ScoreSpread:
    """Summary of a set of scores: mean, standard deviation, and the 5 %, 50 % and 95 % quantiles."""

    n: int
    mean: float
    sd: float
    q05: float
    median: float
    q95: float

    @classmethod
    def of(cls, values: npt.NDArray[np.float64]) -> ScoreSpread | None:
        """Summarise scores, if there are any."""
        if not values.size:
            return None
        scale = _SCALE if np.abs(values).max() > _TOO_LARGE_TO_SQUARE else 1.0
        scaled = values / scale
        sd = scaled.std(ddof=1) if values.size > 1 else 0.0
        figures = (scaled.mean(), sd, *np.quantile(scaled, _QUANTILES))
        return cls(values.size, *(float(figure) * scale for figure in figures))


@dataclass(frozen=True)
class ScoreSummary:
    """A summary of the scores of one algorithm.

    Attributes
    ----------
    genuine, impostor
        Summaries of genuine and impostor scores; None if there are none, or if subjects are unknown.
    auc_as_similarity
        The share of (mate, non-mate) comparisons of a probe in which the mate scores higher, averaged over subjects;
        below one half for a distance. None if subjects are unknown.
    verdict
        The conclusion on the orientation.
    """

    name: str
    n_queries: int | None
    n_targets: int | None
    n_scores: int
    dtype: str
    genuine: ScoreSpread | None
    impostor: ScoreSpread | None
    auc_as_similarity: float | None
    verdict: Note


@dataclass(frozen=True)
class Inspection:
    """The properties of a file."""

    path: str
    kind: str
    format: str
    facts: dict[str, Any]
    summaries: tuple[ScoreSummary, ...] = ()
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        summaries = [{**asdict(one), "verdict": one.verdict.to_dict()} for one in self.summaries]
        return {**asdict(self), "summaries": summaries, "notes": [note.to_dict() for note in self.notes]}


def inspect_file(
    path: str | Path,
    samples: Samples | None = None,
    options: ReadOptions | None = None,
    format: str | None = None,
    id_column: str = "id",
    subject_column: str = "subject",
    missing_values: Collection[str] | None = None,
) -> Inspection:
    """Inspect a file: a table of samples, an archive of arrays, or scores of any known format."""
    path, key = split_key(path)
    with reading(path, "scores or samples"):
        require_there(path)
        table = (
            _as_table(path, id_column, subject_column, missing_values)
            if format is None and key is None and (options is None or options.columns is None)
            else None
        )
    options = options or ReadOptions()
    if table is not None:
        _require_nothing(options, path)
        usual = {"id": id_column, "subject": subject_column}
        return _of_table(path, table, [name for name, column in usual.items() if name != column])
    idle = missing_values is not None and options.columns is None
    if samples is None and ((id_column, subject_column) != ("id", "subject") or idle):
        raise UsageError(
            f"{path.name} is not a table with columns {id_column!r} and {subject_column!r}, to which the column options apply.",
            Hint("leave them out, or pass a samples table: {option:samples}"),
            file=Said(path.name),
        )
    try:
        file = read_file(
            path,
            replace(options, key=key),
            format,
        )
    except (InputError, UsageError) as error:
        if path.suffix.lower() == ".npz" and key is None:
            return _of_archive(path)
        if path.suffix.lower() in _TABLE_ENDINGS:
            meant = _id_column_of(path, id_column, subject_column)
            if meant is not None:
                raise UsageError(
                    f"{path.name} has a column {quoted(subject_column)}, but no column {quoted(id_column)}.",
                    Hint("for a samples table, {give:{asked}}", asked=f"id_column={meant}"),
                    file=Said(path.name),
                ) from None
            raise type(error)(
                f"{error.message.rstrip('.')}; it is not a samples table with columns {id_column!r} and "
                f"{subject_column!r}.",
                error.cure
                or Hint(
                    "for a samples table, specify its columns: {option:id_column}, {option:subject_column}"
                ),
                file=Said(path.name),
            ) from None
        raise
    if path.suffix.lower() == ".npz" and file.queries is None and samples is None:
        return _of_archive(path)
    return _of_scores(path, file, samples)


def _require_nothing(options: ReadOptions, path: Path) -> None:
    """Refuse options for scores, for a table of samples."""
    said = {name: getattr(options, name) for name in ("query_ids", "target_ids", "mask", "mated_is")}
    said["ids"] = None if options.ids == "samples" else options.ids
    for name, value in said.items():
        if value is not None:
            raise UsageError(
                Hint(
                    "{named:{which}} has no effect on {file}, which is a samples table.",
                    which=name,
                    file=path.name,
                ),
                "leave it out.",
                file=Said(path.name),
            )


def _as_table(
    path: Path, id_column: str, subject_column: str, missing_values: Collection[str] | None
) -> Samples | None:
    """The file as a table of samples, if it has the columns of one."""
    if path.suffix.lower() not in _TABLE_ENDINGS or not path.is_file():
        return None
    from proband.samples.reading import read_frame

    notes: list[Note] = []
    try:
        frame = read_frame(path, (id_column, subject_column), missing_values, notes)
    except ProbandError:
        return None
    if id_column not in frame.columns or subject_column not in frame.columns:
        return None
    return Samples(frame, id_column=id_column, subject_column=subject_column, source=path.name, notes=notes)


def _id_column_of(path: Path, id_column: str, subject_column: str) -> str | None:
    """The column that tells the rows of a samples table apart, if it has subjects but no ids."""
    from proband.samples.reading import read_frame

    try:
        frame = read_frame(path, (subject_column,))
    except ProbandError:
        return None
    if id_column in frame.columns or subject_column not in frame.columns:
        return None
    texts = (one for one in frame.iter_columns() if one.dtype == pl.String and one.name != subject_column)
    return next((one.name for one in texts if one.n_unique() == frame.height), None)


def _of_table(path: Path, table: Samples, added: Collection[str]) -> Inspection:
    """Describe a table, without the columns that were added under their usual names."""
    counts, frame = table.counts, table.frame.drop(added)
    gaps = {name: int(n) for name, n in zip(frame.columns, frame.null_count().row(0), strict=True)}
    facts = {
        "samples": len(table),
        "subjects": len(table.subjects),
        "samples per subject": f"{count(counts.min())} to {count(counts.max())}, median {count(np.median(counts))}",
        "subjects with one sample": int((counts == 1).sum()),
        "columns": ", ".join(f"{name} ({kind})" for name, kind in frame.schema.items()),
        "missing values": sum(gaps.values()),
    }
    if any(gaps.values()):
        facts["columns with missing values"] = ", ".join(
            f"{name} ({count(n)})" for name, n in gaps.items() if n
        )
    return Inspection(str(path), "a table of samples", path.suffix[1:].lower(), facts, notes=table.notes)


def _of_archive(path: Path) -> Inspection:
    archive = Archive(path)
    facts = {name: f"{' × '.join(map(str, archive.shape(name)))} {archive.dtype(name)}" for name in archive}
    return Inspection(str(path), "an archive of arrays", "npz", facts, notes=(NO_SCORES(),))


def _of_scores(path: Path, file: ScoreFile, samples: Samples | None) -> Inspection:
    known = samples or file.subjects
    facts: dict[str, Any] = {"orientation": file.orientation or "not stated"}
    summaries: list[ScoreSummary] = []
    notes = list(file.notes)
    if file.trials:
        summaries += map(_of_trials, file.trials)
        try:
            file = file.as_matrix()
        except ProbandError as error:
            notes.append(NO_MATRIX(reason=error.message.rstrip(".")))
    for ids, what in ((file.queries, "query ids"), (file.targets, "target ids")):
        if ids is not None:
            facts[what] = _some(ids)
    if file.subjects is not None:
        facts["subjects named in the file"] = len(file.subjects.subjects)
    if file.matrices:
        facts["shape"] = (
            " × ".join(map(str, next(iter(file.matrices.values())).shape)) + " (queries × targets)"
        )
    if file.matrices and not file.trials:
        # The orientation is unknown: scores are read as similarities, and the summary states what this suggests.
        plain = ScoreFile(**{**vars(file), "orientation": None})
        if file.queries is None and samples is None:
            summaries += [_without_ids(name, values) for name, values in file.matrices.items()]
        else:
            for scores in scores_of(plain, path, samples, "similarity", "drop").values():
                summaries.append(_of_matrix(scores, known, file.orientation))
                notes += [note for note in scores.notes if note not in notes]
    if any(one.verdict.code in (LOOKS.code, LOOKS_FOR_SUBJECTS.code) for one in summaries):
        notes.insert(0, STATE_IT())
    kind = "a list of compared pairs" if file.trials else "a matrix of scores"
    return Inspection(str(path), kind, file.format, facts, tuple(summaries), tuple(notes))


def _some(ids: Ids) -> str:
    return f"{count(len(ids))}: {', '.join(ids[:3])}{', …' if len(ids) > 3 else ''}"


def _without_ids(name: str, values: npt.NDArray[Any]) -> ScoreSummary:
    n_queries, n_targets = values.shape
    return ScoreSummary(
        name, n_queries, n_targets, values.size, str(values.dtype), None, None, None,
        NO_IDS(),
    )  # fmt: skip


def _of_trials(trials: Trials) -> ScoreSummary:
    if trials.frame["mated"].null_count() == len(trials):
        return ScoreSummary(trials.name, None, None, len(trials), "float64", None, None, None, NO_SUBJECTS())
    frame = trials.frame.filter(~trials.frame["failed"])
    genuine = frame.filter(frame["mated"])["score"].to_numpy()
    impostor = frame.filter(~frame["mated"])["score"].to_numpy()
    auc = _auc(genuine, impostor) if len(genuine) and len(impostor) else None
    stated: Orientation | None = trials.orientation
    return ScoreSummary(
        trials.name, None, None, len(trials), "float64", ScoreSpread.of(genuine), ScoreSpread.of(impostor), auc, _verdict(auc, None, stated)
    )  # fmt: skip


def _auc(genuine: npt.NDArray[np.float64], impostor: npt.NDArray[np.float64]) -> float:
    ordered = np.sort(impostor)
    below = np.searchsorted(ordered, genuine, side="left")
    up_to = np.searchsorted(ordered, genuine, side="right")
    return float((below + up_to).mean() / (2 * len(ordered)))


def _of_matrix(scores: DenseScores, known: Samples | None, stated: Orientation | None) -> ScoreSummary:
    sizes = (scores.name, *scores.shape, scores.values.size, str(scores.values.dtype))
    if known is None:
        return ScoreSummary(*sizes, None, None, None, NO_SUBJECTS())
    rows = np.array([place for place, name in enumerate(scores.queries) if name in known.ids], dtype=np.intp)
    columns = np.array(
        [place for place, name in enumerate(scores.targets) if name in known.ids], dtype=np.intp
    )
    row_samples = known.ids.positions(scores.queries[place] for place in rows)
    column_samples = known.ids.positions(scores.targets[place] for place in columns)
    if len(rows) * len(columns) > _CELLS_LOOKED_AT:
        chosen = np.random.default_rng(0).choice(
            len(rows), max(1, _CELLS_LOOKED_AT // len(columns)), replace=False
        )
        rows, row_samples = rows[np.sort(chosen)], row_samples[np.sort(chosen)]
    tile, cells = scores.tile(rows, columns), scores.cells(rows, columns)
    same = known.codes[row_samples][:, None] == known.codes[column_samples][None, :]
    usable = (row_samples[:, None] != column_samples[None, :]) & ~known.failed[row_samples][:, None]
    usable &= ~known.failed[column_samples][None, :]
    if cells is not None:
        usable &= cells == OK
    genuine = tile[same & usable].astype(np.float64)
    impostor = tile[~same & usable].astype(np.float64)
    check, auc = None, None
    if len(genuine) and len(impostor):
        auc = _auc(genuine, impostor)
        check = _paired_check(scores, known, row_samples, column_samples)
    return ScoreSummary(
        *sizes, ScoreSpread.of(genuine), ScoreSpread.of(impostor), auc, _verdict(auc, check, stated)
    )


def _paired_check(
    scores: DenseScores,
    known: Samples,
    row_samples: npt.NDArray[np.intp],
    column_samples: npt.NDArray[np.intp],
) -> OrientationCheck | None:
    """Compare genuine with impostor scores by subject; None if the axes do not define an experiment."""
    targets = np.setdiff1d(column_samples, row_samples)
    if not targets.size:  # the axes are the same: enrol the first sample of each subject
        targets = column_samples[np.unique(known.codes[column_samples], return_index=True)[1]]
    queries = np.setdiff1d(row_samples, targets)
    try:
        experiment = Experiment(known, Selection(np.sort(targets), "targets"), Selection(queries, "queries"))
        return check_orientation(scores, experiment)
    except ProbandError:
        return None


def _verdict(auc: float | None, check: OrientationCheck | None, stated: Orientation | None) -> Note:
    if auc is None:
        return NOT_CHECKED()
    looks = "similarity" if auc > 0.5 else "distance"
    if stated is not None:
        return (AGREES if looks == stated else DISAGREES)(stated=stated, looks=looks)
    if check is None:
        return LOOKS(looks=looks)
    agreeing = check.n_above if auc > 0.5 else check.n_below
    return LOOKS_FOR_SUBJECTS(looks=looks, n=agreeing, total=check.n_subjects)
