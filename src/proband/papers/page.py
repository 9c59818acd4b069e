"""The page of a reproduction: the paper's tables and figures next to ours, and which claims agree."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proband.papers.claims import Claim, Verdict, counts_of, summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.model import Block, Code, FactsBlock, Paragraph, Section, said
from proband.report.scene import Scene
from proband.report.tables.cells import table, text_cell
from proband.report.tables.table import Cell, Column, Table, Tone
from proband.report.view import Passage, Placed, Summary, View, shows
from proband.report.writer import write_run
from proband.results.base import Result
from proband.results.serializing import Written
from proband.study.findings import Findings, Provenance
from proband.study.inputs import versions
from proband.words import Note, Sentence, as_sentence

PART = "reproduction"
"""The key of a reproduction in the findings."""
_TONES: dict[str, Tone] = {"agrees": "good", "disagrees": "bad", "cannot be judged": "warning"}
_MORE = "--explain shows the rule of every claim; the report has it too."
_METHODS = Sentence(
    "methods.reproduction",
    "note",
    "The study of {paper} was reproduced with synthetic people, and each of {n:count claim} was judged by its stated rule",
)


@dataclass(frozen=True, eq=False)
class Item:
    """A table, a figure or a section of the paper, published and here, with the claims about it.

    Attributes
    ----------
    key
        The key of the section on the page.
    blocks
        Tables and charts with the published numbers next to ours.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, eq=False)
