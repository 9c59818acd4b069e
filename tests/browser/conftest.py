"""The report in Chromium: from a file, with the network off."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.report.page import finding

from proband.report.page.build import build_page
from proband.report.page.render import render_page
from proband.report.scene import Scene

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP, PHONE = (1280, 900), (390, 844)


def _none(reason: str) -> None:
    if os.environ.get("PROBAND_REQUIRE_BROWSER"):
        pytest.fail(f"{reason}, and PROBAND_REQUIRE_BROWSER asks for one")
    pytest.skip(f"{reason}: the report is not tried in a browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _none("playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        _none("there is no Chromium on the path")
    # Root, as containers have it, may not use the sandbox.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every part a report can have, of a study with random scores."""
    whole = finding.whole()
    parts = {**whole.parts, **finding.feret().parts}
    found = replace(whole, title="Random <scores>", parts=parts)
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_page(build_page(Scene(found))), encoding="utf-8")
    return path


@dataclass
class Opened:
    """A page, what it asked of the network, and what it complained of."""

    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture
def open_report(browser: Browser, report: Path) -> Iterator[Callable[..., Opened]]:
    """Open the report: offline, every request but that for the file itself refused and noted."""
    contexts = []

    def opened(size: tuple[int, int] = DESKTOP, **options: Any) -> Opened:
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True, **options
        )
        context.set_default_timeout(30_000)
        context.set_offline(True)
        contexts.append(context)
        made = Opened(context.new_page())
        here = report.as_uri()

        def route(asked: Any) -> None:
            if asked.request.url == here:
                asked.continue_()
            else:
                asked.abort()

        context.route("**/*", route)
        made.page.on("request", lambda one: made.asked.append(one.url))
        made.page.on("console", lambda said: made.complaints.append(said.text))
        made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
        made.page.goto(here)
        return made

    yield opened
    for context in contexts:
        context.close()
