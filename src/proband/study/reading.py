"""A study read from its file, or one clear error that says where in the file it is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proband.engine.files import reading, refused
from proband.errors import InputError, ProbandError, Said, UsageError
from proband.study import sections as s
from proband.study.checking import check_study
from proband.study.definition import Study
from proband.study.places import Places
from proband.study.typed import TypedReader, near, shown

_TITLE = "title"
_ONE: dict[str, type] = {
    "samples": s.SamplesTable,
    "images": s.ImageSource,
    "experiment": s.ExperimentDesign,
    "identification": s.Identification,
    "verification": s.VerificationRequest,
    "search": s.SearchRequest,
    "choices": s.ChoicesRequest,
    "strat": s.StratRequest,
    "feret": s.FeretRequest,
    "output": s.Output,
}
_SEVERAL: dict[str, type] = {
    "scores": s.ScoreSource,
    "embeddings": s.EmbeddingSource,
    "category": s.CategoryEntry,
    "comparison": s.ComparisonRequest,
}
SECTIONS: dict[str, type] = {**_ONE, **_SEVERAL}
"""Every section of a study file, by name."""

ANALYSES = ("identification", "comparison", "verification", "search", "choices", "strat", "feret")
"""Sections that may be switched on and off instead: ``verification = false``."""

# Commands whose names differ from those of the sections that ask for the same.
_COMMANDS = {
    "evaluate": "identification",
    "compare": "comparison",
    "verify": "verification",
    "permute": "choices",
    "recognize": "images",
}
_LARGEST = 10_000_000
# Where a parser's complaint says that it stands: tomllib has no fields for that before Python 3.14.
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@contextmanager
def placed(place: str = "") -> Iterator[None]:
    """Say where in the file errors come from, if they do not say it yet and it is known; they are mended by keys."""
    try:
        yield
    except ProbandError as error:
        error.within(place=place or None, door="study")
        raise


def read_study(path: str | Path) -> Study:
    """Read a study file and check everything that can be known before data are read.

    Raises
    ------
    UsageError
        If the file is not TOML, or says something that no study may say; the message names the line.
    InputError
        If the file, or one it names, is not there.
    """
    path = Path(path)
    with refused(f"{path} cannot be read as a study", file=Said(path)):
        is_directory = path.is_dir()
    if is_directory:
        raise InputError(f"{path} is a directory.", "name the study file in it.", file=Said(path))
    with reading(path, "a study"):
        if not path.exists():
            raise InputError(
                f"There is no file {path}.",
                "proband init FILES... writes one from your files.",
                file=Said(path),
            )
        if path.stat().st_size > _LARGEST:
            raise InputError(
                f"{path.name} is no study file: it has {path.stat().st_size:,} bytes.", file=Said(path.name)
            )
        # Not read_text, which would turn line ends: the text is kept as it is.
        text = path.read_bytes().decode("utf-8-sig")
    return study_from_text(text, path)


def study_from_text(text: str, path: Path) -> Study:
    """Make a study of the text of a file; files it names are looked up from `path`, which need not exist."""
    tables = _parsed(text, path)
    reader = TypedReader(path, Places.of(text))
    known = (_TITLE, *SECTIONS)
    for name in tables:
        if name not in known:
            reader.refuse((name,), f"there is no section or key {name!r}", _hint(name, known))
    title = reader.value(str, tables.pop(_TITLE, path.stem), (_TITLE,))
    made = {name: _section(reader, name, value) for name, value in tables.items()}
    study = Study(path, text, title, **made, asked=frozenset(tables), places=reader.places)
    check_study(study, reader)
    return study


def _section(reader: TypedReader, name: str, value: Any) -> Any:
    several = name in _SEVERAL
    if isinstance(value, bool):
        if name not in ANALYSES:
            reader.refuse(
                (name,),
                f"expected a table, got {shown(value)}",
                f"only analyses are switched so: {', '.join(ANALYSES)}.",
            )
        asked = (SECTIONS[name](),) if value else ()
        return asked if several else next(iter(asked), None)
    if several:
        return reader.sections(SECTIONS[name], value, (name,))
    if isinstance(value, list):
        reader.refuse(
            (name, 1) if len(value) > 1 else (name,),
            f"there is one section {name!r}",
            f"write [{name}], once.",
        )
    return reader.section(SECTIONS[name], value, (name,))


def _hint(name: str, known: tuple[str, ...]) -> str | None:
    """Where a key belongs that stands before the first section, or the section of nearly that name."""
    owners = [section for section, kind in SECTIONS.items() if name in kind.__dataclass_fields__]  # type: ignore[attr-defined]
    if owners:
        return f"it is a key of {' or '.join(f'[{owner}]' for owner in owners)}, and stands after that line."
    return f"it is called {_COMMANDS[name]!r} here." if name in _COMMANDS else near(name, known)


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = _WHERE.search(message)
        line, column = (found.group(1), found.group(2)) if found else (None, None)
        place = (
            f", line {line}, column {column}"
            if line
            else f", line {text.rstrip().count(chr(10)) + 1}, at the end"
        )
        what = _WHERE.sub("", message)
        raise UsageError(
            f"this is not TOML: {what[:1].lower()}{what[1:]}.",
            _syntax_hint(text, line),
            place=f"{path.name}{place}",
            file=Said(path.name),
            door="study",
        ) from None
    except RecursionError:
        raise UsageError(
            f"{path.name} is not a study: its values are nested too deep.", file=Said(path.name)
        ) from None


def _syntax_hint(text: str, line: str | None) -> str:
    """What is most often wrong with a line: text without quotes."""
    if line is not None:
        said = text.split("\n")[int(line) - 1].strip()
        key, equals, value = said.partition("=")
        if (
            equals
            and re.fullmatch(r"\s*[A-Za-z][^\"'\[\]{}#]*", value)
            and value.strip() not in ("true", "false")
        ):
            return f'put text in quotes: {key.strip()} = "{value.strip()}"'
        return f"the line is: {said[:80]}"
    return "a quotation mark or a bracket is not closed."
