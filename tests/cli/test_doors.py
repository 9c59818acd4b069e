"""An error is told in fields: each door spells its cure, and nothing is read back out of its words."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.program import whole_program

from proband.analyses import Request
from proband.blind.checking.matrices import read_matrix
from proband.engine import Silent
from proband.errors import SPELLINGS, Door, Hint, InputError, ProbandError, Said
from proband.measures import rank
from proband.protocols.cards.card import ProtocolCard
from proband.samples import Samples
from proband.scores.alignment import experiment_over
from proband.scores.reading import read_embeddings, read_scores
from proband.study.reading import read_study
from proband.study.refusals import model_of
from proband.study.run import run as run_study

Run = Callable[..., Any]
SECTIONS = {
    name: kind
    for name, field in Request.model_fields.items()
    if (kind := model_of(field.annotation)) is not None
}
SOURCE = Path("src/proband").resolve()
# What templates leave open, and what stands there.
OPEN = {
    "usual": ("query_ids", "target_ids"),
    "name": ("id_column", "subject_column"),
    "other": ("similarity",),
    "asked": ("id_column", "subject_column=person"),
    "column": ("item", "algorithm", "success", "algorithms", "cluster", "truth", "predicted"),
}
VALUES = {
    "file": "f.npz",
    "key": "k",
    "name": "young",
    "rule": "probe.age < 30",
    "typed": "score=s",
    "written": "…",
    "value": "same",
}
# Rooms that no study enters, and options of the program that no study has.
NO_STUDY = ("blind", "protocols")
OF_THE_PROGRAM = {"to", "save", "cache", "allow_plugins", "run_directory", "out", "force"}


# Every file of the library, by its path; parsing them all would take seconds.
TEXTS = {
    path.relative_to(SOURCE): path.read_text(encoding="utf-8")
    for path in sorted(SOURCE.rglob("*.py"))
    if not path.is_relative_to(SOURCE / "cli") and path.name != "errors.py"
}


def _nodes(pattern: str) -> Iterator[tuple[Path, ast.AST]]:
    """The syntax of the files that a pattern occurs in."""
    for path, text in TEXTS.items():
        if re.search(pattern, text):
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def _concepts() -> dict[str, set[str]]:
    """Every option that the library's hints name, and the rooms that name it."""
    found: dict[str, set[str]] = {}
    for path, node in _nodes(r"\{(option|give):"):
        text = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(text, str) or not re.search(r"\{(option|give):", text):
            continue
        for _, name, spec, _ in Formatter().parse(text):
            if name in ("option", "give") and spec:
                opened = re.search(r"\{(\w+)\}", spec)
                for value in OPEN[opened[1]] if opened else ("",):
                    concept = re.sub(r"\{\w+\}", value, spec)
                    found.setdefault(concept, set()).add(path.parts[0])
    return found


CONCEPTS = _concepts()


def _told(concept: str, door: Door) -> str:
    return Hint(f"{{option:{concept}}}", **VALUES).told(door)


def _options(command: Any) -> set[str]:
    own = {word for one in command.params for word in (*one.opts, *one.secondary_opts)}
    return own.union(*(_options(inner) for inner in getattr(command, "commands", {}).values()))


def test_the_library_names_concepts_and_no_exception_is_idle() -> None:
    assert len(CONCEPTS) > 25
    assert {name for name in SPELLINGS if name not in CONCEPTS} == set()


@pytest.mark.parametrize("concept", CONCEPTS)
def test_the_command_line_has_what_it_is_told(concept: str) -> None:
    named = re.findall(r"--[a-z-]+", _told(concept, "command line"))
    assert named or concept in ("array", "ids", "all_classes=off", "algorithm_name")
    assert set(named) <= _options(whole_program())


@pytest.fixture(scope="module")
def annotated() -> set[str]:
    """Every name that has a type somewhere."""
    return {name for text in TEXTS.values() for name in re.findall(r"\b(\w+): (?=[A-Za-z])", text)}


@pytest.mark.parametrize("concept", CONCEPTS)
def test_python_has_what_it_is_told(concept: str, annotated: set[str]) -> None:
    told = _told(concept, "python")
    assert "--" not in told
    assert set(re.findall(r"(\w+)=", told)) <= annotated


@pytest.mark.parametrize("concept", [name for name, rooms in CONCEPTS.items() if not rooms <= set(NO_STUDY)])
def test_a_study_has_what_it_is_told(concept: str) -> None:
    if concept.partition("=")[0] in OF_THE_PROGRAM:
        return
    told = _told(concept, "study")
    keys = {key for kind in SECTIONS.values() for key in kind.model_fields}
    named = re.findall(r"(\w+) = ", told)
    assert named
    assert set(named) <= keys
    assert set(re.findall(r"\[(\w+)\]", told)) <= set(SECTIONS)
    assert "--" not in told


