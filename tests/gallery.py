"""Draw the figures of docs/how-to/gallery.md: its code runs on the demo's data, and what it calls figure becomes an image."""

from __future__ import annotations

import re
import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import proband as pb
from proband.cli import main

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "how-to" / "gallery.md"
IMAGES = DOCS / "images" / "gallery"


def figures(data: Path, text: str) -> dict[str, Any]:
    """Run the page's code where the data are; every line that ends with a name makes the figure of that name."""
    made: dict[str, Any] = {}
    space: dict[str, Any] = {}
    with chdir(data):
        for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
            exec(compile(block, PAGE.name, "exec"), space)
            if name := re.search(r"^figure = .*  # (\w+)$", block, flags=re.MULTILINE):
                made[name[1]] = space["figure"]
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
        IMAGES.mkdir(parents=True, exist_ok=True)
        for name, figure in figures(Path(place) / "demo" / "data", PAGE.read_text(encoding="utf-8")).items():
            image = IMAGES / f"{name}.svg"
            pb.save_figure(figure, image)
            image.write_text(smaller(image.read_text(encoding="utf-8")), encoding="utf-8")
            sys.stdout.write(f"{image.name}: {image.stat().st_size:,} bytes\n")
