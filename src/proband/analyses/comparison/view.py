"""Views of comparisons: tables with letters, verdicts, and every pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

import polars as pl

from proband.analyses.comparison.run import ComparedAlgorithms
from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.inference import Comparison
from proband.report.figures.identification import comparison_figure
from proband.report.kinds.compared_methods import say_comparisons
from proband.report.kinds.comparisons import (
    comparison_statements,
    comparison_table,
    told_and_left,
    unsaid_verdicts,
    verdicts,
)
from proband.report.kinds.differences import difference_tables, pairs_embedded, pairs_shown
from proband.report.kinds.pairs import comparison_blocks
from proband.report.kinds.verdicts import summary_of
from proband.report.methods_text import MethodsText
from proband.report.notes import is_caution
from proband.report.page.model import Badge, Section
from proband.report.page.sections.conditions import badges_of_facts
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Draw, Passage, Placed, Summary, View, shows
from proband.results.base import Facts
from proband.results.estimate import Estimate, facts_of
from proband.words import Note, Sentence

_COMPARISON = Sentence("diagnostics.comparison", "note", "comparison, {name}")
_FAMILIES = Sentence(
    "comparison.families",
    "note",
    "Adjusted p-values and intervals of differences hold simultaneously for all pairs compared by one measure; there "
    "is no adjustment across measures",
)
_ESTIMATE = Sentence("diagnostics.estimate", "note", "{name}, {algorithm}")
_CAUTION = Sentence("comparison.caution-on-one", "caution", "{name}: {note}")


@shows(ComparedAlgorithms)
class ComparedView(View[ComparedAlgorithms]):
    """Algorithms compared by one measure or several."""

    precedence: ClassVar = {
        "standings": 10,
        "judged": 10,
        "clusters": 10,
        "facts": 30,
        "badges": 30,
        "embedded": 10,
    }

    def tables(self, found: ComparedAlgorithms) -> Sequence[Table]:
        each = found.comparisons.values()
        return [table for one in each for table in (comparison_table(one), *difference_tables(one))]

    def latex(self, found: ComparedAlgorithms) -> Sequence[Table]:
        return [comparison_table(one) for one in found.comparisons.values()]

    def notes(self, found: ComparedAlgorithms) -> Sequence[Note]:
        each = found.comparisons.values()
        return [note for one in each for note in (*verdicts(one), *comparison_statements(one))]

    def passages(self, found: ComparedAlgorithms, explain: bool) -> Iterator[Passage]:
        """Each comparison with its verdicts; in brief output, notes common to several follow the last."""
        *others, last = found.comparisons
        beneath = _beneath(found)
        for key, title in found.titles.items():
            one = found.comparisons[key]
            told, _ = told_and_left(one, explain)
            notes = comparison_statements(one) if explain else beneath if key == last else []
            answers = [each.answers for each in found.comparisons.values()] if key == last else []
            tables = [comparison_table(one), *difference_tables(one)]
            yield Passage(tables, told, notes, answers, title=title if others else "")

    def frames(self, found: ComparedAlgorithms) -> Mapping[str, pl.DataFrame]:
        """Every pair, and the range of places of each algorithm."""
        named = {key: pl.lit(key).alias("comparison") for key in found.comparisons}
        pairs = [one.to_frame().insert_column(0, named[key]) for key, one in found.comparisons.items()]
        places = [
            standings_frame(one).drop("measure", "events", "n").insert_column(0, named[key])
            for key, one in found.comparisons.items()
        ]
        return {
            "comparisons": pl.concat(pairs, how="vertical_relaxed"),
            "places": pl.concat(places, how="vertical_relaxed"),
        }

    def figures(self, found: ComparedAlgorithms, scene: Scene) -> Mapping[str, Draw]:
        return {
            "comparison" if place == 1 else f"comparison_{place}": partial(comparison_figure, one)
            for place, one in enumerate(found.comparisons.values(), 1)
        }

    def sections(self, found: ComparedAlgorithms, scene: Scene) -> Iterator[Placed]:
        """Every pair."""
        named = {title: found.comparisons[key] for key, title in found.titles.items()}
        yield Placed(40, Section("comparisons", "Comparisons", tuple(comparison_blocks(named))))

    def embedded(self, found: ComparedAlgorithms) -> Mapping[str, str]:
        """The standings of the first comparison, and its pairs if the page shows any; with very many, the pairs of the leaders."""
        first = _first(found)
        files = {"leaderboard-summary.csv": spreadsheet_csv(standings_frame(first))}
        if len(pairs_shown(first)) < len(first.pairs):
            embedded = pairs_embedded(first)
            name = "leaderboard-pairs" if embedded is first.pairs else "leading-pairs"
            files[f"{name}.csv"] = replace(first, pairs=embedded).to_csv()
        return files

    def algorithms(self, found: ComparedAlgorithms) -> Sequence[str]:
        each = found.comparisons.values()
        return list(dict.fromkeys(one.algorithm for comparison in each for one in comparison.estimates))

    def headline(self, found: ComparedAlgorithms, scene: Scene) -> Summary | None:
        first = _first(found)
        others = [
            one
            for one in found.comparisons.values()
            if _of_pairs(one) != _of_pairs(first) and not one.category
        ]
        if not others:
            return summary_of(first, 10)
        other = summary_of(others[0], 10)
        families = () if first.pairs[0].adjustment == "none" else (_FAMILIES(),)
        return replace(summary_of(first, 10), also=(replace(other, weights=(*other.weights, *families)),))

    def standings(self, found: ComparedAlgorithms) -> Comparison:
        return _first(found)

    def facts(self, found: ComparedAlgorithms) -> Sequence[Facts]:
        return facts_of(_first(found).estimates)

    def badges(self, found: ComparedAlgorithms) -> Sequence[Badge]:
        return badges_of_facts(facts_of(_first(found).estimates)[0])

    def replicated(self, found: ComparedAlgorithms) -> Sequence[Estimate]:
        return [one for comparison in found.comparisons.values() for one in comparison.estimates]

    def noted(self, found: ComparedAlgorithms) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """What was noted of comparisons and of their estimates."""
        made: list[tuple[Note, Sequence[Note | str]]] = []
        for key, name in found.titles.items():
            comparison = found.comparisons[key]
            made.append((_COMPARISON(name=name), comparison.notes))
            made += [
                (_ESTIMATE(name=name, algorithm=one.algorithm), one.notes) for one in comparison.estimates
            ]
        return made

    def methods(self, found: ComparedAlgorithms, text: MethodsText, scene: Scene) -> None:
        say_comparisons(text, list(found.comparisons.values()))


def _beneath(found: ComparedAlgorithms) -> list[Note]:
    """What stands below the last of several comparisons; cautions that are not about all of them name theirs."""
    each = {
        name: [*unsaid_verdicts(found.comparisons[key]), *comparison_statements(found.comparisons[key])]
        for key, name in found.titles.items()
    }
    of_all = set.intersection(*map(set, each.values()))
    return [
        _CAUTION(name=name, note=note) if is_caution(note) and note not in of_all else note
        for name, notes in each.items()
        for note in notes
    ]


def _of_pairs(comparison: Comparison) -> bool:
    """Whether it is by errors of compared pairs, and not by ranks."""
    return any(facts.of_pairs for facts in facts_of(comparison.estimates))


def _first(found: ComparedAlgorithms) -> Comparison:
    return next(iter(found.comparisons.values()))


def standings_frame(comparison: Comparison) -> pl.DataFrame:
    """One row per algorithm, best first: value, supporting data, and range of places."""
    places = comparison.places()
    return frame_of_rows(
        [
            {
                "algorithm": one.algorithm,
                "measure": str(one.answers.of),
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "events": one.rests_on.events,
                "n": one.rests_on.n,
                "best_place": places[one.algorithm][0],
                "worst_place": places[one.algorithm][1],
            }
            for one in comparison.ordered
        ]
    )
