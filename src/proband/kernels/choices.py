"""Virtual experiments: thousands of trials with random gallery and probe images of each person.

A trial is one number for each person: the choice of a pair of images. ``choices`` is trials × people.
"""

from __future__ import annotations

import numpy as np

from proband.kernels.compiling import njit
from proband.kernels.vectorised import GROUP, LOW, WORDS, find_places, popcount

CHUNK = 64 * WORDS  # trials processed at once by the bit-sliced kernel
SUBSET = 4  # images whose subsets are tabulated together
_SUBSETS = 1 << SUBSET
_ONE = np.uint64(1)


@njit(allocates=True, nogil=True, cache=True)
def deal(draws, order, pattern_starts, cycles, choices):
    """Assign the cycle of choices of every pattern to its people in random order; a remainder is drawn from the cycle.

    ``draws`` are random 32-bit numbers, trials × numbers used: for each pattern with a remainder, the cycle length minus
    one, then the number of people minus one.
    """
    n_people = choices.shape[1]
    template = np.empty(n_people, dtype=np.uint16)
    for k in range(len(cycles)):
        for j in range(pattern_starts[k + 1] - pattern_starts[k]):
            template[pattern_starts[k] + j] = j % cycles[k]
    dealt = np.empty(n_people, dtype=np.uint16)
    cycle = np.empty(cycles.max(), dtype=np.uint16)
    for t in range(draws.shape[0]):
        used = 0
        dealt[:] = template
        for k in range(len(cycles)):
            first, length = pattern_starts[k], cycles[k]
            people = pattern_starts[k + 1] - first
            left = people % length
            if left:
                for j in range(length):
                    cycle[j] = j
                used = _shuffle(cycle, 0, length, draws[t], used)
                for j in range(left):
                    dealt[first + people - left + j] = cycle[j]
            used = _shuffle(dealt, first, people, draws[t], used)
        for j in range(n_people):
            choices[t, order[j]] = dealt[j]


@njit(nogil=True, cache=True)
def _shuffle(cards, first, length, draws, used):
    begin, place = np.uint64(first), np.uint64(length)
    taken = np.uint64(used)  # unsigned, so that negative indices need not be checked each time
    while place > _ONE:
        other = begin + ((np.uint64(draws[taken]) * place) >> np.uint64(32))
        taken += _ONE
        place -= _ONE
        cards[begin + place], cards[other] = cards[other], cards[begin + place]
    return np.int64(taken)


