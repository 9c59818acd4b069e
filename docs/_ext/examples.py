"""Show examples without what only the tests of them need: the line that ends them, and the names of their images."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_END = re.compile(r"\n\n```$", re.MULTILINE)
_IMAGE = re.compile(r"^((?:>>> )?figure = .*?)  # \w+$", re.MULTILINE)


def shown(page: str) -> str:
    """The source of a page as readers see its examples."""
    return _IMAGE.sub(r"\1", _END.sub("\n```", page))


def _show(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = shown(source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Change pages as they are read."""
    app.connect("source-read", _show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
