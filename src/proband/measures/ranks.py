"""Ranks of probes, without sorting rows and without keeping a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proband.engine import Engine, Progress, Silent, on_engine, one_blas_thread, run_blocks, slices
from proband.engine.arguments import published
from proband.engine.limits import Threads
from proband.errors import DesignError
from proband.kernels.codes import NO_MATE, NO_SCORE, empty_cells, new_counts
from proband.kernels.few import images_counter
from proband.measures.outcomes import Counting, FailurePolicy, Outcomes, TiePolicy
from proband.results.several import for_each
from proband.samples import Experiment, Positions
from proband.scores import Embeddings, Scores, axis_positions, require_orientation
from proband.scores.screening import Screen, make_screen, screen_of
from proband.words import Sentence

_TILE_CELLS = 1 << 22  # scores held at once per thread when whole rows are read
_ONE_PERSON = Sentence(
    "ranks.one-person",
    "caution",
    "the gallery has only one enrolled person, so no confusion is possible and the rates are not meaningful",
)
_DONT_CARE = Sentence(
    "ranks.mates-dont-care",
    "caution",
    "{n:count probe} with only don't-care cells for mates {n:word was/were} left out",
)
_GALLERY_A_BLOCK = 2048  # gallery images per block of a thread
_PROBES_AT_ONCE, _GALLERY_AT_ONCE = (
    1024,
    512,
)  # a screening tile of 2 MB: large enough for BLAS, small enough to be counted in cache


@dataclass(frozen=True)
class _Task:
    """What to count: rows and columns of the scores, and which columns are each row's mates."""

    rows: Positions
    columns: Positions
    row_codes: npt.NDArray[np.int32]
    column_codes: npt.NDArray[np.int32]
    mate_starts: npt.NDArray[np.int64]
    mates: npt.NDArray[np.int64]  # positions in `columns`, ascending for each row


@published
@for_each
@on_engine
def rank(
    scores: Scores,
    experiment: Experiment,
    *,
    ties: TiePolicy = "pessimistic",
    counting: Counting = "images",
    on_failure: FailurePolicy = "miss",
    check_orientation: bool = True,
    threads: Threads | None = None,
    progress: Progress | None = None,
    engine: Engine = None,
) -> Outcomes:
    """Compute the rank of every probe in the gallery.

    The rank is the position of the first image of the same subject when the gallery is ordered by closeness. With several mates
    the best rank counts; mates are not counted against each other.

    Parameters
    ----------
    scores
        A matrix or embeddings; embeddings are ranked without building a matrix.
    experiment
        The gallery and probes. Probes with a subject not in the gallery have no rank and are counted.
    ties
        ``pessimistic`` (default), ``optimistic`` or ``mean``: see `Outcomes`.
    counting
        Count gallery ``images`` (default) or ``subjects`` ahead of the mate.
    on_failure
        ``miss`` (default) or ``as_scored``: see `Outcomes`.
    check_orientation
        Whether to raise an error if, with the declared orientation, genuine pairs look significantly worse than impostor pairs.
    threads, progress, engine
        The number of threads, the progress callback, and where computations run.

    Returns
    -------
    Outcomes or Several
        The rank of every probe; for several algorithms, a mapping from names to outcomes.

    Examples
    --------
    >>> from proband.samples import Samples
    >>> samples = Samples({"id": ["g1", "g2", "p1", "p2"], "subject": ["a", "b", "a", "b"]})
    >>> scores = Scores.from_array([[0.9, 0.1], [0.7, 0.7]], ["p1", "p2"], ["g1", "g2"], orientation="similarity")
    >>> experiment = Experiment(samples, gallery=["g1", "g2"], probes=["p1", "p2"])
    >>> rank(scores, experiment).ranks, rank(scores, experiment, ties="optimistic").ranks
    (array([1., 2.]), array([1., 1.]))
    """
    if not experiment.mated.any():
        raise DesignError(
            "No probe has a mate in the gallery, so there are no ranks.",
            "check the subject column; searches for people who are not enrolled have no identification rate.",
        )
    rows, columns = axis_positions(experiment, scores)
    if check_orientation:
        require_orientation(scores, experiment, (rows, columns))
    samples = experiment.samples
    failed_samples = samples.failed if on_failure == "miss" else np.zeros(len(samples), dtype=np.bool_)
    enrolled = ~failed_samples[experiment.gallery]
    task, searched = _prepare(
        experiment, rows, columns, enrolled, ~failed_samples[experiment.probes], counting
    )

    n = len(experiment.probes)
    closer, tied, best_mates = (np.zeros(n, dtype=np.int64) for _ in range(3))
    status = np.full(n, NO_SCORE, dtype=np.uint8)
    if searched.size:
        counted = _count(scores, task, counting, threads, progress or Silent())
        closer[searched], tied[searched], best_mates[searched], status[searched] = counted

    # A probe whose mates are all don't-care cells has no rank: it is left out of the denominator, with a note.
    unjudged = status == NO_MATE
    kept = np.flatnonzero(experiment.mated & ~unjudged)
    notes = [*scores.notes, *experiment.notes]
    if task.column_codes.size and task.column_codes.min() == task.column_codes.max():
        notes.append(_ONE_PERSON())
    if unjudged.any():
        notes.append(_DONT_CARE(n=int(unjudged.sum())))
    return Outcomes(
        algorithm=scores.name,
        metric=scores.metric,
        experiment=experiment,
        probes=experiment.probes[kept],
        closer=closer[kept],
        tied=tied[kept],
        best_mates=best_mates[kept],
        failed=status[kept] == NO_SCORE,
        ties=ties,
        counting=counting,
        on_failure=on_failure,
        n_ranks=int(enrolled.sum()) if counting == "images" else len(np.unique(task.column_codes)),
        n_unmated=int((~experiment.mated).sum()),
        n_gallery_failed=int((~enrolled).sum()),
        notes=tuple(notes),
    )


