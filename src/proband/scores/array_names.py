"""Names of algorithms read from arrays, by one rule for scores, embeddings and logits in all interfaces."""

from __future__ import annotations

from collections.abc import Iterable


def array_names(name: str, arrays: Iterable[str]) -> dict[str, str]:
    """Name the algorithms of a file: a single array after the file, several after their arrays.

    Single arrays have arbitrary names (``arr_0``, ``embeddings``), often the same in files of several models.

    Examples
    --------
    >>> array_names("new", ["embeddings"])
    {'embeddings': 'new'}
    >>> array_names("both", ["old", "new"])
    {'old': 'old', 'new': 'new'}
    """
    named = {array: array for array in arrays}
    return dict.fromkeys(named, name) if len(named) == 1 else named
