from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.protocols.cards.literature import literature

Run = Callable[..., Any]


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    for row in (6, 7, 8):
        literature("feret").card(row).write(tmp_path / f"{row}.json")
    return tmp_path


def test_diff_tells_what_may_be_compared(run: Run, cards: Path) -> None:
    same = run("card", "diff", "6.json", "7.json", cwd=cards)
    assert same.returncode == 0, same.stderr
    assert "Level 3, same protocol on the same data." in same.stdout
    assert "provenance" not in same.stdout
    assert "14 fields agree: dataset.name, " in same.stdout
    assert not [line for line in same.stdout.splitlines() if line.endswith(" agree")]
    assert "unpaired test" not in same.stdout
    brief = run("card", "diff", "7.json", "8.json", cwd=cards)
    assert brief.returncode == 3
    assert "The numbers cannot be compared" in brief.stdout
    other = run("card", "diff", "7.json", "8.json", "--explain", cwd=cards)
    assert other.returncode == 3
    assert "task.classes differs: female 199, male 212 against female 199, male 211." in other.stdout
    everything = run("card", "diff", "6.json", "7.json", "--all", cwd=cards)
    assert "provenance.publication" in everything.stdout
    told = json.loads(run("card", "diff", "7.json", "8.json", "--json", cwd=cards).stdout)
    assert (told["level"], told["comparable"]) == (1, False)


def test_show(run: Run, cards: Path) -> None:
    shown = run("card", "show", "6.json", cwd=cards).stdout
    assert "5f CV+" in shown
    assert "not stated: dataset.version" in shown
    told = json.loads(run("card", "show", "6.json", "--json", cwd=cards).stdout)
    assert told["sha256"] == literature("feret").card(6).digest


def test_validate_names_the_path(run: Run, cards: Path) -> None:
    content = json.loads((cards / "6.json").read_text())
    content["value"]["estimate"] = 99.1
    (cards / "wrong.json").write_text(json.dumps(content))
    fine = run("card", "validate", "6.json", "7.json", cwd=cards)
    assert fine.returncode == 0
    assert len(fine.stdout.splitlines()) == 2
    done = run("card", "validate", "wrong.json", "7.json", cwd=cards)
    assert done.returncode == 1
    assert "value.estimate: expected at most 1, got 99.1" in done.stderr
    assert done.stderr.count("wrong.json") == 1
    assert done.stdout.startswith("7.json: ")
    (cards / "other.json").write_text('{"title": "results", "value": 1}')
    done = run("card", "validate", "other.json", cwd=cards)
    assert done.stderr == (
        "other.json: This is not a protocol card: it does not state the format 'proband protocol card 1'.\n"
        "hint: pass a card, such as those that running a protocol writes.\n"
    )
    (cards / "other.json").write_text(json.dumps({**content, "title": 1, "notes": 2}))
    done = run("card", "validate", "other.json", cwd=cards)
    assert "title: is not a field of a card, nor is 'notes'; the fields are format, method," in done.stderr
    (cards / "one").mkdir()
    (cards / "wrong.json").rename(cards / "one/wrong.json")
    assert "one/wrong.json: The protocol card" in run("card", "validate", "one/wrong.json", cwd=cards).stderr
    assert run("card", "validate", "absent.json", cwd=cards).stderr.count("absent.json") == 1
    assert run("card", "show", "absent.json", cwd=cards).returncode == 1


@pytest.mark.long
def test_literature_lists_rows_and_pairs(run: Run, tmp_path: Path) -> None:
    rows = run("literature", "ar", "--explain", cwd=tmp_path).stdout
    assert "3×9-17 HO* [train: no disguise, sunglass, scarf]" in rows
    assert "Same protocol on the same data: rows 4 and 7, rows 8 and 9." in rows
    assert "One publication listed twice, not a comparison: rows 3 and 6." in rows
    pairs = run("literature", "feret", "--pairs", cwd=tmp_path).stdout
    assert "Fusion (L6) and Fusion" in pairs
    assert "needle-map" not in pairs
    every = run("literature", "jaffe", "--pairs", "--all", cwd=tmp_path).stdout
    assert every.count("2: same protocol as far as stated") == 50
    assert "within one publication" in every
    told = json.loads(run("literature", "ar", "--json", cwd=tmp_path).stdout)
    assert [pair["rows"] for pair in told["pairs"]] == [[3, 6], [4, 7], [8, 9]]
    only = json.loads(run("literature", "feret", "--pairs", "--json", cwd=tmp_path).stdout)
    assert [pair["rows"] for pair in only.pop("pairs")] == [[6, 7]]
    assert only == {"name": "feret"}


def test_literature_counts_protocols_and_writes_ranges(run: Run, tmp_path: Path) -> None:
    shown = run(
        "literature", "jaffe", "--csv", "families=ranges.csv", "--csv", "rows.csv", cwd=tmp_path
    ).stdout
    assert "27 rows: 9 different protocols" in shown
    assert "leave-one-subject-out" in shown
    ranges = (tmp_path / "ranges.csv").read_text().splitlines()
    assert ranges[0] == "family,subjects,rows,publications,protocols,lowest,highest"
    assert "leave-one-subject-out,disjoint,8,7,3,0.552,0.93" in ranges
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 28
    refused = run("literature", "jaffe", "--csv", "family=x.csv", cwd=tmp_path)
    assert refused.returncode == 2
    assert "families" in refused.stderr


def test_literature_gives_cards(run: Run, tmp_path: Path) -> None:
    done = run("literature", "feret", "--card", "6", "-o", "card.json", cwd=tmp_path)
    assert done.returncode == 0
    assert run("card", "validate", "card.json", cwd=tmp_path).returncode == 0
    assert "Alexandre2010" in run("literature", "feret", "--card", "6", cwd=tmp_path).stdout
    assert json.loads(run("literature", "feret", "--card", "6", "--json", cwd=tmp_path).stdout)["method"]
    assert run("literature", "feret", "--card", "99", cwd=tmp_path).returncode == 2
    assert run("literature", "feret", "-o", "x.json", cwd=tmp_path).returncode == 2
    assert run("literature", "lfw", cwd=tmp_path).returncode == 2
