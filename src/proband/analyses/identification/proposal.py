"""Proposal of identification for a new study file."""

from __future__ import annotations

from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Runs by default; switched off for lists of pairs that do not identify probes."""
    if made.lists:
        why = "these lists of pairs do not identify probes, so nothing can be ranked"
        return Suggestion(switch=f"identification = false        # {why}")
    lines = ("# [identification]            # runs by default", "# ranks = [1, 5, 10]")
    return Suggestion(lines if made.ranked else ())
