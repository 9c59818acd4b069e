"""The roles of columns in tables of scored pairs, and hints if they are not declared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import polars as pl

from proband.errors import Hint, InputError, NeededOptions, UsageError, first_few, quoted, unknown_name
from proband.scores.base import DISTANCE_HINT, ORIENTATION_HINT
from proband.words import as_typed

ROLES = {
    "a": "query",
    "b": "target",
    "mated": "mated",
    "score": "score",
    "subject_a": "query_subject",
    "subject_b": "target_subject",
}
"""What a column of pairs can be, and what it is called in a list of comparisons."""
_OBVIOUS = {
    "a": ("a", "img1", "image1", "image_a", "file1", "path1", "id1", "query", "probe", "enroll", "left", "sample_a"),
    "b": ("b", "img2", "image2", "image_b", "file2", "path2", "id2", "target", "reference", "test", "right", "sample_b"),
    "mated": ("mated", "label", "same", "is_same", "issame", "genuine", "match", "is_match", "target_trial", "y", "y_true"),
    "score": ("score", "similarity", "distance", "cosine", "sim", "dist", "scores", "y_score", "llr"),
    "subject_a": ("subject_a", "subject1", "person1", "name1", "identity1", "speaker1", "query_subject"),
    "subject_b": ("subject_b", "subject2", "person2", "name2", "identity2", "speaker2", "target_subject"),
}  # fmt: skip


TRUTHS = {"1": True, "0": False, "true": True, "false": False}
_GENUINE = (
    "genuine",
    "mated",
    "mate",
    "same",
    "match",
    "target",
    "client",
    "positive",
    "pos",
    "yes",
    "y",
    "t",
)
"""Words that mean mated, in most tables: to be suggested, never to be used."""


@dataclass(frozen=True)
class PairColumns:
    """The roles of the columns of a table of scored pairs.

    Attributes
    ----------
    a, b
        The columns of the two samples of a pair.
    mated
        The column of the mated flag.
    score
        The scores: a column for each algorithm.
    subject_a, subject_b
        The columns of the subjects of the samples.
    """

    a: str | None = None
    b: str | None = None
    mated: str | None = None
    score: tuple[str, ...] = ()
    subject_a: str | None = None
    subject_b: str | None = None

    @property
    def single(self) -> dict[str, str]:
        """The columns other than scores, by role."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "score"}
        return {role: name for role, name in found.items() if name is not None}

    @property
    def names(self) -> list[str]:
        """All columns."""
        return [*self.single.values(), *self.score]

    def require_sense(self, header: Sequence[str], source: str, mated_is: str | None = None) -> None:
        """Refuse columns that are missing, duplicate or named twice, or that do not distinguish mated pairs."""
        unknown = [name for name in self.names if name not in header]
        if unknown:
            raise unknown_name("column", unknown[0], header, source=source)
        for what, names in (
            ("specified more than once", self.names),
            ("present more than once", list(header)),
        ):
            twice = next((name for name in self.names if names.count(name) > 1), None)
            if twice is not None:
                raise InputError(
                    f"the column {quoted(twice)} is {what}.", "specify each column once.", source=source
                )
        for one, other in (("a", "b"), ("subject_a", "subject_b")):
            if (one in self.single) != (other in self.single):
                raise UsageError(
                    f"{one} and {other} must be given together.",
                    naming("specify both: {option:columns}"),
                )
        if not self.score:
            raise UsageError("No score column was specified.", self._completed(header))
        if self.mated is None and self.subject_a is None and self.a is None:
            raise UsageError("Cannot tell which pairs are mated.", self._completed(header))
        if self.mated is None and mated_is is not None:
            raise UsageError(
                f"No column states whether pairs are mated, so {mated_is!r} has no effect.",
                replace(self, mated=guessed(header).mated or "COLUMN")._completed(header),
            )

    def _completed(self, header: Sequence[str]) -> Hint:
        """The hint to say the rest as well: what was named stays, and what is obvious by its name is filled in."""
        obvious = guessed(name for name in header if name not in self.names)
        hint = _layout(replace(obvious, **self.single, score=self.score or obvious.score))
        return Hint("specify the columns: " + hint.template, **hint.values)


_USUAL = {"a": ("COLUMN",), "b": ("COLUMN",), "mated": ("COLUMN",), "score": ("COLUMN",)}


def naming(template: str, columns: Mapping[str, Sequence[str]] = _USUAL) -> Hint:
    """A hint that names columns as in each interface."""
    written = {
        role: [json.dumps(name, ensure_ascii=False) for name in names] for role, names in columns.items()
    }
    return Hint(
        template,
        typed=as_typed(",".join(f"{role}={name}" for role, names in columns.items() for name in names)),
        written=", ".join(
            f"{role} = {names[0] if len(names) == 1 else '[' + ', '.join(names) + ']'}"
            for role, names in written.items()
        ),
    )


