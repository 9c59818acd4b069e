"""Views of systems compared by a table of outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import polars as pl

from proband.inference import OutcomeComparison
from proband.report.figures.identification import comparison_figure
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import ComparisonView
from proband.report.kinds.pairs import leaderboard, pairs_chart
from proband.report.kinds.verdicts import summary_of
from proband.report.methods_text import MethodsText
from proband.report.page.model import Badge, Folded, Section
from proband.report.scene import Scene
from proband.report.view import Draw, Placed, Summary, shows
from proband.words import counted


@shows(OutcomeComparison)
class OutcomesView(ComparisonView):
    """Systems, and every pair of them."""

    precedence: ClassVar = {"standings": 20, "badges": 70}

    def frames(self, found: OutcomeComparison) -> Mapping[str, pl.DataFrame]:
        return {"outcomes": found.to_frame()}

    def figures(self, found: OutcomeComparison, scene: Scene) -> Mapping[str, Draw]:
        return {"outcomes": lambda: comparison_figure(found)}

    def sections(self, found: OutcomeComparison, scene: Scene) -> Iterator[Placed]:
        table = leaderboard("systems", str(found.estimates[0].answers.of), found)
        published = Folded("Publication table, with letters", (table,))
        chart = pairs_chart("systems-forest", "systems-pairs", "Differences between systems", found)
        yield Placed(13, Section("outcomes", "Outcomes", (chart, published)))

    def algorithms(self, found: OutcomeComparison) -> Sequence[str]:
        return [one.algorithm for one in found.estimates]

    def headline(self, found: OutcomeComparison, scene: Scene) -> Summary | None:
        return summary_of(found, 90)

    def standings(self, found: OutcomeComparison) -> OutcomeComparison:
        return found

    def badges(self, found: OutcomeComparison) -> Sequence[Badge]:
        return (Badge(counted(found.estimates[0].rests_on.n or 0, "item")),)

    def methods(self, found: OutcomeComparison, text: MethodsText, scene: Scene) -> None:
        say_comparisons(text, [found])
