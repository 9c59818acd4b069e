"""Errors as shown to the user: what is wrong, the value found, and how to fix it.

An error keeps its facts in fields, and its text is composed when shown. The hint may name options, which are spelled
differently in Python, on the command line and in a study file.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import ClassVar, Literal, Self

from proband.words import as_typed, count

__all__ = [
    "AlignmentError",
    "DesignError",
    "EngineError",
    "GateError",
    "InputError",
    "ProbandError",
    "UsageError",
]

_LONGEST_LINE = 2_000
_HARDLY_LESS = 0.05  # how much less similar than the nearest a name may be and still be listed

Door = Literal["python", "command line", "study"]
"""Where a user comes in, and so how options are spelled."""

SPELLINGS: dict[str, dict[Door, str]] = {
    "samples": {
        "python": "samples=…",
        "command line": "--samples FILE",
        "study": "[samples] with file = …",
    },
    "id_column": {"study": "id_column = {set} in [samples]"},
    "subject_column": {"study": "subject_column = {set} in [samples]"},
    "id_column=#": {"study": 'id_column = "#" in [samples]'},
    "check_orientation=off": {
        "command line": "--no-check-orientation",
        "study": "check_orientation = false",
    },
    "array": {"python": "{file}::{key}", "command line": "{file}::{key}", "study": 'key = "{key}"'},
    "embeddings": {
        "python": "Embeddings(…)",
        "command line": "-e FILE (--embeddings)",
        "study": "[[embeddings]] with file = …",
    },
    "metric_of": {
        "python": "metric={{{name!r}: 'l2'}}",
        "command line": "--metric {name}=l2",
        "study": 'metric = {{ "{name}" = "l2" }}',
    },
    "ids": {"command line": "call its array 'ids'"},
    "ids=subjects": {
        "python": "ids='subjects'",
        "command line": "--ids subjects",
        "study": 'ids = "subjects"',
    },
    "columns": {
        "python": "scored_pairs(mated, scores, people=(a, b), orientation=…)",
        "command line": "--columns {typed}",
        "study": "columns = {{ {written} }}",
    },
    "algorithm_name": {
        "python": "{{'a': scores, 'b': others}}",
        "command line": "NAME=FILE",
        "study": 'name = "…" in its section',
    },
    "mated_is": {
        "python": "mated_is={value!r}",
        "command line": "--mated-is {value}",
        "study": 'mated_is = "{value}"',
    },
    "missing_values": {
        "python": "missing_values=[{written}]",
        "command line": "--missing-values {typed}",
        "study": "missing_values = [{written}]",
    },
    "thresholds": {"command line": "--threshold …"},
    "to": {"python": "format=…"},
    "cache=off": {"python": "cache=None"},
    "all_classes=off": {
        "python": "splitter(protocol, all_classes=False)",
        "command line": "splitter(protocol, all_classes=False) in Python",
        "study": "splitter(protocol, all_classes=False) in Python",
    },
    "attribute": {
        "python": "task='attribute' and label=… (in cross_validate: y)",
        "command line": "--label COLUMN (--task attribute)",
        "study": 'task = "attribute" and label = "…"',
    },
    "run_directory": {"python": "the path of write_run", "command line": "--out DIR"},
    "category": {
        "python": "Category({name!r}, {rule!r})",
        "command line": "--category '{name}: {rule}'",
        "study": '[[category]] with name = "{name}" and rule = "{rule}"',
    },
}
"""Options that are not spelled by the rule: a value may have its own spelling, and fields are values of the hint."""


class Hint:
    """A text that names options, spelled for the interface in use.

    Parameters
    ----------
    template
        The text, with a field for each value. ``{option:missing=drop}`` stands for an option with a value,
        ``{option:queries}`` for one whose value the user knows, ``=on`` and ``=off`` for switches; ``{give:…}`` includes the verb,
        and ``{named:queries}`` is the name alone.
    values
        The values of the other fields.

    Examples
    --------
    >>> hint = Hint("{give:missing=drop} to leave {n} out.", n=3)
    >>> for door in ("python", "command line", "study"):
    ...     print(hint.told(door))
    pass missing='drop' to leave 3 out.
    pass --missing drop to leave 3 out.
    write missing = "drop" to leave 3 out.

    """

    def __init__(self, template: str, **values: object) -> None:
        self.template = template
        self.values = values

    def told(self, door: Door) -> str:
        """The text for an interface."""
        verb = "write" if door == "study" else "pass"
        spelling = {
            "option": _Speller(door, self.values),
            "give": _Speller(door, self.values, f"{verb} "),
            "named": _Speller(door, self.values, bare=True),
        }
        return self.template.format(**self.values, **spelling)

    def __str__(self) -> str:
        return self.told("python")


class Predicate(Hint):
    """What is wrong with the place of an error, as a sentence whose subject is the place.

    Examples
    --------
    >>> print(UsageError(Predicate("has no effect without {named:on}."), place="--by"))
    --by has no effect without on.
    """


class NeededOptions(Hint):
    """All missing options that only the user can provide.

    Parameters
    ----------
    options
        For each option, a hint with its value if known, and a remark on how to decide.
    call
        The code to write in Python, if another function takes the options.

    Examples
    --------
    >>> needed = NeededOptions((Hint("{option:orientation=similarity}"), "or distance"), (Hint("{option:missing=drop}"), ""))
    >>> print(needed.told("command line"))
    pass --orientation similarity (or distance) and --missing drop.
    >>> needed.spelled("command line")
    '--orientation similarity --missing drop'
    """

    def __init__(self, *options: tuple[Hint, str], call: str | None = None) -> None:
        super().__init__("")
        self.options, self.call = options, call

    def told(self, door: Door) -> str:
        """The options with their remarks, or the call."""
        if door == "python" and self.call is not None:
            remarks = "; ".join(filter(None, (remark for _, remark in self.options)))
            return f"{self.call}{remarks and f' ({remarks})'}."
        spelled = [f"{option.told(door)}{remark and f' ({remark})'}" for option, remark in self.options]
        *first, last = spelled
        return f"{'write' if door == 'study' else 'pass'} {' and '.join(filter(None, (', '.join(first), last)))}."

    def spelled(self, door: Door) -> str:
        """The options alone, to append to a command."""
        return " ".join(option.told(door) for option, _ in self.options)

    def with_others(self, other: NeededOptions) -> NeededOptions:
        """These options, and those of another that are not among them."""
        known = {str(option) for option, _ in self.options}
        more = (one for one in other.options if str(one[0]) not in known)
        return NeededOptions(*self.options, *more, call=self.call or other.call)


class _Speller:
    """A value whose format specification names an option: ``{option:missing=drop}``."""

    def __init__(
        self, door: Door, values: Mapping[str, object], before: str = "", bare: bool = False
    ) -> None:
        self.door, self.values, self.before, self.bare = door, values, before, bare

    def __format__(self, option: str) -> str:
        name, equals, value = option.partition("=")
        if self.bare and not equals:
            return f"--{name.replace('_', '-')}" if self.door == "command line" else name
        known = SPELLINGS.get(option) or SPELLINGS.get(name) or {}
        spelling = known.get(self.door)
        if spelling is None:
            return self.before + _spelled(option, self.door)
        written = json.dumps(value, ensure_ascii=False) if equals else "…"
        return self.before + spelling.format(**self.values, set=written)


def _spelled(option: str, door: Door) -> str:
    """Spell an option: ``missing='drop'``, ``--missing drop``, ``missing = "drop"``."""
    name, _, value = option.partition("=")
    switch = {"on": True, "off": False}.get(value)
    if door == "command line":
        flag = name.replace("_", "-")
        if switch is not None:
            return f"--{flag}" if switch else f"--no-{flag}"
        return f"--{flag} {as_typed(value) if value else '…'}"
    plain: object = value if switch is None else switch
    if door == "study":
        return f"{name} = {value if value.isdecimal() else json.dumps(plain, ensure_ascii=False) if value else '…'}"
    return f"{name}={value if value.isdecimal() else repr(plain)}" if value else f"{name}=…"


class Said(str):
    """A name that the message already contains and that is not put in front of it."""

    __slots__ = ()


class ProbandError(Exception):
    """An error caused by the input, not by a bug.

    Parameters
    ----------
    message
        What is wrong and the value found, as a full sentence.
    hint
        How to fix it.
    source, file, place
        The name of the algorithm or scores at fault, the file at fault, and the place of the request: the line of a study or
        the directory of a submission. They precede the message, unless they are `Said` in it.
    door
        The interface in use, if known; otherwise whoever shows the error provides it.

    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str | Hint,
        hint: str | Hint | None = None,
        *,
        source: str | None = None,
        file: str | None = None,
        place: str | None = None,
        door: Door | None = None,
    ) -> None:
        super().__init__(message)
        self.fault, self.cure = message, hint
        self.source, self.file, self.place, self.door = source, file, place, door

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (type(self), self.args, self.__dict__)  # constructors of kinds differ

    @property
    def kind(self) -> str:
        """The name of the error class."""
        return type(self).__name__

    def within(
        self,
        *,
        source: str | None = None,
        file: str | None = None,
        place: str | None = None,
        door: Door | None = None,
    ) -> Self:
        """Fill in facts that are not yet set.

        Parameters
        ----------
        source, file, place
            The name of the algorithm or scores at fault, the file at fault, and the place of the request.
        door
            The interface: ``python``, ``command line`` or ``study``.

        Returns
        -------
        ProbandError
            This error, so that it can be raised.
        """
        self.source = self.source or source
        self.file = self.file or file
        self.place = self.place or place
        self.door = self.door or door
        return self

    def of_file(self, file: str) -> Self:
        """Set the full path of the file, unless the message contains its name: several files may share a name.

        Parameters
        ----------
        file
            The path of the file at fault.

        Returns
        -------
        ProbandError
            This error, so that it can be raised.
        """
        if not isinstance(self.file, Said):
            self.file = file
        return self

    def told(self, door: Door = "python") -> tuple[str, str | None]:
        """The message and the hint for an interface.

        Parameters
        ----------
        door
            The interface: ``python``, ``command line`` or ``study``. One set in the error takes precedence.

        Returns
        -------
        tuple of str
            The message, and the hint or None.
        """
        door = self.door or door
        # Scores and tables without a given name are named after their file, which need not be repeated.
        path = PurePath(self.file or "")
        file = None if self.source in (path.name, path.stem) else self.file
        place, fault = self.place, _in_words(self.fault, door)
        if isinstance(self.fault, Predicate):
            place, fault = None, f"{place or 'it'} {fault}"
        before = [one for one in (place, file, self.source) if one and not isinstance(one, Said)]
        message = ": ".join([*before, fault])
        # Quoted input may be of any length.
        hint = None if self.cure is None else _with_short_lines(_in_words(self.cure, door))
        return _with_short_lines(message), hint

    @property
    def message(self) -> str:
        """What is wrong, and where."""
        return self.told()[0]

    @property
    def hint(self) -> str | None:
        """How to fix it."""
        return self.told()[1]

    def __str__(self) -> str:
        message, hint = self.told()
        return message if hint is None else f"{message}\nhint: {hint}"


