"""Write llms.txt beside the site: what the project is, and a line for each page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docs._ext.pages import PYTHON
from docutils import nodes
from sphinx.application import Sphinx

_LONGEST = 160


def write(app: Sphinx, failed: Exception | None) -> None:
    """Write the index, by the sections of the navigation."""
    if failed is not None or app.builder.format != "html":
        return
    env = app.env
    lines = [f"# {app.config.project}", "", f"> {_summary(env, env.config.root_doc)}", ""]
    for section in _children(env, env.config.root_doc):
        lines += [
            f"## {env.titles[section].astext()}",
            "",
            *(_line(app, page) for page in _below(env, section)),
            "",
        ]
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines), encoding="utf-8")


def _children(env: Any, page: str) -> list[str]:
    return [one for one in env.toctree_includes.get(page, []) if one in env.titles]


def _below(env: Any, page: str) -> list[str]:
    """The pages under a page; a namespace stands for the pages of its names."""
    if page.startswith(f"{PYTHON}/"):
        return []
    return [name for one in _children(env, page) for name in (one, *_below(env, one))]


def _line(app: Sphinx, page: str) -> str:
    link = f"[{app.env.titles[page].astext()}]({app.builder.get_target_uri(page)})"
    summary = _summary(app.env, page)
    return f"- {link}: {summary}" if summary else f"- {link}"


def _summary(env: Any, page: str) -> str:
    """The first sentence of a page that is not in a table."""
    for one in env.get_doctree(page).findall(nodes.paragraph):
        text = " ".join(one.astext().split())
        if not _in_a_table(one) and text:
            first = re.split(r"(?<=[.?!])\s(?=[A-Z`])", text, maxsplit=1)[0].removesuffix(":")
            return first if len(first) <= _LONGEST else f"{first[:_LONGEST].rsplit(' ', 1)[0]} …"
    return ""


def _in_a_table(node: nodes.Node | None) -> bool:
    return node is not None and (isinstance(node, nodes.table) or _in_a_table(node.parent))


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the index when the site is there."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
