"""What a paper reports, beside what is found on synthetic people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something the paper reports, and what became of it here."""

    paper: str
    here: str
    agrees: bool | None
