"""Claims: what a paper reports, the rule by which synthetic people agree with it, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from proband.words import Note, Sentence

Verdict = Literal["agrees", "disagrees", "cannot be judged"]
Unit = Literal["points", "number"]
VERDICTS: tuple[Verdict, ...] = ("agrees", "disagrees", "cannot be judged")

_POWER = 0.8
# Of an interval's width: (1.96 + 0.84)/(2 · 1.96), the effect that such an interval shows in 80 % of studies.
_SHOWN_OF_WIDTH = 0.7148

_POINTS = Sentence(
    "claims.power-points",
    "note",
    "{power:percent} of studies of this size would detect a difference of {least:span}",
)
_NUMBER = Sentence(
    "claims.power-number",
    "note",
    "{power:percent} of studies of this size would detect a difference of {least:small}",
)
_CHANCE = Sentence(
    "claims.by-chance",
    "note",
    "without any effect, results would satisfy the rule with probability {chance:small}",
)
_ARITHMETIC = Sentence("claims.arithmetic", "note", "arithmetic: no chance is involved")
_REACH_POINTS = Sentence(
    "claims.reach-points", "note", "the intervals extend to {reach:span}; the margin is {margin:span}"
)
_REACH_NUMBER = Sentence(
    "claims.reach-number", "note", "the intervals extend to {reach:small}; the margin is {margin:small}"
)
_ZERO = Sentence(
    "claims.holds-zero",
    "caution",
    "{n:count} of {total:count interval} {n:word includes/include} zero, so these data do not decide it",
)
_TOO_WIDE = Sentence(
    "claims.too-wide",
    "caution",
    "{n:count} of {total:count interval} {n:word is/are} too wide to settle whether the difference is within the margin",
)


class ShownDifference(NamedTuple):
    """An observed difference with its 95 % interval; values above zero agree with the paper."""

    value: float
    low: float
    high: float


class Judgement(NamedTuple):
    """A verdict, the reason if it is not agreement (None for the stated reason of the claim), and the power of the rule."""

    verdict: Verdict
    why: Note | None
    power: Note


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, and its verdict here.

    Attributes
    ----------
    key, place
        The key of the claim, and the table, figure or section of the paper.
    paper, rule, here
        The published result, the rule for agreement, and the result here.
    verdict
        The verdict by the rule.
    why
        Why it does not agree; None if it does.
    power
        The power of the rule, or how often it would be satisfied by chance.
    """

    key: str
    place: str
    paper: Note
    rule: Note
    here: Note
    verdict: Verdict
    why: Note | None
    power: Note


class Statement:
    """A claim before measurement: its words and its rule, declared next to the code that judges it.

    Parameters
    ----------
    key, place
        The key of the claim, ``paper.what``, and its place in the paper.
    paper, rule
        The published result, and the rule for agreement.
    otherwise
        Why synthetic people may disagree.
    """

    def __init__(self, key: str, place: str, *, paper: str, rule: str, otherwise: str) -> None:
        self.key, self.place = key, place
        self._paper, self._rule, self._otherwise = (
            Sentence(f"{key}.{part}", level, words)  # type: ignore[arg-type]
            for part, level, words in (
                ("paper", "note", paper),
                ("rule", "note", rule),
                ("otherwise", "caution", otherwise),
            )
        )

    def judged(self, here: Note, found: Judgement) -> Claim:
        """Return the claim with the result here and the verdict."""
        why = found.why or (None if found.verdict == "agrees" else self._otherwise())
        return Claim(self.key, self.place, self._paper(), self._rule(), here, found.verdict, why, found.power)


def by_sign(shown: Sequence[ShownDifference], unit: Unit = "points") -> Judgement:
    """Agree if every difference is above zero with its whole interval, disagree if any is below zero, otherwise leave it open."""
    least = _SHOWN_OF_WIDTH * max(one.high - one.low for one in shown)
    power = (_POINTS if unit == "points" else _NUMBER)(least=least, power=_POWER)
    if any(one.high < 0 for one in shown):
        return Judgement("disagrees", None, power)
    open_ones = sum(one.low <= 0 for one in shown)
    if open_ones:
        return Judgement("cannot be judged", _ZERO(n=open_ones, total=len(shown)), power)
    return Judgement("agrees", None, power)


def within(shown: Sequence[ShownDifference], margin: float, unit: Unit = "points") -> Judgement:
    """Agree if every interval lies within the margin on both sides of zero, disagree if any lies wholly beyond it."""
    reach = max(abs(end) for one in shown for end in (one.low, one.high))
    power = (_REACH_POINTS if unit == "points" else _REACH_NUMBER)(reach=reach, margin=margin)
    if any(one.low > margin or one.high < -margin for one in shown):
        return Judgement("disagrees", None, power)
    wide = sum(one.low < -margin or one.high > margin for one in shown)
    if wide:
        return Judgement("cannot be judged", _TOO_WIDE(n=wide, total=len(shown)), power)
    return Judgement("agrees", None, power)


def exactly(holds: bool, chance: float | None) -> Judgement:
    """Agree if a fact holds; `chance` is the probability that it holds without any effect, None for arithmetic."""
    power = _ARITHMETIC() if chance is None else _CHANCE(chance=chance)
    return Judgement("agrees" if holds else "disagrees", None, power)


def counts_of(claims: Sequence[Claim]) -> dict[Verdict, int]:
    """Return the number of claims with each verdict, in a fixed order."""
    found = Counter(one.verdict for one in claims)
    return {verdict: found[verdict] for verdict in VERDICTS}


_SUMMARY = Sentence(
    "claims.summary",
    "note",
    "{n:count claim} of the paper: {agree:count} {agree:word agrees/agree} on synthetic people, {disagree:count} "
    "{disagree:word disagrees/disagree}, {open:count} cannot be judged",
)


def summary_of(claims: Sequence[Claim]) -> Note:
    """State how many claims there are, and how many agree."""
    found = counts_of(claims)
    return _SUMMARY(
        n=len(claims),
        agree=found["agrees"],
        disagree=found["disagrees"],
        open=found["cannot be judged"],
    )
