"""An immutable table of samples, their subjects and covariates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from proband.engine.files.files import naming
from proband.engine.foreign import array_from
from proband.engine.kinds import shown
from proband.engine.labels import labels_of
from proband.engine.limits import Count
from proband.errors import (
    DesignError,
    Hint,
    InputError,
    NeededOptions,
    ProbandError,
    Said,
    UsageError,
    first_few,
    meant,
    near_names,
    quoted,
)
from proband.samples.directories import frame_of_names, pattern_in
from proband.samples.expressions import compile_expression, values_asked_for
from proband.samples.ids import Ids, Positions
from proband.samples.reading import ROW_NUMBER, frame_from, read_frame
from proband.samples.sampling import Declared, declared_levels
from proband.words import Note, Sentence, count, counted, given, in_a_list

_VALUES = 12  # of a column, where they are listed
_SUBJECTS = ("subject", "person", "identity", "speaker", "name", "class", "label", "user", "pid")
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
_EXACT: dict[pl.DataType, int] = {
    pl.Float64(): 2**53,
    pl.Float32(): 2**24,
}  # every whole number up to here is exact in this type
UNDECIDED = "a value is missing or cannot be calculated"
"""Why a condition is undecided, in words."""
UNDECIDED_FOR = Sentence("samples.undecided", "note", "{rule!r} cannot be decided for {n:count sample}")
LOOK_ALIKES = Sentence(
    "samples.look-alikes",
    "caution",
    "{n:count subject} {n:word differs/differ} from another only in leading or trailing blanks: {examples}",
)


@dataclass(frozen=True)
class Selection:
    """The samples that meet a condition.

    Attributes
    ----------
    positions
        Their positions in the table, in table order.
    rule
        The condition, as specified.
    unknown
        The number of samples left out because the condition cannot be decided for them.
    notes
        Notes on the file of the ids.
    advice
        For a condition that no sample meets: the values that its columns have instead.

    """

    positions: Positions
    rule: str
    unknown: Count = 0
    notes: tuple[Note, ...] = ()
    advice: str | None = None


class Samples:
    """A table of samples: one row per image (or recording, fingerprint, …), with its id, subject and covariates.

    Parameters
    ----------
    data
        A `polars.DataFrame`, a `pandas.DataFrame`, a frame of any library with Arrow's interface (PyArrow, DuckDB, …), or a mapping of columns.
    id_column, subject_column
        The columns of the sample ids and the subjects. Both are kept as text: ``007`` is not ``7``.
        ``id_column="#"`` numbers the rows instead.
    failed
        A condition for samples that failed to be acquired (``"not detected"``). How failures count is decided
        and stated when samples are scored.
    sampling
        The columns of each of STRAT's sampling levels (Micheals & Boult 2001): ``scene``, ``context``, ``explicit`` and
        ``implicit`` properties, or the level itself, ``population``, ``system``, ``model`` or ``analysis``,
        each with one or several columns: ``{"scene": "session", "context": ["camera", "light"]}``. Results
        then state which of them vary and which are held fixed.
    source, notes
        The name of the table in messages, and notes on how it was read.

    Examples
    --------
    >>> samples = Samples({"id": ["a1", "a2", "b1"], "subject": ["a", "a", "b"], "session": [1, 2, 1]})
    >>> samples
    Samples(3 samples of 2 subjects; columns: id, subject, session)
    >>> samples.select("session == 1").positions
    array([0, 2])

    """

    made_of_tables: ClassVar[bool] = True
    made_by: ClassVar[str] = "Samples(frame), of a pandas or polars frame with the columns id and subject"

    def __init__(
        self,
        data: Any,
        *,
        id_column: str = "id",
        subject_column: str = "subject",
        failed: str | None = None,
        sampling: Mapping[str, str | Sequence[str]] | None = None,
        source: str = "the samples table",
        notes: Iterable[Note] = (),
    ) -> None:
        # A float that is not a number is a missing value, and is treated as one everywhere.
        frame = frame_from(data).with_columns(cs.float().fill_nan(None))
        if id_column == ROW_NUMBER:
            frame = frame.with_columns(pl.int_range(pl.len()).cast(pl.String).alias(ROW_NUMBER))
        asked = {"id_column": id_column, "subject_column": subject_column}
        lacking = {option: column for option, column in asked.items() if column not in frame.columns}
        if lacking:
            raise _without_columns(frame, lacking, source)
        if frame.height == 0:
            raise InputError(f"{source} has no rows.", source=Said(source))
        names = as_text(frame[id_column], source)
        if names.null_count():
            row = int(names.is_null().arg_max() or 0)
            raise InputError(
                f"{counted(names.null_count(), 'row has', 'rows have')} no id, the first is row {row + 1}.",
                source=source,
            )
        self.ids = Ids(names, "sample")
        people = as_text(frame[subject_column], source)
        if people.null_count():
            nameless = [self.ids[int(place)] for place in people.is_null().arg_true()]
            raise InputError(
                f"{count(len(nameless))} of {count(len(self.ids))} samples {'has' if len(nameless) == 1 else 'have'} no subject: {first_few(nameless)}.",
                "every sample needs a subject; leave out rows with an unknown subject.",
            )
        aliases = {"id": names, "subject": people}
        # The user's own columns keep their meaning; 'id' and 'subject' can always be named in conditions.
        self._frame = frame.with_columns(
            [values.alias(column) for column, values in {id_column: names, subject_column: people}.items()]
            + [values.alias(name) for name, values in aliases.items() if name not in frame.columns]
        )
        self.ids.rows = labels_of(data) or range(len(names))
        self.subjects = Ids(dict.fromkeys(people.to_list()), "subject")
        self.codes: npt.NDArray[np.int32] = frozen(self.subjects.positions(people.to_list()).astype(np.int32))
        self.failed: npt.NDArray[np.bool_] = frozen(self._failures(failed))
        self.failure_rule = failed
        self.sampling: Declared = declared_levels(sampling or {}, self._frame.columns, source)
        for column, _ in self.sampling:
            require_values(self._frame[column], source)
        self.notes: tuple[Note, ...] = (*notes, *_look_alikes(self.subjects))

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        id_column: str = "id",
        subject_column: str = "subject",
        failed: str | None = None,
        sampling: Mapping[str, str | Sequence[str]] | None = None,
        missing_values: Collection[str] | None = None,
        label_columns: Collection[str] = (),
    ) -> Samples:
        """Read a table from CSV, TSV, Parquet, Arrow, JSON Lines or NPZ (its 1-D arrays), by the file's ending.

        A directory of images can also be read as a table, from its file names: those of a public data set
        (``jaffe/``), or by a pattern (``jaffe/{subject}.{expression}.{number}``, see
        `proband.samples.directories`).

        An empty cell is missing. `missing_values` are words that mean a missing value in every column. By
        default these are ``NA``, ``NaN`` and ``nan`` in text files, except in the columns of ids and
        subjects, and in text columns of `label_columns`, in which they may be names.

        Parameters
        ----------
        path
            The file, or a directory of images with the pattern of their names.
        id_column, subject_column
            The columns of ids and of subjects; ``#`` numbers the rows.
        failed
            A condition for samples that failed to be acquired.
        sampling
            The columns of each sampling level.
        missing_values
            Words that mean a missing value in every column.
        label_columns
            Columns of labels, in which ``NA`` is a name.

        Returns
        -------
        Samples
            The table.
        """
        notes: list[Note] = []
        directory, pattern = pattern_in(Path(path))
        if directory.is_dir():
            frame = frame_of_names(directory, pattern, notes)
        else:
            frame = read_frame(Path(path), (id_column, subject_column), missing_values, notes, label_columns)
        with naming(file=directory.name):
            return cls(
                frame,
                id_column=id_column,
                subject_column=subject_column,
                failed=failed,
                sampling=sampling,
                source=directory.name,
                notes=notes,
            )

    @property
    def frame(self) -> pl.DataFrame:
        """The table as a polars frame; treat it as immutable."""
        return self._frame

    @cached_property
    def counts(self) -> npt.NDArray[np.intp]:
        """The number of samples of each subject, in the order of `subjects`."""
        return frozen(np.bincount(self.codes, minlength=len(self.subjects)))

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        failures = f"; {count(self.failed.sum())} failed to acquire" if self.failed.any() else ""
        columns = ", ".join(self._frame.columns[:8]) + (", …" if len(self._frame.columns) > 8 else "")
        return f"Samples({counted(len(self), 'sample')} of {counted(len(self.subjects), 'subject')}{failures}; columns: {columns})"

    def select(self, condition: str) -> Selection:
        """Find the samples that meet a condition (grammar: `proband.samples.expressions`).

        A sample for which the condition cannot be decided (a value is missing, or cannot be calculated) is not selected, and is counted.

        Parameters
        ----------
        condition
            A condition on the columns, such as ``"session == 1"``.

        Returns
        -------
        Selection
            The samples that meet it.
        """
        met = self.evaluate(condition)
        unknown = int(met.null_count())
        positions = np.flatnonzero(met.fill_null(False).to_numpy())
        advice = None if positions.size else self._instead_of(condition)
        return Selection(frozen(positions), condition, unknown, advice=advice)

    def _instead_of(self, condition: str) -> str | None:
        """The values of the first column that a condition compares with one that it does not have."""
        for name, value in values_asked_for(condition):
            held = self._frame[name].drop_nulls().unique().sort().to_list()
            if held and value not in held:
                known = meant(value, held) if isinstance(value, str) else f"available: {_numbers(held)}."
                return f"the column {name!r} has no {shown(value)}; {known}"
        return None

    def evaluate(self, condition: str) -> pl.Series:
        """Evaluate a condition: true, false or null for each sample.

        Parameters
        ----------
        condition
            A condition on the columns, such as ``"age > 30"``.

        Returns
        -------
        polars.Series
            True, false or missing for each sample.
        """
        expression = compile_expression(condition, self._frame.schema)
        return evaluate(self._frame, expression, condition)

    def positions(self, given: Any) -> Positions:
        """Convert positions or a mask to positions of rows.

        Parameters
        ----------
        given
            Positions, ids, or true and false for each sample.

        Returns
        -------
        numpy.ndarray
            Positions in the table.
        """
        if isinstance(given, Iterable) and not hasattr(given, "__len__"):
            given = list(given)
        chosen = array_from(given, "positions")
        if chosen.dtype.kind == "b":
            chosen = choose_mask(array_from(self.ids.in_order(given, "mask"), "mask"), len(self))
        if chosen.dtype.kind not in "iu" and chosen.size:
            raise UsageError(
                f"Positions must be whole numbers; got {shown(given)}.", "count rows from 0, or pass a mask."
            )
        chosen = chosen.astype(np.intp)
        if chosen.ndim != 1 or (chosen.size and not -1 < chosen.min() <= chosen.max() < len(self)):
            raise UsageError(f"Positions must be between 0 and {count(len(self) - 1)}.")
        return chosen

    def take(self, positions: npt.ArrayLike) -> Samples:
        """Return the samples at `positions`, in that order, as a new table.

        Parameters
        ----------
        positions
            Positions in the table.

        Returns
        -------
        Samples
            The table with only these rows.
        """
        chosen = self.positions(positions)
        part = object.__new__(Samples)
        part._frame = self._frame[chosen]
        part.ids = Ids((self.ids[place] for place in chosen), "sample")
        part.ids.rows = (
            tuple(rows[place] for place in chosen)
            if isinstance(rows := self.ids.rows, tuple)
            else range(len(chosen))
        )
        names = [self.subjects[code] for code in self.codes[chosen]]
        part.subjects = Ids(dict.fromkeys(names), "subject")
        part.codes = frozen(part.subjects.positions(names).astype(np.int32))
        part.failed = frozen(self.failed[chosen])
        part.failure_rule = self.failure_rule
        part.sampling = self.sampling
        part.notes = self.notes
        return part

    def require_people(self) -> None:
        """Refuse a table of only one person."""
        if len(self.subjects) == 1:
            raise DesignError(
                f"All {counted(len(self), 'sample is', 'samples are')} of one person, {self.subjects[0]!r}: at least two people are needed.",
                Hint("check the subject column ({option:subject_column})."),
            )

    def _failures(self, condition: str | None) -> npt.NDArray[np.bool_]:
        if condition is None:
            return np.zeros(len(self.ids), dtype=np.bool_)
        met = self.evaluate(condition)
        if met.null_count():
            unknown = [self.ids[int(place)] for place in met.is_null().arg_true()]
            raise InputError(
                f"Cannot tell from {condition!r} whether {count(len(unknown))} samples failed: {first_few(unknown)}.",
                "fill in the missing values, or handle None in the condition.",
            )
        return met.to_numpy().astype(np.bool_)


def choose_mask(mask: npt.NDArray[Any], n: int) -> Positions:
    """Return the positions where a mask over a table of `n` samples is true."""
    if mask.shape != (n,):
        raise UsageError(
            f"The mask has {' × '.join(map(str, mask.shape))} values; there are {count(n)} samples.",
            "pass one true or false value for each row of the samples table, in order.",
        )
    return np.flatnonzero(mask)


def evaluate(frame: pl.DataFrame, expression: pl.Expr, text: str) -> pl.Series:
    """Evaluate a compiled condition and convert polars' errors to ours."""
    try:
        met = frame.select(expression.alias("met"))["met"]
    except pl.exceptions.PolarsError as error:
        raise UsageError(
            f"The expression {quoted(text)} cannot be evaluated: {str(error).splitlines()[0]}."
        ) from None
    # A condition without columns ("True") gives one value, which applies to all rows.
    return (
        met if met.len() == frame.height else pl.Series("met", met.to_list() * frame.height, dtype=pl.Boolean)
    )


