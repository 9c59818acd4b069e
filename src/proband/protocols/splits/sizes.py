"""Validation of the numbers and names in a protocol, and their canonical form."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from decimal import Decimal
from typing import SupportsIndex

from proband.engine.kinds import shown
from proband.protocols.parsing import CLASSES, MAX_DIGITS, PartError

_TOLERANCE = 1e-9


_NOUNS = {
    "repeats": "the number of repeats",
    "folds": "the number of folds",
    "drawn": "each number of LOO(M,K)",
    "sizes": "a number of samples",
    "class_sizes": "a number of samples",
}


def whole(value: SupportsIndex | float, about: str, least: int = 1) -> int:
    """Return a whole number within bounds, or raise an error for the named part."""
    number = value if isinstance(value, float) else operator.index(value)
    if not least <= number < 10**MAX_DIGITS or number != int(number):
        wanted = f"whole, at least {least} and of at most {MAX_DIGITS} digits"
        raise PartError(about, f"{_NOUNS[about]} must be {wanted}, not {shown(number)}.")
    return int(number)


def checked_sizes(kind: str, sizes: tuple[float | None, ...]) -> tuple[float | None, ...]:
    """Check sizes: two or three, at most one of them the rest, percentages that add up to 100."""
    if not sizes:
        return ()
    if len(sizes) not in (2, 3):
        raise PartError("sizes", f"{len(sizes)} sizes; expected two (train and test) or three (train, validation and test).")  # fmt: skip
    if sizes.count(None) > 1:
        raise PartError("sizes", "only one size can be 'rest'.")
    if kind == "hold-out":
        return _percentages(sizes)
    return tuple(None if size is None else whole(size, "sizes") for size in sizes)


def _percentages(sizes: tuple[float | None, ...]) -> tuple[float, ...]:
    if not all(size is None or 0 < size < 10**MAX_DIGITS for size in sizes):
        raise PartError("sizes", f"a percentage must be above 0, with at most {MAX_DIGITS} digits.")
    given = [Decimal(repr(float(size))) for size in sizes if size is not None]
    total = sum(given, Decimal(0))
    rest = Decimal(100) - total
    if None in sizes:
        if rest <= 0:
            raise PartError("sizes", f"{total}% leaves no rest.")
    elif abs(rest) > _TOLERANCE:
        raise PartError(
            "sizes",
            f"the percentages add up to {plain(float(total))}, not to 100.",
            "HO* counts samples per subject, HO** samples in total.",
        )
    return tuple(_tidy(float(rest) if size is None else size) for size in sizes)


def _tidy(value: float) -> float:
    return int(value) if float(value).is_integer() else float(value)


def plain(value: float) -> str:
    """Return a number without an exponent and without trailing zeros."""
    return str(int(value)) if float(value).is_integer() else format(Decimal(repr(float(value))), "f")


def checked_classes(sizes: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Check training samples per class: sorted by the name of the class, each class once."""
    counts = [(clean(name, CLASSES, "class_sizes"), whole(n, "class_sizes")) for name, n in sizes]
    names = [name for name, _ in counts]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PartError("class_sizes", f"the class {twice!r} is named twice.")
    return tuple(sorted(counts))


def clean(text: str, stops: str, about: str) -> str:
    """Return a text with single blanks; it must not be empty nor contain characters that would end it."""
    single = " ".join(text.split())
    held = [char for char in stops if char in single]
    if held or not single:
        wrong = f"{text!r} must not contain {' '.join(held)}" if held else "a name or note is empty"
        raise PartError(about, f"{wrong}.")
    return single


def shares(sizes: tuple[float | None, ...]) -> tuple[float, ...] | None:
    """Return sizes as shares of their sum; None if one of them is the rest or none is stated."""
    known = [size for size in sizes if size is not None]
    if not known or len(known) < len(sizes):
        return None
    total = math.fsum(known)
    return tuple(size / total for size in known)
