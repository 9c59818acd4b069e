"""What a paper reports, beside what is found on synthetic people."""

from __future__ import annotations

from dataclasses import dataclass

from proband.results.base import Result
from proband.words import Note


@dataclass(frozen=True)
class Finding(Result):
    """Something the paper reports, known by the code of its note, and what became of it here."""

    paper: Note
    here: Note
    agrees: bool | None
