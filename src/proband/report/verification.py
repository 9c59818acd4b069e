"""Verification and open-set searches as people read them: tables, sentences, figures, a directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from proband.engine.documents import as_json
from proband.engine.frames import frame_of_rows
from proband.engine.spreadsheets import write_spreadsheet
from proband.errors import UsageError
from proband.inference.dyadic import RateInterval
from proband.inference.groups import Differential, GroupRates
from proband.inference.searching import SearchEstimates, SearchInterval
from proband.inference.verifying import Verification, VerificationPoint
from proband.measures.compared import metrics_statement
from proband.measures.open_set import Searches
from proband.report.directory import whole_directory
from proband.report.figures import save_figure
from proband.report.grids import Grid, as_rich
from proband.report.verification_curves import ErrorCurve
from proband.report.verification_figures import det_figure, roc_figure, search_figure
from proband.report.verification_groups import GroupErrors, groups_figure
from proband.report.verification_panels import ScoreCounts, score_histograms_figure
from proband.words import as_sentence, counted, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

_FIGURES = ("det", "roc", "scores", "groups")
_OURS = (
    "results.json",
    "points.csv",
    "curve.csv",
    "report.md",
    *(f"{n}.{e}" for n in _FIGURES for e in ("png", "svg", "pdf")),
    *(f"groups_{n}.{e}" for n in range(2, 100) for e in ("png", "svg", "pdf")),
)
_HEADER = ("algorithm", "asked FMR", "threshold", "FMR", "false matches", "FNMR", "interval", "at that FMR")
_SEARCH_HEADER = (
    "algorithm",
    "asked FPIR",
    "candidates",
    "threshold",
    "FPIR",
    "false positives",
    "FNIR",
    "interval",
)


def verification_table(results: Sequence[Verification]) -> Table:
    """Make a table for the terminal."""
    return as_rich(verification_grid(results))


def verification_grid(results: Sequence[Verification]) -> Grid:
    """Make a table as text: a row for each algorithm and operating point."""
    rows = (
        tuple(_cells(result, point, first=place == 0))
        for result in results
        for place, point in enumerate(result.points)
    )
    return Grid("", _HEADER, tuple(rows))


def _cells(result: Verification, point: VerificationPoint, first: bool = True) -> list[str]:
    p = point.point
    mark = "" if p.fmr_supported else "*"
    anew = (
        "–" if point.fnmr_at_fmr is None else f"[{point.fnmr_at_fmr.low:.4f}, {point.fnmr_at_fmr.high:.4f}]"
    )
    return [
        result.algorithm if first else "",
        "–" if p.asked is None else f"{p.asked:g}",
        "none" if p.threshold is None else f"{p.threshold:.6g}",
        f"{p.fmr:.3g}{mark}",
        f"{p.false_matches:,} of {p.n_impostor:,}",
        f"{p.fnmr:.4f}{'' if p.fnmr_supported else '*'}",
        f"[{point.fnmr.low:.4f}, {point.fnmr.high:.4f}]",
        anew,
    ]


def verification_statements(results: Sequence[Verification]) -> list[str]:
    """Say what the numbers mean, a sentence each."""
    first = results[0]
    counts = first.rates.counts
    said = [
        f"{counts.n_genuine:,} genuine and {counts.n_impostor:,} impostor comparisons of {first.n_subjects:,} people; accepted when the "
        "score reaches the threshold.",
        *dict.fromkeys(one.compared.statement() for one in results),
        metrics_statement((one.algorithm, one.compared.metric) for one in results),
        *(
            f"{one.algorithm}: EER {one.rates.eer().value:.4f} (midpoint of FMR and FNMR where they are closest), "
            f"AUC {one.rates.auc():.5f}."
            for one in results
        ),
    ]
    if counts.n_failed_genuine or counts.n_failed_impostor:
        frr = ", ".join(f"{one.algorithm} {one.points[0].point.frr:.4f}" for one in results)
        said.append(
            f"Failures to acquire: {counts.n_failed_genuine:,} genuine and {counts.n_failed_impostor:,} impostor comparisons were "
            f"not made. FMR and FNMR leave them out; with them the false reject rate at the first point is {frr}."
        )
    if any(not (p.point.fmr_supported and p.point.fnmr_supported) for one in results for p in one.points):
        said.append("* rests on fewer than 30 errors, so it is not supported (the rule of 30).")
    for one in results:
        for point in one.points:
            if point.point.false_matches == 0:
                said.append(f"{one.algorithm}: {_nothing(point.fmr)}")
                break
    answers = first.answers
    said.append(
        f"Intervals: {first.confidence_level:.0%}; the first at the threshold held fixed, the last with the threshold found anew in "
        f"replicates of people. Varying: {answers.varying}. Fixed: {answers.fixed}. Assuming: {answers.assuming}."
    )
    notes = dict.fromkeys(note for one in results for note in one.notes)
    return said + [as_sentence(note) for note in notes]


def _nothing(rate: RateInterval) -> str:
    return f"no false match was seen; {'; '.join(rate.notes) or f'the rate is below {rate.high:.2g}'}."


def error_curve(result: Verification) -> ErrorCurve:
    """The curve of one algorithm as figures take it, with the intervals at its operating points."""
    fmr, fnmr = result.rates.curve
    counts = result.rates.counts
    ends = sorted(
        (p.point.asked, *(p.fnmr_at_fmr or (p.fnmr.low, p.fnmr.high)))
        for p in result.points
        if p.point.asked is not None
    )
    band = np.array(ends) if len(ends) > 1 else None
    return ErrorCurve(
        result.algorithm,
        fmr,
        fnmr,
        counts.n_impostor,
        counts.n_genuine,
        low=None if band is None else band[:, 1],
        high=None if band is None else band[:, 2],
        band_fmr=None if band is None else band[:, 0],
        eer=result.rates.eer().value,
    )


def verification_figures(
    results: Sequence[Verification], groups: Sequence[Differential] = ()
) -> dict[str, Figure]:
    """DET, ROC and score histograms, and for each column of groups the first algorithm's error rates."""
    curves = [error_curve(one) for one in results]
    made = {
        "det": det_figure(curves),
        "roc": roc_figure(curves),
        "scores": score_histograms_figure([score_counts(one) for one in results]),
    }
    columns = {one.column: one for one in reversed(groups) if _groups_with_rates(one)}
    for place, one in enumerate(reversed(columns.values()), 1):
        made["groups" if place == 1 else f"groups_{place}"] = differential_figure(one, len(results))
    return made


