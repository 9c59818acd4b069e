"""From what a study found to the page that tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from proband.engine.files.spreadsheets import spreadsheet_csv
from proband.engine.frames import frame_of_rows
from proband.inference import Comparison, Evaluation
from proband.report.analyses.comparisons import rows_of
from proband.report.leading import main_comparison, main_evaluation
from proband.report.page.model import Page
from proband.report.page.registry import sections_of
from proband.report.page.sections.leaderboard import pairs_shown
from proband.report.page.sections.methods import methods_text
from proband.report.page.sections.references import bibliography
from proband.study.findings import Findings
from proband.words import count, counted, visible

_MOST_ROWS = (
    60  # numbers or rows in a list of the embedded results; curves, people and pairs of many are longer
)
_EVERY_RANK = 10  # up to here every rank is in the embedded curves, beyond some
_RANKS_A_DOUBLING = 4


def build_page(found: Findings) -> Page:
    """Make the page of a study: sections in the order they are read, each only if there is something in it."""
    names = found.algorithms
    shown = ", ".join(names[:6]) + (f" and {count(len(names) - 6)} more" if len(names) > 6 else "")
    subtitle = f"{counted(len(names), 'algorithm')}: {shown}" if names else ""
    return Page(found.title, subtitle, sections_of(found), embedded_files(found))


def embedded_files(found: Findings) -> dict[str, str]:
    """Files that travel in the page: results, tables, curves, the study, and what to cite.

    What is shorter than the file of a study's directory has a name of its own.
    """
    files = {"results-summary.json": _results(found)}
    comparison, evaluation = main_comparison(found), main_evaluation(found)
    if comparison is not None:
        files["leaderboard-summary.csv"] = _leaderboard_csv(comparison)
        if len(pairs_shown(comparison)) < len(comparison.pairs):
            files["leaderboard-pairs.csv"] = comparison.to_csv()
    elif evaluation is not None:
        files["leaderboard-summary.csv"] = spreadsheet_csv(evaluation.to_frame())
    if evaluation is not None:
        files["cmc-thinned.csv"] = _curves(evaluation)
    if found.provenance.study:
        files["study.toml"] = found.provenance.study
    text, keys = methods_text(found)
    files["methods.txt"] = visible(text) + "\n"
    if keys:
        files["references.bib"] = bibliography(keys)
    return files


def _leaderboard_csv(comparison: Comparison) -> str:
    places = comparison.places()
    rows = [
        {
            "algorithm": row.name,
            "measure": str(row.estimate.answers.of),
            "value": row.estimate.value,
            "low": row.estimate.low,
            "high": row.estimate.high,
            "events": row.estimate.events,
            "n": row.estimate.facts.size,
            "best_place": places[row.name][0],
            "worst_place": places[row.name][1],
        }
        for row in rows_of(comparison)
    ]
    return spreadsheet_csv(frame_of_rows(rows))


def _curves(evaluation: Evaluation) -> str:
    """Every curve: all low ranks, and a few for each doubling beyond."""
    last = max(len(entry.curve.values) for entry in evaluation.entries)
    kept = list(range(1, min(_EVERY_RANK, last) + 1))
    while kept[-1] < last:
        kept.append(min(last, max(kept[-1] + 1, round(kept[-1] * 2 ** (1 / _RANKS_A_DOUBLING)))))
    return spreadsheet_csv(evaluation.curves_frame().filter(pl.col("rank").is_in(kept)))


def _results(found: Findings) -> str:
    """The results without what is too long for a page: whole curves and lists of people are named as left out."""
    lacking: list[str] = []
    plain = _shortened(found.to_dict(), "", lacking)
    if lacking:
        plain["left_out"] = sorted(set(lacking))
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _shortened(value: Any, path: str, lacking: list[str]) -> Any:
    if isinstance(value, Mapping):
        paths = {key: f"{path}.{key}" if path else key for key in value}
        lacking += [paths[key] for key, one in value.items() if _is_long(one)]
        return {key: _shortened(one, paths[key], lacking) for key, one in value.items() if not _is_long(one)}
    return [_shortened(one, path, lacking) for one in value] if isinstance(value, list | tuple) else value


def _is_long(value: Any) -> bool:
    """Whether it is a list with too many numbers or rows, or holds such a list: then it is left out whole."""
    if not isinstance(value, list | tuple):
        return False
    return (len(value) > _MOST_ROWS and all(map(_is_flat, value))) or any(map(_is_long, value))


def _is_flat(value: Any) -> bool:
    """Whether it is a number, or a row of them; notes and methods are words."""
    if not isinstance(value, Mapping):
        return True
    parts = (one for one in value.values() if not (isinstance(one, Mapping) and "text" in one))
    return not any(isinstance(one, Mapping | list) for one in parts)