def require_values(values: pl.Series, source: str) -> None:
    """Refuse lists, records and bytes, which cannot be compared with each other."""
    if values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary):
        raise InputError(
            f"the column {values.name!r} contains {values.dtype}, not single values.",
            "use another column.",
            source=source,
        )


def as_text(values: pl.Series, source: str) -> pl.Series:
    """Convert ids to text: whole floats lose the decimal point, rounded ones are refused, and NaN is missing."""
    try:
        if values.dtype.is_float():
            values = values.fill_nan(None)
            _refuse_rounded(values, source)
            # pandas converts integers with missing values to floats; 7.0 means 7.
            whole = values.cast(pl.Int64, strict=False)
            if whole.null_count() == values.null_count() and (whole == values).all():
                values = whole
        return values.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise InputError(
            f"the column {values.name!r} of type {values.dtype} cannot be text.", source=source
        ) from None


def _without_columns(frame: pl.DataFrame, lacking: Mapping[str, str], source: str) -> ProbandError:
    """Refuse a table without id and subject columns; the error lists the options needed and likely values."""
    separated = other_separator(frame.columns)
    names = " and no column ".join(map(quoted, lacking.values()))
    meant = {option: _column_meant(frame, option, column) for option, column in lacking.items()}
    if separated is not None:
        return InputError(f"{source} has no column {names}.", separated, source=Said(source))
    there = f"the columns are {first_few(frame.columns, 12) or 'none'}"
    options = [
        # Nested, so that a column may have any name.
        (Hint("{option:{name}}", name=option if column is None else f"{option}={column}"), "")
        for option, column in meant.items()
    ]
    return UsageError(
        f"{source} has no column {names}; {there}.", NeededOptions(*options), source=Said(source)
    )


