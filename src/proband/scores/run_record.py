"""Run records: how a file of scores was made, when, by whom, on which machine and in what time.

A record is a separate file next to the scores, ``scores.npz.run.json``, so that equal images give identical score files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from proband.engine.files.documents import as_json, read_json
from proband.engine.files.files import content_of, naming, reading, require_regular
from proband.engine.moments import moment_of, write_moment
from proband.errors import InputError, Said, quoted
from proband.words import UNPRINTABLE, Sentence

FORMAT = "proband run 1"
ENDING = ".run.json"
RUN_OF_OTHER_SCORES = Sentence(
    "run.of-other-scores",
    "caution",
    "{file} belongs to a different score file, so it is ignored",
)


@dataclass(frozen=True)
class AlgorithmRun:
    """The run time of one algorithm.

    Attributes
    ----------
    algorithm
        The name of the scores.
    code
        The package of its code, with its version.
    training, enrolment, comparison
        The seconds for training; for representing the images of queries and targets; for comparing them.
    """

    algorithm: str
    code: str = ""
    training: float = 0.0
    enrolment: float = 0.0
    comparison: float = 0.0


@dataclass(frozen=True)
class RunRecord:
    """The record of a run: what was run, when, by whom, on which machine, and in what time.

    Attributes
    ----------
    started, finished
        Times in UTC: ``2026-12-01T12:00:00Z``.
    operator
        The name of the operator; None if not stated.
    machine, software
        The computer and the software versions.
    command
        The command line.
    images
        The seconds for reading images and detecting faces, shared by all algorithms.
    algorithms
        The run time of each algorithm.
    scores
        SHA-256 of the score file; empty if the run was stated by hand.
    """

    started: str
    finished: str
    operator: str | None = None
    machine: str | None = None
    software: str | None = None
    command: str = ""
    images: float = 0.0
    algorithms: tuple[AlgorithmRun, ...] = ()
    scores: str = ""

    def seconds_of(self, algorithm: str) -> float:
        """The run time of an algorithm, including images; the total if the run has no separate times."""
        named = [run for run in self.algorithms if run.algorithm == algorithm] or self.algorithms
        if len(named) == 1:
            return self.images + named[0].training + named[0].enrolment + named[0].comparison
        return (moment_of(self.finished) - moment_of(self.started)).total_seconds()

    def facts(self, algorithm: str) -> dict[str, Any]:
        """The facts of the run of an algorithm for tables of participants."""
        return {
            "operator": self.operator,
            "started": self.started,
            "seconds": self.seconds_of(algorithm),
            "machine": self.machine,
        }

    def to_json(self) -> str:
        """The text of the record file."""
        return as_json({"format": FORMAT, **asdict(self)})


def record_beside(path: Path) -> Path:
    """The path of the record of a score file."""
    return path.with_name(path.name + ENDING)


def read_record(path: Path) -> RunRecord:
    """Read a record; an invalid one is refused."""
    require_regular(path)
    with reading(path, "a run record"):
        stated = read_json(content_of(path))
        if not isinstance(stated, dict) or stated.pop("format", None) != FORMAT:
            raise InputError(
                f"{path.name} is not a run record.",
                "leave it out, or run proband recognize again to write it.",
                file=Said(path.name),
            )
        runs = stated.get("algorithms", [])
        if not isinstance(runs, list) or not all(
            isinstance(run, dict) and "algorithm" in run for run in runs
        ):
            raise InputError(f"{path.name} lists no algorithms.", file=Said(path.name))
        made = tuple(AlgorithmRun(**_typed(run, AlgorithmRun, path.name)) for run in runs)
        record = {key: value for key, value in stated.items() if key != "algorithms"}
        return stated_run(_typed(record, RunRecord, path.name), path.name, algorithms=made)


def stated_run(stated: Mapping[str, Any], file: str, **known: Any) -> RunRecord:
    """Make the record stated in a file: two times in order, and one-line texts."""
    times = {}
    for key in ("started", "finished"):
        if not stated.get(key):
            raise InputError(f"{file} does not state when the run {key}.", file=Said(file))
        with naming(file=file):
            times[key] = moment_of(stated[key], f"{key} =", InputError)
    if times["finished"] < times["started"]:
        raise InputError(
            f"the run finished at {stated['finished']}, before it started at {stated['started']}.", file=file
        )
    for key, value in stated.items():
        if isinstance(value, str) and UNPRINTABLE.search(value):
            raise InputError(f"{key} is {quoted(value)}.", "write one line of plain text.", file=file)
    return RunRecord(**{**stated, **{key: write_moment(moment) for key, moment in times.items()}, **known})


def _typed(stated: dict[str, Any], kind: type, file: str) -> dict[str, Any]:
    """Refuse unknown keys, and values other than text or seconds where these are required."""
    kinds = {field.name: str(field.type) for field in fields(kind)}
    for key, value in stated.items():
        expected = kinds.get(key)
        if expected == "float":
            is_one = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
        else:
            is_one = isinstance(value, str) or (value is None and expected == "str | None")
        if expected is None or not is_one:
            raise InputError(
                f"{key} of a run record is {value!r:.60}.",
                "use the value that proband recognize wrote."
                if expected
                else f"it must have {', '.join(kinds)}.",
                file=file,
            )
    return stated
