from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from itertools import count

import numpy as np
import pytest

from proband.report.page.blocks import prose
from proband.report.page.markup import Asides, Markup, PageIds, inert, joined, tag
from proband.report.page.model import (
    Badge,
    Badges,
    ChartBlock,
    Code,
    FactsBlock,
    Folded,
    Page,
    Paragraph,
    Section,
)
from proband.report.page.render import render_page
from proband.report.tables.cells import count_cell, interval_cell, p_cell, share_cell, small_cell, text_cell
from proband.report.tables.table import Cell, Column, Table
from proband.results.base import Answers
from proband.words import Target

VOID = {"input", "link", "meta", "rect", "path"}
STYLE, SCRIPT = (
    (files("proband.report.page") / name).read_text(encoding="utf-8")
    for name in ("style.css", "behaviour.js")
)


class Reading(HTMLParser):
    """Reads a page strictly: every element is closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in {tag}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append((self.open[-1] if self.open else "", data))

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    def values(self, attribute: str) -> list[str]:
        return [str(attributes[attribute]) for _, attributes in self.elements if attribute in attributes]


def page(said=lambda text: text) -> Page:
    """A page with every kind of block; every text goes through `said`."""
    answers = Answers(*(Target(word, said(word)) for word in ("rate", "probes", "gallery", "independence")))
    cells = (text_cell(said("pca")), Cell(said("0.8125"), 0.8125, said("b"), answers, "good"))
    other = (text_cell(said("lda")), Cell(said("–")))
    table = Table(
        said("caption"),
        (Column(said("algorithm"), "name"), Column(said("rate"), "number", said("explained"))),
        (cells, other),
        (said("note"),),
        id=said("rates"),
        latex=said("\\begin{tabular}"),
    )
    drawings = {
        said(kind): f'<svg viewBox="0 0 9 9" id="{kind}-svg"><path d="M0 0"/></svg>'
        for kind in ("log", "linear")
    }
    chart = ChartBlock(
        said("cmc"),
        said("title"),
        said("description"),
        drawings,
        ((said("pca"), 0), (said("lda"), 1)),
        replace(table, id=said("cmc-data")),
        (said("chart note"),),
        answers,
    )
    blocks = (
        Paragraph(said("the verdict"), strong=True),
        Badges((Badge(said("closed"), "good", said("why")), Badge(said("plain")))),
        FactsBlock(((said("name"), said("value")),), said("facts")),
        Code(said("code"), said("code title")),
        Folded(said("folded"), (Paragraph(said("inside")), table)),
    )
    sections = (
        Section(said("first"), said("First"), blocks),
        Section(said("rates"), said("Rates"), (table, chart)),
    )
    embedded = {said("results.json"): json.dumps({"said": said("text")}), said("a.csv"): said("a,b\n")}
    return Page(said("Title"), said("Subtitle"), sections, embedded)


def test_it_parses_and_says_what_it_is_given():
    read = Reading(render_page(page()))
    assert read.open == []
    assert read.all("html") == [{"lang": "en"}]
    words = {text.strip() for _, text in read.words}
    given = (
        "Title",
        "Subtitle",
        "First",
        "the verdict",
        "closed",
        "value",
        "code",
        "inside",
        "caption",
        "0.8125",
    )
    assert words.issuperset(
        (*given, "b", "note", "explained", "description", "chart note", "independence", "why")
    )
    assert [name for name, _ in read.elements if re.fullmatch(r"h\d|main|nav|header|footer", name)] == [
        *("header", "h1", "nav", "main", "h2", "h3", "h3", "h2", "h3", "h2", "h2", "footer")
    ]


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='alert(1)",
        "</script><script>alert(1)</script><!--",
        "</title></style></textarea><b>&amp;",
        "\x00\ud800\x1b",
    ],
)
def test_no_text_becomes_markup(attack):
    plain, numbers = render_page(page()), count()
    attacked = render_page(page(lambda text: f"{text}{attack}{next(numbers)}"))
    assert attacked.encode()
    before, after = Reading(plain), Reading(attacked)
    assert len(after.all("script")) == len(before.all("script"))
    assert {name for name, _ in after.elements} == {name for name, _ in before.elements}
    assert {key for _, found in after.elements for key in found} == {
        key for _, found in before.elements for key in found
    }
    assert after.open == []


def test_ids_are_unique_and_what_is_referred_to_is_there():
    read = Reading(render_page(page()))
    ids = Counter(read.values("id"))
    assert set(ids.values()) == {1}
    referred = [*read.values("popovertarget"), *read.values("aria-labelledby")]
    referred += [link.removeprefix("#") for link in read.values("href") if link.startswith("#")]
    assert set(referred) <= set(ids)
    assert {"first", "rates", "content", "cmc"} <= set(ids)


def test_what_is_asked_often_is_kept_once():
    read = Reading(render_page(page()))
    assert Counter(read.values("popovertarget")) == {"n1": 1, "n2": 4}
    assert len(read.values("popover")) == 2


def test_nothing_is_asked_of_the_network_and_no_other_script_runs():
    text = render_page(page())
    read = Reading(text)
    assert not read.values("src")
    assert all(link.startswith(("#", "data:")) for link in read.values("href"))
    assert not [
        name for name in {key for _, found in read.elements for key in found} if name.startswith("on")
    ]
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert not re.search(r"fetch\(|XMLHttpRequest|import\b.*from|eval\(|innerHTML", SCRIPT)
    (policy,) = [
        str(one["content"]) for one in read.all("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}';" in policy
    assert f'<script type="module">{SCRIPT}</script>' in text


def test_equal_pages_give_equal_bytes():
    assert render_page(page()) == render_page(page())


def test_files_travel_as_they_are():
    files_in = {"results.json": '{"a": "</script><b>"}', "x.csv": "a<b,&lt;\r\n"}
    read = Reading(render_page(Page("t", "", (), files_in)))
    held = {
        found["data-file"]: text
        for found, (_, text) in zip(
            read.all("script"), [word for word in read.words if word[0] == "script"], strict=True
        )
        if "data-file" in found
    }
    assert json.loads(held["results.json"]) == json.loads(files_in["results.json"])
    back = held["x.csv"].replace("&#13;", "\r").replace("&lt;", "<").replace("&amp;", "&")
    assert back == files_in["x.csv"]


def test_values_stand_beside_their_texts():
    read = Reading(render_page(page()))
    assert read.values("data-v") == ["0.8125;b", ""] * 3
    assert read.values("data-parts") == [";marks"] * 3
    answers = Answers(*(Target(word, word) for word in ("rate", "probes", "gallery", "independence")))
    row = (
        text_cell("0.50"),
        Cell("33 %", 1 / 3),
        interval_cell((-1 / 3, float("inf")), answers),
        share_cell(7, 12_000),
        small_cell(np.float64(1e-20), supported=False),
        count_cell(np.int64(2**60 + 1)),
        p_cell(1e-40, None),
    )
    table = Table("", tuple(Column(one) for one in "abcdefg"), (row, (*row[:1], *[Cell("–")] * 6)), id="t")
    found = Reading(render_page(Page("t", "", (Section("s", "S", (table,)),))))
    whole = [
        "0.3333333333333333",
        "-0.3333333333333333;",
        "7;12000",
        "1e-20;*",
        "1152921504606846977",
        "1e-40",
    ]
    assert found.values("data-v") == [*whole, *[""] * 6]
    assert found.values("data-parts") == ["low;high", "n;of", ";marks"]
    assert [one.get("scope") for one in found.all("th")] == [*["col"] * 7, "row", "row"]


def test_names_from_right_to_left_leave_numbers_in_order():
    assert prose("pca 0.98, 2 of 3") == "pca 0.98, 2 of 3"
    name = "\u05de\u05d5\u05d3\u05dc \u05e9\u05e0\u05d9"
    assert prose(f"{name} 0.98 [0.9, 1]; pca 0.5") == f"\u2068{name}\u2069 0.98 [0.9, 1]; pca 0.5"
    text = render_page(
        page(lambda said: f"{said} {name}" if said in ("pca", "the verdict", "text") else said)
    )
    assert f"the verdict \u2068{name}\u2069" in text
    assert text.count(f"<bdi>pca {name}</bdi>") == 4  # two tables, the chart's numbers and the legend
    # What is copied, saved or read by a script is as it was given.
    outside = re.sub(r">[^<]*<", "><", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert "\u2068" not in outside
    (saved,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text)
    assert "\u2068" not in saved


def test_a_page_may_be_empty():
    read = Reading(render_page(Page("Only a title", "", ())))
    assert read.open == []
    assert not read.values("popover")


def test_sources_stay_small():
    assert len(STYLE.encode()) < 18 * 1024
    assert len(SCRIPT.encode()) < 18 * 1024


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 has it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


PALETTE = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLE)
}


def test_contrast_is_measured_as_wcag_does():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("dark", [False, True])
def test_contrast_suffices(dark):
    grounds = [PALETTE[name][dark] for name in ("paper", "raised", "sunk")]
    for name in ("ink", "muted", "accent", "good", "warning", "bad"):
        assert min(contrast(PALETTE[name][dark], ground) for ground in grounds) >= 4.5, name
    lines = [name for name in PALETTE if name.startswith("series-")]
    assert len(lines) == 8
    for name in (*lines, "edge"):
        assert contrast(PALETTE[name][dark], PALETTE["paper"][dark]) >= 3, name


def test_every_class_that_charts_use_is_styled():
    for name in (
        "series-7",
        "series-grey",
        "series-ink",
        "direct",
        "track",
        "ticks",
        "leads",
        "dash-4",
        "line",
        "thin",
        "band",
        "fill",
        "bar",
        "dot",
        "hollow",
    ):
        assert re.search(rf"\.{name}\b", STYLE), name
    for name in (
        "grid",
        "axis",
        "tick",
        "label",
        "note",
        "reference",
        "margin",
        "shade",
        "unsupported",
        "hatch",
    ):
        assert re.search(rf"\.{name}\b", STYLE), name


def test_markup_is_escaped_once():
    inner = tag("b", "a & b")
    assert tag("p", inner, "<", title='"') == '<p title="&quot;"><b>a &amp; b</b>&lt;</p>'
    assert joined(["<", Markup("<br>")]) == "&lt;<br>"
    assert inert("</SCRIPT>&", "text/plain") == '<script type="text/plain">&lt;/SCRIPT>&amp;</script>'


def test_names_are_given_once():
    names = PageIds()
    assert [names.claim(one) for one in ("a b", "a b", "a-b-2", "<>")] == ["a-b", "a-b-2", "a-b-2-2", "part"]
    asides = Asides(names)
    assert [asides.keep("x"), asides.keep("y"), asides.keep("x")] == ["n1", "n2", "n1"]
