"""The page of a run under protocols: verdict, classes, confusion matrices, sizes and audits."""

from __future__ import annotations

import pytest

from proband.report.page.model import Badges, ChartBlock, Folded, Paragraph, Section
from proband.report.tables.table import Table

from . import finding

pytest.importorskip("sklearn")


def section(name: str) -> Section:
    return next(one for one in finding.page(finding.under_protocols).sections if one.id == name)


def test_the_epd_verdict_stands_first_with_its_justification() -> None:
    badges, justified, table, *_ = section("protocols").blocks
    assert isinstance(badges, Badges)
    assert [(one.text, one.tone) for one in badges.badges] == [
        ("2×3f CV+: EPD: experiments (E) yes, protocol (P) yes, data (D) stated", "good"),
        ("75-25 HO mixed: EPD: experiments (E) no, protocol (P) no, data (D) stated", "warning"),
    ]
    assert justified == Paragraph("Justification, as stated: to compare.")
    assert isinstance(table, Table)
    assert [row[2].text for row in table.rows] == ["yes", "yes", "stated", "no", "no", "stated"]


def test_numbers_are_those_of_the_run() -> None:
    run = finding.under_protocols()["protocol"]
    assert run is not None
    blocks = section("protocols").blocks
    quoted = next(one for one in blocks if isinstance(one, Table) and one.id == "protocol-quoted")
    balanced = [row[-1].value for row in quoted.rows]
    expected = [
        100 * found.classification.rate(one.classifier, "macro-top-1").value
        for found in run.findings
        for one in found.results
    ]
    assert balanced == pytest.approx(expected)
    folded = next(one for one in blocks if isinstance(one, Folded))
    matrix = next(one for one in folded.blocks if isinstance(one, Table) and one.id == "classes-0-1")
    counts = [[cell.value for cell in row[1:]] for row in matrix.rows]
    assert counts == run.findings[0].classification.confusion("lda").tolist()
    charts = [one.id for one in blocks if isinstance(one, ChartBlock)]
    assert charts == ["protocol-accuracies", "protocol-sizes-chart-0", "protocol-sizes-chart-1"]


def test_audits_tell_their_verdict() -> None:
    strong = [one.text for one in section("audits").blocks if isinstance(one, Paragraph) and one.strong]
    assert strong == ["No leak and no fault was found.", "Not sound: 1 leak."]
