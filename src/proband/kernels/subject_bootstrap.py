"""Weighted counts of comparisons over many resamples (drawings) of subjects at once.

A comparison of subjects i and j counts w_i · w_j times in a drawing, so nothing is copied: the comparisons that are errors
are read once, and added to all drawings together.
"""

from __future__ import annotations

import numpy as np

from proband.kernels.compiling import njit

_STRETCH = 1024  # pairs of a tail between two checks of the limit
_COLUMNS = 128  # drawings processed together, so that the weights of all subjects stay in the cache


@njit(nogil=True, cache=True)
def tally_draws(draws, weights):
    """Count how often each subject is drawn; `weights` (drawings × subjects) must be zero."""
    for r in range(draws.shape[0]):
        for k in range(draws.shape[1]):
            weights[r, draws[r, k]] += 1


@njit(nogil=True, cache=True)
def weighted_sizes(weights, queries, targets, impostors):
    """Count the impostor comparisons of every drawing, Σ_{i≠j} w_i q_i w_j t_j: copies of one subject are not compared with each other."""
    for r in range(weights.shape[0]):
        all_queries = all_targets = same = np.int64(0)
        for s in range(weights.shape[1]):
            w = np.int64(weights[r, s])
            all_queries += w * queries[s]
            all_targets += w * targets[s]
            same += w * w * queries[s] * targets[s]
        impostors[r] = all_queries * all_targets - same


@njit(allocates=True, nogil=True, cache=True)
def add_pairs(weights, first, second, bins, totals):
    """Add w_i · w_j of every pair to the total of its bin, for all drawings.

    Pairs are ordered by bin, and within a bin by first subject: pairs that share both are multiplied
    once. ``weights`` is subjects × drawings, ``totals`` bins × drawings.
    """
    n_pairs, n_drawings = len(first), weights.shape[1]
    partners = np.empty(_COLUMNS, dtype=np.int32)
    for left in range(0, n_drawings, _COLUMNS):
        right = min(left + _COLUMNS, n_drawings)
        run = partners[: right - left]
        k = 0
        while k < n_pairs:
            i, b = first[k], bins[k]
            run[:] = 0
            while k < n_pairs and first[k] == i and bins[k] == b:
                other = weights[second[k], left:right]
                for r in range(len(run)):
                    run[r] += other[r]
                k += 1
            own, total = weights[i, left:right], totals[b, left:right]
            for r in range(len(run)):
                total[r] += own[r] * run[r]


@njit(allocates=True, nogil=True, cache=True)
def add_weighted(weights, first, second, shares, bins, totals):
    """Add w_i · w_j · share of every pair to the total of its bin, for all replicates: like `add_pairs`, with any weights."""
    n_pairs, n_replicates = len(first), weights.shape[1]
    partners = np.empty(_COLUMNS, dtype=np.float64)
    for left in range(0, n_replicates, _COLUMNS):
        right = min(left + _COLUMNS, n_replicates)
        run = partners[: right - left]
        k = 0
        while k < n_pairs:
            i, b = first[k], bins[k]
            run[:] = 0.0
            while k < n_pairs and first[k] == i and bins[k] == b:
                other, share = weights[second[k], left:right], shares[k]
                for r in range(len(run)):
                    run[r] += share * other[r]
                k += 1
            own, total = weights[i, left:right], totals[b, left:right]
            for r in range(len(run)):
                total[r] += own[r] * run[r]


@njit(nogil=True, cache=True)
def add_singles(weights, subjects, bins, totals):
    """Add the weight of each genuine comparison's subject to the total of its bin; the same shapes as for pairs."""
    for k in range(len(subjects)):
        own, total = weights[subjects[k]], totals[bins[k]]
        for r in range(len(own)):
            total[r] += own[r]


@njit(nogil=True, cache=True)
def _add_products(columns, first, second, start, stop, counts):
    """Add w_i · w_j of some pairs to the counts of all drawings."""
    for k in range(start, stop):
        own, other = columns[first[k]], columns[second[k]]
        for r in range(len(counts)):
            counts[r] += own[r] * other[r]


@njit(nogil=True, cache=True)
def count_rejected(
    weights, columns, first, second, groups, allowed, subjects, places, counts, reached, found, rejected
):
    """Count the rejected genuine comparisons of every drawing at the threshold for each false match rate.

    The sorted tail is read once for all drawings, in stretches; if a stretch has more false matches than a rate
    allows, it is read again for that drawing to find the group.

    Parameters
    ----------
    weights, columns
        The weights, drawings × subjects, and their transpose.
    first, second
        The pairs of the tail, from the closest down.
    groups
        The group of equally close pairs of each pair; groups are accepted or rejected as a whole.
    allowed
        The largest number of false matches of each drawing at each rate, ascending: drawings × rates.
    subjects
        The subjects of the genuine comparisons, from the least close up.
    places
        The number of them rejected if a group is the first to exceed the limit; and if none does.
    counts, reached
        Buffers for two counts of each drawing, before and after a stretch (2 × drawings), and for the number of rates found;
        they must be zero.
    found
        Filled with the first group that exceeds the limit: drawings × rates. Initialized with the number of groups, for none.
    rejected
        Filled with the weights of rejected comparisons; of the same shape.
    """
    # Few statements, and loops instead of array operations, to reduce compile time.
    n_drawings = allowed.shape[0]
    n_rates = allowed.shape[1]
    n_pairs = len(first)
    wanted = n_drawings * n_rates
    for start in range(0, n_pairs, _STRETCH):
        if not wanted:
            break
        stop = start + _STRETCH
        if stop > n_pairs:
            stop = n_pairs
        _add_products(columns, first, second, start, stop, counts[1])
        for r in range(n_drawings):
            count = counts[0, r]
            counts[0, r] = counts[1, r]
            rate = reached[r]
            if rate == n_rates or counts[1, r] <= allowed[r, rate]:
                continue
            own = weights[r]
            for k in range(start, stop):
                count += own[first[k]] * own[second[k]]
                while rate < n_rates and count > allowed[r, rate]:
                    found[r, rate] = groups[k]
                    rate += 1
            wanted -= rate - reached[r]
            reached[r] = rate
    for r in range(n_drawings):
        own = weights[r]
        for rate in range(n_rates):
            count = np.int64(0)
            for k in range(places[found[r, rate]]):
                count += own[subjects[k]]
            rejected[r, rate] = count
