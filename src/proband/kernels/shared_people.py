"""Running sums over errors that share people, as errors are added one by one."""

from __future__ import annotations

import numpy as np

from proband.kernels.compiling import njit


@njit(allocates=True, nogil=True, cache=True)
def sum_over_partners(low, high, weights, sizes, starts, products, crossed):
    """Sum w c_i c_j and w (c_i d_j + c_j d_i) over all errors (i, j) so far, after each of them.

    c is the weight of a person's errors so far, d the person's entry in `sizes`. ``starts[i]`` is the start of the errors of person i
    if all errors are ordered by person, each listed for both of its people.
    """
    people, places = len(sizes), 2 * len(low)
    partners, shared = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.float64)
    filled = starts.copy()
    totals, of_partners, met = np.zeros(people), np.zeros(people), np.zeros(people)
    product = cross = 0.0
    for k in range(len(low)):
        w = weights[k]
        for side in range(2):
            one = low[k] if side == 0 else high[k]
            product += w * of_partners[one]
            cross += w * met[one]
            totals[one] += w
            for place in range(starts[one], filled[one]):
                of_partners[partners[place]] += w * shared[place]
        i, j = low[k], high[k]
        product += w * totals[i] * totals[j]
        cross += w * (totals[i] * sizes[j] + totals[j] * sizes[i])
        of_partners[i] += w * totals[j]
        of_partners[j] += w * totals[i]
        met[i] += w * sizes[j]
        met[j] += w * sizes[i]
        partners[filled[i]], partners[filled[j]] = j, i
        shared[filled[i]] = shared[filled[j]] = w
        filled[i] += 1
        filled[j] += 1
        products[k], crossed[k] = product, cross