def _prepare(
    experiment: Experiment,
    rows: Positions,
    columns: Positions,
    enrolled: npt.NDArray[np.bool_],
    acquired: npt.NDArray[np.bool_],
    counting: Counting,
) -> tuple[_Task, Positions]:
    """Select the enrolled columns and the rows that can have a rank, and list the mates of each row."""
    codes = experiment.samples.codes
    column_codes = codes[experiment.gallery][enrolled]
    columns = columns[enrolled]
    # Subjects are counted in runs of columns; images are read in storage order.
    order = np.argsort(column_codes if counting == "subjects" else columns, kind="stable")
    columns, column_codes = columns[order], column_codes[order]

    row_codes = codes[experiment.probes]
    by_subject = np.argsort(column_codes, kind="stable")
    sorted_codes = column_codes[by_subject]
    first = np.searchsorted(sorted_codes, row_codes, side="left")
    last = np.searchsorted(sorted_codes, row_codes, side="right")
    searched = np.flatnonzero(acquired & (last > first))
    sizes = (last - first)[searched]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes) + np.repeat(first[searched], sizes)
    return (
        _Task(rows[searched], columns, row_codes[searched], column_codes, starts, by_subject[places]),
        searched,
    )


_Counted = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint8]]


def _count(
    scores: Scores, task: _Task, counting: Counting, threads: int | None, progress: Progress
) -> _Counted:
    if isinstance(scores, Embeddings) and scores.is_product:
        return _count_embeddings(scores, task, counting, threads, progress)
    return _count_matrix(scores, task, counting, threads, progress)


