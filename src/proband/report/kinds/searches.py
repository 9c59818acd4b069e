"""Open-set searches: tables, statements, blocks of the page and the verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from proband.inference.verification.open_set import SearchEstimates, SearchRates
from proband.measures.verification import SUPPORTED
from proband.report import columns as col
from proband.report.charts.makers.errors import searches
from proband.report.charts.spec import Chart
from proband.report.notes import answered
from proband.report.page.charts import shown
from proband.report.page.lengths import of_length
from proband.report.page.model import Block, Folded, said
from proband.report.tables.table import Table
from proband.report.view import Summary, View, shows
from proband.results.compared import metrics_statement
from proband.results.targets import GALLERY, derived
from proband.words import Note, Sentence

_FPIR = "Searches for people not enrolled that return any candidate."
_FNIR = "Searches for enrolled people that do not return them."
_SEARCHES = Sentence(
    "search.searches",
    "note",
    "{enrolled:count person/people} enrolled; {mated:count search/searches} for enrolled people and {nonmated:count} for others. "
    "A person's samples are fused by {fusion}; a candidate is returned when its score reaches the threshold",
)
_SEARCH_INTERVALS = Sentence(
    "search.intervals",
    "note",
    "Intervals: {level:level}; FNIR at a fixed threshold, and at the target FPIR with the threshold re-estimated in "
    "resamples of people. What varies: {varying}. Held fixed: {fixed}. Assumed: {assuming}",
)
_UNSUPPORTED = Sentence(
    "search.rates-of-few-errors",
    "mark",
    "* based on fewer than {least} errors; FNIR also if fewer than {least} false positives set the threshold (rule of {least})",
)
_FEWEST_SEARCHES = 30  # for people not enrolled: with fewer, no false positive rate is measured
_THIS_FPIR = Sentence("verdict.this-fpir", "note", "this FPIR")
_AN_FPIR = Sentence("verdict.an-fpir", "note", "an FPIR of {fpir:given}")
_FEW_SEARCHES = Sentence("verdict.few-searches", "note", "at least {n:count} are needed")
_COARSE = Sentence(
    "verdict.coarse-fpir", "note", "a single false positive among them is already a rate of {rate:small}"
)
_OF_SEARCHES = "{searches:count non-mated search/non-mated searches}"
_NOT_MEASURABLE = Sentence(
    "verdict.not-measurable",
    "caution",
    f"Misses at {{asked}} are not measurable here: {_OF_SEARCHES}; {{why}}",
)
_FEWEST_MISSES = Sentence(
    "verdict.fewest-misses",
    "caution",
    "This is the lowest rate of the {n:count} algorithms; differences were not tested",
)
_SEARCHED = Sentence(
    "verdict.searched",
    "note",
    "{algorithm}: {rate:rate} [{low:rate}, {high:rate}] of the searches for enrolled people fail at {asked} (measured: {fpir:small}, of "
    f"{_OF_SEARCHES})",
)


@shows(SearchEstimates)
class SearchView(View[SearchEstimates]):
    """Searches of one algorithm: a row for each operating point."""

    def tables(self, found: SearchEstimates) -> Sequence[Table]:
        return [search_table([found])]

    def charts(self, found: SearchEstimates) -> Mapping[str, Sequence[Chart]]:
        return {"search": [searches([found])]}

    def notes(self, found: SearchEstimates) -> Sequence[Note]:
        return search_statements([found])


def search_table(results: Sequence[SearchEstimates], id: str = "", *, whole: bool = False) -> Table:
    """A row for each algorithm and operating point; `whole` with the misses, and the intervals of false positives."""
    first = results[0]
    varying = derived("threshold", "{}, and the threshold re-estimated on them", first.answers.varying)
    part = col.at_level(first.confidence_level)
    return col.table_of(
        "Searches at chosen false positive rates" if whole else "",
        [(result.algorithm, at) for result in results for at in result.points],
        col.name("algorithm", lambda row: row[0]),
        *col.inside(
            _point,
            col.given("target FPIR", lambda at: at.counts.target_fpir, leads=True),
            col.count("candidates", lambda at: at.counts.rank, leads=True),
            col.threshold("threshold", lambda at: at.counts.threshold, leads=True),
            col.small("FPIR", lambda at: at.fpir.value, _FPIR, supported=lambda at: at.fpir.supported),
            col.small_interval(
                f"FPIR, {part}", lambda at: col.ends(at.fpir), answers=first.answers, when=whole
            ),
            col.share("false positives", lambda at: (at.counts.false_positives, at.counts.n_nonmated)),
            col.rate("FNIR", lambda at: at.fnir.value, _FNIR, supported=lambda at: at.fnir.supported),
            col.interval(
                f"FNIR, {part}",
                lambda at: col.ends(at.fnir_at_threshold),
                "At the fixed threshold.",
                answers=first.answers,
            ),
            col.interval(
                "at target FPIR",
                lambda at: at.re_estimated,
                "With the threshold re-estimated in every resample of people.",
                answers=replace(first.answers, varying=varying, fixed=GALLERY),
            ),
            col.share("misses", lambda at: (at.counts.misses, at.counts.n_mated), when=whole),
        ),
        id=id,
        notes=_marks(results) if whole else [],
    )


def _point(row: tuple[str, SearchRates]) -> SearchRates:
    return row[1]


def _marks(results: Sequence[SearchEstimates]) -> list[Note]:
    """Meaning of the asterisk, if one is used: FNIR has it for few false positives too."""
    points = [at for result in results for at in result.points]
    return [] if all(at.fnir.supported for at in points) else [_UNSUPPORTED(least=SUPPORTED)]


def search_statements(results: Sequence[SearchEstimates], told: Collection[Note] = ()) -> list[Note]:
    """Explain the numbers, one note each, except notes already `told` elsewhere."""
    first = results[0]
    s = first.searches
    metrics = [metrics_statement((one.algorithm, one.searches.metric) for one in results)]
    said: list[Note] = [
        _SEARCHES(enrolled=s.n_enrolled, mated=len(s.mate), nonmated=len(s.best), fusion=s.fusion),
        *(one for one in metrics if one not in told),
        answered(first.answers, _SEARCH_INTERVALS, level=first.confidence_level),
    ]
    said += _marks(results)
    notes = dict.fromkeys(note for one in results for note in one.notes)
    return said + [note for note in notes if note not in told]


def searches_summary(results: Sequence[SearchEstimates], precedence: float) -> Summary:
    """The headline of searches."""
    result = min(results, key=lambda result: result.points[0].fnir.value)
    at = result.points[0]
    p = at.counts
    asked = _THIS_FPIR() if p.target_fpir is None else _AN_FPIR(fpir=p.target_fpir)
    few = p.n_nonmated < _FEWEST_SEARCHES
    # Below one false positive among the searches a rate is reached only by having none, which bounds it but does not show it.
    if few or (p.target_fpir is not None and p.target_fpir * p.n_nonmated < 1):
        why = _FEW_SEARCHES(n=_FEWEST_SEARCHES) if few else _COARSE(rate=1 / p.n_nonmated)
        return Summary(
            _NOT_MEASURABLE(asked=asked, searches=p.n_nonmated, why=why),
            result.answers,
            precedence=precedence,
        )
    held = at.fnir_at_threshold
    told = _SEARCHED(
        algorithm=result.algorithm,
        rate=held.value,
        low=held.low,
        high=held.high,
        asked=asked,
        fpir=p.fpir,
        searches=p.n_nonmated,
    )
    untested = (_FEWEST_MISSES(n=len(results)),) if len(results) > 1 else ()
    return Summary(told, result.answers, untested, precedence=precedence)


def search_blocks(results: Sequence[SearchEstimates], places: Mapping[str, int], id: str) -> list[Block]:
    """The curve, the operating points, and what they mean."""
    return [
        shown(searches(results, id, rank=results[0].points[0].counts.rank), places=places),
        of_length(search_table(results, f"{id}-points", whole=True)),
        Folded("Notes on the searches", tuple(said(search_statements(results)))),
    ]
