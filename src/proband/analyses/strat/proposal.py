"""Proposal of a stratified evaluation for a new study file."""

from __future__ import annotations

from proband.inference.galleries.effect import most_probes
from proband.study.init.proposal import Proposal, Suggestion
from proband.words import counted


def propose(made: Proposal) -> Suggestion:
    """Propose it for scores of all samples against each other, if at least one person has three."""
    if not made.all_with_all or made.samples is None or made.samples.counts.max() < 3:
        return Suggestion()
    n_images = most_probes(made.samples.counts)
    people = int((made.samples.counts >= n_images).sum())
    return Suggestion(
        (
            "# [strat]                     # does the choice of enrolled image matter?",
            f"# n_images = {n_images}                # {counted(people, 'person has', 'people have')} this many",
        )
    )
