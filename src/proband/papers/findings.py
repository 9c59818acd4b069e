"""What a paper reports, beside what is found on synthetic people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proband.report.cells import text_cell
from proband.report.table import Column, Table
from proband.words import Note

_AGREES = {True: "yes", False: "no", None: "–"}


@dataclass(frozen=True)
class Finding:
    """Something the paper reports, known by the code of its note, and what became of it here."""

    paper: Note
    here: Note
    agrees: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"paper": self.paper.to_dict(), "here": self.here.to_dict(), "agrees": self.agrees}


def findings_table(found: Sequence[Finding]) -> Table:
    """What the paper reports beside what was found here, and whether they agree."""
    heads = (Column("the paper", "name"), Column("here"), Column("agrees"))
    rows = (
        (text_cell(str(one.paper)), text_cell(str(one.here)), text_cell(_AGREES[one.agrees])) for one in found
    )
    return Table("", heads, tuple(rows))
