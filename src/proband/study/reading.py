"""A study read from its file, or one clear error that says where in the file it is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proband.engine.files import reading, refused
from proband.errors import InputError, ProbandError, UsageError
from proband.study.checking import check
from proband.study.definition import Origin, Study
from proband.study.places import Places
from proband.study.refusals import RequestError
from proband.study.requests import Request

_LARGEST = 10_000_000
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# Hints of the library speak to programs and to the command line; in a study the same is said by keys.
_IN_STUDIES = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"(?:pass|declare) (\w+)='(\w+)' or \1='(\w+)' \(--[\w-]+\)", r'write \1 = "\2" or \1 = "\3"'),
        (
            r"(?:pass|declare) check_orientation=False \(--no-orientation-check\)",
            "write orientation_check = false",
        ),
        (r"--no-orientation-check", "write orientation_check = false"),
        (r"(?:pass|declare) (\w+)='(\w+)' \(--[\w-]+ \w+\)", r'write \1 = "\2"'),
        (r"(\w+)='(\w+)' \(--[\w-]+ \w+\)", r'\1 = "\2"'),
        (r"declare --orientation (\w+)", r'write orientation = "\1"'),
        (r"give --orientation", 'write orientation = "similarity" or "distance"'),
        (r"(id|subject)_column=… \(--\1-column on the command line\)", r"\1 = … in [samples]"),
        (r"\((id|subject)_column, --\1-column\)", r"(\1 in [samples])"),
        (r"queries=…, targets=… \(--queries, --targets\)", "queries = …, targets = …"),
        (r"give one (?:with --samples|\(--samples\))", "add [samples] with file = …"),
        (r"--category '([^:']+): ([^']+)'", r'[[category]] with name = "\1" and rule = "\2"'),
        (r"pick one: \S+::(\S+)", r'pick one: key = "\1"'),
        (r" \(--[\w-]+(?:, --[\w-]+)*\)", ""),
        (r"(?:with )?--(format|mask)\b", r"by \1 = …"),
        (r"--(query|target)-ids …", r"\1_ids = …"),
        (r"\bids=…", "ids = …"),
    )
)


def in_study_words(hint: str | None) -> str | None:
    """A hint of the library as a study is mended: by keys, not by options or arguments.

    Examples
    --------
    >>> in_study_words("pass missing='drop' (--missing drop) to leave them out.")
    'write missing = "drop" to leave them out.'

    """
    for pattern, said in _IN_STUDIES:
        hint = None if hint is None else pattern.sub(said, hint)
    return hint


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Put the place in the file before errors that do not name it yet, if there is one, and say hints in keys of a study."""
    try:
        yield
    except ProbandError as error:
        known = not place or error.message.startswith(place.partition(", ")[0] + ", line ")
        raise type(error)(
            error.message if known else f"{place}: {error.message}", in_study_words(error.hint)
        ) from None


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
    with refused(f"{path} cannot be read as a study"):
        is_directory = path.is_dir()
    if is_directory:
        raise InputError(f"{path} is a directory.", "name the study file in it.")
    with reading(path, "a study"):
        if not path.exists():
            raise InputError(f"There is no file {path}.", "proband init FILES... writes one from your files.")
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path.name} is no study file: it has {path.stat().st_size:,} bytes.")
        # Not read_text, which would turn line ends: the text is kept as it is.
        text = path.read_bytes().decode("utf-8-sig")
    return study_from_text(text, path)


def study_from_text(text: str, path: Path) -> Study:
    """Make a study of the text of a file; files it names are looked up from `path`, which need not exist."""
    tables = _parsed(text, path)
    origin = Origin(path, text, Places.of(text), f"proband run {path.name}")
    with refused_at(origin):
        request = Request(**{"title": path.stem, **tables})
        check(request, origin)
    return Study(request, origin)


@contextmanager
def refused_at(origin: Origin) -> Iterator[None]:
    """Say where in the file stands what is wrong with a request."""
    try:
        yield
    except RequestError as error:
        raise UsageError(f"{origin.where(*error.keys)}: {error.problem}.", error.hint) from None


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
            f"{path.name}{place}: this is not TOML: {what[:1].lower()}{what[1:]}.", _syntax_hint(text, line)
        ) from None
    except RecursionError:
        raise UsageError(f"{path.name} is not a study: its values are nested too deep.") from None


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
