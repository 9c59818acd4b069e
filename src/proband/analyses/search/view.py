"""Open-set identification shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from proband.analyses.search.run import Searched
from proband.report import cells
from proband.report.cells import columns, count_cell, rate_cell, text_cell
from proband.report.figures.verification import searches_figure
from proband.report.kinds.searches import search_blocks, search_statements, search_table, searches_summary
from proband.report.methods_text import MethodsText
from proband.report.page.model import Section
from proband.report.plotting import drawn_by
from proband.report.scene import Scene
from proband.report.table import Column, Table
from proband.report.view import Draw, Placed, Summary, View, shows
from proband.results.base import Answers
from proband.words import Note, Sentence

_SEARCHED = Sentence(
    "methods.searches",
    "note",
    "Open-set search among {enrolled:count enrolled person/enrolled people}, with {mated:count search/searches} for them and {others:count} for others; a "
    "person's samples were fused by {fusion}, and FPIR and FNIR have Wilson intervals with people as units",
)
_SEARCH = Sentence("diagnostics.search", "note", "search, {algorithm}")


@shows(Searched)
class SearchedView(View[Searched]):
    """Searches of every algorithm, and what smaller galleries would give."""

    plot = staticmethod(drawn_by(searches_figure, lambda found: found.searches))

    def tables(self, found: Searched) -> Sequence[Table]:
        """Operating points, and smaller galleries."""
        return [search_table(found.searches), *_sizes(found.by_gallery_size)]

    def notes(self, found: Searched) -> Sequence[Note]:
        """What searches mean."""
        return search_statements(found.searches)

    def answers(self, found: Searched) -> Sequence[Answers]:
        """What varies."""
        return [found.searches[0].answers]

    def frames(self, found: Searched) -> Mapping[str, pl.DataFrame]:
        """Operating points, and curves."""
        rank = found.searches[0].points[0].point.rank
        return {
            "searches": pl.concat([one.to_frame() for one in found.searches], how="vertical_relaxed"),
            "search_curve": pl.concat(
                [one.searches.curve(rank) for one in found.searches], how="vertical_relaxed"
            ),
        }

    def figures(self, found: Searched, scene: Scene) -> Mapping[str, Draw]:
        """FNIR against FPIR."""
        rank = found.searches[0].points[0].point.rank
        return {"search": lambda: searches_figure(found.searches, rank, scene.looks)}

    def sections(self, found: Searched, scene: Scene) -> Iterator[Placed]:
        """Curves and operating points, and smaller galleries."""
        blocks = search_blocks(found.searches, scene.looks, "search")
        blocks += [
            cells.table("search-sizes", "Smaller galleries, enrolled at random", one.columns, one.rows)
            for one in _sizes(found.by_gallery_size)
        ]
        yield Placed(35, Section("open-set", "Open-set search", tuple(blocks)))

    def algorithms(self, found: Searched) -> Sequence[str]:
        """The algorithms, in order."""
        return [one.algorithm for one in found.searches]

    def headline(self, found: Searched, scene: Scene) -> Summary | None:
        """The fewest misses."""
        return searches_summary(found.searches, 50)

    def noted(self, found: Searched) -> Sequence[tuple[Note, Sequence[Note | str]]]:
        """What was noted of each algorithm."""
        return [(_SEARCH(algorithm=one.algorithm), one.notes) for one in found.searches]

    def methods(self, found: Searched, text: MethodsText, scene: Scene) -> None:
        """How people were searched for."""
        first = found.searches[0].searches
        mated, others = len(first.mate), len(first.best)
        text.say(
            _SEARCHED(enrolled=first.n_enrolled, mated=mated, others=others, fusion=first.fusion),
            "iso19795-1", "wilson1927",
        )  # fmt: skip

    def metrics_of_scores(self, found: Searched) -> Mapping[str, str | None]:
        """As the searches have it."""
        return {one.algorithm: one.searches.metric for one in found.searches}


def _sizes(frames: Sequence[pl.DataFrame]) -> list[Table]:
    """What smaller galleries would give, a row for each algorithm and size; none where none was asked for."""
    heads = (
        Column("algorithm", "name"),
        Column("enrolled", "number", "People enrolled, at random.", leads=True),
        *columns("FPIR", "FNIR", text=0),
    )
    rows = [
        (
            text_cell(row["algorithm"]),
            count_cell(row["gallery"]),
            rate_cell(row["fpir"]),
            rate_cell(row["fnir"]),
        )
        for frame in frames
        for row in frame.iter_rows(named=True)
    ]
    return [Table("Fewer people enrolled, at random", heads, tuple(rows))] if rows else []
