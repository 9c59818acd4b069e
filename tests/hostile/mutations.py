"""Damage to files that knows their structure, and what must become of it.

``refused``: the file shows that it is damaged. ``said``: refused, or noted. ``same``: another way of writing the same.
``any``: nobody can tell, so it may be read; but it must not bring the process down.
"""

from __future__ import annotations

import ast
import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Expected = Literal["refused", "said", "same", "any"]
Random = random.Random

PIECES = b"0123456789 ,\n\"'()<{}[]=\xff\x00\x1b"
# What stands where a score is expected, and is none.
NO_SCORES = (
    "1996-01-31",
    "12:30",
    "true",
    "0x1A",
    "1 234",
    "abc",
    "",
    "1e",
    "1e999",
    "inf",
    "--1",
    "½",
    "1_000",
)
NAMES = (
    "[red]",
    "[/]",
    "a[1]",
    "=1+1",
    "\x1b[31mred",
    "\u202eevil",
    "$HOME",
    "%s",
    "a::b",
    "a=b",
    "NA",
    "null",
    "é" * 3,
)


@dataclass(frozen=True)
class Mutated:
    """The bytes of a damaged file, how it was damaged, and what must become of it."""

    content: bytes
    how: str
    expected: Expected


Mutation = Callable[[bytes, Random], Mutated]