def _made_again(kind: type[ProbandError], args: tuple[object, ...], state: dict[str, object]) -> ProbandError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


def _in_words(text: str | Hint, door: Door) -> str:
    return text.told(door) if isinstance(text, Hint) else text


class GateError(AssertionError):
    """A required gate was not passed: a failed assertion of the user, not a fault of the input."""


class InputError(ProbandError):
    """A file or an array is invalid."""


class AlignmentError(ProbandError):
    """The ids of scores and samples do not match."""


class DesignError(ProbandError):
    """The requested experiment is impossible or would be meaningless."""


class EngineError(ProbandError):
    """The engine failed or cannot be reached."""


class UsageError(ProbandError):
    """The request is malformed: an expression, an option or an argument."""

    exit_code: ClassVar[int] = 2


def quoted(value: object, limit: int = 80) -> str:
    """Quote a value, truncated if it is long: ``'abc…' (100,000 characters)``."""
    text = str(value)
    if len(text) <= limit:
        return repr(text)
    return f"{text[: limit - 1] + '…'!r} ({count(len(text))} characters)"


def first_few(items: Sequence[object], limit: int = 3) -> str:
    """List the first items: ``'a', 'b', 'c' and 7 more``."""
    named = ", ".join(quoted(item) for item in items[:limit])
    rest = len(items) - limit
    return f"{named} and {count(rest)} more" if rest > 0 else named


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Ask whether a similar known name was meant; None if there is none.

    Examples
    --------
    >>> nearest("boostrap", ["binomial", "bootstrap"]), nearest("x", ["binomial"])
    ("did you mean 'bootstrap'?", None)
    """
    near = near_names(name, known)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else None


def meant(name: str, known: Iterable[str], most: int = 12) -> str:
    """Ask whether a similar known name was meant, or else list at most `most` known names.

    Examples
    --------
    >>> print(meant("Sex", ["sex", "age"]), meant("place", ["sex", "age"]))
    did you mean 'sex'? available: 'sex', 'age'.
    """
    names = list(known)
    return nearest(name, names) or f"available: {first_few(names, most)}."


def unknown_name(
    what: str,
    name: object,
    known: Iterable[str],
    where: str = "",
    *,
    option: str | None = None,
    source: str | None = None,
    file: str | None = None,
) -> UsageError:
    """Make the error for an unknown name, with the name probably meant.

    Parameters
    ----------
    what, where
        The kind of thing named, and the end of the sentence: ``in samples.csv``, ``to group probes by``.
    option
        The option that gave the name, to be spelled with the name meant.

    Examples
    --------
    >>> print(unknown_name("column", "filname", ["filename", "subject"], "in samples.csv", option="id_column"))
    There is no column 'filname' in samples.csv.
    hint: did you mean 'filename'? pass id_column='filename'
    """
    names = list(known)
    near = near_names(str(name), names)
    hint: str | Hint = meant(str(name), names) if names else "none are available."
    several = [one.strip() for one in str(name).split(",")]
    if len(several) > 1 and set(several) <= set(names):
        near, hint = [], f"name each {what} by itself: {', '.join(map(quoted, several))}."
    if option is not None:
        hint = (
            Hint("{near} {give:{right}}", near=nearest(str(name), names), right=f"{option}={near[0]}")
            if near
            else Hint("pass {option:{name}}; {there}", name=option, there=hint)
        )
    begins_after_a_name = any(one is not None and not isinstance(one, Said) for one in (source, file))
    text = f"{'there' if begins_after_a_name else 'There'} is no {what} {quoted(name)}{where and ' '}{where}."
    return UsageError(text, hint, source=source, file=file)


def near_names(name: str, known: Iterable[str], alike: float | None = None) -> list[str]:
    """Return up to three similar names, most similar first, ignoring case, blanks and dashes.

    `alike` is the similarity required, from 0 to 1; the default suits typing errors.
    """
    folded: dict[str, list[str]] = {}
    for one in dict.fromkeys(known):
        folded.setdefault(_folded(one), []).append(one)
    cutoff = alike or (0.5 if len(name) < 4 else 0.6)  # one letter is a large part of a short name
    near = difflib.get_close_matches(_folded(name), folded, n=3, cutoff=cutoff)
    ratios = [difflib.SequenceMatcher(None, key, _folded(name)).ratio() for key in near]
    kept = [key for key, ratio in zip(near, ratios, strict=True) if ratio > ratios[0] - _HARDLY_LESS]
    return [one for key in kept for one in folded[key]][:3]


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _with_short_lines(text: str) -> str:
    """Shorten very long lines in the middle."""
    if len(text) <= _LONGEST_LINE:
        return text
    half = _LONGEST_LINE // 2
    lines = (
        line if len(line) <= _LONGEST_LINE else f"{line[:half]} … {line[-half:]}" for line in text.split("\n")
    )
    return "\n".join(lines)


def __dir__() -> list[str]:
    return sorted(__all__)
