"""The findings of an audit, each with its severity, examples and remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import polars as pl

from proband.engine.frames import frame_of_rows
from proband.protocols.audit.losses import Losses
from proband.results.base import Result
from proband.results.serializing import Written
from proband.words import Note, as_sentence, count, counted

Severity = Literal["leak", "fault", "warning", "note"]
"""Leak: training has information on the test. Fault: the division is wrong. Warning: inspect it. Note: expected, but to be reported."""

NAMED = 5
"""The maximum number of cases that a finding names."""


@dataclass(frozen=True, repr=False)
class AuditFinding:
    """One finding of an audit.

    Attributes
    ----------
    kind
        A fixed name for programs to search for.
    severity
        A leak or a fault must be fixed; a warning should be inspected; a note should be reported.
    what
        The finding as a sentence.
    count
        How many there are.
    examples
        The names of the first few cases.
    cure
        The remedy.
    p_value, test
        For findings that may be due to chance: the p-value and the test; otherwise None.
    examples_are_groups
        Whether the examples are reasons or classes of the counted cases instead of the first few cases.
    """

    kind: str
    severity: Severity
    what: Note
    count: int
    examples: tuple[str, ...]
    cure: Note
    p_value: float | None = None
    test: Note | None = None
    examples_are_groups: bool = False

    def __repr__(self) -> str:
        return f"{self.severity}: {as_sentence(self.what)}"


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """All findings of an audit, the most severe first.

    Attributes
    ----------
    source
        Where the splits were read from.
    task
        What is recognised: ``identity``, or ``attribute`` with the column in `label`.
    n_splits, n_samples, n_subjects
        The numbers audited; samples and subjects are those with a role in some split. Without splits (0),
        those of the data set; without subject IDs, no subjects (0).
    looked_for
        The checks that were possible.
    findings
        The finding as a sentence.
    unchecked
        Statements of the protocol that cannot be checked with splits; empty without a protocol.
    duplicates
        Pairs of duplicates on both sides of a split: train and test sample, the kind of copy, distance,
        subjects and splits. Without splits all pairs, with their groups
        (:func:`proband.protocols.audit.undivided.grouped_pairs`). None if there were neither images nor
        vectors.
    losses
        The use and loss of the collected samples; None if they were not given.
    """

    written = Written({"sound": "is_sound"})

    source: str
    task: str
    label: str | None
    n_splits: int
    n_samples: int
    n_subjects: int
    looked_for: tuple[Note, ...]
    findings: tuple[AuditFinding, ...]
    unchecked: tuple[Note, ...] = ()
    duplicates: pl.DataFrame | None = None
    losses: Losses | None = None

    @property
    def is_sound(self) -> bool:
        """Whether there is neither a leak nor a fault."""
        return not any(found.severity in ("leak", "fault") for found in self.findings)

    def of(self, kind: str) -> tuple[AuditFinding, ...]:
        """The findings of one kind."""
        return tuple(found for found in self.findings if found.kind == kind)

    def __repr__(self) -> str:
        counts = {name: sum(one.severity == name for one in self.findings) for name in get_args(Severity)}
        said = ", ".join(f"{counted(n, name)}" for name, n in counts.items() if n) or "nothing found"
        splits = f"{count(self.n_splits)} splits of " if self.n_splits else ""
        return f"Audit({self.source}: {splits}{count(self.n_samples)} samples; {said})"

    def _frame(self, wide: bool) -> pl.DataFrame:
        """Return one row for each finding."""
        rows = [
            {
                "kind": found.kind,
                "severity": found.severity,
                "what": as_sentence(found.what),
                "count": found.count,
                "examples": "; ".join(found.examples),
                "cure": as_sentence(found.cure),
                "p_value": found.p_value,
                "test": None if found.test is None else str(found.test),
            }
            for found in self.findings
        ]
        texts = dict.fromkeys(
            ("kind", "severity", "what", "count", "examples", "cure", "p_value", "test"), pl.String
        )
        return frame_of_rows(rows, texts | {"count": pl.Int64, "p_value": pl.Float64})


def ordered(findings: Sequence[AuditFinding]) -> tuple[AuditFinding, ...]:
    """Sort by severity, keeping the order within each level."""
    rank = {name: place for place, name in enumerate(get_args(Severity))}
    return tuple(sorted(findings, key=lambda found: rank[found.severity]))
