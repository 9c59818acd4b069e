"""Names of files matched with patterns of fields, in time that grows no faster than the lengths of both.

A regular expression would try ``*_*_*_*`` in a number of ways that grows with a power of the length. Here it is found out
from the end of a name, for all places of it at once, whether the rest of the pattern fits from there; what each field takes is then read off from
the beginning. The places are the bits of a whole number, the last place first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proband.errors import UsageError, quoted

DATES = {"yymmdd": (6, "%y%m%d"), "yyyymmdd": (8, "%Y%m%d")}
_FIELD = re.compile(r"\{(\w+)(?::(?:(d|a)?([1-9][0-9]{0,3})?|(yymmdd|yyyymmdd)))?\}")
_LONGEST = 1_000
_MOST_WAYS = 10_000

Fields = dict[str, str]
_DIGITS = frozenset("0123456789")
_LATIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True)
class _Run:
    """Letters of one kind: so many, or any number from `least` on.

    Attributes
    ----------
    letters
        Which; None for any but ``/``.
    field
        The column it fills.
    again
        Whether the field was filled before, so that the same must stand here.
    longest
        Whether a long run is tried before a short one.
    """

    letters: frozenset[str] | None
    least: int
    is_open: bool = False
    field: str | None = None
    again: bool = False
    longest: bool = False


@dataclass
class _Maybe:
    """The beginning of a part that may be absent, and the number of the piece behind it."""

    behind: int = 0


class NamePattern:
    """A pattern of fields, read once and matched with many names."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.kinds: dict[str, str] = {}
        """The fields, and what each holds: text, number or a form of dates."""
        self._pieces: list[_Run | _Maybe] = []
        self._runs: dict[str, _Run] = {}
        self._repeated: list[str] = []
        self._read()

    def fields_of(self, name: str) -> Fields | None:
        """What a name says; None if it is not so named."""
        fits = self._fitting(name)
        size, last = len(name), len(self._pieces)
        if not fits[0] >> size & 1:
            return None
        # Without a field that is named twice every way that fits leads to the end, and the first is taken.
        tried: set[tuple[int, int, tuple[str | None, ...]]] = set()
        ways: list[Iterator[tuple[int, int, Fields]]] = [iter([(0, 0, {})])]
        while ways:
            way = next(ways[-1], None)
            if way is None:
                ways.pop()
                continue
            number, place, fields = way
            if number == last:
                return fields
            state = (number, place, tuple(fields.get(one) for one in self._repeated))
            if state not in tried:
                tried.add(state)
                ways.append(self._ways(name, fits, *way))
            if len(tried) > _MOST_WAYS:
                raise UsageError(
                    f"The pattern {quoted(self.pattern)} can match {quoted(name)} in too many ways.",
                    "put a literal character next to fields that are used twice, or specify their length: {subject:5}.",
                )
        return None

    def _ways(
        self, name: str, fits: list[int], number: int, place: int, fields: Fields
    ) -> Iterator[tuple[int, int, Fields]]:
        """What may come after a piece, the preferred first: the next piece, its place and the fields so far."""
        piece, size = self._pieces[number], len(name)
        if isinstance(piece, _Maybe):
            for following in (number + 1, piece.behind):
                if fits[following] >> (size - place) & 1:
                    yield following, place, fields
            return
        for end in _ends(piece, name, place, fields):
            if fits[number + 1] >> (size - end) & 1:
                found = {**fields, piece.field: name[place:end]} if piece.field else fields
                yield number + 1, end, found

    def _fitting(self, name: str) -> list[int]:
        """For every piece, the places of a name from which it and all that follow fit, up to what repeated fields say."""
        masks: dict[frozenset[str] | None, int] = {}
        fits = [0] * len(self._pieces) + [1]
        for number in reversed(range(len(self._pieces))):
            piece, after = self._pieces[number], fits[number + 1]
            if isinstance(piece, _Maybe):
                fits[number] = after | fits[piece.behind]
                continue
            if piece.letters not in masks:
                masks[piece.letters] = _mask(name, piece.letters)
            fits[number] = _before(after, masks[piece.letters], piece)
        return fits

    def _read(self) -> None:
        if len(self.pattern) > _LONGEST:
            raise UsageError(
                f"The pattern {quoted(self.pattern)} is longer than {_LONGEST} characters.",
                "use a shorter pattern.",
            )
        place, optional = 0, None
        while place < len(self.pattern):
            letter = self.pattern[place]
            field = _FIELD.match(self.pattern, place) if letter == "{" else None
            is_odd = field is None if letter in "{}" else letter == ("[" if optional else "]")
            if is_odd:
                raise UsageError(
                    f"The pattern {quoted(self.pattern)} cannot be read at {quoted(self.pattern[place:], 40)}.",
                    "use {name}, {name:d} for digits, {name:a2} for two letters, {name:yymmdd} for a date; [.{name}] is optional.",
                )
            if field is not None:
                self._pieces.append(self._field(field))
            elif letter == "[":
                optional = _Maybe()
                self._pieces.append(optional)
            elif letter == "]" and optional is not None:
                optional.behind, optional = len(self._pieces), None
            elif letter == "*":
                self._pieces.append(_Run(None, 0, is_open=True, longest=True))
            else:
                self._pieces.append(_Run(frozenset(letter), 1))
            place = field.end() if field is not None else place + 1
        if optional is not None:
            raise UsageError(f"A bracket of the pattern {quoted(self.pattern)} is not closed.")

    def _field(self, field: re.Match[str]) -> _Run:
        name, kind, length, date = field.groups()
        if name in self.kinds:
            self._repeated.append(name)
            return replace(self._runs[name], again=True)
        if not name.isidentifier():
            raise UsageError(f"A field cannot be named {name!r}: a name must begin with a letter.")
        self.kinds[name] = date or ("number" if kind == "d" else "text")
        letters = _DIGITS if date else {"d": _DIGITS, "a": _LATIN, None: None}[kind]
        least = DATES[date][0] if date else int(length or 1)
        self._runs[name] = _Run(letters, least, is_open=not (date or length), field=name)
        return self._runs[name]


def _is_of(letter: str, letters: frozenset[str] | None) -> bool:
    return letter != "/" if letters is None else letter in letters


def _mask(name: str, letters: frozenset[str] | None) -> int:
    """The places of a name where such a letter stands."""
    if letters is None:
        marks = ["01"[letter != "/"] for letter in name]
    else:
        marks = ["01"[letter in letters] for letter in name]
    return int("".join(marks) or "0", 2) << 1


def _before(after: int, mask: int, piece: _Run) -> int:
    """The places from which a run leads to one of the places `after`; `mask` has those of its letters."""
    if not piece.is_open:
        for _ in range(piece.least):
            after = after << 1 & mask
            if not after:
                break
        return after
    last = after << 1 & mask
    # The carry of an addition goes through all letters of a run at once.
    return ((mask + last) ^ mask) & mask | last | (0 if piece.least else after)


def _ends(piece: _Run, name: str, place: int, fields: Fields) -> Iterator[int]:
    """Where a run that begins at a place may end."""
    if piece.again:
        value = fields.get(piece.field or "")
        if value is not None and name.startswith(value, place):
            yield place + len(value)
        return
    if not piece.is_open:
        yield place + piece.least
        return
    stop = place
    while stop < len(name) and _is_of(name[stop], piece.letters):
        if not piece.longest and stop > place:
            yield stop
        stop += 1
    if not piece.longest:
        yield stop
        return
    yield from range(stop, place - 1, -1)