class Reproduction(Result):
    """A reproduced study.

    Attributes
    ----------
    study, title, paper
        Its key, its title, and its paper.
    command, seed
        How to repeat it.
    about
        Differences from the paper: people, sizes, algorithms.
    items
        In the order of the paper.
    settings, numbers
        The settings, and results beyond the claims.
    notes
        What was left out.
    parts
        The results of analyses by key, if each was carried out once.
    further
        Commands that continue from the files next to the page, in its directory.
    """

    written = Written(
        also=("summary", "claims"),
        without=("title", "command", "seed", "about", "items", "notes", "parts", "further"),
    )

    study: str
    title: str
    paper: str
    command: str
    seed: int
    about: tuple[Note, ...]
    items: tuple[Item, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    parts: Mapping[str, Result] = field(default_factory=dict)
    further: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, in the order of the paper."""
        return tuple(one for item in self.items for one in item.claims)

    @property
    def summary(self) -> dict[Verdict, int]:
        """The numbers of claims that agree, disagree and cannot be judged."""
        return counts_of(self.claims)

    def findings(self) -> Findings:
        """Return the reproduction with the results of the analyses, as it is written."""
        provenance = Provenance(self.command, seed=self.seed, versions=versions())
        return Findings(self.title, provenance, {PART: self, **self.parts}, notes=self.notes)


@shows(Reproduction)
class ReproductionView(View[Reproduction]):
    """Every claim with its verdict, and the paper's tables and figures next to ours."""

    def tables(self, found: Reproduction) -> Sequence[Table]:
        """Every claim."""
        return [claims_table(found.claims)]

    def notes(self, found: Reproduction) -> Sequence[Note]:
        """Differences from the paper."""
        return found.about

    def passages(self, found: Reproduction, explain: bool) -> Iterator[Passage]:
        """Every claim with its verdict, and why some do not agree; with `explain` also its rule and result."""
        told: list[Note | str] = [summary_of(found.claims)]
        for one in found.claims:
            name = one.key.partition(".")[2]
            if explain:
                parts = {"paper": one.paper, "rule": one.rule, "here": one.here, "could show": one.power}
                told += [f"{name}, {what}: {note}." for what, note in parts.items()]
            if one.why is not None:
                told.append(f"{name} {one.verdict}: {one.why}.")
        told += [*found.about, *found.notes] if explain else [*found.about[:1], _MORE]
        yield Passage([claims_table(found.claims, brief=True)], told)

    def sections(self, found: Reproduction, scene: Scene) -> Iterator[Placed]:
        """A summary, and a section for each table or figure of the paper."""
        lacking = [one for one in found.claims if one.why is not None]
        summary: list[Block] = [
            Paragraph(as_sentence(summary_of(found.claims)), strong=True),
            Paragraph(f"{found.paper}."),
            *said(found.about),
            claims_table(found.claims),
            *([_reasons_table(lacking)] if lacking else []),
            *said(found.notes),
        ]
        yield Placed(1, Section("summary", "Summary", tuple(summary)))
        for place, one in enumerate(found.items, 1):
            section = Section(one.key, one.title, (*one.blocks, *map(_judged, one.claims)))
            yield Placed(1 + place / (len(found.items) + 1), section)
        if found.further:
            commands: list[Block] = [Code(command) for command in found.further]
            told = Paragraph("Run in the directory of this page:")
            yield Placed(2, Section("further", "Continue with the saved scores", (told, *commands)))

    def headline(self, found: Reproduction, scene: Scene) -> Summary | None:
        """How many claims agree."""
        return Summary(summary_of(found.claims), precedence=1, in_section=True)

    def methods(self, found: Reproduction, text: MethodsText, scene: Scene) -> None:
        """State that the study was reproduced."""
        text.say(_METHODS(paper=found.paper, n=len(found.claims)))


def claims_table(claims: Sequence[Claim], *, brief: bool = False) -> Table:
    """Make a table of all claims with verdicts; `brief` leaves out the results, so that it fits a terminal."""
    heads = [Column("in the paper", "name"), Column("claim", "name" if brief else "text")]
    rows: list[tuple[Cell, ...]] = []
    for one in claims:
        verdict = Cell(one.verdict, one.verdict, tone=_TONES[one.verdict])
        if brief:
            rows.append((text_cell(one.place), text_cell(one.key.partition(".")[2]), verdict))
        else:
            rows.append((text_cell(one.place), *map(text_cell, (str(one.paper), str(one.here))), verdict))
    heads += [] if brief else [Column("here")]
    return table(
        "claims", "Claims of the paper, and whether they hold here", (*heads, Column("verdict")), rows
    )


def command_of(*words: str) -> str:
    """Return a command for copying; conditions, which quote text, are in double quotes."""
    return " ".join(f'"{word}"' if "'" in word else shlex.quote(word) for word in words)


def contents(rows: Sequence[tuple[str, str, str]]) -> Table:
    """Make a table of every numbered table and figure of a paper: its number, its content, and its counterpart on the page."""
    heads = (Column("in the paper", "name"), Column("what it shows"), Column("on this page"))
    cells = (tuple(map(text_cell, row)) for row in rows)
    return table("contents-table", "Tables and figures of the paper", heads, cells)


def _reasons_table(lacking: Sequence[Claim]) -> Table:
    rows = [
        (
            text_cell(one.place),
            Cell(one.verdict, one.verdict, tone=_TONES[one.verdict]),
            text_cell("" if one.why is None else as_sentence(one.why)),
        )
        for one in lacking
    ]
    heads = (Column("in the paper", "name"), Column("verdict"), Column("why"))
    return table("reasons", "Why some claims do not agree", heads, rows)


def _judged(claim: Claim) -> FactsBlock:
    rows = [
        ("the paper", as_sentence(claim.paper)),
        ("rule", as_sentence(claim.rule)),
        ("here", as_sentence(claim.here)),
        ("what it could show", as_sentence(claim.power)),
        *([] if claim.why is None else [("why", as_sentence(claim.why))]),
    ]
    return FactsBlock(
        tuple(rows), f"{claim.verdict[0].upper()}{claim.verdict[1:]}: {claim.key.partition('.')[2]}"
    )


def write_reproduction(
    made: Reproduction,
    out: Path,
    attached: Sequence[str] = (),
    attach: Callable[[Path], None] | None = None,
) -> Path:
    """Write the page, results.json and the `attached` files into a separate directory; return the page."""
    return write_run(made.findings(), Path(out), (), attach=attach, attached=attached)
