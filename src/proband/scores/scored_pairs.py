"""Scored pairs from other tools or from arrays in memory: which are mated, and the subjects of the samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import polars as pl

from proband.engine.arguments import published
from proband.engine.kinds import shown as described
from proband.engine.labels import aligned
from proband.errors import Hint, InputError, UsageError, first_few, quoted
from proband.samples.reading import series_from
from proband.samples.table import as_text
from proband.scores.base import Orientation, check_orientation_name
from proband.scores.names import coded, places_among, together
from proband.scores.pair_columns import ROLES, PairColumns, mated_words, needed_options
from proband.scores.several import named_apart
from proband.scores.trials import Trials, as_scores
from proband.words import Note, Sentence, count, counted

_MOST_SHOWN = 6
_BY_COLUMN = "pass columns of a table: frame['mated'], frame['score']; several algorithms as {'A': frame['a'], 'B': frame['b']}."

_SIDES = {
    "people[0]": "query_subject",
    "people[1]": "target_subject",
    "samples[0]": "query",
    "samples[1]": "target",
}

PairScores = Annotated[Any, Hint("{how}", how=_BY_COLUMN)]
Sides = Annotated[
    tuple[Any, Any],
    "a pair of lists, one for each side of the pairs",
    Hint("pass both sides: (frame['a'], frame['b'])."),
]

MATED_SAID = Sentence(
    "scores.what-is-mated",
    "note",
    "{column}: {mated!r} was read as mated ({n_mated:count pair}), {other!r} as not mated ({n_other:count})",
)
PEOPLE_OF_MATED = Sentence(
    "scores.people-of-mated-pairs",
    "caution",
    "No subject IDs were given, so samples linked by mated pairs were treated as one person: "
    "{n_people:count person/people} with {n_samples:count sample}. Samples of one person that are not linked "
    "by mated pairs count as different people",
)


def trials_of(
    frame: pl.DataFrame,
    columns: PairColumns,
    mated_is: str | None = None,
    *,
    source: str,
    notes: Sequence[Note] = (),
    oriented: bool = True,
) -> tuple[Trials, ...]:
    """Make a list of comparisons from each column of scores, named after it; one that is just called score after its source.

    Raises
    ------
    InputError
        If the mated flag is missing, contradicts the subjects, or is not 0/1, true/false or declared by `mated_is`.
    """
    columns.require_sense(frame.columns, source, mated_is)
    given = {ROLES[role]: frame[name] for role, name in columns.single.items()}
    names = (source,) if columns.score == ("score",) else columns.score
    scores = {name: frame[column] for name, column in zip(names, columns.score, strict=True)}
    return _lists(given, scores, mated_is, source, notes=notes, oriented=oriented)


def _lists(
    given: Mapping[str, pl.Series],
    scores: Mapping[str, pl.Series],
    mated_is: str | None,
    source: str,
    orientation: Orientation | None = None,
    notes: Sequence[Note] = (),
    oriented: bool = True,
) -> tuple[Trials, ...]:
    """Lists of comparisons that differ only in their scores: `given` has the column names of a list; messages keep the user's."""
    columns = {side: as_text(one, source).alias(side) for side, one in given.items() if side != "mated"}
    for side, one in columns.items():
        if one.null_count():
            raise _gap(one.alias(given[side].name), source)
    columns = dict(zip(columns, together(*columns.values()), strict=True))
    if "mated" in given:
        columns["mated"], note = mated_in(given["mated"], mated_is, source, oriented)
        notes = (*notes, note)
        _refuse_contradiction(columns, source)
    return tuple(
        Trials(pl.DataFrame({**columns, "score": as_scores(one, source)}), orientation, name, tuple(notes))
        for name, one in scores.items()
    )


def _gap(column: pl.Series, source: str) -> InputError:
    row = int(column.is_null().arg_max() or 0)
    return InputError(
        f"the column {quoted(column.name)} is empty in {counted(column.null_count(), 'row')}, first in row {count(row + 1)}.",
        "fill in the values, or leave these pairs out.",
        source=source,
    )


