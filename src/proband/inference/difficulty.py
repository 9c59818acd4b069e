"""Is a set of probes too easy, too hard, or apt to tell algorithms apart? FERET calls it the three bears problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from proband.inference.comparison import Comparison
from proband.measures import Outcomes

Verdict = Literal["apt", "too easy", "too hard", "too few people", "one algorithm"]

ENOUGH_SEPARATED = 0.5
"""A set of probes is apt if at least this share of the pairs of algorithms is told apart."""
MOSTLY_ALIKE = 0.5
"""If it is not apt, it is too easy (too hard) where all algorithms recognise (miss) at least this share of its probes."""


@dataclass(frozen=True)
class Difficulty:
    """How well one set of probes tells algorithms apart at a rank.

    Attributes
    ----------
    all_right, all_missed
        The shares of probes that every algorithm recognises, and that none does. Only the others tell anything.
    separated, n_pairs
        How many pairs of algorithms are told apart (Holm), and how many there are.
    leaders
        The algorithms that no other significantly beats.
    verdict
        ``apt``, ``too easy``, ``too hard``, ``too few people`` (the algorithms differ on many probes, but not beyond chance), or
        ``one algorithm``.
    """

    category: str
    rank: int
    n_probes: int
    n_probe_subjects: int
    all_right: float
    all_missed: float
    separated: int
    n_pairs: int
    leaders: tuple[str, ...]
    verdict: Verdict

    def sentence(self) -> str:
        """The verdict in words, with what it rests on."""
        shares = (
            f"all algorithms recognise {100 * self.all_right:.1f} % of the {self.n_probes:,} probes and none "
            f"{100 * self.all_missed:.1f} % at rank {self.rank}"
        )
        if self.verdict == "one algorithm":
            return f"{self.category}: one algorithm, so nothing is to be told apart."
        apart = f"{self.separated:,} of {self.n_pairs:,} pairs of algorithms are told apart"
        found = {
            "apt": "apt to tell algorithms apart",
            "too easy": "too easy to tell algorithms apart",
            "too hard": "too hard to tell algorithms apart",
            "too few people": f"too few people ({self.n_probe_subjects:,}) to tell algorithms apart",
        }[self.verdict]
        return f"{self.category}: {found}: {apart}; {shares}. In the lead: {', '.join(self.leaders)}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {**asdict(self), "leaders": list(self.leaders), "sentence": self.sentence()}


def difficulty(
    category: str, outcomes: Sequence[Outcomes], rank: int, comparison: Comparison | None
) -> Difficulty:
    """Judge a set of probes by what several algorithms made of it; `comparison` is None for one algorithm."""
    successes = np.array([one.success(rank) for one in outcomes])
    right = float((successes.min(axis=0) >= 1.0).mean())
    missed = float((successes.max(axis=0) <= 0.0).mean())
    separated, n_pairs, leaders = 0, 0, tuple(one.algorithm for one in outcomes)
    if comparison is not None:
        n_pairs = len(comparison.pairs)
        separated = sum(
            pair.p_adjusted <= comparison.significance and pair.difference != 0 for pair in comparison.pairs
        )
        leaders = tuple(name for name, (best, _) in comparison.places().items() if best == 1)
    return Difficulty(
        category=category,
        rank=rank,
        n_probes=len(outcomes[0]),
        n_probe_subjects=len(np.unique(outcomes[0].subjects)),
        all_right=right,
        all_missed=missed,
        separated=separated,
        n_pairs=n_pairs,
        leaders=leaders,
        verdict=_verdict(right, missed, separated, n_pairs),
    )


def _verdict(right: float, missed: float, separated: int, n_pairs: int) -> Verdict:
    if not n_pairs:
        return "one algorithm"
    if separated >= ENOUGH_SEPARATED * n_pairs:
        return "apt"
    if max(right, missed) >= MOSTLY_ALIKE:
        return "too easy" if right >= missed else "too hard"
    return "too few people"
