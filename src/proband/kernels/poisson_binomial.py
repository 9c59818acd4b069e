"""The number of independent rivals who beat a mate, with different probabilities (Poisson-binomial).

A rival is another person with a random choice; a gallery image beats the mate if it is closer to the probe.
`uses` is the number of choices of a person in which an image is the gallery image; 0 for images that were not acquired.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from proband.kernels.compiling import njit

NEGLIGIBLE = 1e-30  # omitting thousands of such probabilities has less effect than one rounding error


@njit(nogil=True, cache=True, error_model="numpy")
def count_beating(row, mate, ties_beat, own, image_starts, uses, beating):
    """Count, per person, the choices whose gallery image beats the mate; nobody beats themselves.

    Returns False if any required score is not finite.
    """
    fine = isfinite(mate)
    for q in range(len(beating)):
        beating[q] = 0
        if q == own:
            continue
        for j in range(image_starts[q], image_starts[q + 1]):
            if uses[j]:
                fine &= isfinite(row[j])
                if row[j] > mate or (ties_beat and row[j] == mate):
                    beating[q] += uses[j]
    return fine


@njit(allocates=True, nogil=True, cache=True, error_model="numpy")
def at_most(beating, sizes, cumulative):
    """Fill ``cumulative[k]`` with the probability that at most k rivals beat the mate, rival q with beating/sizes.

    Probabilities are stored in descending order of k in `chances`, so that a forward pass reads only old values and can be
    vectorized. Negligible ones are dropped.
    """
    surely = 0
    perhaps = 0
    for q in range(len(beating)):
        surely += beating[q] == sizes[q]
        perhaps += 0 < beating[q] < sizes[q]
    cumulative[:] = 0.0
    last = min(len(cumulative) - 1 - surely, perhaps)
    if last < 0:
        return
    chances = np.empty(last + 1)
    chances[last] = 1.0
    first = end = last  # position i is for last - i rivals, besides those that certainly beat the mate
    for q in range(len(beating)):
        if beating[q] == 0 or beating[q] == sizes[q]:
            continue
        yes = beating[q] / sizes[q]
        no = (sizes[q] - beating[q]) / sizes[q]
        if first > 0:
            first -= 1
            chances[first] = 0.0
        kept = chances[first : end + 1]
        for i in range(len(kept) - 1):
            kept[i] = kept[i] * no + kept[i + 1] * yes
        chances[end] *= no
        while first < end and chances[end] < NEGLIGIBLE:
            end -= 1
        while first < end and chances[first] < NEGLIGIBLE:
            first += 1
    total = 0.0
    for i in range(end, first - 1, -1):
        total += chances[i]
        cumulative[surely + last - i] = min(total, 1.0)
    cumulative[surely + last - first :] = min(total, 1.0)
    cumulative[surely + perhaps :] = 1.0  # at most all of them can beat it


@njit(allocates=True, nogil=True, cache=True, error_model="numpy")
def covariances(
    s, starts, chances, gallery, entry_starts, rivals, left, image_starts, images, sizes, uses
):  # fmt: skip
    """Sum the covariances of person s's success at rank 1 with that of each later person.

    Person s has the choices ``starts[s]:starts[s + 1]``, and choice c has the rivals in `rivals` at
    ``entry_starts[c]:entry_starts[c + 1]``; rival e has ``left[e]`` choices that do not beat the mate of c, and the
    images that do are ``images[image_starts[e]:image_starts[e + 1]]``. ``chances[c]``, the probability of success by
    the choice c, is the product of the shares left, none of which is 0.

    The probability that c and d both succeed is the product of their chances, corrected for rivals of both, who
    must beat neither, and for the two people themselves, whose choices are given.
    """
    left_of = sizes.copy()  # by c, for every person
    beats = np.zeros_like(uses)  # uses of the images that beat the mate of c
    total = 0.0
    for c in range(starts[s], starts[s + 1]):
        for e in range(entry_starts[c], entry_starts[c + 1]):
            left_of[rivals[e]] = left[e]
            for i in range(image_starts[e], image_starts[e + 1]):
                beats[images[i]] = uses[images[i]]
        for t in range(s + 1, len(sizes)):
            excess = 0.0
            for d in range(starts[t], starts[t + 1]):
                apart = chances[c] * chances[d]
                both = 0.0
                if not beats[gallery[d]]:
                    both = apart * sizes[t] / left_of[t]
                    for e in range(entry_starts[d], entry_starts[d + 1]):
                        q = rivals[e]
                        if q == s:
                            both *= sizes[s] / left[e]
                            for i in range(image_starts[e], image_starts[e + 1]):
                                if images[i] == gallery[c]:
                                    both = 0.0
                        elif left_of[q] < sizes[q]:
                            neither = left_of[q] + left[e] - sizes[q]
                            for i in range(image_starts[e], image_starts[e + 1]):
                                neither += beats[images[i]]
                            both *= neither * sizes[q] / (left_of[q] * left[e])
                excess += both - apart
            total += excess / sizes[t]
        for e in range(entry_starts[c], entry_starts[c + 1]):
            left_of[rivals[e]] = sizes[rivals[e]]
            for i in range(image_starts[e], image_starts[e + 1]):
                beats[images[i]] = 0
    return total / sizes[s]
