"""Run every study of coverage and write what it showed: docs/coverage.json, and the table that docs/trust.md shows.

``python -m tests.statistical.coverage_table --sets 4000`` (``make coverage``) takes about an hour on two cores. ``--study KEY`` runs one and keeps
the others as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from proband import __version__
from proband.engine import default_threads
from proband.inference.simulation.studies import STUDIES, run_trial

DOCS = Path(__file__).parents[2] / "docs"
FOUND, SHOWN = DOCS / "coverage.json", DOCS / "trust.md"
BEGIN, END = "<!-- the table of coverage begins -->", "<!-- the table of coverage ends -->"
SEED = 2026


def carried_out(keys: list[str], n_sets: int) -> dict[str, Any]:
    """What studies showed, one row for each trial; those that are not run are kept."""
    kept = json.loads(FOUND.read_text(encoding="utf-8"))["rows"] if FOUND.exists() else []
    with ProcessPoolExecutor(default_threads()) as pool:
        asked = {
            key: [pool.submit(run_trial, key, place, n_sets, SEED) for place in range(len(study.trials))]
            for key, study in STUDIES.items()
            if key in keys
        }
        rows = []
        for key in STUDIES:
            rows += [row for row in kept if row["study"] == key and key not in keys]
            for trial in asked.get(key, []):
                found = trial.result().to_dict()
                rows.append({**found, "version": __version__})
                sys.stdout.write(f"{key}: {found['people']}\n")
                sys.stdout.flush()
    return {"rows": rows}


def percent(share: dict[str, float]) -> str:
    return f"{100 * share['value']:.1f} ± {100 * share['standard_error']:.1f}"


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as Markdown, with what made them."""
    made = sorted({(row["version"], row["n_sets"], row["seed"]) for row in rows})
    lines = [
        "| question | procedure | people | holds the truth, % | width | carriers | with a caution, % | type I, % |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        interval, level = row["interval"], row["level"]
        question = str(STUDIES[row["study"]].question)
        measured = "" if row["measure"] == "rank-1" else f"{row['measure']}, "
        if interval is None:
            held, rejected = percent(level["covered"]), percent(level["rejected"])
            width = carriers = cautioned = ""
        else:
            held, width, rejected = percent(interval["covered"]), f"{interval['width_ratio']:.2f}", ""
            cautioned = f"{100 * interval['cautioned']:.1f}"
            carriers = "" if interval["carriers"] is None else f"{interval['carriers']:.0f}"
        cells = (
            question,
            f"{measured}`{row['design']}`",
            row["people"],
            held,
            width,
            carriers,
            cautioned,
            rejected,
        )
        lines.append(f"| {' | '.join(cells)} |")
    told = "; ".join(f"version {version}, {n:,} data sets, seed {seed}" for version, n, seed in made)
    return "\n".join((BEGIN, *lines, "", f"{told[0].upper()}{told[1:]}.", END))


def shown(page: str, rows: list[dict[str, Any]]) -> str:
    """The page with the table in its place."""
    before, _, rest = page.partition(BEGIN)
    return before + table(rows) + rest.partition(END)[2]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=4_000)
    parser.add_argument("--study", choices=list(STUDIES))
    given = parser.parse_args()
    found = carried_out([given.study] if given.study else list(STUDIES), given.sets)
    FOUND.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    SHOWN.write_text(shown(SHOWN.read_text(encoding="utf-8"), found["rows"]), encoding="utf-8")


if __name__ == "__main__":
    main()
