"""The section on reproduction: command, study file, seed, versions and files."""

from __future__ import annotations

from proband.report.page.model import Block, Code, FactsBlock, Section
from proband.report.page.registry import section
from proband.report.scene import Scene
from proband.report.tables import cells
from proband.study.findings import Provenance


@section("reproduce", 100)
def reproduce_section(scene: Scene) -> Section:
    """Everything needed to repeat the study."""
    return again(scene.found.provenance)


def again(origin: Provenance) -> Section:
    """How to repeat a run."""
    blocks: list[Block] = [Code(origin.command, "Command")] if origin.command else []
    if origin.study:
        blocks.append(Code(origin.study, "study.toml"))
    facts = [("seed", str(origin.seed)), *origin.versions.items()]
    blocks.append(FactsBlock(tuple(facts), "Seed and versions"))
    if origin.inputs:
        rows = [
            [cells.text_cell(one.name), cells.count_cell(one.n_bytes), cells.text_cell(one.sha256)]
            for one in origin.inputs
        ]
        heads = (*cells.columns("file", "bytes"), *cells.columns("SHA-256"))
        blocks.append(cells.table("inputs", "Files read", heads, rows))
    return Section("reproduce", "Reproduce", tuple(blocks))
