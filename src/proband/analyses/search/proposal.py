"""Proposal of open-set identification for a new study file."""

from __future__ import annotations

from proband.study.init.proposal import Proposal, Suggestion
from proband.words import counted


def propose(made: Proposal) -> Suggestion:
    """State how many people could be searched for without being enrolled."""
    if not made.ranked:
        return Suggestion()
    note = "# [search]                    # some people searched for are not enrolled"
    if made.samples is not None:
        once = int((made.samples.counts == 1).sum())
        note += f"; {counted(once, 'person has', 'people have')} only one sample"
    return Suggestion((note, "# fpir = [0.1, 0.01, 0.001]"))
