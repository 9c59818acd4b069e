"""Words for people: numbers, plurals, sentences and notes. Only here is a number formatted that somebody reads.

It is one long module, so that there is one place to look for a format.

Results hold records, and words are made of them last. Nothing is ever read back out of words: code looks at a note's code and
values, at a method's key and draws, at a target's key.
"""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from math import floor, isfinite, log10
from operator import index
from string import Formatter
from typing import Any, ClassVar, Literal, SupportsIndex

# Controls of terminals, marks that turn the direction of writing or are not seen, separators of lines, halves of characters.
# Joiners belong to some scripts, and are seen there in how letters are joined.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff"
    "\uffa0\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_LONGEST_WORD = 400
_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
_PLAIN_WORD = re.compile(r"[\w@+=:,./\\-]+", re.ASCII)  # for the shells of Windows
MINUS = "−"
_LEAST_P = 1e-15  # below, floating-point arithmetic says nothing
_NO_END = 1e-9  # below, an end of an interval differs from zero by rounding

Level = Literal["note", "caution", "mark"]


def visible(text: str) -> str:
    r"""Write what would be obeyed, and not shown, as its number: every text for people goes through here, and data never do."""
    return UNPRINTABLE.sub(lambda mark: _numbered(ord(mark[0])), text)


def printable(text: str) -> str:
    """Make a text visible, and cut words that would fill the screen."""
    return visible(
        _WORD.sub(lambda word: f"{word[0][: _LONGEST_WORD // 2]}… ({count(len(word[0]))} characters)", text)
    )


def as_typed(*words: str) -> str:
    """Words of a command as a shell takes them; those of Windows know no single quotes."""
    return shlex.join(words) if sys.platform != "win32" else " ".join(map(_quoted_for_windows, words))


def _quoted_for_windows(word: str) -> str:
    from subprocess import list2cmdline

    quoted = list2cmdline([word])
    return quoted if quoted.startswith('"') or _PLAIN_WORD.fullmatch(word) else f'"{quoted}"'