@njit(nogil=True, cache=True)
def pack(choices, starts, gallery, chunk_of, bit_of, options, subsets):
    """Write choices as bits over trials, for every option and every subset of a person's gallery images.

    Both must be zero, one table for every `CHUNK` trials.
    """
    n_trials, n_people = choices.shape
    for t in range(n_trials):
        place = t % CHUNK
        w, bit = place >> 6, _ONE << np.uint64(place & 63)
        chosen = options[t // CHUNK]
        for s in range(n_people):
            chosen[starts[s] + choices[t, s], w] |= bit
    for c in range(len(options)):
        chosen, tabulated = options[c], subsets[c]
        for o in range(starts[-1]):
            row = chunk_of[gallery[o]] * _SUBSETS + (1 << bit_of[gallery[o]])
            for w in range(WORDS):
                tabulated[row, w] |= chosen[o, w]
        for base in range(0, tabulated.shape[0], _SUBSETS):
            for code in range(3, _SUBSETS):
                lowest = code & -code
                if code != lowest:
                    for w in range(WORDS):
                        tabulated[base + code, w] = (
                            tabulated[base + lowest, w] | tabulated[base + (code ^ lowest), w]
                        )


@njit(allocates=True, nogil=True, cache=True)
def order_levels(
    closeness, first, last, starts, gallery, probe, unusable, first_row, level_option, level_end
):
    """Order the usable choices of every person by probe image and, within it, from the closest mate down.

    Returns the start of each person's levels, from 0. ``level_end`` marks the last level of a probe image.
    """
    level_starts = np.zeros(last - first + 1, dtype=np.int64)
    n = 0
    for s in range(first, last):
        begin = n
        for o in range(starts[s], starts[s + 1]):
            if unusable[o]:
                continue
            # Insertion by (probe image, closeness): people have few choices.
            place = n
            value = closeness[probe[o] - first_row, gallery[o]]
            while place > begin:
                before = level_option[place - 1]
                same = probe[before] == probe[o]
                if (same and closeness[probe[before] - first_row, gallery[before]] >= value) or (
                    not same and probe[before] < probe[o]
                ):
                    break
                level_option[place] = before
                place -= 1
            level_option[place] = o
            n += 1
        for k in range(begin, n):
            level_end[k] = k + 1 == n or probe[level_option[k + 1]] != probe[level_option[k]]
        level_starts[s - first + 1] = n
    return level_starts


@njit(allocates=True, nogil=True, cache=True)
def list_rivals(
    closeness, first, last, first_row, rival_image, owner, chunk_of, bit_of, gallery, probe, level_starts, level_option,
    level_end, strictly, group_starts, entry_starts, entry_masks, entry_subsets,
):  # fmt: skip
    """List by person the rivals who can beat a mate, with their trials as pairs (level, subset of the rival's images).

    At a lower level more images beat the mate; an entry has those that are new at its level, and its mask covers this level
    and all below. Rivals with similar numbers of entries form a group, padded with empty subsets to the same number of
    entries and rivals. Returns the numbers of groups and of the entries of each of their rivals; if the arrays are too
    short for these, they are only partly filled.
    """
    n_images = closeness.shape[1]
    n_people, n_chunks, room = owner[n_images - 1] + 1, chunk_of[n_images - 1] + 1, len(entry_masks) // GROUP
    n_groups = n_entries = most = 0
    for s in range(last - first):
        most = max(most, level_starts[s + 1] - level_starts[s])
    chunk_owner = np.empty(n_chunks, np.int64)
    for i in range(n_images):
        chunk_owner[chunk_of[i]] = owner[i]
    # The list has one spare slot: an item is written first, and counted if it is new.
    near, mates = np.empty(n_images + 1, np.int64), np.empty(most, closeness.dtype)
    codes = np.zeros(n_chunks * most, np.uint8)
    places, found_chunk, found_level, found_code = (
        np.empty(n_chunks * most + 1, np.int64),
        np.empty(n_chunks * most + 1, np.int64),
        np.empty(n_chunks * most + 1, np.int64),
        np.empty(n_chunks * most + 1, np.int64),
    )
    each, at, seen = (
        np.zeros(n_people, np.int64),
        np.empty(n_people, np.int64),
        np.empty(n_people + 1, np.int64),
    )
    of_size, by_size = np.zeros(n_chunks * most + 2, np.int64), np.empty(n_people, np.int64)
    for s in range(first, last):
        group_starts[s - first] = n_groups
        begin, end = level_starts[s - first], level_starts[s - first + 1]
        found = 0
        top = begin
        while top < end:
            row = closeness[probe[level_option[top]] - first_row]
            n_levels = 0
            ended = False
            while not ended:
                mates[n_levels] = row[gallery[level_option[top + n_levels]]]
                ended = level_end[top + n_levels]
                n_levels += 1
            least = mates[n_levels - 1]  # most rivals do not even beat the farthest mate
            n_near = 0
            for i in range(n_images):
                near[n_near] = i
                n_near += row[i] >= least
            before = found
            for k in range(n_near):
                i = near[k]
                if not rival_image[i] or owner[i] == s:
                    continue
                level = 0
                for m in range(n_levels):
                    level += (row[i] < mates[m]) | (strictly & (row[i] == mates[m]))
                if level == n_levels:
                    continue
                place = chunk_of[i] * most + level
                places[found], found_chunk[found], found_level[found] = (
                    place,
                    chunk_of[i],
                    top - begin + level,
                )
                found += codes[place] == 0
                codes[place] |= np.uint8(1 << bit_of[i])
            for e in range(before, found):
                found_code[e] = codes[places[e]]
                codes[places[e]] = 0
            top += n_levels
        n_seen = largest = 0
        for e in range(found):
            q = chunk_owner[found_chunk[e]]
            seen[n_seen] = q
            n_seen += each[q] == 0
            each[q] += 1
        for k in range(n_seen):
            of_size[each[seen[k]] + 1] += 1
            largest = max(largest, each[seen[k]])
        for size in range(1, largest + 1):
            of_size[size + 1] += of_size[size]
        for k in range(n_seen):
            size = each[seen[k]]
            by_size[of_size[size]] = seen[k]
            of_size[size] += 1
        n_before = n_entries
        for k in range(0, n_seen, GROUP):
            entry_starts[n_groups] = n_entries
            n_groups += 1
            beyond = min(k + GROUP, n_seen)
            for rival in range(k, beyond):
                at[by_size[rival]] = GROUP * n_entries + rival - k
            n_entries += each[by_size[beyond - 1]]  # the largest number in the group
        if n_entries <= room:
            for e in range(GROUP * n_before, GROUP * n_entries):
                entry_masks[e] = entry_subsets[e] = 0  # the empty subset
            for e in range(found):
                q = chunk_owner[found_chunk[e]]
                entry_masks[at[q]] = found_level[e]
                entry_subsets[at[q]] = found_chunk[e] * _SUBSETS + found_code[e]
                at[q] += GROUP
        for k in range(n_seen):
            each[seen[k]] = 0
        for size in range(largest + 2):
            of_size[size] = 0
    group_starts[last - first] = n_groups
    entry_starts[n_groups] = n_entries
    return n_groups, n_entries


@njit(nogil=True, cache=True)
def count_low_ranks(
    options, subsets, starts, level_starts, level_option, level_end, group_starts, entry_starts, entry_masks,
    entry_subsets, counts, by_person,
):  # fmt: skip
    """Count, for every trial, the people at each of the ranks 1 … LOW.

    ``counts`` (ranks × trials) must be zero; the trials in which a person has a rank are added to ``by_person`` (people ×
    ranks).
    """
    for c in range(len(options)):
        _count_chunk(
            options[c], subsets[c], starts, level_starts, level_option, level_end, group_starts, entry_starts, entry_masks,
            entry_subsets, c * CHUNK, counts, by_person,
        )  # fmt: skip


@njit(allocates=True, nogil=True, cache=True)
def _count_chunk(
    options, subsets, starts, level_starts, level_option, level_end, group_starts, entry_starts, entry_masks,
    entry_subsets, start, counts, by_person,
):  # fmt: skip
    n_trials = min(CHUNK, counts.shape[1] - start)
    n_people = len(starts) - 1
    most = 1
    for s in range(n_people):
        most = max(most, level_starts[s + 1] - level_starts[s])
    masks = np.empty((most, WORDS), dtype=np.uint64)
    n_digits = 1
    while (1 << n_digits) <= n_people:
        n_digits += 1
    digits = np.zeros((n_digits + 1, LOW * WORDS), dtype=np.uint64)
    waiting = np.zeros((n_digits + 1, LOW * WORDS), dtype=np.uint64)
    carry = np.empty(LOW * WORDS, dtype=np.uint64)
    beyond = np.empty(WORDS, dtype=np.uint64)  # padding trials
    for w in range(WORDS):
        left = n_trials - 64 * w
        beyond[w] = (
            ~np.uint64(0) if left <= 0 else np.uint64(0) if left >= 64 else ~np.uint64(0) << np.uint64(left)
        )
    for s in range(n_people):
        first, last = level_starts[s], level_starts[s + 1]
        find_places(
            carry, masks, options, subsets, beyond, level_option, level_end, entry_starts, entry_masks, entry_subsets,
            first, last, group_starts[s], group_starts[s + 1],
        )  # fmt: skip
        for k in range(LOW):
            found = 0
            for w in range(WORDS):
                found += popcount(carry[k * WORDS + w])
            by_person[s, k] += found
        # Each digit adds two numbers at a time, so that most people cost one full addition.
        digit = 0
        while (s >> digit) & 1:
            for i in range(LOW * WORDS):
                held, other, new = digits[digit, i], waiting[digit, i], carry[i]
                half = held ^ other
                digits[digit, i] = half ^ new
                carry[i] = (held & other) | (half & new)
            digit += 1
        waiting[digit] = carry
    for digit in range(n_digits):
        if (n_people >> digit) & 1:
            carry[:] = waiting[digit]
            for higher in range(digit, n_digits + 1):
                for i in range(LOW * WORDS):
                    held = digits[higher, i]
                    digits[higher, i] = held ^ carry[i]
                    carry[i] &= held
    for k in range(LOW):
        for w in range(WORDS):
            last = min(64, n_trials - 64 * w)
            for digit in range(n_digits):
                word = digits[digit, k * WORDS + w]
                if word:
                    for bit in range(last):
                        counts[k, start + 64 * w + bit] += np.int32(
                            (word >> np.uint64(bit)) & _ONE
                        ) << np.int32(digit)


@njit(nogil=True, cache=True)
def mark_rivals(closeness, options, gallery, probe, first_row, rival_image, owner, closer, tied):
    """Mark as bits, for some options, the gallery images closer than the mate and those as close."""
    for k in range(len(options)):
        o = options[k]
        row = probe[o] - first_row
        mate = closeness[row, gallery[o]]
        for i in range(closeness.shape[1]):
            if rival_image[i] and owner[i] != owner[gallery[o]]:
                if closeness[row, i] > mate:
                    closer[k, i >> 6] |= _ONE << np.uint64(i & 63)
                elif closeness[row, i] == mate:
                    tied[k, i >> 6] |= _ONE << np.uint64(i & 63)


@njit(allocates=True, nogil=True, cache=True)
def count_rivals(choices, starts, gallery, bits, counts):
    """Count, for every trial and person, the rivals whose chosen image is marked: trials × people."""
    n_trials, n_people = choices.shape
    n_words = bits.shape[1]
    chosen = np.empty(n_words, dtype=np.uint64)
    for t in range(n_trials):
        chosen[:] = 0
        for s in range(n_people):
            i = gallery[starts[s] + choices[t, s]]
            chosen[i >> 6] |= _ONE << np.uint64(i & 63)
        for s in range(n_people):
            option = starts[s] + choices[t, s]
            found = 0
            for w in range(n_words):
                found += popcount(bits[option, w] & chosen[w])
            counts[t, s] = found


@njit(nogil=True, cache=True)
def tally_ranks(ranks, counts, by_person):
    """Count the people at each rank in every trial, and the trials each person has a low rank; 0 is no rank."""
    n_trials, n_people = ranks.shape
    for t in range(n_trials):
        for s in range(n_people):
            place = ranks[t, s]
            if 0 < place <= counts.shape[0]:
                counts[place - 1, t] += 1
            if 0 < place <= by_person.shape[1]:
                by_person[s, place - 1] += 1


@njit(nogil=True, cache=True)
def accumulate(counts, rates, differences, firsts, seconds):
    """Add trials to the distributions of successes at each rank, and of their differences between algorithms.

    ``counts`` (algorithms × ranks × trials) is changed from people at each rank to people at that rank or better.
    """
    n_algorithms, n_ranks, n_trials = counts.shape
    n = rates.shape[2] - 1
    n_compared = differences.shape[1]
    for a in range(n_algorithms):
        for k in range(n_ranks):
            if k:
                for t in range(n_trials):
                    counts[a, k, t] += counts[a, k - 1, t]
            for t in range(n_trials):
                rates[a, k, counts[a, k, t]] += 1
    for pair in range(len(firsts)):
        a, b = firsts[pair], seconds[pair]
        for k in range(n_compared):
            for t in range(n_trials):
                differences[pair, k, n + counts[a, k, t] - counts[b, k, t]] += 1
