"""What stands beneath tables: three lines at most, and everything with --explain; no caution vanishes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.golden.freeze import fresh
from tests.program import whole_program
from tests.words import every_sentence

from proband.report.notes import GRAVEST, in_brief
from proband.results.base import Answers
from proband.words import Sentence, Target

Run = Callable[..., Any]
S = "scores.npz -s samples.csv"
G = """-g "session == 1 and kind == 'fa'" """
NEAREST = "-c sklearn.neighbors:KNeighborsClassifier(n_neighbors=1)"
ASKED = (
    f"evaluate {S} {G}",
    f"evaluate {S} {G} --measure rank-3",
    f"compare {S} {G}",
    "compare outcomes.csv --outcomes --item question --algorithm model --success correct",
    "classify logits.npz",
    f"verify {S} --fmr 0.05 --replicates 0 --by sex",
    f"verify {S} --pairs pairs.csv",
    f"gate {S} {G} --baseline weak --candidate strong",
    f"threshold {S} --fmr 0.05",
    f"search {S} -g \"session == 1 and kind == 'fa' and age < 44\" --fpir 0.2 --sizes 8",
    f"feret {S} {G}",
    "mcnemar 60 38 --total 722",
    f"permute {S} --groups session --trials 100 --max-rank 3",
    f"permute {S} --groups session --exact --max-rank 3",
    f"permute {S} --groups session --trainings",
    f"strat {S} --images 4",
    "plan --rate 0.95 --half-width 0.01",
    "coverage --subjects 40 --rate 0.8 --sets 20",
    f"inspect {S}",
    "audit splits.csv -s samples.csv --label sex",
    "literature feret",
    "card diff feret-6.json feret-8.json",
    f'protocol run first.npz::first -s samples.csv {NEAREST} --label sex -P "5f CV+"',
    f'protocol what-if mixed -i first.npz::first -s samples.csv {NEAREST} --label sex -p "2f CV"',
    "run small.toml --out elsewhere --no-cache",
)  # fmt: skip
# What is not a table prints nothing beneath one.
WITHOUT = {
    "alter", "array", "blind make", "blind receive", "card show", "card validate", "convert", "faces", "init", "protocol explain", "schema",
    "protocol splits", "recognize", "diff", "migrate",
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    return folder


def commands() -> Iterator[tuple[str, Any]]:
    for name, found in whole_program().commands.items():
        inner = getattr(found, "commands", None)
        yield from ((f"{name} {one}", own) for one, own in inner.items()) if inner else [(name, found)]


def test_every_command_that_says_something_beneath_a_table_explains() -> None:
    for name, found in commands():
        options = {option for one in found.params for option in one.opts}
        assert ("--explain" in options) == (name not in WITHOUT), name


QUICK = ("evaluate", "gate", "mcnemar", "plan", "inspect", "audit", "card")


@pytest.mark.parametrize(
    "asked", [pytest.param(one, marks=() if one.split()[0] in QUICK else pytest.mark.long) for one in ASKED]
)
def test_three_lines_and_all_of_it(asked: str, data: Path, run: Run) -> None:
    brief = run(*shlex.split(asked), cwd=data)
    whole = run(*shlex.split(asked), "--explain", cwd=data)
    assert brief.returncode == whole.returncode
    assert brief.returncode in (0, 3, 4), brief.stderr
    *_, below = brief.stdout.rpartition("\n\n")
    starts = ("What varies: ", "95% intervals: for ", "Caution: ", "--explain shows")
    lines = [one for one in below.splitlines() if one.startswith(starts)]
    order = [next(place for place, start in enumerate(starts) if one.startswith(start)) for one in lines]
    assert order == sorted(order)
    assert len(lines) <= 3
    assert len(whole.stdout) >= len(brief.stdout) or not lines
    assert "--explain" not in whole.stdout
    # The first caution of the brief is among everything.
    for one in lines:
        if one.startswith("Caution: "):
            said = one.removeprefix("Caution: ").split(" (+ ")[0].rstrip(".")
            assert said[1:] in whole.stdout + whole.stderr


@pytest.mark.parametrize(
    "command", [f"evaluate {G}", "verify --fmr 0.05 --replicates 0", "search -g @enrolled.csv --fpir 0.2", f"feret {G}"]
)  # fmt: skip
def test_what_was_left_out_of_the_data_goes_before_other_cautions(command: str, data: Path, run: Run) -> None:
    name, *rest = shlex.split(command)
    done = run(name, "scores.npz", "-s", "kept.csv", "--missing", "drop", *rest, cwd=data)
    assert done.returncode in (0, 3, 4), done.stderr
    assert "Caution: " in done.stdout
    assert "left out" in done.stdout[done.stdout.index("Caution: ") :]


def test_many_pairs_are_told_as_the_leading_group(data: Path, run: Run) -> None:
    files = [f"{name}=scores.npz::{of}" for name, of in zip("abcde", ("strong", "strong", "weak", "weak", "middling"), strict=True)]  # fmt: skip
    asked = ("compare", *files, "-s", "samples.csv", *shlex.split(G))
    brief = run(*asked, cwd=data)
    assert "a and b lead: a is significantly better than 3 of the 4 others, and not significantly different from b." in brief.stdout  # fmt: skip
    assert "is better than" not in brief.stdout
    whole = run(*asked, "--explain", cwd=data).stdout
    assert all(f"a is better than {other}:" in whole for other in "cde")


def test_the_gravest_caution_goes_first_and_notes_within_notes_count() -> None:
    plain = Sentence("test.plain", "note", "{what}")
    few = Sentence("test.few", "caution", "few people")
    mark = Sentence("test.mark", "mark", "* is a mark")
    first = next(one for one in every_sentence() if one.code == GRAVEST[0])
    grave = first(stated="a", looks="b")
    answers = Answers(*(Target(name, name) for name in ("of", "varying", "fixed", "assuming")))
    notes = [few(), plain(what=grave), plain(what="x"), mark()]
    said = in_brief(notes, [answers])
    assert [one.level for one in said] == ["note", "caution", "note"]
    assert said[1]["first"] == notes[1]
    assert said[1]["more"] == 1
    assert str(said[2]) == "* is a mark. --explain shows the rest (2 notes)"
    assert str(said[0]) == "What varies: varying"
    assert str(in_brief(notes, [answers], 0.9)[0]) == "90% intervals: for varying"
    assert in_brief([]) == []


def test_the_gravest_cautions_are_cautions() -> None:
    known = {one.code: one.level for one in every_sentence()}
    assert [code for code in GRAVEST if known.get(code) != "caution"] == []


def test_a_study_says_its_verdict_and_where_the_report_is(data: Path, run: Run) -> None:
    done = run("run", "small.toml", "--out", "again", "--no-cache", cwd=data)
    assert done.stderr.splitlines()[-1] == "wrote again/report.html"
    assert len(done.stdout.splitlines()) <= 3
