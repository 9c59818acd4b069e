"""Numbers with the word that belongs to them, and notes as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Controls of terminals, marks that turn the direction of writing, separators of lines, halves of characters.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LONGEST_WORD = 400
_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def printable(text: str) -> str:
    r"""Write what a terminal would obey, and not show, as its number, and cut words that would fill the screen.

    Examples
    --------
    >>> printable("pca\x1b[2J\u202e")
    'pca\\x1b[2J\\u202e'

    """
    cut = _WORD.sub(lambda word: f"{word[0][: _LONGEST_WORD // 2]}… ({len(word[0]):,} characters)", text)
    return UNPRINTABLE.sub(lambda mark: _numbered(ord(mark[0])), cut)


def _numbered(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


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