def test_no_hint_of_the_library_spells_an_option_itself() -> None:
    """What reads like an option of the command line is left to the command line."""
    kinds = {one.__name__ for one in (ProbandError, *ProbandError.__subclasses__())} | {"Hint"}
    told = [
        f"{path}:{part.lineno}: {part.value}"
        for path, node in _nodes(r"(?<![\w-])--[a-z]")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
        if re.search(r"(?<![\w-])--[a-z]", part.value)
    ]
    assert told == []


def _fields(template: str) -> set[str]:
    parsed = [(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name is not None]
    return {name for name, _ in parsed}.union(*(_fields(spec) for _, spec in parsed))


def test_every_hint_has_the_values_that_its_words_need() -> None:
    tried = 0
    for path, node in _nodes(r"\bHint\("):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "Hint":
            continue
        given = {one.arg for one in node.keywords} | {"option", "give", "named", "set"}
        for part in ast.walk(node.args[0]):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                named = [one for name, one in SPELLINGS.items() if f":{name}}}" in part.value]
                needed = _fields(part.value).union(*(_fields(text) for one in named for text in one.values()))
                assert needed <= given, f"{path}:{node.lineno}"
                tried += 1
    assert tried > 30


def test_options_are_spelled_by_their_values() -> None:
    hint = Hint("{option:rank=3 of 4}, {option:quick=on}, {option:quick=off}, {give:much}: {n}", n="{x}")
    assert hint.told("python") == "rank='3 of 4', quick=True, quick=False, pass much=…: {x}"
    assert hint.told("command line") == "--rank '3 of 4', --quick, --no-quick, pass --much …: {x}"
    assert hint.told("study") == 'rank = "3 of 4", quick = true, quick = false, write much = …: {x}'


def test_fields_stand_before_the_message_unless_it_says_them() -> None:
    error = InputError("it is empty.", "fill it.").within(file="a.csv", place="s.toml, line 3")
    assert str(error) == "s.toml, line 3: a.csv: it is empty.\nhint: fill it."
    assert error.within(file="other", place="elsewhere", source="pca").message == (
        "s.toml, line 3: a.csv: pca: it is empty."
    )
    assert InputError("a.csv is empty.", file=Said("a.csv")).within(file="b").message == "a.csv is empty."
    assert InputError("it is empty.", source="a", file="x/a.npz").message == "a: it is empty."


# The same refusals by three doors: a study's sources, options, a call, and what each is told.

_SCORES = "[[scores]]\nfile = 'scores.npz'\norientation = 'similarity'\n"
_TABLE = "[samples]\nfile = 'samples.csv'\n"


def _read(**options: Any) -> Any:
    return read_scores("scores.npz", Samples.read("samples.csv"), **{"orientation": "similarity", **options})


def _ranked(**options: Any) -> Any:
    scores, table = _read(**options)["good"], Samples.read("samples.csv")
    return rank(scores, experiment_over([scores], table))


def _without(table: str = "samples.csv") -> None:
    frame = pl.read_csv(table)
    frame[1:].write_csv(table)


def _bare() -> None:
    np.savez("scores.npz", good=np.load("scores.npz")["good"])


REFUSALS: dict[str, tuple[Callable[[], object], str, tuple[str, ...], Callable[[], Any], tuple[str, str, str]]] = {
    "reversed": (
        lambda: None,
        _TABLE + _SCORES.replace("similarity", "distance"),
        ("--orientation", "distance"),
        lambda: _ranked(orientation="distance"),
        (
            "pass orientation='similarity'; or, if this algorithm is truly worse than chance, pass check_orientation=False.",
            "pass --orientation similarity; or, if this algorithm is truly worse than chance, pass --no-check-orientation.",
            'write orientation = "similarity"; or, if this algorithm is truly worse than chance, write check_orientation = false.',
        ),
    ),
    "undeclared": (
        lambda: None,
        _TABLE + _SCORES.replace("orientation = 'similarity'", ""),
        (),
        lambda: _read(orientation=None),
        ("pass orientation='similarity' (", "pass --orientation similarity (", 'write orientation = "similarity" ('),
    ),
    "missing": (
        _without,
        _TABLE + _SCORES,
        ("--orientation", "similarity"),
        _read,
        ("pass missing='drop' to", "pass --missing drop to", 'write missing = "drop" to'),
    ),
    "column": (
        lambda: None,
        _TABLE + "id_column = 'name'\n" + _SCORES,
        ("--orientation", "similarity", "--id-column", "name"),
        lambda: Samples.read("samples.csv", id_column="name"),
        ("pass id_column='id'", "pass --id-column id", 'write id_column = "id" in [samples]'),
    ),
    "rows": (
        _bare,
        _TABLE + _SCORES,
        ("--orientation", "similarity"),
        _read,
        ("columns: queries=…, targets=…", "columns: --queries …, --targets …", "columns: queries = …, targets = …"),
    ),
    "table": (
        _bare,
        _SCORES,
        ("--orientation", "similarity", "--samples", ""),
        lambda: read_scores("scores.npz", orientation="similarity"),
        ("pass samples=…", "pass --samples FILE", "write [samples] with file = …"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_each_door_is_told_in_its_own_words(
    name: str, study: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, text, options, call, (in_python, on_the_line, in_a_study) = REFUSALS[name]
    monkeypatch.chdir(study)
    prepare()
    with pytest.raises(ProbandError) as raised:
        call()
    assert in_python in str(raised.value)
    table = () if "--samples" in options else ("--samples", "samples.csv")
    words = [word for word in options if word not in ("--samples", "")]
    done = run("evaluate", "scores.npz", *table, *words, cwd=study)
    assert done.returncode == raised.value.exit_code
    assert on_the_line in done.stderr
    (study / "s.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError) as placed:
        run_study(read_study("s.toml"))
    assert in_a_study in str(placed.value)
    assert in_a_study in run("run", "s.toml", cwd=study).stderr
    assert type(placed.value) is type(raised.value)
    assert (placed.value.place or "").startswith("s.toml, line ")


# What is known of an error without its words.


def _studied(text: str) -> Callable[[], object]:
    def carry_out() -> object:
        Path("s.toml").write_text(text, encoding="utf-8")
        return run_study(read_study("s.toml"))

    return carry_out


def _damaged(name: str, content: bytes) -> Path:
    Path(name).write_bytes(content)
    return Path(name)


def _cells_are_nan() -> object:
    stored = dict(np.load("scores.npz"))
    stored["poor"][3, 5] = np.nan
    np.savez("scores.npz", **stored)
    return _studied(_TABLE + _SCORES)()


FAULTS: dict[str, tuple[Callable[[], object], tuple[str | None, str | None, str | None]]] = {
    "no toml": (_studied("a = b"), ("s.toml, line 1, column 5", "s.toml", None)),
    "no key": (_studied(_TABLE + "ids = 'x'\n" + _SCORES), ("s.toml, line 3, [samples] ids", None, None)),
    "no file": (_studied(_TABLE + _SCORES.replace("scores.npz", "x.npz")), ("s.toml, line 4, [[scores]] number 1 file", "x.npz", None)),
    "not finite": (_cells_are_nan, ("s.toml, line 3, [[scores]] number 1", None, "poor")),
    "reversed": (_studied(_TABLE + _SCORES.replace("similarity", "distance")), ("s.toml, line 3, [[scores]] number 1", None, "good")),
    "no column": (_studied(_TABLE + "id_column = 'x'\n" + _SCORES), ("s.toml, line 1, samples", "samples.csv", "samples.csv")),
    "no archive": (lambda: read_scores(_damaged("a.npz", b"PK"), orientation="distance"), (None, "a.npz", None)),
    "no matrix": (lambda: read_scores(_damaged("a.csv", b"id,a\nb,x\n"), orientation="distance"), (None, "a.csv", None)),
    "no vectors": (lambda: read_embeddings(_damaged("a.npy", b"x"), metric="cosine"), (None, "a.npy", None)),
    "no samples": (lambda: Samples.read(_damaged("t.csv", b"id,subject\na,\n")), (None, "t.csv", None)),
    "no card": (lambda: ProtocolCard.read(_damaged("c.json", b"{}")), (None, "c.json", None)),
    "handed in": (lambda: read_matrix(_damaged("scores.mtx", b"x"), "distance", Silent()), (None, "scores.mtx", None)),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_words_decide_nothing(name: str, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fail, known = FAULTS[name]
    monkeypatch.chdir(study)

    def facts() -> tuple[Any, ...]:
        with pytest.raises(ProbandError) as raised:
            fail()
        error = raised.value
        return type(error), error.exit_code, error.door, (error.place, error.file, error.source)

    before = facts()
    assert before[3] == known
    made = ProbandError.__init__

    def garbled(self: ProbandError, message: object, hint: object = None, **fields: Any) -> None:
        other = Hint("Ὦ ξεῖν’ --x: a.b") if isinstance(hint, Hint) else None if hint is None else "--y='z'"
        made(self, "s.toml, line 9: good: x.csv: λόγος", other, **fields)

    monkeypatch.setattr(ProbandError, "__init__", garbled)
    assert facts() == before
