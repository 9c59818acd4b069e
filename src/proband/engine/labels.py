"""Row labels of pandas: arguments given together are aligned by them, or refused."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from proband.engine.foreign import is_missing
from proband.errors import InputError, first_few

Labels = tuple[Hashable, ...]
_DROP = (
    "use the same labels in both; if the rows are already in the same order, drop the labels: {}.to_numpy()."
)


def labels_of(data: Any) -> Labels | None:
    """Return the row labels of a pandas column or frame; None for the default numbers 0, 1, 2, ….

    For a mapping of columns, the labels of the first labelled column.
    """
    if isinstance(data, Mapping):
        return next((found for one in data.values() if (found := labels_of(one)) is not None), None)
    return _named(data.index) if _has_index(data) else None


def aligned(
    given: Mapping[str, Any],
    table: Labels | range | None = None,
    called: str = "the table",
    follows: str | None = None,
) -> dict[str, Any]:
    """Align columns of the same rows to the first with labels.

    Parameters
    ----------
    given
        Columns, frames and arrays, by name in error messages.
    table
        The labels of their table, which determine the order; row numbers if it has none.
    called
        The name of the table in error messages.
    follows
        An argument that refers to rows in an order unknown here, so that rows cannot be reordered.

    Raises
    ------
    InputError
        If labels differ or are not unique, or if they would reorder rows that others have without labels.
    """
    found = dict(given)
    labels = {} if table is None or isinstance(table, range) else {called: table}
    labels |= {what: own for what, one in given.items() if (own := labels_of(one)) is not None}
    plain = [what for what, one in given.items() if what not in labels and _has_rows(one)]
    numbered = [what for what in plain if _has_index(given[what])]
    if isinstance(table, range):
        numbered, plain = [called, *numbered], [called, *plain]
    if not labels:
        return found
    first, order = next(iter(labels.items()))
    for what, own in labels.items():
        if numbered and set(own) == set(range(len(own))):
            raise InputError(
                f"The rows of {what} are labelled by numbers in a different order ({first_few(list(own))}) than those of {numbered[0]}.",
                _DROP.format("column"),
            )
        if own == order or len(own) != len(order):  # lengths are checked elsewhere
            continue
        places = _places(own, order)
        if places is None:
            raise InputError(
                f"The rows of {first} and {what} are labelled differently: {first_few(list(order))} and {first_few(list(own))}.",
                _DROP.format("column"),
            )
        unknown = follows or (plain[0] if plain else None)
        if unknown is not None:
            raise InputError(
                f"By their labels, the rows of {what} are in a different order from those of {first}, and it "
                f"is unclear which order {unknown} follows.",
                "put all in the same order first.",
            )
        found[what] = given[what].iloc[places]
    return found


def rows_of(data: Any) -> Labels | range | None:
    """The row labels, default numbers of pandas, or None if there is only the order."""
    numbers = range(len(data)) if _has_index(data) else None
    return labels_of(data) or numbers


def ordered(data: Any, names: Sequence[str], rows: Labels | range | None, what: str) -> Any:
    """Reorder a pandas column or frame to named rows, by names or labels."""
    found = named(data, names, what)
    if found is not None:
        return found
    if not isinstance(rows, tuple):
        refuse_other_names(data, names, what)
    return aligned({f"the {what}": data}, rows, "the samples")[f"the {what}"]


def named(data: Any, names: Sequence[str], what: str, axis: int = 0) -> Any | None:
    """Reorder rows (or columns, ``axis=1``) labelled by names to the order of names; None if labels are something else."""
    own = labels_of(data) if axis == 0 else headings_of(data)
    texts = () if own is None else tuple(map(str, own))
    if len(texts) != len(names) or not set(texts) & set(names):
        return None
    if texts == tuple(names):
        return data
    places = _places(texts, tuple(names))
    if places is None:
        raise _otherwise(texts, names, what, axis)
    if axis == 0:
        return data.iloc[places]
    return data.iloc[:, places] if _is_pandas(data) else data[:, places]


def refuse_other_names(data: Any, names: Sequence[str], what: str, axis: int = 0) -> None:
    """Refuse pandas rows (or columns) with text labels other than the given names, since their order is unclear."""
    own = (labels_of(data) if axis == 0 else headings_of(data)) if _is_pandas(data) else None
    if own is not None and len(own) == len(names) and all(isinstance(one, str) for one in own):
        raise _otherwise(own, names, what, axis)


def _otherwise(own: Labels, names: Sequence[str], what: str, axis: int) -> InputError:
    side = "rows" if axis == 0 else "columns"
    return InputError(
        f"The {side} of the {what} are labelled {first_few(own)}, but the names given are {first_few(list(names))}.",
        _DROP.format("frame"),
    )


def headings_of(data: Any) -> Labels | None:
    """The column names of a pandas or polars frame, unless they are numbers 0, 1, 2, …"""
    if not hasattr(data, "columns"):
        return None
    return _named(data.columns) if _is_pandas(data) else tuple(data.columns)


def _named(index: Any) -> Labels | None:
    if type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1):
        return None
    labels = tuple(None if is_missing(one) else one for one in index.tolist())
    return None if labels == tuple(range(len(labels))) else labels


def _places(own: Labels, order: Labels) -> list[int] | None:
    """The position of each label among others; None unless both have the same unique labels."""
    place = {label: k for k, label in enumerate(own)}
    if len(place) < len(own) or set(place) != set(order):
        return None
    return [place[label] for label in order]


def _has_index(data: Any) -> bool:
    return _is_pandas(data) and hasattr(data, "index")


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas"


def _has_rows(data: Any) -> bool:
    """Whether a value has an element for each row; text or a number applies to all."""
    return np.iterable(data) and not isinstance(data, str | bytes | Mapping)
