"""Read notebooks as pages: their text, their code and the outputs that they keep. Nothing is run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_SHOWN = ("text/html", "image/png", "image/svg+xml", "text/plain")
"""The forms of an output, the best one first."""


def as_markdown(notebook: str) -> str:
    """A notebook as Markdown of MyST."""
    lines: list[str] = []
    for cell in json.loads(notebook)["cells"]:
        text = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [text, ""]
        elif cell["cell_type"] == "code" and text.strip():
            lines += [*_fenced(text, "python"), ""]
            for output in cell["outputs"]:
                lines += [*_output(output), ""]
    return "\n".join(lines)


def _output(output: Mapping[str, Any]) -> Iterator[str]:
    if output["output_type"] == "stream":
        yield from _fenced(_joined(output["text"]).rstrip("\n"), "text")
    elif output["output_type"] == "error":
        yield from _fenced(f"{output['ename']}: {output['evalue']}", "text")
    else:
        kind = next((one for one in _SHOWN if one in output["data"]), None)
        if kind is not None:
            yield from _shown(kind, _joined(output["data"][kind]))


def _shown(kind: str, text: str) -> Iterator[str]:
    if kind == "text/plain":
        yield from _fenced(text, "text")
    elif kind == "image/png":
        image = f'<img alt="What the code above draws" src="data:image/png;base64,{"".join(text.split())}">'
        yield from _fenced(image, "{raw} html")
    else:
        yield from _fenced(f'<div class="output">{text}</div>', "{raw} html")


def _fenced(text: str, kind: str) -> tuple[str, str, str]:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{kind}", text, fence


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Let sources be notebooks."""
    from myst_parser.parsers.sphinx_ import MystParser

    class NotebookParser(MystParser):
        """MyST's parser, of notebooks."""

        supported = ("notebook",)

        def parse(self, inputstring: str, document: Any) -> None:
            super().parse(as_markdown(inputstring), document)

    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