def _count_matrix(
    scores: Scores, task: _Task, counting: Counting, threads: int | None, progress: Progress
) -> _Counted:
    """Count in tiles of whole rows, read one after another."""
    counts = new_counts(len(task.rows))
    blocks = list(slices(len(task.rows), max(1, _TILE_CELLS // len(task.columns))))
    progress.begin(f"ranking {scores.name}", len(task.rows))
    owners = (
        np.unique(task.column_codes, return_inverse=True)[1] if counting == "subjects" else task.columns[:0]
    )
    counted = run_blocks(_Rows(scores, task, counting, owners), blocks, threads)
    for block, found in zip(blocks, counted, strict=True):
        for whole, part in zip(counts, found, strict=True):
            whole[block] = part
        progress.advance(block.stop - block.start)
    return counts


@dataclass(frozen=True, eq=False)
class _Rows:
    """Counts of a block of rows."""

    scores: Scores
    task: _Task
    counting: Counting
    owners: Positions  # of columns, numbered from 0, if subjects are counted

    def __call__(self, block: slice) -> _Counted:
        scores, task, rows = self.scores, self.task, self.task.rows[block]
        tile = scores.tile(rows, task.columns)
        cells = scores.cells(rows, task.columns)
        cells = empty_cells(len(rows)) if cells is None else cells
        sign = tile.dtype.type(1 if scores.larger_is_closer else -1)
        starts = task.mate_starts[block.start : block.stop + 1]
        out = new_counts(len(rows))
        if self.counting == "images":
            images_counter(tile.size)(tile, cells, sign, starts, task.mates, *out)
        else:
            from proband.kernels.counting import count_subjects

            n_subjects = int(self.owners.max()) + 1
            count_subjects(tile, cells, sign, starts, task.mates, self.owners, n_subjects, *out)
        return out


def _count_embeddings(
    scores: Embeddings, task: _Task, counting: Counting, threads: int | None, progress: Progress
) -> _Counted:
    """Count in tiles of float32 products, and decide doubtful pairs in float64.

    Threads divide the gallery; each keeps its own counts of all probes, and integer sums do not depend on the
    order.
    """
    closer, tied, best_mates, status = new_counts(len(task.rows))
    probes = scores.query_rows(task.rows)
    probe_norms = scores.query_norms(probes, task.rows)
    best = np.zeros(len(task.rows))
    _score_mates(scores, task, probes, probe_norms, best, best_mates)
    screen = make_screen(scores, task.rows, task.columns)
    blocks = (
        _subject_slices(task.column_codes, _GALLERY_A_BLOCK)
        if counting == "subjects"
        else slices(len(task.columns), _GALLERY_A_BLOCK)
    )
    progress.begin(f"ranking {scores.name}", len(task.columns))
    with one_blas_thread():
        for done, block_closer, block_tied in run_blocks(
            _Screened(task, counting, probes, probe_norms, best, screen), blocks, threads
        ):
            closer += block_closer
            tied += block_tied
            progress.advance(done)
    if counting == "subjects":
        best_mates = np.minimum(best_mates, 1)
    return closer, tied, best_mates, status


@dataclass(frozen=True, eq=False)
class _Screened:
    """The numbers of columns of a block that are closer than each probe's best mate, and as close."""

    task: _Task
    counting: Counting
    probes: npt.NDArray[np.floating]
    norms: npt.NDArray[np.float64]
    best: npt.NDArray[np.float64]
    screen: Screen

    def __reduce__(self) -> tuple[Any, ...]:
        screen = self.screen  # prepared probes are recomputed where needed
        return _screened, (
            self.task,
            self.counting,
            self.best,
            screen.embeddings,
            screen.centre,
            screen.scale,
        )

    def __call__(self, block: slice) -> tuple[int, npt.NDArray[np.integer], npt.NDArray[np.integer]]:
        from proband.kernels.counting import count_screened_images, count_screened_subjects

        task, screen, scores = self.task, self.screen, self.screen.embeddings
        low, high = screen.limits(self.best)
        columns, codes = task.columns[block], task.column_codes[block]
        gallery = scores.target_rows(columns)
        norms = scores.target_norms(gallery, columns)
        screened = screen.gallery(gallery, norms)
        by_subject = self.counting == "subjects"
        tiles = list(
            _subject_slices(codes, _GALLERY_AT_ONCE) if by_subject else slices(len(codes), _GALLERY_AT_ONCE)
        )
        closer, tied, _, _ = new_counts(len(task.rows))
        buffer = np.empty(_PROBES_AT_ONCE * max(one.stop - one.start for one in tiles), dtype=np.float32)
        for part in slices(len(task.rows), _PROBES_AT_ONCE):
            probes = screen.probes[part]
            for one in tiles:
                shape = len(probes), one.stop - one.start
                tile = np.matmul(probes, screened[one].T, out=buffer[: shape[0] * shape[1]].reshape(shape))
                arrays = (tile, low[part], high[part], self.best[part], task.row_codes[part], codes[one])
                vectors = (self.probes[part], gallery[one], self.norms[part], norms[one], scores.metric_code)
                out = (closer[part], tied[part])
                if by_subject:
                    count_screened_subjects(*arrays, *vectors, *out)
                else:
                    mates = (
                        task.mate_starts[part.start : part.stop + 1],
                        task.mates,
                        block.start + one.start,
                    )
                    count_screened_images(*arrays, *mates, *vectors, *out)
        # Results are small: counts cannot exceed the number of columns.
        small = np.min_scalar_type(len(columns))
        return len(columns), closer.astype(small), tied.astype(small)


def _screened(
    task: _Task,
    counting: Counting,
    best: npt.NDArray[np.float64],
    embeddings: Embeddings,
    centre: npt.NDArray[np.float64],
    scale: float,
) -> _Screened:
    """Prepare the probes, given the centre and scale of the gallery."""
    probes = embeddings.query_rows(task.rows)
    norms = embeddings.query_norms(probes, task.rows)
    screen = screen_of(embeddings, probes, norms, centre, scale)
    return _Screened(task, counting, probes, norms, best, screen)


def _score_mates(
    scores: Embeddings,
    task: _Task,
    probes: npt.NDArray[np.floating],
    probe_norms: npt.NDArray[np.float64],
    best: npt.NDArray[np.float64],
    best_mates: npt.NDArray[np.int64],
) -> None:
    """Fill in the best mate score of each probe, in float64, and the number of mates that share it."""
    from proband.kernels.counting import best_mate_scores

    for part in slices(len(task.rows), _PROBES_AT_ONCE):
        starts = task.mate_starts[part.start : part.stop + 1]
        own = task.mates[starts[0] : starts[-1]]
        needed, place = np.unique(own, return_inverse=True)
        columns = task.columns[needed]
        gallery = scores.target_rows(columns)
        norms = scores.target_norms(gallery, columns)
        best_mate_scores(
            probes[part], gallery, probe_norms[part], norms, scores.metric_code,
            starts - starts[0], place, best[part], best_mates[part],
        )  # fmt: skip


def _subject_slices(codes: npt.NDArray[np.int32], step: int) -> Iterator[slice]:
    """Slices of about `step` columns that never split the columns of a subject."""
    ends = np.append(np.flatnonzero(np.diff(codes)) + 1, len(codes))
    start = 0
    while start < len(codes):
        stop = int(ends[min(int(np.searchsorted(ends, start + step)), len(ends) - 1)])
        yield slice(start, stop)
        start = stop