def mated_in(
    column: pl.Series, mated_is: str | None, source: str, oriented: bool = True
) -> tuple[pl.Series, Note]:
    """Parse which pairs are mated: 1 and 0, true and false, or two words with the one that means mated."""
    name = column.name or "mated"
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.null_count():
        raise _gap(column, source)
    if column.dtype.is_float():
        column = as_text(column, source)
    distinct = column.unique(maintain_order=True)
    texts = as_text(distinct, source)
    values = texts.to_list()
    shown = first_few(values, _MOST_SHOWN)
    if mated_is is None:
        if mated_words(texts):
            columns = PairColumns(mated=name)
            raise UsageError(
                f"the column {quoted(name)} contains {shown}, and it is unclear which of these means mated.",
                needed_options(columns, pl.DataFrame({name: texts}), oriented=oriented),
                source=source,
            )
        kinds = texts.str.to_lowercase().is_in(["1", "true"])
    else:
        if values and mated_is not in values:
            raise UsageError(
                f"the column {quoted(name)} contains {shown}, but not {mated_is!r}.",
                Hint("specify the value that means mated: {option:mated_is}", value=values[0]),
                source=source,
            )
        if len(values) > 2:
            raise InputError(
                f"the column {quoted(name)} contains {shown}: {mated_is!r} means mated, but it is unclear "
                f"whether all other values mean not mated.",
                "leave out pairs that are neither, or use only two values.",
                source=source,
            )
        kinds = texts == mated_is
    mated = (
        column
        if column.dtype == pl.Boolean and mated_is is None
        else column.is_in(distinct.filter(kinds).implode())
    )
    n = int(mated.sum())
    words = (" or ".join(texts.filter(kind).to_list()) or "nothing" for kind in (kinds, ~kinds))
    note = MATED_SAID(column=name, mated=next(words), other=next(words), n_mated=n, n_other=len(mated) - n)
    return mated.alias("mated"), note


def _refuse_contradiction(columns: Mapping[str, pl.Series], source: str) -> None:
    """Refuse mated pairs of two people, and non-mated pairs of one person."""
    if "query_subject" not in columns:
        return
    mated, one, other = columns["mated"], columns["query_subject"], columns["target_subject"]
    wrong = (one == other) != mated
    if wrong.any():
        row, n = int(wrong.arg_max() or 0), int(wrong.sum())
        raise InputError(
            f"{counted(n, 'pair')} {'contradicts' if n == 1 else 'contradict'} the subjects (marked as mated "
            f"with different subjects, or the reverse); the first is row {count(row + 1)}: {one[row]!r} and "
            f"{other[row]!r}, {'mated' if mated[row] else 'not mated'}.",
            "leave the column of mated pairs out, or correct it.",
            source=source,
        )


def with_people_of_mated(trials: Trials) -> Trials:
    """Infer subjects if only samples are named: samples linked by mated pairs belong to one person.

    Lists that name subjects, or that do not name every sample, are returned as they are. A non-mated pair whose samples are
    linked by mated pairs is refused.
    """
    frame = trials.frame
    known = (
        frame["query_subject"].null_count() < frame.height
        or frame["target_subject"].null_count() < frame.height
    )
    told = not any(frame[name].null_count() for name in ("query", "target", "mated"))
    if known or not told or not frame.height:
        return trials
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    sides = frame["query"], frame["target"]
    names = pl.concat([side.unique(maintain_order=True) for side in sides]).unique(maintain_order=True)
    one, other = (places_among(side, names) for side in sides)
    mated = frame["mated"].to_numpy()
    joined = coo_array(
        (np.ones(int(mated.sum()), np.int8), (one[mated], other[mated])), shape=(len(names),) * 2
    )
    n_people, people = connected_components(joined, directed=False)
    wrong = np.flatnonzero(~mated & (people[one] == people[other]) & (one != other))
    if len(wrong):
        first = frame.row(int(wrong[0]), named=True)
        raise InputError(
            f"{first['query']!r} and {first['target']!r} are marked as not mated, but are the same person "
            f"according to mated pairs ({counted(len(wrong), 'such pair')}): the list contradicts itself.",
            "add the subjects of both sides, or correct the list.",
            source=trials.name,
        )
    called = coded(pl.Series([f"person {k + 1}" for k in range(n_people)], dtype=pl.String))
    found = frame.with_columns(
        query_subject=called.gather(people[one]), target_subject=called.gather(people[other])
    )
    note = PEOPLE_OF_MATED(n_samples=len(names), n_people=int(n_people))
    return replace(trials, frame=found, notes=(*trials.notes, note))