def _numbered(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def count(value: float) -> str:
    """A number of things, with separators; fractions of a thing to one place.

    Examples
    --------
    >>> count(12_345), count(2.5), count(2**64 + 1)
    ('12,345', '2.5', '18,446,744,073,709,551,617')

    """
    if isinstance(value, SupportsIndex):
        return f"{index(value):,}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def in_a_list(parts: Sequence[str]) -> str:
    """Things in a row, the last of them behind "and"."""
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


def counted(n: int, one: str, many: str | None = None) -> str:
    """How many there are, with the word that belongs to the number."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def agreeing(n: float, one: str = "is", many: str = "are") -> str:
    """The form of a verb that belongs to a number."""
    return one if n == 1 else many


def part_of(n: int, total: int, what: str, rule: str) -> str:
    """How many of how many are shown and which; nothing where all are."""
    return "" if n == total else f"{count(n)} of {count(total)} {what}: {rule}"


def fixed(value: float, places: int = 4) -> str:
    """A number with so many decimal places; what is not finite is none."""
    return _with_minus(f"{value:z,.{places}f}") if isfinite(value) else "none"


def signed(value: float, places: int = 2) -> str:
    """A difference: a number with its sign and so many decimal places; what is rounded to zero has no sign."""
    if not isfinite(value):
        return _endless(value, "+")
    return _with_minus(f"{value:{'+' if round(value, places) else 'z'},.{places}f}")


def end(value: float, places: int = 2) -> str:
    """An end of a difference's interval: as `signed`, but one that is not zero is not shown as zero."""
    if isfinite(value) and round(value, places) == 0 and abs(value) > _NO_END:
        places = -floor(log10(abs(value)))
    return signed(value, places)


def _endless(value: float, plus: str = "") -> str:
    """What is not finite: an end that is open, or no number."""
    return "none" if value != value else f"{plus}∞" if value > 0 else "−∞"


def fold(text: str, width: int = 100) -> str:
    """Break lines that are too long between words, and indent what follows."""
    whole = _IN_BRACKETS.sub(lambda found: found[0].replace(" ", "\0"), text)  # an interval stays together
    lines = (
        textwrap.fill(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in whole.split("\n")
    )
    return "\n".join(lines).replace("\0", " ")


_IN_BRACKETS = re.compile(r"\[[^\[\]\n]{0,40}\]")


def digits(value: float, significant: int = 3) -> str:
    """A number with so many significant digits, as small rates and thresholds have."""
    return _with_minus(f"{value + 0.0:.{significant}g}") if isfinite(value) else "none"


def _with_minus(text: str) -> str:
    """A real minus sign before a number; an exponent keeps its hyphen, so that it can be copied."""
    return MINUS + text[1:] if text.startswith("-") else text


def percent(share: float, places: int = 0) -> str:
    """A share of a hundred."""
    return _with_minus(f"{share:z.{places}%}")


def points(difference: float, places: int = 2) -> str:
    """A difference of rates, in percentage points."""
    return f"{signed(100 * difference, places)} points"


def interval(low: float, high: float, places: int = 4) -> str:
    """The ends of an interval; one that is open is infinite."""
    ends = (fixed(end, places) if isfinite(end) else _endless(end) for end in (low, high))
    return f"[{', '.join(ends)}]"


def interval_of(low: float, high: float, significant: int = 3) -> str:
    """The ends of an interval, with so many significant digits."""
    return f"[{digits(low, significant)}, {digits(high, significant)}]"


def p_value(value: float, floor: float | None = None) -> str:
    """A p-value with the sign before it: ≤ where more draws could have made it smaller.

    Parameters
    ----------
    value
        The p-value.
    floor
        The smallest p-value the test can give; None for one that can give any.
    """
    return " ".join(_signed_p(value, floor))


def p_at_least(value: float) -> str:
    """The least of several p-values with the sign before it: there is none above 1."""
    told = p_value(value)
    return told if told == p_value(1.0) else f"{told} or more"


def p_alone(value: float, floor: float | None = None) -> str:
    """A p-value as it stands in a table: the sign only where it is not equality."""
    sign, number = _signed_p(value, floor)
    return number if sign == "=" else f"{sign} {number}"


def _signed_p(value: float, floor: float | None) -> tuple[str, str]:
    if value < _LEAST_P:
        return "<", digits(_LEAST_P, 2)
    at_floor = floor is not None and value <= floor * (1 + 1e-9) and value < 1
    return "≤" if at_floor else "=", digits(value, 2)


def effect(value: float, in_points: bool = True) -> str:
    """A difference: of rates in percentage points, otherwise as it is; always with its sign."""
    return signed((100 if in_points else 1) * value)


def effect_interval(low: float, high: float, in_points: bool = True) -> str:
    """The ends of a difference's interval."""
    scale = 100 if in_points else 1
    return f"[{end(scale * low)}, {end(scale * high)}]"


def size_of(value: float, in_points: bool = True) -> str:
    """A difference worth having, with its unit."""
    if not in_points:
        return given(value)
    shown = digits(100 * value, 4)
    return f"{shown} {'point' if shown == '1' else 'points'}"


def small_interval(low: float, high: float) -> str:
    """The ends of a small rate's interval."""
    return interval_of(low, high)


def threshold(value: float | None) -> str:
    """A threshold, to six digits."""
    return "none" if value is None else digits(value, 6)


def given(value: float) -> str:
    """A number that somebody chose, such as a false match rate to keep: as short as it can be."""
    return digits(value, 6)


def level(share: float) -> str:
    """A confidence level or another share that somebody chose, with the places it needs."""
    return f"{digits(100 * share, 12)}%"


def out_of(n: float, total: float) -> str:
    """So many of so many."""
    return f"{count(n)} of {count(total)}"


def run_of(first: int, last: int) -> str:
    """Whole numbers from one to another, such as the places an algorithm can hold."""
    return count(first) if first == last else f"{count(first)}–{count(last)}"


def trimmed(value: float, places: int = 6, *, sign: bool = False) -> str:
    """A number at a tick: without zeros that say nothing, and with its sign if asked; zero has none."""
    shown = f"{round(value, places) + 0.0:{'+' if sign else ''},.{places}f}"
    short = shown.rstrip("0").rstrip(".") if places else shown
    return _with_minus(short) if round(value, places) else "0"


def aligned(values: Sequence[float], places: int) -> list[str]:
    """Numbers with so many places, to stand below one another."""
    shown = [fixed(value, places) for value in values]
    width = max(map(len, shown), default=0)
    return [one.rjust(width, "\u2007") for one in shown]


def listed(items: Iterable[object], last: str = "and") -> str:
    """Items in a row: ``a, b and c``."""
    names = [str(item) for item in items]
    return f" {last} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def size_in_bytes(n: float) -> str:
    """A size in the unit that suits it, to two digits.

    Examples
    --------
    >>> size_in_bytes(51_234), size_in_bytes(1_250_000_000), size_in_bytes(12)
    ('51 kB', '1.2 GB', '12 bytes')
    """
    for unit, worth in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= 0.995 * worth:
            value = n / worth
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
    return counted(round(n), "byte")


def rough_time(seconds: float) -> str:
    """A time that is only known roughly.

    Examples
    --------
    >>> [rough_time(seconds) for seconds in (3, 40, 700, 9_000, 432_000)]
    ['less than 10 seconds', 'less than a minute', 'about 12 minutes', 'about 2.5 hours', 'about 5 days']
    """
    if seconds < 60:
        return "less than 10 seconds" if seconds < 10 else "less than a minute"
    for unit, worth in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 1.5 * worth:
            return f"about {digits(seconds / worth, 2)} {unit}s"
    return "about 1 minute"


def time_span(seconds: float) -> str:
    """How long something took, or how long there is left: its two largest units.

    Examples
    --------
    >>> [time_span(seconds) for seconds in (0, 0.034, 3.21, 59.6, 725, 11_100, 90_000, 864_000)]
    ['0 s', '0.03 s', '3.2 s', '1 min', '12 min 5 s', '3 h 5 min', '1 day 1 h', '10 days']
    """
    if seconds == 0:
        return "0 s"
    if seconds < 9.95:
        return f"{fixed(seconds, 1 if seconds >= 0.95 else 2)} s"
    left, parts = round(seconds), []
    for unit, worth in (("day", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        n, left = divmod(left, worth)
        if n:
            parts.append(counted(n, unit) if unit == "day" else f"{n} {unit}")
        elif parts:
            break
    return " ".join(parts[:2])


FORMATS: dict[str, Callable[[Any], str]] = {
    "count": count,
    "rate": fixed,
    "two": lambda value: fixed(value, 2),
    "signed": signed,
    "points": points,
    "small": digits,
    "four": lambda value: digits(value, 4),
    "threshold": threshold,
    "percent": percent,
    "relative": lambda value: f"{signed(100 * value, 0)}%",
    "tenth": lambda value: percent(value, 1),
    "hundredth": lambda value: percent(value, 2),
    "lasting": time_span,
    "sentences": lambda notes: " ".join(map(as_sentence, notes)),
    "p": lambda value: p_value(*value) if isinstance(value, tuple) else p_value(value),
    "least_p": p_at_least,
    "bound": lambda value: f"≤ {digits(value, 2)}",
    "end": end,
    "hundredfold": lambda value: end(100 * value),
    "whole": lambda value: count(round(value)),
    "span": lambda value: f"{fixed(100 * value, 1)} points",
    "worth": size_of,
    "level": level,
    "power": lambda value: f"{digits(100 * value, 3 if value > 0.9 else 2)}%",
    "given": given,
    "bytes": size_in_bytes,
    "time": rough_time,
    "names": ", ".join,
    "parts": lambda notes: "; ".join(map(str, notes)),
    "row": lambda notes: ", ".join(map(str, notes)),
    "list": lambda notes: in_a_list([*map(str, notes)]),
    "counts": lambda pairs: ", ".join(f"{name} {count(n)}" for name, n in pairs),
    "rates": lambda pairs: ", ".join(f"{name} {fixed(rate)}" for name, rate in pairs),
    "rates_of": lambda pairs: ", ".join(f"{fixed(rate)} ({name})" for name, rate in pairs),
    "reasons": ", or where ".join,
    "capital": lambda words: str(words)[:1].upper() + str(words)[1:],
    "also": lambda notes: "".join(f"; {note}" for note in notes),
    "then": lambda notes: "".join(f". {as_sentence(note).removesuffix('.')}" for note in notes),
}
"""What a template may ask of a value: ``{share:rate}``. ``{n:count probe}`` and ``{n:count person/people}`` add the word;
``{n:word is/are}`` is the word that belongs to a number without the number."""


class _Words(Formatter):
    """Fields of templates, formatted by name."""

    def format_field(self, value: Any, spec: str) -> str:
        if spec.startswith("count "):
            one, _, many = spec.removeprefix("count ").partition("/")
            return counted(value, one, many or None)
        if spec.startswith("word "):
            one, _, many = spec.removeprefix("word ").partition("/")
            return agreeing(value, one, many)
        if spec:
            return FORMATS[spec](value)
        return str(value)

    def fields(self, template: str) -> list[tuple[str, str]]:
        """The names and formats of the fields of a template."""
        return [(name, spec or "") for _, name, spec, _ in self.parse(template) if name is not None]


_WORDS = _Words()


@dataclass(frozen=True)
class Sentence:
    """Something the program says, declared beside the code that says it; calling it with values makes a note.

    Attributes
    ----------
    code
        What it is known by, for ever: ``experiment.probes-without-mate``.
    level
        ``note`` for how a number came about, ``caution`` for what may mislead, ``mark`` for what a sign in a table means.
    template
        The words, with a field for each value, without the full stop.
    """

    code: str
    level: Level
    template: str
    every: ClassVar[dict[str, Sentence]] = {}

    def __post_init__(self) -> None:
        for name, spec in _WORDS.fields(self.template):
            if not name.isidentifier() or not (
                spec in FORMATS or spec == "" or spec.startswith(("count ", "word "))
            ):
                raise ValueError(f"{self.code}: {{{name}:{spec}}} is not a valid field of a sentence.")
        known = Sentence.every.setdefault(self.code, self)
        if known is not self and known.template != self.template:
            raise ValueError(f"The code {self.code} is used by two sentences.")

    def __call__(self, **values: Any) -> Note:
        return Note(self, tuple(sorted(values.items())))  # equal in whatever order they were named


@dataclass(frozen=True)
class Note:
    """A sentence with its values. Code compares codes and values; only people read the words."""

    sentence: Sentence = field(repr=False)
    values: tuple[tuple[str, Any], ...] = ()

    @property
    def code(self) -> str:
        """What the sentence is known by."""
        return self.sentence.code

    @property
    def level(self) -> Level:
        """Whether it tells how a number came about, or warns."""
        return self.sentence.level

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    def __str__(self) -> str:
        return _WORDS.vformat(self.sentence.template, (), dict(self.values))

    def to_dict(self) -> dict[str, Any]:
        """Return code, level, values and words as plain values, ready for JSON."""
        return {"code": self.code, "level": self.level, "values": plain(dict(self.values)), "text": str(self)}


_PLAIN = frozenset((str, int, bool, type(None)))


def plain(value: Any) -> Any:
    """Records as plain values, ready for JSON: by their own `to_dict`, or field by field; a number that is not finite is None."""
    kind = type(value)
    if kind in _PLAIN:  # most are, and nothing else need be asked
        return value
    if kind is float:
        return value if isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if kind is dict or isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    for form in ("to_dicts", "to_dict", "tolist", "isoformat"):  # a table, a record, an array, a date
        if hasattr(value, form):
            own = getattr(value, form)()
            return own if form == "to_dict" else plain(own)
    if is_dataclass(value):
        held = {one.name: getattr(value, one.name) for one in fields(value)}
        if getattr(value, "sparse", False):  # what is as it is without being stated is not written
            held = {one.name: held[one.name] for one in fields(value) if held[one.name] != one.default}
        return {name: plain(one) for name, one in held.items()}
    return value


@dataclass(frozen=True)
class Target:
    """What a number is of, what varies behind it, what is held fixed or what is assumed: a key for code, words for people."""

    key: str
    words: str

    def __str__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, Any]:
        """Return key and words as plain values, ready for JSON."""
        return {"key": self.key, "text": self.words}


SamplingLevel = Literal[
    "scene", "context", "explicit", "implicit", "population", "system", "model", "analysis"
]
"""What a column may be declared as (`proband.samples.sampling`)."""
Spread = Literal["constant", "between-strata", "between-people", "within-people", "not-known"]
_LEVEL_WORDS: Mapping[str, str] = {
    "scene": "scene",
    "context": "context",
    "explicit": "explicit property",
    "implicit": "implicit property",
    "system": "system level",
    "model": "model level",
    "analysis": "analysis level",
}


@dataclass(frozen=True)
class SampledColumn:
    """What the data show of a column that is declared as a sampling level.

    Attributes
    ----------
    column, level
        The column, and what it is declared as.
    spread
        Over the probes: ``constant``; ``between-strata``, if every stratum has one value, where strata are not people;
        ``between-people``, if nobody has two values; ``within-people``, if somebody has; or
        ``not-known``, if values are missing and the others do not show that it varies within people.
    value, gallery_value
        The one value of all probes, and of the whole gallery; None where there are several, or some are missing.
    n_within
        People whose probes have several values.
    n_missing
        Probes without a value.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    column: str
    level: SamplingLevel
    spread: Spread
    value: str | None
    gallery_value: str | None
    n_within: int
    n_missing: int

    @property
    def sampling_level(self) -> str:
        """The one of the four sampling levels that it belongs to."""
        return self.level if self.level in ("system", "model", "analysis") else "population"

    def told(self, value: str | None = None) -> str:
        """The column and what it is declared as, with the value that it is held at: ``context (camera = a)``."""
        name = printable(self.column if value is None else f"{self.column} = {value}")
        return f"{_LEVEL_WORDS[self.level]} ({name})" if self.level in _LEVEL_WORDS else name


@dataclass(frozen=True)
class Method:
    """How an interval or a test was made.

    Attributes
    ----------
    key
        What it is known by: ``sign-flip``.
    label
        What a table calls it.
    account
        What the methods paragraph says of it; empty for the label.
    cites
        The keys of its literature.
    draws
        How many random draws a p-value rests on, so that none is smaller than ``1 / (draws + 1)``; None for a closed form.
    parts
        The methods it is made of: a test and an interval, which are told and cited apart.
    """

    key: str
    label: str
    account: str = ""
    cites: tuple[str, ...] = ()
    draws: int | None = None
    parts: tuple[Method, ...] = ()

    @property
    def floor(self) -> float | None:
        """The smallest p-value that the draws can give."""
        return None if self.draws is None else 1 / (self.draws + 1)

    def told(self) -> tuple[Method, ...]:
        """The methods to tell and to cite: the parts, or this one."""
        return tuple(one for part in self.parts for one in part.told()) or (self,)

    def __str__(self) -> str:
        return self.label

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        cites = list(dict.fromkeys(cite for one in self.told() for cite in one.cites))
        return {"key": self.key, "text": self.label, "cites": cites, "draws": self.draws}


def as_sentence(note: Note | str) -> str:
    """A note as a sentence: a capital letter first, unless it begins with a name, and a full stop last."""
    text = str(note)
    begins_with_name = False
    if isinstance(note, Note):
        before, name, spec, _ = next(iter(_WORDS.parse(note.sentence.template)))
        begins_with_name = not before and name is not None and not spec
    first = text if begins_with_name else text[:1].upper() + text[1:]
    return first if first.endswith((".", "!", "?")) else f"{first}."
