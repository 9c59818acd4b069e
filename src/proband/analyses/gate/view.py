"""A gate shown: the decision, both algorithms, and what it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.analyses.gate.tables import gate_statements, gate_table
from proband.inference.comparisons.gate import Gate
from proband.report import cells
from proband.report.figures.identification import comparison_figure
from proband.report.methods_text import MethodsText
from proband.report.model_card import CardMetric, rounded
from proband.report.page.model import Block, Folded, Paragraph, Section, said
from proband.report.plotting import drawn_by
from proband.report.scene import Scene
from proband.report.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.difference import margin_of
from proband.results.estimate import Estimate
from proband.words import Note, Sentence, as_sentence

_GATED = Sentence(
    "methods.gate",
    "note",
    "{candidate} was to replace {baseline} if shown not to be worse by {margin} ({measure}; one-sided bounds at the "
    "{level:level} level): {methods:parts}",
)


@shows(Gate)
class GateView(View[Gate]):
    """A new algorithm against the baseline it would replace."""

    plot = staticmethod(drawn_by(comparison_figure, lambda gate: gate.comparison))

    def tables(self, found: Gate) -> Sequence[Table]:
        """The new algorithm and the baseline."""
        return [gate_table(found)]

    def notes(self, found: Gate) -> Sequence[Note]:
        """The decision, and what it rests on."""
        return gate_statements(found)

    def passages(self, found: Gate, explain: bool) -> Iterator[Passage]:
        """The decision and its power beneath the table."""
        decided, power, *rest = gate_statements(found)
        yield Passage([gate_table(found)], [decided, power], rest, [found.comparison.answers])

    def frames(self, found: Gate) -> Mapping[str, pl.DataFrame]:
        """One row."""
        return {"gate": found.to_frame()}

    def figures(self, found: Gate, scene: Scene) -> Mapping[str, Draw]:
        """Both algorithms and their difference."""
        return {"gate": lambda: comparison_figure(found.comparison)}

    def sections(self, found: Gate, scene: Scene) -> Iterator[Placed]:
        """The decision first."""
        decided, *rest = gate_statements(found)
        table = gate_table(found)
        blocks: list[Block] = [
            Paragraph(as_sentence(decided), strong=True),
            cells.table("gate-values", "The new algorithm and the baseline", table.columns, table.rows),
            *said(rest[:3]),
            Folded("What the gate means", tuple(said(rest[3:]))),
        ]
        yield Placed(7, Section("gate", "Gate", tuple(blocks)))

    def algorithms(self, found: Gate) -> Sequence[str]:
        """Both."""
        return [found.candidate, found.baseline]

    def headline(self, found: Gate, scene: Scene) -> Summary | None:
        """The decision, which its own section says."""
        return Summary(gate_statements(found)[0], found.comparison.answers, precedence=20, in_section=True)

    def methods(self, found: Gate, text: MethodsText, scene: Scene) -> None:
        """How it was decided."""
        (pair,) = found.comparison.pairs
        told = pair.method.told()
        text.say(
            _GATED(
                candidate=found.candidate,
                baseline=found.baseline,
                margin=margin_of(found.margin, pair.in_points),
                measure=found.estimates[0].answers.of,
                level=found.comparison.confidence_level,
                methods=tuple(one.account or str(one) for one in told),
            ),
            "schuirmann1987",
            *dict.fromkeys(key for one in told for key in one.cites),
        )

    def metrics(self, found: Gate) -> Sequence[CardMetric]:
        """The value of the new algorithm, and the difference."""
        new: Estimate = found.estimates[0]
        about = {
            "baseline": found.baseline,
            "baseline_value": rounded(found.estimates[1].value),
            "margin": found.margin,
            "decision": found.decision,
        }
        return [
            CardMetric(
                found.candidate,
                "release gate",
                found.measure,
                str(new.answers.of),
                new.value,
                new.low,
                new.high,
                new.confidence_level,
                str(new.answers.varying),
                None,
                about,
            ),
            CardMetric(
                found.candidate,
                "release gate",
                f"{found.measure}-difference",
                f"{new.answers.of}, less that of {found.baseline}",
                found.difference.difference,
                found.difference.low,
                found.difference.high,
                found.comparison.confidence_level,
                str(found.comparison.answers.varying),
                None,
                about,
            ),
        ]
