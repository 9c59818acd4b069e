"""Which pairs of algorithms are compared: every two, some that were chosen, or each with one baseline."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from proband.errors import Hint, UsageError, first_few, unknown_name

Names = tuple[str, str]


def chosen_pairs(
    names: Sequence[str], pairs: Sequence[Names] = (), against: str | None = None
) -> tuple[Names, ...] | None:
    """Check which pairs were chosen of the algorithms there are; None where nobody chose, so that every two are compared.

    A pair (a, b) asks for a less b; `against` asks for every other algorithm less that one.
    """
    asked = [*pairs]
    if against is not None:
        _require(against, names)
        asked += [(name, against) for name in names if name != against]
    seen: set[frozenset[str]] = set()
    for first, second in asked:
        for name in (first, second):
            _require(name, names)
        if first == second:
            raise UsageError(f"{first} cannot be compared with itself.", "name two different algorithms.")
        if frozenset((first, second)) in seen:
            raise UsageError(f"{first} and {second} are listed twice.", "name each pair once, in one order.")
        seen.add(frozenset((first, second)))
    return tuple(asked) or None


def pair_named(text: str, names: Sequence[str]) -> Names:
    """Part ``A-B`` into two algorithms; names may hold hyphens themselves, so it is parted where two known names are left."""
    sides = [
        (text[:place].strip(), text[place + 1 :].strip())
        for place, letter in enumerate(text)
        if letter == "-"
    ]
    known = list(dict.fromkeys(two for two in sides if all(one in names for one in two)))
    if len(known) == 1:
        return known[0]
    if known:
        ways = ", or as ".join(f"{a} and {b}" for a, b in known)
        raise UsageError(
            f"{text!r} can be read as {ways}.",
            Hint("select the baseline with {option:against}, or rename the algorithms: NAME=FILE::KEY."),
        )
    if len(sides) == 1:
        for name in sides[0]:
            _require(name, names)
    raise UsageError(
        f"{text!r:.80} does not name two different algorithms.",
        f"write A-B with two of: {first_few(list(names), 12)}.",
    )


def every_two(names: Sequence[str], chosen: tuple[Names, ...] | None) -> tuple[Names, ...]:
    """Return the pairs to compare, in order: those chosen, or every two."""
    return tuple(combinations(names, 2)) if chosen is None else chosen


def _require(name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise unknown_name("algorithm", name, names)
