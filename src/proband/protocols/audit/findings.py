"""What an audit found: each finding with its weight, whom it names and how to mend it."""

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
"""Training knows of the test; the division is not what it should be; look at it; as expected, but to be said."""

NAMED = 5
"""How many offenders a finding names."""


@dataclass(frozen=True, repr=False)
class AuditFinding:
    """One thing that an audit found.

    Attributes
    ----------
    kind
        What it is known by, to be looked for by programs.
    severity
        A leak and a fault must be mended; a warning should be looked at; a note is to be reported.
    what
        What was found.
    count
        How many there are.
    examples
        The first few, by name.
    cure
        How to mend it.
    p_value, test
        Of findings that chance could have made: how probable, and by which test; otherwise None.
    examples_are_groups
        Whether the examples are reasons or classes of what is counted, and not the first of it.
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
    """All that an audit found, the gravest first.

    Attributes
    ----------
    source
        Where the splits stood.
    task
        What is recognised: ``identity``, or ``attribute`` with the column in `label`.
    n_splits, n_samples, n_subjects
        What was looked at; samples and subjects are those with a role in some split. Without splits (0) those of the data set; no
        subjects (0) if nobody says who is on the pictures.
    looked_for
        The questions that could be asked of what was given.
    findings
        What was found.
    unchecked
        What the protocol says and splits cannot show; empty if there is none.
    duplicates
        Pairs of duplicates that stand on both sides of a split: train and test sample, how they are alike, distance, subjects and
        splits. Without splits all pairs, with their groups (:func:`proband.protocols.audit.undivided.grouped_pairs`). None if
        there were neither images nor vectors.
    losses
        What became of the collected samples; None if nothing was said of them.
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
    """Put the gravest first; among equals the order stays."""
    rank = {name: place for place, name in enumerate(get_args(Severity))}
    return tuple(sorted(findings, key=lambda found: rank[found.severity]))