@published
def scored_pairs(
    mated: Any,
    scores: PairScores,
    *,
    people: Sides | None = None,
    samples: Sides | None = None,
    orientation: Orientation | None = None,
    mated_is: str | None = None,
    name: str = "scores",
) -> dict[str, Trials]:
    """Make lists of comparisons from arrays in memory, one per algorithm, for `verify`, `compare` and `threshold`.

    Parameters
    ----------
    mated
        Whether each pair is of one person: 1 and 0, true and false, or two words, with `mated_is` as the one
        that means mated. None if `people` is given.
    scores
        One array, column, tensor or list with a number for each pair; or a mapping with one per algorithm. A
        missing number is a failed comparison.
    people
        The subjects of the two samples of each pair. Without them, pairs are treated as independent, unless `samples` is given.
    samples
        The ids of the two samples of each pair. Without `people`, samples linked by mated pairs are treated as one person.
    orientation
        ``"similarity"`` if larger is more similar, ``"distance"`` if smaller is. Required; it is never guessed.
    name
        The name of a single algorithm.
    mated_is
        The value of `mated` that means mated, if it is neither 1 and 0 nor true and false.

    Returns
    -------
    dict
        A list of comparisons for each algorithm, by name.

    Examples
    --------
    >>> scored_pairs([1, 1, 0, 0], {"new": [0.9, 0.7, 0.3, 0.1], "old": [0.8, 0.4, 0.6, 0.2]}, orientation="similarity")
    {'new': Trials('new': 4 comparisons, 2 mated, 0 failed), 'old': Trials('old': 4 comparisons, 2 mated, 0 failed)}
    """
    if orientation is not None:
        check_orientation_name(orientation)
    algorithms = dict(scores) if isinstance(scores, Mapping) else {name: scores}
    if not algorithms:
        raise UsageError("No scores were given.", "pass an array, or a mapping with one array per algorithm.")
    algorithms = named_apart(algorithms.items())
    given: dict[str, Any] = {} if mated is None else {"mated": mated}
    for argument, sides in (("people", people), ("samples", samples)):
        given |= {f"{argument}[{place}]": side for place, side in enumerate(sides or ())}
    if mated is None and people is None:
        raise UsageError("Cannot tell which pairs are mated.", "pass mated, or people=(a, b).")
    if mated is None and mated_is is not None:
        raise UsageError(
            f"Nothing states whether pairs are mated, so {mated_is!r} has no effect.",
            "pass mated, or leave mated_is out.",
        )
    called = {f"scores of {name!r}": name for name in algorithms}
    every = aligned({**given, **dict(zip(called, algorithms.values(), strict=True))})
    columns = {what: _column(what, every[what]) for what in given}
    numbers = {name: _column(what, every[what]) for what, name in called.items()}
    lengths = {one.name: len(one) for one in (*columns.values(), *numbers.values())}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{what} {count(n)}" for what, n in lengths.items())
        raise InputError(f"The columns differ in length: {shown}.", "give every pair a value in each column.")
    if mated_is is None and _looks_swapped(columns.get("mated"), numbers.values()):
        raise UsageError(
            "The arguments look swapped: mated contains many values, and the scores are only 0 and 1.",
            "pass mated first: (mated, scores, …).",
        )
    roles = {_SIDES.get(what, what): one for what, one in columns.items()}
    lists = _lists(roles, numbers, mated_is, name, orientation, oriented=orientation is not None)
    check_orientation_name(orientation)
    return {trials.name: trials for trials in lists}


def _looks_swapped(mated: pl.Series | None, scores: Iterable[pl.Series]) -> bool:
    """Whether the mated flags and the scores seem to be swapped."""
    return (
        mated is not None
        and mated.dtype.is_numeric()
        and mated.n_unique() > 2
        and all(
            one.dtype == pl.Boolean or one.cast(pl.Float64, strict=False).is_in([0.0, 1.0]).all()
            for one in scores
        )
    )


def _column(name: str, data: Any) -> pl.Series:
    """Convert one column of user data; refuse a whole frame."""
    if hasattr(data, "columns"):
        raise UsageError(
            f"{name} must be one column; got {described(data)} with the columns {first_few(list(data.columns), 12)}.",
            _BY_COLUMN,
        )
    return series_from(name, data)