def needed_options(
    columns: PairColumns,
    rows: pl.DataFrame | None,
    *,
    named: bool = True,
    mated_is: str | None = None,
    oriented: bool = True,
    call: bool = False,
) -> NeededOptions:
    """All options still needed for a table of pairs, with suggestions from some of its `rows`."""
    options: list[tuple[Hint, str]] = []
    if not named:
        more = () if rows is None else more_scores(columns, rows)
        options.append((_layout(columns), f"{first_few(more, 6)} may be scores too" if more else ""))
    words = () if rows is None or columns.mated is None else mated_words(rows[columns.mated])
    if words and mated_is is None:
        mated_is = next((word for word in words if word.lower() in _GENUINE), words[0])
        remark = f"{quoted(columns.mated)} holds {first_few(words, 6)}"
        options.append((Hint("{option:mated_is}", value=mated_is), remark))
    if not oriented:
        options += (DISTANCE_HINT if _are_distances(columns) else ORIENTATION_HINT).options
    return NeededOptions(*options, call=_call(columns, mated_is) if call else None)


def _are_distances(columns: PairColumns) -> bool:
    """Whether scores are distances by their names, as a suggestion only."""
    return any("dist" in name.casefold() for name in columns.score)


def _layout(found: PairColumns) -> Hint:
    """The option for the roles of columns."""
    shown: dict[str, tuple[str, ...]] = {"score": found.score or ("COLUMN",)}
    if found.subject_a is None:  # subjects also determine which pairs are mated
        shown["mated"] = ("COLUMN",)
    shown.update((role, (name,)) for role, name in found.single.items())
    return naming("{option:columns}", {role: shown[role] for role in ROLES if role in shown})


def _call(columns: PairColumns, mated_is: str | None) -> str:
    """The Python call that makes lists of comparisons from a table of pairs."""
    single = {role: f"frame[{name!r}]" for role, name in columns.single.items()}
    scores = ", ".join(f"{name!r}: frame[{name!r}]" for name in columns.score or ("COLUMN",))
    unknown = "None" if "subject_a" in single else "frame['COLUMN']"
    arguments = [single.get("mated", unknown), f"{{{scores}}}"]
    for argument, one, other in (("samples", "a", "b"), ("people", "subject_a", "subject_b")):
        if one in single and other in single:
            arguments.append(f"{argument}=({single[one]}, {single[other]})")
    arguments += [] if mated_is is None else [f"mated_is={mated_is!r}"]
    arguments.append(f"orientation={'distance' if _are_distances(columns) else 'similarity'!r}")
    return f"pass columns of a frame: scored_pairs({', '.join(arguments)})"


def mated_words(column: pl.Series) -> tuple[str, ...]:
    """The values of a column if it is unclear which means mated; empty for 0 and 1, or true and false."""
    values = [str(value) for value in column.drop_nulls().unique(maintain_order=True)]
    truths = all(value.lower() in TRUTHS for value in values)
    return () if truths and len({len(value) > 1 for value in values}) < 2 else tuple(values)


def guessed(header: Iterable[str]) -> PairColumns:
    """The obvious roles of columns by name, as suggestions only."""
    plain = {_plain(name): name for name in header}
    found: dict[str, Any] = {}
    for role, names in _OBVIOUS.items():
        there = [plain[name] for name in names if name in plain]
        if there:
            found[role] = tuple(there) if role == "score" else there[0]
    for one, other in (("a", "b"), ("subject_a", "subject_b")):
        if (one in found) != (other in found):
            found.pop(one, None)
            found.pop(other, None)
    return PairColumns(**found)


def suggested(table: pl.DataFrame) -> PairColumns:
    """The probable roles of columns by name or content, as suggestions only.

    A column of two values may be the mated flag, columns of fractions may be scores (first those with such a name), and the first two
    others samples.
    """
    found = guessed(table.columns)
    readable = [one for one in table.iter_columns() if one.dtype != pl.Object]
    free = [one for one in readable if one.name not in found.names]
    if found.mated is None:
        two = [one for one in free if one.n_unique() == 2 < len(one) and not is_of_fractions(one)]
        truths = [one for one in two if one.dtype == pl.Boolean or is_of_truths(one)]
        found = replace(found, mated=next((one.name for one in (*truths, *two)), None))
    if not found.score:
        numbers = more_scores(found, table)
        found = replace(found, score=tuple(filter(_says_score, numbers)) or numbers)
    if found.a is None and found.subject_a is None:
        free = [one for one in free if one.name not in found.names and one.n_unique() > 1]
        texts = [one.name for one in free if one.dtype == pl.String]
        sides = texts if len(texts) > 1 else [one.name for one in free if one.dtype.is_integer()]
        if len(sides) > 1:
            found = replace(found, a=sides[0], b=sides[1])
    return found


def more_scores(columns: PairColumns, table: pl.DataFrame) -> tuple[str, ...]:
    """Columns that may be scores besides those of `columns`, since they hold fractions."""
    free = (one for one in table.iter_columns() if one.name not in columns.names)
    return tuple(one.name for one in free if is_of_fractions(one))


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _says_score(name: str) -> bool:
    """Whether a word of a column's name is one for scores."""
    return not set(_OBVIOUS["score"]).isdisjoint(_plain(name).split("_"))


def is_of_truths(column: pl.Series) -> bool:
    """Whether a column contains only 0 and 1."""
    return column.dtype.is_numeric() and set(column.unique().to_list()) == {0, 1}


def is_of_fractions(column: pl.Series) -> bool:
    """Whether a column contains numbers that are not all integers."""
    return column.dtype.is_float() and bool((column != column.round(0)).any())