def differential_figure(differential: Differential, n_algorithms: int = 1) -> Figure:
    """Error rates by group, of the groups that have both; says of how many algorithms it shows one."""
    shown = [_group(one) for one in _groups_with_rates(differential)]
    if not shown:
        raise UsageError("No group has both error rates, so there is nothing to draw.")
    left = [one.group for one in differential.groups if one.fmr is None or one.fnmr is None]
    parts = (
        f"{differential.algorithm}, by {differential.column}, one threshold for all",
        part_of(1, n_algorithms, "algorithms", "the first with both error rates"),
        f"not drawn, for want of either error rate: {', '.join(left)}" if left else "",
    )
    return groups_figure(shown, note="; ".join(filter(None, parts)))


def _groups_with_rates(differential: Differential) -> list[GroupRates]:
    return [one for one in differential.groups if one.fmr is not None and one.fnmr is not None]


def score_counts(result: Verification) -> ScoreCounts:
    """Count the scores of genuine and of impostor pairs by bins of the score."""
    counts = result.rates.counts.histogram
    first = result.points[0].point
    if result.rates.larger_is_closer:
        edges, genuine, impostor = counts.edges, counts.genuine, counts.impostor
    else:
        edges, genuine, impostor = -counts.edges[::-1], counts.genuine[::-1], counts.impostor[::-1]
    label = "threshold" if first.asked is None else f"FMR {first.asked:g}"
    return ScoreCounts(result.algorithm, edges, genuine, impostor, first.threshold, label)


def _group(one: GroupRates) -> GroupErrors:
    assert one.fmr is not None
    assert one.fnmr is not None
    return GroupErrors(
        one.group,
        one.fmr.errors,
        one.fmr.n,
        one.fnmr.errors,
        one.fnmr.n,
        (one.fmr.low, one.fmr.high),
        (one.fnmr.low, one.fnmr.high),
    )


def points_frame(results: Sequence[Verification]) -> pl.DataFrame:
    """Every operating point of every algorithm."""
    rows = []
    for one in results:
        for point in one.points:
            anew = point.fnmr_at_fmr or (None, None)
            rows.append(
                {
                    "algorithm": one.algorithm,
                    **point.point.to_dict(),
                    "fmr_low": point.fmr.low,
                    "fmr_high": point.fmr.high,
                    "fnmr_low": point.fnmr.low,
                    "fnmr_high": point.fnmr.high,
                    "fnmr_at_fmr_low": anew[0],
                    "fnmr_at_fmr_high": anew[1],
                }
            )
    return frame_of_rows(rows)


