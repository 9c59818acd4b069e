"""Read the notation of protocols, and point at the character where it cannot be read.

The grammar stands in the documentation, under Protocols. Reading goes from left to right without a separate
list of tokens, since blanks may be left out: ``20x10fCV``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from proband.errors import UsageError, nearest

MAX_DIGITS = 9
_SHOWN = 40  # characters of a long text shown on either side of a fault
_DASH = r"[-‐‑–—−]"
_TIMES = r"[×✕xX*∗]"
_STAR = r"[*∗]"
_PLUS = r"[+⁺＋]"
_NUMBER = re.compile(r"([0-9]+)(?:\.([0-9]+))?")
_FOLD = re.compile(rf"(?:{_DASH}\s*)?f(?:old)?\s*(?=CV|[^a-z]|$)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")
_CONDITION = re.compile(r"(train|test)(?:ing)?\s*:\s*", re.IGNORECASE)
_IN_WORDS = re.compile(r"(\d+)[- ]?folds?", re.IGNORECASE)  # 5-fold
_SCHEMES = ("HO", "CV", "LOO", "LOSO", "train", "not")
_FIRST = "'HO', 'CV', 'LOO', 'LOSO', 'train(…) test(…)', 'not stated' or a number"
_UNSTATED = ("stated", "mentioned", "specified")
_NEXT = "'+', 'mixed', 'unmixed', '[' or the end"

SETS = "()[];"  # what names of data sets may not hold,
CLASSES = "()[];:,"  # names of classes,
BRACKETED = "[];"  # and what stands between brackets


class PartError(UsageError):
    """A protocol that cannot be, and which of its parts is to blame."""

    def __init__(self, about: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.about = about


@dataclass
class Reading:
    """What was read: the fields of a protocol, and where each of them stands in the text."""

    fields: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)

    def put(self, name: str, value: object, at: int) -> None:
        """Keep a field and its place."""
        self.fields[name] = value
        self.marks[name] = at


def read(text: str) -> Reading:
    """Read a protocol as far as grammar goes; whether it makes sense is for the protocol to say."""
    return _NotationReader(text).protocol()


def is_condition(text: str) -> bool:
    """Whether a text between brackets would be read as a condition on training or testing."""
    return _CONDITION.match(text) is not None


def pointed(text: str, at: int, fault: UsageError) -> UsageError:
    """The same fault with the text and a caret under the character it is about."""
    start = max(0, at - _SHOWN)
    cut = text[start : at + _SHOWN]
    shown = "".join(char if char.isprintable() else " " if char.isspace() else "?" for char in cut)
    before, after = "…" * (start > 0), "…" * (at + _SHOWN < len(text))
    indent = " " * sum(map(_width, before + shown[: at - start]))
    picture = f"  {before}{shown}{after}\n  {indent}^"
    return UsageError(f"Character {at + 1} of the protocol: {fault.message}\n{picture}", fault.cure)


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class _NotationReader:
    """The text, and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.reading = Reading()

    def protocol(self) -> Reading:
        """Read ``[k×] scheme [+] [qualifiers]``."""
        if not self.text.strip():
            raise UsageError("The protocol is empty.", "write one such as '10f CV' or 'LOSO'.")
        self.repeats()
        self.scheme()
        self.disjointness()
        self.qualifiers()
        if self.blanks() < len(self.text):
            raise self.fault(_NEXT)
        return self.reading

    def repeats(self) -> None:
        at = self.blanks()
        if re.compile(rf"[0-9.]+\s*{_TIMES}").match(self.text, at):
            self.reading.put("repeats", self.whole(), at)
            self.take(_TIMES)

    def scheme(self) -> None:
        at = self.blanks()
        self.reading.marks["kind"] = at
        if self.take(r"\?"):
            self.reading.put("kind", "unstated", at)
        elif self.peek(r"[0-9]|rest\b"):
            self.sized()
        else:
            word = self.word(_SCHEMES, _FIRST)
            getattr(self, f"after_{word.lower()}")(at)

    def sized(self) -> None:
        """Read what begins with a number: folds, or the sizes of a hold-out."""
        at, sizes = self.at, [self.size()]
        if sizes[0] is not None and self.take(_FOLD):
            if not isinstance(sizes[0], int):
                raise self.fault("a whole number of folds", at, got=str(sizes[0]))
            self.reading.put("folds", sizes[0], at)
            self.word(("CV",))
            self.after_cv(at)
            return
        while len(sizes) < 3 and self.take(_DASH):
            sizes.append(self.size())
        if len(sizes) == 1:
            raise self.fault("'-' and another size, '×', or 'f CV'")
        self.reading.put("sizes", tuple(sizes), at)
        self.word(("HO",))
        self.stars()

    def stars(self) -> None:
        at = self.at
        counted = [("counted hold-out", rf"{_STAR}\s*{_STAR}"), ("per-subject hold-out", _STAR)]
        kind = next((kind for kind, stars in counted if self.take(stars)), "hold-out")
        self.reading.put("kind", kind, at)
        if kind != "hold-out" and self.take("/"):
            at = self.blanks()
            per = self.word(("class",) if kind == "per-subject hold-out" else ("all", "subject"))
            self.reading.put("per", None if per == "subject" else per, at)

    def after_ho(self, at: int) -> None:
        if not self.take(r"\("):
            self.stars()
            return
        self.reading.put("kind", "class hold-out", at)
        start = self.blanks()
        sizes: list[tuple[str, int]] = []
        while not sizes or self.take(","):
            name = self.until(CLASSES, "the name of a class")
            self.need(":", "':' and a number of training samples")
            sizes.append((name, self.whole()))
        self.need(r"\)", "',' or ')'")
        self.reading.put("class_sizes", tuple(sizes), start)

    def after_cv(self, at: int) -> None:
        self.reading.put("kind", "cross-validation", at)

    def after_loo(self, at: int) -> None:
        self.reading.put("kind", "leave-one-out", at)
        if self.take(r"\("):
            start, m = self.blanks(), self.whole()
            self.need(",", "',' and how often one sample is tested")
            drawn = (m, self.whole())
            self.need(r"\)", "')'")
            self.reading.put("kind", "sampled leave-one-out", at)
            self.reading.put("drawn", drawn, start)

    def after_loso(self, at: int) -> None:
        self.reading.put("kind", "leave-one-subject-out", at)

    def after_not(self, at: int) -> None:
        self.word(_UNSTATED)
        self.reading.put("kind", "unstated", at)

    def after_train(self, at: int) -> None:
        self.reading.put("kind", "external", at)
        for side in ("train", "test"):
            if side == "test":
                self.word(("test",))
            self.need(r"\(", "'(' and the name of a data set")
            start = self.blanks()
            self.reading.put(f"{side}_on", self.until(SETS, "the name of a data set"), start)
            self.need(r"\)", "')'")

    def disjointness(self) -> None:
        at = self.blanks()
        if self.take(_PLUS):
            self.reading.put("disjoint", True, at)
        elif self.peek(_WORD.pattern):
            self.reading.put("disjoint", self.word(("mixed", "unmixed"), _NEXT) == "unmixed", at)

    def qualifiers(self) -> None:
        if not self.take(r"\["):
            return
        notes: list[str] = []
        start = self.blanks()
        self.reading.put("notes", (), start)
        while True:
            at = self.blanks()
            side = self.take(_CONDITION)
            text = self.until(BRACKETED, "a condition or a note")
            if side is None:
                notes.append(text)
            else:
                name = f"{side[1].lower()}_on"
                if name in self.reading.fields:
                    raise pointed(self.text, at, UsageError(f"what is to {side[1].lower()} is said twice."))
                self.reading.put(name, text, at)
            if not self.take(";"):
                break
        self.need(r"\]", "';' or ']'")
        self.reading.put("notes", tuple(notes), start)

    def size(self) -> int | float | None:
        """Read a number or ``rest``, which is None."""
        if self.peek("[0-9]"):
            return self.number()
        self.word(("rest",), "a number or 'rest'")
        return None

    def whole(self) -> int:
        at, value = self.blanks(), self.number()
        if not isinstance(value, int):
            raise self.fault("a whole number", at, got=str(value))
        return value

    def number(self) -> int | float:
        at, found = self.blanks(), self.take(_NUMBER)
        if found is None:
            raise self.fault("a number")
        if len(found[1]) > MAX_DIGITS:
            raise self.fault(f"a number of at most {MAX_DIGITS} digits", at, got=f"{found[1][:12]}…")
        return int(found[1]) if not (found[2] or "").strip("0") else float(found[0])

    def word(self, known: Sequence[str], expected: str | None = None) -> str:
        """Read one of the known words, in capitals or not."""
        at, found = self.blanks(), self.take(_WORD)
        given = "" if found is None else found[0]
        folded = {word.lower(): word for word in known}
        if given.lower() in folded:
            return folded[given.lower()]
        hint = nearest(given, known)
        folds = _IN_WORDS.fullmatch(self.text.strip())
        if folds is not None:
            hint = f"write '{folds[1]}f CV', or '{folds[1]}f CV+' where folds share no subject."
        raise self.fault(expected or " or ".join(f"'{word}'" for word in known), at, hint, given)

    def until(self, stops: str, expected: str) -> str:
        """Read free text up to any of these characters, with its blanks made single."""
        found = re.compile(f"[^{re.escape(stops)}]*").match(self.text, self.at)
        text = "" if found is None else " ".join(found[0].split())
        if found is None or not text:
            raise self.fault(expected)
        self.at = found.end()
        return text

    def blanks(self) -> int:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def peek(self, pattern: str) -> bool:
        return re.compile(pattern, re.IGNORECASE).match(self.text, self.blanks()) is not None

    def take(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """Go past a pattern, if it comes next."""
        found = re.compile(pattern).match(self.text, self.blanks())
        if found is not None:
            self.at = found.end()
        return found

    def need(self, pattern: str, expected: str) -> None:
        if self.take(pattern) is None:
            raise self.fault(expected)

    def fault(
        self, expected: str, at: int | None = None, hint: str | None = None, got: str = ""
    ) -> UsageError:
        """An error at a place, by default where reading has come to."""
        at = self.blanks() if at is None else at
        found = repr(got or self.text[at]) if at < len(self.text) else "the end"
        return pointed(self.text, at, UsageError(f"expected {expected}, not {found}.", hint))
