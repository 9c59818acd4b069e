"""Draw the figures of the documentation: the code of a page runs, and what it calls figure becomes an image.

docs/how-to/gallery.md runs on the demo's data; other pages make their own.
"""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import proband as pb
from proband.cli import main

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images"
GALLERY = DOCS / "how-to" / "gallery.md"
FOLDERS = ("gallery", "how-to", "methods")
NAMED = re.compile(rf"images/((?:{'|'.join(FOLDERS)})/\w+\.svg)")
METHODS = tuple(
    DOCS / "methods" / f"{name}.md"
    for name in ("beveridge", "image-choice", "orthogonal-arrays", "strat", "survey")
)
GUIDES = tuple(
    DOCS / "how-to" / f"{name}.md" for name in ("arrays", "classes", "covariates", "pairs", "threshold")
)


def code(page: Path) -> Iterator[str]:
    """Every block of Python that runs: of the gallery all, of other pages what is typed in examples, but for those that fail."""
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        examples = doctest.DocTestParser().get_examples(block)
        yield block if page == GALLERY else "".join(one.source for one in examples if not one.exc_msg)


def figures(page: Path, place: Path) -> dict[str, Any]:
    """Run a page's code in a directory; a line that ends with a name makes the image of that name, at most one in a block."""
    made: dict[str, Any] = {}
    space: dict[str, Any] = {}
    with chdir(place), redirect_stdout(StringIO()):
        for block in code(page):
            exec(compile(block, page.name, "exec"), space)
            if name := re.search(r"^figure = .*  # (\w+)$", block, flags=re.MULTILINE):
                folder = page.stem if page == GALLERY else page.parent.name
                made[f"{folder}/{name[1]}.svg"] = space["figure"]
    return made


def smaller(drawing: str) -> str:
    """Keep one decimal of a point of every coordinate, which is finer than any screen."""

    def short(path: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), path[0])

    return re.sub(r' (?:d|x|y|points|transform="translate)=?"[^"]*"', short, drawing)


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        with redirect_stdout(StringIO()):
            try:
                main(["demo", "--out", f"{place}/demo"])
            except SystemExit as stop:
                if stop.code:
                    raise
        drawn = figures(GALLERY, Path(place) / "demo" / "data")
        for page in (*GUIDES, *METHODS):
            drawn |= figures(page, Path(place))
        for name, figure in drawn.items():
            image = IMAGES / name
            image.parent.mkdir(parents=True, exist_ok=True)
            pb.save_figure(figure, image)
            image.write_text(smaller(image.read_text(encoding="utf-8")), encoding="utf-8")
            sys.stdout.write(f"{name}: {image.stat().st_size:,} bytes\n")
