"""The page that maps the papers' words to ours names only what there is: commands, options, values and Python names."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from tests.modes import commands

import proband as pb

PAGE = re.sub(
    r"^```.*?^```$",
    "",
    Path("docs/methods/terms.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE | re.DOTALL,
)
CODE = re.compile(r"`([^`]+)`")
TYPED = sorted({code for code in CODE.findall(PAGE) if code.startswith("proband ")})
NAMED = sorted({code for code in CODE.findall(PAGE) if code.startswith("pb.")})
COMMANDS = commands()


def test_every_paper_has_its_words() -> None:
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    assert [heading.split()[0].rstrip(",") for heading in headings] == [
        "Beveridge", "Phillips", "Micheals", "Mery",
    ]  # fmt: skip
    assert len(TYPED) > 50
    assert len(NAMED) > 40


@pytest.mark.parametrize("typed", TYPED)
def test_every_command_and_option_is_there(typed: str) -> None:
    words = typed.split()[1:]
    names = [word for word in words if not word.startswith("-")]
    command = COMMANDS[" ".join(names)]
    options = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert [word for word in words if word.startswith("-") and word not in options] == []


@pytest.mark.parametrize("named", NAMED)
def test_every_name_and_argument_is_there(named: str) -> None:
    path, _, arguments = named.removesuffix(")").partition("(")
    found: Any = pb
    for name in path.split(".")[1:]:
        found = getattr(found, name)
    taken = set(inspect.signature(found).parameters) if callable(found) else set()
    assert set(re.findall(r"(\w+)=", arguments)) <= taken
