"""Proposal of a choices analysis for a new study file."""

from __future__ import annotations

from proband.study.init.columns import session_columns, toml_text
from proband.study.init.proposal import Proposal, Suggestion


def propose(made: Proposal) -> Suggestion:
    """Propose it for scores of all samples against each other; images of one sitting are exchangeable."""
    if not made.all_with_all or made.table is None:
        return Suggestion()
    sessions = session_columns(made.table.frame)
    groups = (f"# groups = [{toml_text(sessions[0])}]",) if sessions else ()
    return Suggestion(
        (
            "# [choices]                   # what if other images of these people had been chosen?",
            *groups,
            "# n_resamples = 10000",
        )
    )
