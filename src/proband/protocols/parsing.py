r"""Read the notation of protocols, and point at the character of an error.

The grammar is in the documentation, under Protocols. Reading goes from left to right without a separate
list of tokens, because blanks may be omitted: ``20x10fCV``. Other notation from papers is read as well:
conditions and notes after a comma or in parentheses, a ``+`` in front, and the signs of LaTeX (``$20
\times$``, ``HO$^*$``).
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
_TIMES = r"(?:[×✕xX*∗]|\\times\b)"
_STAR = r"(?:\^?\{?[*∗]\}?|\[[*∗]\])"  # also raised, as LaTeX writes it and text taken from a PDF shows it
_PLUS = r"\^?\{?[+⁺＋]\}?"
_NUMBER = re.compile(r"([0-9]+)(?:\.([0-9]+))?")
_FOLD = re.compile(rf"(?:{_DASH}\s*)?f(?:old)?\s*(?=CV|[^a-z]|$)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")
_CONDITION = re.compile(r"(train|test)(?:ing)?\s*:\s*", re.IGNORECASE)
_NEXT_CONDITION = re.compile(rf"(?<=[\s,]){_CONDITION.pattern}", re.IGNORECASE)
# 30 male and 30 female for training
_CLASS_COUNT = r"[0-9]+\s+[^\s\d,:;()\[\]]+"
_CLASS_COUNTS = re.compile(
    rf"({_CLASS_COUNT}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){_CLASS_COUNT})*)\s+for\s+training\b", re.IGNORECASE
)
_IN_WORDS = re.compile(r"(\d+)[- ]?folds?", re.IGNORECASE)  # 5-fold
_SCHEMES = ("HO", "CV", "LOO", "LOSO", "train", "training", "not", "unclear", "unknown")
_FIRST = "'HO', 'CV', 'LOO', 'LOSO', 'train(…) test(…)', 'not stated' or a number"
_UNSTATED = ("stated", "mentioned", "specified", "reported", "given", "available")
_NOT_STATED = re.compile(r"\?|n\s*/\s*a\b|n\.\s*a\.", re.IGNORECASE)
_NEXT = "'+', 'mixed', 'unmixed', '[', '(', ',' or the end"

SETS = "()[];"  # what names of data sets may not hold,
CLASSES = "()[];:,"  # names of classes,
BRACKETED = "[];"  # and what stands between brackets
_BEFORE_TEXT = ("[", "(", ",", ";", ":")
_SECOND = re.compile(
    r"(?:[0-9]+\s*[×xX*]\s*)?(?:[0-9.\s–-]*HO|[0-9]+[\s–-]*f(?:old)?\s*CV|CV|LOO|LOSO)\b", re.IGNORECASE
)


class PartError(UsageError):
    """An invalid protocol, with the part at fault."""

    def __init__(self, about: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.about = about


@dataclass
class Reading:
    """The fields of a protocol that was read, and their positions in the text."""

    fields: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)

    def put(self, name: str, value: object, at: int) -> None:
        """Store a field and its position."""
        self.fields[name] = value
        self.marks[name] = at


def read(text: str) -> Reading:
    """Read a protocol by its grammar; the protocol checks whether the values make sense."""
    return _NotationReader(text).protocol()


def is_note(text: str) -> bool:
    """Whether a text in brackets is a note rather than a condition or the star of ``HO*``."""
    return _CONDITION.match(text) is None and re.fullmatch(_STAR, f"[{text}]") is None


def pointed(text: str, at: int, fault: UsageError) -> UsageError:
    """Return the same error with the text and a caret under the character at fault."""
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
        """Read ``[+] [k×] scheme [+] [qualifiers]``."""
        if not self.text.strip():
            raise UsageError("The protocol is empty.", "write a protocol, such as '10f CV' or 'LOSO'.")
        if self.peek(_PLUS):
            self.disjointness()
        self.repeats()
        self.scheme()
        self.disjointness()
        while self.qualifiers():
            pass
        if self.blanks() < len(self.text):
            raise self.fault(_NEXT)
        return self.reading

    def repeats(self) -> None:
        at = self.blanks()
        if re.compile(rf"[0-9.]+[\s$]*{_TIMES}").match(self.text, at):
            self.reading.put("repeats", self.whole(), at)
            self.take(_TIMES)

    def scheme(self) -> None:
        at = self.blanks()
        self.reading.marks["kind"] = at
        if self.take(_NOT_STATED):
            self.reading.put("kind", "unstated", at)
        elif self.peek(r"[0-9]|rest\b"):
            self.sized()
        else:
            word = self.word(_SCHEMES, _FIRST)
            getattr(self, f"after_{word.lower()}")(at)

    def after_unclear(self, at: int) -> None:
        self.reading.put("kind", "unstated", at)

    after_unknown = after_unclear

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
            self.need(",", "',' and the number of times one sample is tested")
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
        """Read two data sets: ``train(A) test(B)``, or ``Training: A Testing: B``."""
        self.reading.put("kind", "external", at)
        in_words = self.peek(":")
        opening, closing = (":", "") if in_words else (r"\(", r"\)")
        for side in ("train", "test"):
            if side == "test":
                self.take(",")
                self.word(("test", "testing"))
            self.need(opening, f"'{opening[-1]}' and the name of a data set")
            start = self.blanks()
            self.reading.put(f"{side}_on", self.until(SETS, "the name of a data set", in_words), start)
            self.need(closing, "')'")

    after_training = after_train

    def disjointness(self) -> None:
        at = self.blanks()
        if self.take(_PLUS):
            disjoint = True
        elif self.peek(_WORD.pattern):
            disjoint = self.word(("mixed", "unmixed"), _NEXT) == "unmixed"
        else:
            return
        if self.reading.fields.get("disjoint", disjoint) is not disjoint:
            raise pointed(
                self.text,
                at,
                UsageError("it is already marked as disjoint (+).", "keep one of the two marks."),
            )
        self.reading.put("disjoint", disjoint, at)

    def qualifiers(self) -> bool:
        """Read conditions and notes: ``[a; b]``, ``(a; b)``, or ``, a`` to the end; whether there were any."""
        opening = self.take(r"[\[(,]")
        if opening is None:
            return False
        closing = {"[": r"\]", "(": r"\)", ",": ""}[opening[0]]
        start = self.blanks()
        self.reading.marks.setdefault("notes", start)
        if opening[0] != "," or not self.class_counts():
            self.item(opening[0])
            while self.take(";") or (opening[0] != "[" and self.peek(_CONDITION.pattern)):
                self.item(opening[0])
        self.need(closing, f"';' or '{closing[-1:]}'")
        return True

    def class_counts(self) -> bool:
        """Read the training samples of each class in words: ``30 male and 30 female for training``."""
        at = self.blanks()
        if self.reading.fields.get("kind") != "hold-out" or "sizes" in self.reading.fields:
            return False
        counts = self.take(_CLASS_COUNTS)
        if counts is None:
            return False
        self.reading.fields["kind"] = "class hold-out"
        pairs = [part.split() for part in re.findall(_CLASS_COUNT, counts[1])]
        # One digit too many is enough for a number to be refused.
        sizes = tuple((name, int(number[: MAX_DIGITS + 1])) for number, name in pairs)
        self.reading.put("class_sizes", sizes, at)
        return True

    def item(self, opening: str) -> None:
        """Read a condition on training or testing, or a note; outside of square brackets also mixed or unmixed."""
        at = self.blanks()
        if opening != "[" and self.peek(r"(?:un)?mixed\s*(?:[,;)]|$)"):
            self.disjointness()
            return
        if opening == "," and self.peek(_SECOND.pattern):
            raise self.fault("a condition or a note", at, "write each protocol separately.")
        side = self.take(_CONDITION)
        stops = BRACKETED + ")" * (opening == "(")
        text = self.until(stops, "a condition or a note", opening != "[")
        if side is None:
            self.reading.fields["notes"] = (*self.reading.fields.get("notes", ()), text)
            return
        name = f"{side[1].lower()}_on"
        if name in self.reading.fields:
            raise pointed(
                self.text, at, UsageError(f"the condition on what to {side[1].lower()} is stated twice.")
            )
        self.reading.put(name, text, at)

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
        at, match = self.blanks(), self.take(_NUMBER)
        if match is None:
            raise self.fault("a number")
        if len(match[1]) > MAX_DIGITS:
            raise self.fault(f"a number of at most {MAX_DIGITS} digits", at, got=f"{match[1][:12]}…")
        return int(match[1]) if not (match[2] or "").strip("0") else float(match[0])

    def word(self, known: Sequence[str], expected: str | None = None) -> str:
        """Read one of the known words, in capitals or not."""
        at, match = self.blanks(), self.take(_WORD)
        given = "" if match is None else match[0]
        folded = {word.lower(): word for word in known}
        if given.lower() in folded:
            return folded[given.lower()]
        hint = nearest(given, known)
        folds = _IN_WORDS.fullmatch(self.text.strip())
        if folds is not None:
            hint = f"write '{folds[1]}f CV', or '{folds[1]}f CV+' if folds share no subjects."
        raise self.fault(expected or " or ".join(f"'{word}'" for word in known), at, hint, given)

    def until(self, stops: str, expected: str, or_condition: bool = False) -> str:
        """Read free text up to any of these characters, or to the next condition, with its blanks made single."""
        stretch = re.compile(f"[^{re.escape(stops)}]*").match(self.text, self.at)
        end = self.at if stretch is None else stretch.end()
        condition = _NEXT_CONDITION.search(self.text, self.at, end) if or_condition else None
        end = end if condition is None else condition.start()
        text = " ".join(self.text[self.at : end].split())
        text = text if condition is None else text.rstrip(", ")
        if not text:
            raise self.fault(expected)
        self.at = end
        return text

    def blanks(self) -> int:
        """Go past blanks, and past the ``$`` around LaTeX's mathematics where no free text begins."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if not char.isspace() and (char != "$" or self.text[: self.at].rstrip().endswith(_BEFORE_TEXT)):
                break
            self.at += 1
        return self.at

    def peek(self, pattern: str) -> bool:
        return re.compile(pattern, re.IGNORECASE).match(self.text, self.blanks()) is not None

    def take(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """Go past a pattern, if it comes next."""
        match = re.compile(pattern).match(self.text, self.blanks())
        if match is not None:
            self.at = match.end()
        return match

    def need(self, pattern: str, expected: str) -> None:
        if self.take(pattern) is None:
            raise self.fault(expected)

    def fault(
        self, expected: str, at: int | None = None, hint: str | None = None, got: str = ""
    ) -> UsageError:
        """An error at a place, by default where reading has come to."""
        at = self.blanks() if at is None else at
        seen = repr(got or self.text[at]) if at < len(self.text) else "the end"
        return pointed(self.text, at, UsageError(f"expected {expected}, not {seen}.", hint))
