from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.long
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param((1280, 900), "light", id="desktop-light"),
        pytest.param((390, 844), "dark", id="phone-dark"),
        pytest.param((1280, 900), "dark", id="desktop-dark"),
        pytest.param((390, 844), "light", id="phone-light"),
    ],
)
def test_axe_finds_nothing(open_report: Callable[..., Any], size: tuple[int, int], scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = open_report(size, color_scheme=scheme, bypass_csp=True).page
    # What is folded away is read, too; of the many tables of numbers, which are alike, the first.
    page.evaluate(
        "document.querySelectorAll('details:not(.numbers)').forEach((one) => { one.open = true; });"
        "document.querySelector('details.numbers').open = true;"
    )
    found = axe.Axe().run(page, options={"runOnly": LEVELS}).response["violations"]
    told = [f"{one['id']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])} times)" for one in found]
    assert told == []


def test_all_of_it_is_reached_with_the_tabulator_key(open_report: Callable[..., Any]) -> None:
    page = open_report().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    unreachable = page.evaluate(
        "[...document.querySelectorAll('button, a[href], input, summary')].filter((one) => one.tabIndex < 0).length"
    )
    assert unreachable == 0
