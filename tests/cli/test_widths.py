"""Every command at every width: no line is wider than the terminal, no word and no number is broken, colours can be had or not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from tests.cli.test_explain import ASKED, commands
from tests.golden.cases import WRITTEN
from tests.golden.freeze import fresh
from tests.report.legible import unbroken

from proband.cli.app import main
from proband.cli.console import tell_command
from proband.papers.page import command_of
from proband.report.tables.terminal import folded

Run = Callable[..., Any]
WIDTHS = (60, 80, 120, 200)
QUICK = ("mcnemar", "plan", "literature", "card")
ODD = "protocol run first.npz::first -s samples.csv -c a-name-of-many-parts=sklearn.neighbors:KNeighborsClassifier(n_neighbors=1) --label sex -P '5f CV+'"  # fmt: skip
EVERY = [
    *ASKED, *(f"{one} --explain" for one in ASKED), ODD,
    *(f"{command} {words}" for command, several in WRITTEN.items() if command not in ("run", "recognize", "faces") for words in several[:1]),
]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    return folder


def check(narrow: str, wide: str, width: int) -> None:
    """Fail where a line is too wide, unless it is one word, or where a word of the wide text is not whole in the narrow one."""
    lines = narrow.splitlines()
    assert [line for line in lines if cell_len(line) > width and " " in line.strip()] == []
    ruled = [re.fullmatch("─+", line) is not None for line in wide.splitlines()]
    for line, rule, over_rule in zip(wide.splitlines(), ruled, [*ruled, False][1:], strict=True):
        # A table whose rows are stacked has no headings over the names.
        for word in () if rule or over_rule else unbroken(line):
            assert word in narrow, (width, word)


def shown(run: Run, asked: str, data: Path, monkeypatch: pytest.MonkeyPatch, **environment: str) -> Any:
    with monkeypatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        done = run(*shlex.split(asked), cwd=data)
    assert done.returncode in (0, 3, 4), done.stderr
    return done


@pytest.mark.parametrize(
    "asked", [pytest.param(one, marks=() if one.split()[0] in QUICK else pytest.mark.long) for one in EVERY]
)
def test_every_line_fits(asked: str, data: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if "--out" in asked and " -o" not in asked:
        asked = re.sub(r"--out (\S+)", r"--out wide-\1", asked)
    wide = shown(run, asked, data, monkeypatch, COLUMNS="1000").stdout
    for width in WIDTHS:
        again = re.sub("--out wide-", f"--out w{width}-", asked)
        done = shown(
            run, again, data, monkeypatch, COLUMNS=str(width), FORCE_COLOR="1", NO_COLOR="1", TERM="xterm"
        )
        plain = re.sub(r"\x1b\[[\d;]*m", "", done.stdout)
        check(plain.replace(f"w{width}-", "wide-"), wide, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_sentences_fold_between_words(width: int) -> None:
    text = (
        "Intervals: 0.9500 [0.8687, 0.9820], p ≤ 1e-4, over new-found people of a_very_long_name_without_blanks ± 0.01. "
        * 4
    )
    lines = folded(text.strip(), width)
    assert all(len(line) <= width for line in lines)
    assert " ".join(lines).replace("new- found", "new-found") == text.strip()
    for whole in ("[0.8687, 0.9820],", "p ≤ 1e-4,", "± 0.01."):
        assert sum(line.count(whole) for line in lines) == 4


def test_colours_are_asked_for_and_declined(data: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "audit splits.csv -s samples.csv --label sex"
    plain = shown(run, asked, data, monkeypatch, COLUMNS="80").stdout
    assert "\x1b" not in plain
    coloured = shown(
        run, asked, data, monkeypatch, COLUMNS="80", FORCE_COLOR="1", TERM="xterm-256color"
    ).stdout
    assert "\x1b[3" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    for said in ({"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}):
        none = shown(run, asked, data, monkeypatch, COLUMNS="80", FORCE_COLOR="1", **said).stdout
        assert not re.search(r"\x1b\[(3|9|1;3)\d", none), said
        assert re.sub(r"\x1b\[[\d;]*m", "", none) == plain


def test_a_pipe_gets_a_sentence_a_line(data: Path, run: Run) -> None:
    done = run("plan", "--rate", "0.95", "--half-width", "0.01", "--explain", cwd=data)
    assert max(map(len, done.stdout.splitlines())) > 120


HELPED = sorted(commands())


def helped(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    with pytest.raises(SystemExit) as stop:
        main([*name.split(), "--help"])
    assert not stop.value.code
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", [60, 80, pytest.param(200, marks=pytest.mark.long)])
def test_help_cuts_nothing(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, found in HELPED:
        lines = helped(name, width, monkeypatch, capsys)
        whole = "\n".join(lines)
        assert [line for line in lines if len(line) > width and " " in line.strip()] == [], name
        for option in (word for one in found.params if one.param_type_name == "option" for word in (*one.opts, *one.secondary_opts)):  # fmt: skip
            assert re.search(rf"(^|[ ,]){re.escape(option)}($|[ ,\n])", whole, re.MULTILINE), (name, option)


def test_the_first_screen_has_usage_an_example_and_the_data(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, found in HELPED:
        screen = helped(name, 80, monkeypatch, capsys)[:24]
        assert screen[0].startswith("Usage: "), name
        panels = [one.rich_help_panel for one in found.params]
        if "Data" in panels:
            assert "Data" in screen, name
        if "[bold]Example" in (found.help or ""):
            assert any(f"proband {name}" in line for line in screen if line.startswith("  ")), name
        if any("--samples" in one.opts for one in found.params):
            assert any("-s, --samples" in line for line in screen), name


def test_the_program_lists_its_commands_by_job_a_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = helped("", 80, monkeypatch, capsys)
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z]+  ", line)]
    assert listed[:3] == ["evaluate", "verify", "compare"]
    assert sorted(listed) == sorted({name.split()[0] for name, _ in HELPED})
    assert all(line.endswith((".", "?")) for line in lines if re.match(r"  [a-z]+  ", line))


def test_names_that_are_made_visible_do_not_lengthen_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from proband.cli.console import say

    monkeypatch.setenv("COLUMNS", "60")
    say("  one leads " + " and ".join(f"\u202e\u2066name{k}\u2069" for k in range(12)))
    lines = capsys.readouterr().out.rstrip("\n").split("\n")
    assert len(lines) > 3
    assert max(map(len, lines)) <= 60


def test_a_command_to_be_copied_is_folded_for_a_shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell reads the folded lines as the very words; neither a condition nor a name is broken."""
    words = ["proband", "feret", "scores.npz", "-g", "kind == 'fa' and session == 1", "--version", "lda:angle-auto=lda:angle"]  # fmt: skip
    command = command_of(*words)
    monkeypatch.setenv("COLUMNS", "40")
    tell_command(command)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert all(len(line) <= 40 for line in lines)
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == words  # as a shell joins them
    monkeypatch.delenv("COLUMNS")
    tell_command(command)
    assert capsys.readouterr().err == f"  {command}\n"
