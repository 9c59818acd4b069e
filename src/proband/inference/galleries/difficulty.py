"""Is a set of probes too easy, too hard, or apt to tell algorithms apart? FERET calls it the three bears problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from proband.inference.comparisons.comparison import Comparison
from proband.inference.estimates.evaluation import OfProbes, probes_called
from proband.measures import Outcomes
from proband.results.base import Count, Rank, Rate, Result
from proband.results.serializing import Written
from proband.words import Note, Sentence

Verdict = Literal["apt", "too easy", "too hard", "too few people", "one algorithm"]

ENOUGH_SEPARATED = 0.5
"""A set of probes is apt if at least this share of the pairs of algorithms is told apart."""
MOSTLY_ALIKE = 0.5
"""If it is not apt, it is too easy (too hard) where all algorithms recognise (miss) at least this share of its probes."""


_FOUND = (
    "{separated:count} of {pairs:count pair} of algorithms {separated:word is/are} told apart; all algorithms recognise {right:tenth} of the "
    "{probes:count probe} and none {missed:tenth} at rank {rank}. In the lead: {leaders:names}"
)
_SAID: dict[Verdict, Sentence] = {
    "apt": Sentence("difficulty.apt", "note", "{category}: apt to tell algorithms apart: " + _FOUND),
    "too easy": Sentence(
        "difficulty.too-easy", "caution", "{category}: too easy to tell algorithms apart: " + _FOUND
    ),
    "too hard": Sentence(
        "difficulty.too-hard", "caution", "{category}: too hard to tell algorithms apart: " + _FOUND
    ),
    "too few people": Sentence(
        "difficulty.too-few-people",
        "caution",
        "{category}: too few people ({people:count}) to tell algorithms apart: " + _FOUND,
    ),
    "one algorithm": Sentence(
        "difficulty.one-algorithm", "note", "{category}: one algorithm, so nothing is to be told apart"
    ),
}


@dataclass(frozen=True)
class Difficulty(OfProbes, Result):
    """How well one set of probes tells algorithms apart at a rank.

    Attributes
    ----------
    all_right, all_missed
        The shares of probes that every algorithm recognises, and that none does. Only the others tell anything.
    separated, n_pairs
        How many pairs of algorithms are told apart (adjusted), and how many there are.
    leaders
        The algorithms that no other significantly beats.
    verdict
        ``apt``, ``too easy``, ``too hard``, ``too few people`` (the algorithms differ on many probes, but not beyond chance),
        or ``one algorithm``.
    category, rank, n_probes, n_probe_subjects
        The probes, and whose they are.
    """

    written = Written({"category": "probe_set"}, also=("sentence",))

    category: str | None
    rank: Rank
    n_probes: Count
    n_probe_subjects: Count
    all_right: Rate
    all_missed: Rate
    separated: int
    n_pairs: Count
    leaders: tuple[str, ...]
    verdict: Verdict

    def sentence(self) -> Note:
        """The verdict in words, with what it rests on."""
        return _SAID[self.verdict](
            category=probes_called(self.category),
            people=self.n_probe_subjects,
            separated=self.separated,
            pairs=self.n_pairs,
            right=self.all_right,
            probes=self.n_probes,
            missed=self.all_missed,
            rank=self.rank,
            leaders=self.leaders,
        )


def difficulty(
    category: str | None, outcomes: Sequence[Outcomes], rank: int, comparison: Comparison | None
) -> Difficulty:
    """Judge a set of probes by what several algorithms made of it; `comparison` is None for one algorithm.

    FERET asks whether a set is too easy or too hard to tell algorithms apart, the three bears problem (Phillips et al. 2000).
    Here it is apt if at least half of the pairs of algorithms differ significantly among all; if not, too easy (too hard)
    where all recognise (miss) at least half of the probes, and else of too few people. A description of these probes and
    algorithms.

    Examples
    --------
    Two algorithms miss the same probe of four:

    >>> from proband import Experiment, RecognitionRate, Samples, Scores, compare, rank
    >>> ids = [f"{side}{k}" for side in "gp" for k in range(4)]
    >>> samples = Samples({"id": ids, "subject": [name[1:] for name in ids]})
    >>> values = np.where(np.arange(4)[:, None] < 1, 0.5, np.eye(4))
    >>> scores = [Scores.from_array(values, ids[4:], ids[:4], orientation="similarity", name=name) for name in "ab"]
    >>> ranked = [rank(one, Experiment(samples, gallery=ids[:4])) for one in scores]
    >>> found = difficulty(None, ranked, 1, compare(RecognitionRate(1), ranked))
    >>> found.verdict, found.all_right, found.all_missed, found.separated
    ('too easy', 0.75, 0.25, 0)
    """
    successes = np.array([one.success(rank) for one in outcomes])
    right = float((successes.min(axis=0) >= 1.0).mean())
    missed = float((successes.max(axis=0) <= 0.0).mean())
    separated, n_pairs, leaders = 0, 0, tuple(one.algorithm for one in outcomes)
    if comparison is not None:
        n_pairs = len(comparison.pairs)
        separated = sum(pair.told_apart for pair in comparison.pairs)
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
