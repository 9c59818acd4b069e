"""Counts of gallery images or subjects that are closer to a probe than its best mate, or as close.

Every kernel fills, per probe, `closer` (non-mates strictly closer), `tied` (non-mates exactly as close) and, for
matrices, `best_mates` (mates that share the best score); every rank under every tie policy follows from these.
"""

from __future__ import annotations

import numpy as np

from proband.kernels.codes import DONT_CARE, FAILED, L2, NO_MATE, NO_SCORE, OK, RANKED
from proband.kernels.compiling import njit
from proband.kernels.vectors import score


@njit(nogil=True, cache=True)
def count_images(tile, cells, sign, mate_starts, mates, closer, tied, best_mates, status):
    """Count gallery images in a tile of whole rows; `cells` has no columns when every cell is fine.

    `mates[mate_starts[i]:mate_starts[i + 1]]` are the columns of probe i's own subject.
    """
    n_columns = tile.shape[1]
    plain = cells.shape[1] == 0
    for i in range(tile.shape[0]):
        status[i], best, n_best = _best_mate(
            tile[i], cells[i], sign, mates[mate_starts[i] : mate_starts[i + 1]]
        )
        best_mates[i] = n_best
        closer[i] = tied[i] = 0
        if status[i] != RANKED:
            continue
        over = equal = np.int32(0)  # twice as many fit a register as of the usual integers
        if plain:
            for j in range(n_columns):
                value = tile[i, j] * sign
                over = np.int32(over + (value > best))
                equal = np.int32(equal + (value == best))
            for m in range(mate_starts[i], mate_starts[i + 1]):
                equal -= tile[i, mates[m]] * sign == best
        else:
            for j in range(n_columns):
                if cells[i, j] == OK:
                    value = tile[i, j] * sign
                    over = np.int32(over + (value > best))
                    equal = np.int32(equal + (value == best))
            equal -= n_best
        closer[i] = over
        tied[i] = equal


@njit(allocates=True, nogil=True, cache=True)
def count_subjects(
    tile, cells, sign, mate_starts, mates, column_subjects, n_subjects, closer, tied, best_mates, status
):
    """Count gallery subjects, each by its best image; `column_subjects` numbers them 0 … n_subjects − 1."""
    n_columns = tile.shape[1]
    plain = cells.shape[1] == 0
    best_of = np.empty(n_subjects, dtype=np.float64)
    for i in range(tile.shape[0]):
        own = mates[mate_starts[i] : mate_starts[i + 1]]
        status[i], best, n_best = _best_mate(tile[i], cells[i], sign, own)
        best_mates[i] = min(n_best, 1)
        closer[i] = tied[i] = 0
        if status[i] != RANKED:
            continue
        best_of[:] = -np.inf
        for j in range(n_columns):
            if plain or cells[i, j] == OK:
                value = np.float64(tile[i, j] * sign)
                if value > best_of[column_subjects[j]]:
                    best_of[column_subjects[j]] = value
        best_of[column_subjects[own[0]]] = -np.inf
        for q in range(n_subjects):
            closer[i] += best_of[q] > best
            tied[i] += best_of[q] == best


@njit(nogil=True, cache=True)
def _best_mate(row, cells, sign, mates):
    """The best score among the mates and the number of mates that share it, or why there is none."""
    plain = cells.shape[0] == 0
    status = NO_MATE
    best = row[0] * sign
    n_best = 0
    for j in mates:
        if not plain and cells[j] == DONT_CARE:
            continue
        if not plain and cells[j] == FAILED:
            if status == NO_MATE:
                status = NO_SCORE
            continue
        status = RANKED
        value = row[j] * sign
        if n_best == 0 or value > best:
            best = value
            n_best = 1
        elif value == best:
            n_best += 1
    return status, best, n_best


@njit(nogil=True, cache=True, error_model="numpy")
def best_mate_scores(
    probes, gallery, probe_norms, gallery_norms, metric, mate_starts, mates, best, best_mates
):
    """Score each probe with its mates among `gallery` rows; keep the best score and the number of mates that share it."""
    for i in range(probes.shape[0]):
        for m in range(mate_starts[i], mate_starts[i + 1]):
            j = mates[m]
            value = score(probes[i], gallery[j], probe_norms[i], gallery_norms[j], metric)
            first = best_mates[i] == 0
            better = value < best[i] if metric == L2 else value > best[i]
            if first or better:
                best[i] = value
                best_mates[i] = 1
            elif value == best[i]:
                best_mates[i] += 1


@njit(nogil=True, cache=True, error_model="numpy")
def count_screened_images(
    tile, low, high, best, codes, column_codes, mate_starts, mates, first_column,
    probes, gallery, probe_norms, gallery_norms, metric, closer, tied,
):  # fmt: skip
    """Count gallery images by a float32 screen of the scores, deciding doubtful cells in float64.

    A cell above ``high[i]`` is certainly closer than the best mate and one below ``low[i]`` certainly not; those
    between are rescored exactly. The mates ``mates[mate_starts[i]:mate_starts[i + 1]]``, some of which may be among the
    columns of the tile from ``first_column`` on, are not counted.
    """
    n_columns = tile.shape[1]
    for i in range(tile.shape[0]):
        lower, upper = low[i], high[i]
        over = reach = np.int32(0)  # twice as many fit a register as of the usual integers
        for j in range(n_columns):
            value = tile[i, j]
            over = np.int32(over + (value > upper))
            reach = np.int32(reach + (value >= lower))
        m, beyond = mate_starts[i], mate_starts[i + 1]
        while m < beyond:  # the first mate not before the tile
            middle = (m + beyond) // 2
            if mates[middle] < first_column:
                m = middle + 1
            else:
                beyond = middle
        while m < mate_starts[i + 1] and mates[m] < first_column + n_columns:
            value = tile[i, mates[m] - first_column]
            over -= value > upper
            reach -= value >= lower
            m += 1
        closer[i] += over
        if reach == over:
            continue
        for j in range(n_columns):
            if lower <= tile[i, j] <= upper and column_codes[j] != codes[i]:
                value = score(probes[i], gallery[j], probe_norms[i], gallery_norms[j], metric)
                closer[i] += value < best[i] if metric == L2 else value > best[i]
                tied[i] += value == best[i]


@njit(nogil=True, cache=True, error_model="numpy")
def count_screened_subjects(
    tile, low, high, best, codes, column_codes,
    probes, gallery, probe_norms, gallery_norms, metric, closer, tied,
):  # fmt: skip
    """Count gallery subjects by a screen; the columns of each subject are contiguous and within one tile."""
    n_columns = tile.shape[1]
    for i in range(tile.shape[0]):
        j = 0
        while j < n_columns:
            code = column_codes[j]
            end = j
            surely = False
            doubtful = False
            while end < n_columns and column_codes[end] == code:
                surely |= tile[i, end] > high[i]
                doubtful |= tile[i, end] >= low[i]
                end += 1
            if code != codes[i] and surely:
                closer[i] += 1
            elif code != codes[i] and doubtful:
                beats = False
                equals = False
                for k in range(j, end):
                    if tile[i, k] >= low[i]:
                        value = score(probes[i], gallery[k], probe_norms[i], gallery_norms[k], metric)
                        beats |= value < best[i] if metric == L2 else value > best[i]
                        equals |= value == best[i]
                closer[i] += beats
                tied[i] += equals and not beats
            j = end
