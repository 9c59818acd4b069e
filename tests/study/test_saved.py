"""Results written earlier are read again, whichever of the two versions they are of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.report.page import finding

import proband as pb
from proband.engine.files.documents import as_json
from proband.errors import InputError
from proband.study.analysis import analyses


def test_results_of_this_version_are_read_as_they_are(tmp_path: Path) -> None:
    written = finding.whole().to_dict()
    (tmp_path / "results.json").write_text(as_json(written), encoding="utf-8")
    expected = json.loads(as_json(written))
    assert pb.read_results(tmp_path) == expected
    assert pb.read_results(tmp_path / "results.json") == expected


def test_results_of_the_version_before_stand_where_they_stand_now(tmp_path: Path) -> None:
    now = json.loads(as_json(finding.whole().to_dict()))
    moved = {one.key: one.moved for one in analyses()}
    before = {"schema": "proband-results/2"}
    for key, part in now.items():
        if moved.get(key):
            names = {inner: outer for outer, inner in moved[key].items()}
            before |= {names[inner]: value for inner, value in part.items()}
        elif key != "schema":
            before[key] = part
    assert {"comparisons", "thresholds", "groups"} <= set(before)
    (tmp_path / "old.json").write_text(json.dumps(before), encoding="utf-8")
    assert pb.read_results(tmp_path / "old.json") == now


@pytest.mark.parametrize("content", ["[]", "{}", '{"schema": "proband-results/1"}', "no JSON"])
def test_anything_else_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"results\.json"):
        pb.read_results(tmp_path)
