"""Classifiers under protocols, and audits of splits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proband.protocols.audit.findings import Audit
from proband.protocols.running.factors import SizeEffect
from proband.protocols.running.results import ProtocolFindings, ProtocolRun
from proband.report.analyses.audits import audit_statements, findings_table, verdict
from proband.report.analyses.protocol_tables import class_tables, epd_table, sizes_table
from proband.report.analyses.protocols import (
    epd_statements,
    intervals_table,
    quoted_verdicts,
    run_statements,
    runs_table,
)
from proband.report.charts.makers.protocols import accuracies, sizes
from proband.report.leading import looks
from proband.report.page.charts import shown
from proband.report.page.model import Badge, Badges, Block, Chart, Folded, Paragraph, Section, said
from proband.report.page.registry import section
from proband.report.table import Table
from proband.words import as_sentence

if TYPE_CHECKING:
    from proband.study.findings import Findings


@section("protocols", 11)
def protocols_section(found: Findings) -> Section | None:
    """The EPD verdict, the accuracies over runs and their intervals, then sizes, classes, and what the numbers mean."""
    run = found.protocol
    if run is None:
        return None
    blocks: list[Block] = [Badges(tuple(_badge(one) for one in run.findings))]
    blocks += said(epd_statements(run)[len(run.findings) :])
    blocks += [
        _named("epd", epd_table(run)),
        _named("runs", runs_table(run)),
        _named("protocol-quoted", intervals_table(run)),
    ]
    blocks += said(quoted_verdicts(run))
    blocks.append(_accuracies(found, run))
    if run.sizes:
        blocks += [
            shown(chart, _named(f"{chart.id}-data", sizes_table(own)))
            for chart, own in zip(sizes(run.sizes), _by_protocol(run), strict=True)
        ]
    blocks += [_classes(place, one) for place, one in enumerate(run.findings)]
    blocks += [
        Folded("Both intervals", (_named("sure", intervals_table(run, everything=True)),)),
        Folded("What the accuracies mean", tuple(said(run_statements(run)))),
    ]
    return Section("protocols", "Accuracy under protocols", tuple(blocks))


def _badge(found: ProtocolFindings) -> Badge:
    """The three letters of a protocol; why is explained on demand."""
    explained = " ".join(as_sentence(one) for one in found.epd.sentences())
    return Badge(
        f"{found.protocol}: {found.epd.summary()}", "good" if found.epd.met else "warning", explained
    )


def _accuracies(found: Findings, run: ProtocolRun) -> Chart:
    table = replace(intervals_table(run), id="protocol-accuracies-data")
    return shown(accuracies(run), table, looks(found))


def _classes(place: int, found: ProtocolFindings) -> Folded:
    tables = tuple(_named(f"classes-{place}-{k}", one) for k, one in enumerate(class_tables(found)))
    return Folded(f"Classes and confusions, {found.protocol}", tables)


def _by_protocol(run: ProtocolRun) -> list[list[SizeEffect]]:
    return [[one for one in run.sizes if one.protocol == found.protocol] for found in run.findings]


def _named(id: str, table: Table) -> Table:
    return replace(table, id=id)


@section("audits", 14)
def audits_section(found: Findings) -> Section | None:
    """Whether splits, or a data set without any, are sound, and what was found in them."""
    if not found.audits:
        return None
    blocks = [block for place, one in enumerate(found.audits) for block in _audit(place, one)]
    what = "splits" if any(one.n_splits for one in found.audits) else "data set"
    return Section("audits", f"Audit of the {what}", tuple(blocks))


def _audit(place: int, one: Audit) -> list[Block]:
    table = [_named(f"audit-{place}", findings_table(one))] if one.findings else []
    first, *rest = audit_statements(one)
    return [
        Paragraph(as_sentence(verdict(one)), strong=True),
        *said([first]),
        *table,
        Folded("What was looked for", tuple(said(rest))),
    ]
