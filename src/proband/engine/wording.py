"""Numbers with the word that belongs to them, and notes as sentences."""

from __future__ import annotations

from collections.abc import Iterable


def counted(n: int, one: str, many: str | None = None) -> str:
    """Say how many there are.

    Examples
    --------
    >>> counted(1, "probe"), counted(2_000, "query", "queries")
    ('1 probe', '2,000 queries')

    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def part_of(n: int, total: int, what: str, rule: str) -> str:
    """Say how many of how many are shown and which; nothing where all are.

    Examples
    --------
    >>> part_of(4, 12, "algorithms", "those that lead at rank 1"), part_of(3, 3, "algorithms", "the first")
    ('4 of 12 algorithms: those that lead at rank 1', '')

    """
    return "" if n == total else f"{n:,} of {total:,} {what}: {rule}"


def sentence(note: str, names: Iterable[str] = ()) -> str:
    """Write a note as a sentence: a capital letter first, unless it begins with one of the names, and a full stop last.

    Examples
    --------
    >>> sentence("two probes were lost"), sentence("pca failed on 1 query", ["pca", "lda"])
    ('Two probes were lost.', 'pca failed on 1 query.')

    """
    begins = any(note.startswith(name) and not note[len(name) : len(name) + 1].isalnum() for name in names)
    return f"{note if begins else note[0].upper() + note[1:]}."
