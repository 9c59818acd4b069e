"""Every text of the product, for reading: sentences by their codes, help of commands, then every other text by its module."""

from __future__ import annotations

import ast
import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

from tests.modes import commands

import proband
from proband.words import Sentence

_STARTS = {"proband.__main__"}  # importing it runs the program
SOURCE = Path(proband.__file__).parent
_SEVERAL_WORDS = re.compile(r"[^\W\d_]{2,}['’,;:.)]* +[({'\"‘“]*[^\W\d_]{2,}")
_FIELD = "{…}"


def every_sentence() -> list[Sentence]:
    """Import all of the package; return the sentences it declares, by their codes."""
    for one in pkgutil.walk_packages(proband.__path__, "proband."):
        if one.name not in _STARTS:
            import_module(one.name)
    return [Sentence.every[code] for code in sorted(Sentence.every)]


def messages() -> list[str]:
    """Every text of the product that a person may read, a line for each.

    No line has a number of a line, so that the list changes if words do.
    """
    told = every_sentence()
    lines = [f"{one.code}  [{one.level}]  {_in_one_line(one.template)}" for one in told]
    helped = {name: cleandoc(one.help or "") for name, one in commands().items()}
    lines += [f"proband {name} --help  {_in_one_line(helped[name])}" for name in sorted(helped)]
    declared = {one.template for one in told} | set(helped.values())
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for text in sorted(set(texts_of(path.read_text(encoding="utf-8")))):
            if text in declared or cleandoc(text) in declared:
                continue
            lines.append(f"{module}  {_in_one_line(text)}")
    return lines


def texts_of(source: str) -> Iterator[str]:
    """The texts of several words in a module's source, docstrings left out; of an f-string the template."""
    tree = ast.parse(source)
    apart = set(_docstrings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart.update(
                id(part)
                for inner in node.values
                for part in ast.walk(inner)
                if isinstance(part, ast.Constant)
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else _FIELD for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            text = node.value
        else:
            continue
        if _SEVERAL_WORDS.search(text):
            yield text


def _docstrings(tree: ast.AST) -> Iterator[int]:
    """Strings that are statements: docstrings, also those beneath attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)


def _in_one_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in messages()))
