"""The documentation, without building it: every page is in the navigation once, every link leads somewhere, the reference is whole."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from docs._ext import pages
from docs._ext.notebooks import as_markdown
from tests.modes import commands

import proband as pb

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^(`{3,})(.*?)\n(.*?)^\1\s*?$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
TARGET = re.compile(r"^:link: (\S+)$", re.MULTILINE)


def written() -> list[str]:
    """The pages that are kept, by their paths below docs; those that are generated when the site is built are not."""
    made = (f"{pages.COMMANDS}/", f"{pages.PYTHON}/")
    found = (path.relative_to(DOCS).as_posix() for kind in ("*.md", "*.ipynb") for path in DOCS.rglob(kind))
    return sorted(name for name in found if not name.startswith(made) and ".ipynb_checkpoints" not in name)


@cache
def text_of(path: Path) -> str:
    """A page as Markdown."""
    text = path.read_text(encoding="utf-8")
    return as_markdown(text) if path.suffix == ".ipynb" else text


def in_the_navigation(page: str) -> list[str]:
    """What the tables of contents of a page name."""
    names = [
        line.strip()
        for _, kind, body in FENCE.findall(text_of(DOCS / page))
        if kind == "{toctree}"
        for line in body.splitlines()
        if line.strip() and not line.startswith(":")
    ]
    places = (posixpath.normpath(posixpath.join(posixpath.dirname(page), name)) for name in names)
    return [
        next((f"{one}{kind}" for kind in (".md", ".ipynb") if (DOCS / f"{one}{kind}").is_file()), one)
        for one in places
    ]


@cache
def anchors(path: Path) -> frozenset[str]:
    """The headings of a page, as links name them."""
    found: Counter[str] = Counter()
    names = set()
    text = FENCE.sub("", text_of(path))
    for heading in re.findall(r"^#{1,4} (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return frozenset(names)


def test_every_page_is_in_the_navigation_once() -> None:
    named = Counter(name for page in written() for name in in_the_navigation(page))
    assert sorted(named) == [name for name in written() if name != "index.md"]
    assert {name for name, times in named.items() if times > 1} == set()


@pytest.mark.parametrize(
    "page", [*(f"docs/{name}" for name in written()), "README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
)
def test_no_link_is_dead(page: str) -> None:
    path = ROOT / page
    text = FENCE.sub("", text_of(path))
    links = [*LINK.findall(text), *(f"{name}.md" for name in TARGET.findall(text))]
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_command_has_its_options_in_the_reference() -> None:
    made = pages.command_pages()
    table = pages.command_table()
    for name, command in commands().items():
        page = made[f"{pages.COMMANDS}/{name.partition(' ')[0]}.md"]
        assert f"$ proband {name} " in page
        assert f"(commands/{name.partition(' ')[0]}.md)" in table
        absent = [
            one.opts[0]
            for one in command.params
            if not one.hidden and f"{one.opts[-1]}" not in page.replace("\\_", "_")
        ]
        assert [one for one in absent if one.startswith("-")] == [], name


def test_every_section_of_a_study_is_in_the_reference() -> None:
    text = (DOCS / "reference" / "study.md").read_text(encoding="utf-8")
    asked = re.findall(r"^#+ \[+(\w+)\]+\n(?:(?!^#).*\n)*?```\{study-keys\} (\w+)\n```$", text, re.MULTILINE)
    assert all(heading == section for heading, section in asked)
    assert sorted(section for _, section in asked) == sorted(pages.study_sections())
    for section in pages.study_sections():
        rows = [line for line in pages.study_keys(section).splitlines() if line.startswith("| `")]
        assert rows
        assert all(len(re.split(r"(?<!\\)\|", row)) == 6 and row.split("|")[-2].strip() for row in rows), (
            section
        )


def test_every_public_name_has_a_page() -> None:
    made = pages.python_pages()
    for space, names in pages.namespaces().items():
        assert all(f"{pages.PYTHON}/{space}.{name}.rst" in made for name in names)
    listed = {name for names in pages.namespaces().values() for name in names}
    assert {name for name in dir(pb) if not name.startswith("_")} <= listed | {
        space.removeprefix("proband.") for space in pages.namespaces()
    }


def test_a_notebook_is_a_page_with_the_outputs_that_it_keeps() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
        {"output_type": "execute_result", "data": {"text/html": "<b>3</b>", "text/plain": "3"}},
        {"output_type": "display_data", "data": {"image/png": "aW1h\nZ2U=", "text/plain": "<Figure>"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Text."]},
        {"cell_type": "code", "source": "print('one')", "outputs": outputs},
        {"cell_type": "code", "source": "", "outputs": []},
    ]
    found = as_markdown(json.dumps({"cells": cells}))
    assert found.startswith("# Title\n\nText.\n\n```python\nprint('one')\n```\n\n```text\none\ntwo\n```\n")
    assert '```{raw} html\n<div class="output"><b>3</b></div>\n```' in found
    assert 'src="data:image/png;base64,aW1hZ2U="' in found
    assert "<Figure>" not in found
