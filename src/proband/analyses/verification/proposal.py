"""Proposal of verification for a new study file."""

from __future__ import annotations

from proband.study.init.columns import among, groups_of_people, toml_text
from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Runs by default; by group if the table has columns that describe people."""
    if not made.of_people:
        return Suggestion()
    lines = ["# [verification]              # runs by default", "# fmr = [0.01, 0.001, 0.0001]"]
    if made.table is not None and made.table.subject is not None:
        left_out = {made.table.id, made.table.subject}
        groups = groups_of_people(made.table.frame, made.table.subject, left_out)
        if groups:
            lines.append(
                f"# by = [{toml_text(groups[0])}]   # error rates by group; candidates: {among(groups)}"
            )
    return Suggestion((*lines, "# zoo = true                  # are errors concentrated on a few people?"))
