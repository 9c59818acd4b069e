"""Proposal of a classification analysis for a new study file."""

from __future__ import annotations

from proband.study.init.columns import toml_text
from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Propose evaluating the class scores that share a set of labels."""
    if not made.logits:
        return Suggestion()
    first = made.logits[0]
    files = [
        made.named(one.path) for one in made.logits if (one.truth, one.table) == (first.truth, first.table)
    ]
    lines = [
        "[classification]",
        f"scores = [{', '.join(map(toml_text, files))}]   # samples × classes: {', '.join(first.models)}",
    ]
    if first.table is not None:
        lines.append(f"table = {toml_text(made.named(first.table))}   # rows in the order of the scores")
    return Suggestion(
        (
            *lines,
            f"truth = {toml_text(first.truth)}   # the true class; check it",
            '# cluster = "…"               # column of the independent units (patient, speaker)',
            '# average = "macro"           # weight every class equally',
            "# margin = 0.01               # the smallest difference that matters",
        )
    )
