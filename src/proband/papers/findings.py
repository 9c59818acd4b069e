"""What a paper reports, beside what is found on synthetic people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proband.words import Note


@dataclass(frozen=True)
class Finding:
    """Something the paper reports, known by the code of its note, and what became of it here."""

    paper: Note
    here: Note
    agrees: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"paper": self.paper.to_dict(), "here": self.here.to_dict(), "agrees": self.agrees}
