"""Views of audits of splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from proband.analyses.audit.run import Audits
from proband.analyses.audit.tables import audit_statements, findings_table, verdict
from proband.protocols.audit.findings import Audit
from proband.report.page.model import Block, Folded, Paragraph, Section, said
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Passage, Placed, Summary, View, shows
from proband.words import Note, as_sentence


@shows(Audits)
class AuditsView(View[Audits]):
    """Whether splits, or a data set without any, are sound."""

    def tables(self, found: Audits) -> Sequence[Table]:
        """Findings of each audit."""
        return [findings_table(one) for one in found.audits]

    def notes(self, found: Audits) -> Sequence[Note]:
        """The verdict and the checks made."""
        return [note for one in found.audits for note in (verdict(one), *audit_statements(one))]

    def passages(self, found: Audits, explain: bool) -> Iterator[Passage]:
        """The findings of each audit with its verdict below."""
        for one in found.audits:
            tables = [findings_table(one)] if one.findings else []
            yield Passage(tables, [verdict(one)], audit_statements(one))

    def frames(self, found: Audits) -> Mapping[str, pl.DataFrame]:
        """A row for each finding, and for each pair of copies if copies were searched for."""
        sought = [(one, one.duplicates) for one in found.audits if one.duplicates is not None]
        made = {"audit": _stacked("splits", [(one, one.to_frame()) for one in found.audits])}
        return made | ({"audit_copies": _stacked("audited", sought)} if sought else {})

    def sections(self, found: Audits, scene: Scene) -> Iterator[Placed]:
        """Each audit with its verdict and findings."""
        blocks = [block for place, one in enumerate(found.audits) for block in _audit(place, one)]
        what = "splits" if any(one.n_splits for one in found.audits) else "data set"
        yield Placed(14, Section("audits", f"Audit of the {what}", tuple(blocks)))

    def headline(self, found: Audits, scene: Scene) -> Summary | None:
        """Whether the first audit passed."""
        return Summary(verdict(found.audits[0]), precedence=120)


def _stacked(column: str, frames: Sequence[tuple[Audit, pl.DataFrame]]) -> pl.DataFrame:
    """Tables of several audits, one below the other, with a column of what was audited."""
    named = [frame.select(pl.lit(one.source).alias(column), pl.all()) for one, frame in frames]
    return pl.concat(named, how="diagonal_relaxed")


def _audit(place: int, one: Audit) -> list[Block]:
    table = [replace(findings_table(one), id=f"audit-{place}")] if one.findings else []
    first, *rest = audit_statements(one)
    return [
        Paragraph(as_sentence(verdict(one)), strong=True),
        *said([first]),
        *table,
        Folded("Checks", tuple(said(rest))),
    ]
