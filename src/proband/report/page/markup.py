"""Safe markup: text is escaped unless marked as markup."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from gzip import compress
from hashlib import sha256
from html import escape

from proband.engine.files.documents import escaped_json
from proband.words import visible

# Characters that no HTML document may hold: controls, and halves of characters.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_VOID = frozenset({"input", "link", "meta"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)


def safe(text: str) -> Markup:
    """Escape text unless it is markup; invisible characters are written as numeric references."""
    if isinstance(text, Markup):
        return text
    return Markup(escape(_seen(text), quote=False))


def _seen(text: str) -> str:
    return visible(text.replace("\r\n", "\n"))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """Put parts behind one another, each escaped unless it is markup."""
    return Markup(between.join(safe(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: str | bool | None) -> Markup:
    """Write an element.

    Parameters
    ----------
    name
        Name of the element.
    children
        Content; escaped unless it is `Markup`.
    attributes
        Underscores become hyphens, and a trailing underscore is dropped (``class_``). None and False omit the attribute; True
        writes only its name.

    Examples
    --------
    >>> tag("p", "a < b", class_="note", hidden=True)
    '<p class="note" hidden>a &lt; b</p>'
    """
    opened = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Markup(opened if name in _VOID else f"{opened}{joined(children)}</{name}>")


def _attribute(name: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{escape(_seen(value))}"'


def script(source: str) -> tuple[Markup, str]:
    """Write a module that runs, and give the word by which a content security policy lets it and no other run."""
    digest = b64encode(sha256(source.encode()).digest()).decode()
    return Markup(f'<script type="module">{source}</script>'), f"'sha256-{digest}'"


def inert(text: str, kind: str, **attributes: str | bool | None) -> Markup:
    r"""Write embedded text as a script block that is not executed.

    No tag can end the block early: JSON spells the less-than sign as an escape of its own, which leaves it JSON; other text is
    spelt with ``&lt;`` and ``&amp;``, and the page's script reads it back.

    Examples
    --------
    >>> inert('{"a": "</script>"}', "application/json")
    '<script type="application/json">{"a": "\\u003c/script>"}</script>'
    """
    if kind == "application/json":
        body = escaped_json(text).replace("<", "\\u003c")
    else:
        body = _fit(text).replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;")
    return tag("script", Markup(body), type=kind, **attributes)


def packed(text: str, kind: str, **attributes: str | bool | None) -> Markup:
    """Write a long embedded text, compressed, for the page's script to unpack.

    Examples
    --------
    >>> len(packed("a long text " * 1000, "text/plain")) < 200
    True
    """
    body = b64encode(compress(_fit(text).encode(), mtime=0)).decode()
    return tag("script", Markup(body), type="application/gzip", data_kind=kind, **attributes)


@dataclass
class PageIds:
    """Unique ids of a page."""

    taken: set[str] = field(default_factory=set)

    def claim(self, wanted: str) -> str:
        """Make an id of what is wanted, and another one where it is taken."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", wanted).strip("-") or "part"
        name, n = plain, 1
        while name in self.taken:
            n += 1
            name = f"{plain}-{n}"
        self.taken.add(name)
        return name


@dataclass
class Asides:
    """Popovers: each distinct content is stored once."""

    names: PageIds
    kept: dict[Hashable, str] = field(default_factory=dict)

    def keep(self, content: Hashable) -> str:
        """Keep a content and give the id it is asked by."""
        if content not in self.kept:
            self.kept[content] = self.names.claim(f"n{len(self.kept) + 1}")
        return self.kept[content]
