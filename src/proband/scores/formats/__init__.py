"""Score files: one module per format, and one registry.

A new format is one module here with a tuple ``FORMATS`` of `Format` objects: how files are recognised, read and written.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from proband.engine.arguments import published
from proband.engine.files.files import opened, reading, resolved, writing
from proband.engine.files.placing import settle
from proband.engine.files.shards import shard_files
from proband.engine.registry import Registry
from proband.errors import Hint, InputError, Said, UsageError
from proband.samples import Samples
from proband.scores.base import Scores
from proband.scores.formats.contents import Format, ReadOptions, ScoreFile, named_by_subject
from proband.scores.formats.csu import read_image_list, write_image_list

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

FORMATS = Registry("format", "proband.formats")
"""Score file formats by name: those in ``FORMATS`` of the modules here, and `Format` objects that packages register."""

for _module in iter_modules(__path__):
    for _made in getattr(import_module(f"{__name__}.{_module.name}"), "FORMATS", ()):
        FORMATS.register(_made.name)(_made)

_HEAD = 1 << 14


def format_of(path: Path, name: str | None = None) -> Format:
    """Find the format of a file by looking at it, or by its name if that is given."""
    if name is not None:
        return _named(name)
    with reading(path, "scores"):
        if not path.exists() and not shard_files(path):
            raise InputError(f"There is no file {path}.", file=Said(path))
        head = b""
        if path.is_file():
            with opened(path) as file:
                head = file.read(_HEAD)
            if not head:
                raise InputError(f"{path.name} is empty.", file=Said(path.name))
        for candidate in _surest_first():
            if candidate.recognises(path, head):
                return candidate
    raise InputError(
        f"{path.name} has an unknown format.",
        Hint("specify it: {option:format}; the formats are: {formats}.", formats=", ".join(FORMATS.names())),
        file=Said(path.name),
    )


def _of_pairs(path: Path, name: str | None) -> Format:
    """The format of a list with user-named columns: by its file extension, since its header is no help."""
    lists = {ending: made for made in _surest_first() if made.takes_columns for ending in made.endings}
    chosen = lists.get(path.suffix.lower()) if name is None else _named(name)
    if chosen is None or not chosen.takes_columns:
        raise UsageError(
            f"{path.name} has no columns to specify.",
            f"columns apply to tables of scored pairs: {', '.join(lists)}.",
            file=Said(path.name),
        )
    return chosen


def _named(name: str) -> Format:
    made = FORMATS.find(name)
    if not isinstance(made, Format):
        raise UsageError(f"{name} is a {type(made).__name__}, not a format.")
    return made


def _surest_first() -> list[Format]:
    """All formats, those with a unique signature first."""
    return sorted(
        map(_named, FORMATS.names()), key=lambda made: ("signature", "header", "columns").index(made.told_by)
    )


def read_file(path: str | Path, options: ReadOptions | None = None, format: str | None = None) -> ScoreFile:
    """Read a score file of any known format."""
    path, options = Path(path), options or ReadOptions()
    if not path.name:  # resolved, since "." has no name
        path = resolved(path)
    for one in (path, options.mask):
        if one is not None:
            settle(one)
    options = replace(options, stated=format is not None)
    chosen = chosen_format(path, options, format)
    if options.key is not None and not chosen.holds_arrays and options.columns is None:
        raise InputError(
            f"{path.name} is not an archive of arrays, so it has no array {options.key!r}.",
            f"leave ::{options.key} out.",
            file=Said(path.name),
        )
    if not options.shared:
        require_read(chosen, path, options)
    with reading(path, chosen.name):
        return labelled(chosen.read(path, options), path, options)


def require_read(chosen: Format, path: Path, options: ReadOptions) -> None:
    """Refuse options that the reader of a file does not use."""
    for name in chosen.unread(options):
        raise UsageError(
            Hint(
                "{named:{which}} has no effect on {file}, which has the format {format}.",
                which=name,
                file=path.name,
                format=chosen.name,
            ),
            "leave it out.",
            file=Said(path.name),
        )


def chosen_format(path: Path, options: ReadOptions, format: str | None) -> Format:
    """The format of a file: detected, named, or that of lists with user-named columns."""
    return format_of(path, format) if options.columns is None else _of_pairs(path, format)


def labelled(file: ScoreFile, path: Path, options: ReadOptions) -> ScoreFile:
    """The contents of a file, with samples for its rows and columns if these are named by subject."""
    if options.ids == "samples":
        return file
    subjects = named_by_subject(file.queries, file.targets)
    if subjects is None:
        reason = (
            "already contains the subjects of its samples"
            if file.subjects is not None
            else "has no row and column names"
        )
        if file.trials:
            reason = "is a list of pairs, which has separate columns for subjects"
        raise UsageError(
            f"{path.name} {reason}, so rows and columns cannot be named by subject.",
            Hint("leave out {option:ids=subjects}."),
            file=Said(path.name),
        )
    return replace(file, subjects=subjects)


@published
def write_scores(
    path: str | Path, scores: Scores, *, samples: Samples | None = None, format: str | None = None
) -> str:
    """Write scores in the given format, or in the format of the file extension.

    Parameters
    ----------
    path
        The file; its extension determines the format, unless `format` is given.
    scores
        The scores to write.
    samples
        The table of samples, for formats that include subjects.
    format
        The name of the format.

    Returns
    -------
    str
        The name of the format.

    Examples
    --------
    >>> import tempfile
    >>> from proband import Scores
    >>> scores = Scores.from_array([[0.9, 0.1]], ["a2"], ["a1", "b1"], orientation="similarity", name="net")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(Path(folder, "scores.npz"), scores)
    'npz'
    """
    path = Path(path)
    if format is None:
        ending = path.suffix.lower()
        chosen = next((made for made in reversed(_surest_first()) if ending in made.endings), None)
        if chosen is None:
            raise UsageError(
                f"The ending {ending or '(none)'} does not determine the format of {path.name}.",
                Hint(
                    "specify it: {option:to}; the formats are: {formats}.", formats=", ".join(FORMATS.names())
                ),
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
