"""Notes below tables: all of them, one sentence each, or a summary of three lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from proband.report.tables.formats import in_markdown
from proband.results.base import Answers
from proband.results.sides import Side
from proband.words import Note, Sentence, as_sentence

if TYPE_CHECKING:
    from proband.results.estimate import Estimate

_ANSWERS = Sentence(
    "report.answers", "note", "What varies: {varying}. Held fixed: {fixed}. Assumed: {assuming}"
)
_VARYING = Sentence("report.varying", "note", "What varies: {varying:parts}")
_INTERVALS = Sentence("report.intervals", "note", "{level:level} intervals: for {varying:parts}")
_CAUTION = Sentence("report.caution", "caution", "Caution: {first}")
_CAUTIONS = Sentence("report.cautions", "caution", "Caution: {first} (+ {more:count more caution})")
_REST = Sentence("report.rest", "note", "--explain shows the rest ({n:count note})")
_MARKED = Sentence("report.marked", "note", "{marks:sentences} {rest}")
GRAVEST = (
    "inspection.orientation-disagrees",
    "verification.all-scores-equal",
    "ranks.one-person",
    "choices.stopped",
    "threshold.none",
    "threshold.none-tied",
    "mcnemar.not-independent",
    "comparison.probes-are-units",
    "comparison.nothing-varies",
    "gate.nothing-varies",
    "coverage.falls-short",
    "coverage.few-carriers",
    "halves.disagree",
    "pairs.repeated-with-other-scores",
    "pairs.both-ways-with-other-scores",
    "scores.samples-not-scored",
    "scores.unknown-ids",
    "pairs.unknown-ids",
    "evaluation.altered-copies",
    "evaluation.many-ties",
    "verification.many-scores-equal",
    "verification.target-beyond-data",
    "verification.closest-tied",
    "search.target-beyond-data",
    "rates.one-person",
    "rates.too-few-people",
    "survey.constants-compared",
    "survey.constant-compared",
    "survey.quantiles-compared",
    "rates.naive",
    "bootstrap.no-width",
    "strata.no-width",
    "galleries.do-not-vary",
    "folds.mixed",
    "protocols.same-people",
)
"""Cautions that change the meaning of a number; they come first, in this order."""


UNSUPPORTED = Sentence(
    "verification.rates-of-few-errors",
    "mark",
    "* based on fewer than {least} errors (rule of {least})",
)


def answered(answers: Answers, sentence: Sentence = _ANSWERS, **more: Any) -> Note:
    """State what varies behind a number, what is held fixed and what is assumed, optionally in a longer sentence."""
    return sentence(varying=answers.varying, fixed=answers.fixed, assuming=answers.assuming, **more)


def bullets(notes: Iterable[Note]) -> str:
    """A Markdown list with one item per note."""
    return "\n".join(f"- {in_markdown(as_sentence(one))}" for one in notes)


def in_brief(
    notes: Iterable[Note | str], answers: Sequence[Answers] = (), confidence_level: float | None = None
) -> list[Note]:
    """Summarise notes in at most three lines: what varies, cautions, and where to find the rest.

    Parameters
    ----------
    notes
        All notes, including the note that states the answers.
    answers
        Answers of the numbers in the table; what varies is stated once.
    confidence_level
        The level of the intervals in the table; None if it has no intervals.

    Examples
    --------
    >>> few = Sentence("example.few", "caution", "only {n:count person/people} took part")
    >>> why = Sentence("example.why", "note", "people are the units")
    >>> [str(one) for one in in_brief([why(), few(n=3), few(n=4)])]
    ['Caution: only 3 people took part (+ 1 more caution)', '--explain shows the rest (2 notes)']

    """
    told = list(dict.fromkeys(notes))
    varying = tuple(dict.fromkeys(str(one.varying) for one in answers))
    said = [_what_varies(varying, confidence_level)] if varying else []
    cautions = sorted(filter(is_caution, told), key=_gravity)
    if cautions:
        first, others = cautions[0], len(cautions) - 1
        said.append(_CAUTIONS(first=first, more=others) if others else _CAUTION(first=first))
    marks = tuple(one for one in told if isinstance(one, Note) and one.level == "mark")
    n = len(told) - len(marks) - bool(cautions)
    if not n:
        return [*said, *marks]
    rest = _REST(n=n)
    return [*said, _MARKED(marks=marks, rest=rest) if marks else rest]


def _what_varies(varying: tuple[str, ...], confidence_level: float | None) -> Note:
    """What the intervals of a table are for; without intervals, or if nothing varies, what varies."""
    if confidence_level is None or any(one.startswith("nothing") for one in varying):
        return _VARYING(varying=varying)
    return _INTERVALS(level=confidence_level, varying=varying)


_BOUNDS = Sentence(
    "notes.bounds", "mark", "Brackets are one-sided: the {side} end is a bound, the other end is open"
)


_WHOSE = {
    level: Sentence(f"measures.of-one-algorithm-{level}", level, "{algorithm}, {measure}: {note}")
    for level in ("note", "caution")
}


def noted_of(estimates: Sequence[Estimate]) -> Iterator[Note]:
    """What was noted of a measure, with the algorithm's name where it is not the same of all of them."""
    of_all = set.intersection(*(set(estimate.notes) for estimate in estimates))
    for estimate in estimates:
        for note in estimate.notes:
            whose = _WHOSE.get(note.level)
            if note in of_all or whose is None:
                yield note
            else:
                yield whose(algorithm=estimate.algorithm, measure=estimate.of, note=note)


def bounds_mark(side: Side | None) -> list[Note]:
    """State that intervals are one-sided, if they are."""
    return [] if side is None else [_BOUNDS(side=side)]


def is_caution(note: Note | str) -> bool:
    """Whether a note warns, by itself or by a note that it repeats."""
    return any(one.level == "caution" for one in _within(note))


def _gravity(note: Note | str) -> int:
    return min(
        (GRAVEST.index(one.code) for one in _within(note) if one.code in GRAVEST), default=len(GRAVEST)
    )


def _within(value: object) -> Iterator[Note]:
    """A note, and the notes among its values."""
    if isinstance(value, Note):
        yield value
        for _, one in value.values:
            yield from _within(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _within(one)
