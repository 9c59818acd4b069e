from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proband.errors import InputError
from proband.scores.run_record import AlgorithmRun, RunRecord, read_record, record_beside

RECORD = RunRecord(
    "2026-11-30T08:00:00Z",
    "2026-11-30T08:01:00Z",
    "A. Tester",
    "a desk",
    "proband 0.1.0",
    "proband recognize …",
    2.0,
    (AlgorithmRun("pca", "proband 0.1.0", 3.0, 0.5, 0.25), AlgorithmRun("lda", "proband 0.1.0", 4.0)),
    "0" * 64,
)


def write(path: Path, **changed: Any) -> Path:
    path.write_text(json.dumps(json.loads(RECORD.to_json()) | changed))
    return path


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = record_beside(tmp_path / "scores.npz")
    assert path.name == "scores.npz.run.json"
    path.write_text(RECORD.to_json())
    assert read_record(path) == RECORD


def test_how_long_an_algorithm_took() -> None:
    assert RECORD.seconds_of("pca") == 2 + 3 + 0.5 + 0.25
    assert RECORD.seconds_of("lda") == 6
    assert RECORD.seconds_of("another") == 60  # one of several, and nobody knows which
    alone = RunRecord(RECORD.started, RECORD.finished, images=2.0, algorithms=RECORD.algorithms[:1])
    assert alone.seconds_of("called otherwise") == 5.75


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": "proband run 2"}, "is not a run record"),
        ({"started": "2026-11-30T08:00:00"}, "has no time zone"),
        ({"finished": "2026-11-30T07:00:00Z"}, "before it started"),
        ({"finished": None}, "finished of a run record is None"),
        ({"machine": 3}, "machine of a run record is 3"),
        ({"machine": "\x1b[2J"}, "one line of plain text"),
        ({"images": -1}, "images of a run record"),
        ({"images": True}, "images of a run record"),
        ({"who": "me"}, "it must have started, finished"),
        ({"algorithms": 3}, "lists no algorithms"),
        ({"algorithms": [{"training": 1.0}]}, "lists no algorithms"),
        ({"algorithms": [{"algorithm": "a", "training": "long"}]}, "training of a run record"),
    ],
)
def test_records_that_are_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_record(write(tmp_path / "scores.npz.run.json", **changed))
