"""Carry out the studies of coverage and write what they showed: docs/coverage.json, and what docs/understand/trust.md shows of it.

``python -m tests.statistical.coverage_table --sets 4000 --minutes 20`` (``make coverage``) goes on where it stopped: every row has the sums of
its first n data sets, and the next ones are added. A row whose first data sets answer otherwise than they did is begun again. ``--study KEY`` goes on
with one study alone, ``--workers`` says how many processes work; ``--draw`` writes the page of what is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.statistical import coverage_page

from proband import __version__
from proband.engine import default_threads, written_whole
from proband.inference.simulation.covered import SimulationTally
from proband.inference.simulation.studies import STUDIES, CoverageStudy, Trial, run_trial
from proband.words import plain

FOUND = Path(__file__).parents[2] / "docs" / "coverage.json"
SEED = 2026
FIRST = 10
"""Data sets by which it is seen whether a row still holds."""
_PIECE = 20.0  # seconds of work between two writings


def name_of(study: CoverageStudy, trial: Trial) -> str:
    """What a row is known by: all that is said of a trial."""
    design = getattr(trial.ask, "design", "")
    return " | ".join((study.key, trial.people, trial.ask.measure, str(design)))


TRIALS = {
    name_of(study, trial): (study, place, trial)
    for study in STUDIES.values()
    for place, trial in enumerate(study.trials)
}
"""Every trial, by what its row is known by."""


@dataclass(frozen=True)
class Row:
    """What one trial showed so far.

    Attributes
    ----------
    name, design, version
        Which trial, the procedure that answered, and the version of Proband.
    first
        The counts and sums of the first few data sets.
    tally
        Those of all.
    """

    name: str
    design: str
    version: str
    first: SimulationTally
    tally: SimulationTally

    @property
    def study(self) -> CoverageStudy:
        return TRIALS[self.name][0]

    @property
    def trial(self) -> Trial:
        return TRIALS[self.name][2]

    @property
    def broken(self) -> tuple[str, ...]:
        """The bars that it does not pass."""
        return self.trial.bars.broken(self.tally)

    def to_dict(self) -> dict[str, Any]:
        parts = {"first": plain(self.first), "tally": plain(self.tally)}
        return {"name": self.name, "design": self.design, "version": self.version, **parts}

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Row:
        tallies = {
            part: SimulationTally(**{**kept[part], "squared": tuple(kept[part]["squared"])})
            for part in ("first", "tally")
        }
        return cls(kept["name"], kept["design"], kept["version"], **tallies)


def rows() -> dict[str, Row]:
    """What was found so far, in the order of the studies; rows of trials that are no more are left out."""
    kept = json.loads(FOUND.read_text(encoding="utf-8"))["rows"] if FOUND.exists() else []
    found = {row["name"]: Row.of(row) for row in kept if row.get("name") in TRIALS}
    return {name: found[name] for name in TRIALS if name in found}


def begun(name: str) -> Row:
    """The first few data sets of a trial."""
    study, place, _ = TRIALS[name]
    found = run_trial(study.key, place, FIRST, SEED)
    return Row(name, found.design, __version__, found.tally, found.tally)


def alike(first: SimulationTally, other: SimulationTally) -> bool:
    """Whether two tallies are of the same answers, but for rounding."""
    one, two = plain(first), plain(other)
    return one.keys() == two.keys() and all(
        two[name] == pytest.approx(value, rel=1e-6, abs=1e-12) for name, value in one.items()
    )


def gone_on(row: Row | None, name: str, wanted: int, checked: bool) -> Row:
    """A row with some seconds' worth of data sets more; one that no longer holds is begun again."""
    start = monotonic()
    if row is None or not checked:
        fresh = begun(name)
        row = fresh if row is None or not alike(row.first, fresh.first) else row
    study, place, _ = TRIALS[name]
    each = None  # seconds a data set, as the last ones showed
    while row.tally.n < wanted and (left := _PIECE - (monotonic() - start)) > 0:
        most = max(1, int(left / max(each, 1e-4) / 2)) if each is not None else FIRST
        n = min(wanted - row.tally.n, most)
        before = monotonic()
        found = run_trial(study.key, place, n, SEED, first=row.tally.n)
        each = (monotonic() - before) / n
        row = replace(
            row, design=row.design or found.design, version=__version__, tally=row.tally + found.tally
        )
    return row


@dataclass
class Work:
    """All rows, and which of them are still to be gone on with."""

    found: dict[str, Row]
    wanted: dict[str, int]
    checked: set[str] = field(default_factory=set)
    under_way: dict[Future[Row], str] = field(default_factory=dict)

    def next(self) -> str | None:
        """The trial that is furthest behind."""
        behind = {
            name: self.found[name].tally.n / n if name in self.found else 0.0
            for name, n in self.wanted.items()
            if name not in self.under_way.values()
            and (name not in self.found or name not in self.checked or self.found[name].tally.n < n)
        }
        return min(behind, key=behind.__getitem__) if behind else None

    def carry_on(self, seconds: float, workers: int) -> None:
        """Go on until everything is done, or for so long."""
        start = monotonic()
        with ProcessPoolExecutor(workers) as pool:
            while True:
                while (
                    len(self.under_way) < workers and monotonic() - start < seconds and (name := self.next())
                ):
                    n, checked = self.wanted[name], name in self.checked
                    self.under_way[pool.submit(gone_on, self.found.get(name), name, n, checked)] = name
                if not self.under_way:
                    return
                for done in wait(self.under_way, return_when=FIRST_COMPLETED).done:
                    name = self.under_way.pop(done)
                    self.found[name] = row = done.result()
                    self.checked.add(name)
                    sys.stdout.write(f"{row.tally.n:>6,} of {self.wanted[name]:,}  {name}\n")
                    sys.stdout.flush()
                    self.save()

    def save(self) -> None:
        """Write what there is."""
        kept = [self.found[name].to_dict() for name in TRIALS if name in self.found]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in kept)
        with written_whole(FOUND) as draft:
            draft.write_text(f'{{"seed": {SEED}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=4_000)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--workers", type=int, default=default_threads())
    parser.add_argument("--study", choices=list(STUDIES), action="append")
    parser.add_argument("--draw", action="store_true")
    given = parser.parse_args()
    if not given.draw:
        chosen = {
            name: max(FIRST, given.sets // trial.dear)
            for name, (study, _, trial) in TRIALS.items()
            if not given.study or study.key in given.study
        }
        Work(rows(), chosen).carry_on(60 * given.minutes, given.workers)
    coverage_page.write(list(rows().values()))


if __name__ == "__main__":
    main()