def write_verification(
    results: Sequence[Verification], path: str | Path, groups: Sequence[Differential] = ()
) -> Path:
    """Write results, tables, curves, figures and a readable summary; return the summary."""
    with whole_directory(path, _OURS) as draft:
        plain = {"proband": results[0].to_dict()["proband"], "algorithms": [one.to_dict() for one in results]}
        (draft / "results.json").write_text(as_json(plain), encoding="utf-8")
        write_spreadsheet(points_frame(results), draft / "points.csv")
        write_spreadsheet(pl.concat(one.rates.to_frame() for one in results), draft / "curve.csv")
        parts = ["# Verification", _markdown(results)]
        for name, figure in verification_figures(results, groups).items():
            for ending in ("png", "svg", "pdf"):
                save_figure(figure, draft / f"{name}.{ending}")
            parts.append(f"![{name}]({name}.png)")
        parts += ["\n".join(f"- {said}" for said in one.sentences()) for one in groups]
        parts.append("\n".join(f"- {said}" for said in verification_statements(results)))
        (draft / "report.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return Path(path) / "report.md"


def _markdown(results: Sequence[Verification]) -> str:
    lines = ["| " + " | ".join(_HEADER) + " |", "|---|" + "--:|" * (len(_HEADER) - 1)]
    for result in results:
        lines += [
            "| " + " | ".join(c.replace("|", "\\|") for c in _cells(result, point)) + " |"
            for point in result.points
        ]
    return "\n".join(lines)


def search_table(results: Sequence[SearchEstimates]) -> Table:
    """Make a table of searches for the terminal."""
    return as_rich(search_grid(results))


def search_grid(results: Sequence[SearchEstimates]) -> Grid:
    """Make a table of searches as text: a row for each algorithm and operating point."""
    rows = (
        _search_cells(result, one, first=place == 0)
        for result in results
        for place, one in enumerate(result.points)
    )
    return Grid("", _SEARCH_HEADER, tuple(rows))


def _search_cells(result: SearchEstimates, one: SearchInterval, first: bool) -> tuple[str, ...]:
    p = one.point
    return (
        result.algorithm if first else "",
        f"{p.asked:g}",
        f"{p.rank:,}",
        "none" if p.threshold is None else f"{p.threshold:.6g}",
        f"{p.fpir:.3g}{'' if one.fpir_supported else '*'}",
        f"{p.false_positives:,} of {p.n_nonmated:,}",
        f"{p.fnir:.4f}",
        f"[{one.fnir.low:.4f}, {one.fnir.high:.4f}]",
    )


def search_statements(results: Sequence[SearchEstimates]) -> list[str]:
    """Say what the numbers mean, a sentence each."""
    first = results[0]
    s, answers = first.searches, first.answers
    said = [
        f"{counted(s.n_enrolled, 'person', 'people')} enrolled; {counted(len(s.mate), 'search', 'searches')} for enrolled people and {len(s.best):,} for others. A person's "
        f"samples are fused by {s.fusion}; a candidate is returned when its score reaches the threshold.",
        metrics_statement((one.algorithm, one.searches.metric) for one in results),
        f"Intervals: {first.confidence_level:.0%}. Varying: {answers.varying}. Fixed: {answers.fixed}. Assuming: {answers.assuming}.",
    ]
    if any(not one.fpir_supported for result in results for one in result.points):
        said.append("* rests on fewer than 30 errors, so it is not supported (the rule of 30).")
    notes = dict.fromkeys(note for one in results for note in one.searches.notes)
    return said + [as_sentence(note, [one.algorithm for one in results]) for note in notes]


def searches_figure(searches: Sequence[Searches], rank: int = 1) -> Figure:
    """FNIR against FPIR of several algorithms."""
    curves = []
    for one in searches:
        frame = one.curve(rank).sort("threshold", descending=one.larger_is_closer)
        curves.append(
            ErrorCurve(
                one.algorithm,
                frame["fpir"].to_numpy(),
                frame["fnir"].to_numpy(),
                len(one.best),
                len(one.mate),
            )
        )
    return search_figure(curves)
