from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.report.page import finding

from proband.report.page import build
from proband.report.page.build import build_page
from proband.report.page.model import Block, ChartBlock, Folded, Page, Panels
from proband.report.page.render import render_page
from proband.report.scene import Scene
from proband.report.tables.table import Cell, Table
from proband.study.findings import Findings

ORDER = [
    "verdict", "gate", "identification", "verification", "thresholds", "open-set", "choices", "strat",
    "comparisons", "groups", "hard-subjects", "protocol", "diagnostics", "methods", "reproduce",
]  # fmt: skip


def flat(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Folded | Panels):
            yield from flat(block.blocks)


def blocks_of(page: Page) -> list[Block]:
    return [block for section in page.sections for block in flat(section.blocks)]


def tables_of(page: Page) -> dict[str, Table]:
    return {block.id: block for block in blocks_of(page) if isinstance(block, Table)}


def test_every_section_is_there_in_order():
    assert [section.id for section in finding.page(finding.whole).sections] == ORDER


def test_sections_without_data_are_not_there():
    page = build_page(Scene(Findings("Nothing", finding.PROVENANCE)))
    assert [section.id for section in page.sections] == ["methods", "reproduce"]
    page = finding.page(finding.one)
    assert [section.id for section in page.sections] == [
        "verdict", "identification", "protocol", "diagnostics", "methods", "reproduce",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "made", [finding.whole, finding.feret, finding.one, finding.labelled, finding.under_protocols]
)
def test_pages_render_with_ids_of_their_own(made):
    page = finding.page(made)
    ids = [block.id for block in blocks_of(page) if isinstance(block, Table | ChartBlock)]
    ids += [section.id for section in page.sections]
    assert len(ids) == len(set(ids))
    assert render_page(page) == render_page(build_page(Scene(made())))


@pytest.mark.parametrize(
    "made", [finding.whole, finding.feret, finding.one, finding.labelled, finding.under_protocols]
)
def test_every_interval_says_what_it_varies(made):
    page = finding.page(made)
    shown: list[Cell] = []
    for table in tables_of(page).values():
        cells = (cell for row in table.rows for cell in row)
        shown += [line for cell in cells for line in cell.lines if line.text.startswith("[")]
    assert shown
    assert all(cell.answers is not None and cell.answers.varying for cell in shown)


def test_rows_are_as_wide_as_their_heads():
    for table in tables_of(finding.page(finding.whole)).values():
        assert {len(row) for row in table.rows} <= {len(table.columns)}


def test_embedded_files():
    found = finding.whole()
    files = build_page(Scene(found)).embedded
    assert set(files) == {
        "results-summary.json", "leaderboard-summary.csv", "cmc-thinned.csv", "study.toml", "methods.txt",
        "references.bib",
    }  # fmt: skip
    assert files["study.toml"] == finding.STUDY
    results = json.loads(files["results-summary.json"])
    assert (
        results["identification"]["evaluation"]["results"][0]["estimates"]
        == found.to_dict()["identification"]["evaluation"]["results"][0]["estimates"]
    )
    rows = list(csv.DictReader(io.StringIO(files["leaderboard-summary.csv"])))
    best = next(iter(found["comparison"].comparisons.values())).ordered[0]
    assert (rows[0]["algorithm"], float(rows[0]["value"])) == (best.facts.algorithm, best.value)
    ranks = {int(row["rank"]) for row in csv.DictReader(io.StringIO(files["cmc-thinned.csv"]))}
    assert set(range(1, 11)) <= ranks
    assert max(ranks) == finding.PEOPLE


@pytest.mark.long
def test_long_lists_are_named_where_they_are_left_out():
    found = finding.many(12)
    results = json.loads(build_page(Scene(found)).embedded["results-summary.json"])
    assert results["left_out"] == ["comparison.comparisons.rank-1.pairs"]
    rows = list(csv.DictReader(io.StringIO(build_page(Scene(found)).embedded["leaderboard-pairs.csv"])))
    assert len(rows) == 66


