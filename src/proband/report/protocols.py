"""Accuracies under protocols as people read them: the table of Mery et al. (2016), intervals, and a directory of files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proband.engine.documents import as_json
from proband.engine.spreadsheets import write_spreadsheet
from proband.inference.cv_results import AccuracyInterval
from proband.protocols.card_sections import PredictionsFile
from proband.protocols.results import ProtocolResult, ProtocolRun
from proband.protocols.split_files import write_splits
from proband.report.directory import MARK, require_free, whole_directory
from proband.report.figures import save_figure
from proband.report.grids import Grid, as_markdown, as_tex, tex_row
from proband.report.protocol_figures import accuracy_figure
from proband.words import as_sentence

_STATISTICS = ("max", "mean", "min", "std")
_FIGURES = tuple(f"accuracy.{ending}" for ending in ("png", "svg", "pdf"))
_FOLDERS = ("predictions", "splits", "cards")
_OURS = (MARK, "report.md", "table.csv", "table.tex", *_FIGURES, *_FOLDERS)
_MOST_ROLES = 50_000_000  # rows of a file of splits


def runs_grid(run: ProtocolRun) -> Grid:
    """Largest, mean, least and standard deviation over runs, in percent: classifiers down, protocols across."""
    header = ["", "", *("\n".join(str(found.protocol).split()) for found in run.findings)]
    rows = []
    for name in run.classifiers:
        own = [one for one in run.results if one.classifier == name]
        for statistic in _STATISTICS:
            cells = [_percent(one, statistic) for one in own]
            rows.append((name if statistic == "max" else "", statistic, *cells))
    return Grid("Accuracy over runs (%)", tuple(header), tuple(rows))


def _percent(one: ProtocolResult, statistic: str) -> str:
    spread = one.spread
    value = {"max": spread.maximum, "mean": spread.mean, "min": spread.minimum, "std": spread.std}[statistic]
    if value is None:
        return "–"
    return f"{100 * value:.2f}" if statistic == "std" else f"{100 * value:.1f}"


def intervals_grid(run: ProtocolRun) -> Grid:
    """How sure each accuracy is, by what varies; a row for each classifier and protocol."""
    rows = [
        (
            f"{one.classifier}, {one.protocol}",
            f"{100 * one.spread.mean:.2f}",
            _ends(one.corrected),
            f"{100 * one.pooled.value:.2f}",
            _ends(one.pooled),
        )
        for one in run.results
    ]
    level = f"{run.setting.confidence_level:.0%}"
    header = ("", "mean", f"{level}, training and test vary", "pooled", f"{level}, people vary")
    return Grid("How sure (%)", header, tuple(rows))


def _ends(interval: AccuracyInterval) -> str:
    if interval.low is None or interval.high is None:
        return "none"
    return f"[{100 * interval.low:.2f}, {100 * interval.high:.2f}]"


def runs_latex(run: ProtocolRun) -> str:
    """Write the table over runs as LaTeX; it needs the booktabs package."""
    grid = runs_grid(run)
    lines = [
        rf"\begin{{tabular}}{{ll{'r' * (len(grid.header) - 2)}}}",
        r"\toprule",
        tex_row(map(as_tex, grid.header)),
    ]
    for row in grid.rows:
        if row[1] == _STATISTICS[0]:
            lines.append(r"\midrule")
        lines.append(tex_row(map(as_tex, row)))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def run_statements(run: ProtocolRun) -> list[str]:
    """Say what the numbers mean, a sentence each."""
    asked, data = run.setting, run.setting.data
    n_classes = len(run.results[0].predictions.roster.classes)
    what = "who it is" if asked.task == "identity" else f"{asked.label} ({n_classes:,} classes)"
    said = [
        f"{data.name}: {len(data):,} samples of {len(data.samples.subjects):,} subjects, {data.each} each; "
        f"recognised is {what}; seed {asked.seed}."
    ]
    for found in run.findings:
        tests = (found.imbalance.smallest, found.imbalance.largest)
        sizes = f"{tests[0]:,}" if tests[0] == tests[1] else f"{tests[0]:,} to {tests[1]:,}"
        uneven = (
            f"; in a test set a class is off its share by {100 * found.imbalance.share:.1f} points at most"
            if found.imbalance.share is not None
            else ""
        )
        meaning = found.protocol.describe().rstrip(".")
        said.append(
            f"{found.protocol}: {meaning}. {len(found.folds):,} splits, {sizes} test samples{uneven}."
        )
    said += _of_runs(run)
    said += _of_intervals(run)
    said += _of_comparisons(run)
    return said + [as_sentence(note) for note in run.notes]


def _of_runs(run: ProtocolRun) -> list[str]:
    kinds = dict.fromkeys(one.spread.run for one in run.results)
    return [
        f"Over runs: a run is one {' or one '.join(kinds)}. Runs share samples, so their standard deviation is no standard error."
    ]


def _of_intervals(run: ProtocolRun) -> list[str]:
    said: dict[str, None] = {}
    for one in run.results:
        for interval in (one.corrected, one.pooled):
            if interval.low is None:
                continue  # a note says why
            answers = interval.answers
            said[
                f"{answers.of[0].upper()}{answers.of[1:]}: varying {answers.varying}; fixed: {answers.fixed}; assuming: "
                f"{answers.assuming} ({interval.method})."
            ] = None
    return list(said)


def _of_comparisons(run: ProtocolRun) -> list[str]:
    said = []
    for found in run.findings:
        for made, how in ((found.on_splits, "on splits"), (found.on_people, "on people, one repeat")):
            if made is not None:
                said += [
                    f"{found.protocol}, {how} ({pair.method}): {sentence}"
                    for pair, sentence in zip(made.pairs, made.sentences(), strict=True)
                ]
        said += [f"{found.protocol}: {one!r}." for one in found.five_by_two]
        said += [
            f"{found.protocol}, posterior of {a} against {b}: {posterior!r}."
            for a, b, posterior in found.bayes
        ]
    return said


def run_json(run: ProtocolRun, files: Sequence[str] = ()) -> str:
    """Write a run as JSON text."""
    content: dict[str, Any] = run.to_dict()
    if files:
        content["files"] = list(files)
    return as_json(content)


def require_place(path: str | Path) -> None:
    """Refuse a place where `write_run` could not write: a file, or a directory that holds anything but an earlier run."""
    require_free(Path(path), _ours(Path(path)))


def write_run(run: ProtocolRun, path: str | Path, title: str = "Accuracy under protocols") -> Path:
    """Write tables, figure, predictions, splits and cards into a directory of their own; return the summary."""
    path = Path(path)
    with whole_directory(path, _ours(path)) as draft:
        for folder in _FOLDERS:
            (draft / folder).mkdir()
        files, skipped = _write_parts(run, draft)
        write_spreadsheet(run.to_frame(), draft / "table.csv")
        (draft / "table.tex").write_text(runs_latex(run), encoding="utf-8")
        figure = accuracy_figure(run)
        for name in _FIGURES:
            save_figure(figure, draft / name)
        parts = [
            f"# {title}",
            as_markdown(runs_grid(run)),
            as_markdown(intervals_grid(run)),
            "![Accuracy by protocol](accuracy.png)",
            "\n".join(f"- {said}" for said in [*run_statements(run), *skipped]),
        ]
        (draft / "report.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        (draft / MARK).write_text(run_json(run, files), encoding="utf-8")
    return path / "report.md"


def _write_parts(run: ProtocolRun, draft: Path) -> tuple[list[str], list[str]]:
    """Write splits, predictions and cards; return the files, and what was not written."""
    files, skipped = [], []
    used: set[str] = set()
    for found in run.findings:
        named = _file_name(str(found.protocol), used)
        digest = None
        if len(found.folds) * len(run.setting.data) <= _MOST_ROLES:
            splits = f"splits/{named}.parquet"
            write_splits(draft / splits, run.setting.data.samples, found.plan.splits())
            digest = _sha256(draft / splits)
            files.append(splits)
        else:
            skipped.append(
                f"The splits of {found.protocol} are too many to write; the seed makes them again."
            )
        for one in found.results:
            own = _file_name(f"{one.classifier} {one.protocol}", used)
            predictions, card = f"predictions/{own}.parquet", f"cards/{own}.json"
            one.predictions.frame.write_parquet(draft / predictions)
            stated = PredictionsFile(predictions, _sha256(draft / predictions))
            run.card(one, stated, digest).write(draft / card)
            files += [predictions, card]
    return files, skipped


def _file_name(text: str, used: set[str]) -> str:
    """A name that any file system takes, and that no other has."""
    plain = text.replace("×", "x").replace("+", " disjoint").replace("**", " counted").replace("*", " each")
    name = plain = re.sub(r"[^A-Za-z0-9.-]+", "-", plain).strip("-.")[:100] or "result"
    number = 2
    while name.lower() in used:
        name, number = f"{plain}-{number}", number + 1
    used.add(name.lower())
    return name


def _ours(path: Path) -> list[str]:
    """What may be replaced: our files, and those that an earlier run lists as its own."""
    try:
        listed = json.loads((path / MARK).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        listed = []
    folders = tuple(f"{one}/" for one in _FOLDERS)
    return [*_OURS, *(str(name) for name in listed if str(name).startswith(folders))]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
