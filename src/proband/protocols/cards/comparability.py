"""Decide from two cards, field by field, whether the reported accuracies may be compared, and with which test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from proband.protocols.cards.card import ProtocolCard, shown
from proband.protocols.cards.contradictions import ROUNDING
from proband.protocols.cards.levels import NO_TEST, POOLED_TEST, Level
from proband.protocols.cards.sections import names_contents
from proband.protocols.epd import EPDVerdict
from proband.protocols.notation import Protocol
from proband.results.base import Result
from proband.results.serializing import Written
from proband.words import Note, Sentence

if TYPE_CHECKING:
    import polars as pl

CONDITIONS = "conditions"
LEVEL = Sentence("cards.level", "note", "Level {level}, {words}")
ONE_RESULT = Sentence(
    "cards.one-result", "caution", "Both cards state the same result, so there is nothing to compare"
)
ONE_PUBLICATION = Sentence("cards.one-publication", "note", "Both cards are from the same publication")
NO_ESTIMATES = Sentence("cards.no-estimates", "note", "At least one card states no estimate")
NO_NUMBERS = Sentence("cards.no-numbers", "note", "There are not yet two numbers to compare")
NO_INTERVALS = Sentence(
    "cards.no-intervals", "note", "At least one card states no interval, so no test is possible"
)
BY_COUNTS = Sentence(
    "cards.same-by-counts",
    "note",
    "The images are taken to be the same because the counts agree; no manifest confirms it",
)
BY_IDS = Sentence(
    "cards.same-by-ids", "note", "The ids are the same, which does not prove that the images are the same"
)
SAME_TRIALS = Sentence("cards.same-trials", "note", "Both were tested on the same images in the same splits")
DIFFERS = Sentence("cards.field-differs", "note", "{field} differs: {a} against {b}")
NOT_STATED = Sentence("cards.fields-not-stated", "note", "Not stated by both: {fields:row}")
IMAGES_UNKNOWN = Sentence(
    "cards.images-unknown",
    "note",
    "which images were used (a manifest, or the numbers of subjects and images)",
)

Verdict = Literal["agree", "differ", "not stated"]

_TASK = ("task.kind", "task.label")
_PROTOCOL = (
    "protocol.notation",
    "protocol.disjoint",
    "protocol.train_share",
    "protocol.stratified",
    "metric.name",
    "metric.statistic",
    "metric.ties",
)
# Of the protocol, these must be stated for two numbers to be estimates of the same thing.
_NEEDED = ("protocol.notation", "protocol.disjoint", "metric.name", "metric.statistic")
# People who were not trained on are told apart by what is enrolled of them; it is no question elsewhere.
_OF_NEW_PEOPLE = ("protocol.enrolled_each",)
_USED = (
    "dataset.version",
    "dataset.manifest",
    "dataset.samples",
    "dataset.subjects",
    "dataset.images_per_subject",
    "selection.collected",
    "selection.excluded",
    "task.n_classes",
    "task.classes",
)
# Any of these tells which images were used, where no manifest names them; their number alone does not.
_COUNTED = (
    ("dataset.subjects", "dataset.images_per_subject"),
    ("dataset.subjects", "dataset.samples"),
    ("dataset.samples", "task.classes"),
)
# What may differ although the used images are the same.
_BEFORE_USE = ("selection.collected", "selection.excluded")
_TRIALS = ("protocol.seed", "protocol.generator_version", "protocol.splits")
_NOTHING_DRAWN = ("leave-one-out", "leave-one-subject-out")


@dataclass(frozen=True)
class FieldComparison:
    """The comparison of one field of two cards.

    Attributes
    ----------
    field
        Its path, such as ``dataset.subjects``.
    a, b
        What each card states; None if not stated.
    verdict
        ``"agree"``, ``"differ"`` or ``"not stated"`` (in one of them or in both).
    bears
        Whether it affects comparability: methods, values and software versions do not.
    """

    field: str
    a: Any
    b: Any
    verdict: Verdict
    bears: bool = True


@dataclass(frozen=True, repr=False)
class Comparability(Result):
    """Whether two results may be compared.

    Attributes
    ----------
    level
        The level of comparability, from 0 to 4.
    fields
        Every field of the cards, those that affect comparability first.
    reasons
        The reasons for the level.
    allowed
        The comparisons that are allowed.
    same_publication
        Whether both values are from the same publication.
    same_result
        Whether both are the same result: the same method and value from one publication, or the same
        predictions.
    epd
        The EPD verdict of each card.
    """

    written = Written({"words": "level.words"}, also=("comparable",))

    level: Level
    fields: tuple[FieldComparison, ...]
    reasons: tuple[Note, ...]
    allowed: Note
    same_publication: bool = False
    same_result: bool = False
    epd: tuple[EPDVerdict, ...] = ()

    def __repr__(self) -> str:
        return f"Comparability({int(self.level)}: {self.level.words}; {len(self.having('differ'))} fields differ)"

    @property
    def comparable(self) -> bool:
        """Whether the numbers may be compared: at level 2 and above."""
        return self.level >= Level.ON_THEIR_WORD

    def having(self, verdict: Verdict) -> tuple[str, ...]:
        """Return the fields with this verdict that affect comparability."""
        return tuple(one.field for one in self.fields if one.bears and one.verdict == verdict)

    def sentences(self) -> tuple[Note, ...]:
        """The level, the reasons and the allowed comparisons."""
        level = LEVEL(level=int(self.level), words=self.level.words)
        if self.same_result:
            return level, *self.reasons, ONE_RESULT()
        notes = [ONE_PUBLICATION()] if self.same_publication else []
        return level, *self.reasons, *notes, self.allowed

    def _frame(self, wide: bool) -> pl.DataFrame:
        """One row for each field, values as people read them."""
        import polars as pl

        return pl.DataFrame(
            {
                "field": [one.field for one in self.fields],
                "a": [shown(one.a) for one in self.fields],
                "b": [shown(one.b) for one in self.fields],
                "verdict": [one.verdict for one in self.fields],
                "bears": [one.bears for one in self.fields],
            }
        )


def compare_cards(a: ProtocolCard, b: ProtocolCard) -> Comparability:
    """Compare two cards: what agrees, what differs, what is not stated, and which comparisons this allows.

    Levels: 0, different data or task; 1, different protocol or images; 2, nothing differs but not everything
    needed is stated; 3, the protocol and the images are the same, by manifest or by counts; 4, the same
    trials, with predictions: the same manifest and digest of the splits. Fields not stated never raise the
    level. A manifest of ids does not cover contents, so the name of the data set must also agree.
    """
    compared = _Compared(a, b)
    level, reasons = compared.judged()
    lacking, allowed = _allowed(level, a, b)
    same_publication = _equal(a.provenance.publication, b.provenance.publication)
    same_value = _equal(a.method, b.method) and _equal(a.value.estimate, b.value.estimate)
    return Comparability(
        level,
        tuple(compared.fields.values()),
        (*reasons, *lacking),
        allowed,
        same_publication,
        (same_publication and same_value and level >= Level.ON_THEIR_WORD)
        or _equal(a.predictions.sha256, b.predictions.sha256)
        or a == b,
        (a.epd, b.epd),
    )


def _allowed(level: Level, a: ProtocolCard, b: ProtocolCard) -> tuple[list[Note], Note]:
    """What the numbers lack for what their level would allow, and what is allowed without it."""
    if level < Level.ON_THEIR_WORD:
        return [], level.allowed
    if any(card.value.estimate is None for card in (a, b)):
        return [NO_ESTIMATES()], level.allowed if level == Level.SAME_TRIALS else NO_NUMBERS()
    if level == Level.SAME_PROTOCOL and any(card.value.interval is None for card in (a, b)):
        pooled = all(card.value.pooled is not None for card in (a, b))
        return ([], POOLED_TEST()) if pooled else ([NO_INTERVALS()], NO_TEST())
    return [], level.allowed


class _Compared:
    """Two cards, field by field, and what follows."""

    def __init__(self, a: ProtocolCard, b: ProtocolCard) -> None:
        self.cards = (a, b)
        left, right = dict(a.stated()), dict(b.stated())
        conditions = (f"{CONDITIONS}.{name}" for card in (a, b) for name, _ in card.conditions or ())
        self.conditions = tuple(dict.fromkeys(conditions))
        enrols = any(card.task.kind == "identity" and card.protocol.disjoint for card in (a, b))
        self.enrolment = _OF_NEW_PEOPLE if enrols else ()
        self.protocol = (*_PROTOCOL, *self.enrolment)
        bearing = ("dataset.name", *_TASK, *self.protocol, *_USED, *self.conditions, *_TRIALS)
        others = (path for path in {**left, **right} if path not in bearing and path != CONDITIONS)
        self.fields = {
            path: self._field(path, left.get(path), right.get(path), path in bearing)
            for path in (*bearing, *others)
        }

    def _field(self, path: str, a: Any, b: Any, bears: bool) -> FieldComparison:
        verdict: Verdict = "agree" if _same(path, a, b) else "differ"
        if a is None or b is None or _incommensurable(path, a, b):
            verdict = "not stated"
        return FieldComparison(path, a, b, verdict, bears)

    def agree(self, paths: Iterable[str]) -> bool:
        return all(self.fields[path].verdict == "agree" for path in paths)

    def that(self, verdict: Verdict, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if self.fields[path].verdict == verdict]

    def judged(self) -> tuple[Level, list[Note]]:
        """The level, and what keeps it from being higher."""
        same_images = self.agree(["dataset.manifest"])
        # Who has the same contents has the same data, whatever it is called; ids may be those of other data.
        same_contents = same_images and names_contents(self.cards[0].dataset.manifest)
        named = not same_images or bool(self.that("differ", ["dataset.name"]))
        shared = ("dataset.name", *self._task()) if named and not same_contents else self._task()
        if not self.agree(shared):
            return Level.NOTHING_SHARED, self._because(shared)
        used = () if same_contents else (*_USED, *self.conditions)
        if same_images:
            used = tuple(path for path in used if path not in _BEFORE_USE)
        if self.that("differ", (*self.protocol, *used)) or not self.agree(["protocol.notation"]):
            others = self.that("not stated", ["protocol.notation"])
            return Level.OTHER_PROTOCOL, [*self._differing((*self.protocol, *used)), *self._missing(others)]
        counted = same_images or any(self.agree(paths) for paths in _COUNTED)
        missing = self.that(
            "not stated", (*_NEEDED, *self.enrolment, *(() if same_images else self.conditions))
        )
        if missing or not counted:
            uncounted = [] if counted else [IMAGES_UNKNOWN()]
            return Level.ON_THEIR_WORD, self._missing([*missing, *uncounted])
        return self._trials(same_images, same_contents)

    def _task(self) -> tuple[str, ...]:
        """An identity needs no label."""
        return _TASK[:1] if self.cards[0].task.kind == "identity" else _TASK

    def _trials(self, same_images: bool, same_contents: bool) -> tuple[Level, list[Note]]:
        if not same_images:
            return Level.SAME_PROTOCOL, [BY_COUNTS()]
        if not same_contents and not self.agree(["dataset.name"]):
            return Level.SAME_PROTOCOL, [BY_IDS(), *self._missing(["dataset.name"])]
        protocol = self.cards[0].protocol.parsed
        fixed = protocol is not None and protocol.kind in _NOTHING_DRAWN
        # Splits that agree prove it, whatever they were drawn with; a seed does not, for splits follow from labels too.
        if not fixed and not self.agree(["protocol.splits"]):
            unsaid = self.that("not stated", ["protocol.splits"])
            return Level.SAME_PROTOCOL, [*self._differing(_TRIALS), *self._missing(unsaid)]
        if any(card.predictions.sha256 is None for card in self.cards):
            return Level.SAME_PROTOCOL, self._missing(["predictions.sha256"])
        return Level.SAME_TRIALS, [SAME_TRIALS()]

    def _because(self, paths: Iterable[str]) -> list[Note]:
        paths = list(paths)
        return [*self._differing(paths), *self._missing(self.that("not stated", paths))]

    def _differing(self, paths: Iterable[str]) -> list[Note]:
        found = [self.fields[path] for path in self.that("differ", paths)]
        return [DIFFERS(field=one.field, a=shown(one.a), b=shown(one.b)) for one in found]

    def _missing(self, paths: Sequence[str | Note]) -> list[Note]:
        return [NOT_STATED(fields=tuple(paths))] if paths else []


def _same(path: str, a: Any, b: Any) -> bool:
    if path == "protocol.notation" and a is not None and b is not None:
        # Disjointness is a field of its own, and is compared there.
        one, other = (replace(Protocol.parse(text), disjoint=None) for text in (a, b))
        return one == other
    if path == "dataset.name" and a is not None and b is not None:
        return str(a).casefold() == str(b).casefold()
    if path == "protocol.train_share" and a is not None and b is not None:
        return math.isclose(a, b, abs_tol=ROUNDING)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(None in (a[name], b[name]) or a[name] == b[name] for name in a)
    return bool(a == b)


def _incommensurable(path: str, a: Any, b: Any) -> bool:
    """Whether two values cannot tell the same from another: manifests of ids and of content, mappings with gaps."""
    if path == "dataset.manifest":
        return names_contents(a) != names_contents(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return _same(path, a, b) and None in (*a.values(), *b.values())
    return False


def _equal(a: object, b: object) -> bool:
    return a is not None and a == b
