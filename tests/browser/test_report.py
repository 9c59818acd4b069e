from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.report.page import finding

pytestmark = pytest.mark.long
Open = Callable[..., Any]


def asked_of_the_network(opened: Any) -> list[str]:
    """Addresses that are not the file itself and not data that the page made."""
    own = opened.page.url.partition("#")[0]
    return [url for url in opened.asked if url != own and not url.startswith(("data:", "blob:"))]


def colour(page: Any, name: str, selector: str = "body") -> str:
    return str(page.evaluate("([s, n]) => getComputedStyle(document.querySelector(s))[n]", [selector, name]))


def unfold(page: Any) -> None:
    """Open all that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def copy(page: Any, table: Any, button: str) -> str:
    """What a button of a table copies. The page forbids `eval`, so waiting is left to `expect`."""
    from playwright.sync_api import expect

    page.evaluate("document.querySelector('#status').textContent = ''")
    table.locator(f"[data-do={button}]").first.click()
    expect(page.locator("#status")).to_have_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def lightness(text: str) -> float:
    return sum(map(float, re.findall(r"[\d.]+", text)[:3])) / 3


def test_opens_without_a_network_or_a_complaint(open_report: Open) -> None:
    opened = open_report()
    page = opened.page
    assert page.title() == "Random <scores>"
    page.mouse.wheel(0, 20_000)
    page.wait_for_timeout(200)
    assert opened.asked == [page.url]
    assert opened.complaints == []


def test_nothing_sticks_out_of_a_phone(open_report: Open) -> None:
    page = open_report((390, 844)).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # The standings are read without scrolling, too.
    assert (
        page.evaluate(
            "(one => one.scrollWidth - one.clientWidth)(document.querySelector('#standings .scroll'))"
        )
        <= 0
    )
    # A value does not cover the whiskers of its interval.
    for track in page.locator("#standings .track").all():
        whiskers, value = (track.locator(part).bounding_box() for part in ("b", "u"))
        assert value["width"] < whiskers["width"]
        assert whiskers["x"] < value["x"] < whiskers["x"] + whiskers["width"]
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_answer_stands_on_the_first_screen(open_report: Open) -> None:
    page = open_report((1280, 800)).page
    for selector in (".hero > .strong", "#standings table", "#verdict .badges", "#verdict .badges + p"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= 800, selector
    drawn = [one.bounding_box() for one in page.locator("#standings .track").all()]
    assert len(drawn) == 3
    assert len({(round(one["x"]), round(one["width"])) for one in drawn}) == 1  # one axis


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_button_is_broken_into_lines(open_report: Open, width: int) -> None:
    page = open_report((width, 844)).page
    unfold(page)
    broken = page.evaluate(
        """[...document.querySelectorAll(".tools button")].filter((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
        }).map((one) => one.textContent)"""
    )
    assert broken == []


def test_a_link_opens_what_is_folded(open_report: Open) -> None:
    page = open_report().page
    fold = page.locator("#methods > details")
    assert fold.get_attribute("open") is None
    page.locator("#contents a[href='#methods']").click()
    page.locator("#methods p").first.wait_for(state="visible")
    assert fold.get_attribute("open") is not None


def test_operating_points_show_fnmr_without_scrolling(open_report: Open) -> None:
    page = open_report((1280, 800)).page
    unfold(page)
    region, head = (
        page.locator("#operating-points .scroll"),
        page.locator("#operating-points th", has_text="FNMR").first,
    )
    edge, cell = region.bounding_box(), head.bounding_box()
    assert cell["x"] + cell["width"] <= edge["x"] + edge["width"]


def test_the_theme_follows_the_system_and_the_switch(open_report: Open) -> None:
    light = open_report().page
    assert lightness(colour(light, "backgroundColor")) > 200
    switch = light.locator("[data-do=theme]")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.click()
    assert switch.get_attribute("aria-pressed") == "true"
    assert lightness(colour(light, "backgroundColor")) < 60
    assert lightness(colour(light, "color")) > 180
    switch.click()
    assert lightness(colour(light, "backgroundColor")) > 200
    dark = open_report(color_scheme="dark").page
    assert lightness(colour(dark, "backgroundColor")) < 60
    assert dark.locator("[data-do=theme]").get_attribute("aria-pressed") == "true"


def test_the_legend_hides_and_shows_a_curve(open_report: Open) -> None:
    page = open_report().page
    figure = page.locator("figure", has=page.locator(".legend")).first
    switch = figure.locator(".legend button").first
    drawn = figure.locator(".drawing-0 [data-series='0']").first
    assert drawn.is_visible()
    switch.click()
    assert switch.get_attribute("aria-pressed") == "false"
    assert not drawn.is_visible()
    switch.press("Enter")
    assert drawn.is_visible()


def test_the_scale_is_switched_with_the_keyboard(open_report: Open) -> None:
    page = open_report().page
    figure = page.locator("figure", has=page.locator(".scales")).first
    radios = figure.locator(".scales input")
    assert radios.count() >= 2
    assert figure.locator(".drawing:visible").get_attribute("data-scale") == radios.nth(0).get_attribute(
        "value"
    )
    radios.nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert radios.nth(1).is_checked()
    assert figure.locator(".drawing:visible").count() == 1
    assert figure.locator(".drawing:visible").get_attribute("data-scale") == radios.nth(1).get_attribute(
        "value"
    )


def test_a_table_is_sorted_both_ways(open_report: Open) -> None:
    page = open_report().page
    table = page.locator("#standings table").first
    heads = table.locator("th[scope=col]")
    place = next(k for k, title in enumerate(heads.all_inner_texts()) if title.startswith("recognition rate"))
    head, body = heads.nth(place), table.locator(f"tbody tr > :nth-child({place + 1})")

    def values() -> list[float]:
        return [float(str(cell.get_attribute("data-v")).partition(";")[0]) for cell in body.all()]

    given = values()
    assert head.get_attribute("aria-sort") == "none"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(given)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert values() == sorted(given, reverse=True)
    assert [one.get_attribute("aria-sort") for one in heads.all()].count("none") == heads.count() - 1


@pytest.mark.parametrize("button", ["copy-latex", "copy-csv"])
def test_a_table_is_copied(open_report: Open, button: str) -> None:
    page = open_report(permissions=["clipboard-read", "clipboard-write"]).page
    unfold(page)
    copied = copy(page, page.locator("#leaderboard-1"), button)
    if button == "copy-latex":
        compared = next(iter(finding.whole()["comparison"].comparisons.values()))
        assert copied == compared.to_latex()
        assert r"\toprule" in copied
    else:
        compared = next(iter(finding.whole()["comparison"].comparisons.values()))
        heads, *rows = csv.reader(io.StringIO(copied))
        measure, level = str(compared.estimates[0].answers.of), "95% interval"
        assert heads == [
            *("letter", "algorithm", measure, f"{measure}, marks", f"{level}, low", f"{level}, high"),
            *("successes, n", "successes, of", "places, best", "places, worst"),
        ]
        for row, one in zip(rows, compared.ordered, strict=True):
            places = compared.places()[one.algorithm]
            assert row[1] == one.algorithm
            assert [float(text) for text in (row[2], *row[4:])] == [
                *(one.value, one.low, one.high, one.rests_on.events, one.rests_on.n, *places)
            ]


def test_tables_are_sorted_and_copied_by_value_whatever_they_show(open_report: Open) -> None:
    """With other words in every cell of numbers the order and the copy are the same; names are sorted as they read."""
    page = open_report(permissions=["clipboard-read", "clipboard-write"]).page
    orders = []
    for scramble in (False, True):
        page.reload()
        if scramble:
            page.evaluate(
                "document.querySelectorAll('#pairs-1 td[data-v]').forEach((one, place) => "
                "{ one.firstChild.textContent = ['none', '–', '7 of 3', 'b'][place % 4]; })"
            )
        unfold(page)
        table, found = page.locator("#pairs-1"), []
        for place in range(table.locator("th[scope=col]").count()):
            table.locator("th[scope=col]").nth(place).locator("button").first.click()
            found.append(copy(page, table, "copy-csv"))
        orders.append(found)
    assert orders[0] == orders[1]
    pairs = next(iter(finding.whole()["comparison"].comparisons.values())).pairs
    heads, *rows = csv.reader(io.StringIO(orders[0][2]))
    assert heads[2:5] == ["difference, points", "95% interval, low", "95% interval, high"]
    expected = sorted(
        [100 * one.value, 100 * one.low, 100 * one.high, one.p_value, one.p_adjusted] for one in pairs
    )
    assert [[float(text) for text in row[2:7]] for row in rows] == expected


def test_every_file_is_saved_as_it_was_embedded(open_report: Open, tmp_path: Path) -> None:
    page = open_report().page
    unfold(page)
    buttons = page.locator("[data-do=save-file]")
    assert buttons.count() >= 3
    for place in range(buttons.count()):
        with page.expect_download() as waiting:
            buttons.nth(place).click()
        saved = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(saved)
        assert saved.stat().st_size > 0
    results = json.loads((tmp_path / "results-summary.json").read_text(encoding="utf-8"))
    assert results["schema"] == "proband-results/3"
    assert results["title"] == "Random <scores>"
    assert (tmp_path / "study.toml").read_text(encoding="utf-8") == finding.STUDY


@pytest.mark.parametrize(("kind", "first"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_figure_is_saved_to_stand_alone(open_report: Open, tmp_path: Path, kind: str, first: bytes) -> None:
    opened = open_report()
    figure = opened.page.locator("figure", has=opened.page.locator(".legend")).first
    with opened.page.expect_download() as waiting:
        figure.locator(f"[data-do=save-{kind}]").click()
    waiting.value.save_as(tmp_path / "figure")
    content = (tmp_path / "figure").read_bytes()
    assert content.startswith(first)
    assert b"var(--" not in content
    assert asked_of_the_network(opened) == []
    assert opened.complaints == []


def test_an_interval_answers_by_keyboard(open_report: Open) -> None:
    page = open_report().page
    ask = page.locator("#standings .ask").first
    answers = page.locator(f"[id='{ask.get_attribute('popovertarget')}']")
    assert not answers.is_visible()
    ask.focus()
    page.keyboard.press("Enter")
    assert answers.is_visible()
    asked = [name.lower() for name in answers.locator("dt").all_inner_texts()]
    assert asked == ["quantity", "what varies", "held fixed", "assumed"]
    assert all(text.strip() for text in answers.locator("dd").all_inner_texts())
    page.keyboard.press("Escape")
    assert not answers.is_visible()


def test_a_curve_is_read_by_pointer_and_by_keyboard(open_report: Open) -> None:
    page = open_report().page
    figure = page.locator("#identification figure").first
    line, drawing = figure.locator(".readout"), figure.locator(".drawing:visible svg")
    assert line.inner_text().strip() == ""
    box = drawing.bounding_box()
    drawing.hover(position={"x": box["width"] * 0.5, "y": box["height"] * 0.4})
    by_pointer = line.inner_text()
    assert re.match(r"rank \d+: ", by_pointer)
    assert all(name in by_pointer for name in finding.NOISES)
    assert figure.locator(".crosshair").count() == 1
    holder = figure.locator(".drawing:visible [tabindex='0'], .drawing:visible[tabindex='0']").first
    holder.focus()
    page.keyboard.press("Home")
    at_one = line.inner_text()
    assert at_one.startswith("rank 1: ")
    evaluation = finding.whole()["identification"].evaluation
    assert evaluation is not None
    for curve in evaluation.curves():
        said = re.search(rf"{curve.facts.algorithm} ([\d.]+)", at_one)
        assert said
        assert float(said[1]) == pytest.approx(curve.at(1), rel=1e-3)
    page.keyboard.press("ArrowRight")
    assert line.inner_text().startswith("rank 2: ")


def test_a_curve_that_is_switched_off_is_not_read_out(open_report: Open) -> None:
    page = open_report().page
    figure = page.locator("#identification figure").first
    line, switches = figure.locator(".readout"), figure.locator(".legend button")
    figure.locator(".drawing:visible").focus()
    page.keyboard.press("Home")
    names = switches.all_inner_texts()
    assert all(name in line.inner_text() for name in names)
    switches.first.click()
    assert names[0] not in line.inner_text()
    assert all(name in line.inner_text() for name in names[1:])
    assert figure.locator(".crosshair circle").count() == len(names) - 1
    for place in range(1, len(names)):
        switches.nth(place).click()
    assert line.inner_text().strip() == ""
    assert figure.locator(".crosshair").count() == 0
    switches.first.click()
    figure.locator(".drawing:visible").focus()
    page.keyboard.press("Home")
    assert names[0] in line.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_region_that_goes_on_sideways_has_a_shadow(open_report: Open, scheme: str) -> None:
    page = open_report((390, 844), color_scheme=scheme).page
    for selector in (".scroll", ".drawing"):
        assert colour(page, "backgroundAttachment", selector) == "local, scroll"
    page.emulate_media(media="print")
    assert colour(page, "backgroundImage", ".scroll") == "none"


def test_everything_is_there_without_javascript(open_report: Open) -> None:
    with_script = open_report().page
    sections = with_script.locator("main > section h2").all_inner_texts()
    opened = open_report(java_script_enabled=False)
    page = opened.page
    assert page.locator("main > section h2:visible").all_inner_texts() == [
        s for s in sections if s != "Files"
    ]
    drawn = page.locator("xpath=//figure[not(ancestor::details)]").locator(".drawing-0 svg")
    assert drawn.count() >= 2
    assert all(one.is_visible() for one in drawn.all())
    assert page.locator("#standings tbody tr:visible").count() >= 3
    radios = page.locator("figure .scales").first.locator("input")
    radios.nth(1).check()
    assert page.locator("figure", has=page.locator(".scales")).first.locator(".drawing-1").is_visible()
    page.locator("#standings .ask").first.click()
    assert page.locator("[popover]:visible").count() == 1


def test_it_prints(open_report: Open) -> None:
    opened = open_report(color_scheme="dark")
    printed = opened.page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 3
    opened.page.emulate_media(media="print")
    assert lightness(colour(opened.page, "backgroundColor")) > 240 or "0, 0, 0, 0" in colour(
        opened.page, "backgroundColor"
    )
    assert not opened.page.locator("[data-do=theme]").is_visible()


def test_tables_are_no_wider_than_paper(open_report: Open) -> None:
    page = open_report((718, 1000)).page  # A4 within its margins
    page.emulate_media(media="print")
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_do_not_widen_the_page(open_report: Open, width: int) -> None:
    page = open_report((width, 844)).page
    page.evaluate(
        """(name) => {
          document.querySelectorAll("details").forEach((one) => { one.open = true; });
          const named = "h1, h2, h3, p, tbody th, .legend button, caption span, summary, dt, dd, .badge, #contents a";
          document.querySelectorAll(named).forEach((one) => { one.append(name); });
        }""",
        "n" * 200,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
