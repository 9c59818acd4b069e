"""Lists of compared pairs, the content of most score files of other tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from proband.engine.arguments import published
from proband.engine.files.files import reading, text_of
from proband.engine.frames import frame_of_rows
from proband.engine.kinds import JUDGED
from proband.errors import AlignmentError, InputError, Said, first_few, quoted
from proband.kernels.codes import DONT_CARE, FAILED, OK
from proband.samples.ids import Ids, Positions
from proband.samples.reading import frame_from
from proband.samples.sampling import observed
from proband.samples.table import Samples, as_text
from proband.scores.alignment import check_ids
from proband.scores.base import Cells, MissingPolicy, Orientation, Scores, check_orientation_name
from proband.scores.names import coded, n_repeats, numbered, together
from proband.scores.pair_columns import needed_options, suggested
from proband.words import Note, SampledColumn, Sentence, count, counted, percent

NOT_COUNTED = Sentence(
    "scores.pairs-not-counted", "note", "{n:count pair} marked as don't-care {n:word was/were} left out"
)
OF_UNKNOWN_IDS = Sentence(
    "scores.comparisons-of-unknown-ids",
    "note",
    "{n:count comparison is/comparisons are} of ids that are left out",
)
NOT_COMPARED = Sentence(
    "scores.pairs-not-compared",
    "note",
    "{n:count} of {total:count pair} {n:word was/were} not compared and {n:word is/are} not counted",
)
FAILED_COMPARISONS = Sentence("scores.failed-comparisons", "note", "{n:count comparison} failed")


SCHEMA = {
    "query": pl.String,
    "target": pl.String,
    "query_subject": pl.String,
    "target_subject": pl.String,
    "mated": pl.Boolean,
    "score": pl.Float64,
    "failed": pl.Boolean,
    "fold": pl.Int64,
}

# A list that fills less than this share of its matrix is a list of chosen pairs, not a matrix in long form.
_LEAST_FILLED = 0.05
_SMALL_MATRIX = 1_000_000
_MOST_DIGITS = 10
_WORDS = {"mated": "true or false", "failed": "true or false", "fold": "the number of a fold"}


def truths(texts: pl.Series) -> pl.Series:
    """Parse 1 and 0, or true and false in any case; anything else becomes null."""
    return texts.str.to_lowercase().replace_strict(
        {"1": True, "true": True, "0": False, "false": False}, default=None, return_dtype=pl.Boolean
    )


@published
@dataclass(frozen=True, eq=False)
class Trials:
    """A list of compared pairs, one row each.

    Attributes
    ----------
    frame
        Columns ``query``, ``target``, ``query_subject``, ``target_subject``, ``mated``, ``score``, ``failed``, ``fold``;
        columns that the source does not have are null. A failed comparison has a null score. Names are enumerations, shared by both sides.
    orientation
        ``"similarity"``, ``"distance"``, or None if neither stated in the source nor declared.
    metric
        The metric of embeddings; None for precomputed scores.
    sampling
        Observations on the columns declared as sampling levels in the samples table.

    Examples
    --------
    >>> Trials(pl.DataFrame({"score": [0.9, 0.4, 0.1], "mated": [1, 1, 0]}), "similarity", name="net")
    Trials('net': 3 comparisons, 2 mated, 0 failed)
    """

    frame: Annotated[pl.DataFrame, JUDGED]
    orientation: Orientation | None = None
    name: str = "trials"
    notes: tuple[Note, ...] = ()
    metric: str | None = None
    sampling: tuple[SampledColumn, ...] = ()

    made_of_tables: ClassVar[bool] = True
    made_by: ClassVar[str] = "scored_pairs(frame['mated'], frame['score'], orientation='similarity')"

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", frame_from(self.frame))
        if self.orientation is not None:
            check_orientation_name(self.orientation)
        if "score" not in self.frame.columns:
            columns = suggested(self.frame)
            raise InputError(
                f"trials need a column 'score'; the columns are {first_few(self.frame.columns, 12) or 'none'}.",
                needed_options(
                    columns, self.frame, named=False, oriented=self.orientation is not None, call=True
                )
                if columns.score
                else "rename it: frame.rename({'cosine': 'score'}).",
                source=self.name,
            )
        full = self.frame.select(
            *self._names("query", "target"),
            *self._names("query_subject", "target_subject"),
            *(self._column(name, dtype) for name, dtype in SCHEMA.items() if dtype != pl.String),
        )
        if "mated" not in self.frame.columns:
            full = full.with_columns((pl.col("query_subject") == pl.col("target_subject")).alias("mated"))
        object.__setattr__(self, "frame", self._with_failures(full))

    def _with_failures(self, full: pl.DataFrame) -> pl.DataFrame:
        """Mark comparisons without a score as failed, and remove the scores of failed ones; refuse infinite scores."""
        given, failed = full["score"], full["failed"]
        if not given.null_count() and isfinite(float(given.sum())):  # one pass checks that all are finite
            if failed.null_count() == len(failed):
                return full.with_columns(pl.lit(False).alias("failed"))
            failed = failed.fill_null(False)
        else:
            failed = failed.fill_null(False) | given.is_nan() | given.is_null()
        score = pl.when(failed).then(None).otherwise(given).alias("score")
        full = full.with_columns(failed.alias("failed"), score)
        infinite = full.filter(pl.col("score").is_infinite())
        if infinite.height:
            first = infinite.row(0, named=True)
            raise InputError(
                f"{counted(infinite.height, 'score is', 'scores are')} infinite; the first is for query {first['query']!r} and "
                f"target {first['target']!r}.",
                source=self.name,
            )
        return full

    def _names(self, *sides: str) -> list[pl.Series | pl.Expr]:
        """The names of both sides with one common enumeration; null if the source does not have them."""
        known = [self.frame[side] for side in sides if side in self.frame.columns]
        made = together(
            *(one if isinstance(one.dtype, pl.Enum) else as_text(one, self.name) for one in known)
        )
        kind = made[0].dtype if made else pl.Enum([])
        named = {one.name: one for one in made}
        return [named.get(side, pl.lit(None, dtype=kind).alias(side)) for side in sides]

    def _column(self, name: str, dtype: type[pl.DataType]) -> pl.Series | pl.Expr:
        """One column of the frame in its required type; null if the source does not have it."""
        if name not in self.frame.columns:
            return pl.lit(None, dtype=dtype).alias(name)
        values = self.frame[name]
        if dtype == pl.Float64:
            return as_scores(values, self.name)
        # A number between 0 and 1 is not a truth value, and one between 1 and 2 is not a fold.
        converted = values.cast(dtype, strict=False) if values.dtype.is_numeric() else None
        if dtype == pl.Boolean and values.dtype == pl.String:
            told = truths(values)
            if told.null_count() == values.null_count():
                return told
        if values.dtype in (dtype, pl.Null):
            return values.cast(dtype)
        if converted is None or not values.eq_missing(converted.cast(values.dtype)).all():
            raise InputError(
                f"the column {name!r} of type {values.dtype} contains {first_few(values.unique(maintain_order=True).to_list())}, "
                f"which cannot be read as {_WORDS[name]}.",
                source=self.name,
            )
        return converted

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        mated = self.frame["mated"]
        return (
            f"Trials({self.name!r}: {counted(len(self), 'comparison')}, {count(int(mated.sum() or 0))} mated, "
            f"{count(int(self.frame['failed'].sum()))} failed)"
        )

    @classmethod
    def from_pairs(cls, pairs: Annotated[pl.DataFrame, JUDGED], scores: Scores) -> Trials:
        """Look up the scores of a list of pairs (columns query, target, and optionally mated and fold).

        Pairs marked as "don't care" are left out, and counted in a note.

        Parameters
        ----------
        pairs
            A frame of ``query`` and ``target``.
        scores
            Scores that contain the pairs.

        Returns
        -------
        Trials
            The list, with its scores.
        """
        pairs = frame_from(pairs)
        for axis, column in ((scores.queries, "query"), (scores.targets, "target")):
            if column not in pairs.columns:
                raise InputError(
                    f"The pair list has no column {column!r}; it has {first_few(pairs.columns, 6)}.",
                    "specify a query and a target for each pair.",
                )
            unknown = axis.missing(pairs[column].unique(maintain_order=True).to_list())
            if unknown:
                raise AlignmentError(
                    f"{counted(len(unknown), 'id of the pair list is', 'ids of the pair list are')} not among the {axis.what} ids of {scores.name}: "
                    f"{first_few(unknown)}.",
                    source=Said(scores.name),
                )
        rows = scores.queries.positions(pairs["query"].to_list())
        columns = scores.targets.positions(pairs["target"].to_list())
        values, cells = _look_up(scores, rows, columns)
        found = pairs.with_columns(score=pl.Series(values), failed=pl.Series(cells == FAILED))
        notes = scores.notes
        if (cells == DONT_CARE).any():
            found = found.filter(pl.Series(cells != DONT_CARE))
            notes = (*notes, NOT_COUNTED(n=int((cells == DONT_CARE).sum())))
        return cls(found, scores.orientation, scores.name, notes, scores.metric)

    def with_samples(self, samples: Samples, missing: MissingPolicy = "error") -> Trials:
        """Add the subjects from a samples table; comparisons with a sample that failed to be acquired count as failed.

        Ids that are not in the table are an error, or their comparisons are left out and counted. Pairs
        listed twice, and subjects that contradict the table, are refused.

        Parameters
        ----------
        samples
            The table with the subjects of the samples.
        missing
            How ids that are not in the table are handled: ``error`` or ``drop``.

        Returns
        -------
        Trials
            The list with the subjects of its samples.
        """
        notes = list(self.notes)
        places = {}
        for side in ("query", "target"):
            self._require_named(side)
            ids, numbers = numbered(self.frame[side], side)
            notes += check_ids(ids, samples, missing)
            places[side] = np.fromiter(map(samples.ids.place, ids[:]), np.int32, len(ids))[numbers]
            del numbers
        known = (places["query"] >= 0) & (places["target"] >= 0)
        frame = self.frame
        if not known.all():
            notes.append(OF_UNKNOWN_IDS(n=int((~known).sum())))
            frame = frame.filter(pl.Series(known))
            places = {side: own[known] for side, own in places.items()}
        people = coded(pl.Series(samples.subjects[:], dtype=pl.String))
        told = {side: people.gather(samples.codes[own]) for side, own in places.items()}
        said = {f"{side}_subject": told[side] for side in told} | {"mated": told["query"] == told["target"]}
        for column, values in said.items():
            listed = frame[column]
            if listed.null_count() == len(listed):
                continue
            one, two = (listed, values) if column == "mated" else together(listed, values)
            other = int((one != two).sum())
            if other:
                raise AlignmentError(
                    f"the column {column!r} contradicts the samples table in {count(other)} of {count(frame.height)} comparisons.",
                    "leave the column out of the list, or correct it.",
                    source=self.name,
                )
        failed = pl.Series(samples.failed[places["query"]] | samples.failed[places["target"]])
        made = frame.with_columns(**said, failed=frame["failed"] | failed)
        sampling = observed(samples, *(np.unique(places[side]) for side in ("query", "target")))
        found = replace(self, frame=made, notes=tuple(dict.fromkeys(notes)), sampling=sampling)
        found._refuse_repeats(places["query"], places["target"], len(samples), "list each comparison once.")
        return found

    @property
    def makes_matrix(self) -> bool:
        """Whether the list can be a matrix: it names samples, each pair once, and contains enough of all pairs."""
        queries, targets = (self.frame[side].unique() for side in ("query", "target"))
        if queries.null_count() or targets.null_count() or self._is_sparse(len(queries), len(targets)):
            return False
        try:
            self._cells()
        except InputError:
            return False
        return True

    def _is_sparse(self, n_queries: int, n_targets: int) -> bool:
        n_cells = n_queries * n_targets
        return n_cells > _SMALL_MATRIX and len(self) < _LEAST_FILLED * n_cells

    def to_matrix(self) -> tuple[npt.NDArray[np.float64], Ids, Ids, Cells | None, tuple[Note, ...]]:
        """Convert the list to a matrix of queries × targets: values, both axes, cell codes and notes.

        Pairs that were not compared become don't-care cells, and are counted in a note.

        Returns
        -------
        tuple
            The scores, the ids of rows and of columns, the cell codes, and notes.
        """
        frame = self.frame
        queries, rows, targets, columns = self._cells()
        n_cells = len(queries) * len(targets)
        values = np.zeros((len(queries), len(targets)))
        values[rows, columns] = frame["score"].fill_null(0.0).to_numpy()
        failed = frame["failed"].to_numpy()
        if len(self) == n_cells and not failed.any():
            return values, queries, targets, None, self.notes
        cells = np.full(values.shape, DONT_CARE, dtype=np.uint8)
        cells[rows, columns] = np.where(failed, FAILED, OK)
        notes = list(self.notes)
        if len(self) < n_cells:
            notes.append(NOT_COMPARED(n=n_cells - len(self), total=n_cells))
        if failed.any():
            notes.append(FAILED_COMPARISONS(n=int(failed.sum())))
        return values, queries, targets, cells, tuple(notes)

    def samples(self) -> Samples:
        """The samples table of the list: its queries and targets with their subjects.

        Returns
        -------
        Samples
            The samples in the list, with their subjects.
        """
        parts = []
        for side in ("query", "target"):
            distinct = self.frame.select(side, f"{side}_subject").unique(maintain_order=True)
            parts.append(
                distinct.select(pl.all().cast(pl.String)).rename({side: "id", f"{side}_subject": "subject"})
            )
            parts[-1] = parts[-1].with_columns(role=pl.lit(side))
        table = pl.concat(parts)
        clashing = table.group_by("id").agg(pl.col("subject").n_unique()).filter(pl.col("subject") > 1)
        if clashing.height:
            raise InputError(
                f"{counted(clashing.height, 'id is', 'ids are')} assigned more than one subject: "
                f"{first_few(clashing['id'].sort().to_list())}.",
                source=self.name,
            )
        return Samples(table.unique("id", keep="first", maintain_order=True), source=self.name)

    def _cells(self) -> tuple[Ids, Positions, Ids, Positions]:
        """Both axes of the matrix, and the position of each comparison on them."""
        for column in ("query", "target"):
            self._require_named(column)
        queries, rows = numbered(self.frame["query"], "query")
        targets, columns = numbered(self.frame["target"], "target")
        cure = "use different ids for different samples; without them, such a list can be used for verification only."
        self._refuse_repeats(rows, columns, len(targets), cure)
        if self._is_sparse(len(queries), len(targets)):
            share = len(self) / (len(queries) * len(targets))
            raise InputError(
                f"{count(len(self))} comparisons fill {percent(share, 2)} of {count(len(queries))} queries × "
                f"{count(len(targets))} targets: this is a list of selected pairs, not a matrix.",
                "use such a list for verification only; ranks need every probe compared with the whole gallery.",
                source=self.name,
            )
        return queries, rows, targets, columns

    def _require_named(self, column: str) -> None:
        nameless = self.frame[column].null_count()
        if nameless:
            raise InputError(
                f"{counted(nameless, 'row has', 'rows have')} no {column}, so there is no matrix and there are no ranks.",
                "use such a list for verification only; it already contains the subjects of its comparisons.",
                source=self.name,
            )

    def _refuse_repeats(
        self, rows: npt.NDArray[Any], columns: npt.NDArray[Any], n_targets: int, cure: str
    ) -> None:
        cell = rows.astype(np.int64) * n_targets + columns
        if n_repeats(cell):
            again = (~pl.Series(cell).is_first_distinct()).arg_true()
            first = self.frame.row(int(again[0]), named=True)
            raise InputError(
                f"{counted(len(again), 'pair is', 'pairs are')} listed more than once; the first is query {first['query']!r} "
                f"and target {first['target']!r}.",
                cure,
                source=self.name,
            )


def as_scores(values: pl.Series, source: str) -> pl.Series:
    """Convert numbers to float64; refuse anything else, and integers that would be rounded."""
    if not values.dtype.is_numeric() and values.dtype != pl.Null:
        raise InputError(
            f"the column {quoted(values.name)} of type {values.dtype} contains {first_few(values.head(3).to_list())}; "
            "scores must be numbers.",
            source=source,
        )
    scores = values.cast(pl.Float64)
    if values.dtype.is_integer():
        rounded = values.filter(scores.cast(pl.Int128) != values.cast(pl.Int128))
        if len(rounded):
            raise InputError(
                f"{count(len(rounded))} whole numbers of the column {quoted(values.name)} have more digits "
                f"than a score can store, so different scores would be tied: {first_few(rounded.to_list())}.",
                source=source,
            )
    return scores


def read_lfw_pairs(path: str | Path) -> pl.DataFrame:
    """Read LFW's ``pairs.txt``: columns query, target, mated and fold; ids are ``Name_0001``.

    The first line gives the number of folds and of pairs of each kind in a fold; each fold lists its same pairs
    (``name i j``), then its different pairs (``name i name j``).
    """
    path = Path(path)
    with reading(path, "LFW's list of pairs"):
        lines = text_of(path, "utf-8-sig").split("\n")
        sizes = lines[0].split() if lines else []
        if len(sizes) != 2 or not all(_is_number(size) and int(size) for size in sizes):
            raise InputError(
                "the first line must contain the number of folds and the number of pairs.", file=path.name
            )
        n_folds, n_each = map(int, sizes)
        pairs = [(number, line) for number, line in enumerate(lines[1:], start=2) if line.strip()]
        if len(pairs) != 2 * n_folds * n_each:
            raise InputError(
                f"{path.name} claims {n_folds} folds of {n_each} + {n_each} pairs but has {count(len(pairs))} lines of pairs.",
                file=Said(path.name),
            )
        rows = []
        for place, (number, line) in enumerate(pairs):
            query, target, mated = _lfw_pair(line, path.name, number)
            should_be_mated = place % (2 * n_each) < n_each
            if mated != should_be_mated:
                raise InputError(
                    f"{path.name}, line {number}: {quoted(line)} is a pair of "
                    f"{'one person' if mated else 'two people'}, but according to the first line a pair of "
                    f"{'two people' if mated else 'one person'} is expected.",
                    "list the same pairs of each fold first, then as many different pairs.",
                    file=Said(path.name),
                )
            rows.append((query, target, mated, place // (2 * n_each)))
    return frame_of_rows(rows, ["query", "target", "mated", "fold"])


def _lfw_pair(line: str, file: str, number: int) -> tuple[str, str, bool]:
    match line.split():
        case [name, first, second] if _is_number(first) and _is_number(second):
            other = name
        case [name, first, other, second] if _is_number(first) and _is_number(second):
            pass
        case _:
            raise InputError(
                f"{file}, line {number}: {quoted(line)} is not a pair.",
                "write 'name number number' or 'name number name number'.",
                file=Said(file),
            )
    return f"{name}_{int(first):04d}", f"{other}_{int(second):04d}", name == other


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS


def _look_up(scores: Scores, rows: Positions, columns: Positions) -> tuple[npt.NDArray[np.float64], Cells]:
    """Look up scores and cell codes of single pairs by row, without reading a whole memory map or all embeddings."""
    values, codes = np.empty(len(rows)), np.full(len(rows), OK, dtype=np.uint8)
    order = np.argsort(rows, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(rows[order])) + 1):
        if len(places):
            at = rows[places[:1]]
            values[places] = scores.tile(at, columns[places])[0]
            cells = scores.cells(at, columns[places])
            if cells is not None:
                codes[places] = cells[0]
    return values, codes
