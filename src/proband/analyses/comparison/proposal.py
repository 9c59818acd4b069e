"""Proposal of comparisons for a new study file."""

from __future__ import annotations

from proband.study.init.proposal import Proposal, Suggestion

_NO_RANKS = (
    "comparison = false   # lists of pairs have no ranks; or [[comparison]] with measure = 'fnmr@0.001'"
)


def propose(made: Proposal) -> Suggestion:
    """Runs by default; lists of pairs cannot be ranked and are compared by an error rate."""
    if made.lists:
        return Suggestion(switch=_NO_RANKS)
    lines = (
        "# [[comparison]]              # runs by default, at rank 1 and by FNMR at the first FMR of verification",
        '# measure = "rank-1"          # or "fnmr@0.001", "tar@0.001", "eer", "auc", "median-rank@10"',
        "# margin = 0.01               # the smallest difference that matters",
    )
    return Suggestion(lines if made.ranked else ())
