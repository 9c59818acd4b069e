"""Proposal of a FERET evaluation for a new study file."""

from __future__ import annotations

from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Propose several galleries if scores can be ranked."""
    lines = (
        "# [feret]                     # how rates vary over galleries of different people",
        "# galleries = 3",
    )
    return Suggestion(lines if made.ranked else ())
