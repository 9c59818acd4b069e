"""Views of what-if comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from proband.protocols.running.what_if import ComparedSide, WhatIf
from proband.report.methods_text import MethodsText
from proband.report.page.model import Block, Folded, Paragraph, Section, said
from proband.report.scene import Scene
from proband.report.tables.cells import (
    columns,
    count_cell,
    error_cell,
    interval_cell,
    over,
    rate_cell,
    text_cell,
)
from proband.report.tables.table import Cell, Column, Table
from proband.report.view import Passage, Placed, Summary, View, shows
from proband.words import Note, Sentence, as_sentence

_FOUND = Sentence("what-if.difference", "note", "{classifier}, pooled estimates: {found}")
_ANSWERS = Sentence(
    "what-if.answers",
    "note",
    "What varies: {varying} ({n:count person/people} here). Held fixed: {fixed}. Assumed: {assuming}",
)
_MIXED = "Mixed and disjoint subjects"
_DROPPED = "With and without the dropped samples"
_METHODS = Sentence(
    "methods.what-if",
    "note",
    "{classifier} was run under {first} and under {second}; the difference of pooled estimates has a t interval over people, paired because the same people are in both",
)


@shows(WhatIf)
class WhatIfView(View[WhatIf]):
    """The two sides, and the effect of the change."""

    def tables(self, found: WhatIf) -> Sequence[Table]:
        """The two sides: the accuracy over runs, and the pooled estimate with its interval."""
        heads = (
            *columns("", "protocol", "samples", "accuracy", "runs", "pooled estimate", text=2),
            Column("its interval", "interval"),
        )
        return [Table("", heads, tuple(map(_row, found.sides)))]

    def notes(self, found: WhatIf) -> Sequence[Note]:
        """The difference, what varies, and other notes."""
        answers = found.answers
        varying = _ANSWERS(
            varying=answers.varying,
            n=found.difference.rests_on.n_units,
            fixed=answers.fixed,
            assuming=answers.assuming,
        )
        return [_FOUND(classifier=found.classifier, found=found.sentence()), varying, *found.notes]

    def passages(self, found: WhatIf, explain: bool) -> Iterator[Passage]:
        """The difference beneath the two sides."""
        decided, *rest = self.notes(found)
        yield Passage(self.tables(found), [decided], rest, self.answers(found))

    def frames(self, found: WhatIf) -> Mapping[str, pl.DataFrame]:
        """A row for each side."""
        return {"what_if": found.to_frame()}

    def sections(self, found: WhatIf, scene: Scene) -> Iterator[Placed]:
        """The difference and both sides; the rest is folded."""
        decided, *rest = self.notes(found)
        (sides,) = self.tables(found)
        blocks: tuple[Block, ...] = (
            Paragraph(as_sentence(decided), strong=True),
            replace(sides, id="what-if-sides"),
            Folded("Notes on the difference", tuple(said(rest))),
        )
        title = _MIXED if found.question == "mixed" else _DROPPED
        yield Placed(13, Section("what-if", title, blocks))

    def algorithms(self, found: WhatIf) -> Sequence[str]:
        """The one classifier."""
        return [found.classifier]

    def headline(self, found: WhatIf, scene: Scene) -> Summary | None:
        """The effect of the change."""
        return Summary(self.notes(found)[0], found.answers, precedence=115)

    def methods(self, found: WhatIf, text: MethodsText, scene: Scene) -> None:
        """Describe how both sides were run."""
        first, second = (f"{one.result.protocol} ({one.name})" for one in found.sides)
        text.say(_METHODS(classifier=found.classifier, first=first, second=second), "student1908")


def _row(side: ComparedSide) -> tuple[Cell, ...]:
    pooled, spread = side.result.pooled, side.result.spread
    ends = (pooled.low, pooled.high) if pooled.has_interval else None
    return (
        text_cell(side.name),
        text_cell(str(side.result.protocol)),
        count_cell(side.n_samples),
        over(rate_cell(spread.mean), error_cell(spread.std)),
        count_cell(spread.n_runs),
        rate_cell(pooled.value),
        interval_cell(ends),
    )
