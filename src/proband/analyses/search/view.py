"""Views of open-set identification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from proband.analyses.search.run import Searched
from proband.report import columns as col
from proband.report.charts.makers.errors import searches
from proband.report.charts.spec import Chart
from proband.report.kinds.searches import search_statements, search_table, searches_summary
from proband.report.methods_text import MethodsText
from proband.report.scene import Scene
from proband.report.tables.table import Table
from proband.report.view import Summary, View, shows
from proband.results.base import Answers
from proband.words import Note, Sentence

_SEARCHED = Sentence(
    "methods.searches",
    "note",
    "Open-set search among {enrolled:count enrolled person/enrolled people}, with {mated:count search/searches} for enrolled people and {others:count} for others; a "
    "person's samples were fused by {fusion}, and FPIR and FNIR have Wilson intervals with people as units",
)
_SEARCH = Sentence("diagnostics.search", "note", "search, {algorithm}")


@shows(Searched)
class SearchedView(View[Searched]):
    """Searches of every algorithm, and results for smaller galleries."""

    section = ("open-set", "Open-set search", 35)
    meaning = "Notes on the searches"

    def tables(self, found: Searched) -> Sequence[Table]:
        return [search_table(found.searches), *_sizes(found)]

    def page_tables(self, found: Searched) -> Sequence[Table]:
        return [search_table(found.searches, "search-points", whole=True), *_sizes(found)]

    def charts(self, found: Searched) -> Mapping[str, Sequence[Chart]]:
        return {"search": [searches(found.searches, rank=_rank(found))]}

    def notes(self, found: Searched) -> Sequence[Note]:
        return search_statements(found.searches)

    def answers(self, found: Searched) -> Sequence[Answers]:
        return [found.searches[0].answers]

    def frames(self, found: Searched) -> Mapping[str, pl.DataFrame]:
        points = [one.to_frame() for one in found.searches]
        curves = [one.searches.curve(_rank(found)) for one in found.searches]
        made = {"searches": points, "search_curve": curves, "search_sizes": list(found.by_gallery_size)}
        return {name: pl.concat(parts, how="vertical_relaxed") for name, parts in made.items() if parts}

    def algorithms(self, found: Searched) -> Sequence[str]:
        return [one.algorithm for one in found.searches]

    def headline(self, found: Searched, scene: Scene) -> Summary | None:
        return searches_summary(found.searches, 50)

    def noted(self, found: Searched) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        return [(_SEARCH(algorithm=one.algorithm), one.notes) for one in found.searches]

    def methods(self, found: Searched, text: MethodsText, scene: Scene) -> None:
        first = found.searches[0].searches
        sizes = {"enrolled": first.n_enrolled, "mated": len(first.mate), "others": len(first.best)}
        text.say(_SEARCHED(**sizes, fusion=first.fusion), "iso19795-1", "wilson1927")

    def metrics_of_scores(self, found: Searched) -> Mapping[str, str | None]:
        return {one.algorithm: one.searches.metric for one in found.searches}


def _rank(found: Searched) -> int:
    """How many candidates the first operating point returns."""
    return found.searches[0].points[0].counts.rank


def _sizes(found: Searched) -> list[Table]:
    """What smaller galleries would give, a row for each algorithm and size; none where none was asked for."""
    rows = [row for frame in found.by_gallery_size for row in frame.iter_rows(named=True)]
    table = col.table_of(
        "Smaller galleries (random subsets)",
        rows,
        col.name("algorithm", lambda row: row["algorithm"]),
        col.count("enrolled", lambda row: row["gallery"], "People enrolled, drawn at random.", leads=True),
        col.rate("FPIR", lambda row: row["fpir"]),
        col.rate("FNIR", lambda row: row["fnir"]),
        id="search-sizes",
        on_page="Smaller galleries (random subsets)",
    )
    return [table] if rows else []
