"""Proposal of a classification analysis for a new study file."""

from __future__ import annotations

from proband.study.init.columns import toml_text
from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Propose evaluating the class scores that share a set of labels, or the predicted classes of a table."""
    if not made.logits:
        return Suggestion()
    first = made.logits[0]
    lines = ["[classification]"]
    if first.path != first.table:
        files = [
            made.named(one.path)
            for one in made.logits
            if (one.truth, one.table) == (first.truth, first.table)
        ]
        lines.append(
            f"scores = [{', '.join(map(toml_text, files))}]   # samples × classes: {', '.join(first.models)}"
        )
    if first.table is not None:
        rows = "" if first.path == first.table else "   # rows in the order of the scores"
        lines.append(f"table = {toml_text(made.named(first.table))}{rows}")
    if first.path == first.table:
        lines.append(
            f"predicted = [{', '.join(map(toml_text, first.models))}]   # predicted classes; check them"
        )
    return Suggestion(
        (
            *lines,
            f"truth = {toml_text(first.truth)}   # the true class; check it",
            '# cluster = "…"               # column of the independent units (patient, speaker)',
            '# average = "macro"           # weight every class equally',
            "# margin = 0.01               # the smallest difference that matters",
        )
    )
