"""Virtual experiments: thousands of trials that choose each person's gallery and probe image anew.

A trial is one number for each person: the choice of a pair of images. ``choices`` is trials × people.
"""

from __future__ import annotations

import numpy as np

from proband.kernels.compiling import njit
from proband.kernels.vectorised import PLANES, WORDS, add_rivals, popcount

CHUNK = 64 * WORDS  # trials that the bit-sliced kernel handles at once
LOW = 10  # ranks that the bit-sliced kernel counts
SUBSET = 4  # images whose subsets are tabulated together
_SUBSETS = 1 << SUBSET
_ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def deal(draws, order, pattern_starts, cycles, choices):
    """Deal every pattern's cycle of choices to its people in random order; what is left over is drawn from the cycle.

    ``draws`` are random 32-bit numbers, trials × as many as are used: for each pattern with a remainder, its cycle less
    one, then its people less one.
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
    for j in range(length - 1, 0, -1):
        other = first + np.int64((np.uint64(draws[used]) * np.uint64(j + 1)) >> np.uint64(32))
        used += 1
        cards[first + j], cards[other] = cards[other], cards[first + j]
    return used


@njit(nogil=True, cache=True)
def pack(choices, starts, gallery, chunk_of, bit_of, options, subsets):
    """Write choices as bits over trials: of every option, and of every subset of a person's gallery images."""
    options[:] = 0
    subsets[:] = 0
    n_trials, n_people = choices.shape
    for t in range(n_trials):
        w, bit = t >> 6, _ONE << np.uint64(t & 63)
        for s in range(n_people):
            options[starts[s] + choices[t, s], w] |= bit
    for o in range(starts[-1]):
        row = chunk_of[gallery[o]] * _SUBSETS + (1 << bit_of[gallery[o]])
        for w in range(WORDS):
            subsets[row, w] |= options[o, w]
    for chunk in range(subsets.shape[0] // _SUBSETS):
        base = chunk * _SUBSETS
        for code in range(3, _SUBSETS):
            lowest = code & -code
            if code != lowest:
                for w in range(WORDS):
                    subsets[base + code, w] = subsets[base + lowest, w] | subsets[base + (code ^ lowest), w]


@njit(nogil=True, cache=True)
def order_levels(
    closeness, first, last, starts, gallery, probe, unusable, first_row, level_option, level_end
):
    """Order every person's usable choices by probe image and, within it, from the closest mate down.

    Returns where each person's levels begin, counted from 0. ``level_end`` marks the last level of a probe image.
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


@njit(nogil=True, cache=True)
def list_rivals(
    closeness, first, last, first_row, image_starts, rival_image, owner, chunk_of, bit_of, gallery, probe,
    level_starts, level_option, level_end, strictly, rival_starts, entry_starts, entry_masks, entry_subsets,
):  # fmt: skip
    """List, person by person, the rivals who can beat a mate: in which trials, as pairs (level, subset of the rival's images).

    At a lower level more images beat the mate; an entry holds those that are new at its level, and its mask covers this level
    and all below. Rivals with equally many entries stand together, so that the loop over them is predictable. Returns the
    numbers of rivals and entries; where the arrays are too short for them, they are not all filled.
    """
    n_people, n_images = len(image_starts) - 1, closeness.shape[1]
    room_for_rivals, room = len(entry_starts) - 1, len(entry_masks)
    n_rivals = n_entries = 0
    most = np.max(np.diff(level_starts)) + 1
    # One person's entries as they are found: probe image by probe image.
    found_chunk, found_level = np.empty(most * n_images, np.int64), np.empty(most * n_images, np.int64)
    found_code, codes = np.empty(most * n_images, np.int64), np.zeros(most, np.int64)
    chunk_owner = np.empty(chunk_of[-1] + 1, np.int64)
    for i in range(n_images):
        chunk_owner[chunk_of[i]] = owner[i]
    each, place = np.zeros(n_people, np.int64), np.empty(n_people, np.int64)
    for s in range(first, last):
        rival_starts[s - first] = n_rivals
        begin, end = level_starts[s - first], level_starts[s - first + 1]
        found = 0
        each[:] = 0
        top = begin
        while top < end:
            bottom = top
            while not level_end[bottom]:
                bottom += 1
            row = closeness[probe[level_option[top]] - first_row]
            least = row[gallery[level_option[bottom]]]  # most rivals do not even beat the least close mate
            current = -1
            for i in range(n_images):
                if row[i] < least or not rival_image[i] or owner[i] == s:
                    continue
                if chunk_of[i] != current:
                    found = _flush(
                        codes,
                        bottom - top + 1,
                        top - begin,
                        current,
                        found_chunk,
                        found_level,
                        found_code,
                        found,
                    )
                    current = chunk_of[i]
                for level in range(top, bottom + 1):
                    mate = row[gallery[level_option[level]]]
                    if row[i] > mate or (row[i] == mate and not strictly):
                        codes[level - top] |= 1 << bit_of[i]
                        break
            found = _flush(
                codes, bottom - top + 1, top - begin, current, found_chunk, found_level, found_code, found
            )
            top = bottom + 1
        largest = 0
        for e in range(found):
            q = chunk_owner[found_chunk[e]]
            each[q] += 1
            largest = max(largest, each[q])
        at = n_entries
        for size in range(1, largest + 1):
            for q in range(n_people):
                if each[q] == size:
                    place[q] = at
                    if n_rivals < room_for_rivals:
                        entry_starts[n_rivals] = at
                    n_rivals += 1
                    at += size
        if at <= room:
            for e in range(found):
                q = chunk_owner[found_chunk[e]]
                entry_masks[place[q]] = found_level[e]
                entry_subsets[place[q]] = found_chunk[e] * _SUBSETS + found_code[e]
                place[q] += 1
        n_entries = at
    rival_starts[last - first] = n_rivals
    if n_rivals <= room_for_rivals:
        entry_starts[n_rivals] = n_entries
    return n_rivals, n_entries


@njit(nogil=True, cache=True)
def _flush(codes, n_levels, first_level, chunk, found_chunk, found_level, found_code, found):
    """Write down the images of a chunk that beat mates, level by level, and forget them."""
    for level in range(n_levels):
        if codes[level]:
            found_chunk[found], found_level[found], found_code[found] = (
                chunk,
                first_level + level,
                codes[level],
            )
            codes[level] = 0
            found += 1
    return found


@njit(nogil=True, cache=True)
def count_low_ranks(
    options, subsets, starts, level_starts, level_option, level_end, rival_starts, entry_starts, entry_masks,
    entry_subsets, n_trials, counts, by_person,
):  # fmt: skip
    """Count, for every trial of a chunk, the people at each of the ranks 1 … LOW.

    ``counts`` (ranks × trials) comes as zeros; ``by_person`` (people × ranks) has the trials added in which a person has
    that rank.
    """
    n_people = len(starts) - 1
    most = 1
    for s in range(n_people):
        most = max(most, level_starts[s + 1] - level_starts[s])
    masks = np.empty((most, WORDS), dtype=np.uint64)
    planes = np.empty((PLANES + 1, WORDS), dtype=np.uint64)
    n_digits = 1
    while (1 << n_digits) <= n_people:
        n_digits += 1
    digits = np.zeros((n_digits + 1, LOW * WORDS), dtype=np.uint64)
    waiting = np.zeros((n_digits + 1, LOW * WORDS), dtype=np.uint64)
    carry = np.empty(LOW * WORDS, dtype=np.uint64)
    beyond = np.empty(WORDS, dtype=np.uint64)  # trials that are not there
    for w in range(WORDS):
        left = n_trials - 64 * w
        beyond[w] = (
            ~np.uint64(0) if left <= 0 else np.uint64(0) if left >= 64 else ~np.uint64(0) << np.uint64(left)
        )
    for s in range(n_people):
        first, last = level_starts[s], level_starts[s + 1]
        planes[:PLANES] = 0
        for w in range(WORDS):
            planes[PLANES, w] = ~np.uint64(0)
        for level in range(last - 1, first - 1, -1):
            option = level_option[level]
            for w in range(WORDS):
                chosen = options[option, w]
                planes[PLANES, w] &= ~chosen  # a trial whose choice is not usable has no rank
                masks[level - first, w] = chosen if level_end[level] else chosen | masks[level - first + 1, w]
        for w in range(WORDS):
            planes[PLANES, w] |= beyond[w]
        add_rivals(
            planes,
            masks,
            subsets,
            entry_starts,
            entry_masks,
            entry_subsets,
            rival_starts[s],
            rival_starts[s + 1],
        )
        _decode(planes, carry)
        for k in range(LOW):
            found = 0
            for w in range(WORDS):
                found += popcount(carry[k * WORDS + w])
            by_person[s, k] += found
        # Each digit takes two numbers at a time, so that most people cost one full addition.
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
                        counts[k, 64 * w + bit] += np.int32((word >> np.uint64(bit)) & _ONE) << np.int32(
                            digit
                        )


@njit(nogil=True, cache=True)
def _decode(planes, places):
    """Tell counts of rivals 0 … LOW − 1 apart: bits of the trials with each."""
    for w in range(WORDS):
        a, b, c, d = planes[0, w], planes[1, w], planes[2, w], planes[3, w]
        none = ~planes[4, w] & ~d
        low, four, eight = none & ~c, none & c, ~planes[4, w] & d & ~c
        places[w] = low & ~b & ~a
        places[WORDS + w] = low & ~b & a
        places[2 * WORDS + w] = low & b & ~a
        places[3 * WORDS + w] = low & b & a
        places[4 * WORDS + w] = four & ~b & ~a
        places[5 * WORDS + w] = four & ~b & a
        places[6 * WORDS + w] = four & b & ~a
        places[7 * WORDS + w] = four & b & a
        places[8 * WORDS + w] = eight & ~b & ~a
        places[9 * WORDS + w] = eight & ~b & a


@njit(nogil=True, cache=True)
def mark_rivals(closeness, options, gallery, probe, first_row, rival_image, owner, closer, tied):
    """Write, for each of some options, which gallery images are closer than the mate and which are as close, as bits."""
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


@njit(nogil=True, cache=True)
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

    ``counts`` (algorithms × ranks × trials) turns from people at each rank into people at that rank or better.
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
