"""The documentation as a site: it is built without a warning, and its pages are for everyone, light and dark, small and large."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser.test_accessibility import LEVELS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
PAGES = (
    "index",
    "start/jobs",
    "how-to/gate",
    "how-to/gallery",
    "understand/trust",
    "reference/study",
    "reference/commands/evaluate",
    "reference/python/proband.compare",
    "reference/python/proband.results.Estimate",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("Sphinx is not installed")
    place = tmp_path_factory.mktemp("docs")
    words = [
        "-m",
        "sphinx",
        "--fail-on-warning",
        "--keep-going",
        "--quiet",
        "--doctree-dir",
        str(place / "read"),
    ]
    done = subprocess.run(
        [sys.executable, *words, "docs", str(place / "site")], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return place / "site"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_axe_finds_nothing(browser: Browser, site: Path, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    context.set_offline(True)
    for name in PAGES:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda one, asked=asked: asked.append(one.url))
        page.goto((site / f"{name}.html").as_uri())
        found = axe.Axe().run(page, options={"runOnly": LEVELS}).response["violations"]
        told = [f"{one['id']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])} times)" for one in found]
        assert told == [], name
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
        assert [one for one in asked if not one.startswith("file:")] == []
        page.close()
    context.close()


def test_the_index_for_programs_names_every_page(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    kept = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").glob("*/*.md")]
    missing = [one.as_posix() for one in kept if one.stem != "index" and f"({one.as_posix()})" not in text]
    assert missing == []
