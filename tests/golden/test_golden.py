"""The numbers of every command on one small population stay what they were; words may change.

After a change that is meant: ``python -m tests.golden.freeze``, and a commit of its own that says why.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.golden.cases import CASES, ELSEWHERE
from tests.golden.freeze import file_of, fresh
from tests.golden.running import answer, differences

from proband.cli.app import app

FILES = ("csv", "figure", "latex", "markdown", "model_card", "out", "report", "formats")
FIRST = {command: words for command, words, _ in reversed(CASES)}
PARAMETERS = [
    pytest.param(*case, id=" ".join(case[:2]), marks=() if FIRST[case[0]] == case[1] else pytest.mark.long)
    for case in CASES
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    fresh(folder)
    return folder


@pytest.mark.parametrize(("command", "words", "as_json"), PARAMETERS)
def test_numbers(command: str, words: str, as_json: bool, data: Path, tmp_path: Path) -> None:
    expected = json.loads(file_of(command).read_text())[words]
    for one in data.iterdir():
        (shutil.copytree if one.is_dir() else shutil.copyfile)(one, tmp_path / one.name)
    found = answer(command, words, tmp_path, as_json)
    assert differences(expected, json.loads(json.dumps(found))) == []


def test_every_option_stands_in_some_case() -> None:
    used: dict[str, set[str]] = {}
    for command, words, as_json in CASES:
        used.setdefault(command, set()).update([*shlex.split(words), *(["--json"] if as_json else [])])
    missing = [
        f"{command} {option.opts[0]}"
        for command, found in _commands()
        for option in found.params
        # Engines are tried in tests/engine, words and the files that all commands write in tests/cli, and the words of sampling levels
        # in tests/inference.
        if option.param_type_name == "option"
        and option.name not in ("help", "engine", "explain", "sampling", *FILES)
        if command not in ELSEWHERE
        if not {*option.opts, *option.secondary_opts} & used.get(command, set())
        if not any(f"{command} {name}" in ELSEWHERE for name in option.opts)
    ]
    assert missing == []


def _commands() -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(app))]
    while waiting:
        names, found = waiting.pop()
        inner = getattr(found, "commands", None)
        if inner is None:
            yield " ".join(names), found
        else:
            waiting += [((*names, name), one) for name, one in inner.items()]