def bytes_at_random(content: bytes, rng: Random) -> Mutated:
    """Change, drop, add, repeat or cut a few bytes."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place = rng.randrange(len(changed) + 1)
        match rng.randrange(6):
            case 0:
                changed[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                changed[place : place + 1] = bytes(
                    [changed[place] ^ 1 << rng.randrange(8)] if place < len(changed) else b""
                )
            case 2:
                del changed[place : place + rng.randrange(1, 8)]
            case 3:
                changed[place:place] = bytes(rng.choices(PIECES, k=rng.randrange(1, 5)))
            case 4:
                other = rng.randrange(len(changed) + 1)
                changed[place:place] = changed[other : other + rng.randrange(1, 20)]
            case _ if rng.random() < 0.3:
                del changed[place:]
    return Mutated(bytes(changed), "bytes at random", "any")


def cut(content: bytes, rng: Random) -> Mutated:
    """Cut a file whose header says how long it is."""
    return Mutated(content[: rng.randrange(len(content))], "cut", "refused")


def longer(content: bytes, rng: Random) -> Mutated:
    """Add bytes behind a file whose header says how long it is."""
    return Mutated(content + bytes(rng.randrange(1, 40)), "bytes behind the end", "refused")


def cut_picture(content: bytes, rng: Random) -> Mutated:
    """Cut a picture so early that some of it is gone."""
    return Mutated(content[: rng.randrange(len(content) * 3 // 4)], "cut", "said")


def pumped(content: bytes, rng: Random) -> Mutated:
    """Repeat a piece so often that whoever looks at it in two ways would never end."""
    piece = bytes(rng.choices(PIECES[:-3] + b"a._-*\\#`", k=rng.randrange(1, 4)))
    place = rng.randrange(len(content) + 1)
    many = piece * rng.choice([1_000, 30_000, 300_000])
    return Mutated(content[:place] + many + content[place:], f"{piece!r} many times", "any")


def null_byte(content: bytes, rng: Random) -> Mutated:
    """A byte that ends a name for the system."""
    place = rng.randrange(len(content) + 1)
    return Mutated(content[:place] + b"\0" + content[place:], "a null byte", "any")


# Text in rows


@dataclass(frozen=True)
class Rows:
    """Damage to delimited text: a header or none, and which columns hold scores."""

    separator: str = ","
    header: bool = True
    scores: tuple[int, ...] | None = None  # None: there are none
    ids: tuple[int, ...] = (0,)

    def parts(self, content: bytes) -> list[list[str]]:
        """The fields of every line."""
        return [line.split(self.separator) for line in content.decode().splitlines()]

    def text(self, rows: list[list[str]], end: str = "\n") -> bytes:
        """The file of these fields."""
        return "".join(self.separator.join(row) + end for row in rows).encode()

    def _row(self, rows: list[list[str]], rng: Random) -> list[str]:
        return rows[rng.randrange(1 if self.header else 0, len(rows))]

    def short_row(self, content: bytes, rng: Random) -> Mutated:
        """Drop the last fields of a row."""
        rows = self.parts(content)
        row = self._row(rows, rng)
        del row[rng.randrange(1, len(row)) :]
        return Mutated(self.text(rows), "a short row", "refused")

    def long_row(self, content: bytes, rng: Random) -> Mutated:
        """Add a field to a row."""
        rows = self.parts(content)
        self._row(rows, rng).append(rng.choice(["1", "x"]))
        return Mutated(self.text(rows), "a long row", "refused")

    def cut_line(self, content: bytes, rng: Random) -> Mutated:
        """End within the last line."""
        last = content[:-1].rfind(b"\n") + 1
        return Mutated(content[: rng.randrange(last + 1, len(content))], "cut within the last line", "said")

    def twice(self, content: bytes, rng: Random) -> Mutated:
        """Two columns of one name."""
        rows = self.parts(content)
        column = rng.randrange(len(rows[0]))
        rows = [[*row, row[column]] for row in rows]
        return Mutated(self.text(rows), f"column {rows[0][column]!r} twice", "refused")

    def not_a_score(self, content: bytes, rng: Random) -> Mutated:
        """Put something else where a score is."""
        rows = self.parts(content)
        word = rng.choice(NO_SCORES)
        assert self.scores is not None
        self._row(rows, rng)[rng.choice(self.scores)] = word
        return Mutated(self.text(rows), f"{word!r} for a score", "refused")

    def collapsing(self, content: bytes, rng: Random) -> Mutated:
        """Whole numbers that floats cannot tell apart."""
        rows = self.parts(content)
        assert self.scores is not None
        for row in rows[1 if self.header else 0 :]:
            for column in self.scores:
                row[column] = str(2**53 + rng.randrange(5) * 2 + 1)
        return Mutated(self.text(rows), "whole numbers above 2**53", "refused")

    def dates(self, content: bytes, rng: Random) -> Mutated:
        """Dates in every place of a score."""
        rows = self.parts(content)
        assert self.scores is not None
        for row in rows[1 if self.header else 0 :]:
            for column in self.scores:
                row[column] = f"1996-01-{rng.randrange(1, 29):02}"
        return Mutated(self.text(rows), "dates for scores", "refused")

    def open_quote(self, content: bytes, rng: Random) -> Mutated:
        """A quotation mark that is never closed."""
        rows = self.parts(content)
        row = self._row(rows, rng)
        place = rng.randrange(len(row))
        row[place] = '"' + row[place]
        return Mutated(self.text(rows), "an open quotation mark", "refused")

    def not_utf8(self, content: bytes, rng: Random) -> Mutated:
        """A byte that is not text."""
        rows = self.parts(content)
        mark = "\ufffe"
        self._row(rows, rng)[rng.choice(self.ids)] += mark
        return Mutated(self.text(rows).replace(mark.encode(), b"\xff"), "not UTF-8", "refused")

    def long_id(self, content: bytes, rng: Random) -> Mutated:
        """An id of 100 kB, which every message would quote."""
        rows = self.parts(content)
        self._row(rows, rng)[rng.choice(self.ids)] = "x" * 100_000
        return Mutated(self.text(rows), "an id of 100 kB", "any")

    def odd_name(self, content: bytes, rng: Random) -> Mutated:
        """A name that means something to a terminal, a spreadsheet or a shell."""
        rows = self.parts(content)
        name = rng.choice([one for one in NAMES if self.separator not in one])
        self._row(rows, rng)[rng.choice(self.ids)] = name
        return Mutated(self.text(rows), f"the name {name!r}", "any")

    def wide(self, content: bytes, rng: Random) -> Mutated:
        """Thousands of columns more."""
        rows, n = self.parts(content), rng.choice([200, 1_000])
        for number, row in enumerate(rows):
            is_name = self.header and not number
            row += [f"w{k}" if is_name else "1" for k in range(n)]
        return Mutated(self.text(rows), f"{n:,} columns more", "any")

    def line_ends(self, content: bytes, rng: Random) -> Mutated:
        """Lines that end as elsewhere."""
        return Mutated(self.text(self.parts(content), "\r\n"), "other line ends", "same")

    def blank_lines(self, content: bytes, rng: Random) -> Mutated:
        """Blank lines at the end."""
        return Mutated(content + b"\n" * rng.randrange(1, 4), "blank lines", "same")

    def quoted(self, content: bytes, rng: Random) -> Mutated:
        """Every field in quotation marks."""
        rows = [[f'"{field}"' for field in row] for row in self.parts(content)]
        return Mutated(self.text(rows), "quotation marks", "same")

    def marked(self, content: bytes, rng: Random) -> Mutated:
        """A byte-order mark first."""
        return Mutated("\ufeff".encode() + content, "a byte-order mark", "same")

    def other_order(self, content: bytes, rng: Random) -> Mutated:
        """The same columns in another order."""
        rows = self.parts(content)
        order = rng.sample(range(len(rows[0])), len(rows[0]))
        return Mutated(
            self.text([[row[k] for k in order] for row in rows]), "columns in another order", "same"
        )

    def all(self, *, quotes: bool = True, ordered: bool = True) -> list[Mutation]:
        """Everything that can be done to such a file."""
        made: list[Mutation] = [bytes_at_random, self.short_row, self.long_row, self.cut_line, self.not_utf8]
        made += [self.long_id, self.odd_name, self.line_ends, self.blank_lines, self.wide, pumped, null_byte]
        if self.header:
            made.append(self.twice)
        if self.scores is not None:
            made += [self.not_a_score, self.collapsing, self.dates]
        if quotes:
            made += [self.open_quote, self.quoted, self.marked]
        if not ordered:
            made.append(self.other_order)
        return made


# NumPy's arrays and archives


def _header(content: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack("<H", content[8:10])[0]
    found = ast.literal_eval(content[10 : 10 + length].decode("latin1"))
    assert isinstance(found, dict)
    return found, content[10 + length :]


def _npy(header: dict[str, Any], body: bytes) -> bytes:
    text = repr(header).encode("latin1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def claims(content: bytes, rng: Random) -> Mutated:
    """An array's header that claims another shape than its bytes have."""
    header, body = _header(content)
    shape = list(header["shape"]) or [1]
    place = rng.randrange(len(shape))
    others = (shape[place] + 1, shape[place] * 7, 2**40, 2**62, -1, 0)
    shape[place] = rng.choice([one for one in others if one != shape[place]])
    header["shape"] = tuple(shape)
    return Mutated(_npy(header, body), f"a claimed shape of {shape}", "refused")