def plainly_shortened(value: Any, path: str, lacking: list[str]) -> Any:
    """What the page leaves out of the results, each value looked at anew on every level."""

    def is_flat(one: Any) -> bool:
        parts = one.values() if isinstance(one, dict) else ()
        held = [
            part
            for part in parts
            if isinstance(part, dict | list) and not (isinstance(part, dict) and "text" in part)
        ]
        return all(
            isinstance(part, list) and all(isinstance(note, dict) and "text" in note for note in part)
            for part in held
        )

    def is_long(one: Any) -> bool:
        return isinstance(one, list) and (
            (len(one) > 60 and all(map(is_flat, one))) or any(map(is_long, one))
        )

    if isinstance(value, dict):
        paths = {key: f"{path}.{key}" if path else key for key in value}
        lacking += [paths[key] for key, one in value.items() if is_long(one)]
        return {
            key: plainly_shortened(one, paths[key], lacking) for key, one in value.items() if not is_long(one)
        }
    return [plainly_shortened(one, path, lacking) for one in value] if isinstance(value, list) else value


def test_what_is_left_out_of_the_results_is_what_every_level_would_leave_out():
    rng = np.random.default_rng(0)

    def made(depth: int) -> Any:
        kind = rng.integers(6) if depth else 0
        if kind < 2:
            return [1, 0.5, "a", None][rng.integers(4)]
        if kind < 4:
            return {str(k): made(depth - 1) for k in range(rng.integers(1, 5))}
        if kind == 4 and rng.integers(2):
            return [{"p": 0.5, "method": {"text": "a"}, "notes": [{"text": "b"}] * int(rng.integers(3))}] * 61
        inner = made(depth - 1)
        return [inner] * 61 if kind == 4 else [made(depth - 1) for _ in range(rng.integers(4))]

    for _ in range(300):
        given = {str(k): made(5) for k in range(4)}
        found: list[str] = []
        expected: list[str] = []
        assert build._shortened(given, "", found) == plainly_shortened(given, "", expected)
        assert sorted(set(found)) == sorted(set(expected))


@pytest.mark.long
def test_fifty_algorithms_make_a_usable_page():
    page = build_page(Scene(finding.many(50)))
    assert len(render_page(page).encode()) < 2_000_000
    charts = {block.id: block for block in blocks_of(page) if isinstance(block, ChartBlock)}
    assert len(charts["cmc"].looks) == len(charts["det"].looks) == 50
    tables = tables_of(page)
    assert len(tables["leaderboard-1"].rows) == 50
    pairs = charts["forest-1"].data
    assert len(pairs.rows) == 49
    leader = tables["leaderboard-1"].rows[0][1].text
    assert {row[0].text for row in pairs.rows} == {leader}
    assert "of 1,225 pairs" in pairs.notes[0]
    assert "results.json" in pairs.notes[1]
    rows = list(csv.DictReader(io.StringIO(page.embedded["leading-pairs.csv"])))
    leading = {row[1].text for row in tables["leaderboard-1"].rows[:10]}
    assert len(rows) == 45
    assert {row[side] for row in rows for side in ("first", "second")} == leading
    assert "leaderboard-pairs.csv" not in page.embedded


def test_hard_subjects_keep_their_pseudonyms():
    page = finding.page(finding.whole)
    people = [row[0].text for row in tables_of(page)["hard-1-people"].rows]
    assert all(name.startswith("P") for name in people)
    (section,) = (section for section in page.sections if section.id == "hard-subjects")
    assert "s0" not in "".join(
        cell.text
        for block in flat(section.blocks)
        if isinstance(block, Table)
        for row in block.rows
        for cell in row
    )


def test_latex_travels_with_the_leaderboard():
    latex = tables_of(finding.page(finding.whole))["leaderboard-1"].latex
    assert latex is not None
    assert latex.startswith("\\begin{tabular}")


def test_bounds_of_drawn_p_values_are_shown_as_such():
    notes = tables_of(finding.page(finding.whole))["leaderboard-1"].notes
    overall = next(iter(finding.whole()["comparison"].comparisons.values())).overall
    assert overall is not None
    assert overall.p_value == 1e-4
    assert any("p ≤ 0.0001 (labels permuted within people)" in str(note) for note in notes)
