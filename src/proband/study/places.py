"""On which line a TOML file says what, so that an error can be found.

The text has been read by a parser before, so that it is sound: only its structure is followed here, not its values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from proband.engine.files.documents import TOML_STRING

Keys = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*)*+")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(TOML_STRING, re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\n]+")


@dataclass(frozen=True)
class Places:
    """The line of every table and key, by the keys and numbers that lead to it; and from where to where the last word of a key goes."""

    lines: dict[Keys, int] = field(default_factory=dict)
    words: dict[Keys, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Places:
        """Find every table, key and element in the text of a sound TOML file."""
        walker = _Walker(text)
        walker.document()
        return cls(walker.lines, walker.words)

    def line(self, keys: Sequence[str | int]) -> int:
        """The line that says something, or else the nearest thing around it that stands in the text."""
        for length in range(len(keys), 0, -1):
            found = self.lines.get(tuple(keys[:length]))
            if found is not None:
                return found
        return 1


class _Walker:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Keys, int] = {}
        self.words: dict[Keys, tuple[int, int]] = {}
        self._word = (0, 0)
        self._counts: dict[Keys, int] = {}
        self._counted, self._line = 0, 1

    def document(self) -> None:
        table: Keys = ()
        while self.skip() < len(self.text):
            if self.text.startswith("[", self.at):
                table = self.header()
            else:
                self.pair(table)

    def skip(self) -> int:
        """Pass blanks, line breaks and comments; return where that leads."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def header(self) -> Keys:
        line = self.here()
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        words = self.key()
        self.at = self.text.index("]" * brackets, self.at) + brackets
        keys: Keys = ()
        for place, word in enumerate(words):
            keys = (*keys, word)
            last = place == len(words) - 1
            if last and brackets == 2:
                self._counts[keys] = self._counts.get(keys, 0) + 1
                self.note(keys, line)
            if keys in self._counts:  # within the latest of an array's tables
                keys = (*keys, self._counts[keys] - 1)
            self.note(keys, line)
        return keys

    def pair(self, table: Keys) -> None:
        line = self.here()
        keys = table
        for word in self.key():
            keys = (*keys, word)
            self.note(keys, line)
        self.words[keys] = self._word
        self.at = self.text.index("=", self.at) + 1
        self.value(keys)

    def key(self) -> list[str]:
        """Read a key, bare or quoted, with dots between its parts."""
        words: list[str] = []
        while True:
            self.skip()
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE.match(self.text, self.at)
            if found is None:
                return words
            words.append(found.group()[1:-1] if quoted else found.group())
            self._word, self.at = found.span(), found.end()
            if not self.text.startswith(".", self.skip()):
                return words
            self.at += 1

    def value(self, keys: Keys) -> None:
        self.skip()
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self.array(keys)
        elif opening == "{":
            self.inline(keys)
        else:
            found = _STRING.match(self.text, self.at) or _PLAIN.match(self.text, self.at)
            self.at = found.end() if found else self.at

    def array(self, keys: Keys) -> None:
        self.at += 1
        number = 0
        while not self.closed("]"):
            self.note((*keys, number), self.here())
            self.value((*keys, number))
            number += 1

    def inline(self, keys: Keys) -> None:
        self.at += 1
        while not self.closed("}"):
            self.pair(keys)

    def closed(self, bracket: str) -> bool:
        """Pass a comma; tell whether the closing bracket, or the end of the text, comes next, and pass that too."""
        if self.text.startswith(",", self.skip()):
            self.at += 1
        ends = self.text.startswith(bracket, self.skip()) or self.at >= len(self.text)
        self.at += ends
        return ends

    def note(self, keys: Keys, line: int) -> None:
        self.lines.setdefault(keys, line)

    def here(self) -> int:
        """The number of the line; counted on from where it was last asked."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line
