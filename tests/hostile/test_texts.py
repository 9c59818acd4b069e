"""Texts that are short and hard: patterns, formulas and documents that would take a parser for ever, or all memory."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.examples import TIMES

import proband
from proband.analyses.gate.baseline import read_pin
from proband.blind.checking.submission import Declaration
from proband.engine.files.documents import read_json
from proband.engine.files.placing import settle
from proband.errors import ProbandError, UsageError
from proband.inference.covariates.formula import Formula
from proband.protocols.cards.card import ProtocolCard
from proband.protocols.running.classifiers import parse_classifier
from proband.report.directory import require_free
from proband.samples.directories import Naming
from proband.samples.name_patterns import NamePattern
from proband.scores.formats import read_file
from proband.study.places import Places
from proband.study.reading import study_from_text

SECONDS = 1.0  # of computing; what is not refused or read at once takes many times that

UNITS = (
    *("a", " ", "1", "-", "_", ".", '"', "'", "\\", "/", "\n", "(", ")", "[", "]", "{", "}", "=", "`", "#"),
    *("א", "a ", "1 ", '"\\', '"a', ", ", "[0.1, ", "a.", "1.", "p = ", "--a ", ":", "`a`.", "- ", "\r\n"),
)
BEGINNINGS = ("", '"', "a", "1", "{", "`", "sklearn")


def timed(work: Callable[[], Any]) -> Any:
    """What work gives, or the error that refuses it, in little time."""
    start = time.process_time()
    try:
        return work()
    except ProbandError as error:
        return error
    finally:
        assert time.process_time() - start < SECONDS


# Regular expressions


def expressions() -> Iterator[tuple[str, re.Pattern[Any], list[str]]]:
    """Every regular expression of the package that has a name, and how it is used."""
    for found in pkgutil.walk_packages(proband.__path__, "proband."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                searched = re.search(rf"\b{name}\.(search|sub|split|findall|finditer)\(", source)
                yield f"{found.name}.{name}", value, ["match", "fullmatch", *(["search"] if searched else [])]


def test_no_regular_expression_takes_the_square_of_a_length() -> None:
    slow = []
    for name, pattern, ways in expressions():
        begin = time.process_time()
        for unit in UNITS:
            for beginning in BEGINNINGS:
                text = f"{beginning}{unit * (3_000 // len(unit))}\x01"
                given: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
                for way in ways:
                    getattr(pattern, way)(given)
        if time.process_time() - begin > SECONDS / 2:
            slow.append(name)
    assert slow == []


# Patterns of names


def as_expression(pattern: str) -> re.Pattern[str]:
    """The regular expression that says what a pattern means."""
    kinds = {"": "[^/]+?", "d": "[0-9]+?", "d2": "[0-9]{2}", "a": "[A-Za-z]+?", "a2": "[A-Za-z]{2}"}
    seen: set[str] = set()
    made = ""
    for piece in re.findall(r"\{[^}]*\}|.", pattern):
        if piece.startswith("{"):
            name, _, kind = piece[1:-1].partition(":")
            made += f"(?P={name})" if name in seen else f"(?P<{name}>{kinds[kind]})"
            seen.add(name)
        else:
            made += {"[": "(?:", "]": ")?", "*": "[^/]*"}.get(piece, re.escape(piece))
    return re.compile(made)


def test_patterns_mean_what_a_regular_expression_would() -> None:
    rng = random.Random(1)
    fields = ("{a}", "{b}", "{a}", "{n:d}", "{m:d2}", "{k:a}", "{l:a2}")
    others = ("*", "_", ".", "/", "x", "1", "[_x]", "[.{q}]", "[*/]", "[{a}]", "[1{b}]")
    met = 0
    for _ in range(1_500 * max(1, TIMES)):
        pattern = "".join(rng.choices(fields + others, k=rng.randint(1, 6)))
        expression, naming = as_expression(pattern), NamePattern(pattern)
        for _ in range(4):
            plain = re.sub(r"\{[^}]*\}", lambda _: rng.choice(["ab", "x", "12"]), pattern)
            name = rng.choice([re.sub(r"[\[\]*]", "", plain), re.sub(r"\[.*?\]|\*", "", plain)])
            if rng.random() < 0.3:
                name = "".join(rng.choices("x1_./ab2", k=rng.randint(0, 12)))
            found = expression.fullmatch(name)
            meant = (
                None if found is None else {key: value for key, value in found.groupdict().items() if value}
            )
            assert naming.fields_of(name) == meant, (pattern, name)
            met += meant is not None
    assert met > 1_000


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("{subject}" + "*_" * 40 + "!", "_" * 250),
        ("{subject}" + "*_" * 40, "_" * 250),
        ("{a}{b}{c}{a}{b}{c}{d}x", "ab" * 125 + "y"),
        ("{a}*{b}*{a}*{b}*{a}", "a" * 60 + "b" * 130),
        ("*" * 900 + "{a}", "a" * 4_000),
        ("{a:9999}", "a"),
    ],
)
def test_patterns_and_names_that_nearly_fit(pattern: str, name: str) -> None:
    timed(lambda: Naming(pattern).fields_of(name))


@pytest.mark.parametrize(
    "pattern",
    [
        "{subject:d9999999999999}",
        "{subject:0}",
        "{½}",
        "{1}",
        "{a}" + "x" * 2_000,
        "{a:d" + "9" * 5_000 + "}",
    ],
)
def test_patterns_that_cannot_be(pattern: str) -> None:
    with pytest.raises(UsageError):
        Naming(pattern).check()


# Formulas and classifiers


@pytest.mark.parametrize(
    "text",
    [
        "*".join(f"f{k}" for k in range(22)),
        "*".join(["a"] * 22),
        "+".join(f"f{k}" for k in range(30_000)),
        " + ".join("*".join(f"f{j}{k}" for k in range(8)) for j in range(1_000)),
        "levels(" * 20_000,
        f"cut(age, {'9' * 5_000})",
        "`" * 50_000,
    ],
)
def test_formulas(text: str) -> None:
    assert isinstance(timed(lambda: Formula.parse(text)), UsageError)


def test_classifiers() -> None:
    assert isinstance(timed(lambda: parse_classifier("a" + " " * 50_000)), UsageError)


# Documents

DEEP = 100_000
TOML = {
    "header": f"[{'.'.join('a' * DEEP)}]",
    "quoted header": "[" + '"a".' * DEEP + "]",
    "dotted key": f"{'.'.join('a' * DEEP)} = 1",
    "tables": f"a = {'{a=' * DEEP}1{'}' * DEEP}",
    "arrays": f"a = {'[' * DEEP}{']' * DEEP}",
    "open quotes": '"\\' * DEEP,
    "open triple quotes": "'''x\"\\" * (DEEP // 2),
    "hidden by a string": 'a = "\\"#[" # "\n[' + "a." * DEEP + "]",
    "whole number": f"a = {'9' * DEEP}",
    "long": "# " + "x" * 600_000,
}


@pytest.mark.parametrize("name", TOML)
def test_toml(name: str, tmp_path: Path) -> None:
    text = TOML[name]
    assert isinstance(timed(lambda: study_from_text(text, tmp_path / "study.toml")), ProbandError)
    (tmp_path / "submission.toml").write_text(text)
    assert isinstance(timed(lambda: Declaration.read(tmp_path / "submission.toml")), ProbandError)


def test_strings_of_toml_are_passed_over() -> None:
    dots = "." * 50
    quoted = ('"""a"""""', f"'{dots}'", f"'''\n{dots}'''''", f'"\\"{dots}"', f'"""{dots}\\""" {dots}"""')
    text = (
        "\n".join(f"k{n} = {one} # {dots}" for n, one in enumerate(quoted))
        + f'\n["a{dots}"]\nlast = [1.5, 2.5]\n'
    )
    assert Places.of(text).line(("a" + dots, "last", 1)) == 8
    assert "no section or key" in str(timed(lambda: study_from_text(text, Path("study.toml"))))


def test_nested_json_wherever_it_is_read(tmp_path: Path) -> None:
    deep = "[" * DEEP + "]" * DEEP
    with pytest.raises(ValueError, match="nested too deep"):
        read_json(deep)
    for name in ("card.json", "scores.npy.json", "files.json"):
        (tmp_path / name).write_text(deep)
    left = tmp_path / ".writing-0123456789ab"
    left.mkdir()
    (left / "lock").touch()
    (left / "commit.json").write_text(deep)
    (tmp_path / "scores.npy").write_bytes(b"")
    for work in (
        lambda: ProtocolCard.read(tmp_path / "card.json"),
        lambda: read_pin(tmp_path / "card.json"),
        lambda: read_file(tmp_path / "scores.npy"),
        lambda: settle(tmp_path / "out"),
        lambda: require_free(tmp_path),
    ):
        assert isinstance(timed(work), ProbandError)
