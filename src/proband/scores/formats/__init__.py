"""Score files: one module a format, one registry of them all."""

from __future__ import annotations

from pathlib import Path

from proband.engine.files.files import reading, writing
from proband.engine.files.placing import settle
from proband.errors import Hint, InputError, Said, UsageError
from proband.samples import Samples
from proband.scores.base import Scores
from proband.scores.formats.bee import BEE
from proband.scores.formats.bob import BOB4, BOB5
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile
from proband.scores.formats.csu import CSU, read_image_list, write_image_list
from proband.scores.formats.numpy_files import NPY, NPZ
from proband.scores.formats.tables import TABLES

__all__ = [
    "FORMATS",
    "Format",
    "ReadOptions",
    "ScoreFile",
    "format_of",
    "read_file",
    "read_image_list",
    "write_image_list",
    "write_scores",
]

# In the order in which they are tried: formats with a signature first, plain text last.
FORMATS: dict[str, Format] = {made.name: made for made in (NPY, NPZ, BEE, *TABLES, CSU, BOB5, BOB4)}

_HEAD = 1 << 14


def format_of(path: Path, name: str | None = None) -> Format:
    """Find the format of a file by looking at it, or by its name if that is given."""
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"There is no format {name!r}.", f"the formats are: {', '.join(FORMATS)}.")
        return FORMATS[name]
    with reading(path, "scores"):
        if not path.exists():
            raise InputError(f"There is no file {path}.", file=Said(path))
        head = b""
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD)
            if not head:
                raise InputError(f"{path.name} is empty.", file=Said(path.name))
        for candidate in FORMATS.values():
            if candidate.recognises(path, head):
                return candidate
    raise InputError(
        f"{path.name} is of no known format.",
        Hint("say which: {option:format}; the formats are: {formats}.", formats=", ".join(FORMATS)),
        file=Said(path.name),
    )


def read_file(path: str | Path, options: ReadOptions | None = None, format: str | None = None) -> ScoreFile:
    """Read a score file of any known format."""
    path, options = Path(path), options or ReadOptions()
    for one in (path, options.mask):
        if one is not None:
            settle(one)
    chosen = format_of(path, format)
    if options.key is not None and chosen is not NPZ:
        raise InputError(
            f"{path.name} is no archive of arrays, so there is no {options.key!r} in it.",
            f"leave ::{options.key} out.",
            file=Said(path.name),
        )
    with reading(path, chosen.name):
        return chosen.read(path, options)


def write_scores(
    path: str | Path, scores: Scores, samples: Samples | None = None, format: str | None = None
) -> str:
    """Write scores in the format named, or in the one the ending means; return the format's name."""
    path = Path(path)
    if format is None:
        ending = path.suffix.lower()
        chosen = next((made for made in reversed(FORMATS.values()) if ending in made.endings), None)
        if chosen is None:
            raise UsageError(
                f"The ending {ending or '(none)'} does not tell the format of {path.name}.",
                Hint("say which: {option:to}; the formats are: {formats}.", formats=", ".join(FORMATS)),
                file=Said(path.name),
            )
    else:
        chosen = format_of(path, format)
    if chosen.write is None:
        raise UsageError(f"The format {chosen.name} cannot be written.")
    if 0 in scores.shape:
        raise InputError(
            f"{path.name} cannot be written: {scores.name} has no scores.",
            file=Said(path.name),
            source=Said(scores.name),
        )
    with writing(path):
        chosen.write(path, scores, samples)
    return chosen.name
