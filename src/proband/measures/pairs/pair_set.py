"""The comparisons that count in verification: every pair of samples once, and no sample with itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from proband.errors import AlignmentError, first_few
from proband.samples import Experiment, Positions, Samples
from proband.samples.ids import Ids
from proband.samples.table import frozen
from proband.scores import Embeddings, Scores, axis_positions
from proband.scores.alignment import mend_ids
from proband.words import Note, Sentence, count, counted

Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_UNKNOWN_IDS = Sentence(
    "pairs.unknown-ids",
    "caution",
    "{n:count} of {of:count} {axis} ids {n:word is/are} not in the samples table; left out",
)
_ON_BOTH_AXES = Sentence(
    "pairs.on-both-axes",
    "note",
    "{n:count sample is both a query and a target/samples are both queries and targets}: each such pair is "
    "counted once, with the first sample as query",
)


@dataclass(frozen=True, eq=False)
class PairSet:
    """The comparisons that count: rows × columns of some scores, without self-comparisons and repetitions.

    Samples that are on both axes come first on both, in the same order. Row i then counts with the columns from
    ``firsts[i]`` on, so no sample is compared with itself, and two samples on both axes are compared once, with the first
    as the query.

    Attributes
    ----------
    rows, columns
        Positions on the query and on the target axis of the scores.
    row_samples, column_samples
        Their samples, as positions in the table.
    row_codes, column_codes
        Their subjects.
    row_failed, column_failed
        Whether the sample is marked as failed to acquire. Its comparisons have no score and are counted separately.
    n_shared
        The number of samples on both axes.
    notes
        Notes on what was left out, and on the choice of pairs.

    """

    rows: Positions
    columns: Positions
    row_samples: Positions
    column_samples: Positions
    row_codes: Codes
    column_codes: Codes
    row_failed: Mask
    column_failed: Mask
    n_shared: int
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, scores: Scores, within: Experiment | Samples) -> PairSet:
        """Choose the comparisons of some scores.

        Parameters
        ----------
        scores
            The scores.
        within
            An experiment: its probes are compared with its gallery. Or the samples table: all queries with all targets; unknown
            ids are left out, and counted in a note.
        """
        if isinstance(within, Samples):
            samples = within
            rows, row_samples = _known(scores.queries, samples)
            same = scores.targets is scores.queries
            columns, column_samples = (rows, row_samples) if same else _known(scores.targets, samples)
            unknown = [
                _UNKNOWN_IDS(n=len(axis) - len(kept), of=len(axis), axis=axis.what)
                for axis, kept in ((scores.queries, rows), (scores.targets, columns))
                if len(kept) < len(axis)
            ]
            notes = [*samples.notes, *unknown]
        else:
            samples = within.samples
            rows, columns = axis_positions(within, scores)
            # In storage order, so that they are read sequentially.
            by_row, by_column = np.argsort(rows), np.argsort(columns)
            rows, row_samples = rows[by_row], within.probes[by_row]
            columns, column_samples = columns[by_column], within.gallery[by_column]
            notes = list(within.notes)
        row_order, column_order, n_shared = _shared_first(row_samples, column_samples, len(samples))
        if n_shared > 1 and not isinstance(scores, Embeddings):
            notes.append(_ON_BOTH_AXES(n=n_shared))
        row_samples, column_samples = row_samples[row_order], column_samples[column_order]
        return cls(
            rows=frozen(rows[row_order]),
            columns=frozen(columns[column_order]),
            row_samples=frozen(row_samples),
            column_samples=frozen(column_samples),
            row_codes=frozen(samples.codes[row_samples]),
            column_codes=frozen(samples.codes[column_samples]),
            row_failed=frozen(samples.failed[row_samples]),
            column_failed=frozen(samples.failed[column_samples]),
            n_shared=n_shared,
            notes=tuple(notes),
        )

    @property
    def symmetric(self) -> bool:
        """Whether the same samples are on both axes, so that every unordered pair counts once."""
        return self.n_shared == len(self.rows) == len(self.columns)

    @cached_property
    def firsts(self) -> Counts:
        """The first counted column of each row."""
        place = np.arange(len(self.rows))
        return frozen(np.where(place < self.n_shared, place + 1, 0))

    @cached_property
    def people(self) -> Codes:
        """The subjects on either axis, in order."""
        return frozen(np.unique(np.concatenate([self.row_codes, self.column_codes])))

    @cached_property
    def acquired(self) -> PairSet:
        """The comparisons of samples that did not fail."""
        if not (self.row_failed.any() or self.column_failed.any()):
            return self
        rows, columns = ~self.row_failed, ~self.column_failed
        return PairSet(
            rows=frozen(self.rows[rows]),
            columns=frozen(self.columns[columns]),
            row_samples=frozen(self.row_samples[rows]),
            column_samples=frozen(self.column_samples[columns]),
            row_codes=frozen(self.row_codes[rows]),
            column_codes=frozen(self.column_codes[columns]),
            row_failed=frozen(self.row_failed[rows]),
            column_failed=frozen(self.column_failed[columns]),
            n_shared=int(rows[: self.n_shared].sum()),
            notes=self.notes,
        )

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """The numbers of genuine and impostor comparisons, including failed samples, from the numbers of samples per subject."""
        most = 1 + max(self.row_codes.max(initial=-1), self.column_codes.max(initial=-1))
        on_rows, on_columns, on_both = (
            np.bincount(codes, minlength=most)
            for codes in (self.row_codes, self.column_codes, self.row_codes[: self.n_shared])
        )
        # Of m shared samples, m(m + 1)/2 of the m² cells are self-comparisons or repetitions.
        genuine = int(on_rows @ on_columns) - int(on_both @ (on_both + 1)) // 2
        every = len(self.rows) * len(self.columns) - self.n_shared * (self.n_shared + 1) // 2
        return genuine, every - genuine

    @property
    def n_genuine(self) -> int:
        """The number of genuine comparisons with both samples acquired."""
        return self.acquired._sizes[0]

    @property
    def n_impostor(self) -> int:
        """The number of impostor comparisons with both samples acquired."""
        return self.acquired._sizes[1]

    @property
    def n_failed_genuine(self) -> int:
        """The number of genuine comparisons lost to samples that failed to acquire."""
        return self._sizes[0] - self.n_genuine

    @property
    def n_failed_impostor(self) -> int:
        """The number of impostor comparisons lost to samples that failed to acquire."""
        return self._sizes[1] - self.n_impostor

    @cached_property
    def _by_subject(self) -> tuple[Positions, Codes]:
        order = np.argsort(self.column_codes, kind="stable")
        return order, self.column_codes[order]

    def genuine(self, block: slice) -> tuple[Positions, Positions]:
        """List the genuine pairs of some rows, as positions among rows and columns, row by row."""
        order, codes = self._by_subject
        begin = np.searchsorted(codes, self.row_codes[block], side="left")
        sizes = np.searchsorted(codes, self.row_codes[block], side="right") - begin
        ends = np.cumsum(sizes)
        left = np.repeat(np.arange(len(sizes)), sizes)
        right = order[np.arange(len(left)) - np.repeat(ends - sizes, sizes) + np.repeat(begin, sizes)]
        left += block.start
        kept = right >= self.firsts[left]
        return left[kept], right[kept]

    def __repr__(self) -> str:
        once = ", every pair once" if self.symmetric else ""
        failed = self.n_failed_genuine + self.n_failed_impostor
        lost = f"; {count(failed)} lost to failed samples" if failed else ""
        return (
            f"PairSet({count(len(self.rows))} × {counted(len(self.columns), 'sample')}{once}: "
            f"{count(self.n_genuine)} genuine, {count(self.n_impostor)} impostor{lost})"
        )


def _known(axis: Ids, samples: Samples) -> tuple[Positions, Positions]:
    """The positions on an axis of samples in the table, and their positions in the table."""
    places = axis.positions_in(samples.ids)
    known = np.flatnonzero(places >= 0)
    if not known.size:
        raise AlignmentError(
            f"None of the {count(len(axis))} {axis.what} ids are in the samples table: {first_few(axis)}.",
            mend_ids(axis, samples.ids, axis, len(axis)),
        )
    return known, places[known]


def _shared_first(
    row_samples: Positions, column_samples: Positions, n_samples: int
) -> tuple[Positions, Positions, int]:
    """Orders of rows and columns that begin with the shared samples, in row order."""
    column_of = np.full(n_samples, -1, dtype=np.intp)
    column_of[column_samples] = np.arange(len(column_samples))
    found = column_of[row_samples]
    shared = np.flatnonzero(found >= 0)
    is_shared = np.zeros(len(column_samples), dtype=np.bool_)
    is_shared[found[shared]] = True
    return (
        np.concatenate([shared, np.flatnonzero(found < 0)]),
        np.concatenate([found[shared], np.flatnonzero(~is_shared)]),
        len(shared),
    )
