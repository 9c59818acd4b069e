"""What a first study file proposes of identification."""

from __future__ import annotations

from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Done as it is; switched off where lists of pairs name no single probes."""
    if made.lists:
        why = "these lists of pairs do not identify probes, so nothing can be ranked"
        return Suggestion(switch=f"identification = false        # {why}")
    lines = ("# [identification]            # runs by default", "# ranks = [1, 5, 10]")
    return Suggestion(lines if made.ranked else ())
