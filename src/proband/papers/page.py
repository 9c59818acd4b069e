"""The page of a reproduction: the paper's tables and figures beside ours, and what agrees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proband._version import __version__
from proband.engine.files.documents import as_json
from proband.papers.claims import Claim, counts_of, summary_of
from proband.report.cells import table, text_cell
from proband.report.directory import MARK, whole_directory
from proband.report.page.model import Block, Facts, Page, Paragraph, Section, said
from proband.report.page.render import render_page
from proband.report.page.sections.reproduce import again
from proband.report.table import Cell, Column, Table, Tone
from proband.report.writer import REPORT
from proband.study.findings import Provenance
from proband.study.inputs import versions
from proband.words import Note, as_sentence, plain

_TONES: dict[str, Tone] = {"agrees": "good", "disagrees": "bad", "cannot be judged": "warning"}


@dataclass(frozen=True, eq=False)
class Item:
    """A table, a figure or a section of the paper: what was published and what was found, and the claims about it.

    Attributes
    ----------
    key
        What the page knows it by.
    blocks
        Tables and charts, the published numbers beside ours.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper's study carried out anew.

    Attributes
    ----------
    key, title, paper
        What it is called, and what paper it is of.
    command, seed
        How to do it again.
    about
        What is different from the paper: people, sizes, algorithms.
    items
        In the order of the paper.
    settings, numbers
        For results.json: what was asked for, and what was found beyond the claims.
    notes
        What was left out.
    """

    key: str
    title: str
    paper: str
    command: str
    seed: int
    about: tuple[Note, ...]
    items: tuple[Item, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, in the order of the paper."""
        return tuple(one for item in self.items for one in item.claims)

    def to_dict(self) -> dict[str, Any]:
        """Return claims, settings and numbers as plain values, ready for JSON."""
        return {
            "proband": __version__,
            "study": self.key,
            **plain(self.settings),
            "summary": counts_of(self.claims),
            "claims": [one.to_dict() for one in self.claims],
            "notes": [note.to_dict() for note in self.notes],
            **plain(self.numbers),
        }


def claims_table(claims: Sequence[Claim], *, brief: bool = False) -> Table:
    """Every claim with its verdict; `brief` leaves out what was published and found, so that it fits a terminal."""
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
        "claims", "What the paper reports, and whether it holds here", (*heads, Column("verdict")), rows
    )


def page_of(made: Reproduction) -> Page:
    """The page: a summary, a section for each table or figure of the paper, and how to do it again."""
    lacking = [one for one in made.claims if one.why is not None]
    reasons = table(
        "reasons",
        "Why some do not agree",
        (Column("in the paper", "name"), Column("verdict"), Column("why")),
        [
            (text_cell(one.place), Cell(one.verdict, one.verdict, tone=_TONES[one.verdict]), text_cell(as_sentence(one.why)))
            for one in lacking
            if one.why is not None
        ],
    )  # fmt: skip
    summary: list[Block] = [
        Paragraph(as_sentence(summary_of(made.claims)), strong=True),
        *said(made.about),
        claims_table(made.claims),
        *([reasons] if lacking else []),
        *said(made.notes),
    ]
    provenance = Provenance(made.command, seed=made.seed, versions=versions())
    items = (Section(one.key, one.title, (*one.blocks, *map(_judged, one.claims))) for one in made.items)
    return Page(
        made.title, made.paper, (Section("summary", "Summary", tuple(summary)), *items, again(provenance))
    )


def _judged(claim: Claim) -> Facts:
    rows = [
        ("the paper", as_sentence(claim.paper)),
        ("rule", as_sentence(claim.rule)),
        ("here", as_sentence(claim.here)),
        ("what it could show", as_sentence(claim.power)),
        *([] if claim.why is None else [("why", as_sentence(claim.why))]),
    ]
    return Facts(tuple(rows), f"{claim.verdict[0].upper()}{claim.verdict[1:]}: {claim.key.partition('.')[2]}")


def write_reproduction(
    made: Reproduction,
    out: Path,
    attached: Sequence[str] = (),
    attach: Callable[[Path], None] | None = None,
) -> Path:
    """Write the page, results.json and what is `attached` into a directory of their own; return the page."""
    with whole_directory(out, attached) as draft:
        (draft / MARK).write_text(as_json(made.to_dict()), encoding="utf-8")
        (draft / REPORT).write_text(render_page(page_of(made)), encoding="utf-8")
        if attach is not None:
            attach(draft)
    return Path(out) / REPORT