def _column_meant(frame: pl.DataFrame, option: str, column: str) -> str | None:
    """The column probably meant: a similar name, a usual name, or the first text column with unique values."""
    usual = option.removesuffix("_column")
    near = near_names(column, frame.columns, 0.75)
    if near or usual in frame.columns:
        return near[0] if near else usual
    if option == "subject_column":
        return next((name for name in frame.columns if name.lower().removesuffix("_id") in _SUBJECTS), None)
    texts = (one for one in frame.iter_columns() if one.dtype == pl.String and frame.height > 1)
    return next((one.name for one in texts if one.n_unique() == frame.height), None)


def other_separator(columns: Sequence[str]) -> str | None:
    """The probable column separator of a table that was read as one column."""
    if len(columns) != 1:
        return None
    found = next((name for mark, name in _SEPARATORS.items() if mark in columns[0]), None)
    return found and f"the columns seem to be separated by {found}: use commas, or .tsv with tabs."


def _look_alikes(subjects: Ids) -> list[Note]:
    """Note names that differ only in leading or trailing blanks: one person may be counted as two."""
    same = Counter(map(str.strip, subjects))
    if len(same) == len(subjects):
        return []
    names = [name for name in subjects if same[name.strip()] > 1]
    return [LOOK_ALIKES(n=len(names), examples=first_few(names))]


def _refuse_rounded(values: pl.Series, source: str) -> None:
    """Refuse ids stored as floats too large to be exact: two samples may share one rounded id."""
    rounded = values.filter(values.abs() > _EXACT.get(values.dtype, 2**11))
    if len(rounded):
        raise InputError(
            f"{count(len(rounded))} values of the column {values.name!r} are floats too large to represent "
            f"distinct whole numbers: {first_few(rounded.to_list())}.",
            "store ids as text.",
            source=source,
        )


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


def _numbers(values: list[float]) -> str:
    """The first of some numbers, and how many more there are."""
    more = [f"{count(len(values) - _VALUES)} more"] if len(values) > _VALUES else []
    return in_a_list([*map(given, values[:_VALUES]), *more])
