"""Render a page's view model as one HTML file that makes no network requests."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from proband.report.page.blocks import Writing, block_markup, button, folded, prose, terms
from proband.report.page.markup import Asides, Markup, inert, joined, packed, script, tag
from proband.report.page.model import Page, Paragraph, Section
from proband.results.base import Answers
from proband.words import counted, fixed

_KINDS = {
    "json": "application/json",
    "csv": "text/csv",
    "toml": "application/toml",
    "tex": "application/x-tex",
}
_PACKED = 1_000  # characters; longer files travel compressed


def render_page(page: Page) -> str:
    """Write a page as one HTML file.

    The file contains its style, script, drawings and data; a content security policy forbids all requests and other scripts.
    The page is readable without JavaScript, and equal pages give equal bytes.

    Parameters
    ----------
    page
        Page to render. Texts are escaped; drawings are SVG and inserted unchanged.
    """
    writing = Writing()
    for reserved in ("content", "contents", "files", "asides", "status"):
        writing.names.claim(reserved)
    names = [writing.names.claim(section.id) for section in page.sections]
    sections = [
        _section(writing, section, name, hero=place == 0)
        for place, (section, name) in enumerate(zip(page.sections, names, strict=True))
    ]
    behaviour, allowed = script(_source("behaviour.js"))
    body = tag(
        "body",
        tag("a", "Skip to the content", class_="skip", href="#content"),
        _header(page),
        _contents(page, names),
        tag("main", joined(sections), _files(page), id="content", class_="sheet", tabindex="-1"),
        _asides(writing.asides),
        tag(
            "footer",
            tag("p", "A Proband report. This file is self-contained and makes no network requests."),
        ),
        behaviour,
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n{_head(page, allowed)}\n{body}\n</html>\n'


@cache
def _source(name: str) -> str:
    """Read the style or the script that stands beside this module."""
    return (files("proband.report.page") / name).read_text(encoding="utf-8")


def _head(page: Page, allowed: str) -> Markup:
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", page.title),
        tag("link", rel="icon", href="data:,"),  # else a browser would ask a server for one
        tag("style", Markup(_source("style.css"))),
    )


def _header(page: Page) -> Markup:
    tools = tag(
        "div", button("Dark", "theme", aria_pressed="false"), button("Print", "print"), class_="tools"
    )
    subtitle = tag("p", prose(page.subtitle)) if page.subtitle else ""
    return tag("header", tag("div", tag("h1", prose(page.title)), subtitle), tools, class_="masthead")


def _contents(page: Page, names: list[str]) -> Markup:
    links = [
        tag("li", tag("a", prose(section.title), href=f"#{name}"))
        for section, name in zip(page.sections, names, strict=True)
    ]
    if page.embedded:
        links.append(tag("li", tag("a", "Files", href="#files"), class_="scripted"))
    listed = tag("details", tag("summary", "Contents"), tag("ol", joined(links)), open=True)
    return tag("nav", listed, class_="contents", id="contents", aria_label="Contents")


def _section(writing: Writing, section: Section, name: str, hero: bool) -> Markup:
    hero = hero and any(isinstance(block, Paragraph) and block.strong for block in section.blocks)
    heading = tag("h2", prose(section.title), id=writing.names.claim(f"{name}-heading"))
    if section.folded:
        inside = folded(writing, heading, section.blocks)
    else:
        blocks = joined((block_markup(writing, block) for block in section.blocks), "\n")
        inside = joined([heading, blocks])
    return tag(
        "section",
        inside,
        id=name,
        class_="hero" if hero else None,
        aria_labelledby=f"{name}-heading",
    )


def _asides(asides: Asides) -> Markup:
    """Write what can be asked for: unseen until it is, and at the end in print."""
    if not asides.kept:
        return Markup("")
    kept = joined((_aside(content, name) for content, name in asides.kept.items()), "\n")
    return tag("section", tag("h2", "Details"), kept, class_="asides", id="asides")


def _aside(content: object, name: str) -> Markup:
    if isinstance(content, Answers):
        names = ("quantity", "what varies", "held fixed", "assumed")
        said = map(str, (content.of, content.varying, content.fixed, content.assuming))
        inner = terms(zip(names, said, strict=True))
    else:
        inner = tag("p", prose(str(content)))
    return tag("div", inner, id=name, popover=True, role="note")


def _files(page: Page) -> Markup:
    """Write the files that travel in the page, with a button to save each."""
    if not page.embedded:
        return Markup("")
    kept, offered = [], []
    for name, text in page.embedded.items():
        kind = _KINDS.get(name.rpartition(".")[2].lower(), "text/plain")
        kept.append((packed if len(text) > _PACKED else inert)(text, kind, data_file=name))
        size = len(text.encode("utf-8", "replace"))
        offered.append(tag("li", button(name, "save-file", data_name=name), " ", tag("small", _size(size))))
    return tag(
        "section",
        tag(
            "details",
            tag("summary", tag("h2", "Files", id="files-title")),
            tag("p", "These files are embedded in the page. Press a button to save a file."),
            tag("ul", joined(offered), class_="files"),
            class_="folded",
        ),
        joined(kept, "\n"),
        id="files",
        class_="scripted",
        aria_labelledby="files-title",
    )


def _size(n_bytes: int) -> str:
    return counted(n_bytes, "byte") if n_bytes < 1000 else f"{fixed(n_bytes / 1000, 0)} kB"
