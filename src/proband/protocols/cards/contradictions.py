"""Fields of a protocol card that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from proband.protocols.cards.sections import Dataset, Named, Value
from proband.words import count, counted, digits

if TYPE_CHECKING:
    from proband.protocols.cards.card import ProtocolCard

ROUNDING = 0.01
"""Stated shares of one protocol can differ by this much if samples do not divide evenly, or if digits were cut."""

_UNKNOWN_SUBJECTS = 0.1  # how far a share of whole subjects may be off where their sizes are not stated
_SLACK = 1e-9


def contradictions(card: ProtocolCard) -> Iterator[str]:
    """Report which fields contradict each other."""
    yield from _of_data(card.dataset)
    yield from _of_selection(card)
    yield from _of_task(card)
    yield from _of_share(card)
    yield from _of_enrolment(card)
    for estimate, low, high, what in (
        ("estimate", "low", "high", "its interval"),
        ("pooled_estimate", "pooled_low", "pooled_high", "its interval"),
        ("estimate", "minimum", "maximum", "the range of runs"),
    ):
        yield from _of_ends(card.value, estimate, low, high, what)


def _of_ends(value: Value, estimate: str, low: str, high: str, what: str) -> Iterator[str]:
    """Say whether ends are the wrong way round, or the estimate lies outside them."""
    middle, least, most = (getattr(value, name) for name in (estimate, low, high))
    if least is not None and most is not None and least > most + _SLACK:
        yield f"value.{low}: is above value.{high}"
    elif middle is not None and (
        (least is not None and middle < least - _SLACK) or (most is not None and middle > most + _SLACK)
    ):
        ends = ("" if end is None else digits(end, 6) for end in (least, most))
        yield f"value.{estimate}: {digits(middle, 6)} is outside {what}, {'–'.join(ends)}"


def _of_data(data: Dataset) -> Iterator[str]:
    used, people, each = data.samples, data.subjects, data.images_per_subject
    if used is not None and people is not None and people > used:
        yield f"dataset.subjects: {count(people)} people cannot have {count(used)} samples"
    if each is None:
        return
    fewest, most = each
    if fewest > most:
        yield "dataset.images_per_subject: must be the smallest number, then the largest"
    elif used is not None and people and people <= used:
        # One person has the fewest, one the most, and the others anything between.
        low = fewest if people == 1 else fewest * (people - 1) + most
        high = most if people == 1 else fewest + most * (people - 1)
        if not low <= used <= high:
            yield (
                f"dataset.images_per_subject: {count(people)} people with {count(fewest)} to {count(most)} "
                f"samples each cannot have {count(used)} in total"
            )


def _of_selection(card: ProtocolCard) -> Iterator[str]:
    used, left_out = card.dataset.samples, _sum(card.selection.excluded)
    if card.selection.collected is not None and left_out is not None and used is not None:
        rest = card.selection.collected - left_out
        if rest != used:
            yield f"selection.excluded: leaves {count(rest)} samples, but dataset.samples is {count(used)}"


def _of_task(card: ProtocolCard) -> Iterator[str]:
    task, used, people = card.task, card.dataset.samples, card.dataset.subjects
    of_classes = _sum(task.classes)
    if task.classes and of_classes is not None and used is not None and of_classes != used:
        yield f"task.classes: add up to {count(of_classes)} samples, but dataset.samples is {count(used)}"
    if task.classes and task.n_classes not in (None, len(task.classes)):
        yield f"task.n_classes: is {task.n_classes}, but {counted(len(task.classes), 'class is', 'classes are')} named"
    if task.kind == "identity" and people is not None and task.n_classes not in (None, people):
        yield f"task.n_classes: is {task.n_classes}, but each of {count(people)} people is a class in the recognition of identity"


def _of_share(card: ProtocolCard) -> Iterator[str]:
    stated, protocol = card.protocol.train_share, card.protocol.parsed
    implied = None if protocol is None else protocol.train_share
    if protocol is None or stated is None or implied is None or protocol.train_on or protocol.test_on:
        return
    # Over all folds the share is exact; parts of whole subjects come as near as their sizes allow.
    slack, data = ROUNDING, card.dataset
    if protocol.kind == "hold-out" and protocol.disjoint is not False:
        known = data.samples and data.images_per_subject
        slack = data.images_per_subject[1] / data.samples if known else _UNKNOWN_SUBJECTS  # type: ignore[operator,index]
    if protocol.kind == "hold-out" and data.samples:
        slack = max(slack, 1 / data.samples)
    if abs(stated - implied) > max(slack, ROUNDING) + _SLACK:
        yield f"protocol.train_share: is {digits(stated, 6)}, but {protocol} has {digits(implied, 4)}"


def _of_enrolment(card: ProtocolCard) -> Iterator[str]:
    if card.protocol.enrolled_each is None:
        return
    if card.task.kind == "attribute":
        yield "protocol.enrolled_each: no one is enrolled in the recognition of an attribute"
    if card.protocol.disjoint is False:
        yield "protocol.enrolled_each: is the number for held-out people, but protocol.disjoint is false"


def _sum(counts: Named | None) -> int | None:
    """The sum of counts, if all are stated."""
    if counts is None or any(count is None for _, count in counts):
        return None
    return sum(int(count) for _, count in counts)
