"""Read a study file, or raise one clear error with the location of the mistake."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from proband.engine.arguments import published
from proband.engine.files.documents import LARGEST_TOML, read_toml
from proband.engine.files.files import content_of, reading, refused
from proband.errors import InputError, Said, UsageError
from proband.study.checking import check
from proband.study.definition import Origin, Study
from proband.study.places import Places
from proband.study.requests import request_type
from proband.words import count

# The position in a parser message: tomllib has no fields for it before Python 3.14.
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@published
def read_study(path: str | Path) -> Study:
    """Read a study file and check everything that does not need data.

    Parameters
    ----------
    path
        The study file, in TOML.

    Returns
    -------
    Study
        The request and its origin, for `run`.

    Raises
    ------
    UsageError
        If the file is not valid TOML or not a valid study; the message gives the line.
    InputError
        If the file, or one that it names, does not exist.
    """
    path = Path(path)
    return study_from_text(text_of_study(path), path)


def text_of_study(path: Path) -> str:
    """Read the text of a study file, with its line endings unchanged."""
    with refused(f"{path} cannot be read as a study", file=Said(path)):
        is_directory = path.is_dir()
    if is_directory:
        raise InputError(f"{path} is a directory.", "specify the study file in it.", file=Said(path))
    with reading(path, "a study"):
        if not path.exists():
            raise InputError(
                f"There is no file {path}.",
                "proband init FILES... writes one for your files.",
                file=Said(path),
            )
        if path.stat().st_size > LARGEST_TOML:
            raise InputError(
                f"{path.name} is not a study file: it has {count(path.stat().st_size)} bytes.",
                file=Said(path.name),
            )
        # Not read_text, which would convert line endings.
        return content_of(path).decode("utf-8-sig")


def study_from_text(text: str, path: Path) -> Study:
    """Make a study from the text of a file; file names in it are relative to `path`, which need not exist."""
    tables = tables_in(text, path)
    origin = Origin(path, text, Places.of(text), f"proband run {path.name}")
    with origin.refusing():
        request = request_type()(**{"title": path.stem, **tables})
        check(request, origin)
    return Study(request, origin)


def tables_in(text: str, path: Path) -> dict[str, Any]:
    """Parse the text of a study file, or raise one error with the line that is not TOML."""
    try:
        return read_toml(text)
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
    except ValueError as error:
        raise UsageError(
            f"{path.name} is not a study: {error}.", file=Said(path.name), door="study"
        ) from None


def _syntax_hint(text: str, line: str | None) -> str:
    """A hint on the most common mistake in a line: text without quotes."""
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
    return "close the quotation mark or the bracket."
