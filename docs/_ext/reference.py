"""Write the generated pages of the reference before Sphinx reads them, and put tables where a page asks for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from docs._ext import pages
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class _Table(SphinxDirective):
    """Markdown that the program's records make, in the place of the directive."""

    made: Callable[..., str]
    has_content = False

    def run(self) -> list[nodes.Node]:
        text = type(self).made(*self.arguments)
        holder = nodes.container()
        holder.document = self.state.document
        self.state.nested_parse(StringList(text.splitlines(), self.env.docname), 0, holder)
        return holder.children


def _directive(made: Callable[..., str], arguments: int) -> type[SphinxDirective]:
    return type("Table", (_Table,), {"made": staticmethod(made), "required_arguments": arguments})


def write(app: Sphinx) -> None:
    """Write every generated page that is not there as it should be; remove the others."""
    made = pages.generated()
    for folder in (pages.COMMANDS, pages.PYTHON):
        for path in (Path(app.srcdir) / folder).glob("*"):
            if path.relative_to(app.srcdir).as_posix() not in made:
                path.unlink()
    for name, text in made.items():
        path = Path(app.srcdir) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives and the generator."""
    app.add_directive("command-table", _directive(pages.command_table, 0))
    app.add_directive("study-keys", _directive(pages.study_keys, 1))
    app.add_directive("python-table", _directive(pages.python_table, 0))
    app.connect("builder-inited", write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