def other_types(content: bytes, rng: Random) -> Mutated:
    """An array's header that claims another type."""
    header, body = _header(content)
    header["descr"] = rng.choice(
        ["|O", "<U2", "|S8", "<c16", "<i8", "<M8[s]", ">f8", "|V8", "<f2", [("a", "<f8")]]
    )
    return Mutated(_npy(header, body), f"a claimed type of {header['descr']}", "any")


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def in_member(mutation: Mutation, of: str | None = None) -> Mutation:
    """Damage an array of an archive, and put the archive together again as if nothing had happened."""

    def mutate(content: bytes, rng: Random) -> Mutated:
        members = _members(content)
        name = of or rng.choice(sorted(members))
        found = mutation(members[name], rng)
        return Mutated(_zipped(members | {name: found.content}), f"{name}: {found.how}", found.expected)

    return mutate


def code_points(content: bytes, rng: Random) -> Mutated:
    """Ids of letters that do not exist."""
    members = _members(content)
    name = rng.choice([one for one in members if one.endswith("ids.npy")])
    header, body = _header(members[name])
    changed = bytearray(body)
    place = rng.randrange(len(changed) // 4) * 4
    changed[place : place + 4] = struct.pack("<I", rng.choice([0x110000, 0xD800, 0xFFFFFFFF]))
    return Mutated(_zipped(members | {name: _npy(header, bytes(changed))}), "invalid code points", "refused")


def bomb(content: bytes, rng: Random) -> Mutated:
    """A member of an archive that is a thousand times larger than the file."""
    members = _members(content)
    size = 1 << rng.randrange(31, 36)
    header = {"descr": "<f8", "fortran_order": False, "shape": (size // 8 // 6, 6)}
    name = next(one for one in members if not one.endswith("ids.npy"))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for other, part in members.items():
            archive.writestr(other, part if other != name else _npy(header, bytes(1 << 24)))
    return Mutated(made.getvalue(), "a claim of gigabytes", "refused")


def doubled_member(content: bytes, rng: Random) -> Mutated:
    """Two members of one name."""
    made = io.BytesIO(content)
    members = _members(content)
    name = rng.choice(sorted(members))
    with warnings.catch_warnings(), zipfile.ZipFile(made, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(name, members[name])
    return Mutated(made.getvalue(), f"{name} twice", "refused")


def many_members(content: bytes, rng: Random) -> Mutated:
    """Thousands of arrays more."""
    members = _members(content)
    name = rng.choice(sorted(members))
    more = {f"m{k}.npy": members[name] for k in range(rng.choice([50, 500]))}
    return Mutated(_zipped(members | more), f"{len(more):,} arrays more", "any")


# BEE


def bee_header(content: bytes, rng: Random) -> Mutated:
    """A BEE header that claims another number of rows or columns."""
    lines = content.split(b"\n", 3)
    fields = lines[3].split(b" ", 3)
    place = rng.choice([1, 2])
    fields[place] = str(rng.choice([0, -1, int(fields[place]) + 1, 2**31, 2**62])).encode()
    lines[3] = b" ".join(fields)
    return Mutated(b"\n".join(lines), "a claimed size", "refused")


# JSON


def json_node(content: bytes, rng: Random) -> Mutated:
    """Put something else in the place of any part of a JSON document."""
    whole = json.loads(content)
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        for key in (
            list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        ):
            places.append((part, key))
            walk(part[key])

    walk(whole)
    if places:
        part, key = rng.choice(places)
        other: Any = rng.choice(
            [None, True, -1, 2**70, 1.5, "", "x" * 50_000, [], {}, [[]] * 3, {"": 1}, "\x1b[2J"]
        )
        if rng.random() < 0.2:
            del part[key]
        else:
            part[key] = other
    return Mutated(json.dumps(whole).encode(), "another JSON value", "any")


def deep(content: bytes, rng: Random) -> Mutated:
    """A document that is nested beyond reason."""
    n = rng.choice([1_000, 100_000])
    return Mutated(b"[" * n + b"]" * n, "nested deeply", "any")


def toml_deep(content: bytes, rng: Random) -> Mutated:
    """Names of very many parts, brackets in brackets, strings that are not closed."""
    n = rng.choice([50, 10_000, 100_000])
    made = rng.choice(
        [
            f"[{'.'.join('a' * n)}]",
            f"{'.'.join('a' * n)} = 1",
            f"a = {'[' * n}{']' * n}",
            f"a = {'{a=' * n}1{'}' * n}",
            '"\\' * n,
            "'''x" * n,
            f"a = {'9' * n}",
            "[[a]]\n" * n,
            "".join(f"k{k} = 1\n" for k in range(n)),
        ]
    )
    place = rng.choice([0, len(content)])
    whole = content[:place] + f"\n{made}\n".encode() + content[place:]
    return Mutated(whole, f"{made[:20]!r} and so on", "refused")


def xml_deep(content: bytes, rng: Random) -> Mutated:
    """Elements in elements, many attributes, entities of entities."""
    n = rng.choice([1_000, 100_000])
    attributes = " ".join(f'a{k}="1"' for k in range(n))
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 20))
    made = rng.choice(
        [
            "<a>" * n + "</a>" * n,
            "<a>" * n,
            f"<a {attributes}/>",
            f'<!DOCTYPE a [<!ENTITY e0 "lol">{entities}]><a>&e19;</a>',
            f"<a>{'&#65;' * n}</a>",
        ]
    )
    encoding = rng.choice(["utf-8", "utf-16"])
    return Mutated(f'<?xml version="1.0" encoding="{encoding}"?>{made}'.encode(encoding), "deep XML", "any")


def text_lines(content: bytes, rng: Random) -> Mutated:
    """Drop, repeat or swap lines, or change a word of a text."""
    lines = content.decode().split("\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[other])
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case _:
            words = lines[place].split(" ")
            words[rng.randrange(len(words))] = rng.choice([*NAMES, *NO_SCORES, "[[", "= =", '"', "9" * 400])
            lines[place] = " ".join(words)
    return Mutated("\n".join(lines).encode("utf-8", "surrogatepass"), "lines", "any")
