"""Audits, and what would have been otherwise, as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband.protocols.audit_findings import Audit, Finding
from proband.words import as_sentence

if TYPE_CHECKING:
    from rich.table import Table

    from proband.protocols.what_if import WhatIf

_STYLES = {"leak": "bold red", "fault": "red", "warning": "yellow", "note": "dim"}


def findings_table(audit: Audit) -> Table:
    """Make a table of findings, the gravest first: what was found, whom it names, and the cure."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("", "found", "named", "cure"):
        table.add_column(name, overflow="fold")
    for found in audit.findings:
        cells = (found.severity, finding_sentence(found), _named(found), found.cure)
        table.add_row(*map(escape, cells), style=_STYLES[found.severity])
    return table


def finding_sentence(found: Finding) -> str:
    """The finding, with its p-value if chance could have made it."""
    what = as_sentence(found.what)
    if found.p_value is None:
        return what
    shown = "p < 0.0001" if found.p_value < 1e-4 else f"p = {found.p_value:.4f}"
    return f"{what} {shown} ({found.test})."


def _named(found: Finding) -> str:
    rest = found.count - len(found.examples)
    # Reasons and classes are counted in samples, so that what is left of them is not known.
    more = [f"and {rest:,} more"] if rest > 0 and found.examples and not found.examples_are_groups else []
    return "\n".join([*found.examples, *more])


def audit_statements(audit: Audit) -> list[str]:
    """Say what was looked at, for what, and what the outcome is."""
    subjects = "subject" if audit.n_subjects == 1 else "subjects"
    splits = "split" if audit.n_splits == 1 else "splits"
    what = audit.task if audit.label is None else f"{audit.task} {audit.label}"
    said = [
        f"{audit.source}: {audit.n_splits:,} {splits} of {audit.n_samples:,} samples of {audit.n_subjects:,} {subjects}, to "
        f"recognise {what}.",
        f"Looked for: {'; '.join(map(str, audit.looked_for))}.",
    ]
    if audit.unchecked:
        said.append(f"Of the protocol it was not checked: {'; '.join(map(str, audit.unchecked))}.")
    if audit.duplicates is None:
        said.append("Copies of images were not looked for: give --images or --embeddings.")
    if audit.losses is None:
        said.append(
            "Nothing is known of samples that were collected and dropped: give --collected and --exclusions."
        )
    else:
        lost = audit.losses
        said.append(
            f"Of {lost.n_collected:,} collected samples {lost.n_used:,} are used and {lost.n_lost:,} are not."
        )
    return said


def verdict(audit: Audit) -> str:
    """Say in one sentence whether the splits are sound."""
    counts = {name: sum(found.severity == name for found in audit.findings) for name in ("leak", "fault")}
    if audit.is_sound:
        return "Neither a leak nor a fault was found."
    said = " and ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in counts.items() if n)
    return f"Not sound: {said}."


def what_if_table(found: WhatIf) -> Table:
    """Make a table of the two sides: accuracy with its interval, and its spread over runs."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(
        ("", "protocol", "samples", "accuracy", "interval", "mean over runs", "runs")
    ):
        table.add_column(name, justify="right" if place > 1 else "left")
    for one in found.sides:
        pooled, spread = one.result.pooled, one.result.spread
        ends = "" if pooled.low is None else f"[{pooled.low:.3f}, {pooled.high:.3f}]"
        over = f"{spread.mean:.4f}" + ("" if spread.std is None else f" ± {spread.std:.4f}")
        cells = (
            one.name,
            str(one.result.protocol),
            f"{one.n_samples:,}",
            f"{pooled.value:.4f}",
            ends,
            over,
            f"{spread.n_runs:,}",
        )
        table.add_row(*map(Text, cells))
    return table


def what_if_statements(found: WhatIf) -> list[str]:
    """Say the difference, what varies behind it, and what a reader should know."""
    answers = found.answers
    return [
        f"{found.classifier}: {found.sentence()}.",
        f"Varying {answers.varying} ({found.n_subjects:,}); fixed: {answers.fixed}; assuming: {answers.assuming}.",
        *(as_sentence(note) for note in found.notes),
    ]
